//! What a game may tell the search about its own tree. Every hook is named after what it decides.

use crate::{Exchange, Frame, FrameMemory, Path};
use game::{Bound, Depth, Ending, Game, Score};

/// Which moves a picker shall produce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Every legal move.
    All,
    /// Only moves that change too much to be ignored by an evaluation: captures and the like.
    Noisy,
    /// Noisy moves that win at least this much by exchange.
    Winning(i32),
}

/// A request for an excluded-move search: is the table move much better than all others?
#[derive(Clone, Copy, Debug)]
pub struct Singular {
    /// All other moves must stay below this.
    pub beta: Score,
    /// How deep to look at the others.
    pub depth: Depth,
}

/// A request for a ProbCut search: does a good capture beat even a raised beta at a reduced depth?
#[derive(Clone, Copy, Debug)]
pub struct ProbCut {
    /// The raised beta.
    pub beta: Score,
    /// The reduced depth.
    pub depth: Depth,
    /// Only moves that win at least this much by exchange are tried.
    pub gain: i32,
}

/// A request for a preliminary search: does even a shallow search end at or below a lowered alpha?
#[derive(Clone, Copy, Debug)]
pub struct Preliminary {
    /// The lowered alpha.
    pub alpha: Score,
    /// The reduced depth.
    pub depth: Depth,
}

/// Windows around the score of the last iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aspiration {
    /// Depth from which the last score is trusted to be near the next.
    pub depth: Depth,
    /// First half-width of the window.
    pub width: i32,
    /// By how many percent it grows after a fail.
    pub growth: i32,
    /// Past this half-width a side of the window is opened altogether.
    pub widest: i32,
}

impl Default for Aspiration {
    fn default() -> Aspiration {
        Aspiration { depth: 4, width: 12, growth: 50, widest: 600 }
    }
}

/// A game's knowledge of its own tree: order, pruning, reductions, extensions, and what it learns on the way.
///
/// Each strand has a clone of its own; what they learn together lies behind shared references in it. The defaults are
/// those of a full-width search.
pub trait Rules<G: Game>: FrameMemory + Clone + Send + Sync {
    /// The same rules, which have learned nothing.
    fn fresh(&self) -> Self {
        self.clone()
    }

    /// The position, for a message to the developers.
    fn describe(&self, position: &G) -> String {
        format!("the position with key {:016x}", position.key())
    }

    /// A new search begins.
    fn new_search(&mut self) {}

    /// The search runs on this many processors. Do they learn together (none), or apart, and what do they tell each other then?
    fn learn_on(&mut self, _processors: usize, _apart: Option<Exchange>) {}

    /// The strand goes on on this processor.
    fn move_to(&mut self, _processor: usize) {}

    /// How narrow the windows of an iteration are.
    fn aspiration(&self) -> Aspiration {
        Aspiration::default()
    }

    /// The root failed high `times` times in a row: by how much less deep to search it again. Its value is near, and a slightly
    /// shallower search finds it more cheaply.
    fn relaxation(&self, _times: i32) -> Depth {
        0
    }

    /// A move was played into the frame at `ply`, which is searched next: what will be read there may be fetched from memory
    /// while the table is read.
    fn expect(&self, _path: &Path<G, Self>, _ply: usize) {}

    /// The node is entered: look at the position once, remember what later hooks need. Called after the table.
    fn enter(&mut self, _path: &mut Path<G, Self>, _ply: usize) {}

    /// What to evaluate a position as where the search has to end.
    fn evaluate(&mut self, path: &mut Path<G, Self>, ply: usize) -> Score {
        path[ply].position.evaluate()
    }

    /// The static evaluation, worth storing with the node's table entry.
    fn stored_evaluation(&self, _frame: &Frame<G, Self>) -> Option<Score> {
        None
    }

    /// Does the exact value of the position lie in some table outside the search?
    fn known(&self, _path: &Path<G, Self>, _ply: usize) -> Option<(Score, Bound)> {
        None
    }

    /// May a stored result replace a search here?
    fn trusts_table(&self, _frame: &Frame<G, Self>) -> bool {
        true
    }

    /// The node is searched less deep than asked for (internal iterative reduction).
    fn trimmed_depth(&self, _path: &Path<G, Self>, _ply: usize) -> Depth {
        _path[_ply].depth
    }

    /// The node is searched to a smaller depth first, to find its first move (StarTech section 4).
    fn recursive_deepening(&self, _frame: &Frame<G, Self>) -> bool {
        false
    }

    /// So good that it need not be searched: the score to return.
    fn prunes_high(&self, _path: &Path<G, Self>, _ply: usize) -> Option<Score> {
        None
    }

    /// So bad that quiescence may have the last word.
    fn razors(&self, _path: &Path<G, Self>, _ply: usize) -> bool {
        false
    }

    /// Try passing: the depth left after it.
    fn pass_depth(&self, _path: &Path<G, Self>, _ply: usize) -> Option<Depth> {
        None
    }

    /// Passing held; must a search at this depth without passing confirm it?
    fn verify_pass(&self, _path: &Path<G, Self>, _ply: usize) -> Option<Depth> {
        None
    }

    /// Try good captures against a raised beta.
    fn probcut(&self, _path: &Path<G, Self>, _ply: usize) -> Option<ProbCut> {
        None
    }

    /// Try whether a shallow search already looks too bad for a deep one.
    fn preliminary(&self, _path: &Path<G, Self>, _ply: usize) -> Option<Preliminary> {
        None
    }

    /// Try whether the table move stands alone.
    fn singular(&self, _path: &Path<G, Self>, _ply: usize) -> Option<Singular> {
        None
    }

    /// By how much to extend the table move when all others scored `others` against `singular.beta`.
    fn singular_extension(&self, _path: &Path<G, Self>, _ply: usize, _singular: Singular, _others: Score) -> Depth {
        0
    }

    /// Begins to produce the moves of a node.
    fn begin_moves(&mut self, path: &mut Path<G, Self>, ply: usize, wanted: Wanted);

    /// The next move of a node, best first.
    fn next(&mut self, path: &mut Path<G, Self>, ply: usize) -> Option<G::Move>;

    /// The moves that [`Rules::next`] would still produce, in order: the frame is about to be shared.
    fn moves_left(&self, path: &Path<G, Self>, ply: usize) -> Vec<G::Move>;

    /// About how many nodes it takes to search this many of the moves that are left at a node, of which the first has this
    /// index: whether it pays to send them to another machine.
    fn expected_nodes(&self, frame: &Frame<G, Self>, moves: usize, _index: usize) -> f64 {
        moves as f64 * 2_f64.powi(frame.depth)
    }

    /// Is the mover's hand forced? (In chess: the king is in check.) Then the number of moves left says little about the work.
    fn is_forced(&self, _frame: &Frame<G, Self>) -> bool {
        false
    }

    /// At a split point: has [`Rules::skips`] ended a whole class of moves, and this is one of them?
    fn passes_over(&self, _frame: &Frame<G, Self>, _mv: G::Move) -> bool {
        false
    }

    /// At a split point: another strand has searched this move.
    fn searched_by_another(&mut self, _path: &mut Path<G, Self>, _ply: usize, _mv: G::Move) {}

    /// The node is done with its moves.
    fn end_moves(&mut self, path: &mut Path<G, Self>, ply: usize);

    /// Must the move not be searched at all?
    fn skips(&mut self, _path: &mut Path<G, Self>, _ply: usize, _mv: G::Move) -> bool {
        false
    }

    /// By how much to extend a move; its result lies in the next frame.
    fn extension(&self, _path: &Path<G, Self>, _ply: usize, _mv: G::Move) -> Depth {
        0
    }

    /// By how much to reduce a test; the result of the move lies in the next frame. `index` counts the moves before.
    fn reduction(&self, _path: &Path<G, Self>, _ply: usize, _mv: G::Move, _index: usize) -> Depth {
        0
    }

    /// A reduced test failed: by how much deeper (or less deep) than usual to test again.
    fn retest_adjustment(&self, _path: &Path<G, Self>, _ply: usize, _score: Score, _depth: Depth) -> Depth {
        0
    }

    /// In quiescence: the score for doing nothing; none where doing nothing is not allowed.
    fn stand_pat(&mut self, path: &mut Path<G, Self>, ply: usize) -> Option<Score> {
        Some(self.evaluate(path, ply))
    }

    /// In quiescence: must the move not be searched?
    fn skips_noisy(&mut self, _path: &mut Path<G, Self>, _ply: usize, _mv: G::Move) -> bool {
        false
    }

    /// The node is finished and `frame.best_move`, if any, was good: learn from it.
    fn learn(&mut self, _path: &mut Path<G, Self>, _ply: usize, _bound: Bound) {}

    /// The end of the game where no move could be made.
    fn stuck(&self, path: &Path<G, Self>, ply: usize) -> Ending {
        path[ply].position.stuck()
    }
}
