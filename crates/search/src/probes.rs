//! Small searches a node makes before its moves: may it be pruned, and does its first move stand alone?
//!
//! Each is the same search with a smaller window or depth; the rules say when, and how deep.

use crate::strand::{Cut, Strand};
use crate::tag::tag;
use crate::{Kind, Purpose, Rules, Wanted};
use game::{Bound, Depth, Game, Score, Window};
use table::Entry;

impl<G: Game, R: Rules<G>> Strand<'_, '_, G, R> {
    /// The score of a node that is not worth a search of its moves.
    #[inline]
    pub(crate) fn prune(&mut self, ply: usize) -> Result<Option<Score>, Cut> {
        let frame = &self.path[ply];
        if ply == 0 || frame.kind == Kind::Pv || frame.purpose.excludes_a_move() {
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
        if let Some(score) = self.probcut(ply)? {
            return Ok(Some(score));
        }
        self.look_ahead(ply)
    }

    /// Razoring: far below alpha, only captures can help, and quiescence sees those.
    fn razor(&mut self, ply: usize) -> Result<Option<Score>, Cut> {
        if !self.rules.razors(&self.path, ply) {
            return Ok(None);
        }
        let alpha = self.path[ply].window.alpha;
        let score = self.side_search(ply, |strand| strand.quiesce(ply, Window::test_above(alpha)))?;
        Ok((score <= alpha).then_some(score))
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
        let kind = self.path[ply].kind;
        let confirmed = self.side_search(ply, |strand| {
            strand.begin(ply, Window::test_below(beta), depth, kind);
            strand.path[ply].purpose = Purpose::Verification;
            strand.search_moves(ply, 0)?;
            Ok(strand.path[ply].best.score)
        })?;
        Ok((confirmed >= beta).then_some(score))
    }

    /// ProbCut (Buro 1995): a good capture that beats a raised beta at a reduced depth will beat beta at full depth.
    fn probcut(&mut self, ply: usize) -> Result<Option<Score>, Cut> {
        let Some(plan) = self.rules.probcut(&self.path, ply) else { return Ok(None) };
        let test = -Window::test_below(plan.beta);
        let kind = self.path[ply].kind.tested_child();
        self.rules.begin_moves(&mut self.path, ply, Wanted::Winning(plan.gain));
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
        self.rules.end_moves(&mut self.path, ply);
        let Some((mv, score)) = found else { return Ok(None) };
        let eval = self.rules.stored_evaluation(&self.path[ply]);
        self.store(ply, Entry { mv: tag::<G>(mv), score, eval, depth: plan.depth + 1, bound: Bound::Lower, pv: false });
        Ok(Some(score))
    }

    /// Preliminary search (*Socrates section 2.4): a shallow search that ends far below alpha is believed.
    fn look_ahead(&mut self, ply: usize) -> Result<Option<Score>, Cut> {
        let Some(plan) = self.rules.preliminary(&self.path, ply) else { return Ok(None) };
        let kind = self.path[ply].kind;
        let score =
            self.side_search(ply, |strand| strand.search(ply, Window::test_above(plan.alpha), plan.depth, kind))?;
        Ok((score <= plan.alpha).then_some(score))
    }

    /// Singular extension (Anantharaman, Campbell & Hsu 1988) with multicut: search all moves but the table's. If they
    /// all fall short the table move is extended (`Ok`); if one of them reaches beta too, the node is cut (`Err`).
    pub(crate) fn stretch(&mut self, ply: usize) -> Result<Result<Depth, Score>, Cut> {
        if ply == 0 || self.path[ply].purpose.excludes_a_move() {
            return Ok(Ok(0));
        }
        let Some(singular) = self.rules.singular(&self.path, ply) else { return Ok(Ok(0)) };
        let (beta, kind) = (self.path[ply].window.beta, self.path[ply].kind);
        let others = self.side_search(ply, |strand| {
            let frame = &mut strand.path[ply];
            frame.purpose = frame.table_move.map_or(Purpose::Value, Purpose::Excluding);
            let kind = if kind == Kind::Pv { Kind::Cut } else { kind };
            strand.search(ply, Window::test_below(singular.beta), singular.depth, kind)
        })?;
        if others >= beta && kind != Kind::Pv && !others.is_known() {
            return Ok(Err(others));
        }
        Ok(Ok(self.rules.singular_extension(&self.path, ply, singular, others)))
    }

    /// Where the table has no move: that of the variation or refutation which the last iteration found for the root move.
    #[cold]
    pub(crate) fn follow_line(&mut self, ply: usize) {
        if ply == 0 || self.path[ply].table_move.is_some() {
            return;
        }
        let root = self.root.lock();
        let Some(known) = root.moves.iter().find(|root| Some(root.mv) == self.path[0].current) else { return };
        let is_on = (0..ply).all(|above| self.path[above].current == known.previous_line.get(above).copied());
        let next = known.previous_line.get(ply).map(|&mv| G::pack(mv)).filter(|_| is_on);
        drop(root);
        let frame = &mut self.path[ply];
        frame.table_move = next.and_then(|bits| frame.position.unpack(bits));
    }

    /// StarTech's recursive iterative deepening: where the table has no move from a search one ply less deep, make one.
    pub(crate) fn find_first_move(&mut self, ply: usize) -> Result<(), Cut> {
        let frame = &self.path[ply];
        let (window, depth, kind) = (frame.window, frame.depth, frame.kind);
        let known = frame.table_move.is_some() && frame.hit.is_some_and(|hit| hit.depth >= depth - 1);
        if depth < 2 || known || ply == 0 || frame.purpose.excludes_a_move() || !self.rules.recursive_deepening(frame) {
            return Ok(());
        }
        let (score, best_move) = self.side_search(ply, |strand| {
            let score = strand.search(ply, window, depth - 1, kind)?;
            Ok((score, strand.path[ply].best.mv))
        })?;
        self.probe(ply);
        let frame = &mut self.path[ply];
        if frame.hit.is_none_or(|hit| hit.depth < depth - 1) {
            // The table has lost it, or there is none.
            let (mv, bound) = (best_move.map_or(0, tag::<G>), window.bound(score));
            let (eval, pv) = frame.hit.map_or((None, false), |hit| (hit.eval, hit.pv));
            frame.hit = Some(Entry { mv, score, eval, depth: depth - 1, bound, pv });
        }
        frame.table_move = best_move.or(frame.table_move);
        Ok(())
    }

    /// Searches the node on its own frame, to another depth or with another window, before its moves are searched; then
    /// puts frame and note back. A cut needs no restoring: the frame is of no use any more.
    fn side_search<T>(&mut self, ply: usize, search: impl FnOnce(&mut Self) -> Result<T, Cut>) -> Result<T, Cut> {
        let frame = &self.path[ply];
        let (window, depth, kind) = (frame.window, frame.depth, frame.kind);
        let (hit, table_move, purpose) = (frame.hit, frame.table_move, frame.purpose);
        let note = frame.note.clone();
        let result = search(self)?;
        self.begin(ply, window, depth, kind);
        let frame = &mut self.path[ply];
        (frame.hit, frame.table_move, frame.purpose) = (hit, table_move, purpose);
        frame.note = note;
        frame.best.line.clear();
        Ok(result)
    }
}
