//! Positions to learn from, in 32 bytes each.
//!
//! A file of them begins with the eight bytes `JAMBPOS1`. Then, for each position, little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | the occupied squares, a1 the lowest bit, b1 the next |
//! | 16 | for each occupied square in this order four bits, the low half of a byte first: pawn 0 to king 5, plus 8 for Black |
//! | 2 | the score in hundredths of a pawn, seen by White |
//! | 1 | how the game ended, in half points for White: 0, 1 or 2 |
//! | 1 | the side to move: 0 for White, 1 for Black |
//! | 4 | the number of the game, plus 2^31 at its last position (`datagen`); zero if that is not known |

use crate::tune::Sample;
use chess::board::{BitBoard, Board, BoardBuilder, Color, Piece, Square};
use chess::evaluation::network::{View, bucket, feature};

/// How a file of records begins.
pub const MAGIC: &[u8; 8] = b"JAMBPOS1";
/// Bytes of a record.
pub const SIZE: usize = 32;

/// A position to learn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedPosition {
    occupied: u64,
    pieces: [u8; 16],
    score: i16,
    half_points: u8,
    side: u8,
}

/// The features of a position, for the side to move and for the other side.
pub(super) struct Active {
    pub(super) features: [[u16; 32]; 2],
    pub(super) count: usize,
}

impl PackedPosition {
    /// From a line of a text file.
    pub fn new(sample: &Sample) -> PackedPosition {
        let board = &sample.board;
        let mut pieces = [0u8; 16];
        for (number, square) in board.occupied().iter().enumerate() {
            let piece = board.piece_on(square).map_or(0, |piece| piece as u8);
            let code = piece + if board.colors(Color::Black).has(square) { 8 } else { 0 };
            pieces[number / 2] |= code << (4 * (number % 2));
        }
        PackedPosition {
            occupied: board.occupied().0,
            pieces,
            score: sample.score.clamp(-32_000, 32_000) as i16,
            half_points: (2.0 * sample.result) as u8,
            side: board.side_to_move() as u8,
        }
    }

    /// The bytes in a file.
    pub fn to_bytes(self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[..8].copy_from_slice(&self.occupied.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.pieces);
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        (bytes[26], bytes[27]) = (self.half_points, self.side);
        bytes
    }

    /// From a file; none if it is not a position with one king a side.
    pub fn from_bytes(bytes: &[u8; SIZE]) -> Option<PackedPosition> {
        let mut record = PackedPosition { half_points: bytes[26], side: bytes[27], ..PackedPosition::default() };
        for (place, &byte) in bytes[..8].iter().enumerate() {
            record.occupied |= u64::from(byte) << (8 * place);
        }
        record.pieces.copy_from_slice(&bytes[8..24]);
        record.score = i16::from_le_bytes([bytes[24], bytes[25]]);
        let kings = |code| record.codes().filter(|&(_, found)| found == code).count();
        let whole = record.occupied.count_ones() <= 32
            && record.codes().all(|(_, code)| code & 7 < 6)
            && kings(5) == 1
            && kings(13) == 1
            && record.half_points <= 2
            && record.side <= 1;
        whole.then_some(record)
    }

    /// The pieces with their squares.
    fn codes(&self) -> impl Iterator<Item = (Square, u8)> + '_ {
        let code = |number: usize| self.pieces[number / 2] >> (4 * (number % 2)) & 15;
        BitBoard(self.occupied).iter().take(32).enumerate().map(move |(number, square)| (square, code(number)))
    }

    /// The features for the network.
    #[inline]
    pub(super) fn active(&self) -> Active {
        let mut plain = [0u16; 32];
        let mut kings = [Square::A1; 2];
        let mut count = 0;
        for (square, code) in self.codes() {
            let (black, piece) = (usize::from(code >> 3), code & 7);
            plain[count] = feature(Color::index(black), Piece::index(usize::from(piece)), square);
            count += 1;
            if piece == Piece::King as u8 {
                kings[black] = square;
            }
        }
        let us = Color::index(usize::from(self.side));
        let features = [us, !us].map(|side| {
            let view = View::new(side, kings[side as usize]);
            plain.map(|feature| view.index(feature) as u16)
        });
        Active { features, count }
    }

    /// How many pieces there are.
    pub fn pieces(&self) -> u32 {
        self.occupied.count_ones()
    }

    /// The output that is used, of `buckets`.
    #[inline]
    pub(super) fn bucket(&self, buckets: usize) -> usize {
        bucket(self.occupied.count_ones(), buckets)
    }

    /// The score and the result, both for the side to move; the result is from 0 to 1.
    #[inline]
    pub(super) fn labels(&self) -> (f32, f32) {
        let (score, result) = (f32::from(self.score), f32::from(self.half_points) / 2.0);
        if self.side == 0 { (score, result) } else { (-score, 1.0 - result) }
    }

    /// The board, without castling rights.
    pub fn board(&self) -> Option<Board> {
        let mut builder = BoardBuilder::empty();
        for (square, code) in self.codes() {
            let piece = (Piece::index(usize::from(code & 7)), Color::index(usize::from(code >> 3)));
            *builder.square_mut(square) = Some(piece);
        }
        builder.side_to_move = Color::index(usize::from(self.side));
        builder.build().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::parse_line;

    #[test]
    fn what_is_packed_is_unpacked() {
        for line in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1;31;0.5",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b - - 0 1;-240;0",
            "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1;1200;1",
        ] {
            let sample = parse_line(line).unwrap();
            let record = PackedPosition::from_bytes(&PackedPosition::new(&sample).to_bytes()).unwrap();
            assert_eq!(record, PackedPosition::new(&sample));
            assert_eq!(record.board().unwrap(), sample.board);
            let sign = if sample.board.side_to_move() == Color::White { 1.0 } else { -1.0 };
            assert_eq!(record.labels().0, sign * sample.score as f32);
            assert_eq!(record.active().count, sample.board.occupied().len() as usize);
        }
        assert_eq!(PackedPosition::from_bytes(&[0; SIZE]), None);
        assert_eq!(PackedPosition::from_bytes(&[255; SIZE]), None);
    }
}
