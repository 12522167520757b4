//! `jamboree lab cluster`: how much faster a cluster is, by the latency of its network and the number of its hosts.

use super::common::{Meter, Search, VERSION, names, processors};
use crate::network::{Network, microsecond};
use crate::{Failure, threads};
use clap::Args;
use jamboree_io::outln;
use lab::experiment::{Folder, LabError, MachineKind, Plan, costs, positions};
use lab::report::Origin;
use lab::studies::cluster::{Point, Settings, study};
use std::path::PathBuf;

/// Simulate a cluster: speedup against the latency of its network and the number of its hosts
///
/// The same search runs on virtual hosts (ranks) with threads, in virtual time. What is charged and what is idealised
/// stands in docs/virtual-cluster.md.
///
/// Examples:
///   jamboree lab cluster --quick
///   jamboree lab cluster --ranks 1,8,64 --threads-per-rank 8 --latency 1,10 --nodes 5000000 --out cluster
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(flatten)]
    search: Search,
    /// How the tree is divided: one or more names with commas between them
    #[arg(long, value_name = "A,B,...", default_value_t = search::algorithms::default().name().to_string())]
    algorithm: String,
    /// Numbers of hosts [default: 1,2,4,8,16,64,512]
    #[arg(long, value_name = "R,...", allow_hyphen_values = true)]
    ranks: Option<String>,
    /// How many processors a host has
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads_per_rank: u32,
    /// Microseconds that a message takes from one host to another
    #[arg(long, value_name = "US,...", default_value = "1,10,100,1000", allow_hyphen_values = true)]
    latency: String,
    #[command(flatten)]
    network: Network,
    /// What a host is like: workstation, host (measured now), cray-c90, cm5 or transputer; costs can be changed, for
    /// example workstation,node=500
    #[arg(long, default_value = "workstation")]
    profile: String,
    /// Three positions of 100000 nodes, unless --first, --nodes or --depth say otherwise: about two minutes
    #[arg(long)]
    quick: bool,
    /// The folder for page, rows and journal [default: none are kept]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many searches to make at the same time [default: one a core]
    #[arg(long, value_parser = threads::parse)]
    jobs: Option<usize>,
}

fn latencies(text: &str) -> Result<Vec<u64>, LabError> {
    let number = |word: &str| {
        let latency = word.trim().parse::<u64>().ok().filter(|latency| *latency <= 1_000_000);
        latency.ok_or_else(|| LabError::Settings(format!("'{word}' is no latency: 0 to 1000000 microseconds")))
    };
    text.split(',').map(number).collect()
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { search, quick, .. } = arguments;
    let (first, nodes) = if *quick { (Some(3), 100_000) } else { (None, 1_000_000) };
    let plan = Plan {
        suite: positions(&search.suite, search.first.or(first))?,
        algorithms: names(&arguments.algorithm),
        processors: Vec::new(),
        machine: MachineKind::Virtual,
        profile: arguments.profile.clone(),
        hosts: String::new(),
        rules: search.rules(),
        goal: search.goal_or(nodes)?,
        deepest: search.deepest,
        seed: search.seed,
        repeats: 1,
        baselines: 3,
        hash: search.hash,
    };
    let microsecond = microsecond(&costs(&plan.profile)?)?;
    let ranks = arguments.ranks.as_deref().unwrap_or("1,2,4,8,16,64,512");
    let settings = Settings {
        plan,
        ranks: processors(ranks)?,
        each: arguments.threads_per_rank as usize,
        latencies: latencies(&arguments.latency)?,
        microsecond,
        network: arguments.network.hosts(microsecond)?,
        grain: arguments.network.remote_grain,
    };
    settings.check()?;
    // Without --out the folder goes away at the end.
    let temporary;
    let path = match &arguments.out {
        Some(out) => out.as_path(),
        None => {
            temporary = tempfile::tempdir()?;
            temporary.path()
        }
    };
    let folder = Folder::open(path, VERSION)?;
    let plan = Plan { profile: folder.profile(&settings.plan.profile)?, ..settings.plan.clone() };
    let settings = Settings { plan, ..settings };
    let jobs = threads::or_all(arguments.jobs);
    let meter = Meter::new();
    let made = study(&settings, &folder, jobs, Origin::here(VERSION), &|progress| meter.show(progress));
    meter.finish();
    let made = made?;
    for algorithm in &settings.plan.algorithms {
        print(algorithm, &settings, &made.points)?;
    }
    if let Some(out) = &arguments.out {
        outln!("{}", out.join("index.html").display())?;
    }
    Ok(())
}

/// A table of speedups: a line for each number of ranks, a column for each latency.
fn print(algorithm: &str, settings: &Settings, points: &[Point]) -> Result<(), Failure> {
    let heads: String = settings.latencies.iter().map(|latency| format!("{:>15}", format!("{latency} us"))).collect();
    outln!("{algorithm}: speedup (load) over one processor, ranks of {}\n ranks{heads}", settings.each)?;
    for ranks in &settings.ranks {
        let own = points.iter().filter(|point| point.algorithm == algorithm && point.ranks == *ranks);
        let cells: String =
            own.map(|point| format!("{:>9.2} ({:>2.0}%)", point.mean.geometric, 100.0 * point.mean.load)).collect();
        outln!("{ranks:>6}{cells}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn latencies_are_read() {
        assert_eq!(super::latencies("1, 10,1000").unwrap(), [1, 10, 1000]);
        for bad in ["", "-1", "1,,2", "far", "1000001"] {
            assert!(super::latencies(bad).is_err(), "{bad}");
        }
    }
}
