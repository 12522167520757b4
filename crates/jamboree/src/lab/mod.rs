//! `jamboree lab`: experiments about the speed of the search and its strength. One file each.

mod arena;
mod chances;
mod cluster;
pub(crate) mod common;
mod papers;
mod predict;
mod profile;
mod race;
mod simulate;
mod span;
mod speedup;
mod spsa;

use crate::Failure;
use clap::{Args, Subcommand};

/// Experiments: speed on many processors, matches, tuning
///
/// Every experiment writes a folder: one HTML page that needs nothing else, CSV and JSON of every row, and a journal.
/// If an experiment is stopped, the same command continues it. A larger one in the same folder makes only the searches
/// that are new.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Papers(papers::Arguments),
    Speedup(speedup::Arguments),
    Cluster(cluster::Arguments),
    Match(arena::Arguments),
    Race(race::Arguments),
    Predict(predict::Arguments),
    Profile(profile::Arguments),
    Simulate(simulate::Arguments),
    Span(span::Arguments),
    Spsa(spsa::Arguments),
    Chances(chances::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Papers(arguments) => papers::run(arguments),
        Command::Speedup(arguments) => speedup::run(arguments),
        Command::Cluster(arguments) => cluster::run(arguments),
        Command::Match(arguments) => arena::run(arguments),
        Command::Race(arguments) => race::run(arguments),
        Command::Predict(arguments) => predict::run(arguments),
        Command::Profile(arguments) => profile::run(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
        Command::Span(arguments) => span::run(arguments),
        Command::Spsa(arguments) => spsa::run(arguments),
        Command::Chances(arguments) => chances::run(arguments),
    }
}
