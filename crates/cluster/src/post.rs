//! The post: what a rank's porter does during a search.
//!
//! He hands out work to ranks that ask, takes in work for his own processors when they have nothing to do, and keeps the
//! distributed table moving. The searching threads let him make his rounds, some ten thousand a second.

use crate::message::{Message, score, task_name};
use crate::{DistributedTable, Exchange, Grain, Link};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use scheduler::{Doorbell, MessagePump, RemoteBridge, RemoteEvent};
use search::{RemoteResult, RemoteTask};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use table::Table;

/// What a rank knows for the length of a job.
pub struct Post {
    /// The link to the other ranks.
    pub link: Link,
    /// Things to tell the user.
    pub notes: Vec<String>,
    /// How full the tables of the other ranks are in sum, in thousandths.
    pub fullness: Arc<AtomicU32>,
    grain: Grain,
    /// The number of the search under way.
    search: u32,
    names: u64,
    /// Ranks that don't answer any more.
    silent: Vec<bool>,
    /// What the other ranks counted in this search, and how full their tables are.
    reported: Vec<Progress>,
    /// How many searches in a row a rank had no last word for.
    missed: Vec<u32>,
    /// Ranks that held a task too long, and until when they are given none.
    barred: Vec<Barred>,
    /// Ranks of which the user was told that they send what they may not send.
    reproached: Vec<bool>,
    take_back_after: Duration,
    /// A message that begins the next thing, received while the last one was still under way.
    next: Option<Message>,
    random: Xoshiro256PlusPlus,
}

/// A rank that held a task too long.
#[derive(Clone, Copy, Default)]
struct Barred {
    times: u32,
    until: Option<Instant>,
}

#[derive(Clone, Copy, Default)]
struct Progress {
    nodes: u64,
    full: u32,
    /// Of the time of its processors, what was idle and what was spent on messages, in thousandths.
    lost: [u32; 2],
    is_last: bool,
}

/// What is not urgent is done this often.
const CHORES: Duration = Duration::from_micros(200);
/// The first rank looks this often whether the others have said their last word.
const NAP: Duration = Duration::from_micros(30);
/// How often the first rank is told how far the others are.
const STATUS: Duration = Duration::from_millis(10);
/// After so many refusals in a row one asks more slowly.
const BACKOFF: [Duration; 2] = [Duration::from_micros(5), Duration::from_micros(20)];
/// An errand that nobody has begun is given back after this time.
const UNBEGUN: Duration = Duration::from_millis(4);
/// A request that is not answered in this time is as good as refused.
const PATIENCE: Duration = Duration::from_millis(50);
/// A rank that has an errand and was not heard of for so long is asked whether it is still there; and lost after that.
const ANXIETY: Duration = Duration::from_millis(300);
const LOST: Duration = Duration::from_millis(900);
/// A rank that had no last word for so many searches in a row is lost.
const MISSES: u32 = 4;
/// Tasks of a rank are taken back if all processors here had nothing else to do for this time. Longer than a silent rank is
/// waited for, so only a rank that is there and does not return them is meant.
const TAKE_BACK: Duration = Duration::from_secs(1);
/// A rank that held a task too long is given none for this time, twice as long every time, and is lost after some.
const BAR: Duration = Duration::from_secs(1);
const MAX_BARS: u32 = 4;
/// Maximum number of messages taken in during one round, so that a flood of them does not keep the rest from being done.
const MAX_AT_ONCE: usize = 1024;
/// Maximum number of cutoffs remembered that came before their task.
const MAX_EARLY_CUTOFFS: usize = 256;
/// Maximum number of tasks of others here: for each thread, and in any case.
const MAX_TASKS: [usize; 2] = [2, 64];
/// Maximum number of notes kept for the user, and the length of one in characters.
const MAX_NOTES: usize = 64;
const MAX_NOTE_LENGTH: usize = 200;
/// How long the first rank waits for the last word of the others.
const LAST_WORDS: Duration = Duration::from_millis(30);

impl Post {
    /// The post of a rank.
    pub fn new(link: Link) -> Post {
        let ranks = link.ranks();
        let random = Xoshiro256PlusPlus::seed_from_u64(link.rank() as u64);
        Post {
            link,
            notes: Vec::new(),
            fullness: Arc::default(),
            grain: Grain::default(),
            search: 0,
            names: 0,
            silent: vec![false; ranks],
            reported: vec![Progress::default(); ranks],
            missed: vec![0; ranks],
            barred: vec![Barred::default(); ranks],
            reproached: vec![false; ranks],
            take_back_after: TAKE_BACK,
            next: None,
            random,
        }
    }

    /// From now on what takes about so many nodes is given away, whatever the way costs.
    pub fn fix_grain(&mut self, nodes: u64) {
        self.grain = Grain::fixed(nodes);
    }

    /// From now on tasks are taken back after this time without other work (for tests).
    pub fn take_back_after(&mut self, time: Duration) {
        self.take_back_after = time;
    }

    /// The first rank begins a search, and tells the others what is searched.
    pub fn start(&mut self, what: Vec<u8>) {
        self.search += 1;
        self.reported.fill(Progress::default());
        let search = self.search;
        self.link.send_to_all(&Message::Start { search, what });
    }

    /// Another rank has heard that this search begins.
    pub fn join(&mut self, search: u32) {
        self.search = search;
    }

    /// What came between two searches: the next message that is not about a search that is over, and where it came from.
    pub fn listen(&mut self) -> Option<(usize, Message)> {
        if let Some(message) = self.next.take() {
            return Some((0, message));
        }
        loop {
            let (from, message) = self.link.receive()?;
            match message {
                Message::Request { search } => self.link.send(from, &Message::Refusal { search }),
                Message::Ping => self.link.send(from, &Message::Pong),
                Message::Start { search, .. } if search <= self.search => self.link.traffic.stale += 1,
                Message::Start { .. }
                | Message::SetOption { .. }
                | Message::NewGame
                | Message::Prepare
                | Message::Quit
                | Message::Note { .. }
                | Message::Hello { .. } => return Some((from, message)),
                _ => self.link.traffic.stale += 1,
            }
        }
    }

    /// Which part of the last search each rank was idle, and which part it spent on messages.
    pub fn lost_time(&self) -> String {
        let percent = |part: usize| {
            let ranks = self.reported.iter().map(|rank| format!("{}", (rank.lost[part] + 5) / 10));
            ranks.collect::<Vec<_>>().join(" ")
        };
        format!("idle {} %, at messages {} % of the time of the ranks", percent(0), percent(1))
    }

    /// The first rank waits until all others that are not lost have said that they are prepared, or for so long.
    pub fn wait_until_prepared(&mut self, limit: Duration) {
        let since = Instant::now();
        let mut prepared = self.silent.clone();
        prepared[self.link.rank()] = true;
        while prepared.contains(&false) && since.elapsed() < limit {
            match self.link.receive() {
                Some((from, Message::Prepared)) => prepared[from] = true,
                Some((from, Message::Note { text })) => self.note(from, &text),
                Some((from, Message::Ping)) => self.link.send(from, &Message::Pong),
                Some(_) => self.link.traffic.stale += 1,
                None => std::thread::sleep(NAP),
            }
        }
    }

    /// Something for the user to read that another rank says: one line, of which there are not too many.
    pub fn note(&mut self, from: usize, text: &str) {
        if self.notes.len() < MAX_NOTES {
            let text: String =
                text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_NOTE_LENGTH).collect();
            self.notes.push(format!("cluster: rank {from}: {text}"));
        }
    }

    /// Is this rank given no tasks at the moment?
    fn is_barred(&self, rank: usize) -> bool {
        self.barred[rank].until.is_some_and(|until| Instant::now() < until)
    }

    /// Has a rank been lost?
    pub fn has_lost_ranks(&self) -> bool {
        self.silent.contains(&true)
    }

    /// A porter for one search.
    pub fn porter<'p>(
        &'p mut self,
        table: &'p DistributedTable,
        own: &'p Arc<Table>,
        threads: usize,
        exchange: Exchange,
    ) -> impl MessagePump<RemoteTask, RemoteResult> + 'p {
        let ranks = self.link.ranks();
        let guests = (2 * ranks).clamp(4, 128);
        Round {
            post: self,
            table,
            own,
            exchange,
            threads,
            guests: (0..guests).map(|_| None).collect(),
            by_name: HashMap::new(),
            guests_of: HashMap::new(),
            cut_early: VecDeque::new(),
            idle_since: None,
            heard: vec![Instant::now(); ranks],
            pinged: vec![None; ranks],
            chores_at: Instant::now(),
            asked: None,
            refusals: 0,
            ask_at: Instant::now(),
            status_at: Instant::now(),
            told_nodes: 0,
        }
    }

    fn random(&mut self) -> usize {
        self.random.next_u64() as usize
    }
}

/// What a guest is here for.
struct Visit {
    rank: usize,
    /// The errand it waits for, and since when.
    errand: Option<(u64, Instant)>,
    /// Has it ever had one?
    served: bool,
}

/// An errand that is done for another rank.
struct Duty {
    from: usize,
    since: Instant,
    /// Has it been looked at after a while?
    is_old: bool,
}

/// One search, seen by the post.
struct Round<'p> {
    post: &'p mut Post,
    table: &'p DistributedTable,
    own: &'p Arc<Table>,
    exchange: Exchange,
    threads: usize,
    guests: Vec<Option<Visit>>,
    /// Errands of others, by their name.
    by_name: HashMap<u64, Duty>,
    /// Our errands: whose guest waits for them.
    guests_of: HashMap<u64, usize>,
    /// Cutoffs that overtook their errand.
    cut_early: VecDeque<u64>,
    /// Since when no processor here has anything to do.
    idle_since: Option<Instant>,
    /// When each rank was last heard of, and asked whether it is there.
    heard: Vec<Instant>,
    pinged: Vec<Option<Instant>>,
    /// The rank that was asked for work, and when.
    asked: Option<(usize, Instant)>,
    refusals: u32,
    ask_at: Instant,
    status_at: Instant,
    chores_at: Instant,
    told_nodes: u64,
}

type Bridge<'l> = &'l mut dyn RemoteBridge<RemoteTask, RemoteResult>;

impl MessagePump<RemoteTask, RemoteResult> for Round<'_> {
    fn remote_helpers(&self) -> usize {
        self.guests.len()
    }

    fn doorbell(&self) -> Option<Doorbell> {
        self.post.link.bell()
    }

    fn poll_messages(&mut self, bridge: Bridge<'_>) -> bool {
        if bridge.is_over() {
            return false;
        }
        let mut moved = self.receive(bridge);
        moved |= self.attend_guests(bridge);
        moved |= self.send_replies(bridge);
        moved |= self.look_for_work(bridge);
        let since = self.chores_at.elapsed();
        if since > CHORES && !moved || since > 10 * CHORES {
            self.chores_at = Instant::now();
            self.return_unbegun(bridge);
            self.watch_ranks(bridge);
            self.watch_tasks(bridge);
            self.report(bridge, false);
            self.table.flush(&mut self.post.link);
            self.exchange.teach(&mut self.post.link);
            moved = true;
        }
        moved
    }

    /// The first rank tells the others that the search is over, and waits a moment for their last word.
    fn finish(&mut self, bridge: Bridge<'_>) {
        self.reproach();
        if !self.leads() {
            return self.report(bridge, true);
        }
        let search = self.post.search;
        self.post.reported[0].lost = thousandths(bridge.lost_time());
        self.post.link.send_to_all(&Message::End { search });
        let since = Instant::now();
        let waits_for = |round: &Self| {
            round.post.link.others().any(|rank| !round.post.silent[rank] && !round.post.reported[rank].is_last)
        };
        while since.elapsed() < LAST_WORDS && waits_for(self) {
            while let Some((from, message)) = self.post.link.receive() {
                self.take(bridge, from, message);
            }
            std::thread::sleep(NAP);
        }
        for rank in self.post.link.others() {
            let missed = if self.post.reported[rank].is_last { 0 } else { self.post.missed[rank] + 1 };
            self.post.missed[rank] = missed;
            if missed >= MISSES {
                self.lose(rank);
            }
        }
    }
}

impl Round<'_> {
    fn leads(&self) -> bool {
        self.post.link.rank() == 0
    }

    fn receive(&mut self, bridge: Bridge<'_>) -> bool {
        let mut moved = false;
        for _ in 0..MAX_AT_ONCE {
            let Some((from, message)) = self.post.link.receive() else { break };
            moved = true;
            self.heard[from] = Instant::now();
            self.pinged[from] = None;
            self.take(bridge, from, message);
            if bridge.is_over() {
                break;
            }
        }
        moved
    }

    /// What a message means.
    fn take(&mut self, bridge: Bridge<'_>, from: usize, message: Message) {
        let current = self.post.search;
        match message {
            Message::Request { search } if search == current && self.give_back_to(bridge, from) => {}
            Message::Request { search } => {
                let has_work = search == current && bridge.idle() == 0 && !self.post.is_barred(from);
                let invited = if has_work { bridge.request_work(self.post.grain.nodes()) } else { None };
                match invited {
                    Some(guest) => self.guests[guest] = Some(Visit { rank: from, errand: None, served: false }),
                    None => {
                        self.post.link.traffic.refused += 1;
                        self.post.link.send(from, &Message::Refusal { search });
                    }
                }
            }
            Message::Ping => self.post.link.send(from, &Message::Pong),
            Message::Pong | Message::Hello { .. } => {}
            Message::Prepared => {}
            Message::Note { text } => self.post.note(from, &text),
            Message::Ask { keys } => self.table.answer(&mut self.post.link, from, &keys),
            Message::Tell { entries } => self.table.learn(&mut self.post.link, &entries),
            Message::SharedStatistics { changes } => self.exchange.learn(&mut self.post.link, &changes),
            Message::Refusal { search } if search == current => self.refused(from),
            Message::Work { search, name, errand } if search == current => {
                self.accept(bridge, from, name, errand.check())
            }
            Message::Cutoff { search, name } if search == current => {
                if bridge.revoke_task(name) {
                    self.by_name.remove(&name);
                } else if self.by_name.contains_key(&name) {
                    bridge.cut_task(name);
                } else {
                    if self.cut_early.len() >= MAX_EARLY_CUTOFFS {
                        self.cut_early.pop_front();
                    }
                    self.cut_early.push_back(name);
                }
            }
            Message::NewBound { search, name, alpha } if search == current => match score(alpha) {
                Some(alpha) => bridge.raise_bound(name, alpha.value()),
                None => self.post.link.traffic.malformed += 1,
            },
            Message::Return { search, name, time, reply } if search == current => {
                self.take_return(bridge, from, name, time, reply.map(super::message::ReplyOnWire::check));
            }
            Message::Status { search, nodes, full, lost, last } if search == current => {
                let before = self.post.reported[from];
                bridge.add_nodes(nodes.saturating_sub(before.nodes));
                let is_last = last || before.is_last;
                self.post.reported[from] = Progress { nodes: nodes.max(before.nodes), full, lost, is_last };
                let sum = self.post.reported.iter().map(|rank| rank.full).sum();
                self.post.fullness.store(sum, Ordering::Relaxed);
            }
            Message::End { search } if search == current && !self.leads() => bridge.end(),
            Message::Start { search, .. } if search > current && !self.leads() => {
                self.post.next = Some(message);
                bridge.end();
            }
            Message::Quit | Message::NewGame | Message::Prepare | Message::SetOption { .. } if !self.leads() => {
                self.post.next = Some(message);
                bridge.end();
            }
            _ => self.post.link.traffic.stale += 1,
        }
    }

    /// Work from another rank.
    fn accept(&mut self, bridge: Bridge<'_>, from: usize, name: u64, errand: Option<RemoteTask>) {
        self.asked = None;
        self.refusals = 0;
        let search = self.post.search;
        if self.cut_early.contains(&name) || self.by_name.contains_key(&name) {
            self.post.link.traffic.stale += 1;
            return;
        }
        let is_full = self.by_name.len() >= (MAX_TASKS[0] * self.threads).max(MAX_TASKS[1]);
        let Some(errand) = errand.filter(|_| !is_full) else {
            self.post.link.traffic.malformed += u64::from(!is_full);
            self.post.link.send(from, &Message::Return { search, name, time: 0, reply: None });
            return;
        };
        self.by_name.insert(name, Duty { from, since: Instant::now(), is_old: false });
        bridge.add_task(name, errand);
    }

    /// The result of an errand of ours. `reply` is nothing if the other could not do it, or if what it sent has no sense.
    fn take_return(
        &mut self,
        bridge: Bridge<'_>,
        from: usize,
        name: u64,
        time: u64,
        reply: Option<Option<RemoteResult>>,
    ) {
        let Some(&guest) = self.guests_of.get(&name) else {
            self.post.link.traffic.stale += 1;
            return;
        };
        if self.guests[guest].as_ref().is_none_or(|visit| visit.rank != from) {
            return self.post.link.refuse(from);
        }
        self.guests_of.remove(&name);
        match reply {
            Some(None) => self.post.link.traffic.malformed += 1,
            // Perhaps the answer to a request of ours; whoever asked has something to do now.
            None => self.asked = None,
            Some(Some(_)) => {}
        }
        if let Some(visit) = &mut self.guests[guest]
            && let Some((_, sent)) = visit.errand.take()
        {
            let elapsed = sent.elapsed().as_micros() as u64;
            let time = time.min(elapsed);
            let way = elapsed - time;
            self.post.link.traffic.overhead += way;
            self.post.link.traffic.errand_time += time;
            self.post.grain.learn(way);
        }
        bridge.finish_remote_work(guest, reply.flatten());
    }

    fn refused(&mut self, from: usize) {
        if self.asked.is_none_or(|(rank, _)| rank != from) {
            return;
        }
        self.asked = None;
        self.refusals += 1;
        let pause = BACKOFF[0] * (1 << self.refusals.min(5));
        self.ask_at = Instant::now() + pause.min(BACKOFF[1]);
    }

    /// Who asks for work while an errand of his waits here gets that one back. True if there was one.
    fn give_back_to(&mut self, bridge: Bridge<'_>, rank: usize) -> bool {
        let names: Vec<u64> =
            self.by_name.iter().filter(|(_, duty)| duty.from == rank).map(|(&name, _)| name).collect();
        names.into_iter().any(|name| self.give_back(bridge, name))
    }

    /// Gives an errand back that has not been begun. True if it had not been.
    fn give_back(&mut self, bridge: Bridge<'_>, name: u64) -> bool {
        let search = self.post.search;
        if !bridge.revoke_task(name) {
            return false;
        }
        if let Some(duty) = self.by_name.remove(&name) {
            self.post.link.traffic.returned += 1;
            self.post.link.send(duty.from, &Message::Return { search, name, time: 0, reply: None });
        }
        true
    }

    /// An errand that is not begun soon goes back: others may be waiting for it.
    fn return_unbegun(&mut self, bridge: Bridge<'_>) {
        let late = |duty: &Duty| !duty.is_old && duty.since.elapsed() > UNBEGUN;
        let Some((&name, duty)) = self.by_name.iter_mut().find(|(_, duty)| late(duty)) else { return };
        duty.is_old = true;
        self.give_back(bridge, name);
    }

    /// What guests want, or want no longer.
    fn attend_guests(&mut self, bridge: Bridge<'_>) -> bool {
        let search = self.post.search;
        let mut moved = false;
        while let Some((guest, event)) = bridge.next_event() {
            moved = true;
            let Some(visit) = &mut self.guests[guest] else { continue };
            match event {
                RemoteEvent::Task(errand) => {
                    self.post.names += 1;
                    let name = task_name(self.post.link.rank(), self.post.names);
                    visit.errand = Some((name, Instant::now()));
                    visit.served = true;
                    self.guests_of.insert(name, guest);
                    self.post.link.traffic.given += 1;
                    self.post.link.traffic.moves += errand.part.as_ref().map_or(1, |part| part.moves.len()) as u64;
                    if !self.post.link.try_send(visit.rank, &Message::Work { search, name, errand: errand.into() }) {
                        self.recover(bridge, guest);
                    }
                }
                RemoteEvent::BoundRaised(alpha) => {
                    if let Some((name, _)) = visit.errand {
                        self.post.link.traffic.raised += 1;
                        self.post.link.send(visit.rank, &Message::NewBound { search, name, alpha });
                    }
                }
                RemoteEvent::Cut => {
                    if let Some((name, _)) = visit.errand.take() {
                        self.guests_of.remove(&name);
                        self.post.link.traffic.withdrawn += 1;
                        self.post.link.send(visit.rank, &Message::Cutoff { search, name });
                    }
                }
                RemoteEvent::Left => {
                    if !visit.served {
                        self.post.link.traffic.refused += 1;
                        self.post.link.send(visit.rank, &Message::Refusal { search });
                    }
                    self.guests[guest] = None;
                }
            }
        }
        moved
    }

    /// Errands of others that are done.
    fn send_replies(&mut self, bridge: Bridge<'_>) -> bool {
        let search = self.post.search;
        let mut moved = false;
        while let Some((name, reply)) = bridge.next_result() {
            moved = true;
            if let Some(Duty { from, since, .. }) = self.by_name.remove(&name) {
                let time = since.elapsed().as_micros() as u64;
                self.post.link.traffic.done += u64::from(reply.is_some());
                self.post.link.send(from, &Message::Return { search, name, time, reply: reply.map(Into::into) });
            }
        }
        moved
    }

    /// Processors here have nothing to do: another rank is asked. First those ranks are asked that have errands of ours, for
    /// work below what we wait for (leapfrogging; Wagner & Calder 1993), then any.
    fn look_for_work(&mut self, bridge: Bridge<'_>) -> bool {
        let now = Instant::now();
        if self.asked.is_some_and(|(_, since)| now - since > PATIENCE) {
            self.asked = None;
        }
        let [waiting, running] = bridge.remote_tasks();
        let wanted = waiting == 0 && bridge.idle() > 0 && running <= self.threads;
        if !wanted || self.asked.is_some() || now < self.ask_at {
            return false;
        }
        let Some(rank) = self.choose_rank() else { return false };
        self.asked = Some((rank, now));
        self.post.link.traffic.requests += 1;
        let search = self.post.search;
        self.post.link.send(rank, &Message::Request { search });
        true
    }

    fn choose_rank(&mut self) -> Option<usize> {
        let is_there = |rank: &usize| !self.post.silent[*rank];
        let with_errands: Vec<usize> =
            self.guests.iter().flatten().filter(|visit| visit.errand.is_some()).map(|visit| visit.rank).collect();
        let mut ranks: Vec<usize> = with_errands.into_iter().filter(is_there).collect();
        if ranks.is_empty() || self.refusals % 2 == 1 {
            ranks = self.post.link.others().filter(is_there).collect();
        }
        if ranks.is_empty() {
            return None;
        }
        let place = self.post.random() % ranks.len();
        Some(ranks[place])
    }

    /// Ranks that are not heard of any more. Everybody watches those that have errands of ours, the first rank all.
    fn watch_ranks(&mut self, bridge: Bridge<'_>) {
        let now = Instant::now();
        if self.leads() {
            for rank in self.post.link.others() {
                let quiet = now - self.heard[rank];
                if quiet > LOST && self.pinged[rank].is_some() || self.post.link.is_broken(rank) {
                    self.lose(rank);
                } else if quiet > ANXIETY && self.pinged[rank].is_none() {
                    self.pinged[rank] = Some(now);
                    self.post.link.send(rank, &Message::Ping);
                }
            }
        }
        for guest in 0..self.guests.len() {
            let Some(Visit { rank, errand: Some(_), .. }) = self.guests[guest] else { continue };
            let quiet = now - self.heard[rank];
            if quiet > LOST && self.pinged[rank].is_some() {
                self.lose(rank);
                self.post.link.traffic.lost += 1;
                self.recover(bridge, guest);
            } else if quiet > ANXIETY && self.pinged[rank].is_none() {
                self.pinged[rank] = Some(now);
                self.post.link.send(rank, &Message::Ping);
            }
        }
    }

    /// Ranks that hold tasks too long: if no processor here has had anything else to do for a while, all tasks of the rank
    /// that has the oldest one are taken back and searched here. An honest rank gives away parts of what it searches for
    /// us, so we wait that long only for a rank that has forgotten its task, or for a message that was lost.
    fn watch_tasks(&mut self, bridge: Bridge<'_>) {
        if bridge.idle() < self.threads || bridge.remote_tasks()[0] > 0 {
            self.idle_since = None;
            return;
        }
        let now = Instant::now();
        let limit = self.post.take_back_after;
        if now - *self.idle_since.get_or_insert(now) < limit {
            return;
        }
        let given = |visit: &Visit| Some((visit.errand?.1, visit.rank));
        let Some((_, rank)) = self.guests.iter().flatten().filter_map(given).min() else { return };
        self.idle_since = None;
        let search = self.post.search;
        for guest in 0..self.guests.len() {
            let Some(Visit { rank: holder, errand: Some((name, since)), .. }) = self.guests[guest] else { continue };
            if holder == rank && now - since >= limit {
                self.post.link.send(rank, &Message::Cutoff { search, name });
                self.post.link.traffic.taken_back += 1;
                self.recover(bridge, guest);
            }
        }
        self.bar(rank);
    }

    /// A rank held a task too long: it is given none for a while.
    fn bar(&mut self, rank: usize) {
        let Barred { times, until } = &mut self.post.barred[rank];
        *until = Some(Instant::now() + BAR * (1 << (*times).min(6)));
        *times += 1;
        if *times >= MAX_BARS {
            self.lose(rank);
        }
    }

    /// What a guest has given away is searched here.
    fn recover(&mut self, bridge: Bridge<'_>, guest: usize) {
        if let Some(visit) = &mut self.guests[guest]
            && let Some((name, _)) = visit.errand.take()
        {
            self.guests_of.remove(&name);
            bridge.finish_remote_work(guest, None);
        }
    }

    /// Says once of each rank that it sends what it may not send.
    fn reproach(&mut self) {
        for rank in self.post.link.others() {
            let refused = self.post.link.refused(rank);
            if refused == 0 || self.post.reproached[rank] {
                continue;
            }
            self.post.reproached[rank] = true;
            let text = format!("refused {refused} messages that rank {rank} may not send");
            if self.leads() {
                self.post.notes.push(format!("cluster: {text}"));
            } else {
                self.post.link.send(0, &Message::Note { text });
            }
        }
    }

    fn lose(&mut self, rank: usize) {
        if !self.post.silent[rank] {
            self.post.silent[rank] = true;
            self.post.notes.push(format!("cluster: rank {rank} is silent"));
        }
    }

    /// Tells the first rank how far this one is.
    fn report(&mut self, bridge: Bridge<'_>, last: bool) {
        if self.leads() || !last && self.status_at.elapsed() < STATUS {
            return;
        }
        self.status_at = Instant::now();
        let (search, nodes) = (self.post.search, bridge.nodes());
        if last || nodes != self.told_nodes {
            self.told_nodes = nodes;
            let full = self.own.permille_full() as u32;
            let lost = thousandths(bridge.lost_time());
            self.post.link.send(0, &Message::Status { search, nodes, full, lost, last });
        }
    }
}

fn thousandths(parts: [f64; 2]) -> [u32; 2] {
    parts.map(|part| (part * 1000.0).round().clamp(0.0, 1000.0) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Loopback, Weather};

    #[test]
    fn notes_of_other_ranks_are_single_short_lines() {
        let end = Loopback::ranks(1, Weather::default()).remove(0);
        let mut post = Post::new(Link::new(Box::new(end)));
        post.note(2, &format!("no file\nbestmove e2e4\r{}", "x".repeat(1000)));
        assert!(post.notes[0].starts_with("cluster: rank 2: no file bestmove e2e4 xxx"), "{}", post.notes[0]);
        assert!(post.notes[0].len() < 300);
        (0..1000).for_each(|_| post.note(1, "again"));
        assert_eq!(post.notes.len(), MAX_NOTES);
    }
}
