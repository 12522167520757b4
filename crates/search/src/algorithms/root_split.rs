use super::{Algorithm, Valuing, View};

/// Cray Blitz, second version (Hyatt, "Parallel chess on the Cray X-MP/48", 1985): the moves of the root are handed out;
/// whoever has none waits until all are done. A move that beats its test is searched again by its finder.
#[derive(Clone, Copy, Debug, Default)]
pub struct RootSplit;

impl Algorithm for RootSplit {
    fn name(&self) -> &'static str {
        "root-split"
    }

    fn may_share(&self, view: &View) -> bool {
        view.ply == 0 && view.tried >= 1
    }

    fn valuing(&self) -> Valuing {
        Valuing::AtOnce
    }

    fn holds(&self) -> bool {
        true
    }
}
