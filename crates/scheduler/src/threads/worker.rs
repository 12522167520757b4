//! The driver of a processor on a thread: the loop of `processor.rs`, by the clock.

use super::machine::ThreadMachine;
use super::pool::ThreadPool;
use crate::context::{Machine, SplitPointOf, SuspendedStrand};
use crate::processor::{ProcessorState, Step, Surroundings, Victims, begins_with_strand};
use crate::request::WorkAnswer;
use crate::strand::{StrandSlot, StrandTask};
use crate::{Account, Application, Asking, Inquiry, Occupation, Stealing};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::any::Any;
use std::cmp::Reverse;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often an idle processor looks for its answer before it blocks, if there is a core for every processor.
const SPINS: usize = 2_000;
/// Refusals in a row after which an idle processor sleeps if it has a core of its own. Where cores are scarce, twice the
/// number of processors.
const PATIENCE: u32 = 200;
/// The same where an answer may come from another rank.
const PATIENCE_AMONG_RANKS: u32 = 2000;
/// The longest sleep of a rank's processor: messages don't wake it.
const RANK_NAP: Duration = Duration::from_micros(50);

/// One processor, on its own thread.
pub(super) struct Worker<'m, 'a, A: Application> {
    machine: &'m ThreadMachine<'a, A>,
    pool: &'m ThreadPool,
    slots: Vec<StrandSlot<A>>,
    random: SplitMix64,
    account: Account,
}

impl<'m, 'a, A: Application> Worker<'m, 'a, A> {
    pub(super) fn new(machine: &'m ThreadMachine<'a, A>, pool: &'m ThreadPool, index: usize) -> Self {
        let random = SplitMix64::seed_from_u64(index as u64);
        Worker { machine, pool, slots: Vec::new(), random, account: Account::default() }
    }

    /// Runs strands until the run is over; where the time went.
    pub(super) fn run(mut self, index: usize) -> Account {
        let run = &self.machine.run;
        run.cells[index].has_joined.store(true, Ordering::Relaxed);
        let patience = match (&self.machine.bridge, run.is_roomy) {
            (Some(_), true) => PATIENCE_AMONG_RANKS,
            (None, true) => PATIENCE,
            _ => 2 * run.processors as u32,
        };
        let mut state = ProcessorState::new(index, Stealing::OURS, run.application.waiting(), Some(patience));
        let mut since = Instant::now();
        run.record(index, Occupation::Looking, since);
        let mut current = None;
        if begins_with_strand(run.application, index) {
            let slot = self.slot().unwrap_or_else(|| panic!("no memory for the stack of a strand"));
            slot.control().begin();
            current = Some(self.start(slot, StrandTask::Start));
        }
        loop {
            if let Some(strand) = current.take() {
                current = self.work(&mut state, strand);
                self.account.working += lap(&mut since);
                run.record(index, Occupation::Working, since);
                continue;
            }
            let holds = state.holds_strand();
            run.idle.fetch_add(1, Ordering::Relaxed);
            current = self.find_work(&mut state);
            run.idle.fetch_sub(1, Ordering::Relaxed);
            let spent = lap(&mut since);
            run.idle_time.fetch_add(spent, Ordering::Relaxed);
            *(if holds { &mut self.account.waiting } else { &mut self.account.looking }) += spent;
            run.record(index, if holds { Occupation::Waiting } else { Occupation::Looking }, since);
            if current.is_none() {
                break;
            }
        }
        for slot in self.slots {
            self.pool.keep_stack(slot.dissolve(run.application));
        }
        self.account
    }

    /// Runs a strand until it ends or has to wait; the one to run after it.
    fn work(&mut self, state: &mut ProcessorState, strand: SuspendedStrand<A>) -> Option<SuspendedStrand<A>> {
        let cell = &self.machine.run.cells[state.index];
        if let Some(recorder) = self.machine.run.recorder {
            recorder.enters(state.index, strand.at.as_ref().and_then(|split| self.machine.run.application.mark(split)));
        }
        cell.enter(&strand.control);
        if !cell.slot.is_open() {
            cell.slot.open();
        }
        let returned = strand.resume(state.index);
        cell.leave();
        let next = state.came_back(self.machine.run.application, returned, self);
        if next.is_none()
            && let Some(asker) = cell.slot.close()
        {
            cell.counts.denials.fetch_add(1, Ordering::Relaxed);
            self.refuse(asker);
        }
        next
    }

    /// No strand runs here any more: the processor that has asked gets nothing.
    fn refuse(&self, asker: usize) {
        let cell = &self.machine.run.cells[asker];
        let is_last = match cell.wish.inquiry() {
            Inquiry::Offer => cell.offers.put(None),
            Inquiry::SplitPoint | Inquiry::Offered(_) => {
                cell.answer.put(WorkAnswer::Refused);
                true
            }
        };
        if is_last && !self.machine.is_remote(asker) {
            self.machine.run.sleepers.wake(asker);
        }
    }

    /// Looks for work until there is some; none if the run is over.
    fn find_work(&mut self, state: &mut ProcessorState) -> Option<SuspendedStrand<A>> {
        let machine = self.machine;
        let run = &machine.run;
        loop {
            machine.poll_messages();
            let mut seen = run.seen_by(state.index);
            if run.application.asking() == Some(Asking::All) && !seen.has_strand && !seen.is_over {
                seen.help = Some(run.help.seen(run.application, state.floor()));
            }
            let found = match state.next_step(&seen, self) {
                Step::Resume => self.next_strand(state),
                Step::BeginRemoteTask => self.next_remote_task(),
                Step::Ask(victim) => {
                    self.account.requests += 1;
                    let split = self.ask(state, victim, Inquiry::SplitPoint);
                    self.join_if_given(state, split, Some(victim))
                }
                Step::AskAll => {
                    self.account.requests += 1;
                    let (split, giver) = self.ask_all(state).unzip();
                    self.join_if_given(state, split, giver)
                }
                Step::JoinOpen => {
                    let split = run.help.best_open(run.application, state.floor());
                    self.join_if_given(state, split, None)
                }
                Step::AwaitSplit => {
                    std::thread::yield_now();
                    None
                }
                Step::WaitAtBoard => unreachable!("threads have no board"),
                Step::AskHost(_) => unreachable!("threads are one host"),
                Step::BackOff(_) => unreachable!("threads sleep instead"),
                Step::Pause => {
                    std::hint::spin_loop();
                    None
                }
                Step::Sleep | Step::Wait => {
                    self.sleep(state.index, seen.is_over);
                    None
                }
                Step::End => return None,
            };
            if found.is_some() {
                state.has_work();
                return found;
            }
        }
    }

    fn sleep(&self, processor: usize, knows_end: bool) {
        let run = &self.machine.run;
        let stays_awake = || run.has_event_for(processor, knows_end);
        match self.machine.bridge {
            Some(_) => run.sleepers.sleep_at_most(RANK_NAP, processor, stays_awake),
            None => run.sleepers.sleep(processor, stays_awake),
        }
    }

    /// A strand that may go on here.
    fn next_strand(&self, state: &mut ProcessorState) -> Option<SuspendedStrand<A>> {
        let run = &self.machine.run;
        if let Some(strand) = run.cells[state.index].take_returned() {
            state.takes_up(strand.parked_at);
            return Some(strand);
        }
        run.queues.as_ref().and_then(|queues| queues.next_strand())
    }

    /// A strand that does a task of another rank.
    fn next_remote_task(&mut self) -> Option<SuspendedStrand<A>> {
        let slot = self.slot()?;
        slot.control().begin();
        let queues = self.machine.run.queues.as_ref();
        let Some((name, task)) = queues.and_then(|queues| queues.next_task(slot.control())) else {
            self.slots.push(slot);
            return None;
        };
        Some(self.start(slot, StrandTask::Remote(name, task)))
    }

    /// Joins a split point, if there is one; `giver` gave it, or it was found open.
    fn join_if_given(
        &mut self,
        state: &mut ProcessorState,
        split: Option<SplitPointOf<A>>,
        giver: Option<usize>,
    ) -> Option<SuspendedStrand<A>> {
        let mark =
            self.machine.run.recorder.and(split.as_ref()).and_then(|split| self.machine.run.application.mark(split));
        let found = split.and_then(|split| self.join(split));
        if found.is_none() {
            state.refused();
        } else {
            self.account.steals += 1;
            if let Some(recorder) = self.machine.run.recorder {
                recorder.steals(self.machine.now(), giver, state.index, mark);
            }
            // Where there is work for one there may be more.
            self.machine.run.sleepers.wake_one(state.index);
        }
        found
    }

    /// Asks all busy processors what they would share, and then for the best of that; and which of them gave it.
    fn ask_all(&self, state: &ProcessorState) -> Option<(SplitPointOf<A>, usize)> {
        let run = &self.machine.run;
        if !run.help.call(state.index) {
            return None;
        }
        let offers = &run.cells[state.index].offers;
        offers.expect();
        for victim in (0..run.processors).filter(|&victim| run.cells[victim].slot.is_open()) {
            offers.expect();
            if !run.ask(victim, state.index, Inquiry::Offer, state.floor(), 0) {
                offers.put(None);
            }
        }
        offers.put(None);
        self.wait_until(state.index, || offers.is_complete());
        let best = offers.take().into_iter().max_by_key(|(offer, victim)| (offer.priority, Reverse(*victim)));
        let split =
            best.and_then(|(offer, victim)| Some((self.ask(state, victim, Inquiry::Offered(offer.ply))?, victim)));
        run.help.end_call();
        split
    }

    /// Waits for an answer: awake for a while, if there is a core for every processor.
    fn wait_until(&self, processor: usize, is_there: impl Fn() -> bool) {
        let run = &self.machine.run;
        let spins = if run.is_roomy { SPINS } else { 0 };
        for _ in 0..spins {
            if is_there() {
                break;
            }
            std::hint::spin_loop();
        }
        run.sleepers.wait_until(processor, is_there);
    }

    /// Asks one processor and waits for its answer, which is certain to come (`request.rs`).
    fn ask(&self, state: &ProcessorState, victim: usize, inquiry: Inquiry) -> Option<SplitPointOf<A>> {
        let run = &self.machine.run;
        run.cells[state.index].wish.denials.store(state.denials(), Ordering::Relaxed);
        if !run.ask(victim, state.index, inquiry, state.floor(), 0) {
            return None;
        }
        let answer = &run.cells[state.index].answer;
        self.wait_until(state.index, || answer.is_there());
        match answer.take() {
            Some(WorkAnswer::Given(split)) => Some(split),
            Some(WorkAnswer::Refused) | None => None,
        }
    }

    fn join(&mut self, split: SplitPointOf<A>) -> Option<SuspendedStrand<A>> {
        let slot = self.slot()?;
        // A cut may come as soon as the helper is known at the split point: it must find a strand that has begun.
        slot.control().begin();
        if split.join(slot.control(), |state| self.machine.run.application.has_work(state)).is_none() {
            self.slots.push(slot);
            return None;
        }
        Some(self.start(slot, StrandTask::Help(split)))
    }

    /// A slot for a strand. None if the system has no memory for its stack: then the others do the work.
    fn slot(&mut self) -> Option<StrandSlot<A>> {
        if let Some(slot) = self.slots.pop() {
            return Some(slot);
        }
        let stack = self.pool.take_stack()?;
        self.machine.run.strands.fetch_add(1, Ordering::Relaxed);
        Some(StrandSlot::new(self.machine.run.application, stack))
    }

    fn start(&self, slot: StrandSlot<A>, task: StrandTask<A>) -> SuspendedStrand<A> {
        // SAFETY: machine and application outlive all threads of the run, and a thread leaves the run only when it has no
        // strand; a parked strand is carried on by the last helper of its split point before that helper's thread leaves.
        unsafe { slot.start(self.machine.run.application, self.machine, task) }
    }
}

impl<A: Application> Victims for Worker<'_, '_, A> {
    fn draw_near(&mut self, _processor: usize) -> Option<usize> {
        self.machine.run.busy_from((self.random.next_u64() >> 33) as usize)
    }
}

impl<A: Application> Surroundings<A> for Worker<'_, '_, A> {
    fn exchange(&mut self, strand: SuspendedStrand<A>) -> SuspendedStrand<A> {
        match &self.machine.run.queues {
            Some(queues) => queues.exchange(strand),
            None => strand,
        }
    }

    fn end_run(&mut self) {
        self.machine.run.end();
    }

    fn keep_panic(&mut self, panic: Box<dyn Any + Send>) {
        self.machine.run.keep_panic(panic);
    }

    fn keep_slot(&mut self, slot: StrandSlot<A>) {
        self.slots.push(slot);
    }

    fn send_to_processor(&mut self, processor: usize, strand: SuspendedStrand<A>) {
        self.machine.run.send_to_processor(processor, strand);
    }

    fn count_carried(&mut self) {
        self.account.carried += 1;
    }
}

fn lap(since: &mut Instant) -> u64 {
    let now = Instant::now();
    let passed = now.duration_since(*since);
    *since = now;
    passed.as_nanos() as u64
}
