use super::{Algorithm, Gathering, RootOrder, Scope, UNTIL_THERE_IS_WORK};
use scheduler::Waiting;

/// Principal variation splitting (Cray Blitz, third version; DTS section 1): all processors work together at one node of
/// the leftmost path, from the deepest upwards; at the deepest from its first move on, at the others once the first move
/// is searched. A processor that finds no move left waits for the others. When a move of the root beats the best one, all
/// stop, work on this candidate together, and then go on with the moves they had. The root's moves are searched in the
/// order of the nodes they took in the last iteration, so that the last ones are short.
pub const PRINCIPAL_VARIATION_SPLITTING: Algorithm = Algorithm {
    scope: Scope::LeftmostPath,
    // A processor whose strand waits must be free to help with a new best move. Nothing else is shared meanwhile.
    waiting: Waiting::Level,
    patience: UNTIL_THERE_IS_WORK,
    gathering: Gathering::ForNewBest,
    root_order: RootOrder::Nodes,
    ..Algorithm::named("pvs")
};
