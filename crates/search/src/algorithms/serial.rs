use super::{Algorithm, Valuing, View};

/// Nothing is shared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Algorithm for Serial {
    fn name(&self) -> &'static str {
        "serial"
    }

    fn may_share(&self, _view: &View) -> bool {
        false
    }

    fn valuing(&self) -> Valuing {
        Valuing::AtOnce
    }
}
