//! The algorithms: which frames may be shared, when a move that failed its test is valued, what a waiting processor does.
//!
//! Driver and scheduler are the same for all of them. An algorithm is a plain value that they read.

mod abdada;
mod dts;
mod epvs;
mod jamboree;
mod jubilee;
mod lazy_smp;
mod list;
mod pvs;
mod root_split;
mod serial;
mod switches;
mod young_brothers;

use crate::Kind;
pub use abdada::ABDADA;
pub use dts::DYNAMIC_TREE_SPLITTING;
pub use epvs::ENHANCED_PVS;
use game::{Depth, Score, Window};
pub use jamboree::JAMBOREE;
pub use jubilee::JUBILEE;
pub use lazy_smp::LAZY_SMP;
pub use list::{DEFAULT, NAMES, all, by_name, default};
pub use pvs::PRINCIPAL_VARIATION_SPLITTING;
pub use root_split::ROOT_SPLIT;
use scheduler::{Asking, Waiting};
pub use serial::SERIAL;
pub use switches::{SWITCHES, Switches};
pub use young_brothers::YOUNG_BROTHERS;

/// What an algorithm may know about a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameView {
    /// Its distance from the root.
    pub ply: usize,
    /// What the node is expected to be.
    pub kind: Kind,
    /// How many moves have been searched or are being searched.
    pub tried: usize,
    /// Has a move been searched to the end?
    pub finished: bool,
    /// Is it a search with a move excluded, or one that verifies another?
    pub is_side_search: bool,
    /// The best score so far.
    pub best: Score,
    /// Plies left to search.
    pub depth: Depth,
    /// By how many plies the moves that lead there were extended.
    pub extensions: Depth,
    /// How many moves no strand has taken; known of frames that may be shared.
    pub moves_left: usize,
    /// Does the game force the mover's hand? (In chess: the king is in check.) Known of frames that may be shared.
    pub is_forced: bool,
    /// How sure the algorithm is of the kind, from 0 to `CERTAIN`.
    pub confidence: i64,
}

/// The highest confidence.
pub(crate) const CERTAIN: i64 = 8;

/// When a move that failed its test at a split point is valued, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Valuing {
    /// At once, by the strand that tested it.
    AtOnce,
    /// One move at a time, the earliest first; meanwhile the strand that tested another one goes on testing.
    OneAtATime,
    /// One at a time, and only when all tests of earlier moves are done (StarTech figure 2, line J12).
    InTurn,
}

/// Which nodes may be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All.
    Everywhere,
    /// Only the root; every member goes by the best move that it has found itself.
    Root,
    /// Only the first moves of first moves, from the root down; the deepest of these nodes from its first move on.
    LeftmostPath,
}

/// When the members of a split point stop, to help one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gathering {
    /// Never.
    Never,
    /// At the root, when a move beats the best one (Cray Blitz, third version).
    ForNewBest,
    /// Also when no move is left: with the first of the unfinished moves (EPVS).
    ForUnfinished,
}

/// The order of the root's moves in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootOrder {
    /// By the scores of the iteration before.
    Scores,
    /// The best move, then the others by the nodes that the iteration before spent on them, most first (Cray Blitz, third
    /// version).
    Nodes,
}

/// How processors come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// One processor searches the root; the others ask for work.
    OnRequest,
    /// Every processor searches the root.
    Everyone {
        /// Every second processor searches one ply deeper.
        staggered: bool,
        /// A move that another processor is searching is deferred.
        exclusive: bool,
    },
}

/// In [`Algorithm::share_after`]: nodes of this kind are not shared.
pub const NEVER: usize = usize::MAX;

/// In [`Algorithm::patience`]: a request waits until there is something to share, or the strand ends.
const UNTIL_THERE_IS_WORK: u32 = u32::MAX;
/// How often a request is deferred where the algorithm says nothing else.
const PATIENCE: u32 = 8;

/// A policy for parallel search.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    name: &'static str,
    /// Number of moves of a node that are searched before the others may be shared, by kind (PV, CUT, ALL); [`NEVER`].
    pub share_after: [usize; 3],
    /// Which nodes may be shared at all.
    pub scope: Scope,
    /// Of the frames that may be shared, the one with the highest priority is shared; a frame without priority is not. The
    /// second view is that of the next frame of the path.
    pub priority: fn(&FrameView, Option<&FrameView>) -> Option<i64>,
    /// Corrects the types of a path's frames, seen together, before they get their priorities. The window is that of the
    /// root.
    pub settle_types: fn(&mut [FrameView], Window),
    /// When a move that failed its test at a split point is valued.
    pub valuing: Valuing,
    /// How processors come together.
    pub together: Together,
    /// Number of nodes during which a strand ignores requests after it had nothing to share, or was asked for an offer.
    /// Zero: it defers the request for a few nodes instead.
    pub deafness: u64,
    /// How often a request is deferred before it is refused.
    pub patience: u32,
    /// Whom an idle processor asks; none: whom the machine says.
    pub asking: Option<Asking>,
    /// Does a raised alpha reach the members of a split point that are testing a move? They test it against the new one.
    pub tells_alpha: bool,
    /// What a processor does whose strand waits for its helpers.
    pub waiting: Waiting,
    /// When the members of a split point stop, to help one of them.
    pub gathering: Gathering,
    /// The order of the root's moves.
    pub root_order: RootOrder,
    /// Strategies of the papers that can be combined with any algorithm.
    pub switches: Switches,
}

impl Algorithm {
    /// Every node may be shared once its first move is searched, those nearest to the root first: the algorithm that the
    /// others differ from.
    const fn named(name: &'static str) -> Algorithm {
        Algorithm {
            name,
            share_after: [1; 3],
            scope: Scope::Everywhere,
            priority: |view, _| Some(-(view.ply as i64)),
            settle_types: |_, _| (),
            valuing: Valuing::AtOnce,
            together: Together::OnRequest,
            deafness: 0,
            patience: PATIENCE,
            asking: None,
            tells_alpha: false,
            waiting: Waiting::Carry,
            gathering: Gathering::Never,
            root_order: RootOrder::Scores,
            switches: Switches::NONE,
        }
    }

    /// Its name, with the switches that are on.
    pub fn name(&self) -> String {
        self.switches.names().fold(self.name.to_owned(), |name, switch| name + "+" + &switch)
    }

    /// Does every member of a split point go by its own best move?
    pub(crate) fn has_own_bests(&self) -> bool {
        self.scope == Scope::Root
    }

    /// Are PV nodes shared before their first move is done, and the others tested against a guess? Not where members of a split
    /// point are gathered: the first move may be given up then.
    pub(crate) fn guesses(&self) -> bool {
        self.switches.guess && self.gathering == Gathering::Never
    }

    /// Does it begin work that is only probably wanted?
    pub(crate) fn speculates(&self) -> bool {
        self.guesses() || self.switches.overlap
    }

    /// Whom an idle processor asks; none: whom the machine says.
    pub(crate) fn asking(&self) -> Option<Asking> {
        if self.switches.board { Some(Asking::Board) } else { self.asking }
    }

    /// By how many plies an iteration is deeper than the one before.
    pub(crate) fn iteration_step(&self, processors: usize) -> Depth {
        if self.switches.two_ply_iterations && processors > 1 { 2 } else { 1 }
    }

    /// Does a raised alpha reach the members of a split point that are testing a move?
    pub(crate) fn has_new_bounds(&self) -> bool {
        self.tells_alpha || self.switches.new_bounds
    }

    /// Are members of a split point ever recalled?
    pub(crate) fn recalls(&self) -> bool {
        self.gathering != Gathering::Never || self.has_new_bounds()
    }

    /// Do its processors share split points?
    pub fn shares(&self) -> bool {
        self.together == Together::OnRequest && self.share_after != [NEVER; 3]
    }
}
