use super::{Algorithm, Together, Valuing};
use crate::Kind;

/// Lazy SMP, as most of today's programs do it: every processor searches the root by itself, some of them one ply deeper;
/// they have nothing in common but the table and the histories.
#[derive(Clone, Copy, Debug, Default)]
pub struct LazySmp;

impl Algorithm for LazySmp {
    fn name(&self) -> &str {
        "lazy-smp"
    }

    fn open_after(&self, _kind: Kind) -> Option<usize> {
        None
    }

    fn valuing(&self) -> Valuing {
        Valuing::AtOnce
    }

    fn together(&self) -> Together {
        Together::Everyone { staggered: true, exclusive: false }
    }
}
