//! This process as a rank of a job: what it keeps from one search to the next.

use crate::members::Members;
use crate::message::Message;
use crate::{Grain, Link};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

/// How long the first rank sleeps between two polls for messages while it waits for the others.
pub(crate) const NAP: Duration = Duration::from_micros(30);
/// Tasks are taken back from a rank if all processors here have had nothing else to do for this time. A silent rank is
/// lost earlier, so this concerns ranks that answer but do not return their tasks.
const TAKE_BACK_AFTER: Duration = Duration::from_secs(1);
/// Maximum number of notes kept for the user, and of characters in a note.
const MAX_NOTES: usize = 64;
const MAX_NOTE_LENGTH: usize = 200;

/// The note that a rank is lost, for the user and for the front, which then starts the job again.
pub fn lost_rank_note(rank: usize) -> String {
    format!("{LOST_RANK_START}{rank}{LOST_RANK_END}")
}

/// Is this text, with or without `info string` before it, the note that a rank is lost?
pub fn is_lost_rank_note(text: &str) -> bool {
    let text = text.strip_prefix("info string ").unwrap_or(text);
    let number = text.strip_prefix(LOST_RANK_START).and_then(|text| text.strip_suffix(LOST_RANK_END));
    number.is_some_and(|number| number.parse::<usize>().is_ok())
}

const LOST_RANK_START: &str = "cluster: rank ";
const LOST_RANK_END: &str = " is silent";

/// This process as a rank of a job.
pub struct Rank {
    /// The link to the other ranks.
    pub link: Link,
    /// Lines to tell the user.
    pub notes: Vec<String>,
    /// The sum of how full the tables of the other ranks are, in thousandths.
    pub fullness: Arc<AtomicU32>,
    pub(crate) grain: Grain,
    /// The number of the current search.
    pub(crate) search: u32,
    pub(crate) members: Members,
    pub(crate) take_back_after: Duration,
    /// A command that came during a search and has ended it.
    pub(crate) next_command: Option<Message>,
    /// Number of tasks given so far.
    tasks: u64,
    random: Xoshiro256PlusPlus,
}

impl Rank {
    /// The rank at this end of a link.
    pub fn new(link: Link) -> Rank {
        let members = Members::new(link.ranks());
        let random = Xoshiro256PlusPlus::seed_from_u64(link.rank() as u64);
        Rank {
            link,
            notes: Vec::new(),
            fullness: Arc::default(),
            grain: Grain::default(),
            search: 0,
            members,
            take_back_after: TAKE_BACK_AFTER,
            next_command: None,
            tasks: 0,
            random,
        }
    }

    /// Sets the least work of a task to this many nodes, whatever the speed of the network.
    pub fn fix_grain(&mut self, nodes: u64) {
        self.grain = Grain::fixed(nodes);
    }

    /// Takes tasks back after this time without other work.
    pub fn take_back_after(&mut self, time: Duration) {
        self.take_back_after = time;
    }

    /// The first rank begins a search and tells the others what is searched.
    pub fn start(&mut self, what: Vec<u8>) {
        self.search += 1;
        self.members.forget_progress();
        let search = self.search;
        self.link.send_to_all(&Message::Start { search, what });
    }

    /// Another rank joins the search that the first one has begun.
    pub fn join(&mut self, search: u32) {
        self.search = search;
    }

    /// The next message between two searches, and its sender. Messages of searches that are over are dropped.
    pub fn listen(&mut self) -> Option<(usize, Message)> {
        if let Some(message) = self.next_command.take() {
            return Some((0, message));
        }
        loop {
            let (from, message) = self.link.receive()?;
            match message {
                Message::Request { search } => self.link.send(from, &Message::Refusal { search }),
                Message::Ping => self.link.send(from, &Message::Pong),
                Message::Start { search, .. } if search <= self.search => self.link.traffic.messages.stale += 1,
                Message::Start { .. }
                | Message::SetOption { .. }
                | Message::NewGame
                | Message::Prepare
                | Message::Quit
                | Message::Note { .. }
                | Message::Hello { .. } => return Some((from, message)),
                _ => self.link.traffic.messages.stale += 1,
            }
        }
    }

    /// The share of the last search in which each rank was idle, and the share it spent on messages.
    pub fn lost_time(&self) -> String {
        self.members.lost_time()
    }

    /// The first rank waits until all others that are not lost are prepared, at most for this time.
    pub fn wait_until_prepared(&mut self, limit: Duration) {
        let since = Instant::now();
        let own = self.link.rank();
        let mut is_prepared: Vec<bool> =
            (0..self.link.ranks()).map(|rank| rank == own || self.members.is_lost(rank)).collect();
        while is_prepared.contains(&false) && since.elapsed() < limit {
            match self.link.receive() {
                Some((from, Message::Prepared)) => is_prepared[from] = true,
                Some((from, Message::Note { text })) => self.note(from, &text),
                Some((from, Message::Ping)) => self.link.send(from, &Message::Pong),
                Some(_) => self.link.traffic.messages.stale += 1,
                None => std::thread::sleep(NAP),
            }
        }
    }

    /// Keeps a line of another rank for the user.
    pub fn note(&mut self, from: usize, text: &str) {
        let text = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_NOTE_LENGTH);
        self.add_note(format!("cluster: rank {from}: {}", text.collect::<String>()));
    }

    pub(crate) fn add_note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(note);
        }
    }

    /// Has a rank been lost?
    pub fn has_lost_ranks(&self) -> bool {
        self.members.has_lost()
    }

    /// A rank is lost.
    pub(crate) fn lose(&mut self, rank: usize) {
        if self.members.lose(rank) {
            // Even if there are too many notes: the front must see this one, to start the job again.
            self.notes.push(lost_rank_note(rank));
        }
    }

    /// The number of the next task that this rank gives.
    pub(crate) fn next_task(&mut self) -> u64 {
        self.tasks += 1;
        self.tasks
    }

    /// A random index below `count`, which is not zero.
    pub(crate) fn random_below(&mut self, count: usize) -> usize {
        (self.random.next_u64() % count as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Loopback, NetworkConditions};

    #[test]
    fn notes_of_other_ranks_are_single_short_lines() {
        let end = Loopback::ranks(1, NetworkConditions::default()).remove(0);
        let mut rank = Rank::new(Link::new(Box::new(end)));
        rank.note(2, &format!("no file\nbestmove e2e4\r{}", "x".repeat(1000)));
        assert!(rank.notes[0].starts_with("cluster: rank 2: no file bestmove e2e4 xxx"), "{}", rank.notes[0]);
        assert!(rank.notes[0].len() < 300);
        (0..1000).for_each(|_| rank.note(1, "again"));
        assert_eq!(rank.notes.len(), MAX_NOTES);
    }

    #[test]
    fn the_note_of_a_lost_rank_is_recognised() {
        assert!(is_lost_rank_note(&lost_rank_note(3)));
        assert!(is_lost_rank_note(&format!("info string {}", lost_rank_note(12))));
        assert!(!is_lost_rank_note("info string cluster: rank 3: the table is silent"));
        assert!(!is_lost_rank_note("cluster: rank x is silent"));
    }
}
