//! `jamboree solve`: solves a test suite.

use crate::engine_arguments::EngineArguments;
use crate::failure::{Failure, print_or_exit};
use crate::{duration, progress};
use clap::Args;
use engine::{GoLimits, TimeControl};
use jamboree_io::{note, outln};
use lab::solve::{Attempt, Problem, SolveSettings, run as solve};
use lab::suite::{self, Suite};
use std::time::Duration;

/// Solve a test suite: how many best moves does the search find, and when?
///
/// Each position is searched as if it were the first of a game. It is solved if
/// the final move is one of its `bm` moves and none of its `am` moves; a position
/// with neither is solved by its `pm` move. `found at` is the time after which
/// the best move was right and stayed right. No search stops early.
///
/// A suite is `bratko-kopec`, `kaufman`, `dts`, `socrates`, or an EPD file, with
/// lines such as
///   6k1/5ppp/8/8/8/8/8/K3R3 w - - bm Re8; id "back rank";
///
/// Examples:
///   jamboree solve --suite bratko-kopec
///   jamboree solve --suite wac.epd --time 500ms
///   jamboree solve --suite kaufman --depth 12 --rules modern,-null_move
///   jamboree solve --suite endgames.epd --threads 4 --hash 1024 --syzygy tables
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The suite: a built-in name or an EPD file
    #[arg(long, value_name = "NAME|FILE")]
    suite: String,
    /// Time for each position: 500ms, 2.5s, 2m; a number alone is seconds [default: 1s]
    #[arg(long, value_parser = duration::parse, conflicts_with_all = ["depth", "nodes"], allow_hyphen_values = true)]
    time: Option<Duration>,
    /// Search each position to this depth, however long it takes
    #[arg(long, conflicts_with = "nodes", value_parser = clap::value_parser!(i32).range(1..=100))]
    depth: Option<i32>,
    /// Search each position for this many nodes
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    #[command(flatten)]
    engine: EngineArguments,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = SolveSettings { limits: arguments.limits(), engine: arguments.engine.settings()? };
    let problems = problems(&suite::load(&arguments.suite)?)?;
    let table = AttemptTable::new(&problems);
    let bar = progress::bar(problems.len());
    let (mut done, mut right) = (0, 0);
    let solved = solve(&settings, &problems, &mut |attempt| {
        right += usize::from(attempt.solved);
        if !arguments.json {
            bar.suspend(|| table.print(attempt, done == 0));
        }
        done += 1;
        bar.set_message(format!("({right} solved)"));
        bar.inc(1);
    });
    bar.finish_and_clear();
    let solved = solved?;
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&solved)?)?;
    } else {
        outln!("{}", solved.summary())?;
    }
    Ok(())
}

impl Arguments {
    fn limits(&self) -> GoLimits {
        let mut limits = GoLimits { depth: self.depth, nodes: self.nodes, ..GoLimits::default() };
        if self.depth.is_none() && self.nodes.is_none() {
            limits.time = TimeControl::PerMove(self.time.unwrap_or(Duration::from_secs(1)));
        }
        limits
    }
}

/// The problems of a suite. Records that can't be used are reported on standard error.
fn problems(suite: &Suite) -> Result<Vec<Problem>, Failure> {
    for error in &suite.rejected {
        note!("{}: {error}", suite.name);
    }
    let (problems, errors) = Problem::all(&suite.records);
    for error in &errors {
        note!("{}: {error}", suite.name);
    }
    if problems.is_empty() {
        return Err(format!("'{}' has no position with a move to find or to avoid", suite.name).into());
    }
    Ok(problems)
}

/// The widths of the columns.
pub(crate) struct AttemptTable {
    id: usize,
    expected: usize,
}

/// The largest width of a column.
const WIDEST: usize = 28;

impl AttemptTable {
    pub(crate) fn new(problems: &[Problem]) -> AttemptTable {
        let widest = |shown: &dyn Fn(&Problem) -> String, least: usize| {
            let widths = problems.iter().map(|problem| shown(problem).chars().count());
            widths.max().unwrap_or(0).clamp(least, WIDEST)
        };
        AttemptTable { id: widest(&|problem| problem.id.clone(), 8), expected: widest(&Problem::expected, 8) }
    }

    /// Prints a row, before the first one the head.
    pub(crate) fn print(&self, attempt: &Attempt, is_first: bool) {
        if is_first {
            print_or_exit(&self.line(["position", "solved", "move", "expected", "depth", "found at", "score"]));
        }
        print_or_exit(&self.row(attempt));
    }

    fn row(&self, attempt: &Attempt) -> String {
        let solved = if attempt.solved { "yes" } else { "NO" };
        let found_at = attempt.solution_time.map_or("-".to_owned(), |time| format!("{time:.3} s"));
        let (expected, depth, score) = (attempt.expected(), attempt.depth.to_string(), attempt.shown_score());
        self.line([&attempt.id, solved, &attempt.found, &expected, &depth, &found_at, &score])
    }

    fn line(&self, [id, solved, found, expected, depth, found_at, score]: [&str; 7]) -> String {
        let (id_width, expected_width) = (self.id, self.expected);
        format!(
            "{id:<id_width$}  {solved:<6}  {found:<7}  {expected:<expected_width$}  {depth:>5}  {found_at:>10}  {score:>7}"
        )
    }
}
