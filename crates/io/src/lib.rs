//! How Jamboree reads and writes: every line, file and child process is read within limits, and every file is written
//! in one piece.
//!
//! | to do this | use |
//! |---|---|
//! | read lines that may be endless | [`LineReader`] |
//! | read a whole file | [`read_file`], or [`open_file`] for one that is too large to hold |
//! | read what a user names on the command line | [`read_input`] |
//! | read a pipe or standard input | [`read_stream`] |
//! | read what a child process prints | [`ChildLines`] |
//! | write a file | [`write_file`], or [`OutputFile`] for one that is too large to hold |
//! | avoid writing over an input | [`refuse_overwriting`] |
//! | print on standard output | [`out!`], [`outln!`], [`flush_output`] |
//! | print on standard error | [`note!`] |

mod child;
mod file;
mod lines;
mod output;
mod print;

pub use child::{ChildError, ChildLimits, ChildLine, ChildLines};
pub use file::{ReadError, open_file, read_file, read_input, read_stream};
pub use lines::{LineError, LineReader};
pub use output::{OutputFile, WriteError, refuse_overwriting, same_file, write_file};
pub use print::{PrintError, flush_output, print, print_note};
