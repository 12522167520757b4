//! The board of a virtual machine: the split points at which there is something to do, and the processors that wait for one.

use super::world::{Activity, Processor, World};
use crate::context::SplitPointOf;
use crate::{Application, Asking, Waiting};
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

impl<A: Application> World<'_, A> {
    /// Does this machine have a board, for this application?
    pub(super) fn has_board(application: &A, asking: Asking, waiting: Waiting, hosts: usize) -> bool {
        let is_wanted = application.asking() == Some(Asking::Board);
        is_wanted && asking == Asking::BusyAtRandom && waiting == Waiting::Carry && hosts <= 1
    }

    /// What an idle processor finds on the board; none if there is no board.
    pub(super) fn see_board(&self) -> Option<bool> {
        self.board.is_used.then(|| self.board.best(self.application).is_some())
    }

    /// A processor waits until there is something on the board.
    pub(super) fn wait_at_board(&self, processor: &mut Processor<A>, index: usize) {
        processor.account.requests += 1;
        processor.activity = Activity::Awaiting(processor.clock);
        self.board.waiting.borrow_mut().push_back(index);
    }

    /// There is something to do at a split point: as many of the waiting processors look at the board as it has room for.
    pub(super) fn post(&self, processors: &mut [Processor<A>], split: &SplitPointOf<A>) {
        if !self.board.is_used {
            return;
        }
        let application = self.application;
        let (room, priority) = split.with(|at| (application.room(at.state), application.priority(at.state)));
        if room == 0 {
            return;
        }
        let lot = self.board.lots.borrow_mut().next_u64();
        self.board.open.borrow_mut().push(Posted { priority, lot, split: Arc::clone(split) });
        let mut waiting = self.board.waiting.borrow_mut();
        let called = room.min(waiting.len());
        for index in waiting.drain(..called) {
            let processor = &mut processors[index];
            let Activity::Awaiting(since) = processor.activity else { unreachable!("it waits at the board") };
            processor.clock = self.clock.get().max(since) + self.costs.message;
            processor.idles(processor.clock - since);
            processor.activity = Activity::Idle;
            self.schedule(index, processor);
            self.horizon.set(self.horizon.get().min(processor.clock));
        }
    }
}
