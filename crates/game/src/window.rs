//! Windows: the interval of scores that still matters at a node.

use crate::Score;
use std::ops::Neg;

/// The interval between what the side to move already has (`alpha`) and what the opponent will not allow (`beta`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The side to move is sure of this much: scores up to it are of no use.
    pub alpha: Score,
    /// The opponent can avoid this much: a score that reaches it ends the node.
    pub beta: Score,
}

impl Default for Window {
    fn default() -> Window {
        Window::FULL
    }
}

impl Window {
    /// Every score matters.
    pub const FULL: Window = Window { alpha: Score::from_value(-Score::INFINITE.value()), beta: Score::INFINITE };

    /// The window between two scores.
    pub fn new(alpha: Score, beta: Score) -> Window {
        debug_assert!(alpha < beta, "empty window {alpha:?}..{beta:?}");
        Window { alpha, beta }
    }

    /// The null window that shows only whether a score is above `alpha` (a *test*, StarTech figure 1, line S9).
    pub fn test_above(alpha: Score) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    /// The null window that shows only whether a score reaches `beta`.
    pub fn test_below(beta: Score) -> Window {
        Window { alpha: beta - 1, beta }
    }

    /// Is this a test, with no room for a value?
    pub fn is_test(self) -> bool {
        self.beta - self.alpha == 1
    }

    /// Would this score be a value: above alpha and below beta?
    pub fn contains(self, score: Score) -> bool {
        self.alpha < score && score < self.beta
    }

    /// What a score found by a search with this window says about the true value.
    pub fn bound(self, score: Score) -> Bound {
        if score >= self.beta {
            Bound::Lower
        } else if score > self.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }
}

/// The same window seen by the opponent.
impl Neg for Window {
    type Output = Window;
    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// What a stored score says about the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The true value is at most the score.
    Upper = 1,
    /// The true value is at least the score.
    Lower = 2,
    /// The score is the value.
    Exact = 3,
}

impl Bound {
    /// Does a score with this bound settle a search with this window?
    pub fn settles(self, score: Score, window: Window) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => score >= window.beta,
            Bound::Upper => score <= window.alpha,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_has_room_for_no_value() {
        let test = Window::test_above(Score::from_value(7));
        assert!(test.is_test() && (-test).is_test());
        for value in 0..20 {
            assert!(!test.contains(Score::from_value(value)));
        }
        assert_eq!(-(-test), test);
        assert_eq!(test, Window::test_below(Score::from_value(8)));
    }
}
