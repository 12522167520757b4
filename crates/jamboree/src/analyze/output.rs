//! Where results go: standard output as they come, or a file when all is done.

use crate::Failure;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Where results go.
#[derive(Debug)]
pub(crate) enum Output {
    /// Standard output, at once.
    Stdout,
    /// A file that appears when [`Output::finish`] is called, whole or not at all.
    File {
        /// Its name.
        path: PathBuf,
        /// What it will hold.
        text: String,
    },
}

impl Output {
    /// To standard output.
    pub(crate) fn stdout() -> Output {
        Output::Stdout
    }

    /// To a file, or standard output if none is named.
    ///
    /// # Errors
    /// If no file can be written there: better told before hours of work than after.
    pub(crate) fn to(path: Option<&Path>) -> Result<Output, Failure> {
        let Some(path) = path else { return Ok(Output::Stdout) };
        if path.is_dir() {
            return Err(format!("cannot write '{}': it is a directory", path.display()).into());
        }
        let trial = beside(path);
        fs::write(&trial, "").map_err(|error| cannot_write(path, &error))?;
        fs::remove_file(&trial).map_err(|error| cannot_write(path, &error))?;
        Ok(Output::File { path: path.to_owned(), text: String::new() })
    }

    /// Adds some text.
    ///
    /// # Errors
    /// If standard output does not take it.
    pub(crate) fn write(&mut self, addition: &str) -> Result<(), Failure> {
        match self {
            Output::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(addition.as_bytes())?;
                stdout.flush()?;
            }
            Output::File { text, .. } => text.push_str(addition),
        }
        Ok(())
    }

    /// Writes the file, if it is one.
    ///
    /// # Errors
    /// If the file can't be written. What was there before stays.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Output::File { path, text } = self else { return Ok(()) };
        // A device or a pipe is no file to be replaced by another.
        let special = fs::metadata(&path).is_ok_and(|found| !found.is_file());
        if special {
            return Ok(fs::write(&path, text).map_err(|error| cannot_write(&path, &error))?);
        }
        let temporary = beside(&path);
        let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, &path));
        written.map_err(|error| {
            let _ = fs::remove_file(&temporary);
            cannot_write(&path, &error).into()
        })
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("cannot write '{}': {error}", path.display())
}

/// The name of a temporary file in the same directory.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// A number with its thousands apart: `1,234,567`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let shown: Vec<String> = [0, 999, 1_000, 1_234_567].into_iter().map(thousands).collect();
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_file_appears_whole_and_alone() {
        let directory = std::env::temp_dir().join(format!("jamboree-output-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("games.pgn");
        let mut output = Output::to(Some(&path)).unwrap();
        output.write("one ").unwrap();
        assert!(!path.exists());
        output.write("two").unwrap();
        output.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one two");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
        fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn what_can_not_be_written_is_told_at_once() {
        for path in ["/no/such/directory/games.pgn", "/tmp"] {
            let message = Output::to(Some(Path::new(path))).unwrap_err().to_string();
            assert!(message.starts_with(&format!("cannot write '{path}': ")), "{message}");
        }
    }
}
