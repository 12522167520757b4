//! `jamboree bench`: the same nodes every time, and how fast.

use crate::failure::{Failure, print_or_exit};
use crate::network::Cluster;
use chess::RuleSet;
use clap::{Args, ValueEnum};
use jamboree_io::{note, outln};
use lab::bench::{DEFAULT_CLASSIC_DEPTH, DEFAULT_DEPTH, DEFAULT_HASH_MIB, Row, Settings, run as measure};
use lab::experiment::check_ranks;
use search::algorithms::Algorithm;
use search::{Costs, Machine, Threads, VirtualMachine};

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
    /// Rules to switch on or off and numbers to set, for example `modern,-null_move,see_depth=7`
    #[arg(long, conflicts_with = "classic", allow_hyphen_values = true)]
    rules: Option<String>,
    /// Positions to search: a built-in suite (bratko-kopec, kaufman, dts, socrates) or an EPD file
    #[arg(long)]
    suite: Option<String>,
    /// What to search on
    #[arg(long, value_enum, default_value_t = MachineKind::Alone)]
    machine: MachineKind,
    /// How many processors the machine has
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    processors: u32,
    /// How the tree is divided: serial, root-split, pvs, dts, ybw, jamboree, abdada, lazy-smp or jubilee
    #[arg(long, default_value_t = search::algorithms::default().name().to_string())]
    algorithm: String,
    #[command(flatten)]
    cluster: Cluster,
    /// What a virtual machine is like: ideal, host (measured now), workstation, cray-c90, cm5 or transputer
    #[arg(long, default_value = "ideal")]
    profile: String,
    /// Share no frame less deep than this [default: 4 on threads, 0 on virtual processors]
    #[arg(long)]
    grain: Option<i32>,
    /// Decides whom an idle virtual processor asks
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// What a benchmark can run on.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MachineKind {
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
    let algorithm = by_name(&arguments.algorithm)?;
    let processors = arguments.processors as usize;
    if arguments.machine != MachineKind::Virtual && !arguments.cluster.is_one() {
        return Err("ranks are simulated: add --machine virtual".into());
    }
    let machine = match arguments.machine {
        MachineKind::Alone => Machine::Alone,
        MachineKind::Threads => {
            Machine::Threads(Threads::new(processors).with_grain(arguments.grain.unwrap_or(Threads::GRAIN)))
        }
        MachineKind::Virtual => {
            let usual = costs(&arguments.profile)?;
            let costs = Costs { grain: arguments.grain.unwrap_or(usual.grain), ..usual };
            let hosts = arguments.cluster.hosts(&costs)?;
            check_ranks(processors, hosts.count)?;
            Machine::Virtual(VirtualMachine { processors, costs, seed: arguments.seed, hosts })
        }
    };
    let suite = arguments.suite.as_deref().map(lab::suite::load).transpose()?;
    let depth = arguments.depth.unwrap_or(usual);
    let settings = Settings { hash_mib: arguments.hash, suite, machine, algorithm, ..Settings::usual(profile, depth) };
    let bench = measure(&settings, &mut |row| {
        if !arguments.json {
            print_or_exit(&show(row));
        }
    })?;
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&bench)?)?;
    } else {
        outln!("{}", bench.summary())?;
    }
    Ok(())
}

/// The benchmark with default settings, for UCI's `bench`.
pub(crate) fn lines(signals: &engine::Signals, say: &mut dyn FnMut(String)) {
    let settings = Settings::usual(RuleSet::modern(), DEFAULT_DEPTH);
    match lab::bench::run_until_stopped(&settings, signals, &mut |row| say(show(row))) {
        Ok(bench) => say(bench.summary()),
        Err(error) => say(format!("info string error: {error}")),
    }
}

/// The costs of the machine of this name.
fn costs(name: &str) -> Result<Costs, Failure> {
    if name.eq_ignore_ascii_case("host") {
        let costs = lab::calibrate::host()?;
        note!(
            "host: {} ns a node ({} with all cores busy), {} ns a message, {} ns a split",
            costs.node_alone,
            costs.node,
            costs.message,
            costs.split
        );
        return Ok(costs);
    }
    let known = "ideal, host, workstation, cray-c90, cm5 and transputer";
    Costs::by_name(name).ok_or_else(|| format!("no machine profile '{name}'; there are {known}").into())
}

fn by_name(name: &str) -> Result<Algorithm, Failure> {
    search::algorithms::by_name(name).ok_or_else(|| {
        let (names, switches) = (search::algorithms::NAMES.join(", "), search::algorithms::SWITCHES.join(", +"));
        format!("no algorithm '{name}'; there are {names}, each with any of +{switches}").into()
    })
}

fn show(row: &Row) -> String {
    format!("{:<6} {:>9} nodes {:>8.3} s  {:<6} {:>6} cp", row.id, row.nodes, row.time, row.best_move, row.score)
}
