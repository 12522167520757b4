//! The evaluation: a tapered sum of weighted terms, tuned on games the engine played against itself.
//!
//! [`terms`] lists the terms, [`WEIGHTS`] holds the weights that the tuner found, and [`observe()`] looks at a board
//! and tells a [`Sink`] how often each term occurs. The engine uses a sink that sums weights, the tuner one that
//! records counts, so both evaluate by the same code.

pub mod network;
mod observe;
mod pawns;
pub mod terms;
mod weights;

pub use observe::{endgame_scale, observe, phase};
pub use pawns::PawnCache;
pub use terms::{Sink, TERMS};
pub use weights::WEIGHTS;

use cozy_chess::{Board, Color};
use game::Score;
use pawns::PawnStructure;

/// The largest value of [`phase`]: all pieces on the board.
pub const FULL_PHASE: i32 = 24;
/// The value of [`endgame_scale`] for positions that are not drawish.
pub const FULL_SCALE: i32 = 64;

/// A middlegame and an endgame value in one integer: the endgame in the upper half, so one addition adds both.
#[derive(Clone, Copy, Default)]
struct Packed(i32);

impl Packed {
    const fn new(middlegame: i32, endgame: i32) -> Packed {
        Packed((endgame << 16) + middlegame)
    }

    fn to_bits(self) -> u64 {
        u64::from(self.0 as u32)
    }

    fn from_bits(bits: u64) -> Packed {
        Packed(bits as u32 as i32)
    }

    fn middlegame(self) -> i32 {
        i32::from(self.0 as i16)
    }

    fn endgame(self) -> i32 {
        // A negative middlegame part has borrowed one from the upper half.
        (self.0 + 0x8000) >> 16
    }
}

const PACKED: [Packed; TERMS] = {
    let mut packed = [Packed(0); TERMS];
    let mut term = 0;
    while term < TERMS {
        packed[term] = Packed::new(WEIGHTS[term].0 as i32, WEIGHTS[term].1 as i32);
        term += 1;
    }
    packed
};

/// Sums up the weights.
#[derive(Default)]
struct Sum(Packed);

impl Sink for Sum {
    #[inline(always)]
    fn add(&mut self, term: usize, count: i32) {
        self.0.0 += PACKED[term].0 * count;
    }
}

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

    #[test]
    fn packing_keeps_both_values() {
        for middlegame in [-3000, -1, 0, 1, 2999] {
            for endgame in [-3000, -1, 0, 1, 2999] {
                let packed = Packed::new(middlegame, endgame);
                assert_eq!((packed.middlegame(), packed.endgame()), (middlegame, endgame));
            }
        }
    }

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
