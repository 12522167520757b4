//! Data for the trainer: text as `datagen` writes it, or records.

use super::record::{MAGIC, Record, SIZE};
use crate::tune::parse_line;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// Positions follow each other as in the games; so many in a row are held out together, so that what is held out comes
/// from other games than what is learned from.
const RUN: usize = 2048;
/// One run of so many is held out.
const HELD_OUT: usize = 25;

/// All positions.
#[derive(Clone, Default)]
pub struct Data {
    /// To learn from.
    pub learned: Vec<Record>,
    /// To see how well the rest of the world is predicted.
    pub held_out: Vec<Record>,
    /// Lines or records that could not be used.
    pub bad: usize,
    count: usize,
}

impl Data {
    /// Adds a file of text or records.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn read(&mut self, path: &Path) -> std::io::Result<()> {
        let mut reader = BufReader::with_capacity(1 << 20, std::fs::File::open(path)?);
        if reader.fill_buf()?.starts_with(MAGIC) {
            reader.consume(MAGIC.len());
            let mut bytes = [0; SIZE];
            while read_whole(&mut reader, &mut bytes)? {
                self.push(Record::from_bytes(&bytes));
            }
        } else {
            for line in reader.lines() {
                self.push(parse_line(&line?).ok().map(|sample| Record::new(&sample)));
            }
        }
        Ok(())
    }

    fn push(&mut self, record: Option<Record>) {
        let Some(record) = record else {
            self.bad += 1;
            return;
        };
        let held_out = self.count / RUN % HELD_OUT == HELD_OUT / 2;
        self.count += 1;
        if held_out { self.held_out.push(record) } else { self.learned.push(record) }
    }
}

/// Fills the bytes; false at the end of the file, or where less is left.
fn read_whole(reader: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<bool> {
    match reader.read_exact(bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
        done => done.map(|()| true),
    }
}

/// Writes the positions of text files as records; how many, and how many lines could not be used.
///
/// # Errors
/// If a file can't be read or written.
pub fn convert(from: &[impl AsRef<Path>], to: &Path) -> std::io::Result<(usize, usize)> {
    let mut out = BufWriter::new(std::fs::File::create(to)?);
    out.write_all(MAGIC)?;
    let (mut good, mut bad) = (0, 0);
    for path in from {
        for line in BufReader::with_capacity(1 << 20, std::fs::File::open(path)?).lines() {
            match parse_line(&line?) {
                Ok(sample) => {
                    out.write_all(&Record::new(&sample).to_bytes())?;
                    good += 1;
                }
                Err(_) => bad += 1,
            }
        }
    }
    out.flush()?;
    Ok((good, bad))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_records_are_the_same_data() {
        let folder = std::env::temp_dir().join(format!("jamboree-train-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (text, packed) = (folder.join("a.txt"), folder.join("a.jpos"));
        let line = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1;120;1\n";
        std::fs::write(&text, format!("{}nonsense\n", line.repeat(RUN * 30))).unwrap();
        assert_eq!(convert(&[&text], &packed).unwrap(), (RUN * 30, 1));
        let [from_text, from_records] = [&text, &packed].map(|path| {
            let mut data = Data::default();
            data.read(path).unwrap();
            data
        });
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((from_text.bad, from_records.bad), (1, 0));
        assert_eq!(from_text.learned, from_records.learned);
        assert_eq!(from_text.held_out, from_records.held_out);
        assert_eq!(from_text.held_out.len(), RUN);
    }
}
