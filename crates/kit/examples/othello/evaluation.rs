//! What an Othello position is probably worth, in hundredths of a disc, and what its moves promise.

use crate::board::{CORNERS, DIRECTIONS, Move, Othello, step};
use jamboree_kit::{Depth, Game, Hints, Score};

/// The edges: rows 1 and 8, columns a and h.
const ROWS_AT_EDGE: u64 = 0xff00_0000_0000_00ff;
const COLUMNS_AT_EDGE: u64 = 0x8181_8181_8181_8181;
/// The four lines through a square: the two directions of each, and the squares where such a line ends.
const LINES: [(usize, u64); 4] =
    [(0, COLUMNS_AT_EDGE), (2, ROWS_AT_EDGE), (4, ROWS_AT_EDGE | COLUMNS_AT_EDGE), (6, ROWS_AT_EDGE | COLUMNS_AT_EDGE)];

/// What each thing is worth when the board is empty, and when it is full; between, in proportion.
struct Weight(i32, i32);

const MOBILITY: Weight = Weight(75, 60);
const FRONTIER: Weight = Weight(38, 12);
const CORNER: Weight = Weight(700, 350);
const NEAR_EMPTY_CORNER: Weight = Weight(-220, -60);
const STABLE: Weight = Weight(110, 160);
const DISC: Weight = Weight(-12, 35);
const LAST_MOVE: Weight = Weight(0, 180);

impl Weight {
    /// So much of it, with this many discs on the board.
    fn of(&self, amount: i32, discs: i32) -> i32 {
        amount * (self.0 * (64 - discs) + self.1 * discs) / 64
    }
}

/// The estimate, seen by the side to move.
pub(crate) fn evaluate(position: &Othello) -> Score {
    let other = position.passed();
    let discs = 64 - position.discs_left() as i32;
    let difference = |mine: u64, theirs: u64| mine.count_ones() as i32 - theirs.count_ones() as i32;
    let (mine, theirs) = (position.mine, position.theirs);
    let near = around(CORNERS & position.empty());
    let parity = if position.discs_left() % 2 == 1 { 1 } else { -1 };
    let value = MOBILITY.of(difference(position.targets(), other.targets()), discs)
        // Empty squares beside a disc are where its opponent may one day move.
        + FRONTIER.of(difference(around(theirs) & position.empty(), around(mine) & position.empty()), discs)
        + CORNER.of(difference(mine & CORNERS, theirs & CORNERS), discs)
        + NEAR_EMPTY_CORNER.of(difference(mine & near, theirs & near), discs)
        + STABLE.of(difference(stable(mine, theirs), stable(theirs, mine)), discs)
        + DISC.of(difference(mine, theirs), discs)
        + LAST_MOVE.of(parity, discs);
    Score::estimate(value.clamp(-6_400, 6_400))
}

/// The squares beside these.
fn around(squares: u64) -> u64 {
    DIRECTIONS.into_iter().fold(0, |all, direction| all | step(squares, direction))
}

/// Discs that can never be turned: along each of their four lines they are at the edge, beside a stable disc of their colour, or
/// on a line without an empty square.
fn stable(own: u64, others: u64) -> u64 {
    let empty = !(own | others);
    let safe = LINES.map(|(first, ends)| ends | !along(empty, first));
    // Without a corner and without full lines nothing is stable.
    let mut stable = 0;
    loop {
        let beside = |first: usize| step(stable, DIRECTIONS[first]) | step(stable, DIRECTIONS[first + 1]);
        let now = (0..4).fold(own, |left, line| left & (safe[line] | beside(LINES[line].0)));
        if now == stable {
            return stable;
        }
        stable = now;
    }
}

/// All squares on the lines through these, in one direction and its opposite.
fn along(squares: u64, first: usize) -> u64 {
    [DIRECTIONS[first], DIRECTIONS[first + 1]].into_iter().fold(squares, |all, direction| {
        let mut line = squares;
        for _ in 0..7 {
            line |= step(line, direction);
        }
        all | line
    })
}

/// What a square is worth as a target: a quarter of the board, which is the same in all four corners.
const TARGET: [[i32; 4]; 4] = [[900, -300, 200, 150], [-300, -500, -40, -30], [200, -40, 60, 20], [150, -30, 20, 10]];

fn target(square: u8) -> i32 {
    let fold = |place: u8| usize::from(place.min(7 - place));
    TARGET[fold(square / 8)][fold(square % 8)]
}

/// From this depth on a move's promise says how many replies it leaves.
const COUNTING_DEPTH: Depth = 3;

impl Hints for Othello {
    /// A place for each square and side.
    const HISTORY: usize = 2 * 65;

    fn history_index(&self, mv: Move) -> usize {
        let square = if let Move::Disc(square) = mv { usize::from(square) } else { 64 };
        2 * square + usize::from(self.black_to_move)
    }

    /// A disc in a corner: no evaluation before it knows what it is worth. There are at most four in a line.
    fn is_noisy(&self, mv: Move) -> bool {
        matches!(mv, Move::Disc(square) if CORNERS & 1 << square != 0)
    }

    /// A pass uses up no depth. So depth counts discs, and a search as deep as there are empty squares is exact.
    fn is_free(&self, mv: Move) -> bool {
        mv == Move::Pass
    }

    /// Good squares first; where there is something to win by it, moves that leave the opponent few replies.
    fn promise(&self, mv: Move, depth: Depth) -> i32 {
        let Move::Disc(square) = mv else { return 0 };
        let replies = if depth < COUNTING_DEPTH { 0 } else { self.play(mv).targets().count_ones() as i32 };
        8 * target(square) - 1_500 * replies
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_see_the_same_value_and_turning_the_board_changes_nothing() {
        for moves in ["d3", "d3c5f6", "d3c5f6f5e6e3"] {
            let position: Othello = moves.parse().unwrap();
            let turned = Othello {
                mine: position.mine.reverse_bits(),
                theirs: position.theirs.reverse_bits(),
                black_to_move: position.black_to_move,
            };
            assert_eq!(position.evaluate(), turned.evaluate());
            // Who moves last is the only thing that does not change its sign.
            let last = 2 * LAST_MOVE
                .of(if position.discs_left() % 2 == 1 { 1 } else { -1 }, 64 - position.discs_left() as i32);
            assert_eq!(position.evaluate().value() + position.passed().evaluate().value(), last);
        }
    }

    #[test]
    fn discs_from_a_corner_along_the_edge_are_stable_and_others_are_not() {
        assert_eq!(stable(0b111, 0), 0b111);
        assert_eq!(stable(0b110, 0), 0);
        assert_eq!(stable(0b111 | 1 << 27, 1 << 3), 0b111);
        assert_eq!(stable(!0, 0), !0);
        // A full edge row of two colours.
        assert_eq!(stable(0b0110_0110, 0b1001_1001), 0b0110_0110);
    }
}
