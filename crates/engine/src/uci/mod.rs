//! The Universal Chess Interface on top of [`crate::Engine`].
//!
//! [`command`] turns a line into a command or an error, `session` carries commands out, `format` writes what the engine
//! tells, `introduction` says what the program is, `output` is where lines go.
//!
//! What the standard leaves open, and what this engine does:
//!
//! - The end of the input ends the program. Searches with a limit of depth, nodes, mate or time are finished first, so
//!   that `echo "go depth 12" | jamboree` gives the answer to the question; other searches are stopped. If the
//!   output can't be written any more, everything is stopped.
//! - `setoption` and `ucinewgame` during a search wait for its end and do not end it. `go` ends the search before it.
//! - After a `position` that is refused there is no position. `go` answers `bestmove (none)` then, with an
//!   `info string error: ...`, until a legal position arrives: a move for the position before would be a move in a game
//!   that is not being played.
//! - The first iteration is always finished, whatever the limits say.

pub mod command;
pub(crate) mod format;
pub(crate) mod introduction;
pub(crate) mod output;
mod session;

pub use format::EventWriter;
pub(crate) use session::LONGEST_LINE;
pub use session::run;
