use super::{Algorithm, NEVER, Together};

/// ABDADA (Weill 1996), in the simplified form of T. Kerrigan: every processor searches the root by itself, but defers a
/// move that another processor is searching at this moment until the other moves of the node are done; by then the
/// table has its answer.
pub const ABDADA: Algorithm = Algorithm {
    share_after: [NEVER; 3],
    together: Together::Everyone { staggered: false, exclusive: true },
    ..Algorithm::named("abdada")
};
