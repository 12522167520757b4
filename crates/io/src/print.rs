//! Standard output and standard error.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};

/// Why something could not be printed on standard output.
#[derive(Debug)]
pub enum PrintError {
    /// The reader has closed the pipe, as in `jamboree bench | head -1`. The program should end quietly and with
    /// success.
    Closed,
    /// Something else, such as a full disk. The program should say so and end with exit code 1.
    Failed(io::Error),
}

impl fmt::Display for PrintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrintError::Closed => write!(f, "the reader of the output has closed it"),
            PrintError::Failed(source) => write!(f, "cannot write to standard output: {source}"),
        }
    }
}

impl Error for PrintError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            PrintError::Closed => None,
            PrintError::Failed(source) => Some(source),
        }
    }
}

impl From<io::Error> for PrintError {
    fn from(source: io::Error) -> PrintError {
        if source.kind() == io::ErrorKind::BrokenPipe { PrintError::Closed } else { PrintError::Failed(source) }
    }
}

/// Prints on standard output; [`out!`](crate::out) and [`outln!`](crate::outln) call it. Unlike `print!` it does not
/// panic.
///
/// # Errors
/// If it can't be printed.
pub fn print(text: fmt::Arguments<'_>) -> Result<(), PrintError> {
    Ok(io::stdout().lock().write_fmt(text)?)
}

/// Makes sure that all output has been written; a program calls it before it ends with success.
///
/// # Errors
/// If it can't be written.
pub fn flush_output() -> Result<(), PrintError> {
    Ok(io::stdout().lock().flush()?)
}

/// Prints a line on standard error; [`note!`](crate::note) calls it. Nothing depends on these lines, so a failure is
/// ignored, where `eprintln!` would panic.
pub fn print_note(text: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints on standard output, as `print!`, and returns a `Result<(), PrintError>`.
#[macro_export]
macro_rules! out {
    ($($text:tt)*) => { $crate::print(::core::format_args!($($text)*)) };
}

/// Prints a line on standard output, as `println!`, and returns a `Result<(), PrintError>`.
#[macro_export]
macro_rules! outln {
    () => { $crate::print(::core::format_args!("\n")) };
    ($($text:tt)*) => { $crate::print(::core::format_args!("{}\n", ::core::format_args!($($text)*))) };
}

/// Prints a line on standard error, as `eprintln!`, and ignores failures.
#[macro_export]
macro_rules! note {
    ($($text:tt)*) => { $crate::print_note(::core::format_args!($($text)*)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_not_a_full_disk() {
        assert!(matches!(PrintError::from(io::Error::from(io::ErrorKind::BrokenPipe)), PrintError::Closed));
        let full = std::fs::File::options().write(true).open("/dev/full").and_then(|mut full| full.write_all(b"x"));
        let error = PrintError::from(full.expect_err("full"));
        assert!(error.to_string().starts_with("cannot write to standard output: No space left"), "{error}");
    }
}
