//! The transposition table, distributed over all ranks by its keys (StarTech figure 3, Zugzwang section 5).
//!
//! Every position has a *home*, the rank that keeps what is known of it. Every rank's own table is also a copy, in front,
//! of what it found out itself and of what it was told; so a search never waits. Results from a certain depth on are sent
//! home, and what may be wanted soon is asked for ahead: by the time a child is searched, the answer is in the table.
//! While ranks are few they tell each other everything, and nobody asks. Questions and answers travel in batches. The depth
//! rises when there is too much traffic and falls when there is little.

use crate::Link;
use crate::Message;
use crate::message::{MAX_BATCH, entry};
use game::Depth;
use parking_lot::{Mutex, MutexGuard};
use search::RemoteTable;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use table::{Entry, Table};

/// Which rank keeps what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Homes {
    /// Every rank keeps only its own results: nothing is sent.
    Local,
    /// Positions are distributed evenly.
    #[default]
    Even,
    /// On all ranks: every result is told to all ranks, and nobody has to ask.
    Everywhere,
    /// No position has its home on the rank that searches it: as if the machine were very large. To measure what it costs.
    AllFar,
}

/// What waits to be sent to one rank.
#[derive(Default)]
struct Outbox {
    asks: Vec<u64>,
    tells: Vec<(u64, u64)>,
}

impl Outbox {
    fn tell(&mut self, key: u64, entry: Entry) {
        if self.tells.len() < MOST {
            self.tells.push((key, entry.to_bits()));
        }
    }
}

/// The part of the table that lies on other ranks.
pub struct DistributedTable {
    rank: usize,
    ranks: usize,
    homes: Homes,
    own: Arc<Table>,
    depth: AtomicI32,
    outboxes: Vec<Mutex<Outbox>>,
    /// Keys that were asked for lately: nobody is asked twice.
    asked: Vec<AtomicU64>,
    flushed: Mutex<Pace>,
}

/// How much was sent lately, and when the last time.
struct Pace {
    since: Instant,
    items: u64,
    last: Instant,
}

/// What does not fit is dropped: the other side will do without it.
const MOST: usize = MAX_BATCH;
/// How much is sent: results at least so deep, within bounds, such that a rank sends so many entries a second.
struct Ration {
    depths: [Depth; 2],
    rates: [f64; 2],
}
/// What is sent is gathered for so long: every message costs two microseconds on either side, over TCP much more.
const BATCH: Duration = Duration::from_millis(1);

impl Homes {
    /// What is asked for takes a search of its moves, and what is told only a place in a batch.
    fn ration(self) -> Ration {
        match self {
            Homes::Everywhere => Ration { depths: [4, 16], rates: [50_000.0, 150_000.0] },
            _ => Ration { depths: [6, 16], rates: [4_000.0, 20_000.0] },
        }
    }
}

/// To ask costs a search of the moves of a node, so it is done only so much deeper: children are searched with less depth
/// than their parents, most with a good deal less.
const FROM_ABOVE: Depth = 2;
const PACE: Duration = Duration::from_millis(50);

impl DistributedTable {
    /// The table beyond `own`.
    pub fn new(rank: usize, ranks: usize, homes: Homes, own: Arc<Table>) -> DistributedTable {
        DistributedTable {
            rank,
            ranks,
            homes,
            own,
            depth: AtomicI32::new(homes.ration().depths[0] + 1),
            outboxes: (0..ranks).map(|_| Mutex::default()).collect(),
            asked: (0..4096).map(|_| AtomicU64::new(0)).collect(),
            flushed: Mutex::new(Pace { since: Instant::now(), items: 0, last: Instant::now() }),
        }
    }

    /// The rank that keeps what is known of a position, if it is another one.
    fn home(&self, key: u64) -> Option<usize> {
        // The table itself takes its index from the upper bits.
        let share = |ranks: usize| (((key & 0xffff_ffff) * ranks as u64) >> 32) as usize;
        match self.homes {
            _ if self.ranks < 2 => None,
            Homes::Local | Homes::Everywhere => None,
            Homes::Even => Some(share(self.ranks)).filter(|&home| home != self.rank),
            Homes::AllFar => Some((self.rank + 1 + share(self.ranks - 1)) % self.ranks),
        }
    }

    fn outbox(&self, home: usize) -> MutexGuard<'_, Outbox> {
        self.outboxes[home].lock()
    }

    /// Sends what has gathered.
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
            if !outbox.asks.is_empty() {
                let keys = std::mem::take(&mut outbox.asks);
                items += keys.len();
                link.traffic.asked += keys.len() as u64;
                link.send(home, &Message::Ask { keys });
            }
            if !outbox.tells.is_empty() {
                let entries = std::mem::take(&mut outbox.tells);
                items += entries.len();
                link.send(home, &Message::Tell { entries });
            }
        }
        self.adapt(items as u64);
    }

    /// Adapts the depth to the traffic.
    fn adapt(&self, items: u64) {
        let mut pace = self.flushed.lock();
        pace.items += items;
        let time = pace.since.elapsed();
        if time < PACE {
            return;
        }
        let rate = pace.items as f64 / time.as_secs_f64();
        (pace.since, pace.items) = (Instant::now(), 0);
        let depth = self.depth.load(Ordering::Relaxed);
        let Ration { depths, rates } = self.homes.ration();
        let step = if rate > rates[1] { 1 } else { -i32::from(rate < rates[0]) };
        self.depth.store((depth + step).clamp(depths[0], depths[1]), Ordering::Relaxed);
    }

    /// Answers a question of another rank.
    pub(crate) fn answer(&self, link: &mut Link, from: usize, keys: &[u64]) {
        let known = |&key: &u64| self.own.probe(key).map(|entry| (key, entry.to_bits()));
        let entries: Vec<(u64, u64)> = keys.iter().take(MOST).filter_map(known).collect();
        link.traffic.found += entries.len() as u64;
        if !entries.is_empty() {
            link.send(from, &Message::Tell { entries });
        }
    }

    /// Takes in what another rank tells.
    pub(crate) fn learn(&self, link: &mut Link, entries: &[(u64, u64)]) {
        for &(key, bits) in entries.iter().take(MOST) {
            match entry(bits) {
                Some(entry) => {
                    self.own.store(key, entry);
                    link.traffic.told += 1;
                }
                None => link.traffic.malformed += 1,
            }
        }
    }
}

impl RemoteTable for DistributedTable {
    fn depth(&self) -> Depth {
        self.depth.load(Ordering::Relaxed)
    }

    fn asking_depth(&self) -> Depth {
        if matches!(self.homes, Homes::Local | Homes::Everywhere) { Depth::MAX } else { self.depth() + FROM_ABOVE }
    }

    fn ask(&self, key: u64) {
        let Some(home) = self.home(key) else { return };
        let lately = &self.asked[key as usize % self.asked.len()];
        if lately.swap(key, Ordering::Relaxed) == key || self.own.probe(key).is_some() {
            return;
        }
        let mut outbox = self.outbox(home);
        if outbox.asks.len() < MOST {
            outbox.asks.push(key);
        }
    }

    fn tell(&self, key: u64, entry: Entry) {
        if self.homes == Homes::Everywhere {
            (0..self.ranks).filter(|&rank| rank != self.rank).for_each(|rank| self.outbox(rank).tell(key, entry));
        } else if let Some(home) = self.home(key) {
            self.outbox(home).tell(key, entry);
        }
    }
}
