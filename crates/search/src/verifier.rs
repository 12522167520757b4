//! What the debug mode compares the results of nodes with, and what came out.

use crate::{FrameMemory, Path};
use game::Game;
use parking_lot::Mutex;
use std::sync::atomic::AtomicU64;

/// What the result of every node is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// [`game::negamax`], for games without quiescence and rules that search full width.
    Negamax,
    /// A serial search of the node by the same rules, which have learned nothing, without a table. For rules by which the
    /// value of a node depends neither on the window nor on the order of its moves.
    SerialSearch,
}

/// What was compared with an oracle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// The number of nodes that were compared.
    pub nodes: u64,
    /// The first node whose result was wrong, after which the search stopped.
    pub failure: Option<String>,
}

/// Compares the results of nodes with an oracle.
pub(crate) struct Verifier<G: Game, R: FrameMemory> {
    pub(crate) oracle: Oracle,
    pub(crate) nodes: AtomicU64,
    pub(crate) failure: Mutex<Option<String>>,
    /// Paths and rules of serial searches that are done.
    pub(crate) idle: Mutex<Vec<(Path<G, R>, R)>>,
}

impl<G: Game, R: FrameMemory> Verifier<G, R> {
    pub(crate) fn new(oracle: Oracle) -> Self {
        Verifier { oracle, nodes: AtomicU64::new(0), failure: Mutex::default(), idle: Mutex::default() }
    }

    /// What was compared in the end.
    pub(crate) fn report(self) -> Verification {
        Verification { nodes: self.nodes.into_inner(), failure: self.failure.into_inner() }
    }
}
