//! The study of one search: its parallelism over ideal time, its split points, and where the time of its processors
//! went.

use crate::bench::AccountRow;
use crate::experiment::{Goal, LabError, MachineKind, Run, algorithm, costs, hosts, perform};
use crate::trace_file::TraceFile;
use chess::{Position, RuleSet};
use engine::{EngineCore, GoLimits, SearchRequest, Signals};
use search::{Account, Fate, Kind, Machine, SplitRecord, VirtualMachine};
use serde::Serialize;

/// The results of one search.
#[derive(Clone, Debug)]
pub struct Portrait {
    /// The search.
    pub run: Run,
    /// The depth.
    pub depth: i32,
    /// The best move.
    pub best_move: String,
    /// Nodes of one processor.
    pub serial_nodes: u64,
    /// Nodes visited.
    pub nodes: u64,
    /// The critical path.
    pub span: u64,
    /// The machine's time, in ticks.
    pub time: u64,
    /// Ideal time of each interval of the profile.
    pub width: u64,
    /// Nodes in each interval of ideal time.
    pub profile: Vec<u64>,
    /// The accounts of all processors together.
    pub accounts: AccountRow,
    /// The account of each processor.
    pub processors: Vec<Account>,
    /// Every split point, in the order they were made.
    pub splits: Vec<SplitRow>,
}

/// One split point: its owner, its place in the tree, and what became of it.
#[derive(Clone, Debug, Serialize)]
pub struct SplitRow {
    /// Its number.
    pub number: usize,
    /// The number of the split point above it.
    pub parent: Option<usize>,
    /// The moves from the root.
    pub line: String,
    /// Its ply.
    pub ply: usize,
    /// Its depth.
    pub depth: i32,
    /// What the node was expected to be: pv, cut or all.
    pub kind: &'static str,
    /// Moves that were left when it was made.
    pub moves: usize,
    /// The processor that shared it.
    pub processor: usize,
    /// When it was shared, in ticks.
    pub start: u64,
    /// When its owner went on, in ticks.
    pub end: u64,
    /// Number of helpers that joined.
    pub helpers: u32,
    /// Nodes that helpers searched.
    pub help: u64,
    /// What became of it: kept, cut or abandoned.
    pub fate: &'static str,
}

/// One interval of ideal time.
#[derive(Clone, Debug, Serialize)]
pub struct Interval {
    /// When it begins, in nodes of one processor.
    pub ideal_time: u64,
    /// Nodes searched in it.
    pub nodes: u64,
    /// Nodes searched at the same time.
    pub parallelism: f64,
}

impl Portrait {
    /// Makes the search of a run on virtual processors. Where its goal is a number of nodes, a search on one processor
    /// chooses the depth. The trace of the search is added to the file, if there is one.
    ///
    /// # Errors
    /// If the run has a wrong setting, there is no memory for its table, or the file can't be written.
    pub fn make(run: &Run, traces: Option<&mut TraceFile>) -> Result<Portrait, LabError> {
        run.check()?;
        if run.machine != MachineKind::Virtual || run.algorithm == "serial" {
            return Err(LabError::Settings("a profile is made on virtual processors, by a parallel algorithm".into()));
        }
        let serial = perform(&Run { algorithm: "serial".into(), processors: 1, hosts: String::new(), ..run.clone() })?;
        let run = Run { goal: Goal::Depth(serial.depth), ..run.clone() };
        let position: Position =
            run.fen.parse().map_err(|error: chess::FenError| LabError::Settings(error.to_string()))?;
        let mut engine = EngineCore::with(RuleSet::parse(&run.rules).map_err(LabError::Rules)?, run.hash)?;
        engine.set_algorithm(algorithm(&run.algorithm)?);
        let (processors, seed) = (run.processors, run.seed);
        let hosts = hosts(&run.hosts)?;
        engine.set_machine(Machine::Virtual(VirtualMachine { processors, costs: costs(&run.profile)?, seed, hosts }));
        engine.log_splits();
        engine.record_trace(traces.as_ref().map(|traces| traces.limits()));
        let limits = GoLimits { depth: Some(serial.depth), ..GoLimits::default() };
        let answer = engine.search(&SearchRequest::new(position, limits), &Signals::new(), &mut |_| {});
        if let (Some(traces), Some(trace)) = (traces, &answer.trace) {
            traces.add(&run.fen, trace).map_err(LabError::Write)?;
        }
        Ok(Portrait {
            depth: serial.depth,
            best_move: answer.best.map_or_else(String::new, |mv| format!("{mv:?}")),
            serial_nodes: serial.nodes,
            nodes: answer.nodes,
            span: answer.work.span,
            time: answer.accounts.time,
            width: answer.work.profile.width(),
            profile: answer.work.profile.buckets().to_vec(),
            accounts: AccountRow::new(&answer.work, &answer.accounts),
            processors: answer.accounts.processors,
            splits: split_rows(&answer.splits, answer.accounts.time),
            run,
        })
    }

    /// The parallelism over ideal time.
    pub fn intervals(&self) -> Vec<Interval> {
        let interval = |(index, &nodes): (usize, &u64)| {
            let start = index as u64 * self.width;
            // The last interval ends at the end of the critical path.
            let width = self.width.min(self.span.saturating_sub(start).max(1));
            Interval { ideal_time: start, nodes, parallelism: nodes as f64 / width as f64 }
        };
        self.profile.iter().enumerate().map(interval).collect()
    }

    /// The median parallelism over ideal time.
    pub fn median_parallelism(&self) -> f64 {
        let values: Vec<f64> = self.intervals().iter().map(|interval| interval.parallelism).collect();
        crate::experiment::statistics::median(&values)
    }
}

fn split_rows<M: std::fmt::Debug>(records: &[SplitRecord<M>], time: u64) -> Vec<SplitRow> {
    let mut rows: Vec<SplitRow> = Vec::with_capacity(records.len());
    for (number, record) in records.iter().enumerate() {
        let moves = record.line.iter().map(|mv| mv.as_ref().map_or_else(|| "pass".into(), |mv| format!("{mv:?}")));
        let above = record.parent.and_then(|parent| rows.get(parent)).map(|row| row.line.clone());
        let line: Vec<String> = above.filter(|line| !line.is_empty()).into_iter().chain(moves).collect();
        rows.push(SplitRow {
            number,
            parent: record.parent,
            line: line.join(" "),
            ply: record.ply,
            depth: record.depth,
            kind: match record.kind {
                Kind::Pv => "pv",
                Kind::Cut => "cut",
                Kind::All => "all",
            },
            moves: record.moves,
            processor: record.processor,
            start: record.start,
            end: if record.end == 0 { time } else { record.end },
            helpers: record.helpers,
            help: record.help,
            fate: match record.fate {
                Fate::Kept => "kept",
                Fate::Cut => "cut",
                Fate::Abandoned => "abandoned",
            },
        });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_portrait_accounts_for_everything() {
        let run = Run { processors: 16, goal: Goal::Nodes(3000), ..crate::experiment::tests::small_run() };
        let portrait = Portrait::make(&run, None).unwrap();
        assert_eq!(portrait.profile.iter().sum::<u64>(), portrait.nodes);
        assert_eq!(portrait.splits.len() as u64, portrait.accounts.sharing.splits);
        let helpers: u64 = portrait.splits.iter().map(|split| u64::from(split.helpers)).sum();
        assert!(helpers <= portrait.accounts.sharing.steals && helpers * 10 > portrait.accounts.sharing.steals * 9);
        assert!(portrait.splits.iter().all(|split| split.parent.is_none_or(|parent| parent < split.number)));
        assert!(portrait.splits.iter().all(|split| split.line.split_whitespace().count() == split.ply));
        let cut = portrait.splits.iter().filter(|split| split.fate == "cut").count() as u64;
        assert!(cut > 0 && cut <= portrait.accounts.sharing.cutoffs, "{cut} of {}", portrait.accounts.sharing.cutoffs);
    }
}
