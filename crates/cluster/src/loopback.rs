//! Ranks inside one process, for tests and for trying things out: with a delay, with messages that overtake each other,
//! and with faults, all decided by a seed.

use crate::Transport;
use scheduler::Doorbell;
use std::sync::atomic::AtomicU8;
use std::sync::{Arc, Mutex, PoisonError};
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
    random: u64,
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
            let random = weather.seed ^ (rank as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            Loopback { rank, boxes: Arc::clone(&boxes), bells: bells.clone(), weather, random }
        };
        (0..ranks).map(end).collect()
    }

    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }

    fn put(&mut self, to: usize, bytes: Vec<u8>) {
        let jitter = self.weather.jitter.as_nanos() as u64;
        let late = if jitter == 0 { 0 } else { self.random() % jitter };
        let due = Instant::now() + self.weather.delay + Duration::from_nanos(late);
        let parcel = Parcel { due, from: self.rank, bytes };
        self.boxes[to].lock().unwrap_or_else(PoisonError::into_inner).push(parcel);
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
        self.put(to, message.to_vec());
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
        let mut parcels = self.boxes[self.rank].lock().unwrap_or_else(PoisonError::into_inner);
        let (place, first) = parcels.iter().enumerate().min_by_key(|(_, parcel)| parcel.due)?;
        if first.due > now {
            return None;
        }
        let parcel = parcels.remove(place);
        Some((parcel.from, parcel.bytes))
    }
}
