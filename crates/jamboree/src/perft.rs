//! `jamboree perft`: counts all paths, and compares the counts with known ones.

use crate::{Failure, progress};
use chess::{Notation, Position, perft};
use clap::Args;
use game::Game;
use jamboree_io::{note, outln};
use lab::analysis::start;
use lab::perft_suite::{self, Check, PerftLine};
use std::time::{Duration, Instant};

/// Count all paths of a given length from a position, to check the move generator
///
/// With a position it prints the number of paths below each move and in all. With
/// a suite it compares the numbers with known ones and fails if any is wrong.
///
/// A suite is `standard` (127 positions), `chess960` (960 positions), or a file
/// with a position on each line, in one of two layouts:
///   FEN | 20 400 8902
///   FEN ;D1 20 ;D2 400 ;D3 8902
///
/// Examples:
///   jamboree perft --depth 6
///   jamboree perft "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1" --depth 5
///   jamboree perft --suite chess960 --max-nodes 1000000
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The position: a FEN (quotes may be left out), also X-FEN and Shredder-FEN of Chess960, or 'startpos'; either may
    /// be followed by 'moves' and moves [default: startpos]
    #[arg(value_name = "FEN", conflicts_with = "fen_option")]
    fen: Vec<String>,
    /// The same as FEN
    #[arg(long = "fen", value_name = "FEN", id = "fen_option", hide = true)]
    fen_option: Option<String>,
    /// Length of the paths
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,
    /// Check a suite: `standard`, `chess960` or a file
    #[arg(long, conflicts_with_all = ["fen", "fen_option", "depth"], value_name = "NAME|FILE")]
    suite: Option<String>,
    /// In a suite, leave out counts above this
    #[arg(long, default_value_t = 20_000_000, requires = "suite", value_name = "N")]
    max_nodes: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(suite) = &arguments.suite {
        return check(suite, arguments.max_nodes);
    }
    let position = match (&arguments.fen_option, arguments.fen.as_slice()) {
        (Some(fen), _) => start::read(fen)?.position,
        (None, []) => Position::default(),
        (None, words) => start::read(&words.join(" "))?.position,
    };
    divide(&position, Notation::of(&position), arguments.depth)
}

/// Prints the paths below each move as they are counted.
fn divide(position: &Position, notation: Notation, depth: u32) -> Result<(), Failure> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mut moves: Vec<_> = moves.into_iter().map(|mv| (notation.show(position, mv), mv)).collect();
    moves.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
    let started = Instant::now();
    let mut total = 0;
    for (name, mv) in moves {
        let paths = perft(position.play(mv).board(), depth - 1);
        outln!("{name:<6} {paths:>14}")?;
        total += paths;
    }
    let time = started.elapsed();
    outln!("total  {total:>14}  {:.3} s, {}", time.as_secs_f64(), speed(total, time))?;
    Ok(())
}

/// What has been checked so far.
#[derive(Default)]
struct Tally {
    positions: usize,
    counts: usize,
    wrong: usize,
    paths: u64,
}

/// Checks every line of a suite.
fn check(name: &str, max_nodes: u64) -> Result<(), Failure> {
    let suite = perft_suite::load(name)?;
    for error in &suite.rejected {
        note!("{name}, {error}");
    }
    if suite.lines.is_empty() {
        return Err(format!("'{name}' holds no usable line: write 'FEN | 20 400' or 'FEN ;D1 20 ;D2 400'").into());
    }
    let bar = progress::bar(suite.lines.len());
    let started = Instant::now();
    let mut tally = Tally::default();
    for line in &suite.lines {
        let before = tally.counts;
        for check in line.check(max_nodes) {
            tally.counts += 1;
            tally.paths += check.found;
            if !check.is_right() {
                tally.wrong += 1;
                bar.suspend(|| outln!("{}", complaint(line, &check)))?;
            }
        }
        tally.positions += usize::from(tally.counts > before);
        bar.inc(1);
    }
    bar.finish_and_clear();
    tally.verdict(max_nodes, started.elapsed(), suite.rejected.len())
}

impl Tally {
    fn verdict(&self, max_nodes: u64, time: Duration, rejected: usize) -> Result<(), Failure> {
        let Tally { positions, counts, wrong, paths } = self;
        if *counts == 0 {
            return Err(format!("nothing to check: no count is {max_nodes} or less; raise --max-nodes").into());
        }
        let seconds = time.as_secs_f64();
        outln!("{positions} positions, {counts} counts, {wrong} wrong, {seconds:.1} s, {}", speed(*paths, time))?;
        if *wrong > 0 {
            return Err(format!("{wrong} of {counts} counts are wrong").into());
        }
        if rejected > 0 {
            note!("{rejected} unreadable line(s) left out");
        }
        Ok(())
    }
}

fn complaint(line: &PerftLine, check: &Check) -> String {
    let Check { depth, expected, found } = check;
    format!("WRONG line {}, depth {depth}: expected {expected}, counted {found}: {}", line.number, line.fen)
}

fn speed(paths: u64, time: Duration) -> String {
    format!("{:.0} M nodes/s", paths as f64 / time.as_secs_f64().max(1e-9) / 1e6)
}
