//! The transposition table in a file, for the options `Save Hash` and `Load Hash`.
//!
//! The file is, with the least byte of each number first: [`MAGIC`]; a fingerprint of what the results depend on, 4 bytes; the
//! number of bytes of the contents, 8 bytes; the contents ([`Table::write_contents`]); the CRC-32 of everything before it.

use jamboree_io::{OutputFile, open_file};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use table::Table;

/// The first bytes; the number changes with the format.
const MAGIC: &[u8; 16] = b"Jamboree table 1";
const HEAD: u64 = MAGIC.len() as u64 + 4 + 8;
const CHECKSUM: u64 = 4;

/// Writes the table to a file, in one piece.
///
/// # Errors
/// If it can't be written; what was there before stays. The line says what to do.
pub(crate) fn save(path: &Path, table: &Table, fingerprint: u32) -> Result<(), String> {
    let bytes = contents_bytes(table)?;
    let mut file = OutputFile::create(path).map_err(|error| error.to_string())?;
    write(&mut file, table, bytes, fingerprint).map_err(|error| error.to_string())?;
    file.commit().map_err(|error| error.to_string())
}

fn write(file: &mut OutputFile, table: &Table, bytes: u64, fingerprint: u32) -> io::Result<()> {
    let mut out = Summed { inner: file, sum: crc32fast::Hasher::new() };
    out.write_all(MAGIC)?;
    out.write_all(&fingerprint.to_le_bytes())?;
    out.write_all(&bytes.to_le_bytes())?;
    table.write_contents(&mut out)?;
    let Summed { inner, sum } = out;
    let sum = sum.finalize();
    inner.write_all(&sum.to_le_bytes())
}

/// Fills the table from a file. The whole file is checked first.
///
/// # Errors
/// If the file is not a table of this size, made with this fingerprint, and whole; then the table stays as it is. Only if the file
/// changes while it is read, the table is empty afterwards. The line says what to do.
pub(crate) fn load(path: &Path, table: &Table, fingerprint: u32) -> Result<(), String> {
    let bytes = contents_bytes(table)?;
    let name = path.display();
    let mut file = open_file(path).map_err(|error| error.to_string())?;
    let unreadable = |error: io::Error| format!("cannot read '{name}': {error}");
    let length = file.metadata().map_err(unreadable)?.len();
    let head = Head::read(&mut file).ok_or_else(|| format!("'{name}' is no table that 'Save Hash' has written"))?;
    if head.bytes != bytes {
        return Err(format!("'{name}' is a table of {} MiB: set Hash to {} first", head.bytes >> 20, head.bytes >> 20));
    }
    if head.fingerprint != fingerprint {
        return Err(format!(
            "'{name}' was saved with other rules, another network or another version: its results are wrong here"
        ));
    }
    let damaged = || format!("'{name}' is damaged: save the table again");
    if length != HEAD + bytes + CHECKSUM
        || !is_whole(&mut file, &mut |input| discard(input, bytes)).map_err(unreadable)?
    {
        return Err(damaged());
    }
    match is_whole(&mut file, &mut |input| table.read_contents(input)) {
        Ok(true) => Ok(()),
        outcome => {
            table.clear(1);
            Err(outcome.map_or_else(unreadable, |_| damaged()))
        }
    }
}

fn contents_bytes(table: &Table) -> Result<u64, String> {
    table.contents_bytes().ok_or_else(|| "a table of a paper's program can't be kept in a file".into())
}

/// The head of a file.
struct Head {
    fingerprint: u32,
    bytes: u64,
}

impl Head {
    /// None if the file does not begin like one of ours.
    fn read(file: &mut File) -> Option<Head> {
        let (mut magic, mut fingerprint, mut bytes) = ([0; MAGIC.len()], [0; 4], [0; 8]);
        file.read_exact(&mut magic).ok().filter(|()| magic == *MAGIC)?;
        file.read_exact(&mut fingerprint).ok()?;
        file.read_exact(&mut bytes).ok()?;
        Some(Head { fingerprint: u32::from_le_bytes(fingerprint), bytes: u64::from_le_bytes(bytes) })
    }
}

type Input<'f> = Summed<BufReader<&'f mut File>>;

/// Reads the whole file, its contents by `take`: is the checksum right?
fn is_whole(file: &mut File, take: &mut dyn FnMut(&mut Input<'_>) -> io::Result<()>) -> io::Result<bool> {
    file.seek(SeekFrom::Start(0))?;
    let mut input = Summed { inner: BufReader::with_capacity(1 << 20, file), sum: crc32fast::Hasher::new() };
    discard(&mut input, HEAD)?;
    take(&mut input)?;
    let Summed { mut inner, sum } = input;
    let mut written = [0; CHECKSUM as usize];
    inner.read_exact(&mut written)?;
    Ok(u32::from_le_bytes(written) == sum.finalize())
}

fn discard(input: &mut Input<'_>, bytes: u64) -> io::Result<()> {
    io::copy(&mut input.take(bytes), &mut io::sink()).map(|_| ())
}

/// Adds up the checksum of what passes through.
struct Summed<T> {
    inner: T,
    sum: crc32fast::Hasher,
}

impl<T: Write> Write for Summed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Summed<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Bound, Score};
    use table::Entry;

    fn entry() -> Entry {
        Entry { mv: 5, score: Score::from_value(9), eval: None, depth: 3, bound: Bound::Exact, pv: false }
    }

    #[test]
    fn a_damaged_file_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        let table = Table::new(1).unwrap();
        save(&path, &table, 7).unwrap();
        let whole = std::fs::read(&path).unwrap();
        table.store(1, entry());
        let (middle, last) = (whole.len() / 2, whole.len() - 1);
        let change = |place: usize| {
            let mut bytes = whole.clone();
            bytes[place] ^= 16;
            bytes
        };
        let longer = [&whole[..], &[0]].concat();
        for bytes in
            [change(0), change(17), change(22), change(middle), change(last), whole[..last].to_vec(), longer, vec![]]
        {
            std::fs::write(&path, bytes).unwrap();
            let error = load(&path, &table, 7).unwrap_err();
            assert!(error.contains("table") && !error.contains('\n'), "{error}");
            assert_eq!(table.probe(1), Some(entry()));
        }
        std::fs::write(&path, &whole).unwrap();
        load(&path, &table, 7).unwrap();
        assert_eq!(table.probe(1), None);
    }

    #[test]
    fn what_can_not_be_written_or_read_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let table = Table::new(1).unwrap();
        assert!(save(Path::new("/dev/full"), &table, 7).unwrap_err().starts_with("cannot write '/dev/full'"));
        assert!(save(folder.path(), &table, 7).unwrap_err().contains("it is a folder"));
        assert!(load(Path::new("/dev/zero"), &table, 7).unwrap_err().contains("device"));
        let papers = Table::with_layout("startech:2^4".parse().unwrap(), 1).unwrap();
        assert!(save(&folder.path().join("x"), &papers, 7).is_err());
    }
}
