//! The network's input: which piece stands where, once for each side.
//!
//! A piece of a colour on a square is one of 768. Each side numbers them from its own edge of the board,
//! its own pieces first. If its king stands on the right half, left and right are exchanged. So the same weights serve
//! both colours and both halves of the board. Each of four regions of a side's own king has features of its own.

use cozy_chess::{BitBoard, Board, Color, File, Piece, Square};

/// Pieces on squares.
pub const PLACES: usize = 768;
/// Regions of the board for the own king.
pub const REGIONS: usize = 4;
/// How many features there are.
pub const FEATURES: usize = REGIONS * PLACES;

/// The region of a king on a square, seen by its own side with its king on the left half: the corner and the middle of the first rank, the
/// second rank, and all others.
#[inline]
fn region(king: u16) -> u16 {
    match (king / 8, king % 8) {
        (0, 0 | 1) => 0,
        (0, _) => 1,
        (1, _) => 2,
        _ => 3,
    }
}

/// The features of one colour.
const OF_COLOR: u16 = 384;

/// A piece on a square, as White without mirroring numbers it.
#[inline]
pub fn feature(color: Color, piece: Piece, square: Square) -> u16 {
    color as u16 * OF_COLOR + piece as u16 * 64 + square as u16
}

/// How one side looks at the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Added to a feature's number, so that a side's own pieces come first.
    turn: u16,
    /// The bits of a square that are flipped.
    flip: u16,
    /// The region of the own king.
    region: u16,
}

/// So many ways of one side to look at the board.
pub(super) const VIEWS: usize = 2 * REGIONS;

impl View {
    /// How `side` looks at a board with its king on this square.
    #[inline]
    pub fn new(side: Color, king: Square) -> View {
        let mirror = if king.file() >= File::E { 7 } else { 0 };
        let (turn, flip) = match side {
            Color::White => (0, mirror),
            Color::Black => (OF_COLOR, mirror | 56),
        };
        View { turn, flip, region: region(king as u16 ^ flip) }
    }

    /// The number of this view among those of its side.
    #[inline]
    pub(super) fn number(self) -> usize {
        usize::from(2 * self.region + self.flip % 2)
    }

    /// The number of a feature, seen this way.
    #[inline]
    pub fn index(self, feature: u16) -> usize {
        let turned = feature + self.turn;
        let turned = if turned >= PLACES as u16 { turned - PLACES as u16 } else { turned };
        usize::from(self.region) * PLACES + usize::from(turned ^ self.flip)
    }
}

/// Where all pieces stand: what the sums of the first layer depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Placement {
    colors: [BitBoard; 2],
    pieces: [[BitBoard; 6]; 2],
}

impl Placement {
    #[inline]
    pub(super) fn of(board: &Board) -> Placement {
        let colors = Color::ALL.map(|color| board.colors(color));
        let pieces = Piece::ALL.map(|piece| board.pieces(piece));
        Placement { colors, pieces: colors.map(|own| pieces.map(|of_kind| of_kind & own)) }
    }

    /// How one side looks at it; none without a king.
    #[inline]
    pub(super) fn view(&self, side: Color) -> Option<View> {
        let king = self.pieces[side as usize][Piece::King as usize].next_square()?;
        Some(View::new(side, king))
    }

    /// About how many features differ. Exact, except where a piece stands in the place of another piece of the same
    /// colour.
    #[inline]
    pub(super) fn distance(&self, other: &Placement) -> u32 {
        (self.colors[0] ^ other.colors[0]).len() + (self.colors[1] ^ other.colors[1]).len()
    }
}

/// A few features. A board has no more than 32 pieces.
#[derive(Default)]
pub(super) struct List {
    features: [u16; 32],
    count: usize,
}

impl List {
    #[inline]
    fn push(&mut self, feature: u16) {
        self.features[self.count] = feature;
        self.count += 1;
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u16] {
        &self.features[..self.count]
    }
}

/// The features by which two placements differ.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) added: List,
    pub(super) removed: List,
}

impl Changes {
    #[inline]
    pub(super) fn between(old: &Placement, new: &Placement) -> Changes {
        let mut changes = Changes::default();
        for color in Color::ALL {
            for piece in Piece::ALL {
                let old = old.pieces[color as usize][piece as usize];
                let new = new.pieces[color as usize][piece as usize];
                if old != new {
                    (new & !old).iter().for_each(|square| changes.added.push(feature(color, piece, square)));
                    (old & !new).iter().for_each(|square| changes.removed.push(feature(color, piece, square)));
                }
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_and_both_halves_see_the_same() {
        let white_left = View::new(Color::White, Square::C1);
        let white_right = View::new(Color::White, Square::F1);
        let black_left = View::new(Color::Black, Square::C8);
        let black_right = View::new(Color::Black, Square::F8);
        let seen = white_left.index(feature(Color::White, Piece::Knight, Square::B3));
        assert_eq!(seen, white_right.index(feature(Color::White, Piece::Knight, Square::G3)));
        assert_eq!(seen, black_left.index(feature(Color::Black, Piece::Knight, Square::B6)));
        assert_eq!(seen, black_right.index(feature(Color::Black, Piece::Knight, Square::G6)));
        assert_ne!(seen, white_left.index(feature(Color::Black, Piece::Knight, Square::B3)));
    }

    #[test]
    fn every_view_numbers_every_feature_once() {
        for side in Color::ALL {
            let mut views = [None; VIEWS];
            for king in Square::ALL {
                let view = View::new(side, king);
                assert_eq!(*views[view.number()].get_or_insert(view), view);
                let mut seen = [false; FEATURES];
                for number in 0..PLACES as u16 {
                    assert!(!std::mem::replace(&mut seen[view.index(number)], true));
                }
            }
            assert!(views.iter().all(Option::is_some));
        }
    }
}
