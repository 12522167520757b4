//! Failures of commands, and the exit code.

use jamboree_io::{PrintError, note, outln};
use std::process::ExitCode;

/// Why a command failed: one line for the user.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Tells the user why a command failed; the exit code. If the reader has closed the output, as in
/// `jamboree bench | head -1`, the program ends quietly and with success.
fn report(failure: &Failure) -> u8 {
    if matches!(failure.downcast_ref(), Some(PrintError::Closed)) {
        return 0;
    }
    note!("jamboree: {failure}");
    1
}

/// The exit code of a command.
pub(crate) fn exit_code(done: Result<(), Failure>) -> ExitCode {
    done.map_or_else(|failure| ExitCode::from(report(&failure)), |()| ExitCode::SUCCESS)
}

/// Prints a line from a callback that can't return a failure. If the line can't be printed the program ends here, since
/// the rest of the work would be lost too.
pub(crate) fn print_or_exit(line: &str) {
    if let Err(error) = outln!("{line}") {
        std::process::exit(i32::from(report(&error.into())));
    }
}
