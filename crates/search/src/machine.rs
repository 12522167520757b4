//! What a search runs on.

use game::Depth;
use scheduler::{Threads, VirtualMachine};

/// What a search runs on.
#[derive(Clone, Debug, Default)]
pub enum Machine {
    /// One processor, without a scheduler.
    #[default]
    Alone,
    /// Threads of this process.
    Threads(Threads),
    /// Virtual processors, in virtual time.
    Virtual(VirtualMachine),
}

/// On what terms a machine's processors share frames.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terms {
    /// Frames less deep than this are not worth being shared.
    pub(crate) grain: Depth,
    /// Does a helper take one move, report it and go?
    pub(crate) one_child: bool,
}

impl Machine {
    /// On what terms its processors share frames.
    pub(crate) fn terms(&self) -> Terms {
        match self {
            Machine::Alone => Terms::default(),
            Machine::Threads(threads) => Terms { grain: threads.grain(), one_child: false },
            Machine::Virtual(VirtualMachine { costs, .. }) => {
                Terms { grain: costs.grain, one_child: costs.stealing.one_child }
            }
        }
    }

    /// Does it take time to reach an entry of the transposition table?
    pub(crate) fn has_far_table(&self) -> bool {
        match self {
            Machine::Alone | Machine::Threads(_) => false,
            Machine::Virtual(machine) => machine.costs.has_far_table(),
        }
    }
}
