//! The engine: a chess search with a clock, options, an opening book and endgame tables.
//!
//! [`EngineCore`] knows no protocol: it takes a [`SearchRequest`] and tells a listener what it finds as typed [`Event`]s.
//! [`uci`] puts the Universal Chess Interface on top; [`front`] stands between a user interface and a cluster.

pub mod book;
mod clock;
mod engine_core;
#[cfg(unix)]
pub mod front;
mod options;
mod ranks;
mod signals;
mod strength;
pub mod tablebase;
pub mod uci;
mod winning;

pub use clock::{Clock, TimeControl};
pub use engine_core::{Answer, EngineCore, Event, GoLimits, Info, SearchRequest};
pub use options::{OptionError, Options};
pub use ranks::ClusterSettings;
pub use signals::Signals;
pub use strength::{MAX_ELO, MIN_ELO};
pub use winning::{Wdl, win_draw_loss};
