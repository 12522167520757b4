//! Quiescence: search only what an evaluation must not overlook, until the position is quiet.

use crate::split_point::{Finished, MoveTask};
use crate::strand::{Cut, Strand};
use crate::tag::tag;
use crate::{Kind, Rules, Wanted};
use game::{Game, Score, Window};
use table::Entry;

impl<G: Game, R: Rules<G>> Strand<'_, '_, G, R> {
    /// The value of the node in frame `ply` when only noisy moves count.
    pub(crate) fn quiesce(&mut self, ply: usize, window: Window) -> Result<Score, Cut> {
        self.visit(ply)?;
        self.path[ply].best.forget_move();
        self.path[ply].sharing.surplus = 0;
        if let Some(score) = self.ended(ply) {
            return Ok(score);
        }
        let kind = if window.is_test() { Kind::Cut } else { Kind::Pv };
        self.begin(ply, window, 0, kind);
        self.probe(ply);
        let frame = &self.path[ply];
        if let Some(hit) = frame.hit
            && kind != Kind::Pv
            && hit.bound.settles(hit.score, window)
            && self.rules.trusts_table(frame)
        {
            return Ok(hit.score);
        }
        let resting = self.rules.stand_pat(&mut self.path, ply);
        if let Some(score) = resting {
            let frame = &mut self.path[ply];
            frame.best.score = score;
            if score >= window.beta {
                return Ok(score);
            }
            frame.window.alpha = window.alpha.max(score);
        }
        self.search_noisy(ply, if resting.is_none() { Wanted::All } else { Wanted::Noisy })?;
        let frame = &self.path[ply];
        if frame.best.score == -Score::INFINITE {
            return Ok(self.rules.stuck(&self.path, ply).score(ply));
        }
        self.note_duplicate(ply, window);
        let frame = &self.path[ply];
        if let Some(verifier) = &self.context.checks.verifier {
            self.verify(verifier, ply, window, frame.best.score);
        }
        let entry = Entry {
            mv: frame.best.mv.map_or(0, tag::<G>),
            score: frame.best.score,
            eval: self.rules.stored_evaluation(frame),
            depth: 0,
            bound: window.bound(frame.best.score),
            pv: frame.hit.is_some_and(|hit| hit.pv),
        };
        self.store(ply, entry);
        Ok(entry.score)
    }

    fn search_noisy(&mut self, ply: usize, wanted: Wanted) -> Result<(), Cut> {
        self.rules.begin_moves(&mut self.path, ply, wanted);
        self.open_frame(ply);
        let found = self.search_noisy_alone(ply);
        self.close_frame(ply, found)
    }

    fn search_noisy_alone(&mut self, ply: usize) -> Result<Option<Finished<G::Move>>, Cut> {
        while let Some(mv) = self.next_move(ply) {
            if self.rules.skips_noisy(&mut self.path, ply, mv) {
                continue;
            }
            let index = self.path[ply].tried;
            self.path[ply].tried += 1;
            let before = self.begin_move(ply, index);
            self.play(ply, mv);
            if self.path[ply].sharing.sharable && index > 0 {
                self.clock.leap(self.path[ply].sharing.times.ready);
            }
            let window = self.path[ply].window;
            let score = -self.quiesce(ply + 1, -window)?;
            if self.path[ply].sharing.shared {
                let task = MoveTask::Test { mv, index };
                let effort = self.clock.effort() - before;
                return Ok(Some(Finished { task, alpha: window.alpha, score, effort, recalls: 0 }));
            }
            if self.record(ply, mv, score, self.clock.effort() - before) {
                return Ok(None);
            }
        }
        self.join_brothers(ply);
        Ok(None)
    }
}
