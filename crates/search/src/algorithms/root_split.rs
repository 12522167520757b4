use super::{Algorithm, Scope, UNTIL_THERE_IS_WORK};
use scheduler::Waiting;

/// Cray Blitz, second version (Hyatt, "Parallel chess on the Cray X-MP/48", 1985): only the root is shared, from its first
/// move on. Each processor takes a move, and after examining it another one. Each has a best move of its own, so each
/// values its first move; the last move done, the best of the best is played. A processor that finds no move left waits
/// until all moves are done.
pub const ROOT_SPLIT: Algorithm = Algorithm {
    share_after: [0; 3],
    scope: Scope::Root,
    waiting: Waiting::Hold,
    patience: UNTIL_THERE_IS_WORK,
    ..Algorithm::named("root-split")
};
