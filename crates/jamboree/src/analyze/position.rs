//! Positions given one at a time: the board, then the best lines.

use super::board::{Style, draw};
use super::fen::{self, Start};
use super::json::PositionJson;
use super::output::{Output, thousands};
use super::score::signed;
use super::study::{Analysis, Analyst, Ending, Line};
use super::wrap::Lines;
use crate::Failure;
use chess::san_line;
use engine::{Info, win_draw_loss};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, BufRead};
use std::path::Path;
use std::time::Duration;

/// Width of the text; longer variations go on in the next line.
const WIDTH: usize = 100;

pub(crate) fn run(words: &[String], mut analyst: Analyst, json: bool) -> Result<(), Failure> {
    let mut output = Output::stdout();
    match words {
        [word] if word == "-" => from_lines(&mut analyst, json, &mut output),
        words => {
            let start = fen::read(&words.join(" ")).map_err(|failure| hint(words, failure))?;
            let analysis = analyse(&mut analyst, &start, json, &mut output)?;
            if json {
                output.write(&format!("{}\n", serde_json::to_string_pretty(&PositionJson::new(&analysis))?))?;
            }
            Ok(())
        }
    }
}

/// What was given as a position may be a file.
fn hint(words: &[String], failure: Failure) -> Failure {
    match words {
        [word] if Path::new(word).is_file() => {
            format!("'{word}' is a file: write --pgn {word} for games, or --epd {word} for positions").into()
        }
        _ => failure,
    }
}

/// A position from each line of standard input, answered before the next is read.
fn from_lines(analyst: &mut Analyst, json: bool, output: &mut Output) -> Result<(), Failure> {
    let (mut good, mut number) = (0, 0);
    let mut input = io::stdin().lock();
    let mut bytes = Vec::new();
    while input.read_until(b'\n', &mut bytes)? > 0 {
        number += 1;
        let line = super::input::decode(&std::mem::take(&mut bytes));
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let start = match fen::read(line) {
            Ok(start) => start,
            Err(failure) => {
                eprintln!("jamboree: line {number} passed over: {failure}");
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

/// Searches a position; unless the result is for a program, draws it and shows what is found.
fn analyse(analyst: &mut Analyst, start: &Start, json: bool, output: &mut Output) -> Result<Analysis, Failure> {
    let Start { position, history } = start;
    if !json {
        let fen = position.to_string();
        output.write(&format!("\n{}\n  {fen}\n", draw(&fen, Style::of_stdout())))?;
    }
    let spinner = spinner();
    let analysis = analyst.study(position, history, &mut |info: &Info| {
        let line = san_line(position, &info.line);
        spinner.set_message(format!("depth {}  {}  {line}", info.depth, signed(info.score)));
    });
    spinner.finish_and_clear();
    if !json {
        output.write(&show(&analysis))?;
    }
    Ok(analysis)
}

/// Something that moves while the engine thinks; indicatif draws nothing where standard error is no terminal.
fn spinner() -> ProgressBar {
    let spinner = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("  {spinner} {elapsed}  {wide_msg}") {
        spinner.set_style(style);
    }
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

/// Who is to move, the lines, and how much work it was.
fn show(analysis: &Analysis) -> String {
    let (mover, other) = if fen::white_to_move(&analysis.position) { ("White", "Black") } else { ("Black", "White") };
    match analysis.ending {
        Some(Ending::Checkmate) => return format!("  {mover} is checkmated: {other} has won.\n"),
        Some(Ending::Stalemate) => return format!("  {mover} is stalemated: a draw.\n"),
        Some(Ending::Dead) => return "  Neither side has the pieces to give mate: a draw.\n".to_string(),
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

/// One line of the table, wrapped within its last column.
fn row(analysis: &Analysis, rank: usize, line: &Line) -> String {
    let chances = win_draw_loss(line.score);
    let percent = |thousandths: i32| format!("{:.0}%", f64::from(thousandths) / 10.0);
    let head = format!(
        "{rank:>3}  {:>7}  {:>4}  {:>4}  {:>4}  {:>5} ",
        signed(line.score),
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

#[cfg(test)]
mod tests {
    use super::super::study::tests::quick;
    use super::*;

    fn shown(fen: &str, nodes: u64, lines: usize) -> String {
        show(&quick(nodes, lines).study(&fen.parse().unwrap(), &[], &mut |_| {}))
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
