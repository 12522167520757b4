//! The rules of Othello on bitboards.

use jamboree_kit::{Ending, Game, Score};
use std::fmt;
use std::str::FromStr;

/// The corners.
pub(crate) const CORNERS: u64 = 0x8100_0000_0000_0081;
/// The outermost columns.
const A_FILE: u64 = 0x0101_0101_0101_0101;
const H_FILE: u64 = A_FILE << 7;
/// The eight directions: by how many squares, and the squares that such a step can reach without leaving the board.
pub(crate) const DIRECTIONS: [(i32, u64); 8] =
    [(1, !A_FILE), (-1, !H_FILE), (8, !0), (-8, !0), (9, !A_FILE), (-9, !H_FILE), (7, !H_FILE), (-7, !A_FILE)];

/// The bits that a number in a table of keys is mixed with.
const MIX: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

/// All squares, moved one step in a direction.
#[inline(always)]
pub(crate) fn step(squares: u64, (by, reach): (i32, u64)) -> u64 {
    (if by > 0 { squares << by } else { squares >> -by }) & reach
}

/// A disc on a square, or a pass, which is legal only where no disc can be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// Puts a disc on this square, 0 (a1) to 63 (h8).
    Disc(u8),
    /// Does nothing.
    Pass,
}

/// A position of Othello.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Othello {
    /// The discs of the side to move.
    pub(crate) mine: u64,
    /// The discs of its opponent.
    pub(crate) theirs: u64,
    /// Is it Black's turn? Only for printing, and for the history.
    pub(crate) black_to_move: bool,
}

impl Othello {
    /// The start of the game.
    pub(crate) fn start() -> Othello {
        Othello { mine: 1 << 28 | 1 << 35, theirs: 1 << 27 | 1 << 36, black_to_move: true }
    }

    /// The squares that are empty.
    pub(crate) fn empty(&self) -> u64 {
        !(self.mine | self.theirs)
    }

    /// How many plies with a disc are left.
    pub(crate) fn discs_left(&self) -> u32 {
        self.empty().count_ones()
    }

    /// The same board when it is the other side's turn.
    pub(crate) fn passed(&self) -> Othello {
        Othello { mine: self.theirs, theirs: self.mine, black_to_move: !self.black_to_move }
    }

    /// The squares where the side to move may put a disc.
    #[inline]
    pub(crate) fn targets(&self) -> u64 {
        let reached = |direction| {
            let mut line = step(self.mine, direction) & self.theirs;
            for _ in 0..5 {
                line |= step(line, direction) & self.theirs;
            }
            step(line, direction)
        };
        DIRECTIONS.into_iter().map(reached).fold(0, |all, found| all | found) & self.empty()
    }

    /// The discs that a disc on this square turns.
    #[inline]
    pub(crate) fn turned(&self, square: u8) -> u64 {
        let turned = |direction| {
            let mut line = step(1 << square, direction) & self.theirs;
            for _ in 0..5 {
                line |= step(line, direction) & self.theirs;
            }
            if step(line, direction) & self.mine == 0 { 0 } else { line }
        };
        DIRECTIONS.into_iter().map(turned).fold(0, |all, found| all | found)
    }

    /// Has neither side a move?
    pub(crate) fn is_over(&self) -> bool {
        self.targets() == 0 && self.passed().targets() == 0
    }

    /// Discs of the side to move minus those of its opponent; the winner gets the empty squares.
    pub(crate) fn result(&self) -> i32 {
        let (mine, theirs) = (self.mine.count_ones() as i32, self.theirs.count_ones() as i32);
        let empty = self.discs_left() as i32;
        mine - theirs + empty * (mine - theirs).signum()
    }
}

impl Game for Othello {
    type Move = Move;

    fn key(&self) -> u64 {
        let mixed = (self.mine ^ self.theirs.rotate_left(23).wrapping_mul(MIX[0])).wrapping_mul(MIX[1]);
        (mixed ^ mixed >> 29).wrapping_mul(MIX[0])
    }

    fn moves(&self, out: &mut Vec<Move>) {
        let mut targets = self.targets();
        if targets == 0 && self.passed().targets() != 0 {
            out.push(Move::Pass);
        }
        while targets != 0 {
            out.push(Move::Disc(targets.trailing_zeros() as u8));
            targets &= targets - 1;
        }
    }

    fn play(&self, mv: Move) -> Othello {
        match mv {
            Move::Pass => self.passed(),
            Move::Disc(square) => {
                let turned = self.turned(square);
                let (mine, theirs) = (self.mine | turned | 1 << square, self.theirs & !turned);
                Othello { mine, theirs, ..*self }.passed()
            }
        }
    }

    fn evaluate(&self) -> Score {
        crate::evaluation::evaluate(self)
    }

    fn stuck(&self) -> Ending {
        Ending::Worth(Score::estimate(100 * self.result()))
    }

    fn ending(&self) -> Option<Ending> {
        self.is_over().then(|| self.stuck())
    }

    fn pack(mv: Move) -> u32 {
        match mv {
            Move::Disc(square) => u32::from(square) + 1,
            Move::Pass => 65,
        }
    }

    fn unpack(&self, bits: u32) -> Option<Move> {
        match bits {
            1..=64 => (self.targets() & 1 << (bits - 1) != 0).then_some(Move::Disc(bits as u8 - 1)),
            65 => (self.targets() == 0 && self.passed().targets() != 0).then_some(Move::Pass),
            _ => None,
        }
    }
}

/// `d3`, or `pass`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Move::Disc(square) => write!(f, "{}{}", char::from(b'a' + square % 8), square / 8 + 1),
            Move::Pass => f.write_str("pass"),
        }
    }
}

/// The board, row 1 first: `X` for Black, `O` for White.
impl fmt::Display for Othello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let black = if self.black_to_move { self.mine } else { self.theirs };
        writeln!(f, "  a b c d e f g h")?;
        for row in 0..8 {
            write!(f, "{}", row + 1)?;
            for square in (0..8).map(|column| 1_u64 << (row * 8 + column)) {
                let disc = if self.empty() & square != 0 {
                    '.'
                } else if black & square != 0 {
                    'X'
                } else {
                    'O'
                };
                write!(f, " {disc}")?;
            }
            writeln!(f)?;
        }
        write!(f, "{} to move", if self.black_to_move { "Black (X)" } else { "White (O)" })
    }
}

/// Reads the moves from the start, as in `d3c5`; passes are not written. Or a board: 64 signs `X`, `O` and `-`, a space, and who is
/// to move.
impl FromStr for Othello {
    type Err = String;

    fn from_str(text: &str) -> Result<Othello, String> {
        match text.split_once(' ') {
            Some((board, side)) => read_board(board, side),
            None => read_moves(text),
        }
    }
}

fn read_board(board: &str, side: &str) -> Result<Othello, String> {
    let of =
        |disc: char| board.chars().zip(0..64).filter(|&(sign, _)| sign == disc).fold(0, |all, (_, at)| all | 1 << at);
    let is_board = board.chars().count() == 64 && board.chars().all(|sign| "XO-.".contains(sign));
    if !is_board || !["X", "O"].contains(&side) {
        return Err(format!("'{board} {side}' is no position: 64 of X, O and -, a space, then X or O"));
    }
    let black = Othello { mine: of('X'), theirs: of('O'), black_to_move: true };
    Ok(if side == "X" { black } else { black.passed() })
}

fn read_moves(text: &str) -> Result<Othello, String> {
    let mut position = Othello::start();
    let mut signs = text.chars();
    while let Some(column) = signs.next() {
        let row = signs.next().unwrap_or(' ');
        let on_board = ('a'..='h').contains(&column) && ('1'..='8').contains(&row);
        let square = if on_board { (row as u8 - b'1') * 8 + column as u8 - b'a' } else { u8::MAX };
        if position.targets() == 0 {
            position = position.passed();
        }
        if !on_board || position.targets() & 1 << square == 0 {
            return Err(format!("'{column}{row}' is no legal move in '{text}'"));
        }
        position = position.play(Move::Disc(square));
    }
    Ok(position)
}

/// How many paths of this length lead from a position. A pass is a ply.
pub(crate) fn perft(position: &Othello, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves.into_iter().map(|mv| perft(&position.play(mv), depth - 1)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_paths_from_the_start_are_the_known_ones() {
        let known = [4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288];
        for (depth, paths) in (1..).zip(known) {
            assert_eq!(perft(&Othello::start(), depth), paths, "depth {depth}");
        }
    }

    #[test]
    fn what_is_packed_is_unpacked_where_it_is_legal() {
        let mut position = Othello::start();
        while !position.is_over() {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            for bits in (0..80).chain([u32::MAX]) {
                let expected = moves.iter().copied().find(|&mv| Othello::pack(mv) == bits);
                assert_eq!(position.unpack(bits), expected);
            }
            position = position.play(moves[moves.len() / 2]);
        }
    }

    #[test]
    fn bad_input_is_refused() {
        assert_eq!("d3c3".parse::<Othello>().unwrap().discs_left(), 58);
        for text in ["a1", "d3d3", "d", "z9", "XO X", &format!("{} Z", "-".repeat(64))] {
            assert!(text.parse::<Othello>().is_err(), "{text}");
        }
        let board = format!("{}OX------XO{} X", "-".repeat(27), "-".repeat(27));
        assert_eq!(board.parse::<Othello>().unwrap(), Othello::start());
    }
}
