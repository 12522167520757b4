//! The Universal Chess Interface: reading commands, running the engine beside, writing what it finds.
//!
//! [`command`] turns a line into a command or an error; `session` carries commands out; `setup` is the position that was
//! set up; `format` writes.

pub mod command;
pub(crate) mod format;
pub(crate) mod log;
mod session;
pub(crate) mod setup;

pub use session::run;
