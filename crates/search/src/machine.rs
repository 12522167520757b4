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

impl Machine {
    /// Frames less deep than this are not worth being shared.
    pub(crate) fn grain(&self) -> Depth {
        match self {
            Machine::Alone => 0,
            Machine::Threads(threads) => threads.grain(),
            Machine::Virtual(machine) => machine.costs.grain,
        }
    }
}
