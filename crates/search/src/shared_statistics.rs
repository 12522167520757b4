//! SharedStatistics: what the rules have learned from the tree, as other machines may hear of it.

/// Numbers that rise and fall as a search goes on: histories of moves, corrections of an evaluation. All machines have the
/// same places, and what one learns may be added to what another knows.
pub trait SharedStatistics: Send + Sync {
    /// How many places there are.
    fn len(&self) -> usize;

    /// Are there none?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is known from this place on.
    fn read(&self, place: usize, into: &mut [i16]);

    /// Another machine's number has changed by so much: what this one changes by, which is less at the limits.
    fn add(&self, place: usize, change: i16) -> i16;
}
