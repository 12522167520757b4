//! Split points: how a frame is shared, how strands take its moves and report them, and how its owner goes on.

use crate::Rules;
use crate::algorithms::Valuing;
use crate::context::SearchContext;
use crate::frame::PathCopy;
use crate::root::Root;
use crate::split_point::{SplitState, Task};
use crate::strand::{Cut, Strand};
use game::{Bound, Depth, Game, Score};
use parking_lot::Mutex;
use scheduler::{ProcessorContext, SplitPointOf, WorkRequest};
use std::cmp::Reverse;
use std::sync::Arc;

/// How often a request is put off before it is refused.
const PATIENCE: u32 = 8;

/// What a helper needs to start at a split point: the path that leads there.
pub(crate) struct SplitPath<G: Game, R: Rules<G>> {
    path: PathCopy<G, R>,
    pub(crate) root: Arc<Mutex<Root<G::Move>>>,
    /// The processor that shared the frame: the split point lies on its host.
    home: usize,
}

/// A move of a frame has been searched.
pub(crate) struct Finished<M> {
    pub(crate) task: Task<M>,
    /// Alpha when the search began.
    pub(crate) alpha: Score,
    pub(crate) score: Score,
    pub(crate) effort: u64,
    /// How often the split point's members had been recalled when the move was taken.
    pub(crate) recalls: u32,
}

impl<'a, G: Game, R: Rules<G>> Strand<'_, 'a, G, R> {
    /// Answers somebody who asks for work while this strand is at `ply`. False if there is nothing to give now, but perhaps
    /// soon.
    pub(crate) fn answer(
        &mut self,
        processor: &ProcessorContext<'_, SearchContext<'a, G, R>>,
        request: WorkRequest,
        ply: usize,
    ) -> bool {
        let deafness = self.context.algorithm.deafness;
        let is_deaf = self.nodes < self.deaf_until;
        let split = if is_deaf { None } else { self.choose_split(ply, &request) };
        if split.is_none() && deafness > 0 {
            self.deaf_until = if is_deaf { self.deaf_until } else { self.nodes + deafness };
        } else if split.is_none() && request.delays < PATIENCE {
            processor.defer(request);
            return false;
        }
        processor.answer(request, split.as_ref());
        true
    }

    /// Is there a frame above `ply` that may be shared?
    pub(crate) fn has_sharable(&self, ply: usize) -> bool {
        (0..ply).any(|ply| self.path[ply].open)
    }

    /// The best of the frames above `ply` that may be shared and suit the request, shared.
    fn choose_split(&mut self, ply: usize, request: &WorkRequest) -> Option<SplitPointOf<SearchContext<'a, G, R>>> {
        let mut views = std::mem::take(&mut self.views);
        views.clear();
        views.extend((0..ply).map(|ply| self.path[ply].view(ply)));
        (self.context.algorithm.settle_types)(&mut views);
        let mut ranked = std::mem::take(&mut self.ranked);
        ranked.clear();
        for view in views.iter().skip(request.floor) {
            let frame = &self.path[view.ply];
            if frame.open && frame.depth >= request.grain {
                ranked.extend((self.context.algorithm.priority)(view).map(|rank| (rank, view.ply)));
            }
        }
        ranked.sort_by_key(|&(rank, _)| Reverse(rank));
        let split = ranked.iter().find_map(|&(_, ply)| self.offer(ply, request.least));
        (self.views, self.ranked) = (views, ranked);
        split
    }

    /// A frame as a split point, if there is something left to do there, about so many nodes for whoever takes half of it.
    fn offer(&mut self, ply: usize, least: u64) -> Option<SplitPointOf<SearchContext<'a, G, R>>> {
        let frame = &self.path[ply];
        let is_enough = |moves: usize, index: usize| {
            least == 0 || self.rules.expected_nodes(frame, moves.div_ceil(2), index) >= least as f64
        };
        if frame.shared {
            let valuing = self.context.algorithm.valuing;
            let split = self.split_at(ply)?;
            let suits = split.with(|at| {
                let (moves, index) = at.state.left();
                let is_worth_it = at.state.has_waiting(valuing) || is_enough(moves, index);
                !at.over && at.state.has_task(valuing) && is_worth_it
            });
            return suits.then(|| Arc::clone(split));
        }
        if frame.slight && least > 0 {
            return None;
        }
        let moves = self.moves_left(ply);
        if moves.is_empty() {
            self.path[ply].open = false;
            return None;
        }
        if !is_enough(moves.len(), frame.tried) {
            self.path[ply].slight = true;
            return None;
        }
        Some(self.share(ply, moves))
    }

    fn split_at(&self, ply: usize) -> Option<&SplitPointOf<SearchContext<'a, G, R>>> {
        self.shared.iter().find(|split| split.ply == ply)
    }

    fn moves_left(&self, ply: usize) -> Vec<G::Move> {
        if ply > 0 {
            return self.rules.moves_left(&self.path, ply);
        }
        let root = self.root.lock();
        root.moves[root.settled + self.path[0].tried..].iter().map(|root| root.mv).collect()
    }

    /// Turns a frame into a split point, while a move of it is searched.
    fn share(&mut self, ply: usize, moves: Vec<G::Move>) -> SplitPointOf<SearchContext<'a, G, R>> {
        let frame = &mut self.path[ply];
        let Some(mv) = frame.current else { unreachable!("a frame is shared while a move of it is searched") };
        let (index, alpha) = (frame.tried - 1, frame.window.alpha);
        let in_hand = if frame.valuing { Task::Value { mv, index, alpha } } else { Task::Test { mv, index } };
        self.set_up(ply, SplitState { in_hand: vec![in_hand], ..SplitState::new(&self.path[ply], moves) })
    }

    /// Makes a split point of a frame.
    pub(crate) fn set_up(&mut self, ply: usize, open: SplitState<G::Move>) -> SplitPointOf<SearchContext<'a, G, R>> {
        let open = SplitState { record: self.log_share(ply, open.moves.len()), ..open };
        self.path[ply].shared = true;
        let Some(processor) = self.processor else { unreachable!("only a processor's strand is asked") };
        let seed = SplitPath { path: self.path.copy_to(ply), root: Arc::clone(&self.root), home: processor.index() };
        let split = processor.share(ply, seed, open);
        let place = self.shared.partition_point(|other| other.ply < ply);
        self.shared.insert(place, Arc::clone(&split));
        split
    }

    /// A helper's life: the path is taken over, moves are searched until there are none.
    pub(crate) fn help(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) {
        self.path.follow(&split.path.path);
        self.helps_at = Some(split.ply);
        // Whoever asks a helper may come to the split point as well.
        (self.path[split.ply].open, self.path[split.ply].shared) = (true, true);
        self.shared.push(Arc::clone(split));
        self.cross(split);
        // A cut says that nobody wants the rest any more.
        let _ = if self.is_remote { self.give_away(split) } else { self.work_at(split) };
        let effort = self.effort();
        split.with(|at| at.state.help += effort);
        self.log_help(split, effort);
    }

    /// The owner comes back to a frame that was shared meanwhile, with what it `found` below.
    pub(crate) fn search_shared(
        &mut self,
        ply: usize,
        found: Result<Option<Finished<G::Move>>, Cut>,
    ) -> Result<(), Cut> {
        let Some(split) = self.split_at(ply).cloned() else { unreachable!("the frame is shared") };
        // A cut below means that this split point is over, or one above; which of them is asked next.
        let mut done = match found {
            Ok(Some(finished)) => self.settle(&split, finished).and_then(|()| self.work_at(&split)),
            Ok(None) => self.work_at(&split),
            Err(Cut) if self.is_recalled(&split) => self.work_at(&split),
            Err(Cut) => Err(Cut),
        };
        loop {
            // A frame shared while a cut came by from above may have been missed by it: so look, before waiting.
            let useless = self.context.tally.is_stopped() || self.control.keep() <= ply;
            if useless {
                self.log_end(&split, false);
                split.abandon();
                self.shared.pop();
                return Err(Cut);
            }
            if !split.with(|at| at.over) {
                self.wait(&split);
            }
            // A machine that had a move of this node may have been lost.
            let valuing = self.context.algorithm.valuing;
            if done.is_err() || split.with(|at| at.over || !at.state.has_task(valuing)) {
                break;
            }
            done = self.work_at(&split);
        }
        self.shared.pop();
        let extent = self.path[ply].extent;
        self.path.moves.truncate(extent);
        let closed = split.close(|open| {
            let nothing = Vec::new();
            (
                std::mem::replace(&mut open.line, nothing),
                std::mem::take(&mut open.helped_with),
                open.help,
                open.end(),
                open.window,
                open.best,
                open.best_move,
                open.tried,
            )
        });
        self.log_end(&split, closed.is_some());
        let Some((line, helped_with, help, end, window, best, best_move, tried)) = closed else { return Err(Cut) };
        if self.context.tally.is_stopped() {
            return Err(Cut);
        }
        for mv in helped_with {
            self.rules.searched_by_another(&mut self.path, ply, mv);
        }
        let frame = &mut self.path[ply];
        (frame.window, frame.best, frame.best_move, frame.tried) = (window, best, best_move, tried);
        frame.line.clear();
        frame.line.extend_from_slice(&line);
        frame.open = false;
        frame.shared = false;
        self.helped += help;
        self.leap(end);
        Ok(())
    }

    fn wait(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) {
        let Some(processor) = self.processor else { return };
        self.tell();
        processor.wait(split);
        self.moved_to(processor.index());
    }

    pub(crate) fn work_at(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> Result<(), Cut> {
        while let Some((task, recalls)) = self.take(split).or_else(|| self.gather(split)) {
            self.cross(split);
            self.attempt(split, task, recalls)?;
        }
        Ok(())
    }

    /// Something is told to a split point, or comes from there: that takes time if it lies on another host.
    pub(crate) fn cross(&self, split: &SplitPointOf<SearchContext<'a, G, R>>) {
        if let Some(processor) = self.processor {
            processor.cross(split.path.home);
        }
    }

    /// Takes the next piece of work at a split point.
    pub(crate) fn take(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> Option<(Task<G::Move>, u32)> {
        let ply = split.ply;
        let valuing = self.context.algorithm.valuing;
        let is_helper = self.helps_at == Some(ply);
        let backwards = is_helper && self.context.algorithm.switches.last_first;
        split.with(|at| {
            if at.over || at.state.gathered {
                return None;
            }
            let open = at.state;
            if let Some(task) = open.take_waiting(valuing) {
                self.refresh(ply, open);
                return Some((task, open.recalls));
            }
            if open.next == open.moves.len() && open.in_hand.is_empty() && open.best <= -Score::KNOWN {
                open.moves = std::mem::take(&mut open.skipped);
                open.next = 0;
            }
            while let Some(&left) = open.moves.get(open.next) {
                let left = if backwards { open.moves.pop().unwrap_or(left) } else { left };
                open.next += usize::from(!backwards);
                open.tried = left.index.unwrap_or(open.tried);
                let mv = left.mv;
                self.refresh(ply, open);
                let unknown = open.best == -Score::INFINITE;
                if unknown {
                    // No move has a score yet. Most likely the node is not lost, and what would be skipped then, is.
                    self.path[ply].best = open.window.alpha;
                }
                let skips = self.skips(ply, mv);
                if !unknown {
                    // In quiescence, what a skipped move could have reached at most.
                    open.best = self.path[ply].best;
                }
                if skips {
                    open.skipped.extend(unknown.then_some(left));
                    continue;
                }
                let index = open.tried;
                open.tried += 1;
                self.path[ply].tried = open.tried;
                let task = Task::Test { mv, index };
                open.in_hand.push(task);
                if is_helper {
                    open.helped_with.push(mv);
                }
                return Some((task, open.recalls));
            }
            None
        })
    }

    /// There is nothing left to take, but others are still busy: where the algorithm says so everyone stops, and the
    /// first of the unfinished moves is searched with everybody's help, two plies further down (EPVS).
    fn gather(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> Option<(Task<G::Move>, u32)> {
        let ply = split.ply;
        if !self.context.algorithm.gathers || self.path[ply].depth <= self.context.grain + 2 {
            return None;
        }
        let gathered = split.with(|at| {
            let idle = at.over || at.state.gathered;
            let task = if idle { None } else { at.state.gather() };
            task.map(|task| {
                self.refresh(ply, at.state);
                (task, at.state.recalls)
            })
        })?;
        let Some(processor) = self.processor else { unreachable!("only a processor's strand shares") };
        split.recall(processor.control());
        Some(gathered)
    }

    /// After a cut: was it only a recall, so that the strand may go on at the split point?
    fn is_recalled(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> bool {
        let Some(processor) = self.processor else { return false };
        if !self.context.algorithm.gathers || self.context.tally.is_stopped() || !split.forgive(processor.control()) {
            return false;
        }
        let extent = if self.helps_at == Some(split.ply) { 0 } else { self.path[split.ply].extent };
        self.path.moves.truncate(extent);
        true
    }

    /// After a cut: is it only that the machine is lost that this guest stands for? Then somebody else has to do its work.
    pub(crate) fn is_let_down(&self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> bool {
        self.is_remote
            && !self.context.tally.is_stopped()
            && self.control.keep() == usize::MAX
            && !split.with(|at| at.over)
    }

    fn skips(&mut self, ply: usize, mv: G::Move) -> bool {
        self.path[ply].excluded == Some(mv)
            || self.rules.passes_over(&self.path[ply], mv)
            || self.path[ply].depth <= 0 && self.rules.skips_noisy(&mut self.path, ply, mv)
            || self.path[ply].depth > 0 && ply > 0 && self.rules.skips(&mut self.path, ply, mv)
    }

    /// Brings this strand's copy of the frame up to date.
    pub(crate) fn refresh(&mut self, ply: usize, open: &SplitState<G::Move>) {
        let frame = &mut self.path[ply];
        (frame.window, frame.best, frame.tried) = (open.window, open.best, open.tried);
        (frame.ready, frame.reach) = (open.ready, open.reach);
    }

    /// Does a piece of work and reports it.
    pub(crate) fn attempt(
        &mut self,
        split: &SplitPointOf<SearchContext<'a, G, R>>,
        task: Task<G::Move>,
        recalls: u32,
    ) -> Result<(), Cut> {
        let ply = split.ply;
        let before = self.effort();
        let alpha = self.path[ply].window.alpha;
        let (mv, index) = (task.mv(), task.index());
        let outer = self.helped_at;
        let helped = self.context.algorithm.gathers && split.with(|at| at.state.gathered);
        self.helped_at = helped.then_some(ply);
        self.play(ply, mv);
        let depth = self.path[ply].depth - 1 + self.rules.extension(&self.path, ply, mv);
        let searched = match task {
            Task::Test { .. } => {
                self.leap(self.path[ply].ready);
                if self.path[ply].depth > 0 {
                    self.test(ply, mv, index, depth)
                } else {
                    let window = self.path[ply].window;
                    self.quiesce(ply + 1, -window).map(|score| -score)
                }
            }
            Task::Value { alpha: tested, .. } => {
                self.leap(self.path[ply].reach);
                self.test_again_then_value(ply, mv, index, depth, tested)
            }
        };
        self.helped_at = outer;
        let effort = self.effort() - before;
        match searched {
            Ok(score) => self.settle(split, Finished { task, alpha, score, effort, recalls }),
            Err(Cut) => {
                self.work.aborted += effort;
                let after_cutter = split.with(|at| at.state.cutter.is_some_and(|(cutter, _)| index > cutter));
                self.work.cut_off += if after_cutter { effort } else { 0 };
                if self.is_let_down(split) {
                    split.with(|at| at.state.give_up(task, recalls));
                    return Err(Cut);
                }
                if !self.is_recalled(split) {
                    return Err(Cut);
                }
                split.with(|at| at.state.give_up(task, recalls));
                Ok(())
            }
        }
    }

    /// Values a move that beat `tested`; if alpha has been raised since, it must beat that first.
    fn test_again_then_value(
        &mut self,
        ply: usize,
        mv: G::Move,
        index: usize,
        depth: Depth,
        tested: Score,
    ) -> Result<Score, Cut> {
        if self.path[ply].window.alpha > tested {
            let score = self.test(ply, mv, index, depth)?;
            if !self.must_value(ply, score) {
                return Ok(score);
            }
        }
        self.value(ply, depth)
    }

    /// Reports what was found out about a move. If it has to be valued by its finder, that is done too.
    pub(crate) fn settle(
        &mut self,
        split: &SplitPointOf<SearchContext<'a, G, R>>,
        finished: Finished<G::Move>,
    ) -> Result<(), Cut> {
        self.cross(split);
        let Finished { task, alpha, score, effort, recalls } = finished;
        let (mv, index, is_test) = (task.mv(), task.index(), task.is_test());
        let ply = split.ply;
        let stamp = self.stamp();
        let valuing = self.context.algorithm.valuing;
        let deep = self.path[ply].depth > 0;
        let mut again = None;
        let mut cut_off = 0;
        let (mut counts, mut raised, mut cuts) = (true, false, false);
        split.report(|at| {
            let open = at.state;
            counts = open.accept(index, recalls, stamp);
            if at.over {
                cut_off = if open.cutter.is_some_and(|(cutter, _)| index > cutter) { effort } else { 0 };
            }
            if at.over || !counts {
                return false;
            }
            open.spent.push((index, mv, effort));
            let wants_value = score < open.window.beta || ply == 0 && !open.is_part;
            let beats = is_test && deep && score > alpha && wants_value;
            if beats {
                let value = Task::Value { mv, index, alpha };
                if valuing == Valuing::AtOnce {
                    again = Some(value);
                    open.in_hand.push(value);
                    self.refresh(ply, open);
                } else {
                    open.waiting.push(value);
                }
                return false;
            }
            if open.is_part && score > alpha && score <= open.window.alpha {
                // It beat an alpha that has risen since: nobody knows yet whether it beats the new one.
                open.spent.pop();
                open.waiting.push(Task::Test { mv, index });
                return false;
            }
            open.best = open.best.max(score);
            if score <= open.window.alpha {
                return false;
            }
            raised = true;
            open.best_move = Some(mv);
            open.line.clear();
            open.line.push(mv);
            open.line.extend_from_slice(&self.path[ply + 1].line);
            if score < open.window.beta {
                open.window.alpha = score;
                return false;
            }
            open.cutter = Some((index, stamp));
            cuts = true;
            cut_off = open.spent.iter().filter(|(other, ..)| *other > index).map(|(.., effort)| effort).sum();
            true
        });
        self.work.cut_off += cut_off;
        self.work.cuts += u64::from(cuts);
        if again.is_some() || is_test && score > alpha && !raised {
            self.work.failed += effort;
        }
        if ply == 0 && again.is_none() && counts {
            let bound = if cuts { Bound::Lower } else { Bound::Exact };
            self.record_root(mv, score, effort, raised.then_some(bound));
        }
        match again {
            Some(task) => {
                self.cross(split);
                self.attempt(split, task, recalls)
            }
            None => Ok(()),
        }
    }
}
