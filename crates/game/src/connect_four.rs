//! Connect Four: a small real game with transpositions, wins and draws, as an oracle in tests and as an example of
//! [`Game`].
//!
//! The synthetic trees of [`crate::tree`] (StarTech section 3) have no transpositions and no wins that count plies;
//! this game has both. Two players drop stones into seven columns of six; four of a colour in a line win.
//!
//! A board is two 64-bit words. A column takes seven bits, the lowest square first; the seventh stays empty, so that no
//! line of four runs from one column's top into the next one's bottom:
//!
//! ```text
//!   6 13 20 27 34 41 48   always empty
//!   5 12 19 26 33 40 47
//!   4 11 18 25 32 39 46
//!   3 10 17 24 31 38 45
//!   2  9 16 23 30 37 44
//!   1  8 15 22 29 36 43
//!   0  7 14 21 28 35 42
//! ```

use crate::tree::mix;
use crate::{Ending, Game, Hints, Score};
use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// Number of columns.
pub const COLUMNS: u8 = 7;
/// How many stones a column holds.
pub const ROWS: u8 = 6;

/// The bits of a column: its squares and the empty bit above them.
const COLUMN_BITS: u8 = ROWS + 1;
/// The lowest square of every column.
const BOTTOM: u64 = 1 | 1 << 7 | 1 << 14 | 1 << 21 | 1 << 28 | 1 << 35 | 1 << 42;
/// Every square.
const BOARD: u64 = BOTTOM * ((1 << ROWS) - 1);
/// The distance between neighbours in a line: up, right, up and right, down and right.
const DIRECTIONS: [u32; 4] = [1, 7, 8, 6];
/// The columns, the most promising first: more lines pass through the centre.
const CENTRE_FIRST: [Column; COLUMNS as usize] =
    [Column(3), Column(2), Column(4), Column(1), Column(5), Column(0), Column(6)];

/// What a line of three with an empty fourth square is worth, in hundredths of an open line.
const THREE: i32 = 400;
/// What a line that the opponent has no stone in is worth.
const OPEN_LINE: i32 = 100;

/// A move: the column a stone is dropped into, counted from zero. Written and read as 1 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(u8);

impl Column {
    /// The column of this number, counted from zero.
    pub fn new(number: u8) -> Option<Column> {
        (number < COLUMNS).then_some(Column(number))
    }

    /// The number of the column, counted from zero.
    pub fn number(self) -> u8 {
        self.0
    }

    fn bottom(self) -> u64 {
        1 << (self.0 * COLUMN_BITS)
    }

    fn squares(self) -> u64 {
        self.bottom() * ((1 << ROWS) - 1)
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

/// A position of Connect Four.
///
/// ```
/// use jamboree_game::connect_four::ConnectFour;
/// use jamboree_game::{Score, negamax};
///
/// let position: ConnectFour = "112233".parse()?;
/// assert_eq!(negamax(&position, 3, 0), Score::win_in(1));
/// # Ok::<(), jamboree_game::connect_four::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ConnectFour {
    /// The stones of the side to move.
    mine: u64,
    /// The stones of both sides.
    all: u64,
}

impl ConnectFour {
    /// The empty board.
    pub fn new() -> ConnectFour {
        ConnectFour::default()
    }

    /// How many stones have been dropped. The first player moves when it is even.
    pub fn stones(&self) -> u32 {
        self.all.count_ones()
    }

    /// May a stone be dropped into this column?
    pub fn is_legal(&self, column: Column) -> bool {
        self.has_room(column) && !has_four(self.theirs())
    }

    fn has_room(&self, column: Column) -> bool {
        self.all & column.squares() != column.squares()
    }

    /// The square that a stone falls to. The column has room.
    fn landing(&self, column: Column) -> u64 {
        (self.all + column.bottom()) & column.squares()
    }

    fn theirs(&self) -> u64 {
        self.all ^ self.mine
    }
}

impl Game for ConnectFour {
    type Move = Column;

    fn key(&self) -> u64 {
        // The sum marks the first empty square of each column, and below the marks the stones of the side to move: no
        // two positions share it.
        mix(self.mine + self.all + BOTTOM)
    }

    fn moves(&self, out: &mut Vec<Column>) {
        if !has_four(self.theirs()) {
            out.extend(CENTRE_FIRST.into_iter().filter(|&column| self.has_room(column)));
        }
    }

    fn play(&self, column: Column) -> ConnectFour {
        debug_assert!(self.is_legal(column), "column {column} in\n{self}");
        // Adding one at the bottom of a column carries to its first empty square.
        ConnectFour { mine: self.theirs(), all: self.all | (self.all + column.bottom()) }
    }

    fn evaluate(&self) -> Score {
        Score::estimate(promise(self.mine, self.all) - promise(self.theirs(), self.all))
    }

    fn stuck(&self) -> Ending {
        if has_four(self.theirs()) { Ending::Lost } else { Ending::Drawn }
    }

    fn ending(&self) -> Option<Ending> {
        (has_four(self.theirs()) || self.all == BOARD).then(|| self.stuck())
    }

    fn pack(Column(number): Column) -> u32 {
        u32::from(number) + 1
    }

    fn unpack(&self, bits: u32) -> Option<Column> {
        let number = u8::try_from(bits.checked_sub(1)?).ok()?;
        Column::new(number).filter(|&column| self.is_legal(column))
    }
}

impl Hints for ConnectFour {
    /// A place for each square and side.
    const HISTORY: usize = 2 * (COLUMNS * COLUMN_BITS) as usize;

    fn history_index(&self, column: Column) -> usize {
        let side = usize::from(self.stones().is_multiple_of(2));
        2 * self.landing(column).trailing_zeros() as usize + side
    }

    /// A stone that makes four.
    fn is_noisy(&self, column: Column) -> bool {
        has_four(self.mine | self.landing(column))
    }
}

/// The lowest squares of all lines of four within these squares, in one direction.
fn fours(squares: u64, direction: u32) -> u64 {
    let pairs = squares & squares >> direction;
    pairs & pairs >> (2 * direction)
}

fn has_four(stones: u64) -> bool {
    DIRECTIONS.into_iter().any(|direction| fours(stones, direction) != 0)
}

/// What the lines that a side may still complete are worth to it.
fn promise(stones: u64, all: u64) -> i32 {
    let empty = BOARD ^ all;
    DIRECTIONS
        .into_iter()
        .map(|direction| {
            let open = fours(stones | empty, direction).count_ones();
            OPEN_LINE * open as i32 + THREE * threes(stones, empty, direction) as i32
        })
        .sum()
}

/// How many lines in one direction have three stones and an empty square.
fn threes(stones: u64, empty: u64, direction: u32) -> u32 {
    let square = |squares: u64, place: u32| squares >> (place * direction);
    let lines_without = |missing: u32| {
        (0..4).map(|place| square(if place == missing { empty } else { stones }, place)).fold(BOARD, |a, b| a & b)
    };
    (0..4).map(|missing| lines_without(missing).count_ones()).sum()
}

/// The board, the top row first: `X` for the first player, `O` for the second.
impl fmt::Display for ConnectFour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = if self.stones().is_multiple_of(2) { self.mine } else { self.theirs() };
        for row in (0..ROWS).rev() {
            for column in 0..COLUMNS {
                let square = 1 << (column * COLUMN_BITS + row);
                let stone = match (self.all & square != 0, first & square != 0) {
                    (false, _) => '.',
                    (true, true) => 'X',
                    (true, false) => 'O',
                };
                write!(f, "{}{stone}", if column == 0 { "" } else { " " })?;
            }
            writeln!(f)?;
        }
        write!(f, "1 2 3 4 5 6 7")
    }
}

/// Reads the moves from the empty board, as in `4435`.
impl FromStr for ConnectFour {
    type Err = ParseError;

    fn from_str(moves: &str) -> Result<ConnectFour, ParseError> {
        let mut position = ConnectFour::new();
        for (place, found) in (1..).zip(moves.chars()) {
            let column = found
                .to_digit(10)
                .and_then(|digit| Column::new((digit as u8).checked_sub(1)?))
                .ok_or(ParseError::NotAColumn { place, found })?;
            if position.ending().is_some() {
                return Err(ParseError::GameOver { place });
            }
            if !position.has_room(column) {
                return Err(ParseError::ColumnFull { place, column });
            }
            position = position.play(column);
        }
        Ok(position)
    }
}

/// Why a string is not a sequence of legal moves. Places count from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// Not a digit from 1 to 7.
    NotAColumn {
        /// Where in the string.
        place: usize,
        /// What is there instead.
        found: char,
    },
    /// There is no room in this column.
    ColumnFull {
        /// Where in the string.
        place: usize,
        /// The full column.
        column: Column,
    },
    /// The game ended before this move.
    GameOver {
        /// Where in the string.
        place: usize,
    },
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::NotAColumn { place, found } => write!(f, "move {place}: {found:?} is not a column from 1 to 7"),
            ParseError::ColumnFull { place, column } => write!(f, "move {place}: column {column} is full"),
            ParseError::GameOver { place } => write!(f, "move {place}: the game is already over"),
        }
    }
}

impl Error for ParseError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::negamax;
    use std::collections::{HashMap, HashSet};

    const DRAWN: &str = "547125662261271266215743771576315353334444";

    fn position(moves: &str) -> ConnectFour {
        moves.parse().expect("legal moves")
    }

    fn legal(position: &ConnectFour) -> Vec<Column> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        moves
    }

    /// Plays random games to the end and shows every position on the way, with its board as text.
    fn for_random_positions(games: u64, mut visit: impl FnMut(&ConnectFour, &[Vec<char>])) {
        for game in 0..games {
            let mut position = ConnectFour::new();
            loop {
                let text = position.to_string();
                let rows: Vec<Vec<char>> =
                    text.lines().take(6).map(|line| line.chars().filter(|c| *c != ' ').collect()).collect();
                visit(&position, &rows);
                let moves = legal(&position);
                if moves.is_empty() {
                    break;
                }
                let chance = mix(game << 8 | u64::from(position.stones()));
                position = position.play(moves[(chance % moves.len() as u64) as usize]);
            }
        }
    }

    /// Every line of four on the board as text, by the definition.
    fn lines(rows: &[Vec<char>]) -> Vec<Vec<char>> {
        let at =
            |row: i32, column: i32| Some(*rows.get(usize::try_from(row).ok()?)?.get(usize::try_from(column).ok()?)?);
        let mut lines = Vec::new();
        for row in 0..6 {
            for column in 0..7 {
                for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    let line: Option<Vec<char>> = (0..4).map(|i| at(row + i * down, column + i * right)).collect();
                    lines.extend(line);
                }
            }
        }
        lines
    }

    #[test]
    fn four_in_every_direction_win() {
        // Up; right; up and right; up and left, at both edges of the board.
        for moves in ["1212121", "7676767", "1122334", "7766554", "12233434464", "76655454424"] {
            assert_eq!(position(moves).ending(), Some(Ending::Lost), "{}", position(moves));
            assert!(legal(&position(moves)).is_empty());
            assert_eq!(position(&moves[..moves.len() - 1]).ending(), None);
        }
    }

    #[test]
    fn lines_do_not_run_from_one_column_into_the_next() {
        // The first player has the two top squares of column 1 and the two lowest of column 2.
        let position = position("212111171");
        assert_eq!(position.ending(), None, "{position}");
    }

    #[test]
    fn wins_and_estimates_agree_with_the_board_as_text() {
        for_random_positions(500, |position, rows| {
            let lines = lines(rows);
            assert_eq!(lines.len(), 69);
            let count = |stone: char, three: bool| {
                let mine = |line: &&Vec<char>| line.iter().filter(|c| **c == stone).count();
                let open = lines.iter().filter(|line| line.iter().all(|c| *c == stone || *c == '.'));
                open.filter(|line| !three || mine(line) == 3).count() as i32
            };
            let worth = |stone| OPEN_LINE * count(stone, false) + THREE * count(stone, true);
            let (mine, theirs) = if position.stones() % 2 == 0 { ('X', 'O') } else { ('O', 'X') };
            assert_eq!(position.evaluate().value(), worth(mine) - worth(theirs), "{position}");
            let four = lines.iter().any(|line| line.iter().all(|c| *c == theirs));
            let full = rows.iter().flatten().all(|c| *c != '.');
            let ending = if four { Some(Ending::Lost) } else { full.then_some(Ending::Drawn) };
            assert_eq!(position.ending(), ending, "{position}");
        });
    }

    #[test]
    fn a_full_board_is_drawn() {
        let full = position(DRAWN);
        assert_eq!(full.stones(), 42);
        assert_eq!(full.ending(), Some(Ending::Drawn));
        assert_eq!(full.stuck(), Ending::Drawn);
        assert!(legal(&full).is_empty());
        assert_eq!(negamax(&full, 5, 0), Score::DRAW);
    }

    #[test]
    fn negamax_finds_the_wins() {
        assert_eq!(negamax(&position("112233"), 1, 0), Score::win_in(1));
        assert_eq!(negamax(&position("112233"), 5, 0), Score::win_in(1));
        // Three in a row at the bottom with both ends open cannot be stopped, and two become three.
        assert_eq!(negamax(&position("44332"), 4, 0), Score::loss_in(2));
        assert_eq!(negamax(&position("4433"), 5, 0), Score::win_in(3));
    }

    #[test]
    fn there_are_as_many_games_as_others_counted() {
        fn games(position: &ConnectFour, depth: u32) -> usize {
            let moves = legal(position);
            if depth == 1 { moves.len() } else { moves.iter().map(|&mv| games(&position.play(mv), depth - 1)).sum() }
        }
        let counted = [7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234];
        for (depth, expected) in (1..).zip(counted) {
            assert_eq!(games(&ConnectFour::new(), depth), expected, "depth {depth}");
        }
    }

    #[test]
    fn keys_belong_to_one_position_each() {
        let (mut keys, mut positions) = (HashMap::new(), HashSet::new());
        for_random_positions(500, |position, _| {
            assert_eq!(keys.entry(position.key()).or_insert(*position), position);
            positions.insert(*position);
        });
        assert_eq!(keys.len(), positions.len());
        assert_eq!(position("1234").key(), position("3214").key());
        assert_ne!(position("1234").key(), position("2134").key());
    }

    #[test]
    fn the_centre_comes_first() {
        let moves: String = legal(&ConnectFour::new()).iter().map(Column::to_string).collect();
        assert_eq!(moves, "4352617");
    }

    #[test]
    fn packed_moves_come_back_and_others_are_rejected() {
        for_random_positions(50, |position, _| {
            let moves = legal(position);
            for bits in (0..=300).chain([u32::from(u16::MAX), u32::MAX]) {
                let expected = moves.iter().copied().find(|&mv| ConnectFour::pack(mv) == bits);
                assert_eq!(position.unpack(bits), expected);
            }
        });
        assert_eq!(legal(&ConnectFour::new()).iter().filter(|mv| ConnectFour::pack(**mv) == 0).count(), 0);
    }

    #[test]
    fn illegal_strings_are_rejected() {
        let parse = |moves: &str| moves.parse::<ConnectFour>();
        assert_eq!(parse(""), Ok(ConnectFour::new()));
        assert_eq!(parse("40"), Err(ParseError::NotAColumn { place: 2, found: '0' }));
        assert_eq!(parse("8"), Err(ParseError::NotAColumn { place: 1, found: '8' }));
        assert_eq!(parse("4 4"), Err(ParseError::NotAColumn { place: 2, found: ' ' }));
        assert_eq!(parse("1111111"), Err(ParseError::ColumnFull { place: 7, column: Column(0) }));
        assert_eq!(parse("11223345"), Err(ParseError::GameOver { place: 8 }));
    }

    #[test]
    fn the_board_is_drawn_top_row_first() {
        let board =
            ". . . . . . .\n. . . . . . .\n. . . . . . .\n. . . . . . .\n. . . O . . .\n. . X X O . .\n1 2 3 4 5 6 7";
        assert_eq!(position("4435").to_string(), board);
    }
}
