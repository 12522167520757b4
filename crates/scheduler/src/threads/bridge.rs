//! The bridge of a machine of threads: its remote helpers, and when its message pump polls.

use super::run::ThreadRun;
use crate::context::{Machine, SplitPointOf, SuspendedStrand};
use crate::doorbell::Doorbell;
use crate::remote::{MessagePump, RemoteBridge, RemoteEvent, RemoteQueues};
use crate::request::WorkAnswer;
use crate::strand::{StrandReturn, StrandSlot, StrandTask, new_stack};
use crate::{Application, Inquiry};
use parking_lot::Mutex;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

/// A busy rank polls after this many times what polling in vain costs (so it costs about 3 %), within these bounds in
/// nanoseconds.
const POLL_RATIO: u64 = 30;
const POLL_PAUSE: [u64; 2] = [20_000, 100_000];

/// The remote helpers of a rank and its message pump. A thread that holds the lock polls.
pub(super) struct Bridge<'a, A: Application> {
    state: Mutex<BridgeState<'a, A>>,
    pub(super) doorbell: Option<Doorbell>,
    /// When messages were last looked for, what that costs in vain, and the time strands waited for it: nanoseconds.
    last_poll: AtomicU64,
    vain_poll: AtomicU64,
    poll_time: AtomicU64,
}

struct BridgeState<'a, A: Application> {
    pump: &'a mut dyn MessagePump<A::RemoteTask, A::RemoteResult>,
    helpers: Vec<RemoteHelper<A>>,
    events: VecDeque<(usize, RemoteEvent<A::RemoteTask>)>,
    slots: Vec<StrandSlot<A>>,
    random: SplitMix64,
}

/// What a remote helper does.
enum RemoteHelper<A: Application> {
    /// Nothing.
    Free,
    /// It has asked a processor and waits for the answer.
    Asking,
    /// It waits for the result of its task, which has this bound.
    Away(SuspendedStrand<A>, i32),
}

impl<'a, A: Application> Bridge<'a, A> {
    pub(super) fn new(pump: &'a mut dyn MessagePump<A::RemoteTask, A::RemoteResult>) -> Self {
        let doorbell = pump.doorbell();
        let helpers = (0..pump.remote_helpers()).map(|_| RemoteHelper::Free).collect();
        let (events, slots, random) = (VecDeque::new(), Vec::new(), SplitMix64::seed_from_u64(1));
        Bridge {
            state: Mutex::new(BridgeState { pump, helpers, events, slots, random }),
            doorbell,
            last_poll: AtomicU64::new(0),
            vain_poll: AtomicU64::new(0),
            poll_time: AtomicU64::new(0),
        }
    }

    /// A strand looks up: polls if the doorbell was rung or it is time.
    pub(super) fn poll_if_due(&self, run: &ThreadRun<'a, A>, machine: &dyn Machine<A>) {
        let is_due = || run.now().saturating_sub(self.last_poll.load(Ordering::Relaxed)) >= self.pause();
        if self.doorbell.is_some_and(|bell| bell.is_rung()) || is_due() {
            self.poll_for_strand(run, machine);
        }
    }

    /// Polls while a strand waits, and measures what that costs.
    pub(super) fn poll_for_strand(&self, run: &ThreadRun<'a, A>, machine: &dyn Machine<A>) {
        let since = run.now();
        let was_in_vain = self.poll(run, machine) == Some(false);
        let spent = run.now().saturating_sub(since);
        self.poll_time.fetch_add(spent, Ordering::Relaxed);
        if was_in_vain {
            let before = self.vain_poll.load(Ordering::Relaxed);
            self.vain_poll.store((15 * before + spent.min(POLL_PAUSE[1])) / 16, Ordering::Relaxed);
        }
    }

    /// How long after the last poll the next one is due.
    fn pause(&self) -> u64 {
        let affordable = (POLL_RATIO * self.vain_poll.load(Ordering::Relaxed)).clamp(POLL_PAUSE[0], POLL_PAUSE[1]);
        if self.rings_always() { POLL_PAUSE[1] } else { affordable }
    }

    /// Does every rank that sends something ring the doorbell?
    pub(super) fn rings_always(&self) -> bool {
        self.doorbell.is_some_and(|bell| bell.is_complete)
    }

    /// Polls, unless another thread does or the bridge is closed. True if there was anything.
    pub(super) fn poll(&self, run: &ThreadRun<'a, A>, machine: &dyn Machine<A>) -> Option<bool> {
        let queues = run.queues.as_ref().filter(|queues| !queues.is_closed())?;
        let mut state = self.state.try_lock()?;
        self.last_poll.store(run.now(), Ordering::Relaxed);
        if let Some(bell) = self.doorbell {
            bell.answer();
        }
        let BridgeState { pump, helpers, events, slots, random } = &mut *state;
        let poll_time = &self.poll_time;
        Some(pump.poll_messages(&mut BridgeView { run, machine, queues, poll_time, helpers, events, slots, random }))
    }

    /// The run is over: the pump says so to the other ranks, and the remote helpers leave.
    pub(super) fn close(&self, run: &ThreadRun<'a, A>, machine: &dyn Machine<A>) {
        let Some(queues) = run.queues.as_ref().filter(|queues| !queues.is_closed()) else { return };
        let Some(mut state) = self.state.try_lock() else { return };
        if queues.is_closed() {
            return;
        }
        let BridgeState { pump, helpers, events, slots, random } = &mut *state;
        let poll_time = &self.poll_time;
        let mut view = BridgeView { run, machine, queues, poll_time, helpers, events, slots, random };
        pump.finish(&mut view);
        view.dismiss_helpers();
        for slot in slots.drain(..) {
            slot.dissolve(run.application);
        }
        queues.close();
        run.wake_all();
    }
}

/// What the message pump sees of its machine.
struct BridgeView<'v, 'a, A: Application> {
    run: &'v ThreadRun<'a, A>,
    machine: &'v dyn Machine<A>,
    queues: &'v RemoteQueues<A>,
    poll_time: &'v AtomicU64,
    helpers: &'v mut Vec<RemoteHelper<A>>,
    events: &'v mut VecDeque<(usize, RemoteEvent<A::RemoteTask>)>,
    slots: &'v mut Vec<StrandSlot<A>>,
    random: &'v mut SplitMix64,
}

impl<A: Application> BridgeView<'_, '_, A> {
    /// The run is over: every remote helper leaves. All requests are answered and all tasks are cut, so none stays.
    fn dismiss_helpers(&mut self) {
        self.queues.revoke_all_tasks();
        while self.helpers.iter().any(|helper| !matches!(helper, RemoteHelper::Free)) {
            (0..self.helpers.len()).for_each(|helper| self.attend(helper));
            std::thread::yield_now();
        }
    }

    /// Sees what a remote helper waits for.
    fn attend(&mut self, helper: usize) {
        match std::mem::replace(&mut self.helpers[helper], RemoteHelper::Free) {
            RemoteHelper::Free => {}
            RemoteHelper::Asking => self.look_for_answer(helper),
            RemoteHelper::Away(strand, bound) => {
                let is_stopped = self.run.is_over() || self.run.application.is_stopped();
                let is_useless = is_stopped || strand.control.keep() != usize::MAX;
                if is_useless {
                    self.events.push_back((helper, RemoteEvent::Cut));
                    self.resume(helper, strand);
                    return;
                }
                let now = self.bound(&strand);
                if now > bound {
                    self.events.push_back((helper, RemoteEvent::BoundRaised(now)));
                }
                self.helpers[helper] = RemoteHelper::Away(strand, now);
            }
        }
    }

    /// The bound of the work at the split point that a remote helper has joined.
    fn bound(&self, strand: &SuspendedStrand<A>) -> i32 {
        strand.at.as_ref().map_or(0, |split| split.with(|at| self.run.application.bound(at.state)))
    }

    fn look_for_answer(&mut self, helper: usize) {
        let answer = self.run.cells[self.run.processors + helper].answer.take();
        let joined = match answer {
            None => {
                self.helpers[helper] = RemoteHelper::Asking;
                return;
            }
            Some(WorkAnswer::Given(split)) => self.join(split),
            Some(WorkAnswer::Refused) => None,
        };
        match joined {
            Some(strand) => self.resume(helper, strand),
            None => self.events.push_back((helper, RemoteEvent::Left)),
        }
    }

    fn join(&mut self, split: SplitPointOf<A>) -> Option<SuspendedStrand<A>> {
        let application = self.run.application;
        let slot = match self.slots.pop() {
            Some(slot) => slot,
            None => StrandSlot::new(application, new_stack()?),
        };
        slot.control().begin();
        if split.join(slot.control(), |state| application.has_work(state)).is_none() {
            self.slots.push(slot);
            return None;
        }
        // SAFETY: the machine and the application outlive the run, and the run ends only when no remote helper is left
        // (`Bridge::close`).
        Some(unsafe { slot.start(application, self.machine, StrandTask::Help(split)) })
    }

    /// Lets a remote helper's strand run until it gives a task away, or to its end.
    fn resume(&mut self, helper: usize, strand: SuspendedStrand<A>) {
        let left = match strand.resume(self.run.processors + helper) {
            StrandReturn::Away(strand, task) => {
                let bound = self.bound(&strand);
                self.helpers[helper] = RemoteHelper::Away(strand, bound);
                self.events.push_back((helper, RemoteEvent::Task(task)));
                return;
            }
            StrandReturn::Finished { slot, at, .. } => {
                let owner = at.and_then(|split| split.leave(slot.control()));
                self.slots.push(slot);
                owner
            }
            StrandReturn::Panicked { control, at, panic, .. } => {
                self.run.application.stop();
                self.run.keep_panic(panic);
                at.and_then(|split| split.leave(&control))
            }
            StrandReturn::Paused(_) | StrandReturn::Parked(..) => {
                unreachable!("a remote helper searches nothing, so it shares nothing")
            }
        };
        if let Some(owner) = left {
            self.hand_over(owner);
        }
        self.events.push_back((helper, RemoteEvent::Left));
    }

    /// A remote helper was the last to leave: a processor has to carry the owner on.
    fn hand_over(&self, owner: SuspendedStrand<A>) {
        if let Some(home) = owner.home {
            self.run.send_to_processor(home, owner);
            return;
        }
        self.queues.add_urgent(owner);
        if !self.run.sleepers.wake_one(0) {
            self.run.poke_all();
        }
    }
}

impl<A: Application> RemoteBridge<A::RemoteTask, A::RemoteResult> for BridgeView<'_, '_, A> {
    fn is_over(&self) -> bool {
        self.run.is_over()
    }

    fn end(&mut self) {
        self.run.application.stop();
        self.run.end();
    }

    fn idle(&self) -> usize {
        self.run.idle.load(Ordering::Relaxed)
    }

    fn lost_time(&self) -> [f64; 2] {
        let all = (self.run.now() * self.run.processors as u64).max(1) as f64;
        [&self.run.idle_time, self.poll_time].map(|time| time.load(Ordering::Relaxed) as f64 / all)
    }

    fn remote_tasks(&self) -> [usize; 2] {
        self.queues.count_tasks()
    }

    fn nodes(&self) -> u64 {
        self.run.application.progress()
    }

    fn add_nodes(&mut self, nodes: u64) {
        self.run.application.count(nodes);
    }

    fn add_task(&mut self, name: u64, task: A::RemoteTask) {
        self.queues.add_task(name, task);
        self.run.sleepers.wake_one(0);
    }

    fn revoke_task(&mut self, name: u64) -> bool {
        self.queues.revoke_task(name)
    }

    fn cut_task(&mut self, name: u64) {
        self.queues.with_running(name, |control| control.cut_all());
    }

    fn raise_bound(&mut self, name: u64, bound: i32) {
        let application = self.run.application;
        self.queues.with_running(name, |control| {
            for split in control.shared_frames() {
                split.with(|at| application.raise(at.state, bound));
            }
        });
    }

    fn next_result(&mut self) -> Option<(u64, Option<A::RemoteResult>)> {
        self.queues.next_result()
    }

    fn request_work(&mut self, least: u64) -> Option<usize> {
        // A helper whose last event has not been read yet is not free.
        let is_free = |&helper: &usize| {
            matches!(self.helpers[helper], RemoteHelper::Free) && !self.events.iter().any(|(other, _)| *other == helper)
        };
        let helper = (0..self.helpers.len()).find(is_free)?;
        let victim = self.run.busy_from((self.random.next_u64() >> 33) as usize)?;
        if !self.run.ask(victim, self.run.processors + helper, Inquiry::SplitPoint, 0, least.max(1)) {
            return None;
        }
        self.helpers[helper] = RemoteHelper::Asking;
        Some(helper)
    }

    fn next_event(&mut self) -> Option<(usize, RemoteEvent<A::RemoteTask>)> {
        if self.events.is_empty() {
            (0..self.helpers.len()).for_each(|helper| self.attend(helper));
        }
        self.events.pop_front()
    }

    fn finish_remote_work(&mut self, helper: usize, result: Option<A::RemoteResult>) {
        match std::mem::replace(&mut self.helpers[helper], RemoteHelper::Free) {
            RemoteHelper::Away(strand, _) => {
                self.queues.put_result(helper, result);
                self.resume(helper, strand);
            }
            other => self.helpers[helper] = other,
        }
    }
}
