//! The bell: how a busy machine hears at once that another one has sent it something.
//!
//! To look for messages costs most of a microsecond, so it is done seldom; to look whether a bell has been rung costs one
//! read of memory, so a strand does it at every node. Ranks of the same host have bells, in memory they share.

use std::sync::atomic::{AtomicU8, Ordering};

/// A machine's bell.
#[derive(Clone, Copy, Debug)]
pub struct Doorbell {
    rung: &'static AtomicU8,
    /// Does everybody who sends something ring it?
    pub(crate) is_complete: bool,
}

impl Doorbell {
    /// A bell that is rung wherever this number is set; `is_complete` if everybody does who sends something.
    pub fn new(rung: &'static AtomicU8, is_complete: bool) -> Doorbell {
        Doorbell { rung, is_complete }
    }

    /// A bell that nobody rings.
    pub fn silent() -> Doorbell {
        static NEVER: AtomicU8 = AtomicU8::new(0);
        Doorbell::new(&NEVER, false)
    }

    /// Something has been sent, and can be received from now on.
    pub fn ring(&self) {
        self.rung.store(1, Ordering::Release);
    }

    /// Has it been rung, and nobody has looked yet?
    #[inline]
    pub fn is_rung(&self) -> bool {
        self.rung.load(Ordering::Relaxed) != 0
    }

    /// Somebody will look now. What is sent later rings again.
    pub(crate) fn hear(&self) {
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
        bell.hear();
        assert!(!bell.is_rung());
        other.ring();
        assert!(bell.is_rung());
        assert!(!Doorbell::silent().is_rung());
    }
}
