//! `jamboree lab papers`: every table and figure of the five papers, run again.

use super::common::{OutputArguments, SearchMeter, VERSION, tell_where};
use crate::Failure;
use clap::Args;
use lab::experiment::Folder;
use lab::report::Origin;
use lab::studies::papers::{PAPERS, PapersSettings, Size, study};

/// Run every table and figure of the five papers again: published value, ours, and their ratio
///
/// The searches are real, the machines virtual: a Cray C90, a CM-5, a network of Transputers, with costs from the
/// papers. docs/papers.md says how each table is made and how it differs from the paper.
///
/// Examples:
///   jamboree lab papers --quick --out papers          all tables in some minutes
///   jamboree lab papers --paper dts --out dts         one paper, with large searches
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Only one paper: dts, cray-blitz, startech, socrates, zugzwang; or today, the modern search
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(PAPERS))]
    paper: Option<String>,
    /// Smaller searches: all tables in some minutes instead of hours
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    output: OutputArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { paper, quick, output } = arguments;
    let size = if *quick { Size::Quick } else { Size::Full };
    let folder = Folder::open(&output.out, VERSION)?;
    let meter = SearchMeter::new();
    let settings = PapersSettings { size, paper: paper.clone(), jobs: output.jobs() };
    let made = study(&settings, &folder, Origin::here(VERSION), &|progress| meter.show(progress));
    meter.finish();
    made?;
    tell_where(output)
}
