//! The loop over all virtual processors: what each of them does in its turn, and when.

use super::busy_list::BusyList;
use super::victims::Draw;
use super::world::{Activity, Callee, Processor, World};
use crate::context::{Machine, SplitPointOf, SuspendedStrand};
use crate::processor::{ProcessorState, Seen, Step, Surroundings, begins_with_strand};
use crate::strand::{StrandReturn, StrandSlot, StrandTask, new_stack};
use crate::{Accounts, Application, Asking, Inquiry, WorkRequest};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::any::Any;

/// The loop over all processors.
pub(super) struct Run<'w, 'a, A: Application> {
    world: &'w World<'a, A>,
    slots: Vec<StrandSlot<A>>,
    /// Host by host, strands that may go on there as soon as a processor is free.
    stock: Vec<Vec<SuspendedStrand<A>>>,
    busy: BusyList,
    strands: usize,
    random: SplitMix64,
    is_over: bool,
    panic: Option<Box<dyn Any + Send>>,
}

impl<'w, 'a, A: Application> Run<'w, 'a, A> {
    pub(super) fn new(world: &'w World<'a, A>, seed: u64) -> Self {
        Run {
            world,
            slots: Vec::new(),
            stock: (0..world.hosts.count.max(1)).map(|_| Vec::new()).collect(),
            busy: BusyList::new(world.traffic.processors(), world.each),
            strands: 0,
            random: SplitMix64::seed_from_u64(seed),
            is_over: false,
            panic: None,
        }
    }

    /// Runs the application to its end, and passes on a panic of a strand.
    pub(super) fn run_to_end(mut self) -> Accounts {
        let count = self.world.processors.borrow().len();
        for index in (0..count).filter(|&index| begins_with_strand(self.world.application, index)) {
            let strand = self.start(StrandTask::Start);
            self.world.processors.borrow_mut()[index].activity = Activity::Working(Some(strand));
            self.busy.add(index);
        }
        while !self.is_over {
            let next = self.world.agenda.borrow_mut().take();
            let Some(index) = next else { unreachable!("a strand is always running") };
            self.step(index);
        }
        let time = self.world.clock.get();
        self.world.close_accounts(time);
        self.world.record_all();
        // What strands do while they unwind, after the end, is on no account.
        let processors = self.world.processors.borrow().iter().map(|processor| processor.account).collect();
        self.finish_all_strands();
        for slot in self.slots.drain(..) {
            slot.dissolve(self.world.application);
        }
        if let Some(panic) = self.panic.take() {
            std::panic::resume_unwind(panic);
        }
        Accounts { time, processors, strands: self.strands }
    }

    /// One turn of a processor.
    fn step(&mut self, index: usize) {
        let activity = self.begin_turn(index);
        match activity {
            Activity::Working(Some(strand)) => self.work(index, strand),
            Activity::Given(..) if self.has_strand_for(index) => self.resume_waiting(index),
            Activity::Given(split, giver) => self.help(index, split, Some(giver)),
            Activity::Idle => self.look_for_work(index),
            Activity::BackingOff(since) => {
                let processor = &mut self.world.processors.borrow_mut()[index];
                processor.account.back_off += processor.clock - since;
                self.world.schedule(index, processor);
            }
            Activity::Calling { since, to } => self.arrive(index, since, to),
            Activity::Working(None) => unreachable!("only while it runs"),
            waits => self.world.processors.borrow_mut()[index].activity = waits,
        }
    }

    /// What a processor was doing; a strand that it goes on with counts as running from now on.
    fn begin_turn(&self, index: usize) -> Activity<A> {
        let world = self.world;
        let processor = &mut world.processors.borrow_mut()[index];
        let Activity::Working(strand) = &mut processor.activity else {
            if let Some(recorder) = world.recorder {
                recorder.passed(index, &processor.account);
            }
            return std::mem::replace(&mut processor.activity, Activity::Idle);
        };
        let mut strand = strand.take();
        world.clock.set(processor.clock);
        world.pending.set(!processor.asked_by.is_empty());
        // A strand may be interrupted by another that may go on here only.
        let is_there = processor.returned.last().is_some_and(|&(arrival, _)| arrival <= processor.clock);
        if is_there
            && processor.state.is_interrupted()
            && let Some((_, urgent)) = processor.returned.pop()
        {
            processor.interrupted.extend(strand.replace(urgent));
        }
        Activity::Working(strand)
    }

    fn work(&mut self, index: usize, strand: SuspendedStrand<A>) {
        let world = self.world;
        world.horizon.set(world.agenda.borrow().next().map_or(u64::MAX, |(time, _)| time));
        world.record_begin(index, strand.at.as_ref());
        let before = world.clock.get();
        let served = world.processors.borrow()[index].account.served();
        let returned = strand.resume(index);
        {
            let mut processors = world.processors.borrow_mut();
            let processor = &mut processors[index];
            self.book(processor, before, served);
            if let Some(recorder) = world.recorder {
                recorder.passed(index, &processor.account);
            }
            if let StrandReturn::Paused(strand) = returned {
                // So it is at nearly every node.
                processor.activity = Activity::Working(Some(strand));
                world.schedule(index, processor);
                return;
            }
        }
        let has_helped = matches!(&returned, StrandReturn::Finished { at: Some(_), .. });
        let next = self.come_back(index, returned);
        let mut processors = world.processors.borrow_mut();
        let processor = &mut processors[index];
        if has_helped && world.costs.stealing.dismissal {
            let time = world.costs.message + world.costs.probe;
            processor.clock += time;
            processor.account.dismissal += time;
        }
        if let Some(strand) = next.or_else(|| processor.interrupted.pop()) {
            processor.activity = Activity::Working(Some(strand));
            world.schedule(index, processor);
            return;
        }
        self.busy.remove(index);
        if processor.state.only_waits() {
            processor.activity = Activity::Holding(processor.clock);
        } else {
            processor.activity = Activity::Idle;
            world.schedule(index, processor);
        }
        drop(processors);
        self.refuse_all(index);
    }

    /// Books the time in which a strand ran.
    fn book(&self, processor: &mut Processor<A>, before: u64, served: u64) {
        let clock = self.world.clock.get();
        processor.clock = clock;
        let account = &mut processor.account;
        let passed = clock - before - (account.served() - served);
        let lingered = self.world.lingered.take();
        account.working += passed - lingered;
        account.table += lingered;
    }

    /// A strand has come back: the one to run next on this processor.
    fn come_back(&mut self, index: usize, returned: StrandReturn<A>) -> Option<SuspendedStrand<A>> {
        let world = self.world;
        // The state is taken out while the surroundings may touch other processors.
        let idle = ProcessorState::new(index, world.costs.stealing, world.application.waiting(), None);
        let mut state = std::mem::replace(&mut world.processors.borrow_mut()[index].state, idle);
        let next = state.came_back(world.application, returned, &mut At { run: self, index });
        world.processors.borrow_mut()[index].state = state;
        next
    }

    /// A strand may go on on this host: at once if a processor there has nothing to do, whomever it has asked.
    fn go_on_at_host(&mut self, host: usize, now: u64, strand: SuspendedStrand<A>) {
        let world = self.world;
        let mut processors = world.processors.borrow_mut();
        let is_free = |index: &usize| {
            let activity = &processors[*index].activity;
            matches!(
                activity,
                Activity::Idle | Activity::BackingOff(_) | Activity::Calling { .. } | Activity::Asking { .. }
            )
        };
        let Some(index) = world.processors_of(host).find(is_free) else {
            self.stock[host].push(strand);
            return;
        };
        match processors[index].activity {
            Activity::Asking { since, victim } => {
                processors[victim].asked_by.retain(|&(asker, _)| asker != index);
                processors[index].idles(now.saturating_sub(since));
            }
            Activity::Calling { since, .. } => processors[index].idles(now.saturating_sub(since)),
            Activity::BackingOff(since) => processors[index].account.back_off += now.saturating_sub(since),
            // A refusal that is still on its way was booked to its arrival.
            _ => {
                let (clock, processor) = (processors[index].clock, &mut processors[index]);
                processor.unbook(clock.saturating_sub(now));
                processor.idles(now.saturating_sub(clock));
            }
        }
        let processor = &mut processors[index];
        processor.clock = now;
        processor.activity = Activity::Working(Some(strand));
        self.busy.add(index);
        world.schedule(index, processor);
    }

    /// Does a strand wait for this processor, or for any of its host?
    fn has_strand_for(&self, index: usize) -> bool {
        let processors = self.world.processors.borrow();
        !processors[index].returned.is_empty() || !self.stock[self.world.host(index)].is_empty()
    }

    /// Goes on with a strand that waits for this processor or its host.
    fn resume_waiting(&mut self, index: usize) {
        let world = self.world;
        let mut processors = world.processors.borrow_mut();
        let processor = &mut processors[index];
        let stock = &mut self.stock[world.host(index)];
        let from_stock = || {
            // The one nearest to the root: most depends on it.
            let (place, _) = stock.iter().enumerate().min_by_key(|(_, strand)| strand.parked_at)?;
            Some((0, stock.swap_remove(place)))
        };
        let Some((since, strand)) = processor.returned.pop().or_else(from_stock) else { return };
        processor.state.takes_up(strand.parked_at);
        // What it did for others while it was idle cost it nothing.
        world.traffic.pay(index);
        let late = since.saturating_sub(processor.clock);
        processor.account.waiting += late;
        processor.clock += late;
        processor.activity = Activity::Working(Some(strand));
        self.busy.add(index);
        world.schedule(index, processor);
    }

    /// An idle processor does what its state machine says.
    fn look_for_work(&mut self, index: usize) {
        let world = self.world;
        let (has_strand, help) = (self.has_strand_for(index), world.see_help(index));
        let seen = Seen { has_strand, has_remote_task: false, is_over: false, is_drained: false, help };
        let step = {
            let mut victims = Draw { world, busy: &self.busy, random: &mut self.random };
            world.processors.borrow_mut()[index].state.next_step(&seen, &mut victims)
        };
        let mut processors = world.processors.borrow_mut();
        let since = processors[index].clock;
        processors[index].inquiry = Inquiry::SplitPoint;
        if step != Step::AskAll && world.help.is_called_by(index) {
            world.end_call(&mut processors, since);
        }
        match step {
            Step::Resume => {
                drop(processors);
                self.resume_waiting(index);
            }
            Step::JoinOpen => {
                let open = world.best_open(processors[index].state.floor());
                drop(processors);
                let Some(split) = open else { unreachable!("it was seen just now") };
                self.help(index, split, None);
            }
            Step::AskAll => world.ask_all(&mut processors, index, self.busy.of(0)),
            Step::AwaitSplit => world.await_split(&mut processors[index], index),
            Step::WaitAtBoard => world.wait_at_board(&mut processors[index], index),
            Step::Ask(victim) if world.costs.stealing.asking == Asking::BusyAtRandom => {
                processors[index].account.requests += 1;
                processors[index].activity = Activity::Asking { since, victim };
                processors[victim].asked_by.push((index, 0));
            }
            Step::Ask(victim) => {
                let processor = &mut processors[index];
                processor.account.requests += 1;
                processor.activity = Activity::Calling { since, to: Callee::Processor(victim) };
                processor.clock += world.traffic.send(index, victim);
                world.schedule(index, processor);
            }
            Step::AskHost(host) => {
                let processor = &mut processors[index];
                processor.account.requests += 1;
                processor.activity = Activity::Calling { since, to: Callee::Host(host) };
                processor.clock += world.hosts.message(false);
                world.schedule(index, processor);
            }
            Step::BackOff(time) => {
                let processor = &mut processors[index];
                processor.activity = Activity::BackingOff(since);
                processor.clock += time;
                world.schedule(index, processor);
            }
            Step::Pause if world.costs.stealing.asking == Asking::Nobody => {
                processors[index].activity = Activity::Holding(since);
            }
            Step::Pause => {
                processors[index].clock += 1;
                processors[index].idles(1);
                world.schedule(index, &processors[index]);
            }
            Step::BeginRemoteTask | Step::Sleep | Step::Wait | Step::End => {
                unreachable!("a virtual processor is patient, has no other ranks, and is not asked when it only waits")
            }
        }
    }

    fn help(&mut self, index: usize, split: SplitPointOf<A>, giver: Option<usize>) {
        let world = self.world;
        let has_work = |state: &mut A::SplitState| world.application.has_work(state);
        world.traffic.pay(index);
        if self.slots.is_empty() {
            // The account of strands counts those that were got ready, whether they come in time or not.
            let slot = self.slot();
            self.slots.push(slot);
        }
        if !split.with(|at| !at.over && has_work(at.state)) {
            // It comes too late, as most do where many ask.
            let processor = &mut world.processors.borrow_mut()[index];
            processor.activity = Activity::Idle;
            processor.clock += 1;
            processor.idles(1);
            world.schedule(index, processor);
            return;
        }
        let slot = self.slot();
        slot.control().begin();
        let joined = split.join(slot.control(), has_work);
        assert!(joined.is_some(), "it has seen the work just now");
        world.record_steal(index, &split, giver);
        let processor = &mut world.processors.borrow_mut()[index];
        processor.clock += world.costs.start;
        processor.account.sharing += world.costs.start;
        processor.account.steals += 1;
        processor.state.has_work();
        // SAFETY: `World` and the application outlive the run, and `finish_all_strands` ends every strand before it ends.
        let strand = unsafe { slot.start(world.application, world, StrandTask::Help(split)) };
        processor.activity = Activity::Working(Some(strand));
        self.busy.add(index);
        world.schedule(index, processor);
    }

    /// A request arrives: a strand there is asked, if there is one; otherwise the request is refused.
    fn arrive(&mut self, index: usize, since: u64, to: Callee) {
        let world = self.world;
        let mut processors = world.processors.borrow_mut();
        let (victim, home) = match to {
            Callee::Host(host) => (self.busy.draw(host, self.random.next_u64()), None),
            Callee::Processor(victim) => {
                let is_busy = matches!(processors[victim].activity, Activity::Working(_));
                (is_busy.then_some(victim), Some(victim))
            }
        };
        if let Some(victim) = victim {
            processors[index].activity = Activity::Asking { since, victim };
            processors[victim].asked_by.push((index, 0));
            return;
        }
        if let Some(home) = home {
            processors[home].account.denials += 1;
            processors[index].state.refused();
        }
        let asker = &mut processors[index];
        asker.activity = Activity::Calling { since, to };
        let message = home.map_or_else(|| world.hosts.message(false), |home| world.traffic.send(home, index));
        world.reply(index, asker, asker.clock, message, None);
    }

    /// The strand that was asked has gone: its processor has nothing to give.
    fn refuse_all(&mut self, index: usize) {
        let world = self.world;
        let mut asked_by = std::mem::take(&mut world.processors.borrow_mut()[index].asked_by);
        for (processor, delays) in asked_by.drain(..) {
            let inquiry = world.processors.borrow()[processor].inquiry;
            let request =
                WorkRequest { processor, inquiry, floor: 0, grain: 0, least: 0, denials: 0, delays, patience: 0 };
            match inquiry {
                Inquiry::Offer => Machine::<A>::ignore(world, index, request),
                Inquiry::SplitPoint | Inquiry::Offered(_) => Machine::<A>::answer(world, index, request, None),
            }
        }
        // The list keeps its memory. No processor has asked since it was taken out.
        world.processors.borrow_mut()[index].asked_by = asked_by;
    }

    fn slot(&mut self) -> StrandSlot<A> {
        self.slots.pop().unwrap_or_else(|| {
            self.strands += 1;
            let stack = new_stack().unwrap_or_else(|| panic!("no memory for the stack of a strand"));
            StrandSlot::new(self.world.application, stack)
        })
    }

    fn start(&mut self, task: StrandTask<A>) -> SuspendedStrand<A> {
        let slot = self.slot();
        slot.control().begin();
        // SAFETY: as in `help`.
        unsafe { slot.start(self.world.application, self.world, task) }
    }

    /// The run is over: every strand that still runs or waits is cut and resumed until it ends.
    fn finish_all_strands(&mut self) {
        let mut strands: Vec<_> = self.stock.iter_mut().flat_map(|stock| stock.drain(..)).collect();
        for processor in self.world.processors.borrow_mut().iter_mut() {
            strands.extend(processor.returned.drain(..).map(|(_, strand)| strand));
            strands.append(&mut processor.interrupted);
            if let Activity::Working(strand) = &mut processor.activity {
                strands.extend(strand.take());
            }
        }
        strands.iter().for_each(|strand| strand.control.cut_all());
        while let Some(strand) = strands.pop() {
            match strand.resume(0) {
                StrandReturn::Paused(again) => strands.push(again),
                StrandReturn::Away(..) => unreachable!("a virtual machine has no remote helpers"),
                StrandReturn::Parked(again, split) => strands.extend(split.park(again)),
                StrandReturn::Finished { slot, at, .. } => {
                    strands.extend(at.and_then(|split| split.leave(slot.control())));
                    self.slots.push(slot);
                }
                StrandReturn::Panicked { control, at, panic, .. } => {
                    strands.extend(at.and_then(|split| split.leave(&control)));
                    self.panic.get_or_insert(panic);
                }
            }
        }
    }
}

/// The surroundings of a processor whose strand has come back.
struct At<'r, 'w, 'a, A: Application> {
    run: &'r mut Run<'w, 'a, A>,
    index: usize,
}

impl<A: Application> At<'_, '_, '_, A> {
    fn now(&self) -> u64 {
        self.run.world.clock.get()
    }
}

impl<A: Application> Surroundings<A> for At<'_, '_, '_, A> {
    fn has_hosts(&self) -> bool {
        self.run.world.hosts.count > 1
    }

    fn is_near(&self, one: usize, other: usize) -> bool {
        self.run.world.host(one) == self.run.world.host(other)
    }

    fn end_run(&mut self) {
        self.run.is_over = true;
    }

    fn keep_panic(&mut self, panic: Box<dyn Any + Send>) {
        self.run.panic.get_or_insert(panic);
    }

    fn keep_slot(&mut self, slot: StrandSlot<A>) {
        self.run.slots.push(slot);
    }

    fn send_to_processor(&mut self, processor: usize, strand: SuspendedStrand<A>) {
        let world = self.run.world;
        // Over a network the result has already paid its way.
        let message = if world.traffic.has_network() { 0 } else { world.costs.message };
        let arrival = self.now() + message;
        let holder = &mut world.processors.borrow_mut()[processor];
        holder.returned.push((arrival, strand));
        match holder.activity {
            Activity::Holding(since) | Activity::Awaiting(since) => {
                holder.clock = self.now().max(since) + message;
                holder.account.waiting += holder.clock - since;
            }
            Activity::BackingOff(since) => {
                holder.clock = arrival.max(since);
                holder.account.back_off += holder.clock - since;
            }
            _ => return,
        }
        holder.activity = Activity::Idle;
        world.schedule(processor, holder);
    }

    fn send_to_host(&mut self, processor: usize, strand: SuspendedStrand<A>) {
        let (host, now) = (self.run.world.host(processor), self.now());
        self.run.go_on_at_host(host, now, strand);
    }

    fn count_carried(&mut self) {
        self.run.world.processors.borrow_mut()[self.index].account.carried += 1;
    }
}
