//! The command line of Jamboree: one file a command.

mod analyze;
mod bench;
mod cluster;
mod datagen;
mod distill;
mod duration;
mod engine_arguments;
mod failure;
mod lab;
mod manual;
#[cfg(target_os = "linux")]
mod misfit;
mod network;
mod perft;
mod progress;
mod rate;
mod self_play;
mod serve;
mod solve;
mod speedtest;
mod threads;
mod trace;
mod train;
mod tune;
mod uci;
mod version;

use clap::{Parser, Subcommand};
use failure::{Failure, exit_code};
use jamboree_io::{PrintError, flush_output, note};
use std::process::ExitCode;

/// Jamboree: a massively parallel chess program, and the laboratory that explains how fast it runs.
///
/// Without a command it speaks UCI on standard input and output: give this program to your chess user interface as
/// an engine. The commands below need no user interface.
#[derive(Parser)]
#[command(version = version::VERSION, long_version = version::LONG.as_str(), about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Uci(uci::Arguments),
    Analyze(analyze::Arguments),
    Bench(bench::Arguments),
    Cluster(cluster::Arguments),
    Perft(perft::Arguments),
    Solve(solve::Arguments),
    Speedtest(speedtest::Arguments),
    Lab(Box<lab::Arguments>),
    Rate(rate::Arguments),
    Serve(serve::Arguments),
    Datagen(datagen::Arguments),
    Distill(distill::Arguments),
    Tune(tune::Arguments),
    Train(train::Arguments),
    #[command(hide = true)]
    Manual(manual::Arguments),
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
    let done = match arguments.command.unwrap_or(Command::Uci(uci::Arguments::default())) {
        Command::Uci(arguments) => uci::run(&arguments),
        Command::Analyze(arguments) => analyze::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Cluster(arguments) => cluster::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Speedtest(arguments) => speedtest::run(&arguments),
        Command::Lab(arguments) => lab::run(&arguments),
        Command::Rate(arguments) => rate::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Datagen(arguments) => datagen::run(&arguments),
        Command::Distill(arguments) => distill::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Manual(arguments) => manual::run(&arguments, <Arguments as clap::CommandFactory>::command()),
    };
    exit_code(done.and_then(|()| Ok(flush_output()?)))
}

/// Reports wrong arguments in one line that says what to do. Help that was asked for is printed in full.
fn refuse(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand || !error.use_stderr();
    if is_help {
        return exit_code(error.print().map_err(|error| PrintError::from(error).into()));
    }
    note!("jamboree: {}", one_line(&error.to_string()));
    ExitCode::from(2)
}

/// clap's message in one line: the reason and its tip, without the usage.
fn one_line(text: &str) -> String {
    let said = text.split("\n\n").filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more"));
    let words: Vec<&str> = said.flat_map(str::split_whitespace).collect();
    format!("{}; see --help", words.join(" ").trim_start_matches("error: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_arguments_are_told_in_one_line() {
        for (words, expected) in [
            (&["bench", "--depth", "deep"][..], "invalid value 'deep' for '--depth <DEPTH>'"),
            (&["lab", "match", "--a", "x"], "required arguments were not provided: --b <ENGINE>"),
            (&["bensh"], "a similar subcommand exists: 'bench'"),
        ] {
            let words = ["jamboree"].iter().chain(words);
            let Err(error) = Arguments::try_parse_from(words) else { panic!("accepted") };
            let line = one_line(&error.to_string());
            assert!(line.contains(expected) && !line.contains('\n') && !line.contains("Usage"), "{line}");
        }
    }
}
