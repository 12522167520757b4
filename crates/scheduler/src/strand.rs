//! Strands on coroutine stacks: started, resumed, ended.

use crate::Application;
use crate::context::{ControlOf, Machine, Pause, ProcessorContext, SplitPointOf, SuspendedStrand};
use crate::coroutine::Coroutine;
use corosensei::stack::DefaultStack;
use corosensei::{CoroutineResult, Yielder};
use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

/// What a strand does.
pub(crate) enum StrandTask<A: Application> {
    Start,
    Help(SplitPointOf<A>),
    Remote(u64, A::RemoteTask),
}

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
