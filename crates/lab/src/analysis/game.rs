//! Analyses all positions of games, several games at once, and judges their moves.

use super::accuracy::Accuracy;
use super::json::{PositionJson, ScoreJson, uci};
use super::judge::{Judgement, MoveVerdict};
use super::openings::Opening;
use super::pgn_game::PgnGame;
use super::study::{Analysis, Analyst};
use chess::san;
use game::Game;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Analyses every position of a game, beginning with the last, so that the table knows what comes later in the game.
/// `done` is called after each position. None if it breaks off.
fn study_game(
    game: &PgnGame,
    analyst: &mut Analyst,
    done: &mut dyn FnMut() -> ControlFlow<()>,
) -> Option<Vec<Analysis>> {
    analyst.forget();
    let positions = game.positions();
    let keys: Vec<u64> = positions.iter().map(Game::key).collect();
    let mut analyses = Vec::new();
    for (index, position) in positions.iter().enumerate().rev() {
        analyses.push(analyst.study(position, &keys[..index], &mut |_| {}));
        if done().is_break() {
            return None;
        }
    }
    analyses.reverse();
    Some(analyses)
}

/// Analyses games, one on each analyst at a time. `step` is called after each position, `each` with every game when it is
/// done, in the order in which they are done. It ends early with the first error of `each`.
///
/// # Errors
/// The error of `each`.
pub fn study_games<E>(
    games: &[&PgnGame],
    analysts: Vec<Analyst>,
    step: &(dyn Fn() + Sync),
    mut each: impl FnMut(&PgnGame, Vec<Analysis>) -> Result<(), E>,
) -> Result<(), E> {
    let (next, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for mut analyst in analysts {
            let (sender, next, is_stopped) = (sender.clone(), &next, &is_stopped);
            scope.spawn(move || {
                while let Some(&game) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let analyses = study_game(game, &mut analyst, &mut || {
                        step();
                        if is_stopped.load(Ordering::Relaxed) {
                            ControlFlow::Break(())
                        } else {
                            ControlFlow::Continue(())
                        }
                    });
                    let Some(analyses) = analyses else { return };
                    if sender.send((game, analyses)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let done = results.iter().try_for_each(|(game, analyses)| each(game, analyses));
        is_stopped.store(true, Ordering::Relaxed);
        done
    })
}

/// Numbers of bad moves, by how bad they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveCount {
    /// All moves.
    pub moves: usize,
    /// Moves that are inaccurate.
    pub inaccuracies: usize,
    /// Moves that are mistakes.
    pub mistakes: usize,
    /// Moves that are blunders.
    pub blunders: usize,
    /// Moves that missed a mate.
    pub missed_mates: usize,
}

impl MoveCount {
    /// The numbers of one game.
    pub fn of(verdicts: &[MoveVerdict]) -> MoveCount {
        let judged = |judgement| verdicts.iter().filter(|verdict| verdict.judgement == Some(judgement)).count();
        MoveCount {
            moves: verdicts.len(),
            inaccuracies: judged(Judgement::Inaccuracy),
            mistakes: judged(Judgement::Mistake),
            blunders: judged(Judgement::Blunder),
            missed_mates: verdicts.iter().filter(|verdict| verdict.missed_mate.is_some()).count(),
        }
    }

    /// Adds those of another game.
    pub fn add(&mut self, other: &MoveCount) {
        self.moves += other.moves;
        self.inaccuracies += other.inaccuracies;
        self.mistakes += other.mistakes;
        self.blunders += other.blunders;
        self.missed_mates += other.missed_mates;
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
            some(self.missed_mates, "missed mate", "missed mates"),
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
    opening: Option<Opening>,
    accuracy: Accuracy,
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
    /// Moves to the mate that the move missed.
    #[serde(skip_serializing_if = "Option::is_none")]
    missed_mate: Option<i32>,
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
            missed_mate: verdict.missed_mate,
            before: PositionJson::new(before),
        });
        GameJson {
            game: game.number,
            tags: game.tags.iter().cloned().collect(),
            result: game.result(),
            opening: Opening::of(game),
            accuracy: Accuracy::of(game, verdicts),
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

    fn studied(game: &PgnGame, nodes: u64) -> Vec<Analysis> {
        study_game(game, &mut quick(nodes, 1), &mut || ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn a_game_becomes_a_json_object() {
        let game = read_text("[White \"a\"]\n\n1. f3 e5 2. g4 Qh4# 0-1").0.remove(0);
        let analyses = studied(&game, 500);
        let verdicts = review(&game, &analyses);
        let json = serde_json::to_value(GameJson::new(&game, &analyses, &verdicts)).unwrap();
        assert_eq!((&json["tags"]["White"], &json["result"]), (&"a".into(), &"0-1".into()));
        let moves = json["moves"].as_array().unwrap();
        assert_eq!(moves.len(), 4);
        assert_eq!((&moves[2]["judgement"], &moves[2]["eval"]["mate"]), (&"blunder".into(), &(-1).into()));
        assert!(moves[3].get("eval").is_none());
        assert_eq!((&json["opening"]["eco"], &json["accuracy"]["black"]), (&"A00".into(), &100.0.into()));
        let mut count = MoveCount::of(&verdicts);
        assert!(count.moves == 4 && count.blunders >= 1, "{count:?}");
        count.add(&count.clone());
        assert!(count.show(2).starts_with("2 games, 8 moves, "), "{}", count.show(2));
    }

    #[test]
    fn every_position_is_looked_at_in_order() {
        let game = read_text("1. e4 e5 2. Nf3 *").0.remove(0);
        let analyses = studied(&game, 100);
        let positions: Vec<_> = analyses.into_iter().map(|analysis| analysis.position).collect();
        assert_eq!(positions, game.positions());
    }
    #[test]
    fn several_games_at_once_are_each_done_once() {
        let games = read_text("1. e4 e5 *\n\n1. d4 d5 2. c4 *\n\n1. c4 *\n\n1. f4 *\n\n1. b3 *\n").0;
        let games: Vec<&PgnGame> = games.iter().collect();
        let steps = AtomicUsize::new(0);
        let mut done = Vec::new();
        let count = || {
            steps.fetch_add(1, Ordering::Relaxed);
        };
        let analysts = vec![quick(50, 1), quick(50, 1)];
        let all = study_games(&games, analysts, &count, |game, analyses| {
            assert_eq!(analyses.len(), game.moves.len() + 1);
            done.push(game.number);
            Ok::<(), ()>(())
        });
        done.sort_unstable();
        assert_eq!((all, done, steps.into_inner()), (Ok(()), vec![1, 2, 3, 4, 5], 13));
        let mut calls = 0;
        let failed = study_games(&games, vec![quick(50, 1)], &|| {}, |_, _| {
            calls += 1;
            Err("full")
        });
        assert_eq!((failed, calls), (Err("full"), 1));
    }
}
