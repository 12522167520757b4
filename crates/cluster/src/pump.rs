//! What a rank does with messages during a search.
//!
//! It gives tasks to ranks that ask, takes tasks for its own processors when they have nothing to do, and keeps the
//! distributed table and the shared statistics moving. It has no thread: searching threads poll it between nodes, some
//! ten thousand times a second.

mod watch;

use crate::given::{GivenTasks, Rejected};
use crate::members::Progress;
use crate::message::{Message, task_id};
use crate::note::RankNote;
use crate::rank::{NAP, Rank};
use crate::taken::{Arrival, TakenTasks};
use crate::wire::{ResultOnWire, score};
use crate::{DistributedTable, StatisticsExchange};
use scheduler::{Doorbell, MessagePump, RemoteBridge, RemoteEvent};
use search::{RemoteResult, RemoteTask};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use table::Table;

/// Interval of work that is not urgent, while there are no messages.
const CHORES: Duration = Duration::from_micros(200);
/// Interval of reports to the first rank.
const STATUS: Duration = Duration::from_millis(10);
/// Pause after a refusal: the first, which doubles with every refusal, and the longest.
const BACKOFF: [Duration; 2] = [Duration::from_micros(5), Duration::from_micros(20)];
/// A request that is not answered in this time counts as refused.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(50);
/// Maximum number of messages received in one poll, so that a flood of messages does not stop the rest.
const MAX_MESSAGES_PER_POLL: usize = 1024;
/// How long the first rank waits for the last reports of the others.
const LAST_REPORTS: Duration = Duration::from_millis(30);

/// The messages of one search.
struct SearchPump<'p> {
    rank: &'p mut Rank,
    table: &'p DistributedTable,
    own: &'p Arc<Table>,
    exchange: StatisticsExchange,
    threads: usize,
    given: GivenTasks,
    taken: TakenTasks,
    asking: Asking,
    /// Since when all processors have been idle.
    idle_since: Option<Instant>,
    chores_at: Instant,
    status_at: Instant,
    reported_nodes: u64,
}

/// How this rank asks for work.
struct Asking {
    /// The rank that was asked, and when.
    asked: Option<(usize, Instant)>,
    /// Consecutive refusals.
    refusals: u32,
    /// No request before this time.
    next_at: Instant,
}

type Bridge<'b> = &'b mut dyn RemoteBridge<RemoteTask, RemoteResult>;

impl MessagePump<RemoteTask, RemoteResult> for SearchPump<'_> {
    fn remote_helpers(&self) -> usize {
        self.given.helpers()
    }

    fn doorbell(&self) -> Option<Doorbell> {
        self.rank.link.doorbell()
    }

    fn poll_messages(&mut self, bridge: Bridge<'_>) -> bool {
        if bridge.is_over() {
            return false;
        }
        let mut moved = self.receive(bridge);
        moved |= self.serve_helpers(bridge);
        moved |= self.send_results(bridge);
        moved |= self.ask_for_work(bridge);
        let since = self.chores_at.elapsed();
        if since > CHORES && !moved || since > 10 * CHORES {
            self.chores_at = Instant::now();
            self.give_back_overdue(bridge);
            self.watch_ranks(bridge);
            self.watch_tasks(bridge);
            self.report(bridge, false);
            self.table.flush(&mut self.rank.link);
            self.exchange.send_changes(&mut self.rank.link);
            moved = true;
        }
        moved
    }

    /// The first rank tells the others that the search is over and waits a moment for their last reports.
    fn finish(&mut self, bridge: Bridge<'_>) {
        self.reproach();
        if !self.leads() {
            return self.report(bridge, true);
        }
        let search = self.rank.search;
        self.rank.members.set_lost_time(0, permille(bridge.lost_time()));
        self.rank.link.send_to_all(&Message::End { search });
        let since = Instant::now();
        while since.elapsed() < LAST_REPORTS && self.waits_for_reports() {
            while let Some((from, message)) = self.rank.link.receive() {
                self.handle(bridge, from, message);
            }
            std::thread::sleep(NAP);
        }
        for rank in self.rank.link.others() {
            if self.rank.members.end_search(rank) {
                self.rank.lose(rank);
            }
        }
    }
}

impl Rank {
    /// What exchanges messages during one search on `threads` processors.
    pub fn pump<'p>(
        &'p mut self,
        table: &'p DistributedTable,
        own: &'p Arc<Table>,
        threads: usize,
        exchange: StatisticsExchange,
    ) -> impl MessagePump<RemoteTask, RemoteResult> + 'p {
        let (now, helpers) = (Instant::now(), (2 * self.link.ranks()).clamp(4, 128));
        self.members.start_watching();
        SearchPump {
            rank: self,
            table,
            own,
            exchange,
            threads,
            given: GivenTasks::new(helpers),
            taken: TakenTasks::new(threads),
            asking: Asking { asked: None, refusals: 0, next_at: now },
            idle_since: None,
            chores_at: now,
            status_at: now,
            reported_nodes: 0,
        }
    }
}

impl SearchPump<'_> {
    fn leads(&self) -> bool {
        self.rank.link.rank() == 0
    }

    fn waits_for_reports(&self) -> bool {
        let members = &self.rank.members;
        self.rank.link.others().any(|rank| !members.is_lost(rank) && !members.progress(rank).is_last)
    }

    fn receive(&mut self, bridge: Bridge<'_>) -> bool {
        let mut moved = false;
        for _ in 0..MAX_MESSAGES_PER_POLL {
            let Some((from, message)) = self.rank.link.receive() else { break };
            moved = true;
            self.rank.members.hear(from);
            self.handle(bridge, from, message);
            if bridge.is_over() {
                break;
            }
        }
        moved
    }

    fn handle(&mut self, bridge: Bridge<'_>, from: usize, message: Message) {
        let current = self.rank.search;
        match message {
            Message::Request { search } => self.handle_request(bridge, from, search),
            Message::Ping => self.rank.link.send(from, &Message::Pong),
            Message::Pong | Message::Hello { .. } | Message::Prepared => {}
            Message::Note { text } => self.rank.note(RankNote::Told { rank: from, text }),
            Message::TableQuery { keys } => self.table.answer(&mut self.rank.link, from, &keys),
            Message::TableEntries { entries } => self.table.store(&mut self.rank.link, &entries),
            Message::Statistics { changes } => self.exchange.add_changes(&mut self.rank.link, &changes),
            Message::Refusal { search } if search == current => self.handle_refusal(from),
            Message::Work { search, id, task } if search == current => self.take_task(bridge, from, id, task.check()),
            Message::Cutoff { search, id } if search == current => {
                if bridge.revoke_task(id) {
                    self.taken.remove(id);
                } else if self.taken.contains(id) {
                    bridge.cut_task(id);
                } else {
                    self.taken.cut_early(id);
                }
            }
            Message::NewBound { search, id, alpha } if search == current => match score(alpha) {
                Some(alpha) => bridge.raise_bound(id, alpha.value()),
                None => self.rank.link.traffic.messages.malformed += 1,
            },
            Message::Return { search, id, time_us, result } if search == current => {
                self.handle_return(bridge, from, id, time_us, result);
            }
            Message::Status { search, nodes, permille_full, lost_permille, is_last } if search == current => {
                let report = Progress { nodes, permille_full, lost_permille, is_last };
                bridge.add_nodes(self.rank.members.report(from, report));
                self.rank.fullness.store(self.rank.members.permille_full(), Ordering::Relaxed);
            }
            // Only the first rank can have sent these: the link has checked it.
            Message::End { search } if search == current => bridge.end(),
            Message::Start { search, .. } if search > current => self.end_for(bridge, message),
            Message::Quit | Message::NewGame | Message::Prepare | Message::SetOption { .. } => {
                self.end_for(bridge, message);
            }
            _ => self.rank.link.traffic.messages.stale += 1,
        }
    }

    /// A command of the first rank ends the search; it is carried out afterwards.
    fn end_for(&mut self, bridge: Bridge<'_>, command: Message) {
        self.rank.next_command = Some(command);
        bridge.end();
    }

    /// Another rank asks for work.
    fn handle_request(&mut self, bridge: Bridge<'_>, from: usize, search: u32) {
        let is_current = search == self.rank.search;
        // A rank that asks for work while its own task waits here gets that task back.
        if is_current && self.taken.given_by(from).into_iter().any(|id| self.give_back(bridge, id)) {
            return;
        }
        let has_work = is_current && bridge.idle() == 0 && !self.rank.members.is_barred(from);
        match if has_work { bridge.request_work(self.rank.grain.nodes()) } else { None } {
            Some(helper) => self.given.add_helper(helper, from),
            None => self.refuse(from, search),
        }
    }

    fn refuse(&mut self, rank: usize, search: u32) {
        self.rank.link.traffic.tasks.refused += 1;
        self.rank.link.send(rank, &Message::Refusal { search });
    }

    fn handle_refusal(&mut self, from: usize) {
        if self.asking.asked.is_some_and(|(rank, _)| rank == from) {
            self.asking.asked = None;
            self.asking.refusals += 1;
            let pause = BACKOFF[0] * (1 << self.asking.refusals.min(5));
            self.asking.next_at = Instant::now() + pause.min(BACKOFF[1]);
        }
    }

    /// A task of another rank.
    fn take_task(&mut self, bridge: Bridge<'_>, from: usize, id: u64, task: Option<RemoteTask>) {
        (self.asking.asked, self.asking.refusals) = (None, 0);
        let Some(task) = task else {
            self.rank.link.traffic.messages.malformed += 1;
            return self.send_back(from, id);
        };
        match self.taken.take(id, from) {
            Arrival::Taken => bridge.add_task(id, task),
            Arrival::Stale => self.rank.link.traffic.messages.stale += 1,
            Arrival::Full => self.send_back(from, id),
        }
    }

    /// Returns a task without a result.
    fn send_back(&mut self, to: usize, id: u64) {
        let search = self.rank.search;
        self.rank.link.send(to, &Message::Return { search, id, time_us: 0, result: None });
    }

    /// Gives back a task that no processor has begun. False if one has.
    fn give_back(&mut self, bridge: Bridge<'_>, id: u64) -> bool {
        if !bridge.revoke_task(id) {
            return false;
        }
        if let Some((giver, _)) = self.taken.remove(id) {
            self.rank.link.traffic.tasks.returned += 1;
            self.send_back(giver, id);
        }
        true
    }

    /// Gives back a task that has waited too long: its rank may be idle by now.
    fn give_back_overdue(&mut self, bridge: Bridge<'_>) {
        if let Some(id) = self.taken.next_overdue() {
            self.give_back(bridge, id);
        }
    }

    /// A rank returns a task of ours, without a result if it could not search it.
    fn handle_return(&mut self, bridge: Bridge<'_>, from: usize, id: u64, time_us: u64, result: Option<ResultOnWire>) {
        let link = &mut self.rank.link;
        let (helper, since) = match self.given.finish(id, from) {
            Ok(given) => given,
            Err(Rejected::Stale) => return link.traffic.messages.stale += 1,
            Err(Rejected::NotHolder) => return link.refuse(from),
        };
        if result.is_none() {
            // It may have been given back because we asked for work: then processors here have work now.
            self.asking.asked = None;
        }
        let is_empty = result.is_none();
        let result = result.and_then(ResultOnWire::check);
        link.traffic.messages.malformed += u64::from(result.is_none() && !is_empty);
        let elapsed_us = since.elapsed().as_micros() as u64;
        let time_us = time_us.min(elapsed_us);
        link.traffic.tasks.overhead_us += elapsed_us - time_us;
        link.traffic.tasks.search_time_us += time_us;
        self.rank.grain.learn(elapsed_us - time_us);
        bridge.finish_remote_work(helper, result);
    }

    /// Sends what remote helpers have to send.
    fn serve_helpers(&mut self, bridge: Bridge<'_>) -> bool {
        let search = self.rank.search;
        let mut moved = false;
        while let Some((helper, event)) = bridge.next_event() {
            moved = true;
            match event {
                RemoteEvent::Task(task) => self.give(bridge, helper, task),
                RemoteEvent::BoundRaised(alpha) => {
                    if let Some((rank, id)) = self.given.task(helper) {
                        self.rank.link.traffic.tasks.raised += 1;
                        self.rank.link.send(rank, &Message::NewBound { search, id, alpha });
                    }
                }
                RemoteEvent::Cut => {
                    if let Some((rank, id)) = self.given.take(helper) {
                        self.rank.link.traffic.tasks.cut += 1;
                        self.rank.link.send(rank, &Message::Cutoff { search, id });
                    }
                }
                RemoteEvent::Left => {
                    if let Some((rank, false)) = self.given.remove_helper(helper) {
                        self.refuse(rank, search);
                    }
                }
            }
        }
        moved
    }

    /// Gives a task to the rank that a helper stands for.
    fn give(&mut self, bridge: Bridge<'_>, helper: usize, task: RemoteTask) {
        let (search, id) = (self.rank.search, task_id(self.rank.link.rank(), self.rank.next_task()));
        let Some(rank) = self.given.give(helper, id) else { return };
        let counts = &mut self.rank.link.traffic.tasks;
        counts.given += 1;
        counts.moves += task.batch.as_ref().map_or(1, |batch| batch.moves.len()) as u64;
        if !self.rank.link.try_send(rank, &Message::Work { search, id, task: task.into() }) {
            self.recover(bridge, helper);
        }
    }

    /// The task of a helper is searched here.
    fn recover(&mut self, bridge: Bridge<'_>, helper: usize) {
        if self.given.take(helper).is_some() {
            bridge.finish_remote_work(helper, None);
        }
    }

    /// Sends the results of tasks of other ranks.
    fn send_results(&mut self, bridge: Bridge<'_>) -> bool {
        let search = self.rank.search;
        let mut moved = false;
        while let Some((id, result)) = bridge.next_result() {
            moved = true;
            if let Some((giver, since)) = self.taken.remove(id) {
                let time_us = since.elapsed().as_micros() as u64;
                self.rank.link.traffic.tasks.done += u64::from(result.is_some());
                let result = result.map(Into::into);
                self.rank.link.send(giver, &Message::Return { search, id, time_us, result });
            }
        }
        moved
    }

    /// Asks another rank for work if processors here have none.
    fn ask_for_work(&mut self, bridge: Bridge<'_>) -> bool {
        let now = Instant::now();
        if self.asking.asked.is_some_and(|(_, since)| now - since > REQUEST_TIMEOUT) {
            self.asking.asked = None;
        }
        let [waiting, running] = bridge.remote_tasks();
        let wants_work = waiting == 0 && bridge.idle() > 0 && running <= self.threads;
        if !wants_work || self.asking.asked.is_some() || now < self.asking.next_at {
            return false;
        }
        let Some(rank) = self.choose_rank() else { return false };
        self.asking.asked = Some((rank, now));
        self.rank.link.traffic.tasks.requests += 1;
        let search = self.rank.search;
        self.rank.link.send(rank, &Message::Request { search });
        true
    }

    /// A rank that has a task of ours, so that we work on what we wait for (leapfrogging; Wagner & Calder 1993); every
    /// second time any rank.
    fn choose_rank(&mut self) -> Option<usize> {
        let is_there = |rank: &usize| !self.rank.members.is_lost(*rank);
        let mut ranks: Vec<usize> = self.given.holders().filter(is_there).collect();
        if ranks.is_empty() || self.asking.refusals % 2 == 1 {
            ranks = self.rank.link.others().filter(is_there).collect();
        }
        if ranks.is_empty() { None } else { Some(ranks[self.rank.random_below(ranks.len())]) }
    }

    /// Reports to the first rank.
    fn report(&mut self, bridge: Bridge<'_>, is_last: bool) {
        if self.leads() || !is_last && self.status_at.elapsed() < STATUS {
            return;
        }
        self.status_at = Instant::now();
        let (search, nodes) = (self.rank.search, bridge.nodes());
        if is_last || nodes != self.reported_nodes {
            self.reported_nodes = nodes;
            let permille_full = (self.own.permille_full() as u32).min(1000);
            let lost_permille = permille(bridge.lost_time());
            let status = Message::Status { search, nodes, permille_full, lost_permille, is_last };
            self.rank.link.send(0, &status);
        }
    }
}

fn permille(parts: [f64; 2]) -> [u32; 2] {
    parts.map(|part| (part * 1000.0).round().clamp(0.0, 1000.0) as u32)
}
