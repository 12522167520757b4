//! Ranks inside one process, for tests: with delays, with messages that overtake each other, and with faults, all
//! decided by a seed.

use crate::Transport;
use parking_lot::Mutex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use scheduler::Doorbell;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::time::{Duration, Instant};

/// What happens to messages between the ranks of one process.
#[derive(Clone, Copy, Debug, Default)]
pub struct NetworkConditions {
    /// Delay of every message.
    pub delay: Duration,
    /// Maximum additional delay, by which messages overtake each other.
    pub jitter: Duration,
    /// How many messages in a thousand are followed by a damaged copy.
    pub damaged: u32,
    /// How many messages in a thousand arrive twice.
    pub repeated: u32,
    /// For how many messages in a thousand the transport has no room.
    pub refused: u32,
    /// How many messages in a thousand are lost, against the contract of a transport.
    pub lost: u32,
    /// Seed of the random choices.
    pub seed: u64,
}

struct Packet {
    due: Instant,
    from: usize,
    bytes: Vec<u8>,
}

type Inboxes = Arc<Vec<Mutex<Vec<Packet>>>>;

/// The transport of one rank.
pub struct Loopback {
    rank: usize,
    inboxes: Inboxes,
    doorbells: Vec<Doorbell>,
    conditions: NetworkConditions,
    random: Xoshiro256PlusPlus,
}

impl Loopback {
    /// The transports of all ranks.
    pub fn ranks(ranks: usize, conditions: NetworkConditions) -> Vec<Loopback> {
        let inboxes: Inboxes = Arc::new((0..ranks).map(|_| Mutex::default()).collect());
        // Without delays a message can be received as soon as the doorbell is rung. The byte of a doorbell is never
        // freed.
        let is_prompt = conditions.delay + conditions.jitter == Duration::ZERO;
        let doorbell = |_| Doorbell::new(Box::leak(Box::new(AtomicU8::new(0))), is_prompt);
        let doorbells: Vec<Doorbell> = (0..ranks).map(doorbell).collect();
        let end = |rank| {
            // Another sequence for each rank.
            let random =
                Xoshiro256PlusPlus::seed_from_u64(conditions.seed.wrapping_mul(ranks as u64).wrapping_add(rank as u64));
            Loopback { rank, inboxes: Arc::clone(&inboxes), doorbells: doorbells.clone(), conditions, random }
        };
        (0..ranks).map(end).collect()
    }

    fn random(&mut self) -> u64 {
        self.random.next_u64()
    }

    fn put(&mut self, to: usize, bytes: Vec<u8>) {
        let jitter = self.conditions.jitter.as_nanos() as u64;
        let late = if jitter == 0 { 0 } else { self.random() % jitter };
        let due = Instant::now() + self.conditions.delay + Duration::from_nanos(late);
        let packet = Packet { due, from: self.rank, bytes };
        self.inboxes[to].lock().push(packet);
        self.doorbells[to].ring();
    }
}

impl Transport for Loopback {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.inboxes.len()
    }

    fn send(&mut self, to: usize, message: &[u8]) -> bool {
        if self.random() % 1000 < u64::from(self.conditions.refused) {
            return false;
        }
        if self.random() % 1000 >= u64::from(self.conditions.lost) {
            self.put(to, message.to_vec());
        }
        if self.random() % 1000 < u64::from(self.conditions.damaged) {
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
        if self.random() % 1000 < u64::from(self.conditions.repeated) {
            self.put(to, message.to_vec());
        }
        true
    }

    fn doorbell(&self) -> Option<Doorbell> {
        Some(self.doorbells[self.rank])
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        let now = Instant::now();
        let mut packets = self.inboxes[self.rank].lock();
        let (place, first) = packets.iter().enumerate().min_by_key(|(_, packet)| packet.due)?;
        if first.due > now {
            return None;
        }
        let packet = packets.remove(place);
        Some((packet.from, packet.bytes))
    }
}
