//! Shared statistics (histories of moves), exchanged between ranks at a low rate. Zugzwang's authors considered this
//! and left it out.
//!
//! Every rank remembers what the others know of its numbers. Block by block it looks for numbers that have changed
//! since, and sends the differences; a rank that receives them adds them to its own numbers and counts them as known,
//! so that no difference goes round in circles. The ranks come close to the sum of what all have learned, but do not
//! reach it: a difference below [`LEAST_CHANGE`] is not sent, a number at its limit drops the rest of a difference, and
//! a message that the transport has no room for is not repeated.

use crate::message::MAX_CHANGES;
use crate::{Link, Message};
use search::SharedStatistics;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One rank's side of the exchange, for one search.
pub struct StatisticsExchange {
    statistics: Option<Arc<dyn SharedStatistics>>,
    /// What the other ranks know.
    known: Vec<i16>,
    /// The current numbers of one block.
    block: Vec<i16>,
    /// The first place of the next block.
    next: usize,
    since: Instant,
    pause: Duration,
}

/// Numbers that are looked at together.
const BLOCK: usize = MAX_CHANGES;
/// Numbers that are compared at once: in most rows nothing has changed.
const ROW: usize = 64;
/// Time in which each of two ranks sends all its changes once. More ranks take longer, so that the traffic of each is
/// the same.
const TOUR: Duration = Duration::from_millis(40);
/// The least difference that is sent.
const LEAST_CHANGE: u16 = 48;

impl StatisticsExchange {
    /// An exchange of these statistics among this many ranks.
    pub fn new(statistics: Option<Arc<dyn SharedStatistics>>, ranks: usize) -> StatisticsExchange {
        let count = statistics.as_ref().map_or(0, |statistics| statistics.len());
        let mut known = vec![0; count];
        if let Some(statistics) = &statistics {
            statistics.read(0, &mut known);
        }
        let blocks = count.div_ceil(BLOCK).max(1);
        let pause = TOUR * ranks.saturating_sub(1).max(1) as u32 / blocks as u32;
        StatisticsExchange { statistics, known, block: vec![0; BLOCK], next: 0, since: Instant::now(), pause }
    }

    /// No exchange.
    pub fn none() -> StatisticsExchange {
        StatisticsExchange::new(None, 1)
    }

    /// Sends what has changed in the next block, if it is time.
    pub(crate) fn send_changes(&mut self, link: &mut Link) {
        let Some(statistics) = &self.statistics else { return };
        if self.since.elapsed() < self.pause {
            return;
        }
        self.since = Instant::now();
        let first = self.next;
        let known = &mut self.known[first..];
        let count = known.len().min(BLOCK);
        self.next = if count == known.len() { 0 } else { first + count };
        let current = &mut self.block[..count];
        statistics.read(first, current);
        let mut changes = Vec::new();
        let mut before = 0;
        for (row, (known, current)) in known.chunks_mut(ROW).zip(current.chunks(ROW)).enumerate() {
            if *known == *current {
                continue;
            }
            for (place, (known, &current)) in known.iter_mut().zip(current).enumerate() {
                let change = current.wrapping_sub(*known);
                if change.unsigned_abs() >= LEAST_CHANGE {
                    let place = first + row * ROW + place;
                    changes.push(((place - before) as u32, change));
                    before = place;
                    *known = current;
                }
            }
        }
        if !changes.is_empty() {
            link.traffic.statistics_sent += changes.len() as u64;
            link.send_to_all(&Message::Statistics { changes });
        }
    }

    /// Adds the changes of another rank.
    pub(crate) fn add_changes(&mut self, link: &mut Link, changes: &[(u32, i16)]) {
        let Some(statistics) = &self.statistics else { return };
        let mut place: usize = 0;
        for &(step, change) in changes {
            place = place.saturating_add(step as usize);
            let Some(known) = self.known.get_mut(place) else {
                link.traffic.messages.malformed += 1;
                return;
            };
            *known = known.wrapping_add(statistics.add(place, change));
            link.traffic.statistics_received += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Loopback, NetworkConditions};
    use parking_lot::Mutex;

    struct Numbers(Mutex<Vec<i16>>);

    impl SharedStatistics for Numbers {
        fn len(&self) -> usize {
            self.0.lock().len()
        }
        fn read(&self, place: usize, into: &mut [i16]) {
            into.copy_from_slice(&self.0.lock()[place..place + into.len()]);
        }
        fn add(&self, place: usize, change: i16) -> i16 {
            let value = &mut self.0.lock()[place];
            let before = *value;
            *value = (before + change).clamp(-1000, 1000);
            *value - before
        }
    }

    #[test]
    fn large_changes_reach_every_rank_and_small_ones_stay() {
        let count = 2 * BLOCK + 100;
        let mut ends = Loopback::ranks(2, NetworkConditions::default()).into_iter().map(|end| Link::new(Box::new(end)));
        let mut ranks: Vec<(Link, Arc<Numbers>, StatisticsExchange)> = (0..2)
            .map(|_| {
                let numbers = Arc::new(Numbers(Mutex::new(vec![7; count])));
                (ends.next().unwrap(), Arc::clone(&numbers), StatisticsExchange::new(Some(numbers), 2))
            })
            .collect();
        for (rank, (_, numbers, exchange)) in ranks.iter_mut().enumerate() {
            exchange.pause = Duration::ZERO;
            let mut numbers = numbers.0.lock();
            numbers[5] += 100 + rank as i16;
            numbers[count - 1] += 900;
            // Less than the least change: stays here.
            numbers[BLOCK] += 10;
        }
        for _ in 0..12 {
            for (link, _, exchange) in &mut ranks {
                exchange.send_changes(link);
                while let Some((_, message)) = link.receive() {
                    let Message::Statistics { changes } = message else { panic!("{message:?}") };
                    exchange.add_changes(link, &changes);
                }
            }
        }
        for (link, numbers, _) in &ranks {
            let numbers = numbers.0.lock();
            assert_eq!([numbers[5], numbers[count - 1], numbers[BLOCK]], [7 + 201, 1000, 17]);
            assert_eq!((link.traffic.statistics_sent, link.traffic.messages.malformed), (2, 0), "{}", link.traffic);
        }
        let (link, _, exchange) = &mut ranks[0];
        exchange.add_changes(link, &[(3, 1), (u32::MAX, 1)]);
        assert_eq!(link.traffic.messages.malformed, 1);
    }
}
