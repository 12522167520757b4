//! What a game may say about its moves, so that they are searched in a good order, and bad ones less deep.

use crate::{Depth, Game};

/// What a game says about its moves beyond their rules. With it a search orders them by what it has learned, reduces those that
/// it expects little of, and looks past the horizon where captures are left.
///
/// Two more things are said by [`Game`] itself: [`Game::evaluate`] is the static evaluation, and a game in which it is
/// always better to move than to pass implements [`Game::pass`], which makes null-move pruning possible.
///
/// ```
/// use jamboree_game::{Ending, Game, Hints, Score};
///
/// /// Nim with one heap: take one to three; who takes the last one wins.
/// #[derive(Clone)]
/// struct Nim(u8);
///
/// impl Game for Nim {
///     type Move = u8;
///     fn key(&self) -> u64 {
///         u64::from(self.0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
///     }
///     fn moves(&self, out: &mut Vec<u8>) {
///         out.extend(1..=self.0.min(3));
///     }
///     fn play(&self, taken: u8) -> Nim {
///         Nim(self.0 - taken)
///     }
///     fn evaluate(&self) -> Score {
///         Score::DRAW
///     }
///     fn pack(taken: u8) -> u32 {
///         u32::from(taken)
///     }
///     fn unpack(&self, bits: u32) -> Option<u8> {
///         u8::try_from(bits).ok().filter(|&taken| (1..=self.0.min(3)).contains(&taken))
///     }
/// }
///
/// impl Hints for Nim {
///     const HISTORY: usize = 4;
///     fn history_index(&self, taken: u8) -> usize {
///         usize::from(taken)
///     }
/// }
///
/// assert_eq!(jamboree_game::negamax(&Nim(5), 5, 0), Score::win_in(3));
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

    /// How promising a legal move looks, from -30,000 to 30,000. It orders noisy moves, and is added to the history of others,
    /// which lies between -16,384 and 16,384. `depth` is what is left to search: a hint that takes long to compute should be
    /// given where it is large.
    fn promise(&self, _mv: Self::Move, _depth: Depth) -> i32 {
        0
    }
}
