use super::Algorithm;

/// Zugzwang's young brothers wait concept (Feldmann, Mysliwietz & Monien 1990, section 4): "the eldest son of any node
/// must be completely evaluated before younger brothers of that node may be transmitted". An idle processor asks a random
/// one and gets the subproblem at the highest level. A move that beats its test is valued by the processor that tested
/// it.
pub const YOUNG_BROTHERS: Algorithm = Algorithm::named("ybw");
