//! The output of results: to standard output at once, or to a file when all is done.

use crate::Failure;
use jamboree_io::{OutputFile, flush_output, out};
use std::io::Write;
use std::path::Path;

/// Where results go.
#[derive(Debug)]
pub(crate) enum ResultOutput {
    /// Standard output, at once.
    Stdout,
    /// A file that appears when [`ResultOutput::finish`] is called, whole or not at all.
    File(OutputFile),
}

impl ResultOutput {
    /// To a file, or standard output if none is named.
    ///
    /// # Errors
    /// If no file can be written there, which is found before hours of work.
    pub(crate) fn to(path: Option<&Path>) -> Result<ResultOutput, Failure> {
        Ok(match path {
            Some(path) => ResultOutput::File(OutputFile::create(path)?),
            None => ResultOutput::Stdout,
        })
    }

    /// Adds some text.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), Failure> {
        match self {
            ResultOutput::Stdout => {
                out!("{text}")?;
                flush_output()?;
            }
            ResultOutput::File(file) => file.write_all(text.as_bytes())?,
        }
        Ok(())
    }

    /// Puts the file in its place, if it is one.
    ///
    /// # Errors
    /// If the file can't be written. What was there before stays.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self {
            ResultOutput::Stdout => Ok(()),
            ResultOutput::File(file) => Ok(file.commit()?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_when_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let mut output = ResultOutput::to(Some(&path)).unwrap();
        output.write("one ").unwrap();
        assert!(!path.exists());
        output.write("two").unwrap();
        output.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one two");
    }
}
