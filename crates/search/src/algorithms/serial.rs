use super::{Algorithm, NEVER};

/// Nothing is shared.
pub const SERIAL: Algorithm = Algorithm { share_after: [NEVER; 3], ..Algorithm::named("serial") };
