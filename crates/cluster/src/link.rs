//! A rank's link to the others: messages in place of bytes, sealed with a checksum, and everything counted.

use crate::{Message, Traffic, Transport};
use scheduler::Doorbell;

/// A transport with messages on it.
pub struct Link {
    transport: Box<dyn Transport>,
    /// What was sent, received and dropped.
    pub traffic: Traffic,
}

impl Link {
    /// A link over a transport.
    pub fn new(transport: Box<dyn Transport>) -> Link {
        Link { transport, traffic: Traffic::default() }
    }

    /// The number of this rank.
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.transport.ranks()
    }

    /// The bell that the others ring when they have sent something here.
    pub fn bell(&self) -> Option<Doorbell> {
        self.transport.bell()
    }

    /// All other ranks.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.rank();
        (0..self.ranks()).filter(move |&rank| rank != own)
    }

    /// Sends a message to one rank.
    pub fn send(&mut self, to: usize, message: &Message) {
        self.send_bytes(to, &sealed(message));
    }

    /// Sends a message to all other ranks.
    pub fn send_to_all(&mut self, message: &Message) {
        let bytes = sealed(message);
        for rank in self.others() {
            self.send_bytes(rank, &bytes);
        }
    }

    fn send_bytes(&mut self, to: usize, bytes: &[u8]) {
        if self.transport.send(to, bytes) {
            self.traffic.sent += 1;
            self.traffic.bytes += bytes.len() as u64;
        } else {
            self.traffic.unsent += 1;
        }
    }

    /// The next message that makes sense, and where it came from.
    pub fn receive(&mut self) -> Option<(usize, Message)> {
        loop {
            let (from, bytes) = self.transport.receive()?;
            self.traffic.received += 1;
            match unsealed(&bytes).and_then(Message::from_bytes) {
                Some(message) if from < self.ranks() => return Some((from, message)),
                _ => self.traffic.malformed += 1,
            }
        }
    }
}

/// The bytes of a message, and a checksum.
fn sealed(message: &Message) -> Vec<u8> {
    let mut bytes = message.to_bytes();
    let seal = checksum(&bytes);
    bytes.extend_from_slice(&seal.to_le_bytes());
    bytes
}

/// The bytes before their checksum, if it is right.
fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let (message, seal) = bytes.split_last_chunk::<4>()?;
    (checksum(message) == u32::from_le_bytes(*seal)).then_some(message)
}

/// FNV-1a, 64 bits folded to 32: damage is found, malice is not looked for.
fn checksum(bytes: &[u8]) -> u32 {
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix);
    (hash ^ hash >> 32) as u32
}
