//! Looking ahead: the next iteration begins with its first move while the last tests of this one are running (the switch
//! `overlap`).
//!
//! The owner of the root has no move left to take, but helpers are still testing moves. Most probably none of these will be
//! better than the best move so far. So the owner begins what the next iteration will begin with: the best move, one ply deeper,
//! in the window around its score. What it finds is used if the next iteration wants just that: the same move, depth and
//! window. It is given up as soon as a move beats its test.

use crate::context::SearchContext;
use crate::foreseen::{FirstMove, Foreseen};
use crate::split_point::{MoveTask, SplitState};
use crate::strand::{Cut, Strand};
use crate::{Kind, Rules};
use game::{Bound, Game, Score};
use scheduler::SplitPointOf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

impl<M: Copy + PartialEq> SplitState<M> {
    /// The best move so far and its score, if it is exact and nothing is under way but tests.
    fn settled_best(&self) -> Option<(M, Score)> {
        let only_tests = self.waiting.is_empty() && self.in_hand.iter().all(MoveTask::is_test);
        let best = self.best.mv.map(|mv| (mv, self.best.score));
        best.filter(|&(_, score)| only_tests && self.queue.left().0 == 0 && score == self.window.alpha)
    }
}

impl<'a, G: Game, R: Rules<G>> Strand<'_, 'a, G, R> {
    /// The owner of the root has nothing left to take there: it begins the next iteration's first move.
    pub(crate) fn look_ahead_of(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) {
        let next = self.context.next_depth(self.ahead.depth);
        if !self.ahead.is_wanted || split.ply > 0 || next > self.context.limits.depth || self.ahead.foreseen.is_some() {
            return;
        }
        let (best, ready) = split.with(|at| {
            let best = if at.over { None } else { at.state.settled_best() };
            (best, at.state.times.ready)
        });
        let Some((mv, score)) = best.filter(|_| !split.is_deserted()) else { return };
        let first = FirstMove { mv, depth: next, window: self.first_window(next, score) };
        self.ahead.assumed = Some((mv, score));
        self.links.speculation = Some(Arc::new(AtomicBool::new(true)));
        let came_from = self.clock.stamp();
        let searched = self.search_ahead(&first, ready);
        let stamp = self.clock.stamp();
        self.clock.leap(came_from);
        (self.ahead.assumed, self.links.speculation) = (None, None);
        match searched {
            Ok(score) => {
                let line = self.path[1].best.line.clone();
                self.ahead.foreseen = Some(Foreseen { first, score, line, stamp });
            }
            Err(Cut) => {
                // Given up by itself, or cut: the split point says which.
                if let Some(processor) = self.processor {
                    split.forgive(processor.control());
                }
            }
        }
    }

    /// Searches the first move of the next iteration on the root's own frame, and puts the frame back.
    fn search_ahead(&mut self, first: &FirstMove<G::Move>, ready: u64) -> Result<Score, Cut> {
        let frame = &self.path[0];
        let (window, depth, tried, current) = (frame.window, frame.depth, frame.tried, frame.current);
        let (best, sharing) = (frame.best.score, frame.sharing);
        let before = self.begin_move(0, tried);
        let frame = &mut self.path[0];
        (frame.window, frame.depth, frame.tried) = (first.window, first.depth, 1);
        (frame.best.score, frame.sharing.valuing) = (-Score::INFINITE, true);
        self.play(0, first.mv);
        self.clock.leap(ready);
        let depth_below = first.depth - 1 + self.rules.extension(&self.path, 0, first.mv);
        let searched = self.search(1, -first.window, depth_below, Kind::Pv);
        let (effort, lost) = self.end_move(before);
        let frame = &mut self.path[0];
        (frame.window, frame.depth, frame.tried, frame.current) = (window, depth, tried, current);
        (frame.best.score, frame.sharing) = (best, sharing);
        match searched {
            Ok(score) => {
                self.work.lost.add(&lost);
                self.add_root_nodes(first.mv, effort);
                Ok(-score)
            }
            Err(Cut) => {
                self.work.lost.add(&lost.aborted(effort));
                let extent = self.path[0].moves.extent;
                self.path.moves.truncate(extent);
                Err(Cut)
            }
        }
    }

    fn add_root_nodes(&self, mv: G::Move, nodes: u64) {
        let mut root = self.root.lock();
        root.moves.iter_mut().filter(|root| root.mv == mv).for_each(|root| root.nodes += nodes);
    }

    /// Between two nodes of a strand that is ahead: is it still likely that what it does will be wanted? When the iteration
    /// has ended meanwhile, that is told.
    pub(crate) fn check_ahead(&mut self) -> Result<(), Cut> {
        let Some(assumed) = self.ahead.assumed else { return Ok(()) };
        if self.ahead.is_told {
            return Ok(());
        }
        let Some(split) = self.split_at(0).cloned() else { return Ok(()) };
        let holds = split.with(|at| !at.over && at.state.settled_best() == Some(assumed));
        if !holds {
            self.control.come_back(1);
            return Err(Cut);
        }
        if split.is_deserted() {
            self.ahead.is_told = true;
            self.root.lock().sort();
            if let Some(flag) = &self.links.speculation {
                flag.store(false, Ordering::Relaxed);
            }
            if self.announce(self.ahead.depth, 0, Bound::Exact, true).is_break() {
                self.context.tally.stopped.store(true, Ordering::Relaxed);
                return Err(Cut);
            }
        }
        Ok(())
    }

    /// The score of the first move of an iteration, if it was searched ahead of it.
    pub(crate) fn recall_foreseen(&mut self, mv: G::Move) -> Option<Score> {
        let foreseen = self.ahead.foreseen.take()?;
        let frame = &self.path[0];
        let wanted = FirstMove { mv, depth: frame.depth, window: frame.window };
        if foreseen.first != wanted {
            return None;
        }
        self.clock.leap(self.clock.stamp().max(foreseen.stamp));
        let below = &mut self.path[1];
        below.sharing.surplus = 0;
        below.best.line.clear();
        below.best.line.extend_from_slice(&foreseen.line);
        Some(foreseen.score)
    }

    /// Is what the strand does only probably wanted? Then the flag, which helpers below get as well.
    pub(crate) fn speculation(&self) -> Option<Arc<AtomicBool>> {
        self.links.speculation.clone().filter(|flag| flag.load(Ordering::Relaxed))
    }
}
