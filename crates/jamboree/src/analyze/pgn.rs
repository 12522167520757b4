//! Files of games: analyses every position, judges every move, and writes the games with annotations.

use super::game_output::GameOutput;
use super::input;
use super::output::ResultOutput;
use crate::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use jamboree_io::{note, refuse_overwriting};
use lab::analysis::annotate;
use lab::analysis::game::{GameJson, MoveCount, study_games};
use lab::analysis::judge::review;
use lab::analysis::part_file::{self, PartFile};
use lab::analysis::pgn_game::PgnGame;
use lab::analysis::reader;
use lab::analysis::study::Analyst;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// What to annotate, and where the result goes.
pub(crate) struct AnnotationTask<'a> {
    /// The file of games.
    pub(crate) path: &'a Path,
    /// The file of annotated games; standard output if none.
    pub(crate) out: Option<&'a Path>,
    /// Print JSON instead of PGN?
    pub(crate) json: bool,
    /// Everything that the analysis of a game depends on, besides the game.
    pub(crate) settings: String,
}

pub(crate) fn run(task: &AnnotationTask<'_>, analysts: Vec<Analyst>) -> Result<(), Failure> {
    let AnnotationTask { path, out, .. } = *task;
    if let Some(out) = out {
        refuse_overwriting(out, [path])?;
        refuse_overwriting(&PartFile::path_for(out), [path])?;
    }
    let bytes = input::read(path)?;
    let games = reader::read(&bytes, &mut |warning| note!("jamboree: {}: {warning}", path.display()));
    if games.is_empty() {
        return Err(format!("'{}' holds no game that can be analysed", path.display()).into());
    }
    let count = if task.json {
        write_json(&games, analysts, out)?
    } else {
        let command = part_file::command(&bytes, &task.settings);
        write_pgn(&games, analysts, GameOutput::to(out, &command)?)?
    };
    if let Some(out) = out {
        note!("{}, written to {}", count.show(games.len()), out.display());
    }
    Ok(())
}

/// Annotates the games that are not done yet.
fn write_pgn(games: &[PgnGame], analysts: Vec<Analyst>, mut output: GameOutput) -> Result<MoveCount, Failure> {
    let left: Vec<&PgnGame> = games.iter().filter(|game| !output.has(game.number)).collect();
    if left.len() < games.len() {
        note!("{} of {} games were done before; going on with the others", games.len() - left.len(), games.len());
    }
    let mut count = output.count_so_far();
    output.expect(left.iter().map(|game| game.number));
    let bar = bar(&left);
    study_games(&left, analysts, &|| bar.inc(1), |game, analyses| {
        let verdicts = review(game, &analyses);
        let counted = MoveCount::of(&verdicts);
        count.add(&counted);
        bar.suspend(|| output.add(game.number, annotate::write(game, &verdicts), counted))
    })?;
    bar.finish_and_clear();
    output.finish()?;
    Ok(count)
}

/// All games as one JSON array, which is written when everything is done.
fn write_json(games: &[PgnGame], analysts: Vec<Analyst>, out: Option<&Path>) -> Result<MoveCount, Failure> {
    let mut output = ResultOutput::to(out)?;
    let games: Vec<&PgnGame> = games.iter().collect();
    let mut results = BTreeMap::new();
    let mut count = MoveCount::default();
    let bar = bar(&games);
    study_games(&games, analysts, &|| bar.inc(1), |game, analyses| {
        let verdicts = review(game, &analyses);
        count.add(&MoveCount::of(&verdicts));
        results.insert(game.number, GameJson::new(game, &analyses, &verdicts));
        Ok::<(), Failure>(())
    })?;
    bar.finish_and_clear();
    let results: Vec<GameJson> = results.into_values().collect();
    output.write(&format!("{}\n", serde_json::to_string_pretty(&results)?))?;
    output.finish()?;
    Ok(count)
}

/// A bar over all positions of all games; indicatif draws nothing where standard error is no terminal.
fn bar(games: &[&PgnGame]) -> ProgressBar {
    let positions: usize = games.iter().map(|game| game.moves.len() + 1).sum();
    let bar = ProgressBar::new(positions as u64);
    let template = format!("{{bar:30}} {{pos}} of {{len}} positions of {} games, {{eta}} left", games.len());
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
