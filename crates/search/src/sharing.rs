//! Work at a split point: how its members take moves and report them, and how its owner goes on.

use crate::Rules;
use crate::algorithms::{Gathering, Valuing};
use crate::context::SearchContext;
use crate::split_point::{Examined, Finished, MoveTask, SplitState, Verdict, Witness};
use crate::strand::{Cut, Strand};
use game::{Depth, Game, Score};
use scheduler::{ProcessorContext, SplitPointOf};
use std::sync::Arc;

impl<'a, G: Game, R: Rules<G>> Strand<'_, 'a, G, R> {
    /// Everything a helper does: it takes the path over and searches moves until there are none left.
    pub(crate) fn help(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) {
        self.path.follow(&split.path.path);
        self.work.copied_keys += split.path.path.repeatable as u64;
        self.work.stolen.helpers += 1;
        self.links.helps_at = Some(split.ply);
        self.links.speculation = split.path.speculation.clone();
        // A processor that asks this helper for work may come to the split point as well, unless helpers take one move only.
        let takes_one = self.context.terms.one_child;
        let sharing = &mut self.path[split.ply].sharing;
        (sharing.sharable, sharing.shared) = (!takes_one, true);
        self.links.shared.push(Arc::clone(split));
        if self.context.algorithm.has_own_bests() {
            // It knows nothing of what the others have found.
            self.path[split.ply].window = self.root.lock().window;
        }
        if !takes_one {
            self.cross(split);
        }
        // After a cut the rest is not wanted any more.
        let _ = if self.is_remote { self.give_away(split) } else { self.work_at(split) };
        self.log_help(split, self.clock.effort());
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
            Err(Cut) => {
                self.enter_cut(&split);
                if self.is_recalled(&split) {
                    self.give_up_current(&split);
                    self.work_at(&split)
                } else {
                    Err(Cut)
                }
            }
        };
        loop {
            // A cut from above may have missed a frame that was being shared at that moment: so look, before waiting.
            let useless = self.context.tally.is_stopped() || self.control.keep() <= ply;
            if useless {
                self.log_end(&split, false);
                split.abandon();
                self.links.shared.pop();
                self.close_ledger(ply, &split);
                return Err(Cut);
            }
            if !split.with(|at| at.over) {
                self.share_above(&split);
                self.share_before_waiting(&split);
                self.look_ahead_of(&split);
                self.wait(&split);
            }
            // Something may be left to do: a helper took one move only, or a rank that had a move of this node was lost.
            let valuing = self.context.algorithm.valuing;
            let (over, has_task) = split.with(|at| (at.over, at.state.has_task(valuing)));
            if done.is_err() || over || !has_task && split.is_deserted() {
                break;
            }
            done = self.work_at(&split);
        }
        self.links.shared.pop();
        self.close(ply, &split)
    }

    /// The owner is about to wait, and then it can share nothing: all frames above the split point go on the board.
    fn share_before_waiting(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) {
        if self.processor.is_some_and(ProcessorContext::has_board) {
            self.share_unasked(split.ply, usize::MAX);
        }
    }

    /// The owner goes on past its frame, with what was found at the split point.
    fn close(&mut self, ply: usize, split: &SplitPointOf<SearchContext<'a, G, R>>) -> Result<(), Cut> {
        let extent = self.path[ply].moves.extent;
        self.path.moves.truncate(extent);
        let closed = split.close(SplitState::close);
        self.close_ledger(ply, split);
        self.log_end(split, closed.is_some());
        let Some(closed) = closed else { return Err(Cut) };
        if self.context.tally.is_stopped() {
            return Err(Cut);
        }
        for mv in closed.helped_with {
            self.rules.searched_by_another(&mut self.path, ply, mv);
        }
        let frame = &mut self.path[ply];
        (frame.window, frame.tried) = (closed.window, closed.tried);
        (frame.best.score, frame.best.mv, frame.best.index) = (closed.best.score, closed.best.mv, closed.best.index);
        frame.best.line.clear();
        frame.best.line.extend_from_slice(&closed.best.line);
        (frame.sharing.sharable, frame.sharing.shared) = (false, false);
        self.clock.leap(closed.end);
        Ok(())
    }

    fn wait(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) {
        let Some(processor) = self.processor else { return };
        self.tell();
        processor.wait(split);
        self.moved_to(processor.index());
    }

    /// Takes moves and searches them until there are none left; a helper that takes one only goes after that.
    pub(crate) fn work_at(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> Result<(), Cut> {
        let takes_one = self.context.terms.one_child && self.links.helps_at == Some(split.ply);
        while let Some((task, recalls)) = self.take(split).or_else(|| self.gather(split)) {
            if !takes_one {
                self.cross(split);
            }
            if split.ply == 0 {
                self.tell_root_move(task.mv(), task.index());
            }
            self.attempt(split, task, recalls)?;
            let begins_again = || split.with(|at| at.state.waiting.contains(&task));
            if takes_one && !begins_again() {
                break;
            }
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
    pub(crate) fn take(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> Option<(MoveTask<G::Move>, u32)> {
        let ply = split.ply;
        let is_helper = self.links.helps_at == Some(ply);
        let last_first = is_helper && self.context.algorithm.switches.last_first;
        let is_first_own = self.context.algorithm.has_own_bests() && is_helper && !self.links.has_taken;
        split.with(|at| {
            if at.over || at.state.recall.gathered {
                return None;
            }
            let task = if let Some(task) = at.state.take_waiting(self.context.algorithm.valuing) {
                self.refresh(ply, at.state);
                task
            } else {
                let is_valued = is_first_own || at.state.lacks_score();
                let task = at.state.take_move(last_first, is_valued, |state, mv| self.examine(ply, state, mv))?;
                self.path[ply].tried = at.state.queue.tried;
                self.links.has_taken = true;
                at.state.spending.helped_with.extend(is_helper.then(|| task.mv()));
                self.work.stolen.positions += u64::from(is_helper);
                task
            };
            Some((task, at.state.recall.count))
        })
    }

    /// Asks the rules whether a move is skipped.
    fn examine(&mut self, ply: usize, state: &SplitState<G::Move>, mv: G::Move) -> Examined {
        self.refresh(ply, state);
        if state.best.score == -Score::INFINITE {
            // No move has a score yet. Probably the node is not lost: the rules skip as if it were worth alpha.
            self.path[ply].best.score = state.window.alpha;
        }
        Examined { is_skipped: self.skips(ply, mv), best: self.path[ply].best.score }
    }

    /// There is nothing left to take, but others are still busy: where the algorithm gathers, all members stop, and the
    /// first of the unfinished moves is searched with their help, two plies further down (EPVS).
    fn gather(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> Option<(MoveTask<G::Move>, u32)> {
        let ply = split.ply;
        let gathers = self.context.algorithm.gathering == Gathering::ForUnfinished;
        if !gathers || self.path[ply].depth <= self.context.terms.grain + 2 {
            return None;
        }
        let gathered = split.with(|at| {
            let idle = at.over || at.state.recall.gathered;
            let task = if idle { None } else { at.state.gather() }?;
            self.refresh(ply, at.state);
            Some((task, at.state.recall.count))
        })?;
        let Some(processor) = self.processor else { unreachable!("only a processor's strand shares") };
        split.recall(processor.control());
        Some(gathered)
    }

    /// After a cut: was it only a recall, so that the strand may go on at the split point?
    fn is_recalled(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> bool {
        let Some(processor) = self.processor else { return false };
        if !self.context.algorithm.recalls() || self.context.tally.is_stopped() || !split.forgive(processor.control()) {
            return false;
        }
        let is_helper = self.links.helps_at == Some(split.ply);
        let extent = if is_helper { 0 } else { self.path[split.ply].moves.extent };
        self.path.moves.truncate(extent);
        true
    }

    /// With new bounds: the owner comes back from the move it was searching when the frame was shared, to begin again.
    fn give_up_current(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) {
        let Some(mv) = self.path[split.ply].current else { return };
        if self.context.algorithm.has_new_bounds() {
            split.with(|at| at.state.give_up_first(mv));
        }
    }

    /// After a cut of a remote helper: was only its rank lost? Then another member has to do its work.
    pub(crate) fn is_let_down(&self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> bool {
        self.is_remote
            && !self.context.tally.is_stopped()
            && self.control.keep() == usize::MAX
            && !split.with(|at| at.over)
    }

    fn skips(&mut self, ply: usize, mv: G::Move) -> bool {
        self.path[ply].purpose.excluded() == Some(mv)
            || self.rules.passes_over(&self.path[ply], mv)
            || self.path[ply].depth <= 0 && self.rules.skips_noisy(&mut self.path, ply, mv)
            || self.path[ply].depth > 0 && ply > 0 && self.rules.skips(&mut self.path, ply, mv)
    }

    /// Brings this strand's copy of the frame up to date.
    pub(crate) fn refresh(&mut self, ply: usize, state: &SplitState<G::Move>) {
        let frame = &mut self.path[ply];
        if !self.context.algorithm.has_own_bests() {
            frame.window = state.search_window();
        }
        (frame.best.score, frame.tried) = (state.best.score, state.queue.tried);
        frame.sharing.times = state.times;
    }

    /// Does a piece of work and reports it.
    pub(crate) fn attempt(
        &mut self,
        split: &SplitPointOf<SearchContext<'a, G, R>>,
        task: MoveTask<G::Move>,
        recalls: u32,
    ) -> Result<(), Cut> {
        let ply = split.ply;
        let before = self.begin_move(ply, task.index());
        let alpha = self.path[ply].window.alpha;
        self.path[ply].sharing.valuing = !task.is_test();
        let outer = self.links.helped_at;
        let helped = self.context.algorithm.recalls() && split.with(|at| at.state.recall.gathered);
        self.links.helped_at = helped.then_some(ply);
        let searched = self.search_task(ply, task);
        self.links.helped_at = outer;
        match searched {
            Ok(score) => {
                let effort = self.clock.effort() - before;
                self.settle(split, Finished { task, alpha, score, effort, recalls })
            }
            Err(Cut) => {
                self.enter_cut(split);
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

    /// Searches one move of a split point.
    fn search_task(&mut self, ply: usize, task: MoveTask<G::Move>) -> Result<Score, Cut> {
        let (mv, index) = (task.mv(), task.index());
        self.play(ply, mv);
        let depth = self.path[ply].depth - 1 + self.rules.extension(&self.path, ply, mv);
        self.path[ply].sharing.valuing = !task.is_test();
        match task {
            MoveTask::Test { .. } => {
                self.clock.leap(self.path[ply].sharing.times.ready);
                if self.path[ply].depth > 0 {
                    return self.test(ply, mv, index, depth);
                }
                let window = self.path[ply].window;
                self.quiesce(ply + 1, -window).map(|score| -score)
            }
            MoveTask::Value { alpha: tested, .. } => {
                self.clock.leap(self.path[ply].sharing.times.reach);
                self.test_again_then_value(ply, mv, index, depth, tested)
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
            let before = self.clock.effort();
            let score = self.test(ply, mv, index, depth)?;
            if !self.must_value(ply, score) {
                return Ok(score);
            }
            self.lose_test(ply, before);
        }
        self.value(ply, depth)
    }

    /// Reports what was found out about a move, and values it if this strand has to do that at once.
    pub(crate) fn settle(
        &mut self,
        split: &SplitPointOf<SearchContext<'a, G, R>>,
        finished: Finished<G::Move>,
    ) -> Result<(), Cut> {
        let takes_one = self.context.terms.one_child;
        // A helper that took the move alone and values it itself has nothing to tell before that is done.
        let values_itself = self.context.algorithm.valuing == Valuing::AtOnce && finished.task.is_test();
        if !(takes_one && values_itself && finished.score > finished.alpha) {
            self.cross(split);
        }
        let ply = split.ply;
        let (verdict, recalls) = self.report(split, &finished);
        let Finished { task, score, .. } = finished;
        if verdict == Verdict::Cutoff {
            self.work.cuts += 1;
            self.log_cut(split);
        }
        self.enter_verdict(split, &finished, &verdict);
        if let Some(processor) = self.processor
            && processor.wants_split()
        {
            processor.note_work(split);
        }
        if self.context.algorithm.has_own_bests() && self.path[ply].window.contains(score) && !task.is_test() {
            self.path[ply].window.alpha = score;
        }
        if let Verdict::ValueNow(task) = verdict {
            if !takes_one {
                self.cross(split);
            }
            return self.attempt(split, task, recalls);
        }
        Ok(())
    }

    /// Tells the split point of a searched move; after a cutoff it is over, and everything below it is cut. Where the members
    /// gather for a new best move, they are recalled. The verdict, and the number of recalls since the split point was made.
    fn report(
        &mut self,
        split: &SplitPointOf<SearchContext<'a, G, R>>,
        finished: &Finished<G::Move>,
    ) -> (Verdict<G::Move>, u32) {
        let ply = split.ply;
        let (stamp, valuing) = (self.clock.stamp(), self.context.algorithm.valuing);
        let is_quiescence = self.path[ply].depth <= 0;
        let gathers = ply == 0 && self.context.algorithm.gathering != Gathering::Never;
        let mut verdict = Verdict::Failed;
        let mut recalls = finished.recalls;
        split.report(|at| {
            let witness = Witness { over: at.over, is_root: ply == 0, is_quiescence, valuing, stamp };
            verdict = at.state.report(finished, &self.path[ply + 1].best.line, witness);
            if let Verdict::ValueNow(task) = verdict {
                self.refresh(ply, at.state);
                if gathers {
                    at.state.gather_for(task);
                    recalls = at.state.recall.count;
                }
            }
            if ply == 0 && verdict.is_final() {
                // Before the split point is over: then the owner goes on at once, and may search the root again.
                self.record_root(finished.task.mv(), finished.score, finished.effort, verdict.bound());
            }
            verdict == Verdict::Cutoff
        });
        if let (true, Verdict::ValueNow(_), Some(processor)) = (gathers, verdict, self.processor) {
            split.recall(processor.control());
        }
        let algorithm = &self.context.algorithm;
        let is_ahead = ply == 0 && algorithm.switches.overlap;
        let is_news = match verdict {
            Verdict::Raised => algorithm.has_new_bounds() || is_ahead,
            Verdict::ValueNow(_) | Verdict::ValueLater => is_ahead,
            _ => false,
        };
        if let (true, Some(processor)) = (is_news, self.processor) {
            split.poke(processor.control());
        }
        (verdict, recalls)
    }
}
