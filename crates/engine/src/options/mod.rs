//! What can be set, what it may be set to, and what it is set to.
//!
//! [`table`] lists the options: name, type, which processes follow it, what it does. It is the only place to change for a
//! new option; UCI, the ranks of a cluster and the front read it.

mod entry;
mod setting;
mod table;
mod values;

pub use setting::OptionError;
pub(crate) use setting::{Setting, Value};
pub(crate) use table::{LOG_FILE, TABLE};
pub use values::Options;
