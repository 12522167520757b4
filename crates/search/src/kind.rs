//! What a node is expected to be, and what its children are expected to be then.

/// What a node is expected to turn out as (Knuth & Moore 1975, types 1 to 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Type 1: on the principal variation; its exact value is wanted.
    Pv,
    /// Type 2: one move is expected to refute it.
    Cut,
    /// Type 3: every move is expected to fail.
    All,
}

impl Kind {
    /// The kind of a child that is searched first, or with the parent's own window.
    pub fn first_child(self) -> Kind {
        match self {
            Kind::Pv => Kind::Pv,
            Kind::Cut => Kind::All,
            Kind::All => Kind::Cut,
        }
    }

    /// The kind of a child that is only tested.
    pub fn tested_child(self) -> Kind {
        match self {
            Kind::Pv | Kind::All => Kind::Cut,
            Kind::Cut => Kind::All,
        }
    }
}
