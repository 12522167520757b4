//! A rank's link to the others: messages with a checksum instead of bytes, checked and counted.

use crate::{MAX_MESSAGE_BYTES, Message, Traffic, Transport};
use scheduler::Doorbell;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Maximum number of messages kept for one rank while the transport refuses them.
const MAX_KEPT: usize = 4096;
/// Maximum number of messages refused in one call of `receive`, so that a flood of them does not hold up the receiver.
const MAX_REFUSED_AT_ONCE: usize = 256;
/// How long a link that ends tries to send what it has kept.
const LAST_ATTEMPT: Duration = Duration::from_millis(200);

/// Sends and receives messages over a transport.
pub struct Link {
    transport: Box<dyn Transport>,
    /// Counters.
    pub traffic: Traffic,
    /// For each rank, the messages that must arrive and that the transport has refused so far, oldest first.
    kept: Vec<VecDeque<Vec<u8>>>,
    /// Ranks for which a message that must arrive was dropped.
    is_broken: Vec<bool>,
    /// For each rank, its messages that were refused because it may not send them.
    refused: Vec<u64>,
}

impl Link {
    /// A link over a transport.
    pub fn new(transport: Box<dyn Transport>) -> Link {
        let ranks = transport.ranks();
        let kept = (0..ranks).map(|_| VecDeque::new()).collect();
        Link { transport, traffic: Traffic::default(), kept, is_broken: vec![false; ranks], refused: vec![0; ranks] }
    }

    /// The number of this rank.
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.transport.ranks()
    }

    /// The doorbell that other ranks ring when they have sent something to this one.
    pub fn doorbell(&self) -> Option<Doorbell> {
        self.transport.doorbell()
    }

    /// All other ranks.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.rank();
        (0..self.ranks()).filter(move |&rank| rank != own)
    }

    /// Sends a message to one rank. A message that [must arrive](Message::must_arrive) is kept and sent again while the
    /// transport refuses it.
    pub fn send(&mut self, to: usize, message: &Message) {
        self.try_send(to, message);
    }

    /// As [`send`](Link::send). False if the message was dropped.
    pub(crate) fn try_send(&mut self, to: usize, message: &Message) -> bool {
        self.send_bytes(to, &sealed(message), message.must_arrive())
    }

    /// Sends a message to all other ranks.
    pub fn send_to_all(&mut self, message: &Message) {
        let bytes = sealed(message);
        for rank in self.others() {
            self.send_bytes(rank, &bytes, message.must_arrive());
        }
    }

    /// Counts a message that its sender may not send.
    pub(crate) fn refuse(&mut self, from: usize) {
        self.traffic.messages.unauthorized += 1;
        self.refused[from] += 1;
    }

    /// Messages of this rank that were refused because it may not send them.
    pub(crate) fn refused(&self, rank: usize) -> u64 {
        self.refused[rank]
    }

    /// Was a message to this rank dropped that must arrive?
    pub fn is_broken(&self, rank: usize) -> bool {
        self.is_broken[rank]
    }

    fn send_bytes(&mut self, to: usize, bytes: &[u8], must_arrive: bool) -> bool {
        if bytes.len() > MAX_MESSAGE_BYTES {
            self.traffic.messages.unsent += 1;
            return false;
        }
        // Messages that must arrive keep their order.
        let may_go = !must_arrive || self.kept[to].is_empty();
        if may_go && self.transport.send(to, bytes) {
            self.traffic.messages.sent += 1;
            self.traffic.messages.bytes += bytes.len() as u64;
            return true;
        }
        if must_arrive && self.kept[to].len() < MAX_KEPT {
            self.kept[to].push_back(bytes.to_vec());
            return true;
        }
        self.is_broken[to] |= must_arrive;
        self.traffic.messages.unsent += 1;
        false
    }

    /// Sends the messages again that the transport has refused.
    fn send_kept(&mut self) {
        for (to, kept) in self.kept.iter_mut().enumerate() {
            while let Some(bytes) = kept.front()
                && self.transport.send(to, bytes)
            {
                self.traffic.messages.sent += 1;
                self.traffic.messages.delayed += 1;
                self.traffic.messages.bytes += bytes.len() as u64;
                kept.pop_front();
            }
        }
    }

    /// The next message that is complete, within its limits, and one that its sender may send; and its sender.
    pub fn receive(&mut self) -> Option<(usize, Message)> {
        self.send_kept();
        for _ in 0..MAX_REFUSED_AT_ONCE {
            let (from, bytes) = self.transport.receive()?;
            self.traffic.messages.received += 1;
            match unsealed(&bytes).and_then(Message::from_bytes) {
                Some(message) if from < self.ranks() => {
                    if message.may_travel(from, self.rank()) {
                        return Some((from, message));
                    }
                    self.refuse(from);
                }
                _ => self.traffic.messages.malformed += 1,
            }
        }
        None
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let since = Instant::now();
        self.send_kept();
        while self.kept.iter().any(|kept| !kept.is_empty()) && since.elapsed() < LAST_ATTEMPT {
            std::thread::sleep(Duration::from_millis(1));
            self.send_kept();
        }
    }
}

/// The bytes of a message and their checksum.
fn sealed(message: &Message) -> Vec<u8> {
    let mut bytes = message.to_bytes();
    let seal = checksum(&bytes);
    bytes.extend_from_slice(&seal.to_le_bytes());
    bytes
}

/// The bytes before the checksum, if it is right.
fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    if bytes.len() > MAX_MESSAGE_BYTES {
        return None;
    }
    let (message, seal) = bytes.split_last_chunk::<4>()?;
    (checksum(message) == u32::from_le_bytes(*seal)).then_some(message)
}

/// FNV-1a, 64 bits folded to 32: finds damage, not malice.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix);
    (hash ^ hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::sync::Arc;

    /// A transport with room for a few messages.
    struct Narrow {
        room: Arc<Mutex<usize>>,
        taken: Arc<Mutex<Vec<Vec<u8>>>>,
        incoming: Vec<(usize, Vec<u8>)>,
    }

    impl Transport for Narrow {
        fn rank(&self) -> usize {
            0
        }
        fn ranks(&self) -> usize {
            2
        }
        fn send(&mut self, _: usize, message: &[u8]) -> bool {
            let mut room = self.room.lock();
            let fits = *room > 0;
            if fits {
                *room -= 1;
                self.taken.lock().push(message.to_vec());
            }
            fits
        }
        fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
            self.incoming.pop()
        }
    }

    fn result(id: u64) -> Message {
        Message::Return { search: 1, id, time_us: 0, result: None }
    }

    #[test]
    fn results_are_kept_in_order_until_they_can_be_sent() {
        let (room, taken) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(Vec::new())));
        let narrow = Narrow { room: Arc::clone(&room), taken: Arc::clone(&taken), incoming: Vec::new() };
        let mut link = Link::new(Box::new(narrow));
        assert!(link.try_send(1, &result(1)) && link.try_send(1, &Message::End { search: 1 }));
        assert!(!link.try_send(1, &Message::Request { search: 1 }), "a request that can't be sent is dropped");
        *room.lock() = 1;
        assert!(link.try_send(1, &result(2)), "waits behind the others");
        assert_eq!(
            (link.traffic.messages.sent, link.traffic.messages.delayed, link.traffic.messages.unsent),
            (0, 0, 1)
        );
        assert!(link.receive().is_none());
        assert_eq!((link.traffic.messages.sent, link.traffic.messages.delayed), (1, 1));
        *room.lock() = 2;
        assert!(link.receive().is_none() && !link.is_broken(1));
        let expected = [result(1), Message::End { search: 1 }, result(2)];
        assert_eq!(*taken.lock(), expected.map(|message| sealed(&message)));
        for id in 0..=MAX_KEPT as u64 {
            assert_eq!(link.try_send(1, &result(id)), id < MAX_KEPT as u64);
        }
        assert!(link.is_broken(1), "a result was dropped, and the link says so");
        *room.lock() = MAX_KEPT;
        drop(link);
        assert_eq!(taken.lock().len(), 3 + MAX_KEPT, "the rest is sent at the end");
    }

    #[test]
    fn messages_that_are_too_long_are_refused() {
        let long = Message::Start { search: 1, what: vec![7; MAX_MESSAGE_BYTES] };
        let incoming =
            vec![(1, sealed(&Message::Ping)), (1, sealed(&long)), (1, Vec::new()), (7, sealed(&Message::Ping))];
        let mut link = Link::new(Box::new(Narrow { room: Arc::default(), taken: Arc::default(), incoming }));
        assert!(!link.try_send(1, &long));
        assert_eq!((link.receive(), link.traffic.messages.malformed), (Some((1, Message::Ping)), 3));
    }
}
