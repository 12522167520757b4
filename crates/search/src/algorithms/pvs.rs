use super::{Algorithm, Scope, Valuing};
use crate::Kind;
use scheduler::Waiting;

/// Principal variation splitting (Cray Blitz, third version; DTS section 1): all processors work together at one node of
/// the leftmost path, from the deepest upwards, once its first move is searched. Whoever has no move waits for the others.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrincipalVariationSplitting;

impl Algorithm for PrincipalVariationSplitting {
    fn name(&self) -> &str {
        "pvs"
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

    fn waiting(&self) -> Waiting {
        Waiting::Hold
    }
}
