//! What a search runs on.

use game::Depth;
use scheduler::{Network, Threads, VirtualMachine, Waiting};

/// What a search runs on.
///
/// ```
/// use game::connect_four::ConnectFour;
/// use jamboree_search::{Costs, Hosts, Limits, Machine, Plain, Searcher, Threads, VirtualMachine};
///
/// let mut searcher = Searcher::new(Plain::default());
/// let mut search = |machine: Machine| {
///     searcher.machine = machine;
///     searcher.run(&ConnectFour::new(), &[], &Limits::depth(5)).score()
/// };
/// let (processors, costs, hosts) = (16, Costs::ideal(), Hosts::one());
/// let alone = search(Machine::Alone);
/// assert_eq!(search(Machine::Threads(Threads::new(2))), alone);
/// assert_eq!(search(Machine::Virtual(VirtualMachine { processors, costs, seed: 1, hosts })), alone);
/// ```
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Frames less deep than this are not worth being shared.
    pub(crate) grain: Depth,
    /// Does a helper take one move, report it and go?
    pub(crate) one_child: bool,
    /// What a processor does whose strand waits for its helpers.
    pub(crate) waiting: Waiting,
    /// Does it take a message to cut a helper's strand?
    pub(crate) has_network: bool,
    /// Is its time virtual? Then the search keeps to a limit in ticks, and counts the positions that were searched twice at
    /// the same time.
    pub(crate) is_virtual: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Terms { grain: 0, one_child: false, waiting: Waiting::Carry, has_network: false, is_virtual: false }
    }
}

impl Machine {
    /// The number of processors.
    pub fn processors(&self) -> usize {
        match self {
            Machine::Alone => 1,
            Machine::Threads(threads) => threads.processors(),
            Machine::Virtual(machine) => machine.processors,
        }
    }

    /// On what terms its processors share frames, if the algorithm would like them to wait as `wanted`.
    pub(crate) fn terms(&self, wanted: Waiting) -> Terms {
        match self {
            Machine::Alone => Terms::default(),
            Machine::Threads(threads) => Terms { grain: threads.grain(), waiting: wanted, ..Terms::default() },
            Machine::Virtual(VirtualMachine { costs, .. }) => Terms {
                grain: costs.grain,
                one_child: costs.stealing.one_child,
                waiting: costs.stealing.waiting(wanted),
                has_network: costs.network != Network::CommonMemory,
                is_virtual: true,
            },
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
