//! The moves of the root: the only node whose moves are remembered from one iteration to the next.

use game::Score;

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub struct RootMove<M> {
    /// The move.
    pub mv: M,
    /// Its score in this iteration; minus infinity if it was only tested and failed.
    pub score: Score,
    /// Its score in the iteration before.
    pub previous: Score,
    /// The variation behind the score, beginning with the move.
    pub line: Vec<M>,
    /// Nodes spent on it in all iterations.
    pub nodes: u64,
}

impl<M: Copy> RootMove<M> {
    pub(crate) fn new(mv: M) -> Self {
        RootMove { mv, score: -Score::INFINITE, previous: -Score::INFINITE, line: vec![mv], nodes: 0 }
    }

    /// The latest score: of this iteration, or of the one before.
    pub fn known_score(&self) -> Option<Score> {
        [self.score, self.previous].into_iter().find(|&score| score > -Score::INFINITE)
    }
}

/// The root moves in the order in which they are searched; the first `settled` belong to better lines (MultiPV).
#[derive(Clone)]
pub(crate) struct Root<M> {
    pub(crate) moves: Vec<RootMove<M>>,
    pub(crate) settled: usize,
}

impl<M: Copy> Root<M> {
    /// A new iteration: scores become history.
    pub(crate) fn next_iteration(&mut self) {
        self.settled = 0;
        for root in &mut self.moves {
            root.previous = root.score;
        }
    }

    /// The iteration is given up: what was known before it counts.
    pub(crate) fn restore_scores(&mut self) {
        for root in &mut self.moves {
            root.score = root.previous;
        }
    }

    /// A new search of the unsettled moves: nothing is known of them yet.
    pub(crate) fn forget_scores(&mut self) {
        for root in &mut self.moves[self.settled..] {
            root.score = -Score::INFINITE;
        }
    }

    /// Brings the moves into order of score; those only tested keep their order.
    pub(crate) fn sort(&mut self) {
        let settled = self.settled;
        self.moves[settled..].sort_by_key(|root| std::cmp::Reverse((root.score, root.previous)));
    }
}
