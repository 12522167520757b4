//! What idle processors on threads share that ask all others at once (DTS section 2.3).

use crate::Application;
use crate::context::SplitPointOf;
use crate::processor::Help;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// No processor asks.
const NONE: usize = usize::MAX;

/// The open split points, and the processor that asks all others.
pub(super) struct HelpCalls<A: Application> {
    /// The split points that are open, or were when last looked at.
    open: Mutex<Vec<SplitPointOf<A>>>,
    caller: AtomicUsize,
}

impl<A: Application> Default for HelpCalls<A> {
    fn default() -> Self {
        HelpCalls { open: Mutex::new(Vec::new()), caller: AtomicUsize::new(NONE) }
    }
}

impl<A: Application> HelpCalls<A> {
    /// A split point is open.
    pub(super) fn note_open(&self, split: &SplitPointOf<A>) {
        self.open.lock().push(Arc::clone(split));
    }

    /// The open split point where most is left to do.
    pub(super) fn best_open(&self, application: &A, floor: usize) -> Option<SplitPointOf<A>> {
        // No split point is looked at while this lock is held.
        let mut open = self.open.lock().clone();
        let over: Vec<_> = open.extract_if(.., |split| split.with(|at| at.over)).collect();
        if !over.is_empty() {
            self.open.lock().retain(|split| !over.iter().any(|other| Arc::ptr_eq(other, split)));
        }
        let left = |split: &SplitPointOf<A>| split.with(|at| application.work_left(at.state));
        let near = open.iter().filter(|split| split.ply >= floor).map(|split| (left(split), split));
        let (_, split) = near.filter(|&(left, _)| left > 0).max_by_key(|&(left, _)| left)?;
        Some(Arc::clone(split))
    }

    /// What an idle processor sees.
    pub(super) fn seen(&self, application: &A, floor: usize) -> Help {
        if self.best_open(application, floor).is_some() {
            Help::Open
        } else if self.caller.load(Ordering::Relaxed) != NONE {
            Help::Called
        } else {
            Help::Quiet
        }
    }

    /// A processor wants to ask all. False if another one does.
    pub(super) fn call(&self, processor: usize) -> bool {
        self.caller.compare_exchange(NONE, processor, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// The processor has asked all.
    pub(super) fn end_call(&self) {
        self.caller.store(NONE, Ordering::Release);
    }
}
