//! Files of games: analyses every position, judges every move, and writes the games with annotations.

use super::input;
use super::output::ResultOutput;
use crate::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use jamboree_io::{note, refuse_overwriting};
use lab::analysis::game::{GameJson, MoveCount, study_game};
use lab::analysis::judge::review;
use lab::analysis::pgn_game::PgnGame;
use lab::analysis::study::Analyst;
use lab::analysis::{annotate, reader};
use std::path::Path;
use std::time::Duration;

pub(crate) fn run(path: &Path, mut analyst: Analyst, json: bool, out: Option<&Path>) -> Result<(), Failure> {
    if let Some(out) = out {
        refuse_overwriting(out, [path])?;
    }
    let bytes = input::read(path)?;
    let games = reader::read(&bytes, &mut |warning| note!("jamboree: {}: {warning}", path.display()));
    if games.is_empty() {
        return Err(format!("'{}' holds no game that can be analysed", path.display()).into());
    }
    let mut output = ResultOutput::to(out)?;
    let bar = bar(&games);
    let mut results = Vec::new();
    let mut count = MoveCount::default();
    for game in &games {
        bar.set_prefix(format!("game {} of {}", game.number, games.last().map_or(0, |last| last.number)));
        let analyses = study_game(game, &mut analyst, &mut || bar.inc(1));
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
        note!("{}, written to {}", count.show(games.len()), out.display());
    }
    Ok(())
}

/// A bar over all positions of all games; indicatif draws nothing where standard error is no terminal.
fn bar(games: &[PgnGame]) -> ProgressBar {
    let positions: usize = games.iter().map(|game| game.moves.len() + 1).sum();
    let bar = ProgressBar::new(positions as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {prefix}, {pos} of {len} positions, {eta} left") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
