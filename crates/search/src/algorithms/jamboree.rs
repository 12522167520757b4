use super::{Algorithm, Valuing};

/// Jamboree search (StarTech, Kuszmaul 1995, figure 2): value the first child, test the others in parallel, and value
/// those that fail their test one after the other, each when all tests before it are done.
pub const JAMBOREE: Algorithm = Algorithm { valuing: Valuing::InTurn, ..Algorithm::named("jamboree") };
