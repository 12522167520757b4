//! Files of positions: one line of output for each record.

use super::input;
use super::output::ResultOutput;
use crate::Failure;
use chess::{Position, san, san_line};
use indicatif::{ProgressBar, ProgressStyle};
use jamboree_io::note;
use lab::analysis::json::PositionJson;
use lab::analysis::score::signed;
use lab::analysis::study::{Analysis, Analyst, GameOver};
use lab::epd;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

/// A record that can be analysed.
#[derive(Debug)]
struct PositionTask {
    line: usize,
    id: Option<String>,
    position: Position,
}

/// A record's result, for JSON.
#[derive(Serialize)]
struct PositionTaskJson {
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(flatten)]
    position: PositionJson,
}

impl PositionTask {
    /// Its name: its id, or else its number in the file.
    fn name(&self) -> String {
        self.id.clone().unwrap_or_else(|| format!("line {}", self.line))
    }
}

pub(crate) fn run(path: &Path, mut analyst: Analyst, json: bool) -> Result<(), Failure> {
    // Old suites have Latin-1 in their comments; that must not cost us the positions.
    let text = String::from_utf8_lossy(&input::read(path)?).into_owned();
    let tasks = read(&text, &mut |warning| note!("jamboree: {}, {warning}", path.display()));
    if tasks.is_empty() {
        return Err(format!("'{}' holds no position: put one EPD record on each line", path.display()).into());
    }
    let width = tasks.iter().map(|task| task.name().chars().count()).max().unwrap_or(0).min(24);
    let bar = bar(tasks.len());
    let mut output = ResultOutput::Stdout;
    let mut results = Vec::new();
    for task in tasks {
        bar.set_message(task.name());
        analyst.forget();
        let analysis = analyst.study(&task.position, &[], &mut |_| {});
        if json {
            results.push(PositionTaskJson { line: task.line, id: task.id, position: PositionJson::new(&analysis) });
        } else {
            let text = show(&task.name(), width, &analysis);
            bar.suspend(|| output.write(&text))?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if json { output.write(&format!("{}\n", serde_json::to_string_pretty(&results)?)) } else { Ok(()) }
}

/// The records of a file. A line that is not a record becomes a warning.
fn read(text: &str, warn: &mut dyn FnMut(String)) -> Vec<PositionTask> {
    let mut tasks = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        for record in epd::read(line) {
            let task = record.map_err(|error| error.message).and_then(|record| {
                let position = record.fen.parse::<Position>().map_err(|error| error.to_string())?;
                Ok(PositionTask { line: number, id: record.id, position })
            });
            match task {
                Ok(task) => tasks.push(task),
                Err(message) => warn(format!("line {number} skipped: {message}")),
            }
        }
    }
    tasks
}

fn bar(tasks: usize) -> ProgressBar {
    let bar = ProgressBar::new(tasks as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} positions, {eta} left  {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// One line: name, best move, score, depth and variation; further lines of the same position below it.
fn show(name: &str, width: usize, analysis: &Analysis) -> String {
    if let Some(ending) = analysis.ending {
        return format!("{name:<width$}  {:<7} {:>7}\n", "-", GameOver::name(ending));
    }
    let mut text = String::new();
    for (index, line) in analysis.lines.iter().enumerate() {
        let name = if index == 0 { name } else { "" };
        let best = line.moves.first().map(|&mv| san(&analysis.position, mv)).unwrap_or_default();
        let variation = san_line(&analysis.position, &line.moves);
        let score = signed(&line.outlook);
        text.push_str(&format!("{name:<width$}  {best:<7} {score:>7}  depth {:>2}  {variation}\n", line.depth));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::quick;
    use super::*;

    const FILE: &str = "# a comment\n6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8; id \"back rank\";\nnonsense\n\n\
        8/8/8/8/8/8/8/8 w - - id \"no kings\";\n6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 9\n";

    #[test]
    fn bad_lines_are_named_and_passed_over() {
        let mut warnings = Vec::new();
        let tasks = read(FILE, &mut |warning| warnings.push(warning));
        let names: Vec<String> = tasks.iter().map(PositionTask::name).collect();
        assert_eq!(names, ["back rank", "line 6"]);
        assert_eq!(warnings.len(), 2);
        assert!(warnings[0].starts_with("line 3 skipped: "), "{warnings:?}");
        assert!(warnings[1].starts_with("line 5 skipped: bad FEN"), "{warnings:?}");
    }

    #[test]
    fn a_record_is_one_line() {
        let tasks = read(FILE, &mut |_| {});
        let analysis = quick(1_000, 1).study(&tasks[0].position, &[], &mut |_| {});
        let text = show(&tasks[0].name(), 12, &analysis);
        assert!(text.starts_with("back rank     Ra8#         #1  depth "), "{text}");
        assert!(text.ends_with("  1. Ra8#\n"), "{text}");
    }

    #[test]
    fn a_finished_game_is_told() {
        let tasks = read("R5k1/5ppp/8/8/8/8/8/6K1 b - -\n", &mut |_| {});
        let analysis = quick(10, 1).study(&tasks[0].position, &[], &mut |_| {});
        assert_eq!(show("x", 3, &analysis), "x    -       checkmate\n");
    }
}
