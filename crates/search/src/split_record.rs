//! What is recorded of every split point, where a log is wanted.

use crate::Kind;
use game::Depth;
use parking_lot::Mutex;
use scheduler::Recorder;
use std::sync::Arc;

/// What became of a split point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// All its moves were searched.
    Kept,
    /// A move of it cut it off.
    Cut,
    /// A split point above it was cut off, or the search was over.
    #[default]
    Abandoned,
}

/// One split point.
#[derive(Clone, Debug)]
pub struct SplitRecord<M> {
    /// The split point above it, by its place in the log; none where its owner is the first strand and shares nothing
    /// above.
    pub parent: Option<usize>,
    /// The moves that lead from there to here, or from the root; none stands for a pass.
    pub line: Vec<Option<M>>,
    /// Its distance from the root.
    pub ply: usize,
    /// Plies left to search.
    pub depth: Depth,
    /// What the node was expected to be.
    pub kind: Kind,
    /// Moves that were left when it was shared.
    pub moves: usize,
    /// The processor that shared it.
    pub processor: usize,
    /// When, on the machine's own clock.
    pub start: u64,
    /// When its owner went on; zero if it has not.
    pub end: u64,
    /// When a move cut it off, if one did. (It may be of no use for another reason by then.)
    pub cut_at: Option<u64>,
    /// Number of helpers that came.
    pub helpers: u32,
    /// Nodes that helpers searched.
    pub help: u64,
    /// What became of it.
    pub fate: Fate,
}

impl<M> SplitRecord<M> {
    /// The move that leads to the node; none at the root and after a pass.
    pub fn last_move(&self) -> Option<&M> {
        self.line.last()?.as_ref()
    }
}

/// The log of a search.
#[derive(Debug)]
pub(crate) struct SplitLog<M> {
    pub(crate) records: Mutex<Vec<SplitRecord<M>>>,
    /// Where the log is part of a trace: asked for each split point whether it may still be recorded.
    recorder: Option<Arc<Recorder>>,
    /// Is every split point wanted, even if the trace is full?
    is_whole: bool,
}

impl<M> SplitLog<M> {
    pub(crate) fn new(recorder: Option<Arc<Recorder>>, is_whole: bool) -> SplitLog<M> {
        SplitLog { records: Mutex::default(), recorder, is_whole }
    }

    /// All records, when the search is over.
    pub(crate) fn finish(self: Arc<Self>) -> Vec<SplitRecord<M>>
    where
        M: Clone,
    {
        match Arc::try_unwrap(self) {
            Ok(log) => log.records.into_inner(),
            Err(shared) => shared.records.lock().clone(),
        }
    }

    /// Adds a record; its place. None if there is no room for it.
    pub(crate) fn add(&self, record: SplitRecord<M>) -> Option<usize> {
        if self.recorder.as_ref().is_some_and(|recorder| !recorder.admits()) && !self.is_whole {
            return None;
        }
        let mut records = self.records.lock();
        records.push(record);
        Some(records.len() - 1)
    }
}
