//! Endgame tables, as the search sees them.

use crate::Position;
use game::{Bound, Depth, Score};

/// The value of a position in an endgame table for the side to move, with the fifty-move clock at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wdl {
    /// Lost.
    Loss,
    /// Drawn, under the fifty-move rule or by itself.
    Draw,
    /// Won.
    Win,
}

/// Endgame tables that can be asked during a search.
pub trait EndgameTables: Send + Sync {
    /// The most pieces, kings included, for which there are tables.
    fn largest(&self) -> u32;
    /// The value of a position without castling rights.
    fn wdl(&self, position: &Position) -> Option<Wdl>;
}

/// Probes the tables, if their answer holds for this position: the fifty-move clock must be zero, because the tables
/// assume that.
pub(super) fn probe(
    tables: &dyn EndgameTables,
    (position, depth): (&Position, Depth),
    ply: usize,
    least_depth: Depth,
) -> Option<(Score, Bound)> {
    let board = position.board();
    let pieces = board.occupied().len();
    if board.halfmove_clock() != 0 || pieces > tables.largest() || pieces == tables.largest() && depth < least_depth {
        return None;
    }
    match tables.wdl(position)? {
        Wdl::Win => Some((Score::known_win(ply), Bound::Lower)),
        Wdl::Loss => Some((-Score::known_win(ply), Bound::Upper)),
        Wdl::Draw => Some((Score::DRAW, Bound::Exact)),
    }
}
