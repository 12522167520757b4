use super::{Algorithm, NEVER, Together};

/// Lazy SMP, as most of today's programs do it: every processor searches the root by itself, every second one a ply
/// deeper; they share nothing but the table and the histories.
pub const LAZY_SMP: Algorithm = Algorithm {
    share_after: [NEVER; 3],
    together: Together::Everyone { staggered: true, exclusive: false },
    ..Algorithm::named("lazy-smp")
};
