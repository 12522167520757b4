//! When a search has to end, and how it is watched from outside. The search itself knows no clock.

use crate::LiveTrace;
use game::Depth;

/// What bounds a search from within. Time and the user's patience bound it from without, through [`Watch`].
///
/// ```
/// use game::connect_four::{Column, ConnectFour};
/// use jamboree_search::{Limits, Plain, Searcher};
///
/// // At most 10,000 nodes, only two of the moves, and both of them as lines.
/// let only: Vec<Column> = [2, 4].into_iter().filter_map(Column::new).collect();
/// let limits = Limits { only, lines: 2, ..Limits::nodes(10_000) };
/// let outcome = Searcher::new(Plain::default()).run(&ConnectFour::new(), &[], &limits);
/// assert!(outcome.moves.len() == 2 && outcome.nodes <= 10_000);
/// ```
#[derive(Clone, Debug)]
pub struct Limits<M> {
    /// Iterate no deeper than this.
    pub depth: Depth,
    /// Visit no more nodes than this. Kept to the node on one processor; several may overshoot it by what they visit
    /// between two looks.
    pub nodes: u64,
    /// Stop when the clock of a virtual machine shows this time. Machines of other kinds pay no attention to it.
    pub ticks: Option<u64>,
    /// Stop when a win within this many plies has been proved.
    pub win_in: Option<usize>,
    /// Search only these root moves; empty for all.
    pub only: Vec<M>,
    /// How many best lines to find.
    pub lines: usize,
}

/// Deep enough for every search, with room below for quiescence.
pub(crate) const MAX_DEPTH: Depth = game::MAX_PLY as Depth - 8;

impl<M> Default for Limits<M> {
    fn default() -> Self {
        Limits { depth: MAX_DEPTH, nodes: u64::MAX, ticks: None, win_in: None, only: Vec::new(), lines: 1 }
    }
}

impl<M> Limits<M> {
    /// A search to a fixed depth.
    pub fn depth(depth: Depth) -> Self {
        Limits { depth: depth.clamp(1, MAX_DEPTH), ..Limits::default() }
    }

    /// A search of a fixed number of nodes.
    pub fn nodes(nodes: u64) -> Self {
        Limits { nodes, ..Limits::default() }
    }
}

/// Watches a search from outside: the clock, and the user who may say stop.
pub trait Watch<M>: Sync {
    /// Asked every thousand nodes or so: must the search stop now?
    fn expired(&self) -> bool;

    /// A root move is about to be searched: its number in the order of search, from 1, and the move.
    fn root_move(&self, _number: usize, _mv: M) {}

    /// A search whose trace is recorded begins; any thread may look at the trace while it grows.
    fn recording(&self, _trace: LiveTrace<M>) {}
}

/// No watch: only the limits end the search.
pub struct NoWatch;

impl<M> Watch<M> for NoWatch {
    fn expired(&self) -> bool {
        false
    }
}
