//! The debug mode of *Socrates (section 5.3): the result of every node of a search is compared with an oracle, to find errors
//! of the parallel search at the node where they happen. Very slow.

use crate::algorithms::SERIAL;
use crate::context::{SearchContext, StrandState};
use crate::lost_stack::LostStack;
use crate::strand::{ControlIn, Strand};
use crate::verifier::{Oracle, Verifier};
use crate::work::{ParallelismProfile, Work};
use crate::{Limits, Path, Purpose, Report, Rules};
use game::{Bound, Game, Score, Window, negamax};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl<G: Game, R: Rules<G>> Strand<'_, '_, G, R> {
    /// Compares the result of the node in frame `ply`, which was searched with this window.
    #[cold]
    pub(crate) fn verify(&self, verifier: &Verifier<G, R>, ply: usize, window: Window, score: Score) {
        let frame = &self.path[ply];
        if ply == 0 || frame.purpose != Purpose::Value {
            // The root may be searched with some of its moves only.
            return;
        }
        verifier.nodes.fetch_add(1, Ordering::Relaxed);
        let bound = window.bound(score);
        let found = match verifier.oracle {
            Oracle::Negamax => negamax(&frame.position, frame.depth, ply),
            Oracle::SerialSearch => self.search_serially(verifier, ply, enough(score, bound)),
        };
        let is_right = match bound {
            Bound::Exact => found == score,
            Bound::Lower => found >= score,
            Bound::Upper => found <= score,
        };
        if !is_right {
            let position = self.rules.describe(&frame.position);
            let moves = self.moves_to(ply);
            let message = format!(
                "{position} at ply {ply} (moves {moves:?}), depth {}, {:?}, window {:?}: {bound:?} {score:?}, but {:?} says {found:?}",
                frame.depth, frame.kind, window, verifier.oracle
            );
            verifier.failure.lock().get_or_insert(message);
            self.context.tally.stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Searches the node in frame `ply` again: serially, without a table, with nothing learned.
    fn search_serially(&self, verifier: &Verifier<G, R>, ply: usize, window: Window) -> Score {
        let mut deaf = |_: Report<'_, G::Move>| ControlFlow::Continue(());
        let (limits, fresh) = (Limits::default(), || (Path::new(self.context.position), self.rules.fresh()));
        let used = verifier.idle.lock().pop();
        let (path, rules) = used.unwrap_or_else(fresh);
        let (position, history) = (self.context.position, self.context.history);
        let context = SearchContext::new(position, history, &limits, rules.clone(), SERIAL, &mut deaf);
        let control = ControlIn::<G, R>::default();
        let mut strand_state = StrandState {
            path_and_rules: Some((path, rules)),
            lost: LostStack::new(),
            work: Work::default(),
            profile: ParallelismProfile::default(),
        };
        let mut strand = Strand::new(&context, None, &control, &mut strand_state, Arc::clone(&context.root));
        strand.path.follow(&self.path.copy_to(ply));
        let (depth, kind) = (self.path[ply].depth, self.path[ply].kind);
        let found = strand.search(ply, window, depth, kind);
        let (path, rules, _) = strand.end();
        verifier.idle.lock().push((path, rules));
        found.unwrap_or_else(|_| unreachable!("a strand that is alone cannot be cut"))
    }
}

/// The smallest window that shows whether a score is right.
fn enough(score: Score, bound: Bound) -> Window {
    match bound {
        Bound::Exact => Window { alpha: score - 1, beta: score + 1 },
        Bound::Lower => Window::test_below(score),
        Bound::Upper => Window::test_above(score),
    }
}
