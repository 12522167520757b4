//! What processors that learn for themselves tell each other (Zugzwang section 5).

/// What processors that learn for themselves tell each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// A history that has grown by some amount is told to the neighbours, which take the larger of it and their own.
    pub histories: bool,
    /// A move that has become a killer is told to the neighbours.
    pub killers: bool,
    /// Groups of processors learn together; what one learns at nodes that are not close to the leaves is told to all groups.
    pub deep: bool,
}
