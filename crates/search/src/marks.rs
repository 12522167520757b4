//! What is being searched at this moment.

use crate::algorithms::{Algorithm, Together};
use std::sync::atomic::{AtomicU64, Ordering};

/// Keys of positions that are being searched. Small and forgetful: a mark that finds its slot taken is not made.
pub(crate) struct SearchMarks {
    slots: Box<[AtomicU64]>,
    pub(crate) use_for: Use,
}

/// What the marks are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Moves that another strand is searching are deferred.
    Exclusion,
    /// A strand that comes to a position that another one is searching waits for the result.
    DeferredReads,
}

impl Use {
    /// What the algorithm needs marks for, if for anything.
    pub(crate) fn of(algorithm: &Algorithm) -> Option<Use> {
        let exclusive = matches!(algorithm.together, Together::Everyone { exclusive: true, .. });
        let deferred = algorithm.switches.deferred_reads.then_some(Use::DeferredReads);
        if exclusive { Some(Use::Exclusion) } else { deferred }
    }
}

const SLOTS: usize = 1 << 15;

impl SearchMarks {
    pub(crate) fn new(use_for: Use) -> SearchMarks {
        SearchMarks { slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(), use_for }
    }

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
