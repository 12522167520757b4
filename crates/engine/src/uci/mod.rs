//! The Universal Chess Interface: reading commands, running the engine beside, writing what it finds.
//!
//! [`command`] turns a line into a command or an error; `session` carries commands out; `format` writes.

pub mod command;
mod format;
mod log;
mod session;

pub use session::run;
