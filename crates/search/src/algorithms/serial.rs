use super::{Algorithm, Valuing};
use crate::Kind;

/// Nothing is shared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Algorithm for Serial {
    fn name(&self) -> &str {
        "serial"
    }

    fn open_after(&self, _kind: Kind) -> Option<usize> {
        None
    }

    fn valuing(&self) -> Valuing {
        Valuing::AtOnce
    }
}
