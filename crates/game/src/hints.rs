//! What a game may say about its moves, so that they are searched in a good order, and bad ones less deep.

use crate::{Depth, Game};

/// What a game says about its moves beyond their rules. With it a search orders them by what it has learned, reduces those that
/// it expects little of, and looks past the horizon where captures are left.
///
/// Two more things are said by [`Game`] itself: [`Game::evaluate`] is the static evaluation, and a game in which it is
/// always better to move than to pass implements [`Game::pass`], which makes null-move pruning possible.
///
/// ```
/// use jamboree_game::connect_four::ConnectFour;
/// use jamboree_game::{Game, Hints};
///
/// // The first player has three in a row and may make four in one column.
/// let position: ConnectFour = "112233".parse()?;
/// let mut moves = Vec::new();
/// position.moves(&mut moves);
/// assert_eq!(moves.iter().filter(|&&column| position.is_noisy(column)).count(), 1);
/// assert!(moves.iter().all(|&column| position.history_index(column) < ConnectFour::HISTORY));
/// # Ok::<(), jamboree_game::connect_four::ParseError>(())
/// ```
pub trait Hints: Game {
    /// How many numbers [`Hints::history_index`] can return.
    const HISTORY: usize;

    /// The place of a move in the history, below [`Hints::HISTORY`]. Moves with the same place should be good or bad together in
    /// similar positions: the side to move and the target square, say, or the side and both squares.
    fn history_index(&self, mv: Self::Move) -> usize;

    /// Does a legal move change so much that the evaluation before it says little: a capture, or a win? Such moves are searched
    /// early and never reduced, and quiescence follows them past the horizon. So a line of them must end soon.
    fn is_noisy(&self, _mv: Self::Move) -> bool {
        false
    }

    /// Does a legal move use up no depth: a pass, say, where there is no other move? Depth then counts the other moves. Such moves
    /// must not follow each other for long.
    fn is_free(&self, _mv: Self::Move) -> bool {
        false
    }

    /// How promising a legal move looks, from -30,000 to 30,000. It orders noisy moves, and is added to the history of others,
    /// which lies between -16,384 and 16,384. `depth` is what is left to search: a hint that takes long to compute should be
    /// given where it is large.
    fn promise(&self, _mv: Self::Move, _depth: Depth) -> i32 {
        0
    }
}
