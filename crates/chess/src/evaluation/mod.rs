//! The evaluation: a tapered sum of weighted terms, tuned on games the engine played against itself.
//!
//! [`terms`] lists the terms, [`WEIGHTS`] holds the weights that the tuner found, and [`observe()`] looks at a board
//! and tells a [`Sink`] how often each term occurs. The engine uses a sink that sums weights, the tuner one that
//! records counts, so both evaluate by the same code.

pub mod network;
mod observe;
mod pawns;
mod sum;
pub mod terms;
mod weights;

pub use observe::{FULL_PHASE, FULL_SCALE, endgame_scale, observe, phase};
pub use pawns::PawnCache;
pub use terms::{Sink, TERMS};
pub use weights::WEIGHTS;

use cozy_chess::{Board, Color};
use game::Score;
use pawns::PawnStructure;
use sum::Sum;

/// The evaluation of a board, seen by the side to move.
pub fn evaluate(board: &Board) -> Score {
    let mut sum = Sum::default();
    let structure = PawnStructure::observe(board, &mut sum);
    finish(board, structure, sum)
}

/// As [`evaluate`], with a cache of pawn structures.
pub fn evaluate_cached(board: &Board, cache: &PawnCache) -> Score {
    let (structure, pawn_sum) = cache.look_up(board);
    finish(board, structure, Sum(pawn_sum))
}

#[inline]
fn finish(board: &Board, structure: PawnStructure, mut sum: Sum) -> Score {
    observe::observe_pieces(board, structure, &mut sum);
    let phase = phase(board);
    let (middlegame, endgame) = (sum.0.middlegame(), sum.0.endgame());
    let scale = endgame_scale(board, endgame);
    let white = (middlegame * phase + endgame * scale / FULL_SCALE * (FULL_PHASE - phase)) / FULL_PHASE;
    Score::estimate(if board.side_to_move() == Color::White { white } else { -white })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;
    use cozy_chess::BoardBuilder;
    use game::Game;

    /// The board with colours and ranks exchanged.
    fn mirrored(board: &Board) -> Board {
        let old = BoardBuilder::from_board(board);
        let mut new = BoardBuilder::empty();
        for square in cozy_chess::Square::ALL {
            *new.square_mut(square.flip_rank()) = old.square(square).map(|(piece, color)| (piece, !color));
        }
        new.side_to_move = !board.side_to_move();
        new.build().unwrap()
    }

    #[test]
    fn colours_are_treated_alike_and_the_cache_changes_nothing() {
        let cache = PawnCache::default();
        let mut position = Position::default();
        let mut moves = Vec::new();
        let mut random = 1u64;
        for _ in 0..3000 {
            moves.clear();
            position.moves(&mut moves);
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            if moves.is_empty() || position.is_dead() {
                position = Position::default();
                continue;
            }
            position = position.play(moves[(random >> 33) as usize % moves.len()]);
            let score = evaluate(position.board());
            assert_eq!(score, evaluate(&mirrored(position.board())), "{}", position.board());
            assert_eq!(score, evaluate_cached(position.board(), &cache), "{}", position.board());
        }
    }
}
