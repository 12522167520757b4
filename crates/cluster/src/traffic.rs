//! Counters of what was sent, received and refused.

use std::fmt;

/// Counters of one rank, since the job began.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// All messages.
    pub messages: MessageCounts,
    /// Tasks given to other ranks and taken from them.
    pub tasks: TaskCounts,
    /// Entries of the distributed table.
    pub table: TableCounts,
    /// Changes of statistics that were sent.
    pub statistics_sent: u64,
    /// Changes of statistics that came from other ranks.
    pub statistics_received: u64,
}

/// Counters of messages.
#[derive(Clone, Debug, Default)]
pub struct MessageCounts {
    /// Messages sent.
    pub sent: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Messages received.
    pub received: u64,
    /// Received bytes that were no message within the limits.
    pub malformed: u64,
    /// Messages that came too late or twice.
    pub stale: u64,
    /// Received messages that their sender may not send.
    pub unauthorized: u64,
    /// Messages dropped because the transport had no room for them.
    pub unsent: u64,
    /// Messages that were sent only after the transport had refused them.
    pub delayed: u64,
}

/// Counters of tasks.
#[derive(Clone, Debug, Default)]
pub struct TaskCounts {
    /// Requests for work sent.
    pub requests: u64,
    /// Requests of other ranks that were refused.
    pub refused: u64,
    /// Tasks given to other ranks.
    pub given: u64,
    /// Moves in the tasks given.
    pub moves: u64,
    /// Bounds of given tasks that were raised.
    pub raised: u64,
    /// Tasks of other ranks that were searched here.
    pub done: u64,
    /// Tasks of other ranks that were given back because no processor had time for them.
    pub returned: u64,
    /// Given tasks that were cut off.
    pub cut: u64,
    /// Given tasks of ranks that were lost.
    pub lost: u64,
    /// Given tasks that were taken back from ranks that held them too long.
    pub taken_back: u64,
    /// Time from giving a task to its result, without the time of its search, in sum.
    pub overhead_us: u64,
    /// Time of the search of given tasks, in sum.
    pub search_time_us: u64,
}

/// Counters of table entries.
#[derive(Clone, Debug, Default)]
pub struct TableCounts {
    /// Entries asked for.
    pub asked: u64,
    /// Entries found here for other ranks.
    pub found: u64,
    /// Entries that came from other ranks.
    pub received: u64,
}

impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; {}; {}; statistics sent {}, received {}",
            self.messages, self.tasks, self.table, self.statistics_sent, self.statistics_received
        )
    }
}

impl fmt::Display for MessageCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MessageCounts { sent, bytes, received, malformed, stale, unauthorized, unsent, delayed } = self;
        write!(
            f,
            "sent {sent} messages ({} kB, {delayed} late), received {received}, dropped {malformed} malformed, \
             {stale} stale, {unauthorized} unauthorized, {unsent} unsent",
            bytes / 1000
        )
    }
}

impl fmt::Display for TaskCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mean = |sum: u64| sum as f64 / self.given.max(1) as f64;
        write!(
            f,
            "requests {}, refused {}; tasks given {} ({:.1} moves and {:.2} ms each, {:.2} ms on the way, {} bounds \
             raised), done {}, given back {}, cut {}, lost {}, taken back {}",
            self.requests,
            self.refused,
            self.given,
            mean(self.moves),
            mean(self.search_time_us) / 1000.0,
            mean(self.overhead_us) / 1000.0,
            self.raised,
            self.done,
            self.returned,
            self.cut,
            self.lost,
            self.taken_back
        )
    }
}

impl fmt::Display for TableCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "table entries asked {}, found {}, received {}", self.asked, self.found, self.received)
    }
}
