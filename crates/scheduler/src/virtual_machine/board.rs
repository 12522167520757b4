//! The board of a virtual machine: the split points at which there is something to do, and the processors that wait for one.

use crate::Application;
use crate::context::SplitPointOf;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

/// A split point on the board. Of two with the same priority the lot decides.
struct Posted<A: Application> {
    priority: i64,
    lot: u64,
    split: SplitPointOf<A>,
}

impl<A: Application> Ord for Posted<A> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.priority, self.lot).cmp(&(other.priority, other.lot))
    }
}

impl<A: Application> PartialOrd for Posted<A> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<A: Application> PartialEq for Posted<A> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<A: Application> Eq for Posted<A> {}

/// What is written on the board.
pub(super) struct Board<A: Application> {
    /// Is there one?
    pub(super) is_used: bool,
    /// Split points at which there was something to do when they were last looked at, the best first.
    open: RefCell<BinaryHeap<Posted<A>>>,
    lots: RefCell<SplitMix64>,
    /// The processors that wait, in the order in which they came.
    waiting: RefCell<VecDeque<usize>>,
}

impl<A: Application> Board<A> {
    pub(super) fn new(is_used: bool, seed: u64) -> Board<A> {
        let lots = RefCell::new(SplitMix64::seed_from_u64(seed));
        Board { is_used, open: RefCell::default(), lots, waiting: RefCell::default() }
    }

    /// Do processors wait?
    pub(super) fn has_waiting(&self) -> bool {
        !self.waiting.borrow().is_empty()
    }

    /// A processor waits from now on.
    pub(super) fn wait(&self, processor: usize) {
        self.waiting.borrow_mut().push_back(processor);
    }

    /// Puts a split point on the board, if there is something to do; the processors that waited and are called now, as many as
    /// there is room for.
    pub(super) fn post(&self, application: &A, split: &SplitPointOf<A>) -> Vec<usize> {
        if !self.is_used {
            return Vec::new();
        }
        let (room, priority) = split.with(|at| (application.room(at.state), application.priority(at.state)));
        if room == 0 {
            return Vec::new();
        }
        let lot = self.lots.borrow_mut().next_u64();
        self.open.borrow_mut().push(Posted { priority, lot, split: Arc::clone(split) });
        let mut waiting = self.waiting.borrow_mut();
        let called = room.min(waiting.len());
        waiting.drain(..called).collect()
    }

    /// The best split point at which there is something to do. Those at which there is nothing are taken off.
    pub(super) fn best(&self, application: &A) -> Option<SplitPointOf<A>> {
        let mut open = self.open.borrow_mut();
        while let Some(best) = open.peek() {
            if best.split.with(|at| !at.over && application.has_work(at.state)) {
                return Some(Arc::clone(&best.split));
            }
            open.pop();
        }
        None
    }
}
