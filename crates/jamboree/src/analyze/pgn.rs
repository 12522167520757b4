//! Files of games: every position looked at, every move judged, and the games written out again.

use super::annotate;
use super::input;
use super::json::{PositionJson, ScoreJson, uci};
use super::judge::{Judgement, Verdict, review};
use super::output::Output;
use super::reader;
use super::record::Record;
use super::study::{Analysis, Analyst};
use crate::Failure;
use chess::san;
use game::Game;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

pub(crate) fn run(path: &Path, mut analyst: Analyst, json: bool, out: Option<&Path>) -> Result<(), Failure> {
    let bytes = input::read(path)?;
    let games = reader::read(&bytes, &mut |warning| eprintln!("jamboree: {}: {warning}", path.display()));
    if games.is_empty() {
        return Err(format!("'{}' holds no game that can be analysed", path.display()).into());
    }
    let mut output = Output::to(out)?;
    let bar = bar(&games);
    let mut results = Vec::new();
    let mut count = Count::default();
    for game in &games {
        bar.set_prefix(format!("game {} of {}", game.number, games.last().map_or(0, |last| last.number)));
        let analyses = study(game, &mut analyst, &bar);
        let verdicts = review(game, &analyses);
        count.add(&verdicts);
        if json {
            results.push(GameJson::new(game, &analyses, &verdicts));
        } else {
            bar.suspend(|| output.write(&annotate::write(game, &verdicts)))?;
        }
    }
    bar.finish_and_clear();
    if json {
        output.write(&format!("{}\n", serde_json::to_string_pretty(&results)?))?;
    }
    output.finish()?;
    if let Some(out) = out {
        eprintln!("{}, written to {}", count.show(games.len()), out.display());
    }
    Ok(())
}

/// Analyses every position of a game, the last first: what the search has learned of the end of the game it then knows
/// at the beginning.
fn study(game: &Record, analyst: &mut Analyst, bar: &ProgressBar) -> Vec<Analysis> {
    analyst.forget();
    let positions = game.positions();
    let keys: Vec<u64> = positions.iter().map(Game::key).collect();
    let mut analyses = Vec::new();
    for (index, position) in positions.iter().enumerate().rev() {
        analyses.push(analyst.study(position, &keys[..index], &mut |_| {}));
        bar.inc(1);
    }
    analyses.reverse();
    analyses
}

/// A bar over all positions of all games; indicatif draws nothing where standard error is no terminal.
fn bar(games: &[Record]) -> ProgressBar {
    let positions: usize = games.iter().map(|game| game.moves.len() + 1).sum();
    let bar = ProgressBar::new(positions as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {prefix}, {pos} of {len} positions, {eta} left") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// How many moves were how bad.
#[derive(Debug, Default)]
struct Count {
    moves: usize,
    inaccuracies: usize,
    mistakes: usize,
    blunders: usize,
}

impl Count {
    fn add(&mut self, verdicts: &[Verdict]) {
        self.moves += verdicts.len();
        for judgement in verdicts.iter().filter_map(|verdict| verdict.judgement) {
            match judgement {
                Judgement::Inaccuracy => self.inaccuracies += 1,
                Judgement::Mistake => self.mistakes += 1,
                Judgement::Blunder => self.blunders += 1,
            }
        }
    }

    fn show(&self, games: usize) -> String {
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

/// A game, for programs.
#[derive(Debug, Serialize)]
struct GameJson {
    game: usize,
    tags: BTreeMap<String, String>,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<String>,
    moves: Vec<MoveJson>,
}

/// A move of a game, for programs.
#[derive(Debug, Serialize)]
struct MoveJson {
    ply: usize,
    san: String,
    uci: String,
    /// The score after the move, seen by White; absent if it gave mate.
    #[serde(skip_serializing_if = "Option::is_none")]
    eval: Option<ScoreJson>,
    loss: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    judgement: Option<&'static str>,
    /// The position before the move, its scores seen by the side to move.
    before: PositionJson,
}

impl GameJson {
    fn new(game: &Record, analyses: &[Analysis], verdicts: &[Verdict]) -> GameJson {
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
    use super::super::reader::tests::read_text;
    use super::super::study::tests::quick;
    use super::*;

    #[test]
    fn a_game_becomes_a_json_object() {
        let game = read_text("[White \"a\"]\n\n1. f3 e5 2. g4 Qh4# 0-1").0.remove(0);
        let analyses = study(&game, &mut quick(500, 1), &ProgressBar::hidden());
        let verdicts = review(&game, &analyses);
        let json = serde_json::to_value(GameJson::new(&game, &analyses, &verdicts)).unwrap();
        assert_eq!((&json["tags"]["White"], &json["result"]), (&"a".into(), &"0-1".into()));
        let moves = json["moves"].as_array().unwrap();
        assert_eq!(moves.len(), 4);
        assert_eq!((&moves[2]["judgement"], &moves[2]["eval"]["mate"]), (&"blunder".into(), &(-1).into()));
        assert!(moves[3].get("eval").is_none());
        let mut count = Count::default();
        count.add(&verdicts);
        assert!(count.moves == 4 && count.blunders >= 1, "{count:?}");
    }

    #[test]
    fn every_position_is_looked_at_in_order() {
        let game = read_text("1. e4 e5 2. Nf3 *").0.remove(0);
        let analyses = study(&game, &mut quick(100, 1), &ProgressBar::hidden());
        let positions: Vec<_> = analyses.into_iter().map(|analysis| analysis.position).collect();
        assert_eq!(positions, game.positions());
    }
}
