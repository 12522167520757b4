//! The folder of an experiment: a journal that loses nothing, and results that are whole or not there.
//!
//! `journal.jsonl` has one line for each finished run or other note, written in one piece as soon as it is done. A process that is killed
//! leaves at most a torn last line, which the next one cuts off and searches again. Files of results are written
//! under another name and renamed. A lock on the journal keeps two processes from writing to the same folder.

use super::{LabError, Measurement, Run};
use crate::locked::LockedFile;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The name of the journal in its folder.
const JOURNAL: &str = "journal.jsonl";

/// One line of the journal.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    /// The first line: which program writes here.
    Version(String),
    /// What this computer was measured to be like when the experiment began.
    Host(String),
    /// A finished run.
    Row(Box<Measurement>),
    /// What an experiment that does not consist of runs has to remember.
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
}

impl Folder {
    /// Opens a folder, or makes it, and reads what an earlier process has done there. `version` is that of this program.
    ///
    /// # Errors
    /// If the folder can't be written, is in use, or was made by another version.
    pub fn open(path: &Path, version: &str) -> Result<Folder, LabError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| LabError::Folder { path, source }
        };
        fs::create_dir_all(path).map_err(failed(path))?;
        let name = path.join(JOURNAL);
        let Some(mut journal) = LockedFile::open(&name).map_err(failed(&name))? else {
            return Err(LabError::Busy(path.to_owned()));
        };
        let mut bytes = Vec::new();
        journal.read_to_end(&mut bytes).map_err(failed(&name))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        journal.set_len(whole as u64).and_then(|()| journal.seek(SeekFrom::End(0))).map_err(failed(&name))?;
        let mut state = State { journal, rows: HashMap::new(), host: None, notes: Vec::new() };
        let mut theirs = None;
        for line in bytes[..whole].split(|&byte| byte == b'\n') {
            // A line that can't be read is a row that will be searched again.
            match serde_json::from_slice(line) {
                Ok(Line::Version(version)) => theirs = Some(version),
                Ok(Line::Host(profile)) => state.host = Some(profile),
                Ok(Line::Row(row)) => drop(state.rows.insert(row.run.clone(), *row)),
                Ok(Line::Note(note)) => state.notes.push(note),
                Err(_) => {}
            }
        }
        let folder = Folder { path: path.to_owned(), state: Mutex::new(state) };
        match theirs {
            Some(theirs) if theirs != version => return Err(LabError::Version { path: path.to_owned(), theirs }),
            Some(_) => {}
            None => folder.append(&Line::Version(version.to_owned()))?,
        }
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The measurement of a run that was done before.
    pub fn find(&self, run: &Run) -> Option<Measurement> {
        self.lock().rows.get(run).cloned()
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

    /// Keeps something else, in its order.
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

    /// A machine profile for this experiment. `host` is measured the first time, and stays what it was then.
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

    /// Writes a file of results: all of it, or nothing.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write(&self, name: &str, text: &str) -> Result<(), LabError> {
        let unfinished = self.path.join(format!("{name}.unfinished"));
        let path = self.path.join(name);
        let written = File::create(&unfinished).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_data()
        });
        written
            .and_then(|()| fs::rename(&unfinished, &path))
            .map_err(|source| LabError::Folder { path: path.clone(), source })
    }

    /// Writes items as `name.csv` and `name.json`.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn write_data<T: Serialize>(&self, name: &str, items: &[T]) -> Result<(), LabError> {
        self.write(&format!("{name}.csv"), &crate::report::csv(items))?;
        self.write(&format!("{name}.json"), &crate::report::json(items))
    }

    fn append(&self, line: &Line) -> Result<(), LabError> {
        let failed = |source| LabError::Folder { path: self.path.join(JOURNAL), source };
        let mut text = serde_json::to_string(line).map_err(|error| failed(error.into()))?;
        text.push('\n');
        let mut state = self.lock();
        state.journal.write_all(text.as_bytes()).and_then(|()| state.journal.sync_data()).map_err(failed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
