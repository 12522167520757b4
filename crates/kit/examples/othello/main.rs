//! Othello: a game of some size, searched in parallel. `cargo run --release -p jamboree-kit --example othello` says how to use it.

mod board;
mod evaluation;

use board::{Othello, perft};
use jamboree_kit::{
    Costs, Depth, Game, Guidance, Guided, Hosts, Limits, Machine, Outcome, Searcher, Table, Threads, VirtualMachine,
};
use std::error::Error;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

const USAGE: &str = "\
othello play [seconds a move] [threads]      a game against itself
othello search [moves] [depth] [threads]     the best move, as in: search d3c5f6 14 2
othello solve [board and side] [threads]     the exact result, as in: solve 'XO--... X' 2
othello speedup [depth] [threads]            time and nodes on one thread and on several
othello virtual [depth]                      the same searches on 1 to 64 virtual processors
othello perft [depth]                        the number of paths from the start";

/// Positions for measurements: the moves that lead to them.
const OPENINGS: [&str; 6] = [
    "d3c3c4e3e2b4b3d2",
    "d3c5e6d2c6d6c7f6f4f7",
    "d3e3f4c3f5e6d6c4f6e7c5d7",
    "d3c5b6f3f5c6e3b5d6",
    "d3c3b3e3f5f4f3g4g5e6c4h5f6e7",
    "d3c5d6e3f4c6f5f3c4c3b5g4b3b4c2d2",
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("othello: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let arguments = Arguments(words);
    match words.first().map(String::as_str) {
        Some("play") => play(Duration::try_from_secs_f64(arguments.number(1, 1.0)?)?, arguments.threads(2, 1)?),
        Some("search") => {
            search(&arguments.number(1, Othello::start())?, arguments.depth(2, 12)?, arguments.threads(3, 1)?)
        }
        Some("solve") => solve(&arguments.number(1, Othello::start())?, arguments.threads(2, 1)?),
        Some("speedup") => speedup(arguments.depth(1, 14)?, arguments.threads(2, 2)?),
        Some("virtual") => on_virtual_processors(arguments.depth(1, 10)?),
        Some("perft") => {
            println!("{}", perft(&Othello::start(), arguments.number(1, 9_u32)?.min(20)));
            Ok(())
        }
        _ => {
            println!("{USAGE}");
            Ok(())
        }
    }
}

/// The words of the command line.
struct Arguments<'a>(&'a [String]);

impl Arguments<'_> {
    fn number<T: FromStr>(&self, place: usize, default: T) -> Result<T, Box<dyn Error>>
    where
        T::Err: std::fmt::Display,
    {
        let Some(word) = self.0.get(place) else { return Ok(default) };
        word.parse().map_err(|error| format!("'{word}': {error}").into())
    }

    fn depth(&self, place: usize, default: Depth) -> Result<Depth, Box<dyn Error>> {
        Some(self.number(place, default)?)
            .filter(|depth| (1..=60).contains(depth))
            .ok_or("a depth is from 1 to 60".into())
    }

    fn threads(&self, place: usize, default: usize) -> Result<usize, Box<dyn Error>> {
        let threads = self.number(place, default)?;
        Some(threads).filter(|threads| (1..=1024).contains(threads)).ok_or("threads are from 1 to 1024".into())
    }
}

/// One processor, or several threads.
fn machine(threads: usize) -> Machine {
    if threads == 1 { Machine::Alone } else { Machine::Threads(Threads::new(threads)) }
}

/// A search with an empty table.
fn searcher(guidance: Guidance, machine: Machine) -> Result<Searcher<Guided<Othello>>, Box<dyn Error>> {
    let mut searcher = Searcher::with_table(Guided::new(guidance), Arc::new(Table::new(64)?));
    searcher.machine = machine;
    Ok(searcher)
}

fn play(time: Duration, threads: usize) -> Result<(), Box<dyn Error>> {
    let table = Arc::new(Table::new(64)?);
    let mut searcher = Searcher::with_table(Guided::default(), Arc::clone(&table));
    searcher.machine = machine(threads);
    let mut position = Othello::start();
    while position.ending().is_none() {
        println!("{position}");
        table.age();
        let outcome = searcher.run_for(&position, &[], time);
        let Some(best) = outcome.best_move() else { break };
        println!("{}\n", describe(&outcome));
        position = position.play(best);
    }
    println!("{position}\nthe game is over: {:+} for the side to move", position.result());
    Ok(())
}

fn describe(outcome: &Outcome<board::Move>) -> String {
    let line: Vec<String> = outcome.line().iter().map(ToString::to_string).collect();
    let discs = outcome.score().map_or(0.0, |score| f64::from(score.value()) / 100.0);
    format!("{discs:+.2} discs at depth {}, {} nodes: {}", outcome.depth, outcome.nodes, line.join(" "))
}

fn search(position: &Othello, depth: Depth, threads: usize) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let outcome = searcher(Guidance::ALL, machine(threads))?.run(position, &[], &Limits::depth(depth));
    println!("{position}\n{}, {:.2} s", describe(&outcome), begun.elapsed().as_secs_f64());
    Ok(())
}

/// The exact result of a position: the search has to reach the end in every line, and may leave nothing out.
fn exact(position: &Othello, machine: Machine) -> Result<Outcome<board::Move>, Box<dyn Error>> {
    let depth = position.discs_left() as Depth;
    Ok(searcher(Guidance::ORDER_ONLY, machine)?.run(position, &[], &Limits::depth(depth)))
}

fn solve(position: &Othello, threads: usize) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let outcome = exact(position, machine(threads))?;
    println!("{position}\n{}, {:.2} s", describe(&outcome), begun.elapsed().as_secs_f64());
    Ok(())
}

/// How often each measurement is made; the fastest counts.
const ROUNDS: usize = 3;

fn speedup(depth: Depth, threads: usize) -> Result<(), Box<dyn Error>> {
    let mut total = [0.0; 2];
    for moves in OPENINGS {
        let position = moves.parse()?;
        let mut fastest = [f64::INFINITY; 2];
        let mut nodes = [0; 2];
        // In turn, so that both see the same moods of the machine.
        for _ in 0..ROUNDS {
            for (place, machine) in [machine(1), machine(threads)].into_iter().enumerate() {
                let mut searcher = searcher(Guidance::ALL, machine)?;
                let begun = Instant::now();
                nodes[place] = searcher.run(&position, &[], &Limits::depth(depth)).nodes;
                fastest[place] = fastest[place].min(begun.elapsed().as_secs_f64());
            }
        }
        let [alone, together] = fastest;
        let ratio = alone / together;
        println!("{moves:32} {alone:7.3} s {:>9} nodes  {together:7.3} s {:>9} nodes  {ratio:.2}", nodes[0], nodes[1]);
        (total[0], total[1]) = (total[0] + alone, total[1] + together);
    }
    println!("{:.2} times as fast on {threads} threads", total[0] / total[1]);
    Ok(())
}

/// The time that each number of virtual processors takes for all openings, and the nodes visited.
fn on_virtual_processors(depth: Depth) -> Result<(), Box<dyn Error>> {
    let mut alone = 0;
    for processors in [1, 2, 4, 8, 16, 32, 64] {
        let (mut ticks, mut nodes) = (0, 0);
        for moves in OPENINGS {
            let machine = VirtualMachine { processors, costs: Costs::ideal(), seed: 1, hosts: Hosts::one() };
            let mut searcher = searcher(Guidance::ALL, Machine::Virtual(machine))?;
            let outcome = searcher.run(&moves.parse()?, &[], &Limits::depth(depth));
            (ticks, nodes) = (ticks + outcome.accounts.time, nodes + outcome.nodes);
        }
        alone = if processors == 1 { ticks } else { alone };
        let speedup = alone as f64 / ticks as f64;
        println!("{processors:>2} processors: {ticks:>9} ticks, {nodes:>9} nodes, {speedup:.2} times as fast");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
