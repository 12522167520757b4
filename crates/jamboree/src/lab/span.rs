//! `jamboree lab span`: where the critical path goes.

use super::common::{
    AlgorithmArguments, OutputArguments, SearchArguments, SearchMeter, VERSION, processors, profile_help, tell_where,
};
use crate::Failure;
use clap::Args;
use jamboree_io::outln;
use lab::experiment::{Course, Folder, MachineKind, Plan, positions};
use lab::report::Origin;

/// Where the critical path of a search goes, and where nodes in vain come from
///
/// W/C is the average parallelism: all nodes over the longest chain of nodes that had to wait for each other. The search on one
/// processor is measured as it is, and with one kind of wait after the other left out of that chain: for the null move and ProbCut,
/// for the singular search, for the reduced test, for tests before a value, for the eldest brother on the principal variation, for
/// the iteration before. Beside it, for each number of processors: nodes below failed tests, after cutoffs, aborted and searched
/// twice.
///
/// Examples:
///   jamboree lab span --first 8 --nodes 300000 --out span
///   jamboree lab span --algorithm jubilee,jubilee+guess,ybw --processors 16,64 --out span
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(flatten)]
    search: SearchArguments,
    #[command(flatten)]
    algorithms: AlgorithmArguments,
    /// Numbers of processors for the nodes in vain
    #[arg(long, value_name = "P,...", default_value = "16,64", allow_hyphen_values = true)]
    processors: String,
    #[arg(long, default_value = "ideal", help = profile_help())]
    profile: String,
    #[command(flatten)]
    output: OutputArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { search, output, .. } = arguments;
    let plan = Plan {
        suite: positions(&search.suite, search.first)?,
        algorithms: arguments.algorithms.names(),
        processors: processors(&arguments.processors)?,
        machine: MachineKind::Virtual,
        profile: arguments.profile.clone(),
        hosts: String::new(),
        rules: search.rules(),
        goal: search.goal()?,
        deepest: search.deepest,
        seed: search.seed,
        repeats: 1,
        baselines: 1,
        hash: search.hash,
        table: search.table.clone(),
        course: Course::Apart,
    };
    plan.check()?;
    let folder = Folder::open(&output.out, VERSION)?;
    let plan = Plan { profile: folder.profile(&plan.profile)?, ..plan };
    let meter = SearchMeter::new();
    let made = lab::studies::span::study(&plan, &folder, output.jobs(), Origin::here(VERSION), &|progress| {
        meter.show(progress);
    });
    meter.finish();
    let (spans, vain) = made?;
    for row in &spans {
        outln!(
            "{:<24} without {:<48} W/C {:7.1} [{:.1}, {:.1}]",
            row.algorithm,
            row.without,
            row.parallelism,
            row.low,
            row.high
        )?;
    }
    for row in &vain {
        outln!(
            "{:<24} P{:<4} nodes {:.3}, failed {:.1} %, after a cutoff {:.1} %, aborted {:.1} %, twice {:.1} %, idle {:.1} %",
            row.algorithm,
            row.processors,
            row.nodes,
            100.0 * (row.failed_type_1 + row.failed_type_2 + row.failed_type_3),
            100.0 * (row.cutoff_type_1 + row.cutoff_type_2 + row.cutoff_type_3),
            100.0 * row.aborted,
            100.0 * row.duplicates,
            100.0 * row.idle
        )?;
    }
    tell_where(output)
}
