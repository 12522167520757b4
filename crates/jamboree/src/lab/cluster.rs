//! `jamboree lab cluster`: the speedup of a cluster by the latency of its network and the number of its hosts.

use super::common::{AlgorithmArguments, SearchArguments, SearchMeter, VERSION, processors, profile_help};
use crate::network::{NetworkArguments, microsecond};
use crate::{Failure, threads};
use clap::Args;
use jamboree_io::outln;
use lab::experiment::{Course, Folder, LabError, MachineKind, Plan, costs, positions};
use lab::report::Origin;
use lab::studies::cluster::{ClusterStudySettings, Point, study};
use std::path::PathBuf;

/// Simulate a cluster: speedup by the latency of its network and the number of its hosts
///
/// The same search runs on virtual hosts with threads, in virtual time. docs/virtual-cluster.md
/// says what is charged and what is idealised.
///
/// Examples:
///   jamboree lab cluster --quick
///   jamboree lab cluster --hosts 1,8,64 --threads-per-host 8 --latency 1,10 --nodes 5000000 --out cluster
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(flatten)]
    search: SearchArguments,
    #[command(flatten)]
    algorithms: AlgorithmArguments,
    /// Numbers of hosts [default: 1,2,4,8,16,64,512]
    #[arg(long, alias = "ranks", value_name = "H,...", allow_hyphen_values = true)]
    hosts: Option<String>,
    /// How many processors a host has
    #[arg(
        long,
        alias = "threads-per-rank",
        value_name = "T",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=4096)
    )]
    threads_per_host: u32,
    /// Microseconds that a message takes from one host to another
    #[arg(long, value_name = "US,...", default_value = "1,10,100,1000", allow_hyphen_values = true)]
    latency: String,
    #[command(flatten)]
    network: NetworkArguments,
    #[arg(long, default_value = "workstation", help = profile_help())]
    profile: String,
    /// Three positions of 100000 nodes, unless --first, --nodes or --depth is given: about two minutes
    #[arg(long)]
    quick: bool,
    /// The folder for page, rows and journal [default: nothing is kept]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many searches to make at the same time [default: one a core]
    #[arg(long, value_parser = threads::parse)]
    jobs: Option<usize>,
}

fn latencies(text: &str) -> Result<Vec<u64>, LabError> {
    let number = |word: &str| {
        let latency = word.trim().parse::<u64>().ok().filter(|latency| *latency <= 1_000_000);
        latency.ok_or_else(|| LabError::Settings(format!("'{word}' is not a latency: 0 to 1000000 microseconds")))
    };
    text.split(',').map(number).collect()
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { search, quick, .. } = arguments;
    let (first, nodes) = if *quick { (Some(3), 100_000) } else { (None, 1_000_000) };
    let plan = Plan {
        suite: positions(&search.suite, search.first.or(first))?,
        algorithms: arguments.algorithms.names(),
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
        table: search.table.clone(),
        course: Course::Apart,
    };
    let microsecond = microsecond(&costs(&plan.profile)?)?;
    let ranks = arguments.hosts.as_deref().unwrap_or("1,2,4,8,16,64,512");
    let settings = ClusterStudySettings {
        plan,
        ranks: processors(ranks)?,
        each: arguments.threads_per_host as usize,
        latencies: latencies(&arguments.latency)?,
        microsecond,
        network: arguments.network.hosts(microsecond)?,
        grain: arguments.network.remote_grain,
    };
    settings.check()?;
    // Without --out the folder is removed at the end.
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
    let settings = ClusterStudySettings { plan, ..settings };
    let jobs = threads::or_all(arguments.jobs);
    let meter = SearchMeter::new();
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

/// A table of speedups: a line for each number of hosts, a column for each latency.
fn print(algorithm: &str, settings: &ClusterStudySettings, points: &[Point]) -> Result<(), Failure> {
    let heads: String = settings.latencies.iter().map(|latency| format!("{:>15}", format!("{latency} us"))).collect();
    outln!("{algorithm}: speedup (load) over one processor, hosts of {}\n hosts{heads}", settings.each)?;
    for ranks in &settings.ranks {
        let own = points.iter().filter(|point| point.algorithm == algorithm && point.ranks == *ranks);
        let cells: String = own
            .map(|point| format!("{:>9.2} ({:>2.0}%)", point.mean.geometric, 100.0 * point.mean.factors.load))
            .collect();
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
