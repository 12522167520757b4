//! This process as a rank of a job: what it keeps from one search to the next.

use crate::members::Members;
use crate::message::Message;
use crate::note::RankNote;
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
/// Maximum number of notes kept for the user.
const MAX_NOTES: usize = 64;

/// This process as a rank of a job.
pub struct Rank {
    /// The link to the other ranks.
    pub link: Link,
    /// What to tell the user.
    pub notes: Vec<RankNote>,
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
                Some((rank, Message::Note { text })) => self.note(RankNote::Told { rank, text }),
                Some((from, Message::Ping)) => self.link.send(from, &Message::Pong),
                Some(_) => self.link.traffic.messages.stale += 1,
                None => std::thread::sleep(NAP),
            }
        }
    }

    /// Keeps a note for the user.
    pub fn note(&mut self, note: RankNote) {
        // Even if there are many others: after the loss of a rank the job has to be started again.
        if self.notes.len() < MAX_NOTES || matches!(note, RankNote::Lost { .. }) {
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
            self.note(RankNote::Lost { rank });
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
    fn a_flood_of_notes_does_not_hide_the_loss_of_a_rank() {
        let end = Loopback::ranks(2, NetworkConditions::default()).remove(0);
        let mut rank = Rank::new(Link::new(Box::new(end)));
        (0..1000).for_each(|_| rank.note(RankNote::Told { rank: 1, text: "again".into() }));
        assert_eq!(rank.notes.len(), MAX_NOTES);
        rank.lose(1);
        assert_eq!(rank.notes.last(), Some(&RankNote::Lost { rank: 1 }));
    }
}
