//! `jamboree lab speedup`: how much faster more processors are, and what the speedup is lost to.

use super::common::{
    AlgorithmArguments, OutputArguments, SearchArguments, SearchMeter, VERSION, processors, profile_help, tell_where,
};
use crate::Failure;
use crate::network::ClusterArguments;
use clap::{Args, ValueEnum};
use jamboree_io::outln;
use lab::experiment::{Course, Folder, LabError, MachineKind, Plan, costs, hosts_text, positions};
use lab::report::Origin;

/// Search the same positions to the same depth on more and more processors
///
/// For each position and on average: time, speedup, nodes, search overhead, load and speed (Feldmann's decomposition:
/// they multiply to the speedup), work W, critical path C, W/C, steals, aborts and table traffic. On virtual processors
/// the same seed gives the same rows, byte for byte.
///
/// Examples:
///   jamboree lab speedup --nodes 200000 --first 6 --out results
///   jamboree lab speedup --algorithm jubilee,jamboree,ybw --processors 1,4,16,64 --classic --nodes 1000000 --out classic
///   jamboree lab speedup --machine threads --processors 2 --repeats 5 --out threads
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(flatten)]
    search: SearchArguments,
    #[command(flatten)]
    algorithms: AlgorithmArguments,
    /// Numbers of processors
    #[arg(long, value_name = "P,...", default_value = "4,16,64", allow_hyphen_values = true)]
    processors: String,
    /// Virtual processors in virtual time, or threads of this computer by the clock
    #[arg(long, value_enum, default_value_t = Kind::Virtual)]
    machine: Kind,
    #[command(flatten)]
    cluster: ClusterArguments,
    #[arg(long, default_value = "ideal", help = profile_help())]
    profile: String,
    /// How often each search is repeated, with a different seed and after a different warm-up [default: 1, on threads
    /// 5]
    #[arg(long, value_name = "R")]
    repeats: Option<usize>,
    /// Compare with the mean of this many searches on one processor [default: 3, on threads the number of repeats]
    #[arg(long, value_name = "B")]
    baselines: Option<usize>,
    #[command(flatten)]
    output: OutputArguments,
}

/// The machine that searches.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Virtual processors in virtual time
    Virtual,
    /// Threads of this computer, by the clock
    Threads,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { search, output, .. } = arguments;
    let machine = if arguments.machine == Kind::Threads { MachineKind::Threads } else { MachineKind::Virtual };
    let by_the_clock = machine == MachineKind::Threads;
    let repeats = arguments.repeats.unwrap_or(if by_the_clock { 5 } else { 1 }).max(1);
    let hosts =
        |profile: &str| -> Result<String, LabError> { Ok(hosts_text(&arguments.cluster.hosts(&costs(profile)?)?)) };
    let plan = Plan {
        suite: positions(&search.suite, search.first)?,
        algorithms: arguments.algorithms.names(),
        processors: processors(&arguments.processors)?,
        machine,
        profile: arguments.profile.clone(),
        hosts: hosts(&arguments.profile)?,
        rules: search.rules(),
        goal: search.goal()?,
        deepest: search.deepest,
        seed: search.seed,
        repeats,
        baselines: arguments.baselines.unwrap_or(if by_the_clock { repeats } else { 3 }).max(1),
        hash: search.hash,
        table: search.table.clone(),
        course: Course::Apart,
    };
    if by_the_clock && !arguments.cluster.is_one() {
        return Err(LabError::Settings("hosts are simulated: add --machine virtual".into()).into());
    }
    plan.check()?;
    let folder = Folder::open(&output.out, VERSION)?;
    let plan = Plan { profile: folder.profile(&plan.profile)?, ..plan };
    let plan = Plan { hosts: hosts(&plan.profile)?, ..plan };
    let meter = SearchMeter::new();
    let made = lab::studies::speedup::study(&plan, &folder, output.jobs(), Origin::here(VERSION), &|progress| {
        meter.show(progress);
    });
    meter.finish();
    for mean in made?.means {
        outln!(
            "{:<12} P{:<4} speedup {:6.2} mean, {:6.2} of totals, {:6.2} geometric [{:.2}, {:.2}] = P x load {:.3} x speed \
             {:.3} / overhead {:.3}; W/C {:.1}",
            mean.algorithm,
            mean.processors,
            mean.arithmetic,
            mean.sums.total,
            mean.geometric,
            mean.low,
            mean.high,
            mean.factors.load,
            mean.factors.speed,
            mean.factors.overhead,
            mean.parallelism
        )?;
    }
    tell_where(output)
}
