use super::{Algorithm, Scope};
use scheduler::Waiting;

/// Principal variation splitting (Cray Blitz, third version; DTS section 1): all processors work together at one node of
/// the leftmost path, from the deepest upwards, once its first move is searched. A processor that finds no move left
/// waits for the others.
pub const PRINCIPAL_VARIATION_SPLITTING: Algorithm =
    Algorithm { scope: Scope::LeftmostPath, waiting: Waiting::Hold, ..Algorithm::named("pvs") };
