//! Analyses all positions of a game and judges its moves.

use super::json::{PositionJson, ScoreJson, uci};
use super::judge::{Judgement, MoveVerdict};
use super::pgn_game::PgnGame;
use super::study::{Analysis, Analyst};
use chess::san;
use game::Game;
use serde::Serialize;
use std::collections::BTreeMap;

/// Analyses every position of a game, beginning with the last, so that the table knows what comes later in the game.
/// `done` is called after each position.
pub fn study_game(game: &PgnGame, analyst: &mut Analyst, done: &mut dyn FnMut()) -> Vec<Analysis> {
    analyst.forget();
    let positions = game.positions();
    let keys: Vec<u64> = positions.iter().map(Game::key).collect();
    let mut analyses = Vec::new();
    for (index, position) in positions.iter().enumerate().rev() {
        analyses.push(analyst.study(position, &keys[..index], &mut |_| {}));
        done();
    }
    analyses.reverse();
    analyses
}

/// Numbers of bad moves, by how bad they are.
#[derive(Debug, Default)]
pub struct MoveCount {
    /// All moves.
    pub moves: usize,
    /// Moves that are inaccurate.
    pub inaccuracies: usize,
    /// Moves that are mistakes.
    pub mistakes: usize,
    /// Moves that are blunders.
    pub blunders: usize,
}

impl MoveCount {
    /// Counts the moves of a game.
    pub fn add(&mut self, verdicts: &[MoveVerdict]) {
        self.moves += verdicts.len();
        for judgement in verdicts.iter().filter_map(|verdict| verdict.judgement) {
            match judgement {
                Judgement::Inaccuracy => self.inaccuracies += 1,
                Judgement::Mistake => self.mistakes += 1,
                Judgement::Blunder => self.blunders += 1,
            }
        }
    }

    /// The numbers in words: `2 games, 80 moves, 3 inaccuracies, ...`.
    pub fn show(&self, games: usize) -> String {
        let some = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
        [
            some(games, "game", "games"),
            some(self.moves, "move", "moves"),
            some(self.inaccuracies, "inaccuracy", "inaccuracies"),
            some(self.mistakes, "mistake", "mistakes"),
            some(self.blunders, "blunder", "blunders"),
        ]
        .join(", ")
    }
}

/// A game, for JSON.
#[derive(Debug, Serialize)]
pub struct GameJson {
    game: usize,
    tags: BTreeMap<String, String>,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<String>,
    moves: Vec<MoveJson>,
}

/// A move of a game, for JSON.
#[derive(Debug, Serialize)]
pub struct MoveJson {
    ply: usize,
    san: String,
    uci: String,
    /// The score after the move, seen by White; absent if it gave mate.
    #[serde(skip_serializing_if = "Option::is_none")]
    eval: Option<ScoreJson>,
    loss: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    judgement: Option<&'static str>,
    /// The position before the move; scores are for the side to move.
    before: PositionJson,
}

impl GameJson {
    /// The form of a game that is printed.
    pub fn new(game: &PgnGame, analyses: &[Analysis], verdicts: &[MoveVerdict]) -> GameJson {
        let told = game.moves.iter().zip(analyses).zip(verdicts).enumerate();
        let moves = told.map(|(index, ((played, before), verdict))| MoveJson {
            ply: index + 1,
            san: san(&before.position, played.mv),
            uci: uci(&before.position, played.mv),
            eval: verdict.eval.map(ScoreJson::from),
            loss: verdict.loss,
            judgement: verdict.judgement.map(Judgement::name),
            before: PositionJson::new(before),
        });
        GameJson {
            game: game.number,
            tags: game.tags.iter().cloned().collect(),
            result: game.result(),
            cut: game.cut.clone(),
            moves: moves.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge::review;
    use super::super::reader::tests::read_text;
    use super::super::study::tests::quick;
    use super::*;

    #[test]
    fn a_game_becomes_a_json_object() {
        let game = read_text("[White \"a\"]\n\n1. f3 e5 2. g4 Qh4# 0-1").0.remove(0);
        let analyses = study_game(&game, &mut quick(500, 1), &mut || {});
        let verdicts = review(&game, &analyses);
        let json = serde_json::to_value(GameJson::new(&game, &analyses, &verdicts)).unwrap();
        assert_eq!((&json["tags"]["White"], &json["result"]), (&"a".into(), &"0-1".into()));
        let moves = json["moves"].as_array().unwrap();
        assert_eq!(moves.len(), 4);
        assert_eq!((&moves[2]["judgement"], &moves[2]["eval"]["mate"]), (&"blunder".into(), &(-1).into()));
        assert!(moves[3].get("eval").is_none());
        let mut count = MoveCount::default();
        count.add(&verdicts);
        assert!(count.moves == 4 && count.blunders >= 1, "{count:?}");
    }

    #[test]
    fn every_position_is_looked_at_in_order() {
        let game = read_text("1. e4 e5 2. Nf3 *").0.remove(0);
        let analyses = study_game(&game, &mut quick(100, 1), &mut || {});
        let positions: Vec<_> = analyses.into_iter().map(|analysis| analysis.position).collect();
        assert_eq!(positions, game.positions());
    }
}
