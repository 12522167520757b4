use super::{Algorithm, Valuing};
use crate::Kind;

/// Jamboree search (StarTech, Kuszmaul 1995, figure 2): value the first child, test the others in parallel, and value
/// those that fail their test one after the other, each when all tests before it are done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jamboree;

impl Algorithm for Jamboree {
    fn name(&self) -> &str {
        "jamboree"
    }

    fn open_after(&self, _kind: Kind) -> Option<usize> {
        Some(1)
    }

    fn valuing(&self) -> Valuing {
        Valuing::InTurn
    }
}
