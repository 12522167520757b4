//! Words called to a running search from outside: stop, and the opponent has made the expected move.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What has been called to a search so far.
#[derive(Debug, Default)]
pub struct Signals {
    /// Read at every poll of the search, so it lies outside the lock.
    stopped: AtomicBool,
    /// Since when the engine's own clock runs; none while it thinks on the opponent's time.
    running_since: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl Signals {
    /// Signals for a search whose clock runs from now on.
    pub fn new() -> Signals {
        Signals { running_since: Mutex::new(Some(Instant::now())), ..Signals::default() }
    }

    /// Signals for a search on the opponent's time.
    pub fn pondering() -> Signals {
        Signals::default()
    }

    /// The search must end.
    pub fn stop(&self) {
        let guard = self.lock();
        self.stopped.store(true, Ordering::Relaxed);
        drop(guard);
        self.changed.notify_all();
    }

    /// The opponent has made the expected move: the engine's own clock runs.
    pub fn ponder_hit(&self) {
        self.lock().get_or_insert_with(Instant::now);
        self.changed.notify_all();
    }

    /// Must the search end?
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Since when the engine's own clock runs.
    pub fn running_since(&self) -> Option<Instant> {
        *self.lock()
    }

    /// Waits until the answer may be given: after a stop, or, unless `until_stopped`, when the own clock runs.
    pub fn wait(&self, until_stopped: bool) {
        let mut guard = self.lock();
        while !self.is_stopped() && (until_stopped || guard.is_none()) {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.running_since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
