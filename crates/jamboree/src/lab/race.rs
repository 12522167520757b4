//! `jamboree lab race`: time to depth.

use super::common::{VERSION, suite_help};
use crate::{Failure, duration, progress};
use clap::Args;
use jamboree_io::outln;
use lab::arena::{Laps, Race, Spec, race_in_folder};
use lab::experiment::Folder;
use lab::report::Origin;
use std::path::PathBuf;
use std::time::Duration;

/// Let engines search to a depth, in turn on every position: how many times as fast as the first is each?
///
/// An engine is a UCI program with options, as for `lab match`; a command with
/// arguments goes in quotes.
///
/// With --out DIR every search is kept in a journal there, and DIR/index.html shows
/// the times position by position. A race may be interrupted: the same command runs
/// what is left, and one with more repeats adds to it.
///
/// Examples:
///   jamboree lab race jamboree jamboree,Threads=2 --depth 16 --repeats 5
///   jamboree lab race jamboree 'mpirun -n 2 jamboree cluster' --suite bratko-kopec
///   jamboree lab race stockfish stockfish,Threads=2 --depth 20
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The engines; the others are compared with the first
    #[arg(required = true, num_args = 1.., value_name = "ENGINE")]
    engines: Vec<String>,
    #[arg(long, default_value = "bratko-kopec", help = suite_help())]
    suite: String,
    /// Take only the first positions of the suite
    #[arg(long, value_name = "K")]
    first: Option<usize>,
    /// Search to this depth
    #[arg(long, value_name = "D", default_value_t = 14, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
    /// Search every position this often, each time after a different warm-up
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// Size of the transposition tables in MiB
    #[arg(long, value_name = "MB", default_value_t = 64)]
    hash: usize,
    /// How long to wait for an engine
    #[arg(long, default_value = "10m")]
    patience: String,
    /// Keep the searches and a page in this folder, and continue the race that is there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let patience: Duration = duration::parse(&arguments.patience)?;
    let mut engines = arguments.engines.iter().map(|text| Spec::parse(text)).collect::<Result<Vec<_>, _>>()?;
    engines.iter_mut().for_each(|engine| engine.wish("Hash", arguments.hash));
    let mut suite = lab::suite::load(&arguments.suite)?;
    suite.records.truncate(arguments.first.unwrap_or(usize::MAX));
    let (depth, repeats) = (arguments.depth, arguments.repeats as usize);
    let track = Race { engines: &engines, suite: &suite, depth, repeats, patience };
    let bar = progress::bar(track.rounds());
    let mut show = |rounds: usize| bar.set_position(rounds as u64);
    let laps = match &arguments.out {
        Some(folder) => race_in_folder(&track, &Folder::open(folder, VERSION)?, &Origin::here(VERSION), &mut show),
        None => {
            let mut laps = Laps::new(&track);
            let run = track.run(&mut laps, &mut |_, laps| {
                show(laps.complete_rounds());
                Ok(())
            });
            run.map(|()| laps)
        }
    };
    bar.finish_and_clear();
    let standings = laps?.standings(&track);
    let positions = suite.records.len();
    outln!("{} to depth {depth}, {positions} positions, {repeats} repeats in turn", suite.name)?;
    outln!("{:>9} {:>8} {:>15} {:>7} {:>7}", "seconds", "speedup", "95 %", "nodes/s", "nodes")?;
    for standing in &standings {
        let (low, high) = standing.speedup.interval;
        outln!(
            "{:9.2} {:8.3} {:>7.3} - {:5.3} {:7.3} {:7.3}  {}",
            standing.seconds,
            standing.speedup.mean,
            low,
            high,
            standing.rate.mean,
            standing.nodes.mean,
            standing.name
        )?;
    }
    if let Some(folder) = &arguments.out {
        outln!("{}", folder.join("index.html").display())?;
    }
    Ok(())
}
