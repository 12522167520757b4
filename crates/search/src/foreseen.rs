//! What a strand knows of the next iteration before this one has ended (`ahead.rs`).

use game::{Depth, Score, Window};

/// What the next iteration will begin with, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FirstMove<M> {
    pub(crate) mv: M,
    pub(crate) depth: Depth,
    pub(crate) window: Window,
}

/// The first move of the next iteration has been searched.
pub(crate) struct Foreseen<M> {
    pub(crate) first: FirstMove<M>,
    pub(crate) score: Score,
    pub(crate) line: Vec<M>,
    /// The stamp at which it was done.
    pub(crate) stamp: u64,
}

/// How far a strand that owns the root is ahead of its iteration.
pub(crate) struct Ahead<M> {
    /// The depth of the iteration that is under way.
    pub(crate) depth: Depth,
    /// Is it wanted that the strand looks ahead? (Not where several lines are.)
    pub(crate) is_wanted: bool,
    /// While the strand is ahead: what the best move was when it began, and its score.
    pub(crate) assumed: Option<(M, Score)>,
    pub(crate) foreseen: Option<Foreseen<M>>,
    /// Was the end of the iteration told while the strand was ahead?
    pub(crate) is_told: bool,
}

impl<M> Default for Ahead<M> {
    fn default() -> Self {
        Ahead { depth: 0, is_wanted: false, assumed: None, foreseen: None, is_told: false }
    }
}
