use super::{Algorithm, Scope, Valuing};
use crate::Kind;
use scheduler::Waiting;

/// Cray Blitz, second version (Hyatt, "Parallel chess on the Cray X-MP/48", 1985): the moves of the root are handed out;
/// whoever has none waits until all are done. A move that beats its test is searched again by its finder.
#[derive(Clone, Copy, Debug, Default)]
pub struct RootSplit;

impl Algorithm for RootSplit {
    fn name(&self) -> &str {
        "root-split"
    }

    fn open_after(&self, _kind: Kind) -> Option<usize> {
        Some(1)
    }

    fn scope(&self) -> Scope {
        Scope::Root
    }

    fn valuing(&self) -> Valuing {
        Valuing::AtOnce
    }

    fn waiting(&self) -> Waiting {
        Waiting::Hold
    }
}
