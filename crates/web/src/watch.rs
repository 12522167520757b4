//! A search with a record of what each processor did when: on virtual processors, which the page plays back in slow motion, or on
//! threads, while it runs.

use crate::position::Line;
use crate::trace_rows::{RowWriter, TraceRows, activities};
use chess::{Move, RuleSet};
use engine::{Answer, EngineCore, Event, GoLimits, SearchRequest, Signals};
use game::Bound;
use search::algorithms::{self, Algorithm};
use search::{Costs, Hosts, LiveTrace, Machine, RecorderLimits, Threads, VirtualMachine};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// The most virtual processors.
pub(crate) const MOST_PROCESSORS: usize = 512;
/// The most nodes of the search on one processor.
pub(crate) const MOST_NODES: u64 = 200_000;
/// The same where threads search.
pub(crate) const MOST_NODES_OF_THREADS: u64 = 10_000_000;
/// The most nodes of all processors together: lazy SMP visits many times those of one.
const NODES_OF_ALL: u64 = 10;
/// The most slices, steals and split points of a trace: some megabytes of text.
const MOST_EVENTS: usize = 150_000;
/// The table of a search, in MiB.
const HASH_MIB: usize = 16;
/// How often the page gets what threads have done.
const PART: Duration = Duration::from_millis(100);

/// What searches.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    #[default]
    Virtual,
    Threads,
}

/// What to watch.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) machine: Kind,
    pub(crate) algorithm: String,
    pub(crate) processors: usize,
    pub(crate) nodes: u64,
    pub(crate) seed: u64,
}

/// What is known before the search on many processors.
#[derive(Debug, Serialize)]
pub(crate) struct Beginning {
    algorithm: String,
    processors: usize,
    /// What times are measured in: `ticks` or `nanoseconds`.
    unit: &'static str,
    activities: Vec<&'static str>,
    depth: i32,
    serial_nodes: u64,
}

/// What is known at the end.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    time: u64,
    nodes: u64,
    /// The critical path, in nodes.
    span: u64,
    speedup: f64,
    /// The time of all processors with work.
    busy: u64,
    /// Was the depth reached? If not, there is no speedup to speak of.
    complete: bool,
    truncated: bool,
}

/// What is told while a search is watched.
#[derive(Debug)]
pub(crate) enum Seen {
    Begins(Beginning),
    Part(TraceRows),
}

/// The algorithm of this name.
///
/// # Errors
/// If there is none: one line for the user.
pub(crate) fn algorithm(name: &str) -> Result<Algorithm, String> {
    algorithms::by_name(name).ok_or_else(|| format!("there is no algorithm '{name}': choose one of the list"))
}

/// What one processor needed for a depth.
struct Serial {
    depth: i32,
    nodes: u64,
    time: Duration,
}

/// Searches on one processor, and then on many to the same depth. `threads` is the most that may be used.
///
/// # Errors
/// If there is no such algorithm, or no memory; if the search was stopped: one line for the user.
pub(crate) fn watch(
    line: &Line,
    wanted: &Wanted,
    threads: usize,
    signals: &Signals,
    tell: &(dyn Fn(Seen) + Sync),
) -> Result<Summary, String> {
    let algorithm = algorithm(&wanted.algorithm)?;
    if let Some(over) = line.over() {
        return Err(format!("the game is over ({}): choose another position", over.reason));
    }
    let (most_processors, most_nodes) = match wanted.machine {
        Kind::Virtual => (MOST_PROCESSORS, MOST_NODES),
        Kind::Threads => (threads, MOST_NODES_OF_THREADS),
    };
    let processors = wanted.processors.clamp(1, most_processors);
    let serial = serial(line, wanted.nodes.clamp(100, most_nodes), signals)?;
    let mut core = EngineCore::with(RuleSet::default(), HASH_MIB).map_err(|error| error.to_string())?;
    core.set_machine(match wanted.machine {
        Kind::Virtual => {
            let (costs, hosts) = (Costs::ideal(), Hosts::one());
            Machine::Virtual(VirtualMachine { processors, costs, seed: wanted.seed, hosts })
        }
        Kind::Threads => Machine::Threads(Threads::new(processors)),
    });
    core.set_algorithm(algorithm);
    core.record_trace(Some(RecorderLimits { events: MOST_EVENTS, resolution: 1 }));
    tell(Seen::Begins(Beginning {
        algorithm: wanted.algorithm.clone(),
        processors,
        unit: if wanted.machine == Kind::Virtual { "ticks" } else { "nanoseconds" },
        activities: activities(),
        depth: serial.depth,
        serial_nodes: serial.nodes,
    }));
    let limits = GoLimits { depth: Some(serial.depth), nodes: Some(NODES_OF_ALL * most_nodes), ..GoLimits::default() };
    let request = request(line, limits);
    let answer = match wanted.machine {
        Kind::Virtual => core.search(&request, signals, &mut |_| ()),
        Kind::Threads => search_live(&mut core, &request, signals, tell),
    };
    if signals.is_stopped() {
        return Err("the run was stopped".into());
    }
    let trace = answer.trace.as_ref().ok_or("the search left no trace")?;
    if wanted.machine == Kind::Virtual {
        tell(Seen::Part(RowWriter::new(line.last()).whole(trace)));
    }
    let time = answer.accounts.time;
    // A node takes a tick.
    let alone = if wanted.machine == Kind::Virtual { serial.nodes as f64 } else { serial.time.as_nanos() as f64 };
    Ok(Summary {
        time,
        nodes: answer.nodes,
        span: answer.work.span,
        speedup: alone / time.max(1) as f64,
        busy: answer.accounts.total().busy(),
        complete: answer.depth >= serial.depth,
        truncated: trace.truncated,
    })
}

/// Searches, and tells what the processors do meanwhile.
fn search_live(
    core: &mut EngineCore,
    request: &SearchRequest,
    signals: &Signals,
    tell: &(dyn Fn(Seen) + Sync),
) -> Answer {
    let (begin, begun) = channel();
    std::thread::scope(|scope| {
        let writer = RowWriter::new(&request.position);
        let teller = scope.spawn(move || tell_parts(begun, writer, tell));
        let answer = core.search(request, signals, &mut |event| {
            if let Event::Recording(trace) = event {
                // The teller hears until the channel is closed.
                let _ = begin.send(trace);
            }
        });
        drop(begin);
        let _ = teller.join();
        answer
    })
}

/// Tells part by part what is recorded, until the channel that has brought the trace is closed.
#[expect(clippy::needless_pass_by_value, reason = "the receiver moves to the thread of the teller")]
fn tell_parts(begun: Receiver<LiveTrace<Move>>, mut writer: RowWriter, tell: &(dyn Fn(Seen) + Sync)) {
    let Ok(mut trace) = begun.recv() else { return };
    loop {
        let is_over = matches!(begun.recv_timeout(PART), Err(RecvTimeoutError::Disconnected));
        tell(Seen::Part(writer.part(&trace.look(is_over))));
        if is_over {
            return;
        }
    }
}

fn request(line: &Line, limits: GoLimits) -> SearchRequest {
    let record = line.record();
    SearchRequest { position: record.position, history: record.history, limits }
}

/// The last iteration that one processor finishes within so many nodes.
fn serial(line: &Line, nodes: u64, signals: &Signals) -> Result<Serial, String> {
    let mut core = EngineCore::with(RuleSet::default(), HASH_MIB).map_err(|error| error.to_string())?;
    let mut ends = HashMap::new();
    let limits = GoLimits { nodes: Some(nodes), ..GoLimits::default() };
    let answer = core.search(&request(line, limits), signals, &mut |event| {
        if let Event::Info(info) = event
            && info.bound == Bound::Exact
        {
            // The last line is told once more at the end.
            ends.entry(info.depth).or_insert((info.nodes, info.time));
        }
    });
    let depth = answer.depth.max(1);
    let (nodes, time) = ends.get(&depth).copied().unwrap_or((answer.nodes, Duration::ZERO));
    Ok(Serial { depth, nodes: nodes.max(1), time })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;
    use parking_lot::Mutex;

    /// What is told of a search, all parts in one.
    fn seen(wanted: &Wanted) -> (Beginning, TraceRows, Summary) {
        let line = Line::of(&Game::default()).unwrap();
        let (begin, rows) = (Mutex::new(None), Mutex::new(TraceRows::default()));
        let summary = watch(&line, wanted, 2, &Signals::new(), &|seen| match seen {
            Seen::Begins(told) => *begin.lock() = Some(told),
            Seen::Part(part) => {
                let mut rows = rows.lock();
                rows.slices.extend(part.slices);
                rows.splits.extend(part.splits);
                part.ends.into_iter().for_each(|(number, end)| rows.splits[number].7 = end);
                rows.steals.extend(part.steals);
            }
        });
        (begin.into_inner().unwrap(), rows.into_inner(), summary.unwrap())
    }

    #[test]
    fn what_is_seen_adds_up() {
        for (machine, nodes, algorithm) in [
            (Kind::Virtual, 3_000, "jubilee"),
            (Kind::Virtual, 3_000, "dts"),
            (Kind::Virtual, 3_000, "pvs"),
            (Kind::Threads, 50_000, "jubilee"),
        ] {
            let (begin, rows, summary) =
                seen(&Wanted { machine, algorithm: algorithm.into(), processors: 8, nodes, seed: 1 });
            let name = format!("{machine:?} {algorithm}");
            let processors = if machine == Kind::Virtual { 8 } else { 2 };
            assert_eq!(begin.processors, processors, "{name}");
            assert!(!summary.truncated && summary.complete && summary.time > 0 && summary.speedup > 0.0, "{name}");
            assert!(!rows.splits.is_empty() && !rows.steals.is_empty(), "{name}");
            assert!(rows.splits.iter().all(|split| split.7.0 > 0), "{name}: every split point has an end");
            let working = begin.activities.iter().position(|&name| name == "working").unwrap();
            let worked: u64 =
                rows.slices.iter().filter(|slice| slice.3 == working).map(|slice| slice.2 - slice.1).sum();
            assert!(
                worked * 10 <= summary.busy * 11 && worked * 10 >= summary.busy * 9,
                "{name}: {worked} of {}",
                summary.busy
            );
            let is_sound = |slice: &(usize, u64, u64, usize, i64)| {
                slice.0 < processors && slice.1 < slice.2 && slice.4 < rows.splits.len() as i64
            };
            assert!(rows.slices.iter().all(is_sound), "{name}");
            assert!(rows.splits.iter().enumerate().all(|(number, split)| split.2 < number as i64), "{name}");
        }
        let line = Line::of(&Game::default()).unwrap();
        let wanted = Wanted { machine: Kind::Virtual, algorithm: "none".into(), processors: 8, nodes: 3_000, seed: 1 };
        let refused = watch(&line, &wanted, 1, &Signals::new(), &|_| ());
        assert!(refused.unwrap_err().contains("no algorithm 'none'"));
    }
}
