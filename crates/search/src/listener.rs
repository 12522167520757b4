//! What a search tells while it runs, and who is told.

use game::{Bound, Depth, Score};
use std::ops::ControlFlow;

/// What a search has to say while it runs.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a, M> {
    /// The depth of this iteration.
    pub depth: Depth,
    /// The longest path looked at.
    pub reach: usize,
    /// Which of the best lines this is, from 0.
    pub line_number: usize,
    /// The score of the line.
    pub score: Score,
    /// What the score says: exact, or outside an aspiration window and being searched again.
    pub bound: Bound,
    /// The line.
    pub line: &'a [M],
    /// Nodes visited so far.
    pub nodes: u64,
    /// Time so far on the machine's own clock: ticks of a virtual machine, nanoseconds on threads, nodes where the search runs
    /// alone.
    pub ticks: u64,
    /// The critical path so far, in nodes.
    pub span: u64,
    /// The time with work of all processors of a virtual machine so far; zero elsewhere.
    pub busy: u64,
    /// Positions answered by tables outside the search.
    pub known_hits: u64,
    /// Nodes spent below the first root move.
    pub best_nodes: u64,
    /// Is this the last line of a finished iteration?
    pub complete: bool,
}

/// Called with each report of a search; it may end the search.
pub type Listener<'a, M> = dyn FnMut(Report<'_, M>) -> ControlFlow<()> + Send + 'a;
