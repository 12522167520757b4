//! `jamboree bench`: the same nodes every time, and how fast.

use crate::Failure;
use chess::Profile;
use clap::Args;
use lab::bench::{DEFAULT_CLASSIC_DEPTH, DEFAULT_DEPTH, DEFAULT_HASH_MIB, Row, Settings, run as measure};

/// Search fixed positions to a fixed depth: the same number of nodes every time, and how fast
///
/// The last line is `<N> nodes <M> nps`. The number of nodes is the fingerprint of the search: it changes when, and only
/// when, the search visits something else.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Depth of each search [default: 14, with --classic 6]
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=100))]
    depth: Option<i32>,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = DEFAULT_HASH_MIB)]
    hash: usize,
    /// Search full width with quiescence, as in the papers
    #[arg(long)]
    classic: bool,
    /// Rules to switch on or off, for example `modern,-null_move`
    #[arg(long, conflicts_with = "classic", allow_hyphen_values = true)]
    rules: Option<String>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let profile = match &arguments.rules {
        Some(rules) => Profile::parse(rules)?,
        None if arguments.classic => Profile::classic(),
        None => Profile::modern(),
    };
    let usual = if arguments.classic { DEFAULT_CLASSIC_DEPTH } else { DEFAULT_DEPTH };
    let settings = Settings { depth: arguments.depth.unwrap_or(usual), hash_mib: arguments.hash, profile };
    let bench = measure(&settings, &mut |row| {
        if !arguments.json {
            println!("{}", show(row));
        }
    })?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&bench)?);
    } else {
        println!("{}", bench.summary());
    }
    Ok(())
}

/// The benchmark with default settings, for UCI's `bench`.
pub(crate) fn lines() -> Vec<String> {
    let settings = Settings { depth: DEFAULT_DEPTH, hash_mib: DEFAULT_HASH_MIB, profile: Profile::modern() };
    let mut lines = Vec::new();
    match measure(&settings, &mut |row| lines.push(show(row))) {
        Ok(bench) => lines.push(bench.summary()),
        Err(error) => lines.push(format!("info string error: {error}")),
    }
    lines
}

fn show(row: &Row) -> String {
    format!("{:<6} {:>9} nodes {:>8.3} s  {:<6} {:>6} cp", row.id, row.nodes, row.time, row.best_move, row.score)
}
