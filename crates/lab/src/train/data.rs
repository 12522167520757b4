//! Data for the trainer: text as `datagen` writes it, or records.

use super::record::{MAGIC, PackedPosition, SIZE};
use crate::tune::parse_line;
use jamboree_io::{LineError, LineReader, OutputFile, ReadError, WriteError, open_file, refuse_overwriting};
use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// Longest line of a text file, in bytes. Ordinary lines have about a hundred.
pub(crate) const LONGEST_LINE: usize = 1 << 12;

/// Why data can't be read or written.
#[derive(Debug)]
pub enum DataError {
    /// A file can't be opened.
    Open(ReadError),
    /// A file can't be read to its end.
    Read(PathBuf, io::Error),
    /// A file can't be written.
    Write(WriteError),
    /// An output file can't be written; the message names it.
    Output(io::Error),
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataError::Open(error) => error.fmt(f),
            DataError::Read(path, source) => write!(f, "cannot read '{}': {source}", path.display()),
            DataError::Write(error) => error.fmt(f),
            DataError::Output(error) => error.fmt(f),
        }
    }
}

impl Error for DataError {}

impl From<ReadError> for DataError {
    fn from(error: ReadError) -> DataError {
        DataError::Open(error)
    }
}

impl From<WriteError> for DataError {
    fn from(error: WriteError) -> DataError {
        DataError::Write(error)
    }
}

/// Passes every line of a text file to `each`; `None` stands for a line that is too long.
///
/// # Errors
/// If the file can't be read.
pub fn each_line(path: &Path, each: impl FnMut(Option<&str>)) -> Result<(), DataError> {
    lines_of(BufReader::with_capacity(1 << 20, open_file(path)?), path, each)
}

fn lines_of(reader: impl BufRead, path: &Path, mut each: impl FnMut(Option<&str>)) -> Result<(), DataError> {
    let mut lines = LineReader::new(reader, LONGEST_LINE);
    while let Some(line) = lines.next_bytes() {
        match line {
            Ok(bytes) => each(std::str::from_utf8(bytes).ok()),
            Err(LineError::TooLong { .. }) => each(None),
            Err(LineError::Unreadable { source, .. }) => return Err(DataError::Read(path.to_owned(), source)),
        }
    }
    Ok(())
}

/// Number of consecutive positions that are held out together. Positions are in the order of the games, so held-out
/// positions come from different games than the others.
const RUN: usize = 2048;
/// One run in this many is held out.
const HELD_OUT: usize = 25;

/// All positions.
#[derive(Clone, Default)]
pub struct TrainingData {
    /// Positions to learn from.
    pub learned: Vec<PackedPosition>,
    /// Positions held out, to measure the prediction of unknown positions.
    pub held_out: Vec<PackedPosition>,
    /// Lines or records that could not be used.
    pub bad: usize,
    count: usize,
}

impl TrainingData {
    /// Adds a file of text or records.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn read(&mut self, path: &Path) -> Result<(), DataError> {
        let failed = |error| DataError::Read(path.to_owned(), error);
        let mut reader = BufReader::with_capacity(1 << 20, open_file(path)?);
        if !reader.fill_buf().map_err(failed)?.starts_with(MAGIC) {
            let record = |line: &str| parse_line(line).ok().map(|sample| PackedPosition::new(&sample));
            return lines_of(reader, path, |line| self.push(line.and_then(record)));
        }
        reader.consume(MAGIC.len());
        let mut bytes = [0; SIZE];
        while read_whole(&mut reader, &mut bytes).map_err(failed)? {
            self.push(PackedPosition::from_bytes(&bytes));
        }
        Ok(())
    }

    fn push(&mut self, record: Option<PackedPosition>) {
        let Some(record) = record else {
            self.bad += 1;
            return;
        };
        let held_out = self.count / RUN % HELD_OUT == HELD_OUT / 2;
        self.count += 1;
        if held_out { self.held_out.push(record) } else { self.learned.push(record) }
    }
}

/// Fills the bytes; false if fewer are left in the file.
fn read_whole(reader: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<bool> {
    match reader.read_exact(bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
        done => done.map(|()| true),
    }
}

/// Writes the positions of text files as records; the number of positions, and of lines that could not be used.
///
/// # Errors
/// If a file can't be read or written, or would be written over although it is read. Then nothing is written.
pub fn convert(from: &[impl AsRef<Path>], to: &Path) -> Result<(usize, usize), DataError> {
    refuse_overwriting(to, from)?;
    let mut out = OutputFile::create(to)?;
    let mut written = out.write_all(MAGIC);
    let (mut good, mut bad) = (0, 0);
    for path in from {
        each_line(path.as_ref(), |line| match line.map(parse_line) {
            Some(Ok(sample)) => {
                if written.is_ok() {
                    written = out.write_all(&PackedPosition::new(&sample).to_bytes());
                }
                good += 1;
            }
            _ => bad += 1,
        })?;
    }
    written.map_err(DataError::Output)?;
    out.commit()?;
    Ok((good, bad))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_records_are_the_same_data() {
        let folder = tempfile::tempdir().unwrap();
        let (text, packed) = (folder.path().join("a.txt"), folder.path().join("a.jpos"));
        let line = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1;120;1\n";
        std::fs::write(&text, format!("{}nonsense\n", line.repeat(RUN * 30))).unwrap();
        assert_eq!(convert(&[&text], &packed).unwrap(), (RUN * 30, 1));
        let [from_text, from_records] = [&text, &packed].map(|path| {
            let mut data = TrainingData::default();
            data.read(path).unwrap();
            data
        });
        assert_eq!((from_text.bad, from_records.bad), (1, 0));
        assert_eq!(from_text.learned, from_records.learned);
        assert_eq!(from_text.held_out, from_records.held_out);
        assert_eq!(from_text.held_out.len(), RUN);
    }

    #[test]
    fn converting_never_destroys_its_input() {
        let folder = tempfile::tempdir().unwrap();
        let (text, link) = (folder.path().join("a.txt"), folder.path().join("link"));
        let line = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1;120;1\n";
        std::fs::write(&text, line).unwrap();
        std::fs::hard_link(&text, &link).unwrap();
        for output in [&text, &link] {
            let message = convert(&[&text], output).unwrap_err().to_string();
            assert!(message.contains("the command reads this file"), "{message}");
            assert_eq!(std::fs::read_to_string(&text).unwrap(), line);
        }
        let output = folder.path().join("b.jpos");
        let missing = convert(&[&text, &folder.path().join("none")], &output).unwrap_err().to_string();
        assert!(missing.ends_with("no such file"), "{missing}");
        assert!(!output.exists(), "a failure leaves no file behind");
        let full = convert(&[&text], Path::new("/dev/full")).unwrap_err().to_string();
        assert!(full.starts_with("cannot write '/dev/full': "), "{full}");
    }

    #[test]
    fn a_line_without_end_is_one_bad_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, format!("{}\n8/8/8/4k3/8/8/4P3/4K3 w - - 0 1;120;1\n", "x".repeat(1 << 20))).unwrap();
        let mut data = TrainingData::default();
        data.read(&path).unwrap();
        assert_eq!((data.learned.len() + data.held_out.len(), data.bad), (1, 1));
        assert!(TrainingData::default().read(Path::new("/dev/zero")).is_err());
    }
}
