//! `jamboree lab papers`: every table and figure of the five papers, run again.

use super::common::{OutputArguments, SearchMeter, VERSION, tell_where};
use crate::Failure;
use crate::progress::clock;
use clap::Args;
use jamboree_io::{note, outln};
use lab::experiment::{LabError, inherit};
use lab::report::Origin;
use lab::studies::papers::{Extent, PAPERS, PapersSettings, Size, check, outlook, study};
use std::path::{Path, PathBuf};

/// Run every table and figure of the five papers again: published value, ours, and their ratio
///
/// The searches are real, the machines virtual: a Cray C90, a CM-5, a network of Transputers, with costs from the papers.
/// docs/papers.md says how each table is made and in what it differs; docs/artifact.md what to expect, and how long it takes.
///
/// Examples:
///   jamboree lab papers --quick --out papers          all tables in some minutes
///   jamboree lab papers --paper dts --out papers      one paper, with larger searches
///   jamboree lab papers --full --paper dts --out dts  one paper at its own size, for hours
///   jamboree lab papers --check papers                does a run agree with the committed results?
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Only one paper: dts, cray-blitz, startech, socrates, zugzwang; or today, the modern search. What the folder has of the
    /// others stays on the page
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(PAPERS))]
    paper: Option<String>,
    /// Smaller searches: all tables in some minutes instead of an hour or two
    #[arg(long)]
    quick: bool,
    /// Searches as large as the papers': a day
    #[arg(long, conflicts_with = "quick")]
    full: bool,
    /// Instead of the sizes' own searches: to the first depth at which one processor visits this many nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Take only the first positions of each suite
    #[arg(long, value_name = "K")]
    first: Option<usize>,
    /// How often each parallel search is made, with another seed each time [default: 1, with --full 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    repeats: Option<u16>,
    /// Search nothing: compare the results in this folder with the committed ones, claim by claim. The exit code is 1 if a
    /// claim does not hold
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "paper", "quick", "full", "nodes", "first", "repeats"])]
    check: Option<PathBuf>,
    /// With --check: the folder of the committed results
    #[arg(long, value_name = "DIR", default_value = "docs/results", requires = "check")]
    results: PathBuf,
    #[command(flatten)]
    output: Option<OutputArguments>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(folder) = &arguments.check {
        return check_claims(folder, &arguments.results);
    }
    let Some(output) = &arguments.output else {
        return Err(LabError::Settings("name a folder for the results with --out".into()).into());
    };
    let size = match (arguments.quick, arguments.full) {
        (true, _) => Size::Quick,
        (_, true) => Size::Full,
        _ => Size::Usual,
    };
    let Arguments { nodes, first, .. } = *arguments;
    let extent = Extent { size, nodes, first, repeats: arguments.repeats.map(usize::from) };
    let settings = PapersSettings { extent, paper: arguments.paper.clone(), jobs: output.jobs() };
    let folder = inherit(&output.out, VERSION, &|theirs, count| {
        note!(
            "the folder is of {theirs}: {count} of its searches are made again, to see whether this program makes the same"
        );
    })?;
    let ahead = outlook(&settings, &folder)?;
    if ahead.searches > 0 {
        note!(
            "{} searches of about {:.1} M nodes in all, {:.2} M nodes a second on each of {} cores: about {}; at most {} MiB of tables",
            ahead.searches,
            ahead.nodes / 1e6,
            ahead.rate / 1e6,
            ahead.jobs,
            clock(ahead.seconds()),
            ahead.memory
        );
    }
    let meter = SearchMeter::new();
    let made = study(&settings, &folder, Origin::here(VERSION), &|progress| meter.show(progress));
    meter.finish();
    made?;
    tell_where(output)
}

/// Says claim by claim whether it holds.
fn check_claims(folder: &Path, results: &Path) -> Result<(), Failure> {
    let claims = check(folder, results)?;
    for claim in &claims {
        let word = match claim.holds {
            Some(true) => "holds",
            Some(false) => "FAILS",
            None => "-",
        };
        outln!("{word:5}  {:24}  {}: {}", claim.id, claim.says, claim.because)?;
    }
    let count = |wanted: bool| claims.iter().filter(|claim| claim.holds == Some(wanted)).count();
    outln!(
        "{} claims hold, {} do not, {} were not measured",
        count(true),
        count(false),
        claims.len() - count(true) - count(false)
    )?;
    match count(false) {
        0 => Ok(()),
        failed => Err(LabError::Settings(format!("{failed} claims do not hold")).into()),
    }
}
