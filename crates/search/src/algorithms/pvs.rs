use super::{Algorithm, Valuing, View};

/// Principal variation splitting (Cray Blitz, third version; DTS section 1): all processors work together at one node of
/// the leftmost path, from the deepest upwards, once its first move is searched. Whoever has no move waits for the others.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrincipalVariationSplitting;

impl Algorithm for PrincipalVariationSplitting {
    fn name(&self) -> &'static str {
        "pvs"
    }

    fn may_share(&self, view: &View) -> bool {
        view.is_leftmost && view.tried >= 1
    }

    fn valuing(&self) -> Valuing {
        Valuing::AtOnce
    }

    fn holds(&self) -> bool {
        true
    }
}
