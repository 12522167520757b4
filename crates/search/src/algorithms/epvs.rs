use super::{Algorithm, Scope, Valuing};
use crate::Kind;

/// Enhanced principal variation splitting (Hyatt 1988; DTS section 1): as PVS, but when a processor finds no move left at
/// the node while others are still busy there, everyone stops, follows the first unfinished branch two plies down, and
/// splits there. What the others had searched so far is found again in the table.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnhancedPvs;

impl Algorithm for EnhancedPvs {
    fn name(&self) -> &str {
        "epvs"
    }

    fn open_after(&self, _kind: Kind) -> Option<usize> {
        Some(1)
    }

    fn scope(&self) -> Scope {
        Scope::LeftmostPath
    }

    fn valuing(&self) -> Valuing {
        Valuing::AtOnce
    }

    fn gathers(&self) -> bool {
        true
    }
}
