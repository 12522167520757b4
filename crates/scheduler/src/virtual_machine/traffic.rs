//! Messages between virtual processors: how long they take, and which processors they cost time.

use crate::{Costs, Network, TableCosts, TablePlace};
use std::cell::Cell;

/// The traffic of a virtual machine.
pub(super) struct Traffic {
    network: Network,
    processors: usize,
    message: u64,
    route: u64,
    probe: u64,
    table: TableCosts,
    /// What each processor has done for others and not yet booked, in ticks.
    debts: Vec<Cell<u64>>,
    server: Server,
}

/// A processor that serves one message after the other: a queue.
#[derive(Default)]
struct Server {
    /// When it is done with everything that has come so far.
    free: Cell<u64>,
}

impl Server {
    /// A message comes: when it has been served.
    fn serve(&self, arrival: u64, service: u64) -> u64 {
        let done = self.free.get().max(arrival) + service;
        self.free.set(done);
        done
    }
}

impl Traffic {
    pub(super) fn new(costs: &Costs, processors: usize) -> Traffic {
        Traffic {
            network: costs.network,
            processors,
            message: costs.message,
            route: costs.route,
            probe: costs.probe,
            table: costs.table.clone(),
            debts: vec![Cell::new(0); processors],
            server: Server::default(),
        }
    }

    /// How many processors there are.
    pub(super) fn processors(&self) -> usize {
        self.processors
    }

    /// Do results, bounds and cuts take the time of a message?
    pub(super) fn has_network(&self) -> bool {
        self.network != Network::CommonMemory
    }

    /// How long a message takes. The processors on its way have to pass it on.
    pub(super) fn send(&self, from: usize, to: usize) -> u64 {
        if self.route > 0 {
            self.network.pass(self.processors, from, to, |passed| self.charge(passed, self.route));
        }
        self.message * self.network.hops(self.processors, from, to)
    }

    /// How long a processor waits for the table entry of a key that it asks for now.
    pub(super) fn look_up(&self, from: usize, key: u64, now: u64) -> u64 {
        let home = self.home(key);
        if home == from {
            return 0;
        }
        if self.table.place == TablePlace::Common {
            return self.probe;
        }
        let arrival = now + self.send(from, home);
        let served = self.served(home, arrival);
        let time = served - now + self.probe + self.send(home, from);
        time.saturating_sub(self.table.overlap)
    }

    /// A result goes to where the entry of its key lies. Its sender does not wait.
    pub(super) fn put(&self, from: usize, key: u64, now: u64) {
        let home = self.home(key);
        if home != from && self.table.place != TablePlace::Common {
            let arrival = now + self.send(from, home);
            self.served(home, arrival);
        }
    }

    /// What a processor owes for what it has done for others: it is paid now.
    pub(super) fn pay(&self, processor: usize) -> u64 {
        self.debts[processor].take()
    }

    fn charge(&self, processor: usize, time: u64) {
        self.debts[processor].set(self.debts[processor].get() + time);
    }

    fn home(&self, key: u64) -> usize {
        if self.table.place == TablePlace::Global { 0 } else { (key % self.processors as u64) as usize }
    }

    /// A message about a table entry comes to its home: when it has been served.
    fn served(&self, home: usize, arrival: u64) -> u64 {
        self.charge(home, self.table.serve);
        match self.table.place {
            TablePlace::Global => self.server.serve(arrival, self.table.serve),
            TablePlace::Common | TablePlace::Distributed => arrival + self.table.serve,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_serves_one_after_the_other() {
        let server = Server::default();
        let done = [(10, 5), (11, 5), (12, 5), (40, 5), (41, 0)].map(|(arrival, time)| server.serve(arrival, time));
        assert_eq!(done, [15, 20, 25, 45, 45]);
    }

    #[test]
    fn waiting_for_a_global_table_grows_with_the_load() {
        let table = TableCosts { place: TablePlace::Global, serve: 7, overlap: 0 };
        let costs = Costs { message: 10, network: Network::Uniform, table, ..Costs::ideal() };
        let traffic = Traffic::new(&costs, 4);
        // All ask at the same time.
        assert_eq!([1, 2, 3].map(|from| traffic.look_up(from, 99, 100)), [27, 34, 41]);
        assert_eq!((traffic.look_up(0, 99, 100), traffic.pay(0), traffic.pay(0)), (0, 21, 0));
        // A store takes its turn, too, but is not waited for.
        traffic.put(1, 5, 1000);
        assert_eq!(traffic.look_up(2, 99, 1000), 34);
    }

    #[test]
    fn a_look_up_over_many_links_takes_longer_and_its_overlap_costs_nothing() {
        let table = TableCosts { place: TablePlace::Distributed, serve: 0, overlap: 250 };
        let costs = Costs { message: 100, route: 3, network: Network::DeBruijn, table, ..Costs::ideal() };
        let traffic = Traffic::new(&costs, 64);
        for home in 1..64 {
            let hops = Network::DeBruijn.hops(64, 0, home);
            assert_eq!(traffic.look_up(0, home as u64, 0), (2 * hops * 100).saturating_sub(250));
            let paid: u64 = (0..64).map(|processor| traffic.pay(processor)).sum();
            assert_eq!(paid, 2 * 3 * (hops - 1));
        }
        assert_eq!(traffic.look_up(5, 64 + 5, 0), 0);
    }
}
