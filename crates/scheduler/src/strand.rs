//! Strands on coroutine stacks, and what a strand sees of its processor.

use crate::Application;
use crate::doorbell::Doorbell;
use crate::protocol::{SplitPoint, StrandControl};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

/// A split point of an application.
pub type SplitPointOf<A> =
    Arc<SplitPoint<<A as Application>::SplitPath, <A as Application>::SplitState, SuspendedStrand<A>>>;
/// What others may touch of a strand of an application.
pub(crate) type ControlOf<A> =
    Arc<StrandControl<<A as Application>::SplitPath, <A as Application>::SplitState, SuspendedStrand<A>>>;

/// A processor asks for work.
#[derive(Debug)]
pub struct WorkRequest {
    pub(crate) processor: usize,
    /// Only frames at least this far from the root are wanted.
    pub floor: usize,
    /// Only frames at least this deep are wanted.
    pub grain: i32,
    /// Only work of about this many nodes or more is wanted.
    pub least: u64,
    /// How often this strand has deferred the request.
    pub delays: u32,
}

/// Why a strand gives its processor back.
pub(crate) enum Pause<A: Application> {
    /// Its virtual time is up, or a more urgent strand waits.
    Tick,
    /// It waits at its split point for its helpers.
    Park(SplitPointOf<A>),
    /// It gives this task to another rank and waits for the result.
    Away(A::RemoteTask),
}

/// What a strand does.
pub(crate) enum StrandTask<A: Application> {
    Start,
    Help(SplitPointOf<A>),
    Remote(u64, A::RemoteTask),
}

/// What a machine does for the strands that run on it.
pub(crate) trait Machine<A: Application> {
    /// `nodes` were counted since the last call. True if the strand has to pause.
    fn tick(&self, processor: usize, nodes: u64) -> bool;
    /// Time since the run began: ticks, or nanoseconds.
    fn now(&self) -> u64;
    /// A node's time goes by without work.
    fn linger(&self);
    /// A message goes from `processor` to `home`, or comes from there. True if the strand has to pause meanwhile.
    fn cross(&self, _processor: usize, _home: usize) -> bool {
        false
    }
    /// The next request for work at this processor.
    fn request(&self, processor: usize) -> Option<WorkRequest>;
    /// The request can't be answered now, but perhaps at one of the next nodes.
    fn defer(&self, processor: usize, request: WorkRequest);
    /// The answer to a request.
    fn answer(&self, processor: usize, request: WorkRequest, split: Option<&SplitPointOf<A>>);
    /// A frame was shared.
    fn count_split(&self, processor: usize);
    /// Makes every running strand look up at its next node.
    fn poke_all(&self);
    /// After how many nodes a strand looks up unasked.
    fn interval(&self) -> u64;
    /// Do processors sleep because they found no work?
    fn has_sleepers(&self) -> bool {
        false
    }
    /// A strand on this processor has work to give: wakes one of those that sleep.
    fn wake_helper(&self, _processor: usize) {}
    /// Where this machine is one of several ranks: the doorbell that other ranks ring.
    fn doorbell(&self) -> Option<Doorbell> {
        None
    }
    /// Does this processor only stand for one of another rank?
    fn is_remote(&self, _processor: usize) -> bool {
        false
    }
    /// The result of what a remote helper gave away.
    fn take_result(&self, _processor: usize) -> Option<A::RemoteResult> {
        None
    }
    /// A task of another rank is done, or was cut.
    fn remote_task_done(&self, _name: u64, _result: Option<A::RemoteResult>) {}
}

/// What a strand sees of the processor it runs on.
pub struct ProcessorContext<'m, A: Application> {
    control: ControlOf<A>,
    machine: &'m dyn Machine<A>,
    yielder: &'m Yielder<usize, Pause<A>>,
    index: Cell<usize>,
}

impl<A: Application> ProcessorContext<'_, A> {
    /// What others may touch of this strand.
    pub fn control(&self) -> &ControlOf<A> {
        &self.control
    }

    /// The number of the processor. It may change whenever the strand is suspended.
    pub fn index(&self) -> usize {
        self.index.get()
    }

    /// Tells of nodes searched since the last call. On a virtual machine others may run now.
    pub fn tick(&self, nodes: u64) {
        if self.machine.tick(self.index.get(), nodes) {
            self.pause(Pause::Tick);
        }
    }

    /// Time since the run began: ticks of a virtual machine, nanoseconds on threads.
    pub fn now(&self) -> u64 {
        self.machine.now()
    }

    /// Lets a node's time go by, waiting for another strand. The caller looks up afterwards.
    pub fn linger(&self) {
        self.machine.linger();
    }

    /// A message goes to the processor `home`, or comes from there: time goes by if that is on another host.
    pub fn cross(&self, home: usize) {
        if self.machine.cross(self.index.get(), home) {
            self.pause(Pause::Tick);
        }
    }

    /// After how many nodes to look up unasked.
    pub fn interval(&self) -> u64 {
        self.machine.interval()
    }

    /// The doorbell that other ranks ring, if there are any.
    pub fn doorbell(&self) -> Option<Doorbell> {
        self.machine.doorbell()
    }

    /// Makes every strand look up at its next node.
    pub fn poke_all(&self) {
        self.machine.poke_all();
    }

    /// Do processors sleep because they found no work?
    pub fn has_sleepers(&self) -> bool {
        self.machine.has_sleepers()
    }

    /// This strand has work to give: wakes a processor that sleeps.
    pub fn wake_helper(&self) {
        self.machine.wake_helper(self.index.get());
    }

    /// The next request for work.
    pub fn request(&self) -> Option<WorkRequest> {
        self.machine.request(self.index.get())
    }

    /// Keeps a request for one of the next nodes.
    pub fn defer(&self, request: WorkRequest) {
        self.machine.defer(self.index.get(), request);
    }

    /// Answers a request with a split point, or refuses it.
    pub fn answer(&self, request: WorkRequest, split: Option<&SplitPointOf<A>>) {
        self.machine.answer(self.index.get(), request, split);
    }

    /// Shares the frame at `ply`.
    pub fn share(&self, ply: usize, path: A::SplitPath, state: A::SplitState) -> SplitPointOf<A> {
        self.machine.count_split(self.index.get());
        SplitPoint::share(&self.control, ply, path, state)
    }

    /// Waits until all helpers have left this strand's own split point. The processor does something else meanwhile,
    /// and the strand may go on on another one.
    pub fn wait(&self, split: &SplitPointOf<A>) {
        if !split.is_deserted() {
            self.pause(Pause::Park(Arc::clone(split)));
        }
    }

    /// Does this strand only stand for one of another rank? Then it gives its work away.
    pub fn is_remote(&self) -> bool {
        self.machine.is_remote(self.index.get())
    }

    /// A remote helper's strand gives its work away and waits for the result; none if the work is of no use any more, or
    /// if the rank that had it is lost.
    pub fn send_away(&self, task: A::RemoteTask) -> Option<A::RemoteResult> {
        self.pause(Pause::Away(task));
        self.machine.take_result(self.index.get())
    }

    fn pause(&self, why: Pause<A>) {
        self.index.set(self.yielder.suspend(why));
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

// What lies on the stack of a suspended strand is the application's `start`, `help` or `run_remote_task` up to a call that
// suspends, and `ProcessorContext` itself: states, paths and tasks are `Send` (bounds of `Application`), the context holds an
// `Arc` of atomics and locks, a reference to a machine that all processors share, and the yielder of this very coroutine.
// SAFETY: a coroutine may be resumed by another thread than the one that suspended it if nothing on its stack is bound to a
// thread. The contract of the unsafe trait `Application` says so of the application's part.
unsafe impl<A: Application> Send for SuspendedStrand<A> {}

/// What remains of a finished strand, to be used again.
pub(crate) struct StrandSlot<A: Application> {
    stack: DefaultStack,
    state: Box<A::StrandState>,
    control: ControlOf<A>,
}

/// What a strand came back with when its processor had resumed it.
pub(crate) enum StrandReturn<A: Application> {
    Paused(SuspendedStrand<A>),
    Parked(SuspendedStrand<A>, SplitPointOf<A>),
    Away(SuspendedStrand<A>, A::RemoteTask),
    Finished { slot: StrandSlot<A>, at: Option<SplitPointOf<A>>, first: bool },
    Panicked { control: ControlOf<A>, at: Option<SplitPointOf<A>>, first: bool, panic: Box<dyn Any + Send> },
}

/// Deep recursion of large frames; the system provides only the pages that are touched.
const STACK_SIZE: usize = 512 * 1024;

/// A stack for a strand. None if the system has no memory for one.
pub(crate) fn new_stack() -> Option<DefaultStack> {
    DefaultStack::new(STACK_SIZE).ok()
}

impl<A: Application> StrandSlot<A> {
    pub(crate) fn new(application: &A, stack: DefaultStack) -> Self {
        StrandSlot { stack, state: Box::new(application.new_strand_state()), control: Arc::default() }
    }

    pub(crate) fn control(&self) -> &ControlOf<A> {
        &self.control
    }

    /// The run is over: the state goes back to the application; the stack may serve another run.
    pub(crate) fn dissolve(self, application: &A) -> DefaultStack {
        application.retire(*self.state);
        self.stack
    }

    /// A strand that will do `task`.
    ///
    /// # Safety
    /// `application` and `machine` must outlive the strand: the caller sees to it that the strand is finished, or dropped,
    /// before they go.
    pub(crate) unsafe fn start(
        self,
        application: &A,
        machine: &dyn Machine<A>,
        task: StrandTask<A>,
    ) -> SuspendedStrand<A> {
        let StrandSlot { stack, mut state, control } = self;
        let first = matches!(task, StrandTask::Start);
        let at = if let StrandTask::Help(split) = &task { Some(Arc::clone(split)) } else { None };
        let own = Arc::clone(&control);
        let run = move |yielder: &Yielder<usize, Pause<A>>, index: usize| {
            let processor = ProcessorContext { control: own, machine, yielder, index: Cell::new(index) };
            match task {
                StrandTask::Start => application.start(&processor, &mut state),
                StrandTask::Help(split) => application.help(&processor, &mut state, &split),
                StrandTask::Remote(name, task) => {
                    let result = application.run_remote_task(&processor, &mut state, task);
                    machine.remote_task_done(name, result);
                }
            }
            state
        };
        // SAFETY: what the closure borrows outlives the coroutine, by the contract of this function.
        let coroutine = unsafe { Coroutine::with_stack_unchecked(stack, run) };
        SuspendedStrand { coroutine, control, at, first, home: None, parked_at: 0 }
    }
}

impl<A: Application> SuspendedStrand<A> {
    /// The same strand, parked at that ply; with a home, only that processor may carry it on.
    pub(crate) fn parked(self, home: Option<usize>, parked_at: usize) -> Self {
        SuspendedStrand { home, parked_at, ..self }
    }

    /// Runs the strand on `processor` until it pauses or ends.
    pub(crate) fn resume(mut self, processor: usize) -> StrandReturn<A> {
        match resume(&mut self.coroutine, processor) {
            Ok(CoroutineResult::Yield(Pause::Tick)) => StrandReturn::Paused(self),
            Ok(CoroutineResult::Yield(Pause::Park(split))) => StrandReturn::Parked(self, split),
            Ok(CoroutineResult::Yield(Pause::Away(task))) => StrandReturn::Away(self, task),
            Ok(CoroutineResult::Return(state)) => {
                let slot = StrandSlot { stack: self.coroutine.into_stack(), state, control: self.control };
                StrandReturn::Finished { slot, at: self.at, first: self.first }
            }
            Err(panic) => {
                let SuspendedStrand { control, at, first, .. } = self;
                StrandReturn::Panicked { control, at, first, panic }
            }
        }
    }
}

/// Resumes a coroutine; where panics unwind, they end here and not in the processor's loop.
#[cfg(panic = "unwind")]
fn resume<I, Y, R>(coroutine: &mut Coroutine<I, Y, R>, input: I) -> std::thread::Result<CoroutineResult<Y, R>> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| coroutine.resume(input)))
}

#[cfg(not(panic = "unwind"))]
fn resume<I, Y, R>(coroutine: &mut Coroutine<I, Y, R>, input: I) -> std::thread::Result<CoroutineResult<Y, R>> {
    Ok(coroutine.resume(input))
}
