//! Messages between ranks.
//!
//! The names are Zugzwang's where it has one (section 4): a REQUEST for work is answered by WORK or a REFUSAL; a RETURN
//! ends the work, a CUTOFF makes it useless, a NEWBOUND narrows it. Every message of a search carries the number of the
//! search, so that messages that come too late are dropped. Every message is checked before it is used: its checksum
//! (`link.rs`), its limits, its sender ([`Message::may_travel`]), and what it contains (`wire.rs`).

use crate::wire::{ResultOnWire, TaskOnWire};
use serde::{Deserialize, Serialize};

/// A message from one rank to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// To the first rank: this rank has started.
    Hello {
        /// Cores this rank may use.
        cores: u32,
        /// The name of its host.
        host: String,
    },
    /// From the first rank: set an option of the engine.
    SetOption {
        /// Its name.
        name: String,
        /// Its value.
        value: Option<String>,
    },
    /// From the first rank: forget what was learned in the last game.
    NewGame,
    /// From the first rank: get ready for a search.
    Prepare,
    /// To the first rank: this rank is ready.
    Prepared,
    /// From the first rank: a search begins.
    Start {
        /// Its number.
        search: u32,
        /// The position, as the game writes it.
        what: Vec<u8>,
    },
    /// From the first rank: the search is over.
    End {
        /// Its number.
        search: u32,
    },
    /// From the first rank: the job is over.
    Quit,
    /// The sender has idle processors and asks for work.
    Request {
        /// The search.
        search: u32,
    },
    /// The answer to a request: no work.
    Refusal {
        /// The search.
        search: u32,
    },
    /// The answer to a request: a task.
    Work {
        /// The search.
        search: u32,
        /// The task's id, which contains the rank that gives it.
        id: u64,
        /// What is to be searched.
        task: TaskOnWire,
    },
    /// A given task is of no use any more.
    Cutoff {
        /// The search.
        search: u32,
        /// The task's id.
        id: u64,
    },
    /// Alpha has risen at the split point that a given task comes from (Zugzwang's NEWBOUND).
    NewBound {
        /// The search.
        search: u32,
        /// The task's id.
        id: u64,
        /// The new alpha.
        alpha: i32,
    },
    /// The result of a task; none if the task was not searched.
    Return {
        /// The search.
        search: u32,
        /// The task's id.
        id: u64,
        /// How long the task was at the rank that searched it.
        time_us: u64,
        /// The result.
        result: Option<ResultOnWire>,
    },
    /// To the first rank: progress in the search.
    Status {
        /// The search.
        search: u32,
        /// Nodes visited in it.
        nodes: u64,
        /// How full the table is, in thousandths.
        permille_full: u32,
        /// Idle time and time spent on messages, in thousandths of the time of the processors.
        lost_permille: [u32; 2],
        /// The search has ended here.
        is_last: bool,
    },
    /// To the first rank: a line for the user.
    Note {
        /// The line.
        text: String,
    },
    /// Asks whether the rank is alive.
    Ping,
    /// The answer to a ping.
    Pong,
    /// Asks for entries of the table.
    TableQuery {
        /// The keys of the positions.
        keys: Vec<u64>,
    },
    /// Entries of the table.
    TableEntries {
        /// Keys and entries.
        entries: Vec<(u64, u64)>,
    },
    /// Changes of shared statistics.
    Statistics {
        /// For each change: its distance from the index of the previous one, and the difference.
        changes: Vec<(u32, i16)>,
    },
}

impl Message {
    /// The message as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).unwrap_or_else(|error| unreachable!("messages can be written: {error}"))
    }

    /// The message from its bytes, if they are one message whose lengths and numbers are within their limits.
    pub fn from_bytes(bytes: &[u8]) -> Option<Message> {
        match postcard::take_from_bytes::<Message>(bytes) {
            Ok((message, [])) => Some(message).filter(Message::is_within_limits),
            _ => None,
        }
    }

    /// Tasks and results are checked when they are used ([`TaskOnWire::check`], [`ResultOnWire::check`]).
    fn is_within_limits(&self) -> bool {
        match self {
            Message::Hello { cores, host } => (1..=MAX_CORES).contains(cores) && host.len() <= MAX_NAME_BYTES,
            Message::SetOption { name, value } => {
                name.len() <= MAX_NAME_BYTES && value.as_ref().is_none_or(|value| value.len() <= MAX_VALUE_BYTES)
            }
            Message::Status { nodes, permille_full, lost_permille, .. } => {
                *nodes <= MAX_NODES && *permille_full <= 1000 && lost_permille.iter().all(|&part| part <= 1000)
            }
            Message::Note { text } => text.len() <= MAX_VALUE_BYTES,
            Message::TableQuery { keys } => keys.len() <= MAX_BATCH,
            Message::TableEntries { entries } => entries.len() <= MAX_BATCH,
            Message::Statistics { changes } => changes.len() <= MAX_CHANGES,
            _ => true,
        }
    }

    /// May one rank send this message to the other? The first rank leads: only it commands, and only it takes reports.
    /// Of a task, the rank that gave it speaks about its bounds and its end, and only that rank is told the result;
    /// whether the result comes from the rank that has the task is for the receiver to check.
    pub fn may_travel(&self, from: usize, to: usize) -> bool {
        match self {
            Message::SetOption { .. }
            | Message::NewGame
            | Message::Prepare
            | Message::Start { .. }
            | Message::End { .. }
            | Message::Quit => from == 0,
            Message::Hello { .. } | Message::Prepared | Message::Status { .. } | Message::Note { .. } => to == 0,
            Message::Work { id, .. } | Message::Cutoff { id, .. } | Message::NewBound { id, .. } => giver(*id) == from,
            Message::Return { id, .. } => giver(*id) == to,
            Message::Request { .. }
            | Message::Refusal { .. }
            | Message::Ping
            | Message::Pong
            | Message::TableQuery { .. }
            | Message::TableEntries { .. }
            | Message::Statistics { .. } => true,
        }
    }

    /// Does the search or the job depend on the arrival of this message? The others may be dropped: a request is
    /// repeated, work that could not be sent is searched here, and a cutoff, a bound or a table entry only saves time.
    pub fn must_arrive(&self) -> bool {
        matches!(
            self,
            Message::Hello { .. }
                | Message::SetOption { .. }
                | Message::NewGame
                | Message::Prepare
                | Message::Prepared
                | Message::Start { .. }
                | Message::End { .. }
                | Message::Quit
                | Message::Return { .. }
        )
    }
}

/// Limits of what a message may hold. A message beyond them is refused as malformed.
pub(crate) const MAX_CORES: u32 = 1 << 16;
pub(crate) const MAX_NAME_BYTES: usize = 256;
pub(crate) const MAX_VALUE_BYTES: usize = 1 << 16;
/// Nodes of one search, far beyond what any machine visits, and far below where sums of it overflow.
pub(crate) const MAX_NODES: u64 = 1 << 48;
/// Keys or entries of the table.
pub(crate) const MAX_BATCH: usize = 4096;
/// Changed statistics.
pub(crate) const MAX_CHANGES: usize = 8192;

/// The id of a task: the rank that gives it, and its number there.
pub(crate) fn task_id(giver: usize, number: u64) -> u64 {
    (giver as u64) << GIVER_SHIFT | number
}

/// The rank that gives the task of this id.
fn giver(id: u64) -> usize {
    (id >> GIVER_SHIFT) as usize
}

const GIVER_SHIFT: u32 = 40;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::examples::{result, task};
    use rand_xoshiro::SplitMix64;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    #[test]
    fn messages_arrive_as_they_were_sent() {
        let messages = [
            Message::Hello { cores: 64, host: "here".into() },
            Message::Start { search: 7, what: vec![0, 255, 3] },
            Message::Work { search: 7, id: u64::MAX, task: task() },
            Message::NewBound { search: 7, id: 3, alpha: -12 },
            Message::Return { search: 7, id: 3, time_us: 12, result: Some(result()) },
            Message::TableQuery { keys: vec![0, u64::MAX] },
        ];
        for message in messages {
            assert_eq!(Message::from_bytes(&message.to_bytes()), Some(message));
        }
    }

    #[test]
    fn damaged_messages_are_refused() {
        let whole = Message::Work { search: 7, id: 1 << 50, task: task() }.to_bytes();
        for end in 0..whole.len() {
            assert_eq!(Message::from_bytes(&whole[..end]), None, "cut off after {end} bytes");
        }
        assert_eq!(Message::from_bytes(&[&whole[..], &[0]].concat()), None, "something after the end");
        let mut random = SplitMix64::seed_from_u64(1);
        for _ in 0..100_000 {
            let mut bytes = [0; 24];
            random.fill_bytes(&mut bytes);
            // Must not panic.
            let _ = Message::from_bytes(&bytes);
        }
    }

    #[test]
    fn messages_beyond_the_limits_are_refused() {
        let status = |nodes, permille_full, lost_permille| Message::Status {
            search: 1,
            nodes,
            permille_full,
            lost_permille,
            is_last: false,
        };
        let option =
            |name: usize, value: usize| Message::SetOption { name: "x".repeat(name), value: Some("x".repeat(value)) };
        let hello = |cores, host: usize| Message::Hello { cores, host: "x".repeat(host) };
        for message in [
            status(MAX_NODES + 1, 0, [0; 2]),
            status(u64::MAX, 0, [0; 2]),
            status(0, 1001, [0; 2]),
            status(0, 0, [0, u32::MAX]),
            option(MAX_NAME_BYTES + 1, 1),
            option(1, MAX_VALUE_BYTES + 1),
            hello(0, 1),
            hello(u32::MAX, 1),
            hello(1, MAX_NAME_BYTES + 1),
            Message::Note { text: "x".repeat(MAX_VALUE_BYTES + 1) },
            Message::TableQuery { keys: vec![0; MAX_BATCH + 1] },
            Message::TableEntries { entries: vec![(0, 0); MAX_BATCH + 1] },
            Message::Statistics { changes: vec![(0, 0); MAX_CHANGES + 1] },
        ] {
            let bytes = message.to_bytes();
            assert_eq!(Message::from_bytes(&bytes), None, "{:?}", &bytes[..8.min(bytes.len())]);
        }
        for message in
            [status(MAX_NODES, 1000, [1000; 2]), option(MAX_NAME_BYTES, MAX_VALUE_BYTES), hello(MAX_CORES, 9)]
        {
            assert_eq!(Message::from_bytes(&message.to_bytes()), Some(message));
        }
    }
}
