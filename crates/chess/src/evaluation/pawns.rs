//! Pawn structure: the terms that depend on the pawns alone, kept in a small cache.

use super::sum::{Packed, Sum};
use super::terms::{
    BACKWARD, DOUBLED, ISOLATED, LEVER, MATERIAL, PASSED, PHALANX, RAMMED, SUPPORTED, Sink, square_term,
};
use cozy_chess::{BitBoard, Board, Color, Piece, Square};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// What the rest of the evaluation needs to know about the pawns; White first.
#[derive(Clone, Copy, Default)]
pub(super) struct PawnStructure {
    pub(super) attacks: [BitBoard; 2],
    /// Squares that pawns attack now or could attack after advancing.
    pub(super) attack_spans: [BitBoard; 2],
    pub(super) passed: [BitBoard; 2],
}

/// All squares one rank forward.
#[inline]
pub(super) fn forward(squares: BitBoard, color: Color) -> BitBoard {
    BitBoard(if color == Color::White { squares.0 << 8 } else { squares.0 >> 8 })
}

/// All squares in front, up to the edge.
#[inline]
fn forward_fill(squares: BitBoard, color: Color) -> BitBoard {
    let mut fill = squares.0;
    if color == Color::White {
        fill |= fill << 8;
        fill |= fill << 16;
        fill |= fill << 32;
    } else {
        fill |= fill >> 8;
        fill |= fill >> 16;
        fill |= fill >> 32;
    }
    BitBoard(fill)
}

const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The squares left and right of each square.
#[inline]
fn neighbours(squares: BitBoard) -> BitBoard {
    BitBoard((squares.0 & NOT_H) << 1 | (squares.0 & NOT_A) >> 1)
}

/// The squares pawns attack.
#[inline]
pub(super) fn pawn_attacks(pawns: BitBoard, color: Color) -> BitBoard {
    neighbours(forward(pawns, color))
}

/// The rank as `color` counts it, 0 to 7.
#[inline]
pub(super) fn relative_rank(square: Square, color: Color) -> usize {
    square.relative_to(color).rank() as usize
}

impl PawnStructure {
    pub(super) fn observe(board: &Board, sink: &mut impl Sink) -> PawnStructure {
        let mut structure = PawnStructure::default();
        for color in Color::ALL {
            let pawns = board.colored_pieces(color, Piece::Pawn);
            structure.attacks[color as usize] = pawn_attacks(pawns, color);
            structure.attack_spans[color as usize] = neighbours(forward_fill(forward(pawns, color), color));
        }
        for color in Color::ALL {
            structure.observe_side(board, color, sink);
        }
        structure
    }

    fn observe_side(&mut self, board: &Board, us: Color, sink: &mut impl Sink) {
        let sign = if us == Color::White { 1 } else { -1 };
        let ours = board.colored_pieces(us, Piece::Pawn);
        let theirs = board.colored_pieces(!us, Piece::Pawn);
        sink.add(MATERIAL.at(0), sign * ours.len() as i32);
        for square in ours {
            let rank = relative_rank(square, us);
            let here = square.bitboard();
            let ahead = forward_fill(forward(here, us), us);
            let beside = neighbours(here);
            sink.add(square_term(Piece::Pawn, square, us), sign);
            let file = square.file().adjacent() & ours;
            if file.is_empty() {
                sink.add(ISOLATED.at(0), sign);
            }
            if !(forward(here, us) & ours).is_empty() || !(ahead & ours).is_empty() {
                sink.add(DOUBLED.at(0), sign);
            }
            let supported = self.attacks[us as usize].has(square);
            if supported {
                sink.add(SUPPORTED.at(rank), sign);
            }
            if !(beside & ours).is_empty() {
                sink.add(PHALANX.at(rank), sign);
            }
            if !(neighbours(forward(here, us)) & theirs).is_empty() {
                sink.add(LEVER.at(rank), sign);
            }
            if !(forward(here, us) & theirs).is_empty() {
                sink.add(RAMMED.at(rank), sign);
            }
            let backers = forward_fill(beside | neighbours(forward(here, us)), !us) & ours;
            if backers.is_empty() && !file.is_empty() && !(forward(here, us) & self.attacks[!us as usize]).is_empty() {
                sink.add(BACKWARD.at(0), sign);
            }
            let in_the_way = (ahead | neighbours(ahead)) & theirs;
            if in_the_way.is_empty() && (ahead & ours).is_empty() {
                self.passed[us as usize] |= here;
                sink.add(PASSED.at(rank), sign);
            }
        }
    }
}

/// Recent pawn structures, shared by all strands. A slot is ten words, written and read without a lock. The last word
/// is a checksum of the others, so that a slot half written by another strand is not taken for a complete one.
pub struct PawnCache {
    slots: Box<[[AtomicU64; WORDS + 1]]>,
}

/// White pawns, black pawns, the structure's six bitboards, the sum.
const WORDS: usize = 9;
const SLOTS: usize = 1 << 12;

impl Default for PawnCache {
    fn default() -> PawnCache {
        // Zero is the correct slot of a board without pawns, so no slot is ever wrong.
        PawnCache { slots: (0..SLOTS).map(|_| [const { AtomicU64::new(0) }; WORDS + 1]).collect() }
    }
}

#[inline]
fn check(words: &[u64; WORDS]) -> u64 {
    words.iter().fold(0u64, |sum, word| sum.rotate_left(7) ^ word)
}

impl PawnCache {
    /// The structure of the board's pawns and the sum of their weights.
    #[inline]
    pub(super) fn look_up(&self, board: &Board) -> (PawnStructure, Packed) {
        let white = board.colored_pieces(Color::White, Piece::Pawn);
        let black = board.colored_pieces(Color::Black, Piece::Pawn);
        let mixed = (white.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ black.0).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let slot = &self.slots[(mixed >> 52) as usize];
        let words: [u64; WORDS] = std::array::from_fn(|word| slot[word].load(Relaxed));
        if words[0] == white.0 && words[1] == black.0 && check(&words) == slot[WORDS].load(Relaxed) {
            let pair = |first: usize| [BitBoard(words[first]), BitBoard(words[first + 1])];
            let structure = PawnStructure { attacks: pair(2), attack_spans: pair(4), passed: pair(6) };
            return (structure, Packed::from_bits(words[8]));
        }
        let mut sum = Sum::default();
        let structure = PawnStructure::observe(board, &mut sum);
        let PawnStructure { attacks: [a, b], attack_spans: [c, d], passed: [e, f] } = structure;
        let words = [white.0, black.0, a.0, b.0, c.0, d.0, e.0, f.0, sum.0.to_bits()];
        for (word, value) in slot.iter().zip(words) {
            word.store(value, Relaxed);
        }
        slot[WORDS].store(check(&words), Relaxed);
        (structure, sum.0)
    }
}
