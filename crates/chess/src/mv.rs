//! A chess move in 16 bits.

use cozy_chess::{Move as BoardMove, Piece, Square};
use std::fmt;
use std::num::NonZeroU16;

/// A move in 16 bits: from, to, and the piece promoted to. Castling is "king takes own rook", as in Chess960.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

const PROMOTIONS: [Option<Piece>; 5] =
    [None, Some(Piece::Knight), Some(Piece::Bishop), Some(Piece::Rook), Some(Piece::Queen)];

impl Move {
    /// From the bits of a table entry; none if they are not a move.
    pub fn from_bits(bits: u16) -> Option<Move> {
        let plausible = bits & 63 != bits >> 6 & 63 && usize::from(bits >> 12) < PROMOTIONS.len();
        NonZeroU16::new(bits).filter(|_| plausible).map(Move)
    }

    /// The bits, for a table entry.
    pub fn bits(self) -> u16 {
        self.0.get()
    }

    /// Where the piece comes from.
    #[inline]
    pub fn source(self) -> Square {
        Square::index(usize::from(self.0.get() & 63))
    }

    /// Where the piece goes; for castling, the square of the rook.
    #[inline]
    pub fn target(self) -> Square {
        Square::index(usize::from(self.0.get() >> 6 & 63))
    }

    /// What a pawn becomes.
    #[inline]
    pub fn promotion(self) -> Option<Piece> {
        PROMOTIONS[usize::from(self.0.get() >> 12)]
    }

    /// From and to in one number below 4096.
    #[inline]
    pub(crate) fn squares(self) -> usize {
        usize::from(self.0.get() & 0xfff)
    }
}

impl From<BoardMove> for Move {
    #[inline]
    fn from(mv: BoardMove) -> Move {
        debug_assert!(mv.from != mv.to);
        let promotion = mv.promotion.map_or(0, |piece| piece as u16);
        let bits = mv.from as u16 | (mv.to as u16) << 6 | promotion << 12;
        // Only a1a1 would be zero, and no piece moves to its own square.
        Move(NonZeroU16::new(bits).unwrap_or(NonZeroU16::MAX))
    }
}

impl From<Move> for BoardMove {
    #[inline]
    fn from(mv: Move) -> BoardMove {
        BoardMove { from: mv.source(), to: mv.target(), promotion: mv.promotion() }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", BoardMove::from(*self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bits_hold_every_move() {
        let moves: Vec<_> = (0..=u16::MAX).filter_map(|bits| Some((bits, Move::from_bits(bits)?))).collect();
        for &(bits, mv) in &moves {
            assert_eq!(Move::from(BoardMove::from(mv)), mv);
            assert_eq!(mv.bits(), bits);
        }
        // From every square to every other one, without a promotion or with one of four.
        assert_eq!(moves.len(), 64 * 63 * 5);
    }
}
