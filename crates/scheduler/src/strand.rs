//! Strands on coroutine stacks, and what a strand sees of its processor.

use crate::doorbell::Doorbell;
use crate::protocol::{SplitPoint, StrandControl};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::Cell;
use std::sync::Arc;

/// What is to be done in parallel.
pub trait Application: Sync + Sized {
    /// What a strand needs to work: its frames and the like. Made once and used by one strand after another.
    type StrandState: Send;
    /// What a helper needs to start at a split point.
    type SplitPath: Send + Sync;
    /// What changes at a split point.
    type State: Send;
    /// A piece of work that is done by another machine, or for one.
    type RemoteTask: Send;
    /// What came of it.
    type RemoteResult: Send;

    /// A new body.
    fn new_strand_state(&self) -> Self::StrandState;

    /// The first strand of a processor. Only processor 0 has one, unless [`Application::starts_everywhere`] or not
    /// [`Application::starts_here`].
    /// The run is over when processor 0's first strand ends.
    fn start(&self, processor: &ProcessorContext<'_, Self>, strand_state: &mut Self::StrandState);

    /// Does every processor begin with a strand of its own?
    fn starts_everywhere(&self) -> bool {
        false
    }

    /// Does the run begin on this machine? If not, its work comes from outside.
    fn starts_here(&self) -> bool {
        true
    }

    /// The run is over and a body is no longer needed.
    fn retire(&self, _body: Self::StrandState) {}

    /// A strand that helps at a split point it has joined.
    fn help(
        &self,
        processor: &ProcessorContext<'_, Self>,
        strand_state: &mut Self::StrandState,
        split: &SplitPointOf<Self>,
    );

    /// Is there still something to do at a split point?
    fn has_work(&self, state: &mut Self::State) -> bool;

    /// What a processor does whose strand waits for its helpers.
    fn waiting(&self) -> Waiting {
        Waiting::Carry
    }

    /// A strand that does an errand from outside; no reply if it is cut, or can't do it.
    fn run_remote_task(
        &self,
        processor: &ProcessorContext<'_, Self>,
        strand_state: &mut Self::StrandState,
        errand: Self::RemoteTask,
    ) -> Option<Self::RemoteResult>;

    /// What bounds the work at a split point: other machines that have some of it hear when it rises.
    fn bound(&self, _state: &mut Self::State) -> i32 {
        0
    }

    /// Another machine, for which the work at this split point is done, says that its bound has risen.
    fn raise(&self, _state: &mut Self::State, _bound: i32) {}

    /// Another machine says that the run is over: everything that still runs is of no use.
    fn stop(&self) {}

    /// Nodes visited so far.
    fn progress(&self) -> u64 {
        0
    }

    /// So many more nodes were visited on other machines.
    fn count(&self, _nodes: u64) {}
}

/// What a processor does whose strand has run out of moves at its own split point while helpers are busy there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It looks for other work at once; the last helper carries the strand on, on its own processor.
    Carry,
    /// It does nothing until the helpers are back.
    Hold,
    /// It may help others meanwhile, but not above that split point; it goes on with the strand itself when it can.
    Level,
}

/// A split point of an application.
pub type SplitPointOf<A> =
    Arc<SplitPoint<<A as Application>::SplitPath, <A as Application>::State, SuspendedStrand<A>>>;
/// A control of a strand of an application.
pub(crate) type ControlOf<A> =
    Arc<StrandControl<<A as Application>::SplitPath, <A as Application>::State, SuspendedStrand<A>>>;

/// A processor that asks for work.
#[derive(Debug)]
pub struct WorkRequest {
    pub(crate) processor: usize,
    /// Only frames at least this far from the root are wanted.
    pub floor: usize,
    /// Only frames at least this deep are wanted.
    pub grain: i32,
    /// Only work of at least about so many nodes is wanted.
    pub least: u64,
    /// How often this strand has already put it off.
    pub delays: u32,
}

/// Why a strand gives its processor back.
pub(crate) enum Pause<A: Application> {
    /// Its virtual time is up.
    Tick,
    /// It waits at its split point for its helpers.
    Park(SplitPointOf<A>),
    /// It gives this away and waits for the reply.
    Away(A::RemoteTask),
}

/// What a strand does.
pub(crate) enum StrandTask<A: Application> {
    Start,
    Help(SplitPointOf<A>),
    Remote(u64, A::RemoteTask),
}

/// What a machine does for its strands.
pub(crate) trait Machine<A: Application> {
    /// `nodes` were counted since the last call; true if the strand has to pause.
    fn tick(&self, processor: usize, nodes: u64) -> bool;
    /// Time since the run began: ticks, or nanoseconds.
    fn now(&self) -> u64;
    /// A node's time goes by without work.
    fn linger(&self);
    /// A message goes from `processor` to `home`, or comes from there; true if the strand has to pause meanwhile.
    fn cross(&self, _processor: usize, _home: usize) -> bool {
        false
    }
    /// Somebody who asks this processor for work.
    fn request(&self, processor: usize) -> Option<WorkRequest>;
    /// The request can't be answered now, but perhaps at the next node.
    fn put_off(&self, processor: usize, request: WorkRequest);
    /// The answer to a request.
    fn answer(&self, processor: usize, request: WorkRequest, split: Option<&SplitPointOf<A>>);
    /// A frame was shared.
    fn count_split(&self, processor: usize);
    /// Makes every running strand look up at its next node.
    fn poke_all(&self);
    /// A strand looks up when this bell is rung.
    fn bell(&self) -> Doorbell {
        Doorbell::silent()
    }
    /// After how many nodes a strand looks up unasked.
    fn interval(&self) -> u64;
    /// Does this processor only stand for one of another machine?
    fn is_remote(&self, _processor: usize) -> bool {
        false
    }
    /// The reply to what a guest gave away.
    fn take_reply(&self, _processor: usize) -> Option<A::RemoteResult> {
        None
    }
    /// An errand from outside is done, or was cut.
    fn remote_task_done(&self, _name: u64, _reply: Option<A::RemoteResult>) {}
}

/// A strand's hold on the processor it runs on.
pub struct ProcessorContext<'m, A: Application> {
    control: ControlOf<A>,
    machine: &'m dyn Machine<A>,
    yielder: &'m Yielder<usize, Pause<A>>,
    processor: Cell<usize>,
}

impl<A: Application> ProcessorContext<'_, A> {
    /// What others may touch of this strand.
    pub fn control(&self) -> &ControlOf<A> {
        &self.control
    }

    /// The processor this strand runs on.
    pub fn index(&self) -> usize {
        self.processor.get()
    }

    /// Tells of nodes searched since the last call; on a virtual machine others may run now.
    pub fn tick(&self, nodes: u64) {
        if self.machine.tick(self.processor.get(), nodes) {
            self.pause(Pause::Tick);
        }
    }

    /// Time since the run began: ticks of a virtual machine, nanoseconds on threads.
    pub fn now(&self) -> u64 {
        self.machine.now()
    }

    /// Lets a node's time go by, waiting for another strand. Whoever calls looks up afterwards.
    pub fn linger(&self) {
        self.machine.linger();
    }

    /// A message goes to the processor `home`, or comes from there: time goes by if that is on another host.
    pub fn cross(&self, home: usize) {
        if self.machine.cross(self.processor.get(), home) {
            self.pause(Pause::Tick);
        }
    }

    /// When it is rung the strand has to look up.
    pub fn bell(&self) -> Doorbell {
        self.machine.bell()
    }

    /// After how many nodes to look up unasked.
    pub fn interval(&self) -> u64 {
        self.machine.interval()
    }

    /// Makes every strand look up at its next node.
    pub fn poke_all(&self) {
        self.machine.poke_all();
    }

    /// Somebody who asks for work.
    pub fn request(&self) -> Option<WorkRequest> {
        self.machine.request(self.processor.get())
    }

    /// Keeps a request for the next node.
    pub fn put_off(&self, request: WorkRequest) {
        self.machine.put_off(self.processor.get(), request);
    }

    /// Answers a request with a split point, or refuses it.
    pub fn answer(&self, request: WorkRequest, split: Option<&SplitPointOf<A>>) {
        self.machine.answer(self.processor.get(), request, split);
    }

    /// Shares the frame at `ply`.
    pub fn share(&self, ply: usize, seed: A::SplitPath, state: A::State) -> SplitPointOf<A> {
        self.machine.count_split(self.processor.get());
        SplitPoint::share(&self.control, ply, seed, state)
    }

    /// Waits until all helpers have left this strand's own split point. The processor does something else meanwhile,
    /// and the strand may go on on another one.
    pub fn wait(&self, split: &SplitPointOf<A>) {
        if !split.is_deserted() {
            self.pause(Pause::Park(Arc::clone(split)));
        }
    }

    /// Does this strand only stand for one of another machine? Then it gives its work away.
    pub fn is_remote(&self) -> bool {
        self.machine.is_remote(self.processor.get())
    }

    /// A guest's strand gives its work away and waits for the reply; none if it is of no use any more, or if whoever had
    /// it is lost.
    pub fn send_away(&self, errand: A::RemoteTask) -> Option<A::RemoteResult> {
        self.pause(Pause::Away(errand));
        self.machine.take_reply(self.processor.get())
    }

    fn pause(&self, why: Pause<A>) {
        self.processor.set(self.yielder.suspend(why));
    }
}

/// A suspended strand: its coroutine, and everything it owns.
pub struct SuspendedStrand<A: Application> {
    coroutine: Coroutine<usize, Pause<A>, Box<A::StrandState>>,
    pub(crate) control: ControlOf<A>,
    /// The split point it helps at; none for a first strand.
    pub(crate) at: Option<SplitPointOf<A>>,
    /// Is it the first strand of a processor?
    pub(crate) first: bool,
    /// The only processor that may carry the parked strand on, if there is one.
    pub(crate) home: Option<usize>,
    /// The ply of the split point it waits at.
    pub(crate) parked_at: usize,
}

// What lies on the stack of a suspended strand is the application's `start`, `help` or `run_remote_task` up to a call of
// `ProcessorContext::tick`, `ProcessorContext::cross`, `ProcessorContext::wait` or `ProcessorContext::send_away`, and `ProcessorContext` itself: the body, seeds and states are `Send`
// (bounds of `Application`), `ProcessorContext` holds an `Arc` of atomics and locks, a reference to a machine that is shared by all
// processors, and the yielder of this very coroutine. Neither the driver nor this crate keeps a reference to a thread-local
// across those calls.
// SAFETY: a coroutine may be resumed by another thread than the one that suspended it if nothing on its stack is bound to a
// thread; so it is.
unsafe impl<A: Application> Send for SuspendedStrand<A> {}

/// What remains of a finished strand, to be used again.
pub(crate) struct StrandSlot<A: Application> {
    stack: DefaultStack,
    strand_state: Box<A::StrandState>,
    control: ControlOf<A>,
}

/// How a strand came back from its processor.
pub(crate) enum StrandReturn<A: Application> {
    Paused(SuspendedStrand<A>),
    Parked(SuspendedStrand<A>, SplitPointOf<A>),
    Away(SuspendedStrand<A>, A::RemoteTask),
    Finished { slot: StrandSlot<A>, at: Option<SplitPointOf<A>>, first: bool },
}

/// Deep recursion of fat frames; the system gives only the pages that are touched.
const STACK_SIZE: usize = 512 * 1024;

impl<A: Application> StrandSlot<A> {
    pub(crate) fn new(application: &A) -> Self {
        let stack = DefaultStack::new(STACK_SIZE).unwrap_or_else(|error| panic!("no memory for a strand: {error}"));
        StrandSlot { stack, strand_state: Box::new(application.new_strand_state()), control: Arc::default() }
    }

    pub(crate) fn control(&self) -> &ControlOf<A> {
        &self.control
    }

    pub(crate) fn into_strand_state(self) -> A::StrandState {
        *self.strand_state
    }

    /// A strand that will do `task`.
    ///
    /// # Safety
    /// `application` and `machine` must outlive the strand: whoever makes one must see to it that it is finished, or
    /// dropped, before they go.
    pub(crate) unsafe fn start(
        self,
        application: &A,
        machine: &dyn Machine<A>,
        task: StrandTask<A>,
    ) -> SuspendedStrand<A> {
        let StrandSlot { stack, mut strand_state, control } = self;
        let first = matches!(task, StrandTask::Start);
        let at = if let StrandTask::Help(split) = &task { Some(Arc::clone(split)) } else { None };
        let own = Arc::clone(&control);
        let run = move |yielder: &Yielder<usize, Pause<A>>, processor: usize| {
            let processor = ProcessorContext { control: own, machine, yielder, processor: Cell::new(processor) };
            match task {
                StrandTask::Start => application.start(&processor, &mut strand_state),
                StrandTask::Help(split) => application.help(&processor, &mut strand_state, &split),
                StrandTask::Remote(name, errand) => {
                    let reply = application.run_remote_task(&processor, &mut strand_state, errand);
                    machine.remote_task_done(name, reply);
                }
            }
            strand_state
        };
        // SAFETY: what the closure borrows outlives the coroutine, by the contract of this function.
        let coroutine = unsafe { Coroutine::with_stack_unchecked(stack, run) };
        SuspendedStrand { coroutine, control, at, first, home: None, parked_at: 0 }
    }
}

impl<A: Application> SuspendedStrand<A> {
    /// The same strand, parked at that ply, which only this processor may carry on.
    pub(crate) fn at_home(self, home: Option<usize>, parked_at: usize) -> Self {
        SuspendedStrand { home, parked_at, ..self }
    }

    /// Runs the strand on `processor` until it pauses or ends.
    pub(crate) fn resume(mut self, processor: usize) -> StrandReturn<A> {
        match self.coroutine.resume(processor) {
            CoroutineResult::Yield(Pause::Tick) => StrandReturn::Paused(self),
            CoroutineResult::Yield(Pause::Park(split)) => StrandReturn::Parked(self, split),
            CoroutineResult::Yield(Pause::Away(errand)) => StrandReturn::Away(self, errand),
            CoroutineResult::Return(strand_state) => {
                let stack = self.coroutine.into_stack();
                let slot = StrandSlot { stack, strand_state, control: self.control };
                StrandReturn::Finished { slot, at: self.at, first: self.first }
            }
        }
    }
}
