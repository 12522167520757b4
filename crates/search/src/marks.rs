//! What is being searched at this moment.

use crate::algorithms::{Algorithm, Together};
use game::Depth;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The positions that are being searched, as far as the algorithm needs to know.
pub(crate) enum Marks {
    /// It does not.
    None,
    /// Moves that another strand is searching are put off.
    Exclusion(SearchMarks),
    /// A strand that comes to a position that another one is searching waits for the result.
    DeferredReads(Reservations),
}

impl Marks {
    /// What the algorithm needs.
    pub(crate) fn of(algorithm: &Algorithm) -> Marks {
        match algorithm.together {
            Together::Everyone { exclusive: true, .. } => Marks::Exclusion(SearchMarks::default()),
            _ if algorithm.switches.deferred_reads => Marks::DeferredReads(Reservations::default()),
            _ => Marks::None,
        }
    }
}

/// Keys of positions that are being searched. Small and forgetful: a mark that finds its slot taken is not made.
pub(crate) struct SearchMarks {
    slots: Box<[AtomicU64]>,
}

const SLOTS: usize = 1 << 15;

impl Default for SearchMarks {
    fn default() -> Self {
        SearchMarks { slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect() }
    }
}

impl SearchMarks {
    fn slot(&self, key: u64) -> &AtomicU64 {
        &self.slots[key as usize % SLOTS]
    }

    /// Is a strand searching this position?
    pub(crate) fn has(&self, key: u64) -> bool {
        self.slot(key).load(Ordering::Relaxed) == key
    }

    /// A strand begins to search the position.
    pub(crate) fn mark(&self, key: u64) {
        let _ = self.slot(key).compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The position has been searched.
    pub(crate) fn clear(&self, key: u64) {
        let _ = self.slot(key).compare_exchange(key, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Number of parts of the reservations, so that strands seldom want the same lock.
const PARTS: usize = 1 << 12;

/// Keys and depths.
type Part = Vec<(u64, Depth)>;

/// Positions that are being searched, each with its depth. Unlike a mark in the table's entry, a reservation is never
/// overwritten by another position.
pub(crate) struct Reservations {
    parts: Box<[Mutex<Part>]>,
}

impl Default for Reservations {
    fn default() -> Self {
        Reservations { parts: (0..PARTS).map(|_| Mutex::default()).collect() }
    }
}

impl Reservations {
    fn part(&self, key: u64) -> &Mutex<Part> {
        &self.parts[key as usize % PARTS]
    }

    /// A strand begins to search the position to that depth. False if another one does so already.
    pub(crate) fn reserve(&self, key: u64, depth: Depth) -> bool {
        let mut part = self.part(key).lock();
        let is_free = !part.contains(&(key, depth));
        part.extend(is_free.then_some((key, depth)));
        is_free
    }

    /// The strand that reserved the position is done with it.
    pub(crate) fn release(&self, key: u64, depth: Depth) {
        self.part(key).lock().retain(|&other| other != (key, depth));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_reserved_once_for_each_depth() {
        let reservations = Reservations::default();
        assert!(reservations.reserve(7, 3) && reservations.reserve(7, 4) && reservations.reserve(7 + PARTS as u64, 3));
        assert!(!reservations.reserve(7, 3));
        reservations.release(7, 3);
        assert!(reservations.reserve(7, 3) && !reservations.reserve(7, 4));
    }
}
