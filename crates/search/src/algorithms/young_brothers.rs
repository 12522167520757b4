use super::{Algorithm, Valuing};
use crate::Kind;

/// Zugzwang's young brothers wait concept (Feldmann, Mysliwietz & Monien 1990, section 4): "the eldest son of any node
/// must be completely evaluated before younger brothers of that node may be transmitted". An idle processor asks a random
/// one and gets the subproblem at the highest level; whoever finds a move that beats its test searches it again.
#[derive(Clone, Copy, Debug, Default)]
pub struct YoungBrothers;

impl Algorithm for YoungBrothers {
    fn name(&self) -> &str {
        "ybw"
    }

    fn open_after(&self, _kind: Kind) -> Option<usize> {
        Some(1)
    }

    fn valuing(&self) -> Valuing {
        Valuing::AtOnce
    }
}
