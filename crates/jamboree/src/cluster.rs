//! `jamboree cluster`.

mod rank;

use crate::Failure;
use clap::Args;

/// Run as a rank
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    rank: rank::Arguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let _ = arguments.rank.words();
    rank::run(&arguments.rank)
}
