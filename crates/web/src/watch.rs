//! A search on virtual processors with a record of what each did when. The page plays it back in slow motion.

use crate::position::Line;
use chess::{Move, Position, RuleSet, san};
use engine::{EngineCore, Event, GoLimits, SearchRequest, Signals};
use game::{Bound, Game as _};
use search::{
    Costs, Fate, Hosts, Kind, Machine, Occupation, RecorderLimits, SplitRecord, Trace, VirtualMachine, algorithms,
};
use serde::Serialize;
use std::collections::HashMap;

/// The most virtual processors.
pub(crate) const MOST_PROCESSORS: usize = 512;
/// The most nodes of the search on one processor.
pub(crate) const MOST_NODES: u64 = 200_000;
/// The most nodes of all processors together: lazy SMP visits many times those of one.
const MOST_NODES_IN_ALL: u64 = 2_000_000;
/// The most slices, steals and split points of a trace: some megabytes of text.
const MOST_EVENTS: usize = 150_000;
/// The table of a search, in MiB.
const HASH_MIB: usize = 16;

/// What to watch.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) algorithm: String,
    pub(crate) processors: usize,
    pub(crate) nodes: u64,
    pub(crate) seed: u64,
}

/// A slice of a processor's time: processor, beginning, end, index of the activity, split point or -1.
type SliceRow = (usize, u64, u64, usize, i64);
/// A split point: beginning, end, owner, split point above or -1, ply, depth, kind, what became of it, the move that leads there.
type SplitRow = (u64, u64, usize, i64, usize, i32, &'static str, &'static str, String);

/// What there is to see.
#[derive(Debug, Serialize)]
pub(crate) struct Watched {
    algorithm: String,
    processors: usize,
    depth: i32,
    /// Ticks.
    time: u64,
    nodes: u64,
    serial_nodes: u64,
    /// The critical path, in nodes.
    span: u64,
    speedup: f64,
    /// Ticks of work of all processors.
    busy: u64,
    activities: Vec<&'static str>,
    slices: Vec<SliceRow>,
    splits: Vec<SplitRow>,
    /// Time, the processor that gave the work, the one that helps, split point.
    steals: Vec<(u64, usize, usize, usize)>,
    /// Time and split point.
    cuts: Vec<(u64, usize)>,
    /// Was the depth reached? If not, there is no speedup to speak of.
    complete: bool,
    truncated: bool,
}

/// Searches on one processor, and then on many to the same depth.
///
/// # Errors
/// If there is no such algorithm, or no memory; if the search was stopped: one line for the user.
pub(crate) fn watch(line: &Line, wanted: &Wanted, signals: &Signals) -> Result<Watched, String> {
    let algorithm = algorithms::by_name(&wanted.algorithm)
        .ok_or_else(|| format!("there is no algorithm '{}': choose one of the list", wanted.algorithm))?;
    if let Some(over) = line.over() {
        return Err(format!("the game is over ({}): choose another position", over.reason));
    }
    let (depth, serial_nodes) = serial(line, wanted, signals)?;
    let mut core = EngineCore::with(RuleSet::default(), HASH_MIB).map_err(|error| error.to_string())?;
    let processors = wanted.processors.clamp(1, MOST_PROCESSORS);
    core.set_machine(Machine::Virtual(VirtualMachine {
        processors,
        costs: Costs::ideal(),
        seed: wanted.seed,
        hosts: Hosts::one(),
    }));
    core.set_algorithm(algorithm);
    core.record_trace(Some(RecorderLimits { events: MOST_EVENTS, resolution: 1 }));
    let limits = GoLimits { depth: Some(depth), nodes: Some(MOST_NODES_IN_ALL), ..GoLimits::default() };
    let answer = core.search(&request(line, limits), signals, &mut |_| ());
    if signals.is_stopped() {
        return Err("the run was stopped".into());
    }
    let trace = answer.trace.ok_or("the search left no trace")?;
    let time = answer.accounts.time;
    Ok(Watched {
        algorithm: wanted.algorithm.clone(),
        processors,
        depth,
        time,
        nodes: answer.nodes,
        serial_nodes,
        span: answer.work.span,
        speedup: serial_nodes as f64 / time.max(1) as f64,
        busy: answer.accounts.total().busy(),
        activities: Occupation::ALL.map(Occupation::name).to_vec(),
        slices: slices(&trace),
        splits: splits(&trace, line.last()),
        steals: trace.steals.iter().map(|steal| (steal.time, steal.from, steal.to, steal.split)).collect(),
        cuts: trace.cuts().collect(),
        complete: answer.depth >= depth,
        truncated: trace.truncated,
    })
}

fn request(line: &Line, limits: GoLimits) -> SearchRequest {
    let record = line.record();
    SearchRequest { position: record.position, history: record.history, limits }
}

/// The deepest iteration that one processor finishes with so many nodes, and its nodes.
fn serial(line: &Line, wanted: &Wanted, signals: &Signals) -> Result<(i32, u64), String> {
    let mut core = EngineCore::with(RuleSet::default(), HASH_MIB).map_err(|error| error.to_string())?;
    let mut nodes = HashMap::new();
    let limits = GoLimits { nodes: Some(wanted.nodes.clamp(100, MOST_NODES)), ..GoLimits::default() };
    let answer = core.search(&request(line, limits), signals, &mut |event| {
        if let Event::Info(info) = event
            && info.bound == Bound::Exact
        {
            // The last line is told once more at the end.
            nodes.entry(info.depth).or_insert(info.nodes);
        }
    });
    let depth = answer.depth.max(1);
    Ok((depth, nodes.get(&depth).copied().unwrap_or(answer.nodes).max(1)))
}

fn slices(trace: &Trace<Move>) -> Vec<SliceRow> {
    let index = |occupation| Occupation::ALL.iter().position(|&known| known == occupation).unwrap_or(0);
    let of = |split: Option<usize>| split.map_or(-1, |split| split as i64);
    let rows = trace.processors.iter().enumerate().flat_map(|(processor, slices)| {
        slices.iter().map(move |slice| (processor, slice.from, slice.to, index(slice.occupation), of(slice.split)))
    });
    rows.collect()
}

fn splits(trace: &Trace<Move>, root: &Position) -> Vec<SplitRow> {
    let mut positions: Vec<Position> = Vec::with_capacity(trace.splits.len());
    let mut rows = Vec::with_capacity(trace.splits.len());
    for split in &trace.splits {
        // A split point stands in the log behind the one above it.
        let above = split.parent.and_then(|parent| positions.get(parent)).unwrap_or(root);
        let (position, last) = follow(above, split);
        positions.push(position);
        let end = if split.end == 0 { trace.time } else { split.end };
        let parent = split.parent.map_or(-1, |parent| parent as i64);
        let (kind, fate) = (kind_name(split.kind), fate_name(split.fate));
        rows.push((split.start, end, split.processor, parent, split.ply, split.depth, kind, fate, last));
    }
    rows
}

/// The position of a split point, and the move that leads to it; empty at the root and after a pass.
fn follow(above: &Position, split: &SplitRecord<Move>) -> (Position, String) {
    let mut position = above.clone();
    let mut last = String::new();
    for mv in &split.line {
        (last, position) = match mv {
            Some(mv) => (san(&position, *mv), position.play(*mv)),
            None => (String::new(), position.pass().unwrap_or(position)),
        };
    }
    (position, last)
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Pv => "PV",
        Kind::Cut => "CUT",
        Kind::All => "ALL",
    }
}

fn fate_name(fate: Fate) -> &'static str {
    match fate {
        Fate::Kept => "done",
        Fate::Cut => "cut",
        Fate::Abandoned => "abandoned",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;

    #[test]
    fn what_is_seen_adds_up() {
        let line = Line::of(&Game::default()).unwrap();
        for algorithm in ["jubilee", "dts", "pvs"] {
            let wanted = Wanted { algorithm: algorithm.into(), processors: 8, nodes: 3_000, seed: 1 };
            let seen = watch(&line, &wanted, &Signals::new()).unwrap();
            assert!(
                !seen.truncated && seen.time > 0 && !seen.splits.is_empty() && !seen.steals.is_empty(),
                "{algorithm}"
            );
            let working = seen.activities.iter().position(|&name| name == "working").unwrap();
            let worked: u64 =
                seen.slices.iter().filter(|slice| slice.3 == working).map(|slice| slice.2 - slice.1).sum();
            assert!(worked <= seen.busy && worked * 10 >= seen.busy * 9, "{algorithm}: {worked} of {}", seen.busy);
            assert!(
                seen.slices.iter().all(|slice| slice.0 < 8 && slice.1 < slice.2 && slice.4 < seen.splits.len() as i64)
            );
            assert!(seen.splits.iter().enumerate().all(|(number, split)| split.3 < number as i64));
        }
        let wanted = Wanted { algorithm: "none".into(), processors: 8, nodes: 3_000, seed: 1 };
        assert!(watch(&line, &wanted, &Signals::new()).unwrap_err().contains("no algorithm 'none'"));
    }
}
