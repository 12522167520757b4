//! The command line of Jamboree: one file a command.

mod analyze;
mod bench;
mod cluster;
mod datagen;
mod distill;
mod duration;
mod lab;
mod perft;
mod progress;
mod rate;
mod solve;
mod train;
mod tune;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Jamboree: a massively parallel chess program, and the laboratory that explains how fast it runs.
///
/// Without a command it speaks UCI on standard input and output: give this program to your chess user interface as
/// an engine. The commands below need no user interface.
#[derive(Parser)]
#[command(version, about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Speak UCI (the default)
    Uci,
    Analyze(analyze::Arguments),
    Bench(bench::Arguments),
    Cluster(cluster::Arguments),
    Perft(perft::Arguments),
    Solve(solve::Arguments),
    Lab(Box<lab::Arguments>),
    Rate(rate::Arguments),
    Datagen(datagen::Arguments),
    Distill(distill::Arguments),
    Tune(tune::Arguments),
    Train(train::Arguments),
}

/// Why a command failed: one line for the user.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    leave_quietly_when_nobody_reads();
    let done = match Arguments::parse().command.unwrap_or(Command::Uci) {
        Command::Uci => uci(),
        Command::Analyze(arguments) => analyze::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Cluster(arguments) => cluster::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Lab(arguments) => lab::run(&arguments),
        Command::Rate(arguments) => rate::run(&arguments),
        Command::Datagen(arguments) => datagen::run(&arguments),
        Command::Distill(arguments) => distill::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("jamboree: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// `jamboree bench | head -1` is no reason to complain: when the reader of our output has gone, so do we.
fn leave_quietly_when_nobody_reads() {
    let complain = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload_as_str().is_some_and(|text| text.starts_with("failed printing to stdout")) {
            std::process::exit(0);
        }
        complain(panic);
    }));
}

fn uci() -> Result<(), Failure> {
    engine::uci::run(engine::Engine::new()?, std::io::stdin().lock(), &bench::lines);
    Ok(())
}
