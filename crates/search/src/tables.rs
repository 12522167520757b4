//! Which processor finds which entries of the transposition table: there is one table, and keys are mixed with a salt
//! where some entries belong to one processor or one host.

use crate::Machine;
use game::Depth;
use scheduler::Tables;
use table::{Entry, Table};

/// Mixed into the keys of the second table, twice into those of the third, and so on.
const SALT: u64 = 0x9e37_79b9_7f4a_7c15;

/// The part of a distributed transposition table that lies on other ranks.
pub trait RemoteTable: Sync {
    /// Results of searches less deep than this are not worth a message.
    fn depth(&self) -> Depth;
    /// At nodes deeper than this the entries of their children are asked for.
    fn asking_depth(&self) -> Depth;
    /// An entry may be wanted soon; if there is one it will be put into the table of this rank.
    fn ask(&self, key: u64);
    /// A result that other ranks may want.
    fn tell(&self, key: u64, entry: Entry);
}

/// The transposition table as the strands of a search see it.
pub(crate) struct TableAccess<'a> {
    /// The table of this machine.
    pub(crate) local: Option<&'a Table>,
    /// The part of the table that lies on other ranks.
    pub(crate) remote: Option<&'a dyn RemoteTable>,
    /// Which processor finds which entries.
    pub(crate) map: TableMap,
    /// Does it take the machine time to reach an entry?
    pub(crate) is_far: bool,
}

impl TableAccess<'_> {
    /// A search without a table.
    pub(crate) const NONE: TableAccess<'static> =
        TableAccess { local: None, remote: None, map: TableMap::ONE, is_far: false };
}

/// Which processor finds which entries.
pub(crate) struct TableMap {
    /// Number of processors in a row that have a table in common; none: all have.
    each: Option<usize>,
    /// Results at least this deep are found by everyone, at nodes at least as deep.
    pub(crate) common: Depth,
    /// The number of hosts and the processors of each, where a search waits for entries that lie on another host.
    waits: Option<(u64, usize)>,
}

impl TableMap {
    /// One table for all.
    pub(crate) const ONE: TableMap = TableMap { each: None, common: Depth::MAX, waits: None };

    /// The tables of a machine; `own` where each processor is to have its own.
    pub(crate) fn of(machine: &Machine, own: bool) -> TableMap {
        if own {
            return TableMap { each: Some(1), ..TableMap::ONE };
        }
        let Machine::Virtual(machine) = machine else { return TableMap::ONE };
        let (hosts, each) = (&machine.hosts, machine.hosts.processors_each(machine.processors));
        match hosts.tables {
            _ if hosts.count <= 1 => TableMap::ONE,
            Tables::Shared => TableMap::ONE,
            Tables::Local => TableMap { each: Some(each), ..TableMap::ONE },
            Tables::Distributed { depth, blocking } => {
                let waits = blocking.then_some((hosts.count as u64, each));
                TableMap { each: Some(each), common: depth, waits }
            }
        }
    }

    /// What is mixed into the keys of a processor's table entries.
    pub(crate) fn salt(&self, processor: usize) -> u64 {
        // What is common to all has no salt: then everything else has one.
        let first = u64::from(self.common < Depth::MAX);
        self.each.map_or(0, |each| ((processor / each) as u64 + first).wrapping_mul(SALT))
    }

    /// A processor of the host on which the common entry of `key` lies, if the search has to wait for it.
    pub(crate) fn home(&self, key: u64) -> Option<usize> {
        self.waits.map(|(ranks, each)| (key % ranks) as usize * each)
    }
}
