//! `jamboree speedtest`: nodes a second of all cores in a game.

use crate::failure::{Failure, print_or_exit};
use crate::{duration, threads};
use clap::Args;
use jamboree_io::outln;
use lab::speedtest::{SpeedtestRow, SpeedtestSettings, run as measure};
use std::time::Duration;

/// MiB of the table for each thread, if none are asked for.
const HASH_PER_THREAD: usize = 128;

/// How many nodes a second this computer searches with all its cores in a game
///
/// The positions of one game are searched in turn, each for the same time, and the table is kept from one to the next. The
/// number of nodes differs from run to run. The last line is `<N> nodes <M> nps`.
///
/// Examples:
///   jamboree speedtest
///   jamboree speedtest --threads 64 --hash 16384 --time 150s
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Threads that search [default: one for each processor this process may use]
    #[arg(long, value_name = "NUMBER", value_parser = threads::parse)]
    threads: Option<usize>,
    /// Size of the transposition table in MiB [default: 128 for each thread]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    hash: Option<u32>,
    /// Time of all searches together
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration::parse)]
    time: Duration,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let threads = threads::or_all(arguments.threads);
    let hash_mib = arguments.hash.map_or(threads * HASH_PER_THREAD, |mib| mib as usize);
    let settings = SpeedtestSettings { threads, hash_mib, time: arguments.time };
    let test = measure(&settings, &mut |row| print_or_exit(&show(row)))?;
    outln!("{test}")?;
    Ok(())
}

fn show(row: &SpeedtestRow) -> String {
    let (nodes, seconds, rate) = (row.nodes, row.time.as_secs_f64(), row.per_second());
    format!("{:>2}  depth {:>3}  {nodes:>12} nodes  {seconds:>7.2} s  {rate:>11} nodes/s", row.number, row.depth)
}
