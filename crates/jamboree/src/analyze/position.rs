//! Positions given one at a time: the board, then the best lines.

use super::output::ResultOutput;
use crate::Failure;
use chess::san_line;
use engine::Info;
use indicatif::{ProgressBar, ProgressStyle};
use jamboree_io::{LineError, LineReader, note};
use lab::analysis::board::{Style, draw};
use lab::analysis::json::PositionJson;
use lab::analysis::reader::decode;
use lab::analysis::score::signed;
use lab::analysis::start::{self, Start};
use lab::analysis::study::{Analysis, AnalysisLine, Analyst, GameOver};
use lab::analysis::wrap::Lines;
use std::path::Path;
use std::time::Duration;

/// Longest line on standard input. A game of a thousand moves takes ten thousand bytes.
const LONGEST_LINE: usize = 1 << 20;
/// Width of the text; longer variations go on in the next line.
const WIDTH: usize = 100;

pub(crate) fn run(words: &[String], mut analyst: Analyst, json: bool) -> Result<(), Failure> {
    let mut output = ResultOutput::Stdout;
    match words {
        [word] if word == "-" => from_lines(&mut analyst, json, &mut output),
        words => {
            let start = start::read(&words.join(" ")).map_err(|error| hint(words, error.into()))?;
            let analysis = analyse(&mut analyst, &start, json, &mut output)?;
            if json {
                output.write(&format!("{}\n", serde_json::to_string_pretty(&PositionJson::new(&analysis))?))?;
            }
            Ok(())
        }
    }
}

/// The error for a text that is not a position; it may be the name of a file.
fn hint(words: &[String], failure: Failure) -> Failure {
    match words {
        [word] if Path::new(word).is_file() => {
            format!("'{word}' is a file: write --pgn {word} for games, or --epd {word} for positions").into()
        }
        _ => failure,
    }
}

/// A position from each line of standard input, answered before the next is read.
fn from_lines(analyst: &mut Analyst, json: bool, output: &mut ResultOutput) -> Result<(), Failure> {
    let mut good = 0;
    let mut input = LineReader::new(std::io::stdin().lock(), LONGEST_LINE);
    while let Some(line) = input.next_bytes() {
        let line = match line {
            Ok(bytes) => decode(bytes),
            Err(error @ LineError::TooLong { .. }) => {
                note!("jamboree: {error}");
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let start = match start::read(line) {
            Ok(start) => start,
            Err(failure) => {
                note!("jamboree: line {} skipped: {failure}", input.line_number());
                continue;
            }
        };
        good += 1;
        analyst.forget();
        let analysis = analyse(analyst, &start, json, output)?;
        if json {
            output.write(&format!("{}\n", serde_json::to_string(&PositionJson::new(&analysis))?))?;
        } else {
            output.write("\n")?;
        }
    }
    if good == 0 { Err("no position on standard input: put one FEN on each line".into()) } else { Ok(()) }
}

/// Searches a position. Unless the output is JSON, draws the position and shows the result.
fn analyse(analyst: &mut Analyst, start: &Start, json: bool, output: &mut ResultOutput) -> Result<Analysis, Failure> {
    let Start { position, history } = start;
    if !json {
        let fen = position.to_string();
        output.write(&format!("\n{}\n  {fen}\n", draw(&fen, Style::of_stdout())))?;
    }
    let spinner = spinner();
    let analysis = analyst.study(position, history, &mut |info: &Info| {
        let line = san_line(position, &info.line);
        spinner.set_message(format!("depth {}  {}  {line}", info.depth, signed(&info.outlook)));
    });
    spinner.finish_and_clear();
    if !json {
        output.write(&show(&analysis))?;
    }
    Ok(analysis)
}

/// A spinner while the engine thinks. Nothing is drawn if standard error is not a terminal.
fn spinner() -> ProgressBar {
    let spinner = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("  {spinner} {elapsed}  {wide_msg}") {
        spinner.set_style(style);
    }
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

/// The side to move, the lines, and the work of the search.
fn show(analysis: &Analysis) -> String {
    let (mover, other) = if analysis.position.is_white_to_move() { ("White", "Black") } else { ("Black", "White") };
    match analysis.ending {
        Some(GameOver::Checkmate) => return format!("  {mover} is checkmated: {other} has won.\n"),
        Some(GameOver::Stalemate) => return format!("  {mover} is stalemated: a draw.\n"),
        Some(GameOver::Dead) => return "  Neither side has the pieces to give mate: a draw.\n".to_string(),
        None => {}
    }
    let mut text = format!("  {mover} to move; scores and chances are {mover}'s\n\n");
    text.push_str("       score   win  draw  loss  depth  line\n");
    for (index, line) in analysis.lines.iter().enumerate() {
        text.push_str(&row(analysis, index + 1, line));
    }
    text.push_str(&format!(
        "\n  {} nodes in {:.2} s, {} a second\n",
        thousands(analysis.nodes),
        analysis.time.as_secs_f64(),
        thousands(analysis.per_second())
    ));
    text
}

/// One row of the table; its last column is wrapped.
fn row(analysis: &Analysis, number: usize, line: &AnalysisLine) -> String {
    let chances = line.outlook.chances;
    let percent = |thousandths: i32| format!("{:.0}%", f64::from(thousandths) / 10.0);
    let head = format!(
        "{number:>3}  {:>7}  {:>4}  {:>4}  {:>4}  {:>5} ",
        signed(&line.outlook),
        percent(chances.win),
        percent(chances.draw),
        percent(chances.loss),
        line.depth
    );
    let mut lines = Lines::new(WIDTH, head.chars().count() + 1);
    lines.push(&head);
    lines.push_line(&san_line(&analysis.position, &line.moves));
    lines.finish() + "\n"
}

/// A number with thousands separators: `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::quick;
    use super::*;

    fn shown(fen: &str, nodes: u64, lines: usize) -> String {
        show(&quick(nodes, lines).study(&fen.parse().unwrap(), &[], &mut |_| {}))
    }

    #[test]
    fn thousands_are_set_apart() {
        let shown: Vec<String> = [0, 999, 1_000, 1_234_567].into_iter().map(thousands).collect();
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_mate_and_its_chances_are_shown() {
        let text = shown("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 9", 1_000, 1);
        assert!(text.contains("White to move"), "{text}");
        assert!(text.contains("  1       #1  100%    0%    0% "), "{text}");
        assert!(text.contains(" 9. Ra8#\n"), "{text}");
    }

    #[test]
    fn each_line_has_its_row_within_the_width() {
        let text = shown("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", 20_000, 3);
        assert_eq!(text.lines().filter(|line| line.contains('%')).count(), 3, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }

    #[test]
    fn the_end_of_the_game_is_told() {
        assert!(shown("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", 10, 1).contains("Black is checkmated: White has won"));
        assert!(shown("k7/2Q5/8/8/8/8/8/6K1 b - - 0 1", 10, 1).contains("stalemated"));
    }
}
