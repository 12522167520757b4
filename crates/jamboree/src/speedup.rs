//! `jamboree speedup`: how much faster more processors are.

use crate::Failure;
use crate::bench::{by_name, costs};
use chess::Profile;
use clap::Args;
use lab::speedup::{Cell, Settings, means, run as measure};
use lab::wallclock;

/// Search the same positions to the same depth on more and more processors
///
/// For each position and number of processors: how many times faster than one, nodes relative to one, and the share of
/// time without work. On virtual processors nothing depends on the speed of this computer: the same seed prints the same
/// numbers. With --threads real threads are compared with one, in turn, by medians of several runs.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Positions to search: a built-in suite (bratko-kopec, kaufman, dts, socrates) or an EPD file
    #[arg(long, default_value = "dts")]
    suite: String,
    /// Search to the first depth at which one processor visits this many nodes
    #[arg(long, default_value_t = 1_000_000)]
    nodes: u64,
    /// Numbers of processors
    #[arg(long, value_delimiter = ',', default_values_t = [4, 16, 64], value_parser = clap::value_parser!(u32).range(1..=4096))]
    processors: Vec<u32>,
    /// How the tree is divided
    #[arg(long, default_value_t = search::algorithms::default().name().to_string())]
    algorithm: String,
    /// What the virtual machine is like: ideal, host (measured now), cray-c90, cm5 or transputer
    #[arg(long, default_value = "ideal")]
    profile: String,
    /// Decides whom an idle processor asks
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 64)]
    hash: usize,
    /// Rules to switch on or off, for example `classic` or `modern,-null_move`
    #[arg(long, default_value = "modern", allow_hyphen_values = true)]
    rules: String,
    /// Take only the first positions of the suite
    #[arg(long)]
    first: Option<usize>,
    /// Compare with the mean of this many searches on one processor
    #[arg(long, default_value_t = 3)]
    baselines: usize,
    /// How many positions to search at the same time
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    jobs: usize,
    /// Compare this many real threads with one instead, by the clock
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=1024), conflicts_with = "processors")]
    threads: Option<u32>,
    /// How often each search on threads is repeated
    #[arg(long, default_value_t = 5)]
    repeats: usize,
    /// Print one JSON array instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut suite = lab::suite::load(&arguments.suite)?;
    suite.records.truncate(arguments.first.unwrap_or(usize::MAX));
    if let Some(threads) = arguments.threads {
        return by_the_clock(arguments, suite, threads as usize);
    }
    let settings = Settings {
        suite,
        nodes: arguments.nodes,
        processors: arguments.processors.iter().map(|&processors| processors as usize).collect(),
        algorithm: by_name(&arguments.algorithm)?,
        costs: costs(&arguments.profile)?,
        seed: arguments.seed,
        hash_mib: arguments.hash,
        profile: Profile::parse(&arguments.rules)?,
        baselines: arguments.baselines,
        jobs: arguments.jobs,
    };
    let rows = measure(&settings, &|row| {
        if !arguments.json {
            let parallelism = row.serial_nodes as f64 / row.serial_span.max(1) as f64;
            let cells: String = row.cells.iter().map(show).collect();
            println!("{:<8} d{:<3} {:>9} nodes, W/C {parallelism:>6.1} {cells}", row.id, row.depth, row.serial_nodes);
        }
    })?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    } else {
        println!("{:<38} {}", "mean", means(&rows).iter().map(show).collect::<String>());
        for cell in means(&rows) {
            println!(
                "P{:<4} speedup {:.2}, nodes x{:.2}, idle {:.1} %, cutoff work {:.1} %, aborted {:.1} %, {:.1} splits per 1000 nodes, {:.0} nodes/s",
                cell.processors,
                cell.speedup,
                cell.nodes,
                100.0 * cell.idle,
                100.0 * cell.cutoff_work,
                100.0 * cell.aborted_work,
                cell.splits,
                cell.nodes_per_second
            );
        }
    }
    Ok(())
}

fn by_the_clock(arguments: &Arguments, suite: lab::suite::Suite, threads: usize) -> Result<(), Failure> {
    let settings = wallclock::Settings {
        suite,
        nodes: arguments.nodes,
        threads,
        algorithm: by_name(&arguments.algorithm)?,
        repeats: arguments.repeats,
        hash_mib: arguments.hash,
        profile: Profile::parse(&arguments.rules)?,
    };
    let rows = wallclock::run(&settings, &mut |row| {
        if !arguments.json {
            println!(
                "{:<8} d{:<3} {:7.3} s and {:7.3} s: {:5.2} times faster, nodes x{:.2}, nodes/s x{:.2}, idle {:.1} %",
                row.id,
                row.depth,
                row.alone,
                row.together,
                row.speedup,
                row.nodes,
                row.rate,
                100.0 * row.idle
            );
        }
    })?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let mean = |of: fn(&wallclock::Row) -> f64| wallclock::geometric_mean(rows.iter().map(of));
    println!(
        "geometric means of {} positions, {} runs each: {:.3} times faster, nodes x{:.3}, nodes/s x{:.3}",
        rows.len(),
        settings.repeats,
        mean(|row| row.speedup),
        mean(|row| row.nodes),
        mean(|row| row.rate)
    );
    Ok(())
}

fn show(cell: &Cell) -> String {
    format!("| P{} {:6.2} x{:.2} {:2.0}% ", cell.processors, cell.speedup, cell.nodes, 100.0 * cell.idle)
}
