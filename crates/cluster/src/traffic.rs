//! What was sent, received and dropped.

use std::fmt;

/// Counters of one rank.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// Messages sent, and their bytes.
    pub sent: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Messages received.
    pub received: u64,
    /// Received bytes that were no message, or a message without sense.
    pub malformed: u64,
    /// Messages that came too late.
    pub stale: u64,
    /// Received messages that their sender may not send.
    pub unauthorized: u64,
    /// Messages that could not be sent.
    pub unsent: u64,
    /// Messages that could be sent only after the transport had refused them.
    pub delayed: u64,
    /// Requests for work sent.
    pub requests: u64,
    /// Requests of others that were refused.
    pub refused: u64,
    /// Errands given to others.
    pub given: u64,
    /// The moves of nodes that were given away with them.
    pub moves: u64,
    /// Bounds of them that were raised.
    pub raised: u64,
    /// Errands done for others.
    pub done: u64,
    /// Errands of others that were given back because nobody had time for them.
    pub returned: u64,
    /// Errands whose result was waited for no longer.
    pub withdrawn: u64,
    /// Errands of ranks that were lost.
    pub lost: u64,
    /// Errands taken back from ranks that held them too long.
    pub taken_back: u64,
    /// Microseconds from sending an errand to its result, in sum, beyond the time it took.
    pub overhead: u64,
    /// Microseconds that errands took, in sum.
    pub errand_time: u64,
    /// Table entries asked for, found here for others, and put in here by others.
    pub asked: u64,
    /// Entries that others asked for and were found here.
    pub found: u64,
    /// Entries that came from others.
    pub told: u64,
    /// Changes of histories that were sent, and that came from others.
    pub taught: u64,
    /// Changes of histories that came from others.
    pub learned: u64,
}

impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mean = |sum: u64| sum as f64 / self.given.max(1) as f64;
        write!(
            f,
            "sent {} messages ({} kB), received {}, dropped {} malformed, {} stale, {} unauthorized, {} unsent, \
             delayed {}; requests {}, refused {}; \
             errands given {} ({:.1} moves and {:.2} ms each, {:.2} ms on the way, {} bounds raised), done {}, \
             given back {}, withdrawn {}, lost {}, taken back {}; \
             table entries asked {}, found {}, told {}; histories taught {}, learned {}",
            self.sent,
            self.bytes / 1000,
            self.received,
            self.malformed,
            self.stale,
            self.unauthorized,
            self.unsent,
            self.delayed,
            self.requests,
            self.refused,
            self.given,
            mean(self.moves),
            mean(self.errand_time) / 1000.0,
            mean(self.overhead) / 1000.0,
            self.raised,
            self.done,
            self.returned,
            self.withdrawn,
            self.lost,
            self.taken_back,
            self.asked,
            self.found,
            self.told,
            self.taught,
            self.learned
        )
    }
}
