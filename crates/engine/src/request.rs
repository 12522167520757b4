//! What a search is asked to do.

use crate::TimeControl;
use chess::{Move, Position};
use game::Depth;

/// The limits of a search. The default is no limit at all.
#[derive(Clone, Debug, Default)]
pub struct GoLimits {
    /// Iterate no deeper.
    pub depth: Option<Depth>,
    /// Visit no more nodes.
    pub nodes: Option<u64>,
    /// Stop when the clock of a virtual machine shows this time. Machines of other kinds pay no attention to it.
    pub ticks: Option<u64>,
    /// Stop at a mate in this many moves.
    pub mate: Option<u32>,
    /// The clock.
    pub time: TimeControl,
    /// Answer only when stopped.
    pub infinite: bool,
    /// Search only these moves; empty for all.
    pub only: Vec<Move>,
}

impl GoLimits {
    /// Does the search end only when it is told to?
    pub fn is_endless(&self) -> bool {
        let unlimited = self.time == TimeControl::Unlimited && self.ticks.is_none();
        self.infinite || (unlimited && self.depth.is_none() && self.nodes.is_none() && self.mate.is_none())
    }
}

/// What to search.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    /// The position.
    pub position: Position,
    /// Keys of the positions of the game before it, oldest first.
    pub history: Vec<u64>,
    /// The limits of the search.
    pub limits: GoLimits,
}

impl SearchRequest {
    /// A request to search a position without a past.
    pub fn new(position: Position, limits: GoLimits) -> SearchRequest {
        SearchRequest { position, history: Vec::new(), limits }
    }
}
