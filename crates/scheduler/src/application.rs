//! What is to be done in parallel: the application, as the scheduler sees it.

use crate::{ApplicationTypes, Asking, ProcessorContext, SplitMark, SplitPointOf, Waiting};

/// What is to be done in parallel.
///
/// # Safety
/// A strand may go on on another thread after a call of `ProcessorContext::tick`, `cross`, `wait` or `send_away`, which
/// suspend it. So [`Application::start`], [`Application::help`] and [`Application::run_remote_task`] must not hold anything
/// across those calls that is bound to its thread: no `Rc`, no lock guard, no reference to a thread-local. The compiler
/// can't check it, because the stack of a suspended strand is not a value.
///
/// ```
/// # use jamboree_scheduler::{Application, ApplicationTypes, ProcessorContext, SplitPointOf, Threads};
/// struct NoWork;
/// impl ApplicationTypes for NoWork {
///     type StrandState = ();
///     type SplitPath = ();
///     type SplitState = ();
///     type RemoteTask = ();
///     type RemoteResult = ();
/// }
/// // SAFETY: nothing is held across a call that suspends, because there is no such call.
/// unsafe impl Application for NoWork {
///     fn new_strand_state(&self) {}
///     fn start(&self, _: &ProcessorContext<'_, Self>, _: &mut ()) {}
///     fn help(&self, _: &ProcessorContext<'_, Self>, _: &mut (), _: &SplitPointOf<Self>) {}
///     fn has_work(&self, _: &mut ()) -> bool { false }
///     fn run_remote_task(&self, _: &ProcessorContext<'_, Self>, _: &mut (), _: ()) -> Option<()> { None }
/// }
/// assert_eq!(Threads::new(2).run(&NoWork).strands, 1);
/// ```
///
/// Safe code can't promise that, so this is an error:
///
/// ```compile_fail,E0200
/// # use jamboree_scheduler::{Application, ApplicationTypes, ProcessorContext, SplitPointOf};
/// # struct NoWork;
/// # impl ApplicationTypes for NoWork {
/// #     type StrandState = ();
/// #     type SplitPath = ();
/// #     type SplitState = ();
/// #     type RemoteTask = ();
/// #     type RemoteResult = ();
/// # }
/// impl Application for NoWork {
///     // the same
/// #     fn new_strand_state(&self) {}
/// #     fn start(&self, _: &ProcessorContext<'_, Self>, _: &mut ()) {}
/// #     fn help(&self, _: &ProcessorContext<'_, Self>, _: &mut (), _: &SplitPointOf<Self>) {}
/// #     fn has_work(&self, _: &mut ()) -> bool { false }
/// #     fn run_remote_task(&self, _: &ProcessorContext<'_, Self>, _: &mut (), _: ()) -> Option<()> { None }
/// }
/// ```
pub unsafe trait Application: ApplicationTypes + Sync {
    /// A state for a new strand.
    fn new_strand_state(&self) -> Self::StrandState;

    /// The run is over, and a strand's state is no longer needed.
    fn retire(&self, _state: Self::StrandState) {}

    /// The first strand of a processor. Only processor 0 has one, unless [`Application::starts_everywhere`] or not
    /// [`Application::starts_here`]. The run is over when processor 0's first strand ends.
    fn start(&self, processor: &ProcessorContext<'_, Self>, state: &mut Self::StrandState);

    /// Does every processor begin with a strand of its own?
    fn starts_everywhere(&self) -> bool {
        false
    }

    /// Does the run begin on this machine? If not, its work comes from other ranks.
    fn starts_here(&self) -> bool {
        true
    }

    /// A strand that helps at a split point it has joined.
    fn help(&self, processor: &ProcessorContext<'_, Self>, state: &mut Self::StrandState, split: &SplitPointOf<Self>);

    /// Is there anything left to do at a split point?
    fn has_work(&self, state: &mut Self::SplitState) -> bool;

    /// For how many helpers there is something to do at a split point. Asked only where there is a board.
    fn room(&self, state: &mut Self::SplitState) -> usize {
        usize::from(self.has_work(state))
    }

    /// Of the split points on the board the one with the highest priority is joined first.
    fn priority(&self, _state: &mut Self::SplitState) -> i64 {
        0
    }

    /// How much is left to do at a split point, to compare open ones; zero where nothing is. Asked only where idle
    /// processors ask all others at once.
    fn work_left(&self, state: &mut Self::SplitState) -> u64 {
        u64::from(self.has_work(state))
    }

    /// Whom an idle processor asks for work; none: whom the machine says.
    fn asking(&self) -> Option<Asking> {
        None
    }

    /// What a processor does whose strand waits for its helpers.
    fn waiting(&self) -> Waiting {
        Waiting::Carry
    }

    /// Everything that still runs is of no use: the run is over, or a strand has panicked.
    fn stop(&self) {}

    /// Has the run been stopped?
    fn is_stopped(&self) -> bool {
        false
    }

    /// Called by idle processors of a rank from time to time: stops the run if a limit is met. Strands check that
    /// themselves, but on a rank that waits for others no strand may be running.
    fn check_limits(&self) {}

    /// A strand that does a task of another rank; no result if it is cut, or the task makes no sense.
    fn run_remote_task(
        &self,
        processor: &ProcessorContext<'_, Self>,
        state: &mut Self::StrandState,
        task: Self::RemoteTask,
    ) -> Option<Self::RemoteResult>;

    /// The bound of the work at a split point. Ranks that do some of it are told when it rises.
    fn bound(&self, _state: &mut Self::SplitState) -> i32 {
        0
    }

    /// The rank for which the work at this split point is done says that its bound has risen.
    fn raise(&self, _state: &mut Self::SplitState, _bound: i32) {}

    /// What the application's own record says of a split point, if it keeps one. Asked only where a run is recorded.
    fn mark(&self, _split: &SplitPointOf<Self>) -> Option<SplitMark> {
        None
    }

    /// Nodes visited so far.
    fn progress(&self) -> u64 {
        0
    }

    /// Other ranks have visited this many more nodes.
    fn count(&self, _nodes: u64) {}
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An application that does nothing, for tests of the parts of a machine.
    pub(crate) struct NoWork;

    impl ApplicationTypes for NoWork {
        type StrandState = ();
        type SplitPath = ();
        type SplitState = ();
        type RemoteTask = ();
        type RemoteResult = ();
    }

    // SAFETY: nothing is held across a call that suspends, because there is no such call.
    unsafe impl Application for NoWork {
        fn new_strand_state(&self) {}

        fn start(&self, _processor: &ProcessorContext<'_, Self>, _state: &mut ()) {}

        fn help(&self, _processor: &ProcessorContext<'_, Self>, _state: &mut (), _split: &SplitPointOf<Self>) {}

        fn has_work(&self, _state: &mut ()) -> bool {
            false
        }

        fn run_remote_task(&self, _processor: &ProcessorContext<'_, Self>, _state: &mut (), _task: ()) -> Option<()> {
            None
        }
    }
}
