use super::{Algorithm, Scope};
use scheduler::Waiting;

/// Cray Blitz, second version (Hyatt, "Parallel chess on the Cray X-MP/48", 1985): only the root is shared. A processor
/// that finds no move left waits until all moves are done. A move that beats its test is valued by the processor that
/// tested it.
pub const ROOT_SPLIT: Algorithm =
    Algorithm { scope: Scope::Root, waiting: Waiting::Hold, ..Algorithm::named("root-split") };
