//! How an idle virtual processor finds work without asking a single other one: it asks all busy ones at once, and the others
//! find what it has opened (DTS section 2.3); or it looks at the board.

use super::world::{Activity, Processor, World};
use crate::context::SplitPointOf;
use crate::processor::Help;
use crate::{Application, Asking, Inquiry, Waiting, WorkOffer};
use std::sync::Arc;

impl<A: Application> World<'_, A> {
    fn asks_all(&self) -> bool {
        let asking = self.application.asking().unwrap_or(self.costs.stealing.asking);
        asking == Asking::All && self.costs.stealing.asking != Asking::Nobody && self.hosts.count <= 1
    }

    /// What an idle processor sees.
    pub(super) fn see_help(&self, index: usize) -> Option<Help> {
        if let Some(is_open) = self.see_board() {
            return Some(if is_open { Help::Open } else { Help::Board });
        }
        if !self.asks_all() {
            return None;
        }
        let floor = self.processors.borrow()[index].state.floor();
        Some(match self.help.caller.get() {
            _ if self.best_open(floor).is_some() => Help::Open,
            Some(caller) if caller != index => Help::Called,
            _ => Help::Quiet,
        })
    }

    /// A split point is open.
    pub(super) fn note_open(&self, split: &SplitPointOf<A>) {
        if self.asks_all() {
            self.help.open.borrow_mut().push(Arc::clone(split));
        }
    }

    /// The open split point where most is left to do; the best one of the board, if there is a board.
    pub(super) fn best_open(&self, floor: usize) -> Option<SplitPointOf<A>> {
        if self.board.is_used {
            return self.board.best(self.application);
        }
        let mut open = self.help.open.borrow_mut();
        open.retain(|split| !split.with(|at| at.over));
        let left = |split: &SplitPointOf<A>| split.with(|at| self.application.work_left(at.state));
        let near = open.iter().filter(|split| split.ply >= floor).map(|split| (left(split), split));
        let (_, split) = near.filter(|&(left, _)| left > 0).max_by_key(|&(left, _)| left)?;
        Some(Arc::clone(split))
    }

    /// An idle processor asks all busy ones.
    pub(super) fn ask_all(&self, processors: &mut [Processor<A>], index: usize, busy: &[usize]) {
        self.help.caller.set(Some(index));
        let asker = &mut processors[index];
        if busy.is_empty() {
            // A strand is on its way to the only processor that may carry it on: ask again soon.
            asker.clock += 1;
            asker.idles(1);
            self.schedule(index, asker);
            return;
        }
        asker.account.requests += 1;
        asker.inquiry = Inquiry::Offer;
        asker.activity = Activity::Collecting { since: asker.clock, expected: busy.len(), best: None };
        for &victim in busy {
            processors[victim].asked_by.push((index, 0));
        }
    }

    /// An idle processor waits for what another one finds.
    pub(super) fn await_split(&self, processor: &mut Processor<A>, index: usize) {
        processor.activity = Activity::Awaiting(processor.clock);
        self.help.waiting.borrow_mut().push(index);
    }

    /// An answer to a processor that has asked all. When it has them all it asks for the best of what was offered.
    pub(super) fn collect(
        &self,
        processors: &mut [Processor<A>],
        asker: usize,
        now: u64,
        offer: Option<(WorkOffer, usize)>,
    ) {
        let Activity::Collecting { since, expected, best } = &mut processors[asker].activity else {
            unreachable!("only a processor that has asked for offers gets them")
        };
        *expected -= 1;
        let old = best.map(|(old, _)| old.priority);
        *best = offer.filter(|(new, _)| old.is_none_or(|old| new.priority > old)).or(*best);
        if *expected > 0 {
            return;
        }
        let (since, best) = (*since, *best);
        if let Some((offer, victim)) = best
            && let Activity::Working(strand) = &processors[victim].activity
        {
            if strand.is_none() {
                self.pending.set(true);
            }
            processors[victim].asked_by.push((asker, 0));
            processors[asker].inquiry = Inquiry::Offered(offer.ply);
            processors[asker].activity = Activity::Asking { since, victim };
            return;
        }
        self.reply(asker, &mut processors[asker], now, self.costs.message, None);
    }

    /// The processor that has asked all has found something, or does something else: the others look again.
    pub(super) fn end_call(&self, processors: &mut [Processor<A>], now: u64) {
        self.help.caller.set(None);
        for index in self.help.waiting.take() {
            let processor = &mut processors[index];
            let Activity::Awaiting(since) = processor.activity else { continue };
            processor.clock = now.max(since);
            processor.idles(processor.clock - since);
            processor.activity = Activity::Idle;
            self.schedule(index, processor);
            self.horizon.set(self.horizon.get().min(processor.clock));
        }
    }

    /// Is there a board for this application, on a machine whose processors ask and wait so?
    pub(super) fn has_board(application: &A, asking: Asking, waiting: Waiting, hosts: usize) -> bool {
        let is_wanted = application.asking() == Some(Asking::Board);
        is_wanted && asking == Asking::BusyAtRandom && waiting == Waiting::Carry && hosts <= 1
    }

    /// Is there something to do on the board? None if there is no board.
    fn see_board(&self) -> Option<bool> {
        self.board.is_used.then(|| self.board.best(self.application).is_some())
    }

    /// A processor waits until there is something on the board.
    pub(super) fn wait_at_board(&self, processor: &mut Processor<A>, index: usize) {
        processor.account.requests += 1;
        processor.activity = Activity::Awaiting(processor.clock);
        self.board.wait(index);
    }

    /// There is something to do at a split point: processors that wait at the board look at it again.
    pub(super) fn post(&self, processors: &mut [Processor<A>], split: &SplitPointOf<A>) {
        for index in self.board.post(self.application, split) {
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
