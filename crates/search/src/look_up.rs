//! Looking up: what a strand does between two nodes. It tells what it has counted, sees whether it is still wanted, answers
//! requests for work (which of its frames it shares, and how), and wakes processors that sleep while there is work.

use crate::algorithms::FrameView;
use crate::context::SearchContext;
use crate::split_point::{MoveTask, SplitPath, SplitState};
use crate::strand::{Cut, Strand, Suiting};
use crate::{Frame, Kind, Rules};
use game::{Depth, Game, Score};
use scheduler::{Asking, Doorbell, Inquiry, ProcessorContext, SplitPointOf, WorkOffer, WorkRequest};
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Nodes between two looks at the clock: well under a millisecond.
const WATCH_INTERVAL: u64 = 1024;
/// Nodes between two looks when a request was deferred.
const DELAY: u64 = 4;
/// Where the algorithm speculates: frames of a lower priority than this are given only to processors that have been refused
/// [`REFUSALS`] times.
const CERTAIN_ENOUGH: i64 = -1500;
const REFUSALS: u32 = 2;
/// Added to the priority of frames whose results are only probably wanted.
const AHEAD: i64 = -4000;

impl<'a, G: Game, R: Rules<G>> Strand<'_, 'a, G, R> {
    /// Counts a node, and looks up where something may have happened.
    #[inline]
    pub(crate) fn visit(&mut self, ply: usize) -> Result<(), Cut> {
        if self.clock.nodes() >= self.control.look_up_at() {
            self.look_up(ply)?;
        }
        self.clock.count_node();
        #[cfg(test)]
        self.trace_visit(ply);
        self.news.reach = self.news.reach.max(ply);
        Ok(())
    }

    /// Handles everything that needs attention between nodes: limits, cuts above, requests for work, processors that sleep
    /// while there is work, and messages of other ranks.
    #[cold]
    fn look_up(&mut self, ply: usize) -> Result<(), Cut> {
        let nodes = self.clock.nodes();
        if let Some(doorbell) = self.doorbell
            && nodes < self.news.next_look
            && !doorbell.is_rung()
            && self.control.next_look(nodes + Doorbell::INTERVAL) != 0
        {
            return Ok(());
        }
        self.tell();
        let tally = &self.context.tally;
        let total = tally.nodes.load(Ordering::Relaxed);
        let limit = self.context.limits.nodes;
        if total >= limit || self.are_ticks_over() || self.is_time_up() {
            tally.stopped.store(true, Ordering::Relaxed);
            if let Some(processor) = self.processor {
                processor.poke_all();
            }
        }
        let interval =
            self.processor.map_or(WATCH_INTERVAL, ProcessorContext::interval).min(limit.saturating_sub(total));
        self.news.next_look = nodes + interval;
        let until_next = if self.doorbell.is_some() { interval.min(Doorbell::INTERVAL) } else { interval };
        // On a virtual machine a strand looks up at every node as it is.
        if until_next > 0 {
            self.control.next_look(nodes + until_next);
        }
        if tally.is_stopped() || self.control.keep() <= ply {
            // Requests are heard at the next node, wherever the strand goes on.
            self.control.poke();
            self.hear_of_cut();
            return Err(Cut);
        }
        if self.context.algorithm.has_new_bounds()
            && let Some(split) = self.outdated(ply)
        {
            self.cross(&split);
            self.control.come_back(split.ply + 1);
            return Err(Cut);
        }
        self.check_ahead()?;
        if let Some(processor) = self.processor {
            self.links.listed = None;
            while let Some(request) = processor.request() {
                if !self.answer(processor, request, ply) {
                    self.news.next_look = nodes + interval.min(DELAY);
                    self.control.next_look(self.news.next_look);
                    break;
                }
            }
            if processor.has_sleepers() && self.has_sharable(ply) {
                processor.wake_helper();
            }
            if processor.wants_split() {
                self.share_unasked(ply, 1);
            }
        }
        Ok(())
    }

    /// Where processors are connected by a network, the message that cuts a helper's strand takes its time.
    fn hear_of_cut(&self) {
        if self.context.terms.has_network
            && !self.context.tally.is_stopped()
            && let Some(split) = self.links.helps_at.and_then(|ply| self.split_at(ply))
            && self.control.keep() <= split.ply + 1
        {
            self.cross(split);
        }
    }

    /// The uppermost split point above `ply` where this strand tests a move against an alpha that has risen since.
    fn outdated(&self, ply: usize) -> Option<SplitPointOf<SearchContext<'a, G, R>>> {
        let has_risen = |split: &&SplitPointOf<SearchContext<'a, G, R>>| {
            let frame = &self.path[split.ply];
            let tests = split.ply < ply && frame.depth > 0 && !frame.sharing.valuing;
            tests && split.with(|at| !at.over && at.state.window.alpha > frame.window.alpha)
        };
        if self.context.algorithm.has_own_bests() { None } else { self.links.shared.iter().find(has_risen).cloned() }
    }

    /// Lets a node's time go by, waiting for another strand.
    pub(crate) fn linger(&mut self, ply: usize) -> Result<(), Cut> {
        if let Some(processor) = self.processor {
            processor.linger();
        }
        self.look_up(ply)
    }

    /// Has the virtual time that the search may take gone by?
    fn are_ticks_over(&self) -> bool {
        let limit = self.context.limits.ticks.filter(|_| self.context.terms.is_virtual);
        limit.is_some_and(|ticks| self.processor.is_some_and(|processor| processor.now() >= ticks))
    }

    fn is_time_up(&mut self) -> bool {
        if self.clock.nodes() < self.news.next_watch {
            return false;
        }
        self.news.next_watch = self.clock.nodes() + WATCH_INTERVAL;
        self.context.watch.expired()
    }

    /// Tells of the nodes searched since the last time. On a virtual machine others may run now.
    pub(crate) fn tell(&mut self) {
        let fresh = self.clock.nodes() - self.news.counted;
        self.news.counted = self.clock.nodes();
        let tally = &self.context.tally;
        tally.nodes.fetch_add(fresh, Ordering::Relaxed);
        if self.news.reach > tally.reach.load(Ordering::Relaxed) {
            tally.reach.fetch_max(self.news.reach, Ordering::Relaxed);
        }
        if let Some(processor) = self.processor {
            processor.tick(fresh);
        }
    }

    /// Answers a request for work while this strand is at `ply`. False if the request is deferred: there is nothing to
    /// share now, but perhaps soon.
    fn answer(
        &mut self,
        processor: &ProcessorContext<'_, SearchContext<'a, G, R>>,
        request: WorkRequest,
        ply: usize,
    ) -> bool {
        let deafness = self.context.algorithm.deafness;
        let (nodes, deaf_until) = (self.clock.nodes(), self.links.deaf_until);
        let is_deaf = nodes < deaf_until;
        match request.inquiry {
            Inquiry::Offer if is_deaf => {
                processor.ignore(request);
                return true;
            }
            Inquiry::Offer => {
                self.links.deaf_until = nodes + deafness;
                let candidates = self.candidates(ply, self.suiting(&request));
                let offer = candidates.first().map(|&(priority, ply)| WorkOffer { priority, ply });
                (self.links.candidates, self.links.listed) = (candidates, None);
                processor.offer(request, offer);
                return true;
            }
            Inquiry::Offered(at) => {
                // The strand may have gone on since: then the frame may be another one, or gone.
                let split = if at < ply && self.path[at].sharing.sharable { self.offer(at, ply, 0) } else { None };
                processor.answer(request, split.as_ref());
                return true;
            }
            Inquiry::SplitPoint => {}
        }
        let split = if is_deaf { None } else { self.choose_split(ply, &request) };
        let split = split.or_else(|| self.relative(&request));
        if split.is_none() && deafness > 0 {
            self.links.deaf_until = if is_deaf { deaf_until } else { nodes + deafness };
        } else if split.is_none() && request.delays < self.context.algorithm.patience.min(request.patience) {
            processor.defer(request);
            return false;
        }
        processor.answer(request, split.as_ref());
        true
    }

    /// Which frames suit the processor that asks. What is only probably wanted is not for it as long as it has not been refused
    /// often enough.
    fn suiting(&self, request: &WorkRequest) -> Suiting {
        let is_certain = self.context.algorithm.speculates() && request.denials < REFUSALS;
        Suiting { floor: request.floor, grain: request.grain, is_certain }
    }

    /// Puts frames above `ply` that may be shared on the board, those with the highest priority first, `most` of them at most.
    pub(crate) fn share_unasked(&mut self, ply: usize, most: usize) {
        if !self.links.is_fresh {
            return;
        }
        let candidates = self.candidates(ply, Suiting { floor: 0, grain: Depth::MIN, is_certain: false });
        let mut shared = 0;
        for &(_, at) in &candidates {
            let sharing = &self.path[at].sharing;
            if shared < most && sharing.sharable && !sharing.shared && self.offer(at, ply, 0).is_some() {
                shared += 1;
            }
        }
        (self.links.candidates, self.links.listed) = (candidates, None);
        self.links.is_fresh = shared == most;
    }

    /// The nearest split point above those of this strand at which there is something to do.
    fn relative(&self, request: &WorkRequest) -> Option<SplitPointOf<SearchContext<'a, G, R>>> {
        if !self.context.algorithm.speculates() || request.is_remote() || request.denials == 0 {
            return None;
        }
        let valuing = self.context.algorithm.valuing;
        let mut next = self.links.shared.first()?.above();
        while let Some(split) = next {
            if split.with(|at| !at.over && at.state.has_task(valuing)) {
                return Some(split);
            }
            next = split.above();
        }
        None
    }

    /// The owner of a split point is about to wait there, and then it can't be asked for the frames above: those of the principal
    /// variation are shared now, on a guess.
    pub(crate) fn share_above(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) {
        if !self.context.algorithm.guesses() {
            return;
        }
        let first = self.links.helps_at.map_or(0, |at| at + 1);
        for at in (first..split.ply).rev() {
            let frame = &self.path[at];
            if !frame.sharing.sharable || frame.kind != Kind::Pv {
                return;
            }
            if frame.sharing.shared {
                continue;
            }
            if !self.needs_guess(at) || self.guess(at, split.ply + 1).is_none() {
                return;
            }
            self.offer(at, split.ply + 1, 0);
        }
    }

    /// Is there a frame above `ply` that may be shared?
    fn has_sharable(&self, ply: usize) -> bool {
        (0..ply).any(|ply| self.path[ply].sharing.sharable)
    }

    /// Of the frames above `ply` that may be shared and suit the request, shares the one with the highest priority.
    fn choose_split(&mut self, ply: usize, request: &WorkRequest) -> Option<SplitPointOf<SearchContext<'a, G, R>>> {
        if request.is_remote() && self.context.algorithm.has_own_bests() {
            // A member on another rank would not know what the others have found: such a root stays on its rank.
            return None;
        }
        // Where several ask at the same node, they get their answers from one list.
        let suiting = self.suiting(request);
        let candidates = if self.links.listed == Some(suiting) {
            std::mem::take(&mut self.links.candidates)
        } else if self.has_sharable(ply) {
            self.candidates(ply, suiting)
        } else {
            return None;
        };
        let may_offer = |strand: &Self, ply: usize| strand.path[ply].sharing.sharable;
        let split = candidates
            .iter()
            .find_map(|&(_, at)| if may_offer(self, at) { self.offer(at, ply, request.least) } else { None });
        (self.links.candidates, self.links.listed) = (candidates, Some(suiting));
        split
    }

    /// The frames above `ply` that may be shared and suit a processor, with their priorities, the highest first.
    fn candidates(&mut self, ply: usize, suiting: Suiting) -> Vec<(i64, usize)> {
        let algorithm = &self.context.algorithm;
        let (window, depth) = {
            let root = self.root.lock();
            (root.window, root.depth)
        };
        let mut views = std::mem::take(&mut self.links.views);
        views.clear();
        views.extend((0..ply).map(|ply| self.path[ply].view(ply)));
        (algorithm.settle_types)(&mut views, window);
        let is_speculative = self.speculation().is_some();
        let mut candidates = std::mem::take(&mut self.links.candidates);
        candidates.clear();
        for at in suiting.floor.min(ply)..ply {
            let frame = &self.path[at];
            if frame.sharing.sharable && frame.depth >= suiting.grain {
                if algorithm.asking == Some(Asking::All) {
                    self.estimate(&mut views[at], depth);
                }
                let priority = (algorithm.priority)(&views[at], views.get(at + 1));
                let priority = priority.map(|p| if is_speculative && at > 0 { p + AHEAD } else { p });
                let priority = priority.filter(|&priority| {
                    let is_reluctant = priority < CERTAIN_ENOUGH && suiting.is_certain;
                    let lacks_guess = algorithm.guesses()
                        && !frame.sharing.shared
                        && self.needs_guess(at)
                        && self.guess(at, ply).is_none();
                    !is_reluctant && !lacks_guess
                });
                candidates.extend(priority.map(|priority| (priority, at)));
            }
        }
        candidates.sort_by_key(|&(priority, _)| Reverse(priority));
        self.links.views = views;
        candidates
    }

    /// Fills in what the work at a frame is estimated by.
    fn estimate(&self, view: &mut FrameView, depth: Depth) {
        let frame = &self.path[view.ply];
        view.moves_left = match self.split_at(view.ply).filter(|_| frame.sharing.shared) {
            Some(split) => split.with(|at| if at.over { 0 } else { at.state.queue.left().0 }),
            None => self.moves_left(view.ply).len(),
        };
        view.extensions = (frame.depth + view.ply as Depth - depth).max(0);
        view.is_forced = self.rules.is_forced(frame);
    }

    /// The frame at `ply` as a split point, if there is something left to do there: if `least` is not zero, at least that
    /// many nodes for a helper that takes half of it. The strand is at `below`.
    fn offer(&mut self, ply: usize, below: usize, least: u64) -> Option<SplitPointOf<SearchContext<'a, G, R>>> {
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
        Some(self.share(ply, below, moves))
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

    /// Makes a split point of a frame while a move of it is searched; the strand is at `below`.
    fn share(&mut self, ply: usize, below: usize, moves: Vec<G::Move>) -> SplitPointOf<SearchContext<'a, G, R>> {
        let frame = &self.path[ply];
        let Some(mv) = frame.current else { unreachable!("a frame is shared while a move of it is searched") };
        let (index, alpha) = (frame.tried - 1, frame.window.alpha);
        let in_hand =
            if frame.sharing.valuing { MoveTask::Value { mv, index, alpha } } else { MoveTask::Test { mv, index } };
        let priority = (self.context.algorithm.priority)(&frame.view(ply), None).unwrap_or_default();
        let (guess, in_hand) = (self.guess(ply, below), vec![in_hand]);
        self.set_up(ply, SplitState { in_hand, guess, priority, ..SplitState::new(frame, moves) })
    }

    /// Is the first move at a PV node being searched, so that the others have nothing to be tested against but a guess?
    fn needs_guess(&self, ply: usize) -> bool {
        let frame = &self.path[ply];
        let algorithm = &self.context.algorithm;
        frame.tried == 1 && frame.sharing.valuing && (algorithm.guesses() || algorithm.asking == Some(Asking::All))
    }

    /// What the first move at a PV node is probably worth while it is being searched: what the best move so far leaves that
    /// was found further down the chain of first moves. The strand is at `below`.
    fn guess(&self, ply: usize, below: usize) -> Option<Score> {
        if !self.needs_guess(ply) {
            return None;
        }
        let window = self.path[ply].window;
        if !self.context.algorithm.guesses() {
            let child = &self.path[ply + 1];
            let is_known = child.kind == Kind::Pv && child.best.score > -Score::INFINITE;
            return Some(-child.best.score).filter(|guess| is_known && window.contains(*guess));
        }
        let is_first = |frame: &Frame<G, R>| frame.tried == 1 && frame.sharing.valuing;
        for at in ply + 1..below {
            let frame = &self.path[at];
            if frame.kind != Kind::Pv {
                return None;
            }
            let best = match self.split_at(at).filter(|_| frame.sharing.shared) {
                Some(split) => split.with(|at| at.state.best.score),
                None => frame.best.score,
            };
            if best > -Score::INFINITE {
                let guess = if (at - ply).is_multiple_of(2) { best } else { -best };
                return Some(guess).filter(|guess| *guess < window.beta);
            }
            if !is_first(frame) {
                return None;
            }
        }
        None
    }

    /// Makes a split point of a frame.
    pub(crate) fn set_up(&mut self, ply: usize, state: SplitState<G::Move>) -> SplitPointOf<SearchContext<'a, G, R>> {
        let state = SplitState { record: self.log_share(ply, state.queue.moves.len()), ..state };
        self.path[ply].sharing.shared = true;
        let Some(processor) = self.processor else { unreachable!("only a processor's strand is asked") };
        let (root, home) = (Arc::clone(&self.root), processor.index());
        let path = SplitPath { path: self.path.copy_to(ply), root, home, speculation: self.speculation() };
        let split = processor.share(ply, path, state);
        let place = self.links.shared.partition_point(|other| other.ply < ply);
        self.links.shared.insert(place, Arc::clone(&split));
        self.link_ledgers(place);
        split
    }

    /// The ledger of a new split point is put between those above and below it on this strand's path.
    fn link_ledgers(&self, place: usize) {
        for upper in place.saturating_sub(1)..=place {
            if let (Some(above), Some(below)) = (self.links.shared.get(upper), self.links.shared.get(upper + 1)) {
                below.set_above(above);
                let above_ledger = above.with(|at| Arc::clone(&at.state.ledger));
                below.with(|at| at.state.ledger.set_above(&above_ledger, self.path[above.ply].sharing.index));
            }
        }
    }
}
