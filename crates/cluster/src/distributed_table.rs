//! The transposition table, distributed over all ranks by its keys (StarTech figure 3, Zugzwang section 5).
//!
//! Every position has a *home*: the rank that keeps its entry. The table of every rank is also a cache of its own
//! results and of entries that other ranks have sent, so a search never waits for an answer. Results from a certain
//! depth on are sent home. Entries that may be needed soon are asked for ahead, so that they are in the table when a
//! child is searched. A few ranks send each other every such result instead, and none asks. Queries and entries travel
//! in batches. The depth rises when there is much traffic and falls when there is little.

use crate::message::MAX_BATCH;
use crate::wire::entry;
use crate::{Link, Message};
use game::Depth;
use parking_lot::{Mutex, MutexGuard};
use search::RemoteTable;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use table::{Entry, Table};

/// Which rank keeps which entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Homes {
    /// Every rank keeps its own results; nothing is sent.
    Local,
    /// Positions are distributed evenly.
    #[default]
    Even,
    /// Every rank keeps the results of all ranks.
    Everywhere,
    /// No position has its home on the rank that searches it, as on a very large machine: to measure the cost.
    AllRemote,
}

/// What waits to be sent to one rank. What does not fit is dropped, which only costs time.
#[derive(Default)]
struct Outbox {
    queries: Vec<u64>,
    entries: Vec<(u64, u64)>,
}

impl Outbox {
    fn add_entry(&mut self, key: u64, entry: Entry) {
        if self.entries.len() < MAX_BATCH {
            self.entries.push((key, entry.to_bits()));
        }
    }
}

/// The transposition table of all ranks, beyond the table of this one.
pub struct DistributedTable {
    rank: usize,
    ranks: usize,
    homes: Homes,
    own: Arc<Table>,
    depth: AtomicI32,
    outboxes: Vec<Mutex<Outbox>>,
    /// Keys that were asked for lately, so that none is asked for twice.
    recent_queries: Vec<AtomicU64>,
    flushed: Mutex<Flushed>,
}

/// What was sent lately.
struct Flushed {
    since: Instant,
    items: u64,
    last: Instant,
}

/// Least and largest depth of results that are sent, and the rates, in entries a second, between which the depth stays.
struct Limits {
    depths: [Depth; 2],
    rates: [f64; 2],
}
/// Interval of batches: a message costs each side two microseconds, over TCP much more.
const BATCH: Duration = Duration::from_millis(1);

impl Homes {
    /// A query also costs the generation of moves, so entries of other ranks are asked for less often than sent.
    fn limits(self) -> Limits {
        match self {
            Homes::Everywhere => Limits { depths: [4, 16], rates: [50_000.0, 150_000.0] },
            _ => Limits { depths: [6, 16], rates: [4_000.0, 20_000.0] },
        }
    }
}

/// Entries of children are asked for at nodes this many plies above the depth of results: children are searched with
/// less depth than their parents, most with much less.
const QUERY_MARGIN: Depth = 2;
/// Interval at which the depth is adapted.
const ADAPT: Duration = Duration::from_millis(50);

impl DistributedTable {
    /// The table of all ranks beyond `own`.
    pub fn new(rank: usize, ranks: usize, homes: Homes, own: Arc<Table>) -> DistributedTable {
        DistributedTable {
            rank,
            ranks,
            homes,
            own,
            depth: AtomicI32::new(homes.limits().depths[0] + 1),
            outboxes: (0..ranks).map(|_| Mutex::default()).collect(),
            recent_queries: (0..4096).map(|_| AtomicU64::new(0)).collect(),
            flushed: Mutex::new(Flushed { since: Instant::now(), items: 0, last: Instant::now() }),
        }
    }

    /// The home of a position, if it is another rank.
    fn home(&self, key: u64) -> Option<usize> {
        // The table itself takes its index from the upper bits.
        let share = |ranks: usize| (((key & 0xffff_ffff) * ranks as u64) >> 32) as usize;
        match self.homes {
            _ if self.ranks < 2 => None,
            Homes::Local | Homes::Everywhere => None,
            Homes::Even => Some(share(self.ranks)).filter(|&home| home != self.rank),
            Homes::AllRemote => Some((self.rank + 1 + share(self.ranks - 1)) % self.ranks),
        }
    }

    fn outbox(&self, home: usize) -> MutexGuard<'_, Outbox> {
        self.outboxes[home].lock()
    }

    /// Sends the queries and entries that wait.
    pub(crate) fn flush(&self, link: &mut Link) {
        let mut items = 0;
        {
            let mut pace = self.flushed.lock();
            if pace.last.elapsed() < BATCH {
                return;
            }
            pace.last = Instant::now();
        }
        for home in link.others() {
            let mut outbox = self.outbox(home);
            if !outbox.queries.is_empty() {
                let keys = std::mem::take(&mut outbox.queries);
                items += keys.len();
                link.traffic.table.asked += keys.len() as u64;
                link.send(home, &Message::TableQuery { keys });
            }
            if !outbox.entries.is_empty() {
                let entries = std::mem::take(&mut outbox.entries);
                items += entries.len();
                link.send(home, &Message::TableEntries { entries });
            }
        }
        self.adapt(items as u64);
    }

    /// Adapts the depth to the traffic.
    fn adapt(&self, items: u64) {
        let mut pace = self.flushed.lock();
        pace.items += items;
        let time = pace.since.elapsed();
        if time < ADAPT {
            return;
        }
        let rate = pace.items as f64 / time.as_secs_f64();
        (pace.since, pace.items) = (Instant::now(), 0);
        let depth = self.depth.load(Ordering::Relaxed);
        let Limits { depths, rates } = self.homes.limits();
        let step = if rate > rates[1] { 1 } else { -i32::from(rate < rates[0]) };
        self.depth.store((depth + step).clamp(depths[0], depths[1]), Ordering::Relaxed);
    }

    /// Answers a query of another rank.
    pub(crate) fn answer(&self, link: &mut Link, from: usize, keys: &[u64]) {
        let known = |&key: &u64| self.own.probe(key).map(|entry| (key, entry.to_bits()));
        let entries: Vec<(u64, u64)> = keys.iter().take(MAX_BATCH).filter_map(known).collect();
        link.traffic.table.found += entries.len() as u64;
        if !entries.is_empty() {
            link.send(from, &Message::TableEntries { entries });
        }
    }

    /// Stores entries of another rank.
    pub(crate) fn store(&self, link: &mut Link, entries: &[(u64, u64)]) {
        for &(key, bits) in entries.iter().take(MAX_BATCH) {
            match entry(bits) {
                Some(entry) => {
                    self.own.store(key, entry);
                    link.traffic.table.received += 1;
                }
                None => link.traffic.messages.malformed += 1,
            }
        }
    }
}

impl RemoteTable for DistributedTable {
    fn depth(&self) -> Depth {
        self.depth.load(Ordering::Relaxed)
    }

    fn asking_depth(&self) -> Depth {
        if matches!(self.homes, Homes::Local | Homes::Everywhere) { Depth::MAX } else { self.depth() + QUERY_MARGIN }
    }

    fn ask(&self, key: u64) {
        let Some(home) = self.home(key) else { return };
        let recent = &self.recent_queries[key as usize % self.recent_queries.len()];
        if recent.swap(key, Ordering::Relaxed) == key || self.own.probe(key).is_some() {
            return;
        }
        let mut outbox = self.outbox(home);
        if outbox.queries.len() < MAX_BATCH {
            outbox.queries.push(key);
        }
    }

    fn tell(&self, key: u64, entry: Entry) {
        if self.homes == Homes::Everywhere {
            (0..self.ranks).filter(|&rank| rank != self.rank).for_each(|rank| self.outbox(rank).add_entry(key, entry));
        } else if let Some(home) = self.home(key) {
            self.outbox(home).add_entry(key, entry);
        }
    }
}
