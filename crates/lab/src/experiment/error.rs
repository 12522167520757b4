//! Why an experiment can't be made: one line for the user.

use crate::bench::BenchError;
use crate::suite::SuiteError;
use jamboree_io::{ReadError, WriteError};
use std::path::PathBuf;
use std::{error::Error, fmt, io};
use table::TableError;

/// Why an experiment can't be made.
#[derive(Debug)]
pub enum LabError {
    /// The suite can't be loaded.
    Suite(SuiteError),
    /// Lines of the suite are not positions that can be searched.
    BadLines {
        /// The suite.
        suite: String,
        /// The number of such lines.
        count: usize,
        /// What is wrong with the first.
        first: String,
    },
    /// There is no such algorithm.
    Algorithm(String),
    /// There is no such rule.
    Rules(String),
    /// There is no such machine profile or cost.
    Profile(String),
    /// The number of processors is out of range.
    Processors(String),
    /// Another setting is wrong.
    Settings(String),
    /// There is no memory for the table.
    Table(TableError),
    /// A file or folder can't be read or written.
    Folder {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file can't be read.
    Read(ReadError),
    /// A file can't be written.
    Write(WriteError),
    /// A line of a journal is damaged, or was not written by this program.
    Journal {
        /// The journal.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
    },
    /// Another process is writing to the folder.
    Busy(PathBuf),
    /// The folder holds rows of another version of the program.
    Version {
        /// The folder.
        path: PathBuf,
        /// The version that made it.
        theirs: String,
    },
    /// The folder holds rows of another version of the program, and this one makes something else of such a search.
    OtherSearch {
        /// The folder.
        path: PathBuf,
        /// The version that made it.
        theirs: String,
        /// The search.
        search: String,
    },
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabError::Suite(error) => error.fmt(f),
            LabError::BadLines { suite, count: 1, first } => write!(f, "suite '{suite}' has a bad line: {first}"),
            LabError::BadLines { suite, count, first } => {
                write!(f, "suite '{suite}' has {count} bad lines, the first is {first}")
            }
            LabError::Algorithm(name) => {
                let (names, switches) =
                    (search::algorithms::NAMES.join(", "), search::algorithms::SWITCHES.join(", +"));
                write!(f, "no algorithm '{name}'; there are {names}, each with any of +{switches}")
            }
            LabError::Rules(message)
            | LabError::Profile(message)
            | LabError::Processors(message)
            | LabError::Settings(message) => f.write_str(message),
            LabError::Table(error) => error.fmt(f),
            LabError::Folder { path, source } => write!(f, "cannot write '{}': {source}", path.display()),
            LabError::Read(error) => error.fmt(f),
            LabError::Write(error) => error.fmt(f),
            LabError::Journal { path, line: 1 } => {
                write!(f, "line 1 of '{}' is damaged or not ours: name another folder", path.display())
            }
            LabError::Journal { path, line } => write!(
                f,
                "line {line} of '{}' is damaged: delete it and the lines after it, which are then made again, or name \
                 another folder",
                path.display()
            ),
            LabError::Busy(path) => {
                write!(f, "another experiment is writing to '{}': wait for it, or name another folder", path.display())
            }
            LabError::Version { path, theirs } => write!(
                f,
                "'{}' holds rows made by {theirs}: go on with that program, or name another folder",
                path.display()
            ),
            LabError::OtherSearch { path, theirs, search } => write!(
                f,
                "'{}' holds rows made by {theirs}, and this program's search of {search} is another one: go on with that program, or \
                 name another folder",
                path.display()
            ),
        }
    }
}

impl Error for LabError {}

impl From<BenchError> for LabError {
    fn from(error: BenchError) -> LabError {
        match error {
            BenchError::Table(error) => LabError::Table(error),
            BenchError::Verification(message) => LabError::Settings(message),
            BenchError::Trace(error) => LabError::Write(error),
        }
    }
}

impl From<TableError> for LabError {
    fn from(error: TableError) -> Self {
        LabError::Table(error)
    }
}

impl From<SuiteError> for LabError {
    fn from(error: SuiteError) -> Self {
        LabError::Suite(error)
    }
}
