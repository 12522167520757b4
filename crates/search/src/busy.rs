//! What is being searched at this moment, for algorithms whose processors share nothing else (ABDADA).

use std::sync::atomic::{AtomicU64, Ordering};

/// Keys of positions that are being searched. Small and forgetful: a mark that finds its slot taken is not made.
pub(crate) struct Busy {
    slots: Box<[AtomicU64]>,
}

const SLOTS: usize = 1 << 15;

impl Busy {
    pub(crate) fn new() -> Busy {
        Busy { slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect() }
    }

    fn slot(&self, key: u64) -> &AtomicU64 {
        &self.slots[key as usize % SLOTS]
    }

    /// Is somebody searching this position?
    pub(crate) fn has(&self, key: u64) -> bool {
        self.slot(key).load(Ordering::Relaxed) == key
    }

    /// Somebody begins to search the position.
    pub(crate) fn mark(&self, key: u64) {
        let _ = self.slot(key).compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The position has been searched.
    pub(crate) fn clear(&self, key: u64) {
        let _ = self.slot(key).compare_exchange(key, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}
