//! Scores: what a position is worth to the side to move.

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// The longest path a search may follow. Scores of wins count plies, so the two limits belong together.
pub const MAX_PLY: usize = 128;

/// What a position is worth to the side to move, in hundredths of the game's unit (chess: a pawn).
///
/// The range is laid out so that every score fits 16 bits of a table entry:
///
/// | score | meaning |
/// |---|---|
/// | `WIN - n` | wins in `n` plies |
/// | `WIN - MAX_PLY - n` | a known win (tablebase) reached in `n` plies |
/// | below `KNOWN` in size | an estimate |
///
/// ```
/// use jamboree_game::Score;
///
/// let (sooner, later) = (Score::win_in(3), Score::win_in(5));
/// assert!(sooner > later && later > Score::estimate(99_999));
/// assert_eq!((-sooner).plies_to_end(), Some(-3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(i32);

impl Score {
    /// Larger than every score.
    pub const INFINITE: Score = Score(32_001);
    /// The side to move has won. Scores of wins are less than this by the number of plies.
    const WIN: Score = Score(32_000);
    /// No estimate is this large: scores of this size and more are proven wins and losses.
    pub const KNOWN: Score = Score(Score::WIN.0 - 2 * MAX_PLY as i32);
    /// Neither side is better.
    pub const DRAW: Score = Score(0);

    /// An estimate, kept out of the range of proven wins.
    pub fn estimate(value: i32) -> Score {
        Score(value.clamp(1 - Score::KNOWN.0, Score::KNOWN.0 - 1))
    }

    /// A win that is reached `ply` plies below the root.
    pub const fn win_in(ply: usize) -> Score {
        Score(Score::WIN.0 - ply as i32)
    }

    /// A loss that is reached `ply` plies below the root.
    pub const fn loss_in(ply: usize) -> Score {
        Score(ply as i32 - Score::WIN.0)
    }

    /// A win of unknown length that endgame tables prove `ply` plies below the root.
    pub const fn known_win(ply: usize) -> Score {
        Score(Score::WIN.0 - MAX_PLY as i32 - ply as i32)
    }

    /// The bare number.
    pub const fn value(self) -> i32 {
        self.0
    }

    /// From a bare number, as found in a table entry.
    pub const fn from_value(value: i32) -> Score {
        Score(value)
    }

    /// Is it a proven win or loss?
    pub const fn is_known(self) -> bool {
        self.0.abs() >= Score::KNOWN.0
    }

    /// Plies to the end of a win (positive) or loss (negative) whose length is known.
    pub fn plies_to_end(self) -> Option<i32> {
        let plies = Score::WIN.0 - self.0.abs();
        (plies < MAX_PLY as i32).then_some(if self.0 > 0 { plies } else { -plies })
    }

    /// Converts a score that counts plies from the root, as in a frame, to one that counts from the node, as in a
    /// table.
    pub fn to_node(self, ply: usize) -> Score {
        self.shifted(ply as i32)
    }

    /// Converts a score that counts plies from the node, as in a table, to one that counts from the root.
    pub fn to_root(self, ply: usize) -> Score {
        self.shifted(-(ply as i32))
    }

    fn shifted(self, plies: i32) -> Score {
        if !self.is_known() {
            self
        } else if self.0 > 0 {
            Score(self.0 + plies)
        } else {
            Score(self.0 - plies)
        }
    }
}

impl Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;
    fn add(self, margin: i32) -> Score {
        Score(self.0 + margin)
    }
}

impl Sub<i32> for Score {
    type Output = Score;
    fn sub(self, margin: i32) -> Score {
        Score(self.0 - margin)
    }
}

impl Sub for Score {
    type Output = i32;
    fn sub(self, other: Score) -> i32 {
        self.0 - other.0
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies_to_end() {
            Some(plies) => write!(f, "#{plies}"),
            None => write!(f, "{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_keeps_its_length_through_the_table() {
        for ply in 0..MAX_PLY {
            for end in ply..MAX_PLY {
                for score in [Score::win_in(end), Score::loss_in(end)] {
                    let stored = score.to_node(ply);
                    assert_eq!(stored.to_root(ply), score);
                    assert!(stored.value().abs() <= i32::from(i16::MAX));
                    assert_eq!(stored.plies_to_end().map(i32::abs), Some((end - ply) as i32));
                }
            }
        }
    }

    #[test]
    fn estimates_are_never_mistaken_for_proofs() {
        for value in [i32::MIN / 2, -40_000, -1, 0, 1, 31_999, i32::MAX / 2] {
            assert!(!Score::estimate(value).is_known());
        }
        assert!(Score::known_win(MAX_PLY - 1).is_known());
        assert!(Score::known_win(0).plies_to_end().is_none());
        assert!(Score::known_win(0) < Score::win_in(MAX_PLY - 1));
    }
}
