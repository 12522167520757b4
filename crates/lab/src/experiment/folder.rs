//! The folder of an experiment: a journal that loses nothing, and results that are written in one piece.
//!
//! `journal.jsonl` has one line for each finished run or other note, written as soon as it is done and synced to the
//! disk. Each line has a checksum, so that damage is found. A killed process leaves at most an incomplete last line,
//! which the next process cuts off and makes again. A lock on the journal keeps two processes from writing to the same
//! folder.
//!
//! A later version of the program may go on with a journal, if it makes the same of the searches in it
//! ([`inherit`](super::inherit)). Its first line there has its version.

use super::{LabError, Measurement, Run};
use crate::locked::LockedFile;
use crate::sealed::{seal, unseal};
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The largest journal, in bytes.
const LARGEST_JOURNAL: u64 = 1 << 32;

/// The name of the journal in its folder.
const JOURNAL: &str = "journal.jsonl";

/// One line of the journal.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    /// The version of the program that wrote the lines from here on: the first line, and wherever another one goes on.
    Version(String),
    /// The costs of this computer, measured when the experiment began.
    Host(String),
    /// A finished run.
    Row(Box<Measurement>),
    /// A line of an experiment that does not consist of runs.
    Note(serde_json::Value),
}

/// The folder of an experiment.
pub struct Folder {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    journal: LockedFile,
    rows: HashMap<Run, Measurement>,
    host: Option<String>,
    notes: Vec<serde_json::Value>,
    versions: Vec<String>,
}

/// What decides whether the rows of another version may stay: an error if not.
pub(super) type Judge<'a> = &'a dyn Fn(&Folder, &str) -> Result<(), LabError>;

impl Folder {
    /// Opens a folder, or makes it, and reads what an earlier process has done there. `version` is that of this
    /// program.
    ///
    /// # Errors
    /// If the folder can't be written, is in use, or was made by another version.
    pub fn open(path: &Path, version: &str) -> Result<Folder, LabError> {
        Folder::open_if(path, version, &|folder, theirs| {
            Err(LabError::Version { path: folder.path.clone(), theirs: theirs.to_owned() })
        })
    }

    /// As [`Folder::open`]; where another version was the last to write, `judge` decides, and nothing is changed before.
    pub(super) fn open_if(path: &Path, version: &str, judge: Judge<'_>) -> Result<Folder, LabError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| LabError::Folder { path, source }
        };
        fs::create_dir_all(path).map_err(failed(path))?;
        let name = path.join(JOURNAL);
        let Some(mut journal) = LockedFile::open(&name).map_err(failed(&name))? else {
            return Err(LabError::Busy(path.to_owned()));
        };
        let bytes = jamboree_io::read_stream(&mut *journal, &name, LARGEST_JOURNAL).map_err(LabError::Read)?;
        let first = line(&Line::Version(version.to_owned())).map_err(failed(&name))?;
        let contents = Contents::read(&bytes, first.as_bytes())
            .map_err(|number| LabError::Journal { path: name.clone(), line: number })?;
        let Contents { versions, host, rows, notes, whole } = contents;
        let last = versions.last().cloned();
        let state = State { journal, rows, host, notes, versions };
        let folder = Folder { path: path.to_owned(), state: Mutex::new(state) };
        if let Some(theirs) = last.as_deref().filter(|theirs| *theirs != version) {
            judge(&folder, theirs)?;
        }
        let at_end = |journal: &mut LockedFile| {
            journal.set_len(whole as u64)?;
            journal.seek(SeekFrom::End(0))
        };
        at_end(&mut folder.lock().journal).map_err(failed(&name))?;
        if last.as_deref() != Some(version) {
            folder.append(&Line::Version(version.to_owned()))?;
            folder.lock().versions.push(version.to_owned());
        }
        Ok(folder)
    }

    /// The versions of the program that wrote here, in their order; the last is this one.
    pub fn versions(&self) -> Vec<String> {
        self.lock().versions.clone()
    }

    /// All measurements.
    pub(super) fn rows(&self) -> Vec<Measurement> {
        self.lock().rows.values().cloned().collect()
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The measurement of a run that was done before.
    pub fn find(&self, run: &Run) -> Option<Measurement> {
        self.lock().rows.get(run).cloned()
    }

    /// Measurements of searches that choose a depth.
    pub(super) fn choices(&self) -> Vec<Measurement> {
        self.lock().rows.values().filter(|row| row.run.repeat == 0).cloned().collect()
    }

    /// Keeps a measurement.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn keep(&self, row: &Measurement) -> Result<(), LabError> {
        self.append(&Line::Row(Box::new(row.clone())))?;
        self.lock().rows.insert(row.run.clone(), row.clone());
        Ok(())
    }

    /// Keeps another line; the order of lines is preserved.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn note(&self, note: &impl Serialize) -> Result<(), LabError> {
        let failed =
            |error: serde_json::Error| LabError::Folder { path: self.path.join(JOURNAL), source: error.into() };
        let note = serde_json::to_value(note).map_err(failed)?;
        self.append(&Line::Note(note.clone()))?;
        self.lock().notes.push(note);
        Ok(())
    }

    /// Everything that [`Folder::note`] has kept.
    pub fn notes(&self) -> Vec<serde_json::Value> {
        self.lock().notes.clone()
    }

    /// A machine profile for this experiment. `host` is measured the first time and kept.
    ///
    /// # Errors
    /// If there is no such profile, or the measurement can't be made or kept.
    pub fn profile(&self, profile: &str) -> Result<String, LabError> {
        let is_host = profile.eq_ignore_ascii_case("host");
        if let (true, Some(known)) = (is_host, self.lock().host.clone()) {
            return Ok(known);
        }
        let measured = super::measured(profile)?;
        if is_host {
            self.append(&Line::Host(measured.clone()))?;
            self.lock().host = Some(measured.clone());
        }
        Ok(measured)
    }

    /// Writes a file of results in one piece.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write(&self, name: &str, text: &str) -> Result<(), LabError> {
        jamboree_io::write_file(&self.path.join(name), text.as_bytes()).map_err(LabError::Write)
    }

    /// Writes items as `name.csv` and `name.json`.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn write_data<T: Serialize>(&self, name: &str, items: &[T]) -> Result<(), LabError> {
        self.write(&format!("{name}.csv"), &crate::report::csv(items))?;
        self.write(&format!("{name}.json"), &crate::report::json(items))
    }

    fn append(&self, entry: &Line) -> Result<(), LabError> {
        let failed = |source| LabError::Folder { path: self.path.join(JOURNAL), source };
        let text = line(entry).map_err(failed)?;
        let journal = &mut self.lock().journal;
        let before = journal.stream_position().map_err(failed)?;
        journal.write_all(text.as_bytes()).and_then(|()| journal.sync_data()).map_err(|source| {
            // The next line must not follow an incomplete one.
            let _ = journal.set_len(before).and_then(|()| journal.seek(SeekFrom::Start(before)));
            failed(source)
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// A line of the journal as it is written.
fn line(line: &Line) -> std::io::Result<String> {
    Ok(seal(&serde_json::to_string(line)?))
}

/// What an earlier process has left in the journal.
#[derive(Default)]
struct Contents {
    versions: Vec<String>,
    host: Option<String>,
    rows: HashMap<Run, Measurement>,
    notes: Vec<serde_json::Value>,
    /// Bytes of the whole lines.
    whole: usize,
}

impl Contents {
    /// Reads a journal. `first` is its first line if this program began it.
    ///
    /// # Errors
    /// The number of the first line, from 1, that is damaged or not ours.
    fn read(bytes: &[u8], first: &[u8]) -> Result<Contents, usize> {
        let mut contents = Contents::default();
        for (index, bytes) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let Some(line) = bytes.strip_suffix(b"\n") else {
                // An incomplete line is ours if there are complete ones before it, or if it is the beginning of the
                // first line.
                let is_ours = index > 0 || first.starts_with(bytes);
                return if is_ours { Ok(contents) } else { Err(1) };
            };
            contents.whole += bytes.len();
            let object = std::str::from_utf8(line).ok().and_then(unseal).ok_or(index + 1)?;
            let line = serde_json::from_str(&object).map_err(|_| index + 1)?;
            match (index, line) {
                (_, Line::Version(version)) => contents.versions.push(version),
                (0, _) => return Err(1),
                (_, Line::Host(profile)) => contents.host = Some(profile),
                (_, Line::Row(row)) => drop(contents.rows.insert(row.run.clone(), *row)),
                (_, Line::Note(note)) => contents.notes.push(note),
            }
        }
        Ok(contents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tests::{Scratch, small_run};

    fn row(seed: u64) -> Measurement {
        crate::experiment::perform(&Run { seed, ..small_run() }).unwrap()
    }

    #[test]
    fn what_was_kept_is_found_by_the_next_process() {
        let scratch = Scratch::new("kept");
        let (one, two) = (row(1), row(2));
        let folder = Folder::open(scratch.path(), "v").unwrap();
        folder.keep(&one).unwrap();
        folder.keep(&two).unwrap();
        drop(folder);
        let folder = Folder::open(scratch.path(), "v").unwrap();
        assert_eq!(folder.find(&one.run), Some(one));
        assert_eq!(folder.find(&two.run), Some(two));
        assert_eq!(folder.find(&Run { seed: 3, ..small_run() }), None);
    }

    #[test]
    fn a_torn_line_costs_only_itself() {
        let scratch = Scratch::new("torn");
        let (one, two) = (row(1), row(2));
        let folder = Folder::open(scratch.path(), "v").unwrap();
        folder.keep(&one).unwrap();
        folder.keep(&two).unwrap();
        drop(folder);
        let journal = scratch.path().join(JOURNAL);
        let bytes = fs::read(&journal).unwrap();
        fs::write(&journal, &bytes[..bytes.len() - 10]).unwrap();
        let folder = Folder::open(scratch.path(), "v").unwrap();
        assert_eq!((folder.find(&one.run).is_some(), folder.find(&two.run).is_some()), (true, false));
        folder.keep(&two).unwrap();
        drop(folder);
        assert_eq!(fs::read(&journal).unwrap(), bytes);
    }

    /// A folder with two rows, and its journal.
    fn two_rows(scratch: &Scratch) -> (PathBuf, Vec<u8>) {
        let folder = Folder::open(scratch.path(), "v").unwrap();
        folder.keep(&row(1)).unwrap();
        folder.keep(&row(2)).unwrap();
        let journal = scratch.path().join(JOURNAL);
        let bytes = fs::read(&journal).unwrap();
        (journal, bytes)
    }

    #[test]
    fn a_changed_digit_is_found_wherever_it_is() {
        let scratch = Scratch::new("digit");
        let (journal, bytes) = two_rows(&scratch);
        let lines: Vec<usize> = bytes
            .split_inclusive(|&byte| byte == b'\n')
            .scan(0, |end, line| {
                *end += line.len();
                Some(*end)
            })
            .collect();
        let digits = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit());
        for at in digits.step_by(7) {
            let mut changed = bytes.clone();
            changed[at] = if changed[at] == b'7' { b'8' } else { b'7' };
            fs::write(&journal, &changed).unwrap();
            let Err(LabError::Journal { line, .. }) = Folder::open(scratch.path(), "v") else { panic!("{at}") };
            assert_eq!(line, lines.iter().position(|&end| at < end).unwrap() + 1);
            assert_eq!(fs::read(&journal).unwrap(), changed, "nothing is lost");
        }
    }

    #[test]
    fn a_damaged_version_line_is_refused() {
        let scratch = Scratch::new("version");
        let (journal, bytes) = two_rows(&scratch);
        let after_first = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        let without_first = bytes[after_first..].to_vec();
        let mut damaged = bytes.clone();
        damaged[3] = b'X';
        for bytes in [without_first, damaged] {
            fs::write(&journal, &bytes).unwrap();
            assert!(matches!(Folder::open(scratch.path(), "v"), Err(LabError::Journal { line: 1, .. })));
            assert_eq!(fs::read(&journal).unwrap(), bytes);
        }
    }

    #[test]
    fn a_foreign_file_is_never_erased() {
        let scratch = Scratch::new("foreign");
        fs::create_dir_all(scratch.path()).unwrap();
        let journal = scratch.path().join(JOURNAL);
        for text in ["my diary", "my diary\n", "{\"version\":\"w\"", "{\"version\":\"v\"}\n", "\n"] {
            fs::write(&journal, text).unwrap();
            let Err(error) = Folder::open(scratch.path(), "v") else { panic!("{text:?}") };
            assert!(error.to_string().contains("line 1 of"), "{error}");
            assert_eq!(fs::read_to_string(&journal).unwrap(), text);
        }
        // What a process leaves if it is killed while it writes the first line.
        fs::write(&journal, "{\"version\":\"v\"").unwrap();
        assert!(Folder::open(scratch.path(), "v").is_ok());
    }

    #[test]
    fn two_processes_or_two_versions_do_not_share_a_folder() {
        let scratch = Scratch::new("shared");
        let folder = Folder::open(scratch.path(), "v1").unwrap();
        assert!(matches!(Folder::open(scratch.path(), "v1"), Err(LabError::Busy(_))));
        drop(folder);
        assert!(matches!(Folder::open(scratch.path(), "v2"), Err(LabError::Version { .. })));
        assert!(Folder::open(scratch.path(), "v1").is_ok());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_refused() {
        let Err(error) = Folder::open(Path::new("/proc/no/such"), "v") else { panic!("written to /proc") };
        assert!(error.to_string().starts_with("cannot write '/proc/no/such': "), "{error}");
    }
}
