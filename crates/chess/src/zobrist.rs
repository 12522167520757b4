//! The key of the position after a move, foretold before the move is played.
//!
//! cozy-chess keeps its Zobrist keys (Zobrist 1970) to itself, but the keys of two boards that differ in one piece differ by
//! the key of that piece.

use crate::Move;
use cozy_chess::{Board, BoardBuilder, Color, Piece, Square};
use std::sync::LazyLock;

struct Keys {
    /// By colour, piece and square. Those of a king have a constant added (exclusive or): only differences are used.
    pieces: [[[u64; 64]; 6]; 2],
    /// The side to move.
    side: u64,
}

static KEYS: LazyLock<Keys> = LazyLock::new(Keys::new);

impl Keys {
    fn new() -> Keys {
        let mut pieces = [[[0; 64]; 6]; 2];
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in Square::ALL {
                    pieces[color as usize][piece as usize][square as usize] =
                        if piece == Piece::King { king(color, square) } else { man(color, piece, square) };
                }
            }
        }
        let kings = [(Color::White, Piece::King, Square::A1), (Color::Black, Piece::King, Square::H8)];
        Keys { pieces, side: key(Color::White, &kings) ^ key(Color::Black, &kings) }
    }
}

/// The key of a board without castling rights; zero for one that cannot be (a pawn on the last rank).
fn key(side: Color, pieces: &[(Color, Piece, Square)]) -> u64 {
    let mut builder = BoardBuilder::empty();
    builder.side_to_move = side;
    for &(color, piece, square) in pieces {
        builder.board[square as usize] = Some((piece, color));
    }
    builder.build().map_or(0, |board| board.hash())
}

/// The key of a piece that is no king.
fn man(color: Color, piece: Piece, square: Square) -> u64 {
    let corners = [[Square::A1, Square::H8], [Square::A8, Square::H1]];
    let [own, other] = corners[usize::from(corners[0].contains(&square))];
    let kings = [(color, Piece::King, own), (!color, Piece::King, other)];
    match key(!color, &[kings[0], kings[1], (color, piece, square)]) {
        0 => 0,
        with => with ^ key(!color, &kings),
    }
}

/// The key of a king on this square and one on a1 together.
fn king(color: Color, square: Square) -> u64 {
    let of = |square, other| key(color, &[(color, Piece::King, square), (!color, Piece::King, other)]);
    let from_a1 = |square| of(square, Square::H8) ^ of(Square::A1, Square::H8);
    let near_h8 = [Square::G7, Square::G8, Square::H7, Square::H8];
    if near_h8.contains(&square) {
        of(square, Square::A8) ^ of(Square::H1, Square::A8) ^ from_a1(Square::H1)
    } else {
        from_a1(square)
    }
}

/// The key after a move, if it is neither castling nor taking en passant and changes no right to castle or to take en passant.
#[inline]
pub(crate) fn after(board: &Board, key: u64, mv: Move) -> u64 {
    let keys = &*KEYS;
    let (side, from, to) = (board.side_to_move(), mv.source(), mv.target());
    let own = &keys.pieces[side as usize];
    let mover = board.piece_on(from).unwrap_or(Piece::King);
    let arrives = mv.promotion().unwrap_or(mover);
    let mut key = key ^ keys.side ^ own[mover as usize][from as usize] ^ own[arrives as usize][to as usize];
    if board.occupied().has(to)
        && let Some(victim) = board.piece_on(to)
    {
        key ^= keys.pieces[!side as usize][victim as usize][to as usize];
    }
    key
}

#[cfg(test)]
mod tests {
    use crate::Position;
    use game::Game;

    #[test]
    fn most_keys_are_foretold() {
        let mut position = Position::default();
        let (mut right, mut all) = (0, 0);
        for step in 0..200_usize {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            if moves.is_empty() || position.ending().is_some() {
                position = Position::default();
                continue;
            }
            for &mv in &moves {
                all += 1;
                right += usize::from(position.foretold_key(mv) == Some(position.play(mv).key()));
            }
            position = position.play(moves[step * 7919 % moves.len()]);
        }
        assert!(right * 100 > all * 90, "{right} of {all}");
    }

    #[test]
    fn a_king_a_capture_and_a_promotion_are_foretold() {
        for (fen, mv) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1d2"),
            ("8/8/8/8/8/8/6k1/K7 b - - 0 1", "g2h1"),
            ("8/7K/8/8/8/8/8/k7 w - - 0 1", "h7h8"),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5"),
            ("3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q"),
        ] {
            let position: Position = fen.parse().unwrap();
            let mv = crate::parse_move(&position, mv).unwrap();
            assert_eq!(position.foretold_key(mv), Some(position.play(mv).key()), "{fen}");
        }
    }
}
