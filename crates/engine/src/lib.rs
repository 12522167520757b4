//! The engine: a chess search with a clock, options, an opening book and endgame tables.
//!
//! [`Engine`] knows no protocol: it takes a [`Request`] and tells a listener what it finds as typed [`Event`]s.
//! [`uci`] puts the Universal Chess Interface on top; [`front`] stands between a user interface and a cluster.

pub mod book;
mod clock;
mod company;
mod engine;
#[cfg(unix)]
pub mod front;
mod options;
mod signals;
mod strength;
pub mod tablebase;
pub mod uci;
mod winning;

pub use clock::{Clock, TimeControl};
pub use company::Terms;
pub use engine::{Answer, Engine, Event, Info, Limits, Request};
pub use options::{OptionError, Options};
pub use signals::Signals;
pub use strength::{MAX_ELO, MIN_ELO};
pub use winning::{Wdl, win_draw_loss};
