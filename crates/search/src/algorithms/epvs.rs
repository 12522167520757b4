use super::{Algorithm, Gathering, PRINCIPAL_VARIATION_SPLITTING};
use scheduler::Waiting;

/// Enhanced principal variation splitting (Hyatt 1988; DTS section 1): as PVS, but when a processor finds no move left
/// at the node while others are still busy there, all of them stop, follow the first unfinished branch two plies down,
/// and split there. What the others had searched so far is found again in the table.
pub const ENHANCED_PVS: Algorithm = Algorithm {
    name: "epvs",
    gathering: Gathering::ForUnfinished,
    waiting: Waiting::Carry,
    ..PRINCIPAL_VARIATION_SPLITTING
};
