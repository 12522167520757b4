//! Small searches a node makes before its moves: may it be pruned, and does its first move stand alone?
//!
//! Each is the same search with a smaller window or depth; the rules say when, and how deep.

use crate::strand::{Cut, Strand};
use crate::{Kind, Rules, Wanted};
use game::{Bound, Depth, Game, Score, Window};
use table::Entry;

impl<G: Game, R: Rules<G>> Strand<'_, '_, G, R> {
    /// The score of a node that is not worth a search of its moves.
    #[inline]
    pub(crate) fn prune(&mut self, ply: usize) -> Result<Option<Score>, Cut> {
        let frame = &self.path[ply];
        if ply == 0 || frame.kind == Kind::Pv || frame.excluded.is_some() {
            return Ok(None);
        }
        if let Some(score) = self.rules.prunes_high(&self.path, ply) {
            return Ok(Some(score));
        }
        if let Some(score) = self.razor(ply)? {
            return Ok(Some(score));
        }
        if let Some(score) = self.pass(ply)? {
            return Ok(Some(score));
        }
        self.probcut(ply)
    }

    /// Razoring: far below alpha, only captures can help, and quiescence sees those.
    fn razor(&mut self, ply: usize) -> Result<Option<Score>, Cut> {
        if !self.rules.razors(&self.path, ply) {
            return Ok(None);
        }
        let frame = &self.path[ply];
        let (window, depth, kind, hit, table_move) =
            (frame.window, frame.depth, frame.kind, frame.hit, frame.table_move);
        let score = self.quiesce(ply, Window::test_above(window.alpha))?;
        if score <= window.alpha {
            return Ok(Some(score));
        }
        self.begin(ply, window, depth, kind);
        (self.path[ply].hit, self.path[ply].table_move) = (hit, table_move);
        Ok(None)
    }

    /// Null move: if even passing keeps the score at beta, some move will.
    fn pass(&mut self, ply: usize) -> Result<Option<Score>, Cut> {
        let Some(depth) = self.rules.pass_depth(&self.path, ply) else { return Ok(None) };
        let Some(passed) = self.path[ply].position.pass() else { return Ok(None) };
        let beta = self.path[ply].window.beta;
        self.path[ply].current = None;
        self.path.descend(ply, passed);
        let score = -self.search(ply + 1, -Window::test_below(beta), depth, Kind::All)?;
        if score < beta {
            return Ok(None);
        }
        // A proof found by passing proves nothing.
        let score = if score.is_known() { beta } else { score };
        let Some(depth) = self.rules.verify_pass(&self.path, ply) else { return Ok(Some(score)) };
        let confirmed = self.without_probes(ply, Window::test_below(beta), depth)?;
        Ok((confirmed >= beta).then_some(score))
    }

    /// Searches the moves of the node itself, to less depth and without probes, and leaves its frame as it was.
    fn without_probes(&mut self, ply: usize, window: Window, depth: Depth) -> Result<Score, Cut> {
        let frame = &self.path[ply];
        let (outer, outer_depth, kind) = (frame.window, frame.depth, frame.kind);
        self.begin(ply, window, depth, kind);
        self.path[ply].verifying = true;
        self.search_moves(ply, 0)?;
        let score = self.path[ply].best;
        self.begin(ply, outer, outer_depth, kind);
        Ok(score)
    }

    /// ProbCut (Buro 1995): a good capture that beats a raised beta at a reduced depth will beat beta at full depth.
    fn probcut(&mut self, ply: usize) -> Result<Option<Score>, Cut> {
        let Some(plan) = self.rules.probcut(&self.path, ply) else { return Ok(None) };
        let test = -Window::test_below(plan.beta);
        let kind = self.path[ply].kind.tested_child();
        self.rules.open(&mut self.path, ply, Wanted::Winning(plan.gain));
        let mut found = None;
        while let Some(mv) = self.rules.next(&mut self.path, ply) {
            self.play(ply, mv);
            let mut score = -self.quiesce(ply + 1, test)?;
            if score >= plan.beta && plan.depth > 0 {
                score = -self.search(ply + 1, test, plan.depth, kind)?;
            }
            if score >= plan.beta {
                found = Some((mv, score));
                break;
            }
        }
        self.rules.close(&mut self.path, ply);
        let Some((mv, score)) = found else { return Ok(None) };
        let eval = self.rules.stored_evaluation(&self.path[ply]);
        self.store(ply, Entry { mv: G::pack(mv), score, eval, depth: plan.depth + 1, bound: Bound::Lower, pv: false });
        Ok(Some(score))
    }

    /// Singular extension (Anantharaman, Campbell & Hsu 1988) with multicut: search all moves but the table's. If they
    /// all fall short the table move is extended (`Ok`); if one of them reaches beta too, the node is cut (`Err`).
    pub(crate) fn stretch(&mut self, ply: usize) -> Result<Result<Depth, Score>, Cut> {
        if ply == 0 || self.path[ply].excluded.is_some() {
            return Ok(Ok(0));
        }
        let Some(singular) = self.rules.singular(&self.path, ply) else { return Ok(Ok(0)) };
        let frame = &self.path[ply];
        let (window, depth, kind, hit, table_move) =
            (frame.window, frame.depth, frame.kind, frame.hit, frame.table_move);
        self.path[ply].excluded = table_move;
        let cut_kind = if kind == Kind::Pv { Kind::Cut } else { kind };
        let others = self.search(ply, Window::test_below(singular.beta), singular.depth, cut_kind)?;
        self.begin(ply, window, depth, kind);
        let frame = &mut self.path[ply];
        (frame.hit, frame.table_move, frame.excluded) = (hit, table_move, None);
        frame.line.clear();
        if others >= window.beta && kind != Kind::Pv && !others.is_known() {
            return Ok(Err(others));
        }
        Ok(Ok(self.rules.singular_extension(&self.path, ply, singular, others)))
    }
}
