//! A network of Stockfish's, evaluated in this process.
//!
//! The format is that of Stockfish 14 to 15.1 (features HalfKAv2_hm): 22528 features for each side (king square, mirrored to
//! the right half, times piece and square), 1024 sums for each side in 16 bits and 8 piece-square sums in 32 bits; the sums
//! multiplied in pairs; then, chosen by the number of pieces, one of 8 stacks of three small layers in 8 bits. This is our own
//! reader, written from the facts of the format. It only labels positions: the engine does not play with it.

use chess::board::{BitBoard, Board, Color, Piece, Square};
use jamboree_io::{ReadError, read_file};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Sums of the first layer for each side.
const SUMS: usize = 1024;
/// What the first layer passes on for each side: products of pairs.
const PAIRS: usize = SUMS / 2;
/// Piece-square sums, and stacks of layers: one of each for a number of pieces.
const STACKS: usize = 8;
/// Pieces on squares, as one side sees them. The kings of both sides share their numbers.
const PLACES: usize = 704;
const FEATURES: usize = 32 * PLACES;
/// Outputs of the first small layer. The last goes straight to the result.
const FIRST: usize = 16;
const SECOND: usize = 32;

/// The numbers by which the parts of a file are recognised.
const VERSION: u32 = 0x7AF3_2F20;
const HASH: u32 = 0x1C10_2EF2;
const FEATURES_HASH: u32 = 0x7F23_44B8;
const STACK_HASH: u32 = HASH ^ FEATURES_HASH;
/// A description is no longer than this.
const LONGEST_DESCRIPTION: usize = 1 << 12;

/// Programs and networks are smaller than this.
const LARGEST_FILE: u64 = 1 << 28;

/// Stockfish's unit of evaluations: what an output is divided by.
const OUTPUT_UNIT: i32 = 16;
/// A pawn in the endgame in Stockfish's unit: what we take for a hundred hundredths.
const PAWN: i32 = 208;
/// What Stockfish 15.1 prints as one pawn.
pub const PRINTED_PAWN: i32 = 361;

/// Why a teacher can't be used.
#[derive(Debug)]
pub enum TeacherError {
    /// The file can't be read.
    Unreadable(ReadError),
    /// There is no network of the right format in the file.
    NoNetwork,
    /// The file ends too early, or a part of it is not what it should be.
    Damaged(&'static str),
}

impl fmt::Display for TeacherError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TeacherError::Unreadable(error) => error.fmt(f),
            TeacherError::NoNetwork => write!(
                f,
                "no network of the format of Stockfish 15.1 in this file: name a .nnue file of that format, or the executable of \
                 Stockfish 15.1"
            ),
            TeacherError::Damaged(part) => write!(f, "the network in this file is damaged: wrong {part}"),
        }
    }
}

impl std::error::Error for TeacherError {}

/// The three small layers for a number of pieces.
struct Stack {
    first_biases: [i32; FIRST],
    first: Vec<[i8; 2 * PAIRS]>,
    second_biases: [i32; SECOND],
    second: Vec<[i8; SECOND]>,
    last_bias: i32,
    last: [i8; SECOND],
}

/// The network of the teacher.
pub struct TeacherNetwork {
    biases: Vec<i16>,
    features: Vec<[i16; SUMS]>,
    squares: Vec<[i32; STACKS]>,
    stacks: Vec<Stack>,
}

/// Reads numbers from bytes.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], TeacherError> {
        let (bytes, rest) = self.0.split_first_chunk::<N>().ok_or(TeacherError::Damaged("length"))?;
        self.0 = rest;
        Ok(*bytes)
    }

    fn word(&mut self) -> Result<u32, TeacherError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn words<const N: usize>(&mut self) -> Result<[i32; N], TeacherError> {
        let mut words = [0; N];
        for word in &mut words {
            *word = i32::from_le_bytes(self.bytes()?);
        }
        Ok(words)
    }

    fn halves<const N: usize>(&mut self) -> Result<[i16; N], TeacherError> {
        let mut halves = [0; N];
        for half in &mut halves {
            *half = i16::from_le_bytes(self.bytes()?);
        }
        Ok(halves)
    }

    fn small<const N: usize>(&mut self) -> Result<[i8; N], TeacherError> {
        Ok(self.bytes::<N>()?.map(u8::cast_signed))
    }

    fn expect(&mut self, hash: u32, part: &'static str) -> Result<(), TeacherError> {
        if self.word()? == hash { Ok(()) } else { Err(TeacherError::Damaged(part)) }
    }
}

impl TeacherNetwork {
    /// Reads a file: a network, or a program that has one inside.
    ///
    /// # Errors
    /// If there is no such file, or no network that can be used in it.
    pub fn open(path: &Path) -> Result<Arc<TeacherNetwork>, TeacherError> {
        let bytes = read_file(path, LARGEST_FILE).map_err(TeacherError::Unreadable)?;
        TeacherNetwork::find(&bytes).map(Arc::new)
    }

    /// The first network in some bytes.
    fn find(bytes: &[u8]) -> Result<TeacherNetwork, TeacherError> {
        let mut start = [0; 8];
        start[..4].copy_from_slice(&VERSION.to_le_bytes());
        start[4..].copy_from_slice(&HASH.to_le_bytes());
        let place = bytes.windows(8).position(|window| window == start).ok_or(TeacherError::NoNetwork)?;
        TeacherNetwork::read(&mut Numbers(&bytes[place + 8..]))
    }

    fn read(numbers: &mut Numbers<'_>) -> Result<TeacherNetwork, TeacherError> {
        let description = numbers.word()? as usize;
        if description > LONGEST_DESCRIPTION || description > numbers.0.len() {
            return Err(TeacherError::Damaged("description"));
        }
        numbers.0 = &numbers.0[description..];
        numbers.expect(FEATURES_HASH, "hash of the features")?;
        let biases = numbers.halves::<SUMS>()?.to_vec();
        let features = (0..FEATURES).map(|_| numbers.halves()).collect::<Result<_, _>>()?;
        let squares = (0..FEATURES).map(|_| numbers.words()).collect::<Result<_, _>>()?;
        let stacks = (0..STACKS).map(|_| Stack::read(numbers)).collect::<Result<_, _>>()?;
        Ok(TeacherNetwork { biases, features, squares, stacks })
    }
}

impl Stack {
    fn read(numbers: &mut Numbers<'_>) -> Result<Stack, TeacherError> {
        numbers.expect(STACK_HASH, "hash of a stack of layers")?;
        let (first_biases, first) = (numbers.words()?, (0..FIRST).map(|_| numbers.small()).collect::<Result<_, _>>()?);
        let (second_biases, second) =
            (numbers.words()?, (0..SECOND).map(|_| numbers.small()).collect::<Result<_, _>>()?);
        let ([last_bias], last) = (numbers.words()?, numbers.small()?);
        Ok(Stack { first_biases, first, second_biases, second, last_bias, last })
    }

    /// The output for what the first layer passes on.
    fn output(&self, inputs: &[u8; 2 * PAIRS]) -> i32 {
        let mut first = self.first_biases;
        for (sum, weights) in first.iter_mut().zip(&self.first) {
            *sum += product(inputs, weights);
        }
        let mut between = [0u8; SECOND];
        for (place, &sum) in first[..FIRST - 1].iter().enumerate() {
            between[place] = (i64::from(sum).pow(2) >> 19).min(127) as u8;
            between[FIRST - 1 + place] = (sum >> 6).clamp(0, 127) as u8;
        }
        let mut second = [0u8; SECOND];
        for (place, (bias, weights)) in self.second_biases.iter().zip(&self.second).enumerate() {
            second[place] = ((bias + product(&between, weights)) >> 6).clamp(0, 127) as u8;
        }
        // One is 127 * 64 in the units of the first layer, and 600 * 16 in those of the output.
        let straight = first[FIRST - 1] * (600 * OUTPUT_UNIT) / (127 * 64);
        self.last_bias + product(&second, &self.last) + straight
    }
}

/// The sum of products. Not more than 2^15 products of 15 bits, so it can't overflow.
#[inline]
fn product<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    inputs.iter().zip(weights).map(|(&input, &weight)| i32::from(input) * i32::from(weight)).sum()
}

/// The sums of one side with its king on one square, and the pieces that they belong to.
#[derive(Clone)]
struct Sums {
    pieces: [[BitBoard; 6]; 2],
    sums: [i16; SUMS],
    squares: [i32; STACKS],
}

/// Evaluates positions one after the other. Similar positions in succession are evaluated faster.
pub struct Teacher {
    network: Arc<TeacherNetwork>,
    /// For each side and each square of its king.
    kept: Vec<Sums>,
}

impl Teacher {
    /// A teacher with this network.
    pub fn new(network: Arc<TeacherNetwork>) -> Teacher {
        let mut sums = [0; SUMS];
        sums.copy_from_slice(&network.biases);
        let empty = Sums { pieces: [[BitBoard::EMPTY; 6]; 2], sums, squares: [0; STACKS] };
        Teacher { kept: vec![empty; 2 * Square::NUM], network }
    }

    /// The network's evaluation for the side to move, in Stockfish's unit: what Stockfish prints as `NNUE evaluation` (there for White, in
    /// pawns of [`PRINTED_PAWN`]).
    pub fn evaluate(&mut self, board: &Board) -> i32 {
        let stack = (board.occupied().len() as usize - 1) / 4;
        let us = board.side_to_move();
        let mut inputs = [0u8; 2 * PAIRS];
        let mut squares = [0; 2];
        for (half, side) in [us, !us].into_iter().enumerate() {
            let sums = self.sums_of(board, side);
            squares[half] = sums.squares[stack];
            let (left, right) = sums.sums.split_at(PAIRS);
            for ((input, &left), &right) in inputs[half * PAIRS..][..PAIRS].iter_mut().zip(left).zip(right) {
                *input = (left.clamp(0, 127) * right.clamp(0, 127) / 128) as u8;
            }
        }
        let material = (squares[0] - squares[1]) / 2;
        (material + self.network.stacks[stack].output(&inputs)) / OUTPUT_UNIT
    }

    /// The label of a position: the evaluation for White in hundredths of a pawn, with Stockfish 15.1's scale, by which an advantage
    /// is worth more while there are more pieces.
    pub fn label(&mut self, board: &Board) -> i32 {
        let value = self.evaluate(board);
        let pieces = [(Piece::Knight, 781), (Piece::Bishop, 825), (Piece::Rook, 1276), (Piece::Queen, 2538)];
        let material: i32 = pieces.map(|(piece, worth)| worth * board.pieces(piece).len() as i32).iter().sum();
        let scaled = value * (1076 + 96 * material / 5120) / 1024;
        let score = 100 * scaled / PAWN;
        if board.side_to_move() == Color::White { score } else { -score }
    }

    /// The sums of a side, updated from those that were kept for the same square of its king.
    fn sums_of(&mut self, board: &Board, side: Color) -> &Sums {
        let king = board.king(side);
        let sums = &mut self.kept[Square::NUM * side as usize + king as usize];
        for color in Color::ALL {
            for piece in Piece::ALL {
                let now = board.colored_pieces(color, piece);
                let before = std::mem::replace(&mut sums.pieces[color as usize][piece as usize], now);
                for square in now - before {
                    let feature = feature(side, king, color, piece, square);
                    let row = &self.network.features[feature];
                    sums.sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_add(*weight));
                    let row = &self.network.squares[feature];
                    sums.squares.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_add(*weight));
                }
                for square in before - now {
                    let feature = feature(side, king, color, piece, square);
                    let row = &self.network.features[feature];
                    sums.sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_sub(*weight));
                    let row = &self.network.squares[feature];
                    sums.squares.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_sub(*weight));
                }
            }
        }
        sums
    }
}

/// The number of a piece on a square, as a side with its king on a square sees it.
#[inline]
fn feature(side: Color, king: Square, color: Color, piece: Piece, square: Square) -> usize {
    let turn = if side == Color::Black { 56 } else { 0 };
    let mirror = if (king as usize) % 8 < 4 { 7 } else { 0 };
    let seen = |square: Square| square as usize ^ turn ^ mirror;
    let king = seen(king);
    let bucket = (7 - king / 8) * 4 + (7 - king % 8);
    let kind = if piece == Piece::King { 640 } else { 128 * piece as usize + if color == side { 0 } else { 64 } };
    seen(square) + kind + PLACES * bucket
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_numbered_as_the_format_says() {
        // A white king on e1 sees its own pawn on a2 without mirroring; the bucket of e1 is the last.
        assert_eq!(feature(Color::White, Square::E1, Color::White, Piece::Pawn, Square::A2), 8 + 31 * PLACES);
        // Black sees the board turned; its king on d8 is mirrored to e1.
        assert_eq!(
            feature(Color::Black, Square::D8, Color::White, Piece::Queen, Square::D8),
            4 + 512 + 64 + 31 * PLACES
        );
        assert_eq!(feature(Color::White, Square::A8, Color::Black, Piece::King, Square::H1), 640);
    }

    #[test]
    fn files_without_a_network_are_refused() {
        let message =
            |bytes: &[u8]| TeacherNetwork::find(bytes).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message(b"").starts_with("no network"));
        let mut bytes = b"a program".to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(HASH.to_le_bytes());
        assert!(message(&bytes).ends_with("wrong length"));
        bytes.extend([255; 4]);
        assert!(message(&bytes).ends_with("wrong description"));
        let end = bytes.len() - 4;
        bytes[end..].copy_from_slice(&[0; 4]);
        bytes.extend([1; 4]);
        assert!(message(&bytes).ends_with("wrong hash of the features"));
    }
}
