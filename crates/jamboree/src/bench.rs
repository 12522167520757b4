//! `jamboree bench`: searches fixed positions and prints nodes and speed.

use crate::failure::{Failure, print_or_exit};
use crate::lab::common::{TABLE_HELP, algorithm_help, profile_help, suite_help};
use crate::network::ClusterArguments;
use crate::trace::{TRACE_HELP, close_trace, open_trace};
use chess::RuleSet;
use clap::{Args, ValueEnum};
use jamboree_io::{note, outln, refuse_overwriting};
use lab::bench::{
    BenchError, BenchRow, BenchSettings, DEFAULT_CLASSIC_DEPTH, DEFAULT_DEPTH, DEFAULT_HASH_MIB, run as measure,
    run_traced,
};
use lab::experiment::{algorithm, check_ranks, costs, measured};
use search::{Costs, Machine, Threads, VirtualMachine};
use std::path::PathBuf;

/// Search fixed positions to a fixed depth: the same number of nodes every time, and how fast
///
/// The last line is `<N> nodes <M> nps`. The number of nodes identifies the search: it changes if and only if the
/// search visits other nodes.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Depth of each search [default: 14, with --classic 6]
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=100))]
    depth: Option<i32>,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = DEFAULT_HASH_MIB)]
    hash: usize,
    #[arg(long, value_name = "T", conflicts_with = "hash", help = TABLE_HELP)]
    table: Option<String>,
    /// Search full width with quiescence, as in the papers
    #[arg(long)]
    classic: bool,
    /// Rules to switch on or off and numbers to set, for example `modern,-null_move,see_depth=7`
    #[arg(long, conflicts_with = "classic", allow_hyphen_values = true)]
    rules: Option<String>,
    #[arg(long, help = suite_help())]
    suite: Option<String>,
    /// The machine that searches
    #[arg(long, value_enum, default_value_t = BenchMachine::Alone)]
    machine: BenchMachine,
    /// How many processors the machine has
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    processors: u32,
    #[arg(long, default_value_t = search::algorithms::default().name().to_string(), help = algorithm_help(""))]
    algorithm: String,
    #[command(flatten)]
    cluster: ClusterArguments,
    #[arg(long, default_value = "ideal", help = profile_help())]
    profile: String,
    /// Least depth of frames that are shared [default: 4 on threads, 0 on virtual processors]
    #[arg(long)]
    grain: Option<i32>,
    /// Seed of the random choices of virtual processors
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Compare the result of every node with a serial search without a table (*Socrates section 5.3): for rules that do not
    /// prune, at small depths
    #[arg(long, conflicts_with_all = ["hash", "table"])]
    verify: bool,
    #[arg(long, value_name = "FILE", help = TRACE_HELP)]
    trace: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// The machine of a benchmark.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BenchMachine {
    /// One processor, without the scheduler
    Alone,
    /// Threads of this computer
    Threads,
    /// Virtual processors in virtual time: the same run for the same seed
    Virtual,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let profile = match &arguments.rules {
        Some(rules) => RuleSet::parse(rules)?,
        None if arguments.classic => RuleSet::classic(),
        None => RuleSet::modern(),
    };
    let usual = if arguments.classic { DEFAULT_CLASSIC_DEPTH } else { DEFAULT_DEPTH };
    let algorithm = algorithm(&arguments.algorithm)?;
    let processors = arguments.processors as usize;
    if arguments.machine != BenchMachine::Virtual && !arguments.cluster.is_one() {
        return Err("hosts are simulated: add --machine virtual".into());
    }
    let machine = match arguments.machine {
        BenchMachine::Alone => Machine::Alone,
        BenchMachine::Threads => {
            Machine::Threads(Threads::new(processors).with_grain(arguments.grain.unwrap_or(Threads::GRAIN)))
        }
        BenchMachine::Virtual => {
            let profile = measured(&arguments.profile)?;
            if profile != arguments.profile {
                note!("{profile}");
            }
            let usual = costs(&profile)?;
            let costs = Costs { grain: arguments.grain.unwrap_or(usual.grain), ..usual };
            let hosts = arguments.cluster.hosts(&costs)?;
            check_ranks(processors, hosts.count)?;
            Machine::Virtual(VirtualMachine { processors, costs, seed: arguments.seed, hosts })
        }
    };
    let suite = arguments.suite.as_deref().map(lab::suite::load).transpose()?;
    let depth = arguments.depth.unwrap_or(usual);
    let table = arguments.table.as_deref().map(str::parse).transpose()?;
    let hash_mib = arguments.hash;
    let verify = arguments.verify;
    let settings =
        BenchSettings { hash_mib, table, suite, machine, algorithm, verify, ..BenchSettings::usual(profile, depth) };
    let mut each = |row: &BenchRow| {
        if !arguments.json {
            print_or_exit(&show(row));
        }
    };
    if let (Some(trace), Some(suite)) = (&arguments.trace, &arguments.suite) {
        refuse_overwriting(trace, [suite])?;
    }
    let node = if let Machine::Virtual(machine) = &settings.machine { machine.costs.node } else { 0 };
    let mut traces = arguments.trace.as_deref().map(|path| open_trace(path, node)).transpose()?;
    let bench = match &mut traces {
        Some(traces) => run_traced(&settings, &mut each, traces),
        None => measure(&settings, &mut each),
    };
    let with_seed =
        |error: BenchError| if verify { format!("{error} (seed {})", arguments.seed) } else { error.to_string() };
    let bench = bench.map_err(with_seed)?;
    traces.map_or(Ok(()), close_trace)?;
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&bench)?)?;
    } else {
        outln!("{}", bench.summary())?;
    }
    Ok(())
}

/// The benchmark with default settings, for UCI's `bench`.
pub(crate) fn lines(signals: &engine::Signals, say: &mut dyn FnMut(String)) {
    let settings = BenchSettings::usual(RuleSet::modern(), DEFAULT_DEPTH);
    match lab::bench::run_until_stopped(&settings, signals, &mut |row| say(show(row))) {
        Ok(bench) => say(bench.summary()),
        Err(error) => say(format!("info string error: {error}")),
    }
}

fn show(row: &BenchRow) -> String {
    let verified = row.verified.map_or_else(String::new, |nodes| format!("  {nodes} nodes compared"));
    let BenchRow { id, nodes, time, best_move, score, .. } = row;
    format!("{id:<6} {nodes:>9} nodes {time:>8.3} s  {best_move:<6} {score:>6} cp{verified}")
}
