//! The driver: Scout search (StarTech figure 1), fail-soft, with named hooks for what the game knows.

use crate::strand::{Cut, Strand};
use crate::{Kind, Rules, Wanted};
use game::{Depth, Game, Score, Window};
use table::Entry;

impl<G: Game, R: Rules<G>> Strand<'_, G, R> {
    /// The value of the node in frame `ply`, searched to `depth`: exact inside the window, a bound outside.
    pub(crate) fn search(&mut self, ply: usize, window: Window, depth: Depth, kind: Kind) -> Result<Score, Cut> {
        if depth <= 0 {
            return self.quiesce(ply, window);
        }
        self.visit(ply)?;
        self.path[ply].line.clear();
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
        self.look_up(ply);
        if let Some(score) = self.settled(ply) {
            return Ok(score);
        }
        self.rules.enter(&mut self.path, ply);
        if let Some(score) = self.prune(ply)? {
            return Ok(score);
        }
        self.find_first_move(ply)?;
        let depth = self.rules.trimmed_depth(&self.path, ply);
        self.path[ply].depth = depth;
        let stretch = match self.stretch(ply)? {
            Ok(extension) => extension,
            Err(score) => return Ok(score),
        };
        self.search_moves(ply, stretch)?;
        Ok(self.finish(ply, window))
    }

    /// Fills in the frame of a node about to be searched.
    #[inline]
    pub(crate) fn begin(&mut self, ply: usize, window: Window, depth: Depth, kind: Kind) {
        let frame = &mut self.path[ply];
        frame.window = window;
        frame.depth = depth;
        frame.kind = kind;
        frame.best = -Score::INFINITE;
        frame.best_move = None;
        frame.tried = 0;
    }

    /// Does the transposition table, or a table outside the search, already have the answer?
    #[inline]
    fn settled(&mut self, ply: usize) -> Option<Score> {
        let frame = &self.path[ply];
        if ply == 0 || frame.excluded.is_some() {
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
        self.known_hits += 1;
        if !bound.settles(score, self.path[ply].window) {
            return None;
        }
        let depth = (self.path[ply].depth + 6).min(crate::limits::MAX_DEPTH);
        self.store(ply, Entry { mv: 0, score, eval: None, depth, bound, pv: false });
        Some(score)
    }

    /// Values the first move, tests the others, and values again whatever fails its test.
    pub(crate) fn search_moves(&mut self, ply: usize, stretch: Depth) -> Result<(), Cut> {
        self.rules.open(&mut self.path, ply, Wanted::All);
        while let Some(mv) = self.next_move(ply) {
            if self.path[ply].excluded == Some(mv) {
                continue;
            }
            if ply > 0 && self.rules.skips(&mut self.path, ply, mv) {
                continue;
            }
            let index = self.path[ply].tried;
            self.path[ply].tried += 1;
            let nodes_before = self.nodes;
            self.play(ply, mv);
            let mut depth = self.path[ply].depth - 1 + self.rules.extension(&self.path, ply, mv);
            if self.path[ply].table_move == Some(mv) {
                depth += stretch;
            }
            let score = if index == 0 { self.value(ply, depth)? } else { self.test_then_value(ply, mv, index, depth)? };
            if self.record(ply, mv, score, nodes_before) {
                break;
            }
        }
        self.rules.close(&mut self.path, ply);
        Ok(())
    }

    /// Searches the move just played for its exact value.
    #[inline]
    fn value(&mut self, ply: usize, depth: Depth) -> Result<Score, Cut> {
        let frame = &self.path[ply];
        let (window, kind) = (frame.window, frame.kind.first_child());
        Ok(-self.search(ply + 1, -window, depth, kind)?)
    }

    /// Tests whether the move just played beats alpha, at first with less depth where the rules expect little of it.
    #[inline]
    fn test_then_value(&mut self, ply: usize, mv: G::Move, index: usize, depth: Depth) -> Result<Score, Cut> {
        let frame = &self.path[ply];
        let (window, kind) = (frame.window, frame.kind);
        let test = -Window::test_above(window.alpha);
        let reduction = self.rules.reduction(&self.path, ply, mv, index);
        let reduced = (depth - reduction).clamp(depth.min(1), depth + 1);
        let tested = if reduction > 0 { Kind::Cut } else { kind.tested_child() };
        let mut score = -self.search(ply + 1, test, reduced, tested)?;
        if score > window.alpha && reduced < depth {
            let retest = depth + self.rules.retest_adjustment(&self.path, ply, score, depth);
            if retest > reduced {
                score = -self.search(ply + 1, test, retest, kind.tested_child())?;
            }
        }
        if window.contains(score) || (score > window.alpha && ply == 0) {
            score = self.value(ply, depth)?;
        }
        Ok(score)
    }

    /// The next move to search at a node. The root's moves are remembered between iterations.
    #[inline]
    fn next_move(&mut self, ply: usize) -> Option<G::Move> {
        if ply > 0 {
            return self.rules.next(&mut self.path, ply);
        }
        let index = self.root.settled + self.path[0].tried;
        self.root.moves.get(index).map(|root| root.mv)
    }

    /// Takes a move's score into the frame. True if the node is done: the opponent will not allow it.
    #[inline]
    fn record(&mut self, ply: usize, mv: G::Move, score: Score, nodes_before: u64) -> bool {
        let alpha = self.path[ply].window.alpha;
        if ply == 0 {
            self.record_root(mv, score, nodes_before);
        }
        let frame = &mut self.path[ply];
        if score > frame.best {
            frame.best = score;
        }
        if score <= alpha {
            return false;
        }
        frame.best_move = Some(mv);
        if score >= frame.window.beta {
            return true;
        }
        frame.window.alpha = score;
        self.path.extend_line(ply, mv);
        false
    }

    /// Remembers a root move's score and variation, for the report and for the order of the next iteration.
    fn record_root(&mut self, mv: G::Move, score: Score, nodes_before: u64) {
        let index = self.root.settled + self.path[0].tried - 1;
        let root = &mut self.root.moves[index];
        root.nodes += self.nodes - nodes_before;
        if index == self.root.settled || score > self.path[0].window.alpha {
            root.score = score;
            root.line.clear();
            root.line.push(mv);
            root.line.extend_from_slice(&self.path[1].line);
        }
    }

    /// All moves are searched: what the node is worth, learned and stored.
    #[inline]
    fn finish(&mut self, ply: usize, window: Window) -> Score {
        let frame = &self.path[ply];
        let excluded = frame.excluded.is_some();
        if frame.tried == 0 && frame.best == -Score::INFINITE {
            return if excluded { window.alpha } else { self.rules.stuck(&self.path, ply).score(ply) };
        }
        let best = frame.best;
        let bound = window.bound(best);
        self.rules.learn(&mut self.path, ply, bound);
        if !excluded && (ply > 0 || self.root.settled == 0) {
            let frame = &self.path[ply];
            let entry = Entry {
                mv: frame.best_move.map_or(0, G::pack),
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

    /// StarTech's recursive iterative deepening: where the table has no move from a search one ply less deep, make one.
    fn find_first_move(&mut self, ply: usize) -> Result<(), Cut> {
        let frame = &self.path[ply];
        let (window, depth, kind) = (frame.window, frame.depth, frame.kind);
        let known = frame.table_move.is_some() && frame.hit.is_some_and(|hit| hit.depth >= depth - 1);
        if depth < 2 || known || ply == 0 || frame.excluded.is_some() || !self.rules.recursive_deepening(frame) {
            return Ok(());
        }
        self.search(ply, window, depth - 1, kind)?;
        self.look_up(ply);
        let best_move = self.path[ply].best_move;
        self.begin(ply, window, depth, kind);
        self.path[ply].line.clear();
        if let Some(mv) = best_move {
            self.path[ply].table_move = Some(mv);
        }
        Ok(())
    }
}

