//! The waits of a search: what begins only when something else is done. Each can be left out of the critical path, to measure
//! what it costs: the search is the same, but its span is what it would be if that wait did not exist.

/// What has to wait for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The moves of a node, for the null move, ProbCut and razoring.
    Pruning,
    /// The moves of a node, for the singular search.
    Singular,
    /// The test of a move at full depth, for the test at reduced depth.
    ReducedTest,
    /// The value of a move, for its test and the tests of the moves before it.
    Test,
    /// The younger brothers on the principal variation, for the eldest.
    Eldest,
    /// An iteration, for the one before.
    Iteration,
}

impl Wait {
    /// All of them.
    pub const ALL: [Wait; 6] =
        [Wait::Pruning, Wait::Singular, Wait::ReducedTest, Wait::Test, Wait::Eldest, Wait::Iteration];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Wait::Pruning => "pruning",
            Wait::Singular => "singular",
            Wait::ReducedTest => "reduced-test",
            Wait::Test => "test",
            Wait::Eldest => "eldest",
            Wait::Iteration => "iteration",
        }
    }

    /// The wait of this name.
    pub(crate) fn by_name(name: &str) -> Option<Wait> {
        Wait::ALL.into_iter().find(|wait| wait.name() == name)
    }
}

/// A set of waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits(u8);

impl Waits {
    /// None.
    pub const NONE: Waits = Waits(0);

    /// These and one more.
    pub(crate) fn with(self, wait: Wait) -> Waits {
        Waits(self.0 | 1 << wait as u8)
    }

    /// Is it one of them?
    #[inline]
    pub fn has(self, wait: Wait) -> bool {
        self.0 & 1 << wait as u8 != 0
    }

    /// Is there none?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wait_has_a_name_and_a_place_in_the_set() {
        for wait in Wait::ALL {
            assert_eq!(Wait::by_name(wait.name()), Some(wait));
            let only = Waits::NONE.with(wait);
            assert!(!only.is_empty() && Wait::ALL.iter().all(|&other| only.has(other) == (other == wait)));
        }
        assert!(Wait::by_name("uncle").is_none() && Waits::NONE.is_empty());
    }
}
