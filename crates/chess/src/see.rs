//! Static exchange evaluation: what a move wins or loses by captures on its target square alone.

use crate::{Move, Position};
use cozy_chess::{
    BitBoard, Board, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks,
    get_rook_moves,
};

/// Exchange values of the pieces, pawn to king. All margins of exchanges are in this unit, so they are not parameters.
pub(crate) const EXCHANGE_VALUE: [i32; Piece::NUM] = [100, 325, 335, 500, 975, 0];

pub(crate) fn exchange_value(piece: Piece) -> i32 {
    EXCHANGE_VALUE[piece as usize]
}

/// Everything of either colour that attacks a square.
fn attackers(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let queens = board.pieces(Piece::Queen);
    get_pawn_attacks(square, Color::White) & board.colored_pieces(Color::Black, Piece::Pawn)
        | get_pawn_attacks(square, Color::Black) & board.colored_pieces(Color::White, Piece::Pawn)
        | get_knight_moves(square) & board.pieces(Piece::Knight)
        | get_king_moves(square) & board.pieces(Piece::King)
        | get_bishop_moves(square, occupied) & (board.pieces(Piece::Bishop) | queens)
        | get_rook_moves(square, occupied) & (board.pieces(Piece::Rook) | queens)
}

/// Does the move win at least `threshold` by exchange? Both sides capture with the least valuable piece first and may
/// stop at any time. Pins are ignored.
pub fn wins_at_least(position: &Position, mv: Move, threshold: i32) -> bool {
    let board = position.board();
    let (from, to) = (mv.source(), mv.target());
    let us = board.side_to_move();
    if board.colors(us).has(to) {
        return threshold <= 0; // castling
    }
    let victim = position.victim(mv);
    let promoted = mv.promotion();
    let mover = promoted.unwrap_or_else(|| position.mover(mv));
    let gain = victim.map_or(0, exchange_value) + promoted.map_or(0, |piece| exchange_value(piece) - 100);
    // What we have if the exchange ends here, and what we have if the mover is lost.
    let mut balance = gain - threshold;
    if balance < 0 {
        return false;
    }
    balance -= exchange_value(mover);
    if balance >= 0 {
        return true;
    }
    let mut occupied = (board.occupied() & !from.bitboard()) | to.bitboard();
    if victim == Some(Piece::Pawn) && !board.colors(!us).has(to) {
        occupied &= !Square::new(to.file(), from.rank()).bitboard();
    }
    let diagonal = board.pieces(Piece::Bishop) | board.pieces(Piece::Queen);
    let straight = board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    let mut left = attackers(board, to, occupied) & occupied;
    let mut side = !us;
    loop {
        let own = left & board.colors(side);
        if own.is_empty() {
            break;
        }
        let Some(&piece) = Piece::ALL.iter().find(|&&piece| !(own & board.pieces(piece)).is_empty()) else { break };
        if piece == Piece::King && !(left & board.colors(!side)).is_empty() {
            break; // the king may not capture what is defended
        }
        if let Some(square) = (own & board.pieces(piece)).next_square() {
            occupied &= !square.bitboard();
        }
        if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen) {
            left |= get_bishop_moves(to, occupied) & diagonal;
        }
        if matches!(piece, Piece::Rook | Piece::Queen) {
            left |= get_rook_moves(to, occupied) & straight;
        }
        left &= occupied;
        side = !side;
        balance = -balance - 1 - exchange_value(piece);
        if balance >= 0 {
            break;
        }
    }
    // The side that could not or would not go on has lost the exchange.
    side != us
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wins(fen: &str, mv: &str, threshold: i32) -> bool {
        let position: Position = fen.parse().unwrap();
        let mv: cozy_chess::Move = mv.parse().unwrap();
        assert!(position.board().is_legal(mv), "{mv} in {fen}");
        wins_at_least(&position, mv.into(), threshold)
    }

    /// The move wins exactly this much.
    fn exactly(fen: &str, mv: &str, value: i32) {
        assert!(wins(fen, mv, value), "{mv} in {fen} should win {value}");
        assert!(!wins(fen, mv, value + 1), "{mv} in {fen} should not win more than {value}");
    }

    #[test]
    fn known_exchanges() {
        exactly("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100);
        exactly("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", 100 - 325);
        exactly("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100);
        exactly("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0);
        exactly("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 875);
        exactly("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -100);
        exactly("4k3/8/4p3/3p4/8/8/3R4/3QK3 w - - 0 1", "d2d5", 100 - 500 + 100);
        exactly("4k3/8/8/3r4/8/8/8/3RK3 w - - 0 1", "d1d2", 0);
        exactly("8/8/3k4/3r4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 500);
        exactly("8/8/3k4/3r4/8/8/3R4/4K3 w - - 0 1", "d2d5", 0);
    }
}
