//! The moves of the root: the only node whose moves are remembered from one iteration to the next.

use game::{Bound, Depth, Score, Window};

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub struct RootMove<M> {
    /// The move.
    pub mv: M,
    /// Its score in this iteration; minus infinity if it was only tested and failed.
    pub score: Score,
    /// What the score says about the true value.
    pub bound: Bound,
    /// Its score in the iteration before; exact, unless the move was only tested.
    pub previous: Score,
    /// The variation behind the score, beginning with the move.
    pub line: Vec<M>,
    /// The variation behind the score of the iteration before.
    pub(crate) previous_line: Vec<M>,
    /// Nodes spent on it in all iterations.
    pub nodes: u64,
    /// Those among them that were spent before this iteration.
    nodes_before: u64,
    /// Nodes spent on it in the iteration before.
    previous_nodes: u64,
}

impl<M: Copy> RootMove<M> {
    pub(crate) fn new(mv: M) -> Self {
        RootMove {
            mv,
            score: -Score::INFINITE,
            bound: Bound::Upper,
            previous: -Score::INFINITE,
            line: vec![mv],
            previous_line: vec![mv],
            nodes: 0,
            nodes_before: 0,
            previous_nodes: 0,
        }
    }

    /// The latest score: of this iteration, or of the one before.
    pub fn known_score(&self) -> Option<Score> {
        [self.score, self.previous].into_iter().find(|&score| score > -Score::INFINITE)
    }

    /// Was its score found in this iteration, and is it exact?
    fn is_exact(&self) -> bool {
        self.score > -Score::INFINITE && self.bound == Bound::Exact
    }

    /// Goes back to the score and the variation of the iteration before.
    fn restore(&mut self) {
        (self.score, self.bound) = (self.previous, Bound::Exact);
        self.line.clone_from(&self.previous_line);
    }
}

/// The root moves in the order in which they are searched; the first `settled` belong to better lines (MultiPV).
#[derive(Clone)]
pub(crate) struct Root<M> {
    pub(crate) moves: Vec<RootMove<M>>,
    pub(crate) settled: usize,
    /// The window and the depth of this search of the root.
    pub(crate) window: Window,
    pub(crate) depth: Depth,
}

impl<M: Copy> Root<M> {
    pub(crate) fn new(moves: Vec<RootMove<M>>) -> Root<M> {
        Root { moves, settled: 0, window: Window::FULL, depth: 0 }
    }

    /// A new iteration: scores become history.
    pub(crate) fn next_iteration(&mut self) {
        self.settled = 0;
        for root in &mut self.moves {
            root.previous = root.score;
            root.previous_line.clone_from(&root.line);
            root.previous_nodes = root.nodes - root.nodes_before;
            root.nodes_before = root.nodes;
        }
    }

    /// The iteration is given up: what was known before it counts.
    pub(crate) fn restore_scores(&mut self) {
        self.moves.iter_mut().for_each(RootMove::restore);
    }

    /// The iteration is given up in its middle: the best move keeps an exact score of this iteration; else it goes back to
    /// the iteration before, whose score is exact and whose variation is whole. True if it went back.
    pub(crate) fn restore_best(&mut self) -> bool {
        let Some(best) = self.moves.first_mut() else { return false };
        let goes_back = !best.is_exact() && best.previous > -Score::INFINITE;
        if goes_back {
            best.restore();
        }
        goes_back
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

    /// Brings all moves but the first into order of the nodes that the iteration before spent on them, most first.
    pub(crate) fn sort_by_nodes(&mut self) {
        if let Some((_, others)) = self.moves.split_first_mut() {
            others.sort_by_key(|root| std::cmp::Reverse(root.previous_nodes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> Root<u16> {
        Root::new([1, 2].map(RootMove::new).to_vec())
    }

    fn set(root: &mut RootMove<u16>, score: i32, bound: Bound, line: &[u16]) {
        (root.score, root.bound, root.line) = (Score::estimate(score), bound, line.to_vec());
    }

    #[test]
    fn a_bound_of_an_unfinished_iteration_gives_way_to_the_exact_score_before() {
        let mut root = root();
        set(&mut root.moves[0], 30, Bound::Exact, &[1, 7, 8, 9]);
        root.next_iteration();
        set(&mut root.moves[0], 5, Bound::Upper, &[1]);
        assert!(root.restore_best());
        let best = &root.moves[0];
        assert_eq!((best.score, best.bound, best.line.len()), (Score::estimate(30), Bound::Exact, 4));
    }

    #[test]
    fn an_exact_score_of_this_iteration_stays_and_so_does_what_has_nothing_before_it() {
        let mut root = root();
        set(&mut root.moves[0], 30, Bound::Lower, &[1]);
        assert!(!root.restore_best() && root.moves[0].bound == Bound::Lower);
        root.next_iteration();
        set(&mut root.moves[0], 40, Bound::Exact, &[1, 7]);
        assert!(!root.restore_best() && root.moves[0].score == Score::estimate(40));
    }

    #[test]
    fn moves_that_took_many_nodes_in_the_last_iteration_come_early_after_the_best() {
        let mut root = Root::new([1, 2, 3, 4].map(RootMove::new).to_vec());
        for (mv, nodes) in root.moves.iter_mut().zip([5, 100, 10, 20]) {
            mv.nodes = nodes;
        }
        root.next_iteration();
        // What was spent before does not count.
        for (mv, nodes) in root.moves.iter_mut().zip([5, 1, 40, 20]) {
            mv.nodes += nodes;
        }
        root.next_iteration();
        root.sort_by_nodes();
        assert_eq!(root.moves.iter().map(|root| root.mv).collect::<Vec<_>>(), [1, 3, 4, 2]);
    }
}
