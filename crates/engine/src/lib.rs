//! The engine: a chess search with a clock, options, an opening book and endgame tables.
//!
//! [`Engine`] is told what to do and tells what happens as typed [`Event`]s; it owns a thread and knows no protocol.
//! [`EngineCore`] is the same without a thread, for programs that want one search after another. [`uci`] puts the
//! Universal Chess Interface on top of [`Engine`]; [`front`] stands between a user interface and a cluster.

pub mod book;
mod clock;
mod engine;
mod engine_core;
mod evaluation;
mod event;
mod find_mate;
#[cfg(unix)]
pub mod front;
mod game_record;
mod hash_file;
mod limited_search;
mod mate_search;
mod options;
pub mod outlook;
mod perft;
mod proof_table;
mod rank_group;
mod ranks;
mod request;
mod run_search;
mod signals;
mod strength;
pub mod tablebase;
pub mod uci;

pub use clock::{Clock, TimeControl};
pub use engine::{Benchmark, Engine};
pub use engine_core::EngineCore;
pub use evaluation::{EvaluationReport, draw};
pub use event::{Answer, EngineError, Event, Info};
pub use game_record::{GameRecord, PositionError};
pub use options::{OptionError, Options};
pub use outlook::{Outlook, WinningChances};
pub use rank_group::{ClusterSettings, cores, host};
pub use request::{GoLimits, SearchRequest};
pub use signals::Signals;
pub use strength::{MAX_ELO, MIN_ELO};
