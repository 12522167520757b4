//! The doorbell: how a busy rank learns at once that another rank of its host has sent it something.
//!
//! To ask MPI for messages costs most of a microsecond, so it is done seldom. To read a byte of memory that the ranks of
//! a host share costs next to nothing, so a strand does it every few nodes ([`Doorbell::INTERVAL`]).

use std::sync::atomic::{AtomicU8, Ordering};

/// A rank's doorbell.
#[derive(Clone, Copy, Debug)]
pub struct Doorbell {
    rung: &'static AtomicU8,
    /// Does every sender ring it? If not, messages must be asked for besides.
    pub(crate) is_complete: bool,
}

impl Doorbell {
    /// Nodes between two looks at the doorbell.
    pub const INTERVAL: u64 = 4;

    /// A doorbell in this byte of memory; `is_complete` if every rank that sends something rings it.
    pub fn new(rung: &'static AtomicU8, is_complete: bool) -> Doorbell {
        Doorbell { rung, is_complete }
    }

    /// Something has been sent, and can be received from now on.
    pub fn ring(&self) {
        self.rung.store(1, Ordering::Release);
    }

    /// Has it been rung since it was last answered?
    #[inline]
    pub fn is_rung(&self) -> bool {
        self.rung.load(Ordering::Relaxed) != 0
    }

    /// Messages are about to be looked for. What is sent later rings again.
    pub(crate) fn answer(&self) {
        if self.is_rung() {
            self.rung.swap(0, Ordering::AcqRel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_after_a_look_rings_again() {
        let bell = Doorbell::new(Box::leak(Box::new(AtomicU8::new(0))), true);
        let other = bell;
        assert!(!bell.is_rung());
        other.ring();
        assert!(bell.is_rung());
        bell.answer();
        assert!(!bell.is_rung());
        other.ring();
        assert!(bell.is_rung());
    }
}
