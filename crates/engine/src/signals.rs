//! Signals to a running search: stop, and the opponent has made the expected move.

use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The signals that a search has been given so far.
#[derive(Debug, Default)]
pub struct Signals {
    /// Outside the lock, since a search reads it very often.
    stopped: AtomicBool,
    /// Since when the engine's own clock runs; none while it thinks on the opponent's time.
    running_since: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl Signals {
    /// Signals for a search whose clock runs from now on.
    pub fn new() -> Signals {
        Signals::running_since_then(Instant::now())
    }

    /// Signals for a search whose clock runs since then.
    pub fn running_since_then(then: Instant) -> Signals {
        Signals { running_since: Mutex::new(Some(then)), ..Signals::default() }
    }

    /// Signals for a search on the opponent's time.
    pub fn pondering() -> Signals {
        Signals::default()
    }

    /// The search must end.
    pub fn stop(&self) {
        let guard = self.running_since.lock();
        self.stopped.store(true, Ordering::Relaxed);
        drop(guard);
        self.changed.notify_all();
    }

    /// The opponent has made the expected move: the engine's own clock runs.
    pub fn ponder_hit(&self) {
        self.running_since.lock().get_or_insert_with(Instant::now);
        self.changed.notify_all();
    }

    /// Must the search end?
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Since when the engine's own clock runs.
    pub fn running_since(&self) -> Option<Instant> {
        *self.running_since.lock()
    }

    /// Waits until the answer may be given: after a stop, or, unless `until_stopped`, when the own clock runs.
    pub fn wait(&self, until_stopped: bool) {
        let mut since = self.running_since.lock();
        while !self.is_stopped() && (until_stopped || since.is_none()) {
            self.changed.wait(&mut since);
        }
    }

    /// Waits until then, or until a stop.
    pub(crate) fn pause(&self, until: Instant) {
        let mut since = self.running_since.lock();
        while !self.is_stopped() && !self.changed.wait_until(&mut since, until).timed_out() {}
    }
}
