//! The search of a case: its machine, table, limits and watch, and what it tells.

use super::case::{Case, MachineKind};
use super::claims::Failure;
use crate::experiment::{algorithm, costs, hosts};
use game::{Bound, Depth, Game, Score};
use search::{
    Limits, Machine, Oracle, Outcome, RecorderLimits, Report, Rules, Searcher, Threads, VirtualMachine, Watch,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{Table, TableLayout};

/// What a search told of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) depth: Depth,
    pub(super) line_number: usize,
    pub(super) score: Score,
    pub(super) bound: Bound,
    pub(super) complete: bool,
    pub(super) nodes: u64,
    pub(super) ticks: u64,
}

/// What a search told and found.
pub(super) struct Seen<M> {
    pub(super) outcome: Outcome<M>,
    pub(super) told: Vec<Told>,
}

/// What may differ between searches of the same case.
pub(super) struct Manner {
    pub(super) machine: Machine,
    /// Are split points and what each processor does recorded?
    pub(super) records: bool,
    pub(super) verify: Option<Oracle>,
}

impl Manner {
    /// On this machine, and nothing else.
    pub(super) fn on(machine: Machine) -> Manner {
        Manner { machine, records: false, verify: None }
    }
}

/// Stops the search when it has asked often enough.
pub(super) struct StopAt {
    left: AtomicU64,
}

impl StopAt {
    /// At the question of this number; never if there is none.
    pub(super) fn new(question: Option<u64>) -> StopAt {
        StopAt { left: AtomicU64::new(question.unwrap_or(u64::MAX)) }
    }
}

impl<M> Watch<M> for StopAt {
    fn expired(&self) -> bool {
        // Once it has said so it goes on saying so.
        let before = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(1)));
        before.is_ok_and(|left| left <= 1)
    }
}

/// Makes a failure of a setting that can't be had.
pub(super) fn unusable(error: impl std::fmt::Display) -> Failure {
    Failure::new("the case can be run", error.to_string())
}

/// The machine of a case.
pub(super) fn machine(case: &Case) -> Result<Machine, Failure> {
    Ok(match case.machine {
        MachineKind::Virtual => Machine::Virtual(VirtualMachine {
            processors: case.processors,
            costs: costs(&case.profile).map_err(unusable)?,
            seed: case.seed,
            hosts: hosts(&case.hosts).map_err(unusable)?,
        }),
        MachineKind::Threads | MachineKind::Ranks => Machine::Threads(Threads::new(case.processors).with_grain(0)),
    })
}

/// The table of a case, empty; none if it has none.
pub(super) fn table(case: &Case) -> Result<Option<Arc<Table>>, Failure> {
    let table = match case.table.as_str() {
        "none" => return Ok(None),
        "ours" => Table::new(1),
        text => Table::with_layout(text.parse::<TableLayout>().map_err(unusable)?, case.processors),
    };
    Ok(Some(Arc::new(table.map_err(unusable)?)))
}

/// The limits of a case.
pub(super) fn limits<M>(case: &Case) -> Limits<M> {
    let plain = Limits::depth(case.depth);
    Limits { nodes: case.nodes.unwrap_or(u64::MAX), ticks: case.ticks, lines: case.lines, ..plain }
}

/// A searcher for the case, with an empty table.
pub(super) fn searcher<R>(case: &Case, rules: R) -> Result<Searcher<R>, Failure> {
    let mut searcher = Searcher::new(rules);
    searcher.algorithm = algorithm(&case.algorithm).map_err(unusable)?;
    if let Some(table) = table(case)? {
        searcher.set_table(table);
    }
    Ok(searcher)
}

/// Keeps what a search tells, and ends it at the report of this number.
pub(super) fn listen<'t, M>(
    told: &'t mut Vec<Told>,
    last: Option<u64>,
) -> impl FnMut(Report<'_, M>) -> ControlFlow<()> + Send + 't {
    move |report: Report<'_, M>| {
        let Report { depth, line_number, score, bound, complete, nodes, ticks, .. } = report;
        told.push(Told { depth, line_number, score, bound, complete, nodes, ticks });
        if last.is_some_and(|last| told.len() as u64 >= last) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Makes the search of a case.
pub(super) fn search<G: Game, R: Rules<G>>(
    case: &Case,
    root: &G,
    rules: R,
    manner: Manner,
) -> Result<Seen<G::Move>, Failure> {
    let mut searcher = searcher(case, rules)?;
    searcher.machine = manner.machine;
    (searcher.log_splits, searcher.verify) = (manner.records, manner.verify);
    searcher.record_trace = manner.records.then(|| RecorderLimits::exact(usize::MAX));
    let (limits, watch, mut told) = (limits(case), StopAt::new(case.stop), Vec::new());
    let outcome = {
        let mut listener = listen(&mut told, case.reports);
        searcher.run_watched(root, &[], &limits, &watch, &mut listener)
    };
    Ok(Seen { outcome, told })
}
