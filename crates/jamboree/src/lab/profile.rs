//! `jamboree lab profile`: one search in detail.

use super::common::{OutputArguments, VERSION, algorithm_help, processors, profile_help, tell_where};
use crate::Failure;
use crate::trace::{TRACE_HELP, close_trace, open_trace};
use clap::Args;
use jamboree_io::outln;
use lab::analysis::start;
use lab::experiment::{Folder, Goal, LabError, MachineKind, Run, costs};
use lab::report::Origin;
use lab::studies::profile::Portrait;
use lab::studies::profile_page;
use std::path::PathBuf;

/// Search one position and show its parallelism over ideal time, its split points, and where the time went
///
/// Example:
///   jamboree lab profile "r2qkbnr/ppp2p1p/2n5/3P4/2BP1pb1/2N2p2/PPPQ2PP/R1B2RK1 b kq - 2 9" --processors 64 --out one
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The position: a FEN (quotes may be left out) or 'startpos'; either may be followed by 'moves' and moves
    #[arg(value_name = "FEN", required = true)]
    fen: Vec<String>,
    /// Search to this depth
    #[arg(long, value_name = "D", conflicts_with = "nodes", allow_hyphen_values = true)]
    depth: Option<i32>,
    /// Search to the first depth at which one processor visits this many nodes
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    nodes: u64,
    #[arg(long, default_value_t = search::algorithms::default().name().to_string(), help = algorithm_help(""))]
    algorithm: String,
    /// How many virtual processors
    #[arg(long, default_value = "16", allow_hyphen_values = true)]
    processors: String,
    #[arg(long, default_value = "ideal", help = profile_help())]
    profile: String,
    /// Search full width with quiescence, as in the papers
    #[arg(long)]
    classic: bool,
    /// Rules to switch on or off and numbers to set, for example `modern,-null_move,see_depth=7`
    #[arg(long, conflicts_with = "classic", allow_hyphen_values = true)]
    rules: Option<String>,
    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 64)]
    hash: usize,
    /// Seed of the random choices of virtual processors
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, value_name = "FILE", help = TRACE_HELP)]
    trace: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let usual = if arguments.classic { "classic" } else { "modern" };
    let [count] = processors(&arguments.processors)?[..] else {
        return Err(LabError::Processors("a profile is made on one number of processors".into()).into());
    };
    let run = Run {
        suite: String::new(),
        id: "the position".into(),
        fen: start::read(&arguments.fen.join(" "))?.position.to_string(),
        algorithm: arguments.algorithm.to_lowercase(),
        rules: arguments.rules.clone().unwrap_or_else(|| usual.to_owned()),
        machine: MachineKind::Virtual,
        profile: arguments.profile.clone(),
        hosts: String::new(),
        processors: count,
        seed: arguments.seed,
        repeat: 1,
        goal: arguments.depth.map_or(Goal::Nodes(arguments.nodes), Goal::Depth),
        hash: arguments.hash,
        table: String::new(),
        kept: false,
    };
    run.check()?;
    let folder = Folder::open(&arguments.output.out, VERSION)?;
    let run = Run { profile: folder.profile(&run.profile)?, ..run };
    let node = costs(&run.profile)?.node;
    let mut traces = arguments.trace.as_deref().map(|path| open_trace(path, node)).transpose()?;
    let portrait = Portrait::make(&run, traces.as_mut())?;
    traces.map_or(Ok(()), close_trace)?;
    profile_page::write(&portrait, &folder, Origin::here(VERSION))?;
    outln!(
        "depth {}, {} nodes ({} of one processor) in {} ticks, W/C {:.1}, {} split points",
        portrait.depth,
        portrait.nodes,
        portrait.serial_nodes,
        portrait.time,
        portrait.nodes as f64 / portrait.span.max(1) as f64,
        portrait.splits.len()
    )?;
    tell_where(&arguments.output)
}
