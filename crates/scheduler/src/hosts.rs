//! The hosts of a virtual machine: hosts with processors, memory and a table of their own, and the network between them.
//!
//! How a virtual cluster works, and what it charges:
//!
//! - The processors are divided evenly among the hosts, in order. A strand never leaves its host.
//! - An idle processor asks processors of its own host first. When none of them works, or after some refusals in
//!   a row, it asks another host, at random: the request travels, then waits for a strand of that host to look up, and the
//!   answer travels back. Only frames at least [`Hosts::grain`] deep are given to other hosts.
//! - A helper at a split point of another host pays a message there and back for every piece of work it takes: the last
//!   result goes there, the next move comes back. A result counts when it has arrived.
//! - A parked strand whose last helper was on another host goes on on its own host, on the first processor that has no
//!   strand, even if that one has asked or is being refused.
//! - The table is as [`Tables`] says.
//!
//! What is idealised: a cut is seen by all strands at once, wherever they are. A helper that finds nothing more to take
//! knows so one message too early. Several messages at once do not slow each other down, and take no processor's time
//! but that of the processor that answers a request. What the rules learn (histories) and marks of positions that are being searched are
//! known to all hosts at once. The hosts' tables are parts of one table, so each has only its share of that one's memory.

/// The hosts of a virtual machine, and the network between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// How many hosts.
    pub count: usize,
    /// How long the smallest message takes from one host to another, in ticks.
    pub latency: u64,
    /// How much longer each further kilobyte takes, in ticks; zero where that does not matter.
    pub kilobyte: u64,
    /// Frames less deep than this are not given to other hosts.
    pub grain: i32,
    /// Which entries of the transposition table a processor finds.
    pub tables: Tables,
}

/// Which entries of the transposition table a processor finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tables {
    /// All hosts find everything, and it costs nothing.
    #[default]
    Shared,
    /// A host finds only what it has stored itself.
    Local,
    /// Results at least this deep lie on the host that their key names and are found by all hosts, at nodes that are
    /// searched at least this deep; the others are as in [`Tables::Local`].
    Distributed {
        /// How deep.
        depth: i32,
        /// Does the search wait for an answer from another host? If not, it was asked for early enough.
        blocking: bool,
    },
}

/// The path to a split point, in bytes.
const PATH: u64 = 2048;
/// A result and a move, or an entry of a table, in bytes.
const NOTE: u64 = 64;

impl Hosts {
    /// One host: there is no network.
    pub fn one() -> Hosts {
        Hosts { count: 1, latency: 0, kilobyte: 0, grain: 0, tables: Tables::Shared }
    }

    /// How many of the machine's processors each host has.
    pub fn processors_each(&self, processors: usize) -> usize {
        processors.div_ceil(self.count.max(1)).max(1)
    }

    /// The time of a message from one host to another: a path, or only a note. At least a tick, or a processor that asks in vain would
    /// ask again and again at the same moment.
    pub(crate) fn message(&self, has_path: bool) -> u64 {
        let bytes = if has_path { PATH } else { NOTE };
        (self.latency + self.kilobyte * bytes / 1024).max(1)
    }
}
