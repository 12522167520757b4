//! The command line of Jamboree: one file a command.

mod bench;
mod datagen;
mod duration;
mod perft;
mod progress;
mod rate;
mod solve;
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
    Bench(bench::Arguments),
    Perft(perft::Arguments),
    Solve(solve::Arguments),
    Rate(rate::Arguments),
    Datagen(datagen::Arguments),
    Tune(tune::Arguments),
}

/// Why a command failed: one line for the user.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let done = match Arguments::parse().command.unwrap_or(Command::Uci) {
        Command::Uci => uci(),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Rate(arguments) => rate::run(&arguments),
        Command::Datagen(arguments) => datagen::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("jamboree: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn uci() -> Result<(), Failure> {
    engine::uci::run(engine::Engine::new()?, std::io::stdin().lock(), &bench::lines);
    Ok(())
}
