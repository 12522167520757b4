use super::{Algorithm, Together, Valuing};
use crate::Kind;

/// ABDADA (Weill 1996), in the simplified form of T. Kerrigan: every processor searches the root by itself, but a move that
/// somebody else is searching at this very moment is put off until the others of its node are done; by then the table has
/// its answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Abdada;

impl Algorithm for Abdada {
    fn name(&self) -> &str {
        "abdada"
    }

    fn open_after(&self, _kind: Kind) -> Option<usize> {
        None
    }

    fn valuing(&self) -> Valuing {
        Valuing::AtOnce
    }

    fn together(&self) -> Together {
        Together::Everyone { staggered: false, exclusive: true }
    }
}
