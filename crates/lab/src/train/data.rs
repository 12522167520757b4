//! Data for the trainer: text as `datagen` writes it, or records.

use super::record::{MAGIC, PackedPosition, SIZE};
use crate::random::Random;
use crate::tune::parse_line;
use jamboree_io::{LineError, LineReader, OutputFile, ReadError, WriteError, open_file, refuse_overwriting};
use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
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
/// No more are held out: this many say well enough how good a prediction is.
const MOST_HELD_OUT: usize = 1 << 19;
/// Positions that are read together.
const CHUNK: usize = 1 << 20;
/// Chunks that are in memory and put into a random order together: 256 MB.
const GROUP: usize = 8;

/// All positions. Those of files of records stay there, and are read in groups of chunks; those of text are kept in memory.
pub struct TrainingData {
    sources: Vec<Source>,
    count: usize,
    chunk: usize,
    /// Positions held out, to measure the prediction of unknown positions.
    pub held_out: Vec<PackedPosition>,
    /// Lines of text that could not be used.
    pub bad: usize,
}

/// Where positions are.
struct Source {
    /// The number of its first position among all.
    first: usize,
    count: usize,
    place: Place,
}

enum Place {
    Memory(Vec<PackedPosition>),
    File(PathBuf),
}

/// Some positions of a source.
#[derive(Clone, Copy)]
pub(super) struct Chunk {
    source: usize,
    start: usize,
    count: usize,
}

impl Default for TrainingData {
    fn default() -> TrainingData {
        TrainingData { sources: Vec::new(), count: 0, chunk: CHUNK, held_out: Vec::new(), bad: 0 }
    }
}

impl TrainingData {
    /// These positions.
    #[cfg(test)]
    pub(super) fn of(learned: Vec<PackedPosition>, held_out: Vec<PackedPosition>) -> TrainingData {
        let source = Source { first: 0, count: learned.len(), place: Place::Memory(learned) };
        TrainingData {
            count: source.count + held_out.len(),
            sources: vec![source],
            held_out,
            ..TrainingData::default()
        }
    }

    /// Adds a file of text or records.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn add(&mut self, path: &Path) -> Result<(), DataError> {
        let failed = |error| DataError::Read(path.to_owned(), error);
        let mut reader = BufReader::with_capacity(1 << 20, open_file(path)?);
        if !reader.fill_buf().map_err(failed)?.starts_with(MAGIC) {
            let mut records = Vec::new();
            lines_of(reader, path, |line| match line.map(parse_line) {
                Some(Ok(sample)) => records.push(PackedPosition::new(&sample)),
                _ => self.bad += 1,
            })?;
            return self.push(records.len(), Place::Memory(records));
        }
        let bytes = reader.get_ref().metadata().map_err(failed)?.len();
        let count = (bytes as usize).saturating_sub(MAGIC.len()) / SIZE;
        self.push(count, Place::File(path.to_owned()))
    }

    /// Adds a source, and reads what is held out of it.
    fn push(&mut self, count: usize, place: Place) -> Result<(), DataError> {
        self.sources.push(Source { first: self.count, count, place });
        self.count += count;
        let last = self.sources.len() - 1;
        let mut held_out = std::mem::take(&mut self.held_out);
        for chunk in self.chunks_of(last) {
            if self.sources[last].first + chunk.start < MOST_HELD_OUT * HELD_OUT {
                self.read(chunk, &mut held_out, true)?;
            }
        }
        self.held_out = held_out;
        Ok(())
    }

    /// How many positions there are to learn from; some of them may turn out to be of no use.
    pub fn learned(&self) -> usize {
        self.count - self.held_out.len().min(self.count)
    }

    fn chunks_of(&self, source: usize) -> Vec<Chunk> {
        let count = self.sources[source].count;
        let starts = (0..count).step_by(self.chunk);
        starts.map(|start| Chunk { source, start, count: self.chunk.min(count - start) }).collect()
    }

    /// The groups of chunks in which an epoch reads the positions.
    pub(super) fn groups(&self, random: &mut Random) -> Vec<Vec<Chunk>> {
        let mut chunks: Vec<Chunk> = (0..self.sources.len()).flat_map(|source| self.chunks_of(source)).collect();
        random.shuffle(&mut chunks);
        chunks.chunks(GROUP).map(<[Chunk]>::to_vec).collect()
    }

    /// Reads a group: its positions to learn from, in a random order.
    pub(super) fn load(&self, group: &[Chunk], random: &mut Random) -> Result<Vec<PackedPosition>, DataError> {
        let mut records = Vec::with_capacity(group.iter().map(|chunk| chunk.count).sum());
        for &chunk in group {
            self.read(chunk, &mut records, false)?;
        }
        random.shuffle(&mut records);
        Ok(records)
    }

    /// Adds those positions of a chunk that are held out, or those that are not. Bad records are left out.
    fn read(&self, chunk: Chunk, to: &mut Vec<PackedPosition>, held_out: bool) -> Result<(), DataError> {
        let Chunk { source, start, count } = chunk;
        let Source { first, place, .. } = &self.sources[source];
        let wanted = |number: usize| is_held_out(first + start + number) == held_out;
        match place {
            Place::Memory(records) => {
                let some = records[start..start + count].iter().enumerate();
                to.extend(some.filter(|(number, _)| wanted(*number)).map(|(_, record)| record));
            }
            Place::File(path) => {
                let failed = |error| DataError::Read(path.clone(), error);
                let mut file = open_file(path)?;
                file.seek(SeekFrom::Start((MAGIC.len() + start * SIZE) as u64)).map_err(failed)?;
                let mut reader = BufReader::with_capacity(1 << 20, file);
                let mut bytes = [0; SIZE];
                for number in 0..count {
                    reader.read_exact(&mut bytes).map_err(failed)?;
                    if wanted(number) {
                        to.extend(PackedPosition::from_bytes(&bytes));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Is the position with this number held out?
fn is_held_out(number: usize) -> bool {
    number < MOST_HELD_OUT * HELD_OUT && number / RUN % HELD_OUT == HELD_OUT / 2
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
            let mut data = TrainingData { chunk: 3000, ..TrainingData::default() };
            data.add(path).unwrap();
            data
        });
        assert_eq!((from_text.bad, from_records.bad), (1, 0));
        assert_eq!(from_text.held_out, from_records.held_out);
        assert_eq!(from_text.held_out.len(), RUN);
        assert_eq!(from_text.learned(), RUN * 29);
        let all = |data: &TrainingData| -> Vec<PackedPosition> {
            let groups = data.groups(&mut Random::new(1));
            assert_eq!(groups.len(), (RUN * 30usize).div_ceil(3000).div_ceil(GROUP));
            groups.iter().flat_map(|group| data.load(group, &mut Random::new(2)).unwrap()).collect()
        };
        assert_eq!(all(&from_text), all(&from_records));
        assert_eq!(all(&from_text).len(), RUN * 29);
    }

    #[test]
    fn every_position_is_read_once_an_epoch_in_an_order_of_the_seed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jpos");
        let lines = (0..5000).map(|score| format!("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1;{score};1\n"));
        std::fs::write(folder.path().join("a.txt"), lines.collect::<String>()).unwrap();
        convert(&[folder.path().join("a.txt")], &path).unwrap();
        let mut data = TrainingData { chunk: 100, ..TrainingData::default() };
        data.add(&path).unwrap();
        let scores = |seed| -> Vec<i32> {
            let groups = data.groups(&mut Random::new(seed));
            let records = groups.iter().flat_map(|group| data.load(group, &mut Random::new(seed)).unwrap());
            records.map(|record| record.labels().0 as i32).collect()
        };
        assert_eq!(scores(1), scores(1));
        assert_ne!(scores(1), scores(2));
        let mut sorted = scores(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..5000).collect::<Vec<i32>>());
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1000).unwrap();
        let groups = data.groups(&mut Random::new(1));
        assert!(groups.iter().any(|group| data.load(group, &mut Random::new(1)).is_err()), "a file that was cut off");
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
        data.add(&path).unwrap();
        assert_eq!((data.learned() + data.held_out.len(), data.bad), (1, 1));
        assert!(TrainingData::default().add(Path::new("/dev/zero")).is_err());
    }
}
