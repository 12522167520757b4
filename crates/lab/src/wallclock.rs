//! Wall-clock speedup: time to depth on real threads against one, interleaved, repeated, by medians.

use crate::suite::Suite;
use chess::{Position, Profile};
use engine::{Engine, Limits, Request, Signals};
use search::algorithms::Algorithm;
use search::{Machine, Threads};
use serde::Serialize;
use std::sync::Arc;
use table::TableError;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The positions.
    pub suite: Suite,
    /// Each is searched to the first depth at which one thread visits this many nodes.
    pub nodes: u64,
    /// How many threads are compared with one.
    pub threads: usize,
    /// By which algorithm.
    pub algorithm: Arc<dyn Algorithm>,
    /// How often each search is repeated.
    pub repeats: usize,
    /// The size of the table in MiB.
    pub hash_mib: usize,
    /// Which rules are on.
    pub profile: Profile,
}

/// One position.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The position's name.
    pub id: String,
    /// The depth.
    pub depth: i32,
    /// Median seconds of one thread.
    pub alone: f64,
    /// Median seconds of all threads.
    pub together: f64,
    /// How many times faster.
    pub speedup: f64,
    /// Nodes of all threads relative to one, medians.
    pub nodes: f64,
    /// Nodes a second of all threads relative to one, medians.
    pub rate: f64,
    /// The share of the threads' time without work.
    pub idle: f64,
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// The geometric mean.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value.ln(), count + 1.0));
    (sum / f64::max(count, 1.0)).exp()
}

/// Measures all positions, telling of each as it is finished.
///
/// # Errors
/// If there is no memory for the table.
pub fn run(settings: &Settings, each: &mut dyn FnMut(&Row)) -> Result<Vec<Row>, TableError> {
    let mut rows = Vec::new();
    for record in &settings.suite.records {
        let Ok(position) = record.fen.parse::<Position>() else { continue };
        let mut engine = Engine::with(settings.profile.clone(), settings.hash_mib)?;
        engine.set_algorithm(Arc::clone(&settings.algorithm));
        let depth = crate::speedup::depth_with_nodes(&mut engine, &position, settings.nodes);
        let mut one = Vec::new();
        let mut many = Vec::new();
        for repeat in 1..=settings.repeats.max(1) {
            // Another table each time: the size of a search is a matter of luck, and the first one was chosen for its size.
            let mut engine = Engine::with(settings.profile.clone(), settings.hash_mib + 5 * repeat)?;
            engine.set_algorithm(Arc::clone(&settings.algorithm));
            one.push(time(&mut engine, &position, depth, Machine::Alone));
            many.push(time(&mut engine, &position, depth, Machine::Threads(Threads::new(settings.threads))));
        }
        let of = |runs: &[Run], value: fn(&Run) -> f64| median(&mut runs.iter().map(value).collect::<Vec<_>>());
        let row = Row {
            id: record.id.clone().unwrap_or_default(),
            depth,
            alone: of(&one, |run| run.seconds),
            together: of(&many, |run| run.seconds),
            speedup: of(&one, |run| run.seconds) / of(&many, |run| run.seconds),
            nodes: of(&many, |run| run.nodes) / of(&one, |run| run.nodes),
            rate: of(&many, |run| run.nodes / run.seconds) / of(&one, |run| run.nodes / run.seconds),
            idle: of(&many, |run| run.idle),
        };
        each(&row);
        rows.push(row);
    }
    Ok(rows)
}

struct Run {
    seconds: f64,
    nodes: f64,
    idle: f64,
}

fn time(engine: &mut Engine, position: &Position, depth: i32, machine: Machine) -> Run {
    engine.new_game();
    engine.set_machine(machine);
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let started = std::time::Instant::now();
    let answer = engine.search(&Request::new(position.clone(), limits), &Signals::new(), &mut |_| {});
    let seconds = started.elapsed().as_secs_f64();
    let total = answer.accounts.total();
    let idle = total.looking as f64 / ((total.looking + total.working) as f64).max(1.0);
    Run { seconds, nodes: answer.nodes as f64, idle }
}
