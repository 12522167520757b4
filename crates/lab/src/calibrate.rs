//! Measures the costs of this computer, for a virtual machine like it.

use crate::suite::Builtin;
use chess::{Position, RuleSet};
use engine::{Answer, EngineCore, GoLimits, SearchRequest, Signals};
use search::{Costs, Machine, Threads};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use table::TableError;

/// The depth of the searches that are timed: some seconds in all.
const DEPTH: i32 = 13;
const HASH_MIB: usize = 16;
/// How often two threads pass a word to and fro.
const PASSES: u64 = 20_000;

/// Measures this computer: the time of a node with one core busy and with all, the time of a word from core to core,
/// and the cost of sharing a frame.
///
/// # Errors
/// If there is no memory for the tables.
pub fn host() -> Result<Costs, TableError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let node_alone = nanoseconds_a_node(1)?;
    let node = nanoseconds_a_node(cores)?;
    let split = nanoseconds_a_split()?;
    Ok(Costs {
        name: "host",
        tick: "nanosecond",
        node_alone,
        node: node.max(node_alone),
        message: nanoseconds_a_message(),
        split,
        // A helper copies the path once more.
        start: split,
        grain: Threads::GRAIN,
        ..Costs::ideal()
    })
}

fn search(machine: &Machine) -> Result<Vec<Answer>, TableError> {
    let mut engine = EngineCore::with(RuleSet::modern(), HASH_MIB)?;
    engine.set_machine(machine.clone());
    let mut answers = Vec::new();
    for record in Builtin::Dts.suite().records {
        let Ok(position) = record.fen.parse::<Position>() else { continue };
        engine.new_game();
        let limits = GoLimits { depth: Some(DEPTH), ..GoLimits::default() };
        answers.push(engine.search(&SearchRequest::new(position, limits), &Signals::new(), &mut |_| {}));
    }
    Ok(answers)
}

/// The time of a node while a number of independent searches run at the same time.
fn nanoseconds_a_node(searches: usize) -> Result<u64, TableError> {
    let rate = || -> Result<f64, TableError> {
        let started = Instant::now();
        let nodes: u64 = search(&Machine::Alone)?.iter().map(|answer| answer.nodes).sum();
        Ok(started.elapsed().as_nanos() as f64 / nodes as f64)
    };
    let rates: Vec<_> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..searches).map(|_| scope.spawn(rate)).collect();
        let own = rate();
        others.into_iter().filter_map(|other| other.join().ok()).chain([own]).collect()
    });
    let count = rates.len() as f64;
    let mut sum = 0.0;
    for rate in rates {
        sum += rate?;
    }
    Ok((sum / count) as u64)
}

/// How long a word takes from one core to another.
fn nanoseconds_a_message() -> u64 {
    let word = AtomicU64::new(0);
    let pass = |odd: u64| {
        for turn in (odd..PASSES).step_by(2) {
            while word.load(Ordering::Acquire) != turn {
                std::hint::spin_loop();
            }
            word.store(turn + 1, Ordering::Release);
        }
    };
    let started = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| pass(1));
        pass(0);
    });
    (started.elapsed().as_nanos() as u64 / PASSES).max(1)
}

/// What it costs a strand to share a frame.
fn nanoseconds_a_split() -> Result<u64, TableError> {
    let answers = search(&Machine::Threads(Threads::new(2)))?;
    let totals: Vec<_> = answers.iter().map(|answer| answer.accounts.total()).collect();
    let (answering, splits) = totals.iter().fold((0, 0), |(a, s), total| (a + total.answering, s + total.splits));
    Ok(answering / splits.max(1))
}
