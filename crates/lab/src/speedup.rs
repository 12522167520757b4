//! Speedup: the same positions to the same depth on more and more virtual processors.

use crate::suite::Suite;
use chess::{Position, Profile};
use engine::{Engine, Event, Limits, Request, Signals};
use search::algorithms::Algorithm;
use search::{Costs, Machine, VirtualMachine};
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use table::TableError;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The positions.
    pub suite: Suite,
    /// Each is searched to the first depth at which one processor visits this many nodes.
    pub nodes: u64,
    /// The numbers of processors.
    pub processors: Vec<usize>,
    /// By which algorithm.
    pub algorithm: Arc<dyn Algorithm>,
    /// What things cost.
    pub costs: Costs,
    /// Decides whom an idle processor asks.
    pub seed: u64,
    /// The size of the table in MiB.
    pub hash_mib: usize,
    /// Which rules are on.
    pub profile: Profile,
    /// How many searches on one processor the others are compared with.
    pub baselines: usize,
    /// How many positions to search at the same time.
    pub jobs: usize,
}

/// One position on so many processors.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// How many processors.
    pub processors: usize,
    /// How many times faster than one.
    pub speedup: f64,
    /// Nodes, relative to one processor.
    pub nodes: f64,
    /// The share of all processors' time without work.
    pub idle: f64,
    /// Critical path in nodes.
    pub span: u64,
    /// Nodes below moves after the one that cut their parent off, as a share of all.
    pub cutoff_work: f64,
    /// Nodes of strands that were cut before they had an answer, as a share of all.
    pub aborted_work: f64,
    /// Frames shared, for every thousand nodes.
    pub splits: f64,
    /// Simulated nodes for every second of real time.
    pub nodes_per_second: f64,
}

/// One position.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The position's name.
    pub id: String,
    /// The depth.
    pub depth: i32,
    /// Nodes on one processor, the mean of several searches.
    pub serial_nodes: u64,
    /// Critical path of the search on one processor.
    pub serial_span: u64,
    /// One cell for each number of processors.
    pub cells: Vec<Cell>,
}

/// Measures all positions, telling of each as it is finished.
///
/// # Errors
/// If there is no memory for the table.
pub fn run(settings: &Settings, each: &(dyn Fn(&Row) + Sync)) -> Result<Vec<Row>, TableError> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(record) = settings.suite.records.get(index) else { break };
                    let Ok(position) = record.fen.parse::<Position>() else { continue };
                    match measure(settings, record.id.clone().unwrap_or_default(), &position) {
                        Ok(row) => {
                            each(&row);
                            rows.lock().unwrap_or_else(PoisonError::into_inner).push((index, row));
                        }
                        Err(error) => *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error),
                    }
                }
            });
        }
    });
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.sort_by_key(|(index, _)| *index);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

fn measure(settings: &Settings, id: String, position: &Position) -> Result<Row, TableError> {
    let mut engine = Engine::with(settings.profile.clone(), settings.hash_mib)?;
    engine.set_algorithm(Arc::clone(&settings.algorithm));
    let depth = depth_with_nodes(&mut engine, position, settings.nodes);
    let (serial_nodes, serial_span) = baseline(settings, position, depth)?;
    let mut at_depth = |machine| {
        engine.new_game();
        engine.set_machine(machine);
        let started = std::time::Instant::now();
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let answer = engine.search(&Request::new(position.clone(), limits), &Signals::new(), &mut |_| {});
        (answer, started.elapsed().as_secs_f64())
    };
    let serial_time = (serial_nodes * settings.costs.node_alone) as f64;
    let cells = settings.processors.iter().map(|&processors| {
        let (costs, seed) = (settings.costs.clone(), settings.seed);
        let (answer, seconds) = at_depth(Machine::Virtual(VirtualMachine { processors, costs, seed }));
        let total = answer.accounts.total();
        let nodes = answer.nodes as f64;
        Cell {
            processors,
            speedup: serial_time / answer.accounts.time as f64,
            nodes: nodes / serial_nodes as f64,
            idle: 1.0 - total.working as f64 / (answer.accounts.time as f64 * processors as f64),
            span: answer.work.span,
            cutoff_work: answer.work.cut_off as f64 / nodes,
            aborted_work: answer.work.aborted as f64 / nodes,
            splits: total.splits as f64 * 1000.0 / nodes,
            nodes_per_second: nodes / seconds,
        }
    });
    let cells = cells.collect();
    Ok(Row { id, depth, serial_nodes, serial_span, cells })
}

/// Nodes and critical path of a search on one processor.
///
/// The size of a search to a given depth is a matter of luck: the smallest change of anything changes it by a third. The
/// search that chose the depth was large, that is why it was chosen; compared with that one, every other search would look
/// good. So the depth is searched again, several times, each with a slightly different table.
fn baseline(settings: &Settings, position: &Position, depth: i32) -> Result<(u64, u64), TableError> {
    let runs = settings.baselines.max(1) as u64;
    let (mut nodes, mut span) = (0, 0);
    for run in 1..=runs {
        let mut engine = Engine::with(settings.profile.clone(), settings.hash_mib + 5 * run as usize)?;
        engine.set_algorithm(Arc::clone(&settings.algorithm));
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let answer = engine.search(&Request::new(position.clone(), limits), &Signals::new(), &mut |_| {});
        nodes += answer.nodes;
        span += answer.work.span;
    }
    Ok((nodes / runs, span / runs))
}

/// The first depth at which a search on one processor has visited so many nodes.
pub(crate) fn depth_with_nodes(engine: &mut Engine, position: &Position, nodes: u64) -> i32 {
    let signals = Signals::new();
    let mut depth = 0;
    engine.search(&Request::new(position.clone(), Limits::default()), &signals, &mut |event| {
        if let Event::Info(info) = event
            && depth == 0
            && info.bound == game::Bound::Exact
            && (info.nodes >= nodes || info.depth >= 100)
        {
            depth = info.depth;
            signals.stop();
        }
    });
    depth
}

/// The mean over all positions, for each number of processors.
pub fn means(rows: &[Row]) -> Vec<Cell> {
    let count = rows.len().max(1) as f64;
    let columns = rows.first().map_or(0, |row| row.cells.len());
    let mean = |column: usize, of: fn(&Cell) -> f64| rows.iter().map(|row| of(&row.cells[column])).sum::<f64>() / count;
    let cell = |column: usize| Cell {
        processors: rows[0].cells[column].processors,
        speedup: mean(column, |cell| cell.speedup),
        nodes: mean(column, |cell| cell.nodes),
        idle: mean(column, |cell| cell.idle),
        span: mean(column, |cell| cell.span as f64) as u64,
        cutoff_work: mean(column, |cell| cell.cutoff_work),
        aborted_work: mean(column, |cell| cell.aborted_work),
        splits: mean(column, |cell| cell.splits),
        nodes_per_second: mean(column, |cell| cell.nodes_per_second),
    };
    (0..columns).map(cell).collect()
}
