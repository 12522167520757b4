//! What ranks learn about moves, told to each other at a low rate (Zugzwang's authors thought of it, and left it).
//!
//! Every rank remembers what it has told. Piece by piece it looks for numbers that have changed since, and sends the
//! changes; who hears of them adds them to his own numbers, and takes them as told. So nothing goes round in circles, and
//! after a while every rank knows the sum of what all have learned.

use crate::message::MAX_CHANGES;
use crate::{Link, Message};
use search::SharedStatistics;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One rank's part in the exchange, for one search.
pub struct Exchange {
    lore: Option<Arc<dyn SharedStatistics>>,
    told: Vec<i16>,
    /// What is known of the piece that is looked at.
    piece: Vec<i16>,
    /// The piece that is looked at next.
    next: usize,
    since: Instant,
    pause: Duration,
}

/// So many numbers are looked at together.
const PIECE: usize = MAX_CHANGES;
/// And so many are compared at once: in most nothing has changed.
const ROW: usize = 64;
/// In this time everything is looked at once, if there are two ranks; the more ranks the longer, so that the traffic of
/// each is the same.
const TOUR: Duration = Duration::from_millis(40);
/// Smaller changes wait until they are larger.
const LEAST: u16 = 48;

impl Exchange {
    /// An exchange of this lore among so many ranks.
    pub fn new(lore: Option<Arc<dyn SharedStatistics>>, ranks: usize) -> Exchange {
        let places = lore.as_ref().map_or(0, |lore| lore.len());
        let mut told = vec![0; places];
        if let Some(lore) = &lore {
            lore.read(0, &mut told);
        }
        let pieces = places.div_ceil(PIECE).max(1);
        let pause = TOUR * ranks.saturating_sub(1).max(1) as u32 / pieces as u32;
        Exchange { lore, told, piece: vec![0; PIECE], next: 0, since: Instant::now(), pause }
    }

    /// No exchange.
    pub fn none() -> Exchange {
        Exchange::new(None, 1)
    }

    /// Tells the others what has changed in the next piece, if it is time.
    pub(crate) fn teach(&mut self, link: &mut Link) {
        let Some(lore) = &self.lore else { return };
        if self.since.elapsed() < self.pause {
            return;
        }
        self.since = Instant::now();
        let first = self.next;
        let told = &mut self.told[first..];
        let count = told.len().min(PIECE);
        self.next = if count == told.len() { 0 } else { first + count };
        let known = &mut self.piece[..count];
        lore.read(first, known);
        let mut changes = Vec::new();
        let mut before = 0;
        for (row, (told, known)) in told.chunks_mut(ROW).zip(known.chunks(ROW)).enumerate() {
            if *told == *known {
                continue;
            }
            for (place, (told, &known)) in told.iter_mut().zip(known).enumerate() {
                let change = known.wrapping_sub(*told);
                if change.unsigned_abs() >= LEAST {
                    let place = first + row * ROW + place;
                    changes.push(((place - before) as u32, change));
                    before = place;
                    *told = known;
                }
            }
        }
        if !changes.is_empty() {
            link.traffic.taught += changes.len() as u64;
            link.send_to_all(&Message::SharedStatistics { changes });
        }
    }

    /// Another rank has learned something.
    pub(crate) fn learn(&mut self, link: &mut Link, changes: &[(u32, i16)]) {
        let Some(lore) = &self.lore else { return };
        let mut place: usize = 0;
        for &(step, change) in changes {
            place = place.saturating_add(step as usize);
            let Some(told) = self.told.get_mut(place) else {
                link.traffic.malformed += 1;
                return;
            };
            *told = told.wrapping_add(lore.add(place, change));
            link.traffic.learned += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Loopback, Weather};
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
    fn all_come_to_know_the_sum() {
        let places = 2 * PIECE + 100;
        let mut ends = Loopback::ranks(2, Weather::default()).into_iter().map(|end| Link::new(Box::new(end)));
        let mut ranks: Vec<(Link, Arc<Numbers>, Exchange)> = (0..2)
            .map(|_| {
                let numbers = Arc::new(Numbers(Mutex::new(vec![7; places])));
                (ends.next().unwrap(), Arc::clone(&numbers), Exchange::new(Some(numbers), 2))
            })
            .collect();
        for (rank, (_, numbers, exchange)) in ranks.iter_mut().enumerate() {
            exchange.pause = Duration::ZERO;
            let mut numbers = numbers.0.lock();
            numbers[5] += 100 + rank as i16;
            numbers[places - 1] += 900;
            numbers[PIECE] += 10;
        }
        for _ in 0..12 {
            for (link, _, exchange) in &mut ranks {
                exchange.teach(link);
                while let Some((_, message)) = link.receive() {
                    let Message::SharedStatistics { changes } = message else { panic!("{message:?}") };
                    exchange.learn(link, &changes);
                }
            }
        }
        for (link, numbers, _) in &ranks {
            let numbers = numbers.0.lock();
            assert_eq!([numbers[5], numbers[places - 1], numbers[PIECE]], [7 + 201, 1000, 17]);
            assert_eq!((link.traffic.taught, link.traffic.malformed), (2, 0), "{}", link.traffic);
        }
        let (link, _, exchange) = &mut ranks[0];
        exchange.learn(link, &[(3, 1), (u32::MAX, 1)]);
        assert_eq!(link.traffic.malformed, 1);
    }
}
