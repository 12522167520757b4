//! How a strand answers a request for work: which of its frames it shares, and how.

use crate::Rules;
use crate::context::SearchContext;
use crate::split_point::{MoveTask, SplitPath, SplitState};
use crate::strand::Strand;
use game::Game;
use scheduler::{ProcessorContext, SplitPointOf, WorkRequest};
use std::cmp::Reverse;
use std::sync::Arc;

impl<'a, G: Game, R: Rules<G>> Strand<'_, 'a, G, R> {
    /// Answers a request for work while this strand is at `ply`. False if the request is deferred: there is nothing to
    /// share now, but perhaps soon.
    pub(crate) fn answer(
        &mut self,
        processor: &ProcessorContext<'_, SearchContext<'a, G, R>>,
        request: WorkRequest,
        ply: usize,
    ) -> bool {
        let deafness = self.context.algorithm.deafness;
        let (nodes, deaf_until) = (self.clock.nodes(), self.links.deaf_until);
        let is_deaf = nodes < deaf_until;
        let has_work = !is_deaf && self.has_sharable(ply);
        let split = if has_work { self.choose_split(ply, &request) } else { None };
        if split.is_none() && deafness > 0 {
            self.links.deaf_until = if is_deaf { deaf_until } else { nodes + deafness };
        } else if split.is_none() && request.delays < self.context.algorithm.patience {
            processor.defer(request);
            return false;
        }
        processor.answer(request, split.as_ref());
        true
    }

    /// Is there a frame above `ply` that may be shared?
    pub(crate) fn has_sharable(&self, ply: usize) -> bool {
        (0..ply).any(|ply| self.path[ply].sharing.sharable)
    }

    /// Of the frames above `ply` that may be shared and suit the request, shares the one with the highest priority.
    fn choose_split(&mut self, ply: usize, request: &WorkRequest) -> Option<SplitPointOf<SearchContext<'a, G, R>>> {
        let algorithm = &self.context.algorithm;
        let mut views = std::mem::take(&mut self.links.views);
        views.clear();
        views.extend((0..ply).map(|ply| self.path[ply].view(ply)));
        (algorithm.settle_types)(&mut views);
        let mut candidates = std::mem::take(&mut self.links.candidates);
        candidates.clear();
        for view in views.iter().skip(request.floor) {
            let frame = &self.path[view.ply];
            if frame.sharing.sharable && frame.depth >= request.grain {
                candidates.extend((algorithm.priority)(view).map(|priority| (priority, view.ply)));
            }
        }
        candidates.sort_by_key(|&(priority, _)| Reverse(priority));
        let split = candidates.iter().find_map(|&(_, ply)| self.offer(ply, request.least));
        (self.links.views, self.links.candidates) = (views, candidates);
        split
    }

    /// The frame at `ply` as a split point, if there is something left to do there: if `least` is not zero, at least that
    /// many nodes for a helper that takes half of it.
    fn offer(&mut self, ply: usize, least: u64) -> Option<SplitPointOf<SearchContext<'a, G, R>>> {
        let frame = &self.path[ply];
        let is_enough = |moves: usize, index: usize| {
            least == 0 || self.rules.expected_nodes(frame, moves.div_ceil(2), index) >= least as f64
        };
        if frame.sharing.shared {
            let valuing = self.context.algorithm.valuing;
            let split = self.split_at(ply)?;
            let suits = split.with(|at| {
                let (moves, index) = at.state.queue.left();
                let is_worth_it = at.state.has_waiting(valuing) || is_enough(moves, index);
                !at.over && at.state.has_task(valuing) && is_worth_it
            });
            return suits.then(|| Arc::clone(split));
        }
        if frame.sharing.too_small && least > 0 {
            return None;
        }
        let moves = self.moves_left(ply);
        if moves.is_empty() {
            self.path[ply].sharing.sharable = false;
            return None;
        }
        if !is_enough(moves.len(), frame.tried) {
            self.path[ply].sharing.too_small = true;
            return None;
        }
        Some(self.share(ply, moves))
    }

    /// The split point that the frame at `ply` is.
    pub(crate) fn split_at(&self, ply: usize) -> Option<&SplitPointOf<SearchContext<'a, G, R>>> {
        self.links.shared.iter().find(|split| split.ply == ply)
    }

    fn moves_left(&self, ply: usize) -> Vec<G::Move> {
        if ply > 0 {
            return self.rules.moves_left(&self.path, ply);
        }
        let root = self.root.lock();
        root.moves[root.settled + self.path[0].tried..].iter().map(|root| root.mv).collect()
    }

    /// Makes a split point of a frame while a move of it is searched.
    fn share(&mut self, ply: usize, moves: Vec<G::Move>) -> SplitPointOf<SearchContext<'a, G, R>> {
        let frame = &self.path[ply];
        let Some(mv) = frame.current else { unreachable!("a frame is shared while a move of it is searched") };
        let (index, alpha) = (frame.tried - 1, frame.window.alpha);
        let in_hand =
            if frame.sharing.valuing { MoveTask::Value { mv, index, alpha } } else { MoveTask::Test { mv, index } };
        self.set_up(ply, SplitState { in_hand: vec![in_hand], ..SplitState::new(frame, moves) })
    }

    /// Makes a split point of a frame.
    pub(crate) fn set_up(&mut self, ply: usize, state: SplitState<G::Move>) -> SplitPointOf<SearchContext<'a, G, R>> {
        let state = SplitState { record: self.log_share(ply, state.queue.moves.len()), ..state };
        self.path[ply].sharing.shared = true;
        let Some(processor) = self.processor else { unreachable!("only a processor's strand is asked") };
        let path = SplitPath { path: self.path.copy_to(ply), root: Arc::clone(&self.root), home: processor.index() };
        let split = processor.share(ply, path, state);
        let place = self.links.shared.partition_point(|other| other.ply < ply);
        self.links.shared.insert(place, Arc::clone(&split));
        split
    }
}
