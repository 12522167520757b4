//! `jamboree lab`: experiments, one file each.

mod arena;
mod openings;

use crate::Failure;
use clap::{Args, Subcommand};

/// Experiments: matches and measurements
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand)]
enum Experiment {
    Match(arena::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.experiment {
        Experiment::Match(arguments) => arena::run(arguments),
    }
}
