//! The driver: Scout search (StarTech figure 1), fail-soft, with named hooks for what the game knows.

use crate::algorithms::{Gathering, Scope};
use crate::deferral::Reserved;
use crate::frame::Times;
use crate::split_point::{Finished, MoveTask};
use crate::strand::{Cut, Strand};
use crate::tag::tag;
use crate::{Kind, Purpose, Rules, Wait, Wanted};
use game::{Bound, Depth, Game, Score, Window};
use std::sync::Arc;
use table::Entry;

impl<G: Game, R: Rules<G>> Strand<'_, '_, G, R> {
    /// The value of the node in frame `ply`, searched to `depth`: exact inside the window, a bound outside.
    pub(crate) fn search(&mut self, ply: usize, window: Window, depth: Depth, kind: Kind) -> Result<Score, Cut> {
        if depth <= 0 {
            return self.quiesce(ply, window);
        }
        self.visit(ply)?;
        self.path[ply].best.forget_move();
        self.path[ply].sharing.surplus = 0;
        let mut window = window;
        if ply > 0 {
            if let Some(score) = self.ended(ply) {
                return Ok(score);
            }
            // A win or loss further away than the one already found changes nothing (mate distance pruning).
            window.alpha = window.alpha.max(Score::loss_in(ply));
            window.beta = window.beta.min(Score::win_in(ply + 1));
            if window.alpha >= window.beta {
                return Ok(window.alpha);
            }
        }
        self.begin(ply, window, depth, kind);
        self.probe(ply);
        if let Some(score) = self.settled(ply) {
            return Ok(score);
        }
        if self.context.algorithm.switches.refutation_lines {
            self.follow_line(ply);
        }
        if self.is_remote
            && let Some(processor) = self.processor
        {
            return self.send_away(processor, ply, window, depth, kind);
        }
        self.rules.enter(&mut self.path, ply);
        let reached = self.clock.stamp();
        if let Some(score) = self.prune(ply)? {
            return Ok(score);
        }
        let mut lasts_to = self.clock.overlap(Wait::Pruning, reached);
        self.find_first_move(ply)?;
        let depth = self.rules.trimmed_depth(&self.path, ply);
        self.path[ply].depth = depth;
        let reached = self.clock.stamp();
        let stretch = match self.stretch(ply)? {
            Ok(extension) => extension,
            Err(score) => return Ok(score),
        };
        lasts_to = lasts_to.max(self.clock.overlap(Wait::Singular, reached));
        let held = match self.reserve(ply)? {
            Reserved::Settled(score) => return Ok(score),
            Reserved::Search { held } => held,
        };
        let searched = self.search_moves(ply, stretch);
        self.release(ply, held);
        searched?;
        self.clock.not_before(lasts_to);
        Ok(self.finish(ply, window))
    }

    /// Fills in the frame of a node about to be searched.
    #[inline]
    pub(crate) fn begin(&mut self, ply: usize, window: Window, depth: Depth, kind: Kind) {
        let node_type = if kind != Kind::Pv && depth > 0 { kind } else { self.node_type(ply, kind) };
        let frame = &mut self.path[ply];
        frame.sharing.node_type = node_type;
        frame.window = window;
        frame.depth = depth;
        frame.kind = kind;
        frame.best.score = -Score::INFINITE;
        frame.best.mv = None;
        frame.tried = 0;
        frame.moves.second_pass = false;
        frame.moves.deferred.clear();
        frame.sharing.sharable = false;
        frame.sharing.shared = false;
        frame.sharing.too_small = false;
    }

    /// The type, by its place in the tree (Knuth & Moore), of a node that is searched for its value, or in quiescence, which
    /// does not tell CUT from ALL: type 1 on the leftmost path only, else what the node would be tested as.
    #[inline]
    fn node_type(&self, ply: usize, kind: Kind) -> Kind {
        let Some(above) = ply.checked_sub(1) else { return kind };
        match self.path[above].sharing.node_type {
            Kind::Pv if kind == Kind::Pv && self.is_first_child(ply) => Kind::Pv,
            above => above.tested_child(),
        }
    }

    /// Is a node the first child of the one above? A new best move of the root counts as a first one, where all processors
    /// work on it together.
    #[inline]
    fn is_first_child(&self, ply: usize) -> bool {
        let parent = &self.path[ply - 1];
        let is_candidate =
            || ply == 1 && parent.sharing.valuing && self.context.algorithm.gathering != Gathering::Never;
        parent.tried == 1 || is_candidate()
    }

    /// Does the transposition table, or a table outside the search, already have the answer?
    #[inline]
    pub(crate) fn settled(&mut self, ply: usize) -> Option<Score> {
        let frame = &self.path[ply];
        if ply == 0 || frame.purpose.excludes_a_move() {
            return None;
        }
        if let Some(hit) = frame.hit
            && frame.kind != Kind::Pv
            && hit.depth >= frame.depth
            && hit.bound.settles(hit.score, frame.window)
            && self.rules.trusts_table(frame)
        {
            return Some(hit.score);
        }
        let (score, bound) = self.rules.known(&self.path, ply)?;
        self.news.known_hits += 1;
        if !bound.settles(score, self.path[ply].window) {
            return None;
        }
        let depth = (self.path[ply].depth + 6).min(crate::limits::MAX_DEPTH);
        self.store(ply, Entry { mv: 0, score, eval: None, depth, bound, pv: false });
        Some(score)
    }

    /// Values the first move, tests the others, and values again whatever fails its test.
    pub(crate) fn search_moves(&mut self, ply: usize, stretch: Depth) -> Result<(), Cut> {
        self.rules.begin_moves(&mut self.path, ply, Wanted::All);
        if let Some(remote) = self.context.tables.remote {
            self.ask_ahead(ply, remote);
        }
        self.open_frame(ply);
        let found = self.search_alone(ply, stretch);
        self.close_frame(ply, found)
    }

    /// The moves of a frame are about to be searched: may they be, in parallel, from the first one on?
    #[inline]
    pub(crate) fn open_frame(&mut self, ply: usize) {
        let sharing = &mut self.path[ply].sharing;
        sharing.times.reach = self.clock.stamp();
        sharing.begun = self.clock.effort() - sharing.surplus;
        #[cfg(test)]
        self.trace_node(ply);
        self.note_brother(ply);
    }

    /// The moves of a frame were searched as far as one strand does it alone. If others have come to help, the rest is
    /// searched together with them.
    #[inline]
    pub(crate) fn close_frame(&mut self, ply: usize, found: Result<Option<Finished<G::Move>>, Cut>) -> Result<(), Cut> {
        if self.path[ply].sharing.shared {
            self.search_shared(ply, found)?;
        } else {
            found?;
        }
        self.rules.end_moves(&mut self.path, ply);
        Ok(())
    }

    /// Searches move after move, to the end or until others have come to help; then what was found by the move that was
    /// being searched.
    fn search_alone(&mut self, ply: usize, stretch: Depth) -> Result<Option<Finished<G::Move>>, Cut> {
        while let Some(mv) = self.next_move(ply) {
            if self.path[ply].purpose == Purpose::Excluding(mv) {
                continue;
            }
            if ply > 0 && !self.path[ply].moves.second_pass && self.rules.skips(&mut self.path, ply, mv) {
                continue;
            }
            let index = self.path[ply].tried;
            self.play(ply, mv);
            if self.puts_off(ply, mv) {
                continue;
            }
            self.mark(ply);
            self.path[ply].tried += 1;
            let before = self.begin_move(ply, index);
            let mut depth = self.path[ply].depth - 1 + self.rules.extension(&self.path, ply, mv);
            if self.path[ply].table_move == Some(mv) {
                depth += stretch;
            }
            let alpha = self.path[ply].window.alpha;
            let is_valued = index == 0 && !self.path[ply].window.is_test();
            self.path[ply].sharing.valuing = is_valued;
            let mut task = if is_valued { MoveTask::Value { mv, index, alpha } } else { MoveTask::Test { mv, index } };
            let foreseen = if ply == 0 && index == 0 { self.recall_foreseen(mv) } else { None };
            let mut score = match foreseen {
                Some(score) => score,
                None if index == 0 => self.value(ply, depth)?,
                None => self.test_brother(ply, mv, index, depth)?,
            };
            if index > 0 && self.must_value(ply, score) && !self.path[ply].sharing.shared {
                self.lose_test(ply, before);
                task = MoveTask::Value { mv, index, alpha };
                score = self.value_brother(ply, depth)?;
            }
            self.unmark(ply);
            if self.path[ply].sharing.shared {
                let effort = self.clock.effort() - before;
                return Ok(Some(Finished { task, alpha, score, effort, recalls: 0 }));
            }
            if self.record(ply, mv, score, self.clock.effort() - before) {
                return Ok(None);
            }
        }
        self.join_brothers(ply);
        Ok(None)
    }

    /// Searches the move just played for its exact value.
    #[inline]
    pub(crate) fn value(&mut self, ply: usize, depth: Depth) -> Result<Score, Cut> {
        let frame = &self.path[ply];
        let (window, kind) = (frame.window, frame.kind.first_child());
        Ok(-self.search(ply + 1, -window, depth, kind)?)
    }

    /// Tests whether the move just played beats alpha, at first with less depth where the rules expect little of it.
    #[inline]
    pub(crate) fn test(&mut self, ply: usize, mv: G::Move, index: usize, depth: Depth) -> Result<Score, Cut> {
        let frame = &self.path[ply];
        let (alpha, kind) = (frame.window.alpha, frame.kind);
        let test = -Window::test_above(alpha);
        let reduction = self.rules.reduction(&self.path, ply, mv, index);
        let reduced = (depth - reduction).clamp(depth.min(1), depth + 1);
        let tested = if reduction > 0 { Kind::Cut } else { kind.tested_child() };
        let reached = self.clock.stamp();
        let mut score = -self.search(ply + 1, test, reduced, tested)?;
        if score > alpha && reduced < depth {
            let retest = depth + self.rules.retest_adjustment(&self.path, ply, score, depth);
            if retest > reduced {
                let lasts_to = self.clock.overlap(Wait::ReducedTest, reached);
                score = -self.search(ply + 1, test, retest, kind.tested_child())?;
                self.clock.not_before(lasts_to);
            }
        }
        Ok(score)
    }

    /// A move that was tested with this result must be valued. The root wants to know by how much a move is better.
    #[inline]
    pub(crate) fn must_value(&self, ply: usize, score: Score) -> bool {
        let window = self.path[ply].window;
        window.contains(score) || (score > window.alpha && ply == 0)
    }

    /// The test of a younger brother, which on an ideal machine begins when the eldest is done.
    #[inline]
    fn test_brother(&mut self, ply: usize, mv: G::Move, index: usize, depth: Depth) -> Result<Score, Cut> {
        if self.path[ply].sharing.sharable {
            self.clock.leap(self.path[ply].sharing.times.ready);
        }
        self.test(ply, mv, index, depth)
    }

    /// The value of a younger brother, which waits for all tests before it (StarTech figure 2, line J12).
    #[inline]
    fn value_brother(&mut self, ply: usize, depth: Depth) -> Result<Score, Cut> {
        if self.path[ply].sharing.sharable {
            let Times { ready, reach } = self.path[ply].sharing.times;
            let is_early = self.clock.is_without(Wait::Test);
            self.clock.leap(if is_early { ready } else { reach.max(self.clock.stamp()) });
        }
        self.path[ply].sharing.valuing = true;
        self.value(ply, depth)
    }

    /// A move is done: may those after it be searched in parallel?
    #[inline]
    fn note_brother(&mut self, ply: usize) {
        let stamp = self.clock.stamp();
        let frame = &mut self.path[ply];
        frame.sharing.times.reach = frame.sharing.times.reach.max(stamp);
        let frame = &self.path[ply];
        if !frame.sharing.sharable
            && (frame.tried >= self.context.algorithm.share_after[frame.kind as usize]
                || self.is_deepest(ply)
                || frame.kind == Kind::Pv && self.clock.is_without(Wait::Eldest))
            && self.may_share(ply)
        {
            let frame = &mut self.path[ply];
            (frame.sharing.sharable, frame.sharing.times.ready) = (true, stamp);
            self.links.is_fresh = true;
            let frame = &self.path[ply];
            if frame.kind == Kind::Pv && self.context.algorithm.guesses() {
                self.note_guess(ply, stamp);
            }
        }
    }

    /// The first move of a PV node is done: it is a guess for all nodes above it on the chain of first moves.
    #[cold]
    fn note_guess(&mut self, ply: usize, stamp: u64) {
        let first = self.links.helps_at.map_or(0, |at| at + 1);
        for above in (first..ply).rev() {
            let frame = &self.path[above];
            let is_first = frame.kind == Kind::Pv && frame.tried == 1 && frame.sharing.valuing;
            if !is_first || frame.sharing.sharable || !self.may_share(above) {
                return;
            }
            let sharing = &mut self.path[above].sharing;
            (sharing.sharable, sharing.times.ready) = (true, stamp);
        }
    }

    /// Is the node of those on the leftmost path that are shared the deepest? All processors join there.
    #[inline]
    fn is_deepest(&self, ply: usize) -> bool {
        self.context.algorithm.scope == Scope::LeftmostPath && self.path[ply].depth == self.context.terms.grain.max(1)
    }

    #[inline]
    fn may_share(&self, ply: usize) -> bool {
        let frame = &self.path[ply];
        let switches = &self.context.algorithm.switches;
        if switches.two_serial && frame.tried < 2 && frame.kind == Kind::Cut && frame.has_dropped() {
            return false;
        }
        if switches.serial_below_alpha && frame.kind != Kind::Pv && frame.has_dropped() {
            return false;
        }
        frame.depth >= self.context.terms.grain
            && match self.context.algorithm.scope {
                Scope::Everywhere => true,
                Scope::Root => ply == 0,
                Scope::LeftmostPath => {
                    frame.sharing.node_type == Kind::Pv || self.links.helped_at.is_some_and(|split| ply == split + 2)
                }
            }
    }

    /// All moves are done: so is the node, when the last of them is.
    #[inline]
    pub(crate) fn join_brothers(&mut self, ply: usize) {
        if self.path[ply].sharing.sharable {
            self.path[ply].sharing.sharable = false;
            self.clock.leap(self.path[ply].sharing.times.reach);
        }
    }

    /// The next move to search at a node. The root's moves are remembered between iterations.
    #[inline]
    pub(crate) fn next_move(&mut self, ply: usize) -> Option<G::Move> {
        if ply > 0 {
            let mv = self.rules.next(&mut self.path, ply);
            self.path[ply].moves.extent = self.path.moves.len();
            return mv.or_else(|| self.path[ply].next_deferred());
        }
        let index = self.path[0].tried;
        let mv = {
            let root = self.root.lock();
            root.moves.get(root.settled + index)?.mv
        };
        self.tell_root_move(mv, index);
        Some(mv)
    }

    /// Tells the watch that the root move with this index is about to be searched.
    pub(crate) fn tell_root_move(&self, mv: G::Move, index: usize) {
        // Where every processor searches the root, only the first tells.
        if Arc::ptr_eq(&self.root, &self.context.root) {
            let settled = self.root.lock().settled;
            self.context.watch.root_move(settled + index + 1, mv);
        }
    }

    /// Takes a move's score into the frame. True if the node is done: the opponent will not allow it.
    #[inline]
    pub(crate) fn record(&mut self, ply: usize, mv: G::Move, score: Score, effort: u64) -> bool {
        let raised = score > self.path[ply].window.alpha;
        if ply == 0 {
            let bound = match raised {
                true if score >= self.path[0].window.beta => Some(Bound::Lower),
                true => Some(Bound::Exact),
                false => (self.path[0].tried == 1).then_some(Bound::Upper),
            };
            self.record_root(mv, score, effort, bound);
        }
        let below = self.path[ply + 1].sharing.surplus;
        let frame = &mut self.path[ply];
        frame.sharing.surplus += below;
        if score > frame.best.score {
            frame.best.score = score;
        }
        if raised {
            (frame.best.mv, frame.best.index) = (Some(mv), frame.tried - 1);
            let cut = score >= frame.window.beta;
            if cut {
                // The moves before this one would not have been searched in the best order.
                frame.sharing.surplus = self.clock.effort() - effort - frame.sharing.begun + below;
            } else {
                frame.window.alpha = score;
            }
            if frame.kind == Kind::Pv {
                self.path.extend_line(ply, mv);
            }
            if cut {
                return true;
            }
        }
        self.note_brother(ply);
        false
    }

    /// Remembers a root move's score and variation, for the report and for the order of the next iteration. `bound` says
    /// what the score is; none if the move was only tested.
    pub(crate) fn record_root(&mut self, mv: G::Move, score: Score, effort: u64, bound: Option<Bound>) {
        let mut root = self.root.lock();
        let Some(root) = root.moves.iter_mut().find(|root| root.mv == mv) else { return };
        root.nodes += effort;
        if let Some(bound) = bound {
            (root.score, root.bound) = (score, bound);
            root.line.clear();
            root.line.push(mv);
            root.line.extend_from_slice(&self.path[1].best.line);
        } else if self.context.algorithm.switches.refutation_lines
            && let Some(refutation) = self.path[1].best.mv
        {
            root.line.clear();
            root.line.extend_from_slice(&[mv, refutation]);
        }
    }

    /// All moves are searched: what the node is worth, learned and stored.
    #[inline]
    fn finish(&mut self, ply: usize, window: Window) -> Score {
        let frame = &self.path[ply];
        let excluded = frame.purpose.excludes_a_move();
        if frame.tried == 0 && frame.best.score == -Score::INFINITE {
            return if excluded { window.alpha } else { self.rules.stuck(&self.path, ply).score(ply) };
        }
        let best = frame.best.score;
        let bound = window.bound(best);
        if let Some(verifier) = &self.context.checks.verifier {
            self.verify(verifier, ply, window, best);
        }
        if !excluded {
            let frame = &self.path[ply];
            let best = frame.best.mv.map(|_| frame.best.index);
            self.work.order.count(frame.sharing.node_type, frame.depth, best);
        }
        self.rules.learn(&mut self.path, ply, bound);
        if !excluded && (ply > 0 || self.root.lock().settled == 0) {
            self.note_duplicate(ply, window);
            let frame = &self.path[ply];
            let entry = Entry {
                mv: frame.best.mv.map_or(0, tag::<G>),
                score: best,
                eval: self.rules.stored_evaluation(frame),
                depth: frame.depth,
                bound,
                pv: frame.kind == Kind::Pv || frame.hit.is_some_and(|hit| hit.pv),
            };
            self.store(ply, entry);
        }
        best
    }
}

#[cfg(test)]
mod tests;
