//! Which moves give check, found without making them.

use crate::{Move, Position};
use cozy_chess::{
    BitBoard, Piece, Square, get_between_rays, get_bishop_moves, get_bishop_rays, get_knight_moves, get_line_rays,
    get_pawn_attacks, get_rook_moves, get_rook_rays,
};

/// The squares from which each kind of piece would check the enemy king, and the pieces that uncover a check by moving.
#[derive(Clone, Copy)]
pub(crate) struct CheckSquares {
    king: Square,
    from: [BitBoard; Piece::NUM],
    uncover: BitBoard,
}

impl CheckSquares {
    pub(crate) fn of(position: &Position) -> CheckSquares {
        let board = position.board();
        let us = board.side_to_move();
        let king = board.king(!us);
        let occupied = board.occupied();
        let (diagonal, straight) = (get_bishop_moves(king, occupied), get_rook_moves(king, occupied));
        let from = [
            get_pawn_attacks(king, !us),
            get_knight_moves(king),
            diagonal,
            straight,
            diagonal | straight,
            BitBoard::EMPTY,
        ];
        let queens = board.pieces(Piece::Queen);
        let sliders = board.colors(us)
            & (get_bishop_rays(king) & (board.pieces(Piece::Bishop) | queens)
                | get_rook_rays(king) & (board.pieces(Piece::Rook) | queens));
        let mut uncover = BitBoard::EMPTY;
        for slider in sliders {
            let between = get_between_rays(slider, king) & occupied;
            if between.len() == 1 {
                uncover |= between & board.colors(us);
            }
        }
        CheckSquares { king, from, uncover }
    }

    /// Does the moving piece itself give check?
    #[inline]
    pub(crate) fn gives_direct_check(&self, piece: Piece, mv: Move) -> bool {
        self.from[piece as usize].has(mv.target())
    }

    /// Does the move give check? Castling and en passant are judged by their from and to squares only, which may be
    /// wrong.
    pub(crate) fn gives_check(&self, position: &Position, mv: Move) -> bool {
        let piece = mv.promotion().unwrap_or_else(|| position.mover(mv));
        self.from[piece as usize].has(mv.target())
            || self.uncover.has(mv.source()) && !get_line_rays(self.king, mv.source()).has(mv.target())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Game;

    #[test]
    fn checks_are_told_before_they_are_made() {
        let mut random = 3u64;
        let mut position = Position::default();
        let (mut checks, mut wrong) = (0, 0);
        for _ in 0..5000 {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            if moves.is_empty() || position.ending().is_some() {
                position = Position::default();
                continue;
            }
            let squares = CheckSquares::of(&position);
            for &mv in &moves {
                let gives = position.play(mv).in_check();
                checks += usize::from(gives);
                let castles = position.board().colors(position.board().side_to_move()).has(mv.target());
                let en_passant = position.is_capture(mv) && position.board().piece_on(mv.target()).is_none();
                if squares.gives_check(&position, mv) != gives {
                    wrong += 1;
                    assert!(castles || en_passant || mv.promotion().is_some(), "{mv:?} in {}", position.board());
                }
            }
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            position = position.play(moves[(random >> 33) as usize % moves.len()]);
        }
        assert!(checks > 1000 && wrong * 100 < checks, "{wrong} wrong of {checks}");
    }
}
