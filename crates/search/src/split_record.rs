//! What is recorded of every split point, where a log is wanted.

use crate::Kind;
use game::Depth;
use parking_lot::Mutex;

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
    /// When its owner went on.
    pub end: u64,
    /// Number of helpers that came.
    pub helpers: u32,
    /// Nodes that helpers searched.
    pub help: u64,
    /// What became of it.
    pub fate: Fate,
}

/// The log of a search.
pub(crate) type SplitLog<M> = Mutex<Vec<SplitRecord<M>>>;
