//! What ranks say to each other.
//!
//! The names are Zugzwang's where it has one (section 4): a REQUEST for work is answered by WORK or a REFUSAL; a RETURN ends
//! it, a CUTOFF makes it useless, a NEWBOUND makes it smaller. Every message of a search carries the search's number: what
//! comes too late is dropped. Whatever arrives is checked before it is used.

use game::{MAX_PLY, Score, Window};
use search::{Kind, MoveBatch, RemoteResult, RemoteTask};
use serde::{Deserialize, Serialize};
use table::Entry;

/// A message from one rank to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// To the first rank: here I am, with so many cores, on this host.
    Hello {
        /// Cores this rank may use.
        cores: u32,
        /// The name of its host.
        host: String,
    },
    /// From the first rank: an option of the engine is set.
    SetOption {
        /// Its name.
        name: String,
        /// Its value.
        value: Option<String>,
    },
    /// From the first rank: what was learned in the last game is to be forgotten.
    NewGame,
    /// From the first rank: a search will begin, be ready for it.
    Prepare,
    /// To the first rank: I am.
    Prepared,
    /// From the first rank: a search begins.
    Start {
        /// Its number.
        search: u32,
        /// What is searched, as the game writes it.
        what: Vec<u8>,
    },
    /// From the first rank: the search is over.
    End {
        /// Its number.
        search: u32,
    },
    /// From the first rank: that was all.
    Quit,
    /// I have nothing to do.
    Request {
        /// The search.
        search: u32,
    },
    /// Nor have I anything for you.
    Refusal {
        /// The search.
        search: u32,
    },
    /// Search this.
    Work {
        /// The search.
        search: u32,
        /// The errand's name, unique among the sender's.
        name: u64,
        /// What is to be searched.
        errand: ErrandOnWire,
    },
    /// What you search for me is of no use any more.
    Cutoff {
        /// The search.
        search: u32,
        /// The errand's name.
        name: u64,
    },
    /// Alpha has risen where what you search for me comes from (Zugzwang's NEWBOUND).
    NewBound {
        /// The search.
        search: u32,
        /// The errand's name.
        name: u64,
        /// The new alpha.
        alpha: i32,
    },
    /// What you wanted to know; nothing if I could not find out.
    Return {
        /// The search.
        search: u32,
        /// The errand's name.
        name: u64,
        /// How long it took, in microseconds.
        time: u64,
        /// What came of it.
        reply: Option<ReplyOnWire>,
    },
    /// To the first rank: how far I am.
    Status {
        /// The search.
        search: u32,
        /// Nodes visited in it.
        nodes: u64,
        /// How full my table is, in thousandths.
        full: u32,
        /// Which part of the time my processors had nothing to do, and which part they spent on messages, in thousandths.
        lost: [u32; 2],
        /// The search has ended here, and these are all nodes.
        last: bool,
    },
    /// To the first rank: something for the user to read.
    Note {
        /// What.
        text: String,
    },
    /// Are you still there?
    Ping,
    /// Yes.
    Pong,
    /// What do you know of these positions?
    Ask {
        /// Their keys.
        keys: Vec<u64>,
    },
    /// This is known of these positions.
    Tell {
        /// Their keys and entries.
        entries: Vec<(u64, u64)>,
    },
    /// What I have learned lately.
    SharedStatistics {
        /// How far each place is from the one before, and by how much its number has changed.
        changes: Vec<(u32, i16)>,
    },
}

impl Message {
    /// The message as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).unwrap_or_else(|error| unreachable!("messages can be written: {error}"))
    }

    /// The message behind some bytes, if they are one message whose lengths and numbers are within their limits.
    pub fn from_bytes(bytes: &[u8]) -> Option<Message> {
        match postcard::take_from_bytes::<Message>(bytes) {
            Ok((message, [])) => Some(message).filter(Message::is_within_limits),
            _ => None,
        }
    }

    /// Tasks and results are checked when they are used ([`ErrandOnWire::check`], [`ReplyOnWire::check`]).
    fn is_within_limits(&self) -> bool {
        match self {
            Message::Hello { cores, host } => (1..=MAX_CORES).contains(cores) && host.len() <= MAX_NAME_BYTES,
            Message::SetOption { name, value } => {
                name.len() <= MAX_NAME_BYTES && value.as_ref().is_none_or(|value| value.len() <= MAX_VALUE_BYTES)
            }
            Message::Status { nodes, full, lost, .. } => {
                *nodes <= MAX_NODES && *full <= 1000 && lost.iter().all(|&part| part <= 1000)
            }
            Message::Note { text } => text.len() <= MAX_VALUE_BYTES,
            Message::Ask { keys } => keys.len() <= MAX_BATCH,
            Message::Tell { entries } => entries.len() <= MAX_BATCH,
            Message::SharedStatistics { changes } => changes.len() <= MAX_CHANGES,
            _ => true,
        }
    }

    /// May one rank send this message to the other? The first rank leads: only it commands, and only it takes reports. Of a
    /// task, the rank that gave it speaks about its bounds and its end, and only that rank is told the result; whether the
    /// result comes from the rank that has the task is for the receiver to check.
    pub fn may_travel(&self, from: usize, to: usize) -> bool {
        match self {
            Message::SetOption { .. }
            | Message::NewGame
            | Message::Prepare
            | Message::Start { .. }
            | Message::End { .. }
            | Message::Quit => from == 0,
            Message::Hello { .. } | Message::Prepared | Message::Status { .. } | Message::Note { .. } => to == 0,
            Message::Work { name, .. } | Message::Cutoff { name, .. } | Message::NewBound { name, .. } => {
                giver(*name) == from
            }
            Message::Return { name, .. } => giver(*name) == to,
            Message::Request { .. }
            | Message::Refusal { .. }
            | Message::Ping
            | Message::Pong
            | Message::Ask { .. }
            | Message::Tell { .. }
            | Message::SharedStatistics { .. } => true,
        }
    }

    /// Does the search or the job depend on the arrival of this message? The others may be dropped: a request is repeated,
    /// work that could not be sent is searched here, and a cutoff, a bound or a table entry only saves time.
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
/// Nodes of one task: as far below, for many more sums.
const MAX_TASK_NODES: u64 = 1 << 44;
/// Keys or entries of the table.
pub(crate) const MAX_BATCH: usize = 4096;
/// Changed statistics.
pub(crate) const MAX_CHANGES: usize = 8192;

/// The name of a task: the rank that gives it, and its number there.
pub(crate) fn task_name(giver: usize, number: u64) -> u64 {
    (giver as u64) << GIVER_SHIFT | number
}

/// The rank that gave a task of this name.
fn giver(name: u64) -> usize {
    (name >> GIVER_SHIFT) as usize
}

const GIVER_SHIFT: u32 = 40;

/// An errand as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrandOnWire {
    moves: Vec<u16>,
    alpha: i32,
    beta: i32,
    depth: i32,
    kind: u8,
    part: Option<PartOnWire>,
}

/// Some moves of a node as they travel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartOnWire {
    moves: Vec<(u16, u32)>,
    best: i32,
}

impl From<RemoteTask> for ErrandOnWire {
    fn from(errand: RemoteTask) -> Self {
        ErrandOnWire {
            moves: errand.moves,
            alpha: errand.window.alpha.value(),
            beta: errand.window.beta.value(),
            depth: errand.depth,
            kind: errand.kind as u8,
            part: errand.part.map(|part| PartOnWire {
                moves: part.moves.into_iter().map(|(mv, index)| (mv, index as u32)).collect(),
                best: part.best.value(),
            }),
        }
    }
}

impl ErrandOnWire {
    /// The errand, if it is one that could have been sent.
    pub fn check(self) -> Option<RemoteTask> {
        let kind = [Kind::Pv, Kind::Cut, Kind::All].into_iter().find(|kind| *kind as u8 == self.kind)?;
        let (alpha, beta) = (score(self.alpha)?, score(self.beta)?);
        // Of the root itself only a part is given away.
        let shortest = usize::from(self.part.is_none());
        let fits = (shortest..MAX_PLY).contains(&self.moves.len()) && (1..MAX_PLY as i32).contains(&self.depth);
        let part = match self.part {
            Some(part) => Some(part.check()?),
            None => None,
        };
        (alpha < beta && fits).then(|| RemoteTask {
            moves: self.moves,
            window: Window::new(alpha, beta),
            depth: self.depth,
            kind,
            part,
        })
    }
}

/// More moves than a node of any game we know has.
const MOST_MOVES: usize = 4096;

impl PartOnWire {
    fn check(self) -> Option<MoveBatch> {
        if self.moves.len() > MOST_MOVES {
            return None;
        }
        let best = score(self.best)?;
        let moves: Vec<(u16, usize)> = self.moves.into_iter().map(|(mv, index)| (mv, index as usize)).collect();
        let rises = moves.is_sorted_by(|(_, one), (_, next)| one < next);
        let fits = moves.last().is_some_and(|(_, last)| *last < MOST_MOVES);
        (rises && fits).then_some(MoveBatch { moves, best })
    }
}

/// A reply as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyOnWire {
    score: i32,
    nodes: u64,
    span: u64,
    line: Vec<u16>,
    searched: Vec<(u16, u64)>,
}

impl From<RemoteResult> for ReplyOnWire {
    fn from(reply: RemoteResult) -> Self {
        let RemoteResult { score, nodes, span, line, searched } = reply;
        ReplyOnWire { score: score.value(), nodes, span, line, searched }
    }
}

impl ReplyOnWire {
    /// The reply, if it is one that could have been sent.
    pub fn check(self) -> Option<RemoteResult> {
        let ReplyOnWire { nodes, span, line, searched, .. } = self;
        let of_moves = searched.iter().try_fold(0_u64, |sum, &(_, nodes)| sum.checked_add(nodes))?;
        let is_short = line.len() <= MAX_PLY && searched.len() <= MOST_MOVES;
        let is_sound = is_short && span.max(of_moves) <= nodes && nodes <= MAX_TASK_NODES;
        let score = score(self.score)?;
        is_sound.then_some(RemoteResult { score, nodes, span, line, searched })
    }
}

/// A score from its value, if it is in the range of scores.
pub(crate) fn score(value: i32) -> Option<Score> {
    (value.unsigned_abs() <= Score::INFINITE.value().unsigned_abs()).then(|| Score::from_value(value))
}

/// A table entry from its bits, if it could have been sent.
pub(crate) fn entry(bits: u64) -> Option<Entry> {
    Entry::from_bits(bits).filter(|entry| score(entry.score.value()).is_some() && entry.depth < MAX_PLY as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::SplitMix64;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    fn errand() -> ErrandOnWire {
        let part = Some(PartOnWire { moves: vec![(7, 3), (9, 5)], best: -40 });
        ErrandOnWire { moves: vec![5, 0, 77], alpha: -20, beta: 31, depth: 9, kind: 2, part }
    }

    #[test]
    fn messages_arrive_as_they_were_sent() {
        let reply = ReplyOnWire { score: -31, nodes: 1 << 40, span: 17, line: vec![1, 2, 3], searched: vec![(1, 2)] };
        let messages = [
            Message::Hello { cores: 64, host: "here".into() },
            Message::Start { search: 7, what: vec![0, 255, 3] },
            Message::Work { search: 7, name: u64::MAX, errand: errand() },
            Message::NewBound { search: 7, name: 3, alpha: -12 },
            Message::Return { search: 7, name: 3, time: 12, reply: Some(reply) },
            Message::Ask { keys: vec![0, u64::MAX] },
        ];
        for message in messages {
            assert_eq!(Message::from_bytes(&message.to_bytes()), Some(message));
        }
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let whole = Message::Work { search: 7, name: 1 << 50, errand: errand() }.to_bytes();
        for end in 0..whole.len() {
            assert_eq!(Message::from_bytes(&whole[..end]), None, "cut off after {end} bytes");
        }
        assert_eq!(Message::from_bytes(&[&whole[..], &[0]].concat()), None, "something after the end");
        let mut random = SplitMix64::seed_from_u64(1);
        for _ in 0..100_000 {
            let mut bytes = [0; 24];
            random.fill_bytes(&mut bytes);
            // Whatever it is, nothing bad happens.
            let _ = Message::from_bytes(&bytes);
        }
    }

    #[test]
    fn messages_beyond_the_limits_are_refused() {
        let status = |nodes, full, lost| Message::Status { search: 1, nodes, full, lost, last: false };
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
            Message::Ask { keys: vec![0; MAX_BATCH + 1] },
            Message::Tell { entries: vec![(0, 0); MAX_BATCH + 1] },
            Message::SharedStatistics { changes: vec![(0, 0); MAX_CHANGES + 1] },
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

    #[test]
    fn senseless_errands_and_replies_are_refused() {
        assert!(errand().check().is_some());
        assert!(ErrandOnWire { alpha: 31, ..errand() }.check().is_none());
        assert!(ErrandOnWire { kind: 3, ..errand() }.check().is_none());
        assert!(ErrandOnWire { depth: 0, ..errand() }.check().is_none());
        assert!(ErrandOnWire { moves: Vec::new(), part: None, ..errand() }.check().is_none());
        assert!(ErrandOnWire { moves: Vec::new(), ..errand() }.check().is_some());
        assert!(ErrandOnWire { beta: i32::MAX, ..errand() }.check().is_none());
        let part = || errand().part.unwrap();
        for part in [
            PartOnWire { moves: Vec::new(), ..part() },
            PartOnWire { moves: vec![(7, 3), (9, 3)], ..part() },
            PartOnWire { moves: vec![(7, u32::MAX)], ..part() },
            PartOnWire { best: i32::MIN, ..part() },
        ] {
            assert!(ErrandOnWire { part: Some(part), ..errand() }.check().is_none());
        }
        let reply = || ReplyOnWire { score: 0, nodes: 3, span: 1, line: Vec::new(), searched: vec![(7, 1), (8, 2)] };
        assert!(reply().check().is_some());
        assert!(ReplyOnWire { score: i32::MIN, ..reply() }.check().is_none());
        assert!(ReplyOnWire { span: 4, ..reply() }.check().is_none());
        assert!(ReplyOnWire { nodes: 2, ..reply() }.check().is_none());
        assert!(ReplyOnWire { nodes: MAX_TASK_NODES + 1, ..reply() }.check().is_none());
        assert!(ReplyOnWire { searched: vec![(7, 0); MOST_MOVES + 1], ..reply() }.check().is_none());
        assert!(ReplyOnWire { searched: vec![(7, u64::MAX), (8, 2)], ..reply() }.check().is_none());
    }
}
