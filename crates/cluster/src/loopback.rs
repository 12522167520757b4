//! Ranks inside one process, for tests and for trying things out: with a delay, with messages that overtake each other,
//! and with faults, all decided by a seed.

use crate::Transport;
use parking_lot::Mutex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use scheduler::Doorbell;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::time::{Duration, Instant};

/// How the ranks of one process are connected.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weather {
    /// Every message takes this long.
    pub delay: Duration,
    /// And up to this much longer, so that messages overtake each other.
    pub jitter: Duration,
    /// Of a thousand messages so many are followed by a damaged copy of themselves, and so many by the same once more.
    pub damaged: u32,
    /// See `damaged`.
    pub repeated: u32,
    /// Of a thousand messages so many can't be sent.
    pub refused: u32,
    /// Of a thousand messages so many are lost on their way.
    pub lost: u32,
    /// Decides what happens to which message.
    pub seed: u64,
}

struct Parcel {
    due: Instant,
    from: usize,
    bytes: Vec<u8>,
}

type Boxes = Arc<Vec<Mutex<Vec<Parcel>>>>;

/// One rank's end.
pub struct Loopback {
    rank: usize,
    boxes: Boxes,
    bells: Vec<Doorbell>,
    weather: Weather,
    random: Xoshiro256PlusPlus,
}

impl Loopback {
    /// The ends of so many ranks.
    pub fn ranks(ranks: usize, weather: Weather) -> Vec<Loopback> {
        let boxes: Boxes = Arc::new((0..ranks).map(|_| Mutex::default()).collect());
        // In calm weather what was sent can be received when the bell is rung. A byte for each is never given back.
        let is_calm = weather.delay + weather.jitter == Duration::ZERO;
        let bell = |_| Doorbell::new(Box::leak(Box::new(AtomicU8::new(0))), is_calm);
        let bells: Vec<Doorbell> = (0..ranks).map(bell).collect();
        let end = |rank| {
            // Another sequence for each rank.
            let random =
                Xoshiro256PlusPlus::seed_from_u64(weather.seed.wrapping_mul(ranks as u64).wrapping_add(rank as u64));
            Loopback { rank, boxes: Arc::clone(&boxes), bells: bells.clone(), weather, random }
        };
        (0..ranks).map(end).collect()
    }

    fn random(&mut self) -> u64 {
        self.random.next_u64()
    }

    fn put(&mut self, to: usize, bytes: Vec<u8>) {
        let jitter = self.weather.jitter.as_nanos() as u64;
        let late = if jitter == 0 { 0 } else { self.random() % jitter };
        let due = Instant::now() + self.weather.delay + Duration::from_nanos(late);
        let parcel = Parcel { due, from: self.rank, bytes };
        self.boxes[to].lock().push(parcel);
        self.bells[to].ring();
    }
}

impl Transport for Loopback {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.boxes.len()
    }

    fn send(&mut self, to: usize, message: &[u8]) -> bool {
        if self.random() % 1000 < u64::from(self.weather.refused) {
            return false;
        }
        if self.random() % 1000 >= u64::from(self.weather.lost) {
            self.put(to, message.to_vec());
        }
        if self.random() % 1000 < u64::from(self.weather.damaged) {
            let mut damaged = message.to_vec();
            let place = self.random() as usize % damaged.len().max(1);
            match self.random() % 3 {
                0 => damaged.truncate(place),
                1 => damaged.push(self.random() as u8),
                _ => {
                    let bit = 1 << (self.random() % 8);
                    damaged[place] ^= bit;
                }
            }
            self.put(to, damaged);
        }
        if self.random() % 1000 < u64::from(self.weather.repeated) {
            self.put(to, message.to_vec());
        }
        true
    }

    fn bell(&self) -> Option<Doorbell> {
        Some(self.bells[self.rank])
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        let now = Instant::now();
        let mut parcels = self.boxes[self.rank].lock();
        let (place, first) = parcels.iter().enumerate().min_by_key(|(_, parcel)| parcel.due)?;
        if first.due > now {
            return None;
        }
        let parcel = parcels.remove(place);
        Some((parcel.from, parcel.bytes))
    }
}
