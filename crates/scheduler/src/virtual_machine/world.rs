//! The state of a virtual run, as its strands reach it: processors, their clocks, and what things cost.

use super::agenda::Agenda;
use super::board::Board;
use super::traffic::Traffic;
use crate::context::{Machine, SplitPointOf, SuspendedStrand};
use crate::processor::ProcessorState;
use crate::{Account, Application, Costs, Hosts, Inquiry, Recorder, WorkOffer, WorkRequest};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

/// What a virtual processor is doing.
pub(super) enum Activity<A: Application> {
    /// It runs this strand; taken out while the strand runs.
    Working(Option<SuspendedStrand<A>>),
    /// It has nothing to do and will look for work.
    Idle,
    /// It sits idle after a refusal, since then, until its clock.
    BackingOff(u64),
    /// It has asked, and the request is on its way.
    Calling { since: u64, to: Callee },
    /// It has asked and waits for the answer.
    Asking { since: u64, victim: usize },
    /// It has been given a split point, by this processor.
    Given(SplitPointOf<A>, usize),
    /// It does nothing until the helpers of its parked strand are back, since then.
    Holding(u64),
    /// It has asked all busy processors: how many have not answered yet, the best offer so far, and whose it is.
    Collecting { since: u64, expected: usize, best: Option<(WorkOffer, usize)> },
    /// It waits for what another processor finds that has asked all.
    Awaiting(u64),
}

/// Where a request is on its way to.
#[derive(Clone, Copy)]
pub(super) enum Callee {
    /// A processor of the same host, busy or not.
    Processor(usize),
    /// Any processor of another host.
    Host(usize),
}

pub(super) struct Processor<A: Application> {
    pub(super) state: ProcessorState,
    pub(super) activity: Activity<A>,
    pub(super) clock: u64,
    /// What it asks for.
    pub(super) inquiry: Inquiry,
    /// The processors that ask this one, and how often each was deferred.
    pub(super) asked_by: Vec<(usize, u32)>,
    /// Strands that may go on here only, and since when.
    pub(super) returned: Vec<(u64, SuspendedStrand<A>)>,
    /// Strands that were interrupted by others that could go on here only.
    pub(super) interrupted: Vec<SuspendedStrand<A>>,
    pub(super) account: Account,
}

impl<A: Application> Processor<A> {
    pub(super) fn new(state: ProcessorState) -> Self {
        Processor {
            state,
            activity: Activity::Idle,
            clock: 0,
            inquiry: Inquiry::SplitPoint,
            asked_by: Vec::new(),
            returned: Vec::new(),
            interrupted: Vec::new(),
            account: Account::default(),
        }
    }

    /// Books time without work: a processor with a strand that waits for it waits, one without looks for work.
    pub(super) fn idles(&mut self, time: u64) {
        *self.idle_account() += time;
    }

    /// Takes back what was booked for a time that has not come.
    pub(super) fn unbook(&mut self, time: u64) {
        let account = self.idle_account();
        *account = account.saturating_sub(time);
    }

    fn idle_account(&mut self) -> &mut u64 {
        if self.state.holds_strand() { &mut self.account.waiting } else { &mut self.account.looking }
    }
}

/// What idle processors share that ask all others at once.
pub(super) struct HelpCalls<A: Application> {
    /// The split points that are open, or were when last looked at.
    pub(super) open: RefCell<Vec<SplitPointOf<A>>>,
    /// The processor that asks.
    pub(super) caller: Cell<Option<usize>>,
    /// The processors that wait for what it finds.
    pub(super) waiting: RefCell<Vec<usize>>,
}

impl<A: Application> Default for HelpCalls<A> {
    fn default() -> Self {
        HelpCalls { open: RefCell::default(), caller: Cell::new(None), waiting: RefCell::default() }
    }
}

impl<A: Application> HelpCalls<A> {
    pub(super) fn is_called_by(&self, processor: usize) -> bool {
        self.caller.get() == Some(processor)
    }
}

/// The state of a run. Single-threaded; cells because strands reach it from inside the run.
pub(super) struct World<'a, A: Application> {
    pub(super) application: &'a A,
    pub(super) costs: &'a Costs,
    pub(super) hosts: &'a Hosts,
    /// How many processors a host has.
    pub(super) each: usize,
    pub(super) processors: RefCell<Vec<Processor<A>>>,
    /// When which processor wants to run; the one that runs is not in it.
    pub(super) agenda: RefCell<Agenda>,
    /// When the next of the other processors wants to run: the running strand may go on until then.
    pub(super) horizon: Cell<u64>,
    pub(super) traffic: Traffic,
    pub(super) clock: Cell<u64>,
    /// Does any processor ask the one that runs?
    pub(super) pending: Cell<bool>,
    /// Time the running strand has spent waiting for the table, or for another one's result.
    pub(super) lingered: Cell<u64>,
    pub(super) help: HelpCalls<A>,
    pub(super) board: Board<A>,
    /// Keeps what each processor did, if that is wanted.
    pub(super) recorder: Option<&'a Recorder>,
}

impl<'a, A: Application> World<'a, A> {
    pub(super) fn new(application: &'a A, costs: &'a Costs, hosts: &'a Hosts, processors: usize, seed: u64) -> Self {
        let waiting = application.waiting();
        let has_board =
            Self::has_board(application, costs.stealing.asking, costs.stealing.waiting(waiting), hosts.count);
        let processor = |index| Processor::new(ProcessorState::new(index, costs.stealing, waiting, None));
        World {
            application,
            costs,
            hosts,
            each: hosts.processors_each(processors),
            processors: RefCell::new((0..processors).map(processor).collect()),
            agenda: RefCell::new(Agenda::new(processors)),
            horizon: Cell::new(0),
            traffic: Traffic::new(costs, processors),
            clock: Cell::new(0),
            pending: Cell::new(false),
            lingered: Cell::new(0),
            help: HelpCalls::default(),
            board: Board::new(has_board, seed),
            recorder: None,
        }
    }

    pub(super) fn host(&self, processor: usize) -> usize {
        processor / self.each
    }

    /// The processors of a host.
    pub(super) fn processors_of(&self, host: usize) -> Range<usize> {
        host * self.each..((host + 1) * self.each).min(self.traffic.processors())
    }

    /// A strand that helps there, or a first strand, is about to run on the processor.
    pub(super) fn record_begin(&self, index: usize, at: Option<&SplitPointOf<A>>) {
        if let Some(recorder) = self.recorder {
            let mark = at.and_then(|split| self.application.mark(split));
            recorder.begins(index, &self.processors.borrow()[index].account, mark);
        }
    }

    /// A processor begins to help at a split point.
    pub(super) fn record_steal(&self, index: usize, split: &SplitPointOf<A>, giver: Option<usize>) {
        self.record_begin(index, Some(split));
        if let Some(recorder) = self.recorder {
            recorder.steals(self.processors.borrow()[index].clock, giver, index, self.application.mark(split));
        }
    }

    /// What the accounts say has become certain.
    pub(super) fn record_all(&self) {
        if let Some(recorder) = self.recorder {
            let processors = self.processors.borrow();
            processors.iter().enumerate().for_each(|(index, processor)| recorder.catch_up(index, &processor.account));
        }
    }

    /// A strand that runs on the processor answers: what time it is then.
    fn pay_answer(&self, processor: &mut Processor<A>) -> u64 {
        if !matches!(processor.activity, Activity::Working(None)) {
            return processor.clock;
        }
        self.clock.set(self.clock.get() + self.costs.answer);
        processor.account.answering += self.costs.answer;
        self.clock.get()
    }

    /// The processor wants to run when its clock says so, and no longer when it wanted to before.
    pub(super) fn schedule(&self, index: usize, processor: &Processor<A>) {
        self.agenda.borrow_mut().set(index, processor.clock);
    }

    /// A processor that has asked gets the answer after the time of a message, counted from `now`.
    pub(super) fn reply(
        &self,
        index: usize,
        asker: &mut Processor<A>,
        now: u64,
        message: u64,
        given: Option<(&SplitPointOf<A>, usize)>,
    ) {
        let (Activity::Asking { since, .. } | Activity::Calling { since, .. } | Activity::Collecting { since, .. }) =
            asker.activity
        else {
            unreachable!("only a processor that asks is answered")
        };
        asker.clock = now.max(since) + message;
        asker.idles(asker.clock - since);
        asker.activity = given.map_or(Activity::Idle, |(split, giver)| Activity::Given(Arc::clone(split), giver));
        self.schedule(index, asker);
        self.horizon.set(self.horizon.get().min(asker.clock));
    }

    /// The run is over: a processor without work was without work until now.
    pub(super) fn close_accounts(&self, time: u64) {
        for processor in self.processors.borrow_mut().iter_mut() {
            let late = processor.clock.saturating_sub(time);
            match processor.activity {
                Activity::Idle | Activity::Given(..) if late > 0 => processor.unbook(late),
                Activity::Idle => processor.idles(time - processor.clock),
                Activity::Calling { since, .. }
                | Activity::Asking { since, .. }
                | Activity::Collecting { since, .. }
                | Activity::Awaiting(since)
                | Activity::Holding(since) => processor.idles(time.saturating_sub(since)),
                Activity::BackingOff(since) => processor.account.back_off += time.saturating_sub(since),
                Activity::Working(_) => processor.account.network -= processor.account.network.min(late),
                Activity::Given(..) => {}
            }
        }
    }
}

impl<A: Application> Machine<A> for World<'_, A> {
    fn tick(&self, processor: usize, nodes: u64) -> bool {
        let owed = self.traffic.pay(processor);
        if owed > 0 {
            self.processors.borrow_mut()[processor].account.serving += owed;
        }
        let clock = self.clock.get() + nodes * self.costs.node + owed;
        self.clock.set(clock);
        clock > self.horizon.get()
    }

    fn now(&self) -> u64 {
        self.clock.get()
    }

    fn busy(&self, processor: usize) -> u64 {
        let processors = self.processors.borrow();
        let booked: u64 = processors.iter().map(|processor| processor.account.busy()).sum();
        // What the strand that asks has done since it was resumed is not booked yet.
        booked + self.clock.get().saturating_sub(processors[processor].clock)
    }

    fn linger(&self) {
        self.clock.set(self.clock.get() + self.costs.node);
        self.lingered.set(self.lingered.get() + self.costs.node);
    }

    fn cross(&self, processor: usize, home: usize) -> bool {
        let is_near = self.host(processor) == self.host(home);
        if is_near && (processor == home || !self.traffic.has_network()) {
            return false;
        }
        let message = if is_near { self.traffic.send(processor, home) } else { self.hosts.message(false) };
        self.processors.borrow_mut()[processor].account.network += message;
        self.clock.set(self.clock.get() + message);
        self.clock.get() > self.horizon.get()
    }

    fn look_up(&self, processor: usize, key: u64) {
        let time = self.traffic.look_up(processor, key, self.clock.get());
        self.clock.set(self.clock.get() + time);
        self.lingered.set(self.lingered.get() + time);
    }

    fn put(&self, processor: usize, key: u64) {
        self.traffic.put(processor, key, self.clock.get());
    }

    fn request(&self, processor: usize) -> Option<WorkRequest> {
        if !self.pending.get() {
            return None;
        }
        let mut processors = self.processors.borrow_mut();
        let asked_by = &mut processors[processor].asked_by;
        let asker = asked_by.pop();
        self.pending.set(!asked_by.is_empty());
        let (asker, delays) = asker?;
        let (inquiry, state) = (processors[asker].inquiry, &processors[asker].state);
        let (floor, denials) = (state.floor(), state.denials());
        let grain = if self.host(asker) == self.host(processor) { i32::MIN } else { self.hosts.grain };
        let patience = self.costs.stealing.deferrals;
        Some(WorkRequest { processor: asker, inquiry, floor, grain, least: 0, denials, delays, patience })
    }

    fn defer(&self, processor: usize, request: WorkRequest) {
        self.processors.borrow_mut()[processor].asked_by.push((request.processor, request.delays + 1));
        self.pending.set(true);
    }

    fn answer(&self, processor: usize, request: WorkRequest, split: Option<&SplitPointOf<A>>) {
        let mut processors = self.processors.borrow_mut();
        let now = self.pay_answer(&mut processors[processor]);
        processors[processor].account.denials += u64::from(split.is_none());
        let asker = &mut processors[request.processor];
        let is_near = self.host(processor) == self.host(request.processor);
        let message =
            if is_near { self.traffic.send(processor, request.processor) } else { self.hosts.message(split.is_some()) };
        if is_near && split.is_none() && request.inquiry == Inquiry::SplitPoint {
            asker.state.refused();
        }
        self.reply(request.processor, asker, now, message, split.map(|split| (split, processor)));
        if matches!(request.inquiry, Inquiry::Offered(_)) {
            self.end_call(&mut processors, now);
        }
    }

    fn offer(&self, processor: usize, request: WorkRequest, offer: Option<WorkOffer>) {
        let mut processors = self.processors.borrow_mut();
        let now = self.pay_answer(&mut processors[processor]);
        self.collect(&mut processors, request.processor, now, offer.map(|offer| (offer, processor)));
    }

    fn ignore(&self, _processor: usize, request: WorkRequest) {
        let mut processors = self.processors.borrow_mut();
        self.collect(&mut processors, request.processor, self.clock.get(), None);
    }

    fn note_split(&self, processor: usize, split: &SplitPointOf<A>) {
        self.note_open(split);
        let mut processors = self.processors.borrow_mut();
        self.post(&mut processors, split);
        let account = &mut processors[processor].account;
        account.splits += 1;
        account.sharing += self.costs.split;
        self.clock.set(self.clock.get() + self.costs.split);
    }

    fn has_board(&self) -> bool {
        self.board.is_used
    }

    fn wants_split(&self) -> bool {
        self.board.has_waiting()
    }

    fn note_work(&self, split: &SplitPointOf<A>) {
        self.post(&mut self.processors.borrow_mut(), split);
    }

    fn poke_all(&self) {
        // Virtual strands look up at every node.
    }

    fn interval(&self) -> u64 {
        0
    }
}
