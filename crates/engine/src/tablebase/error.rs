//! Why endgame tables can't be used.

use std::error::Error;
use std::path::PathBuf;
use std::{fmt, io};

/// What separates the folders of a path list.
pub(super) const PATH_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// Why tables can't be used.
#[derive(Debug)]
pub enum TablebaseError {
    /// The list of folders is empty.
    NoFolder,
    /// A folder does not exist or can't be listed.
    UnreadableFolder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A folder holds no table.
    NoTables {
        /// The folder.
        folder: PathBuf,
    },
    /// A file that is a table by its name can't be one, or can't be read.
    BadFile {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        source: io::Error,
    },
}

impl fmt::Display for TablebaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TablebaseError::NoFolder => write!(
                f,
                "no tablebase folder is named; give folders with Syzygy tables, separated by '{PATH_SEPARATOR}'"
            ),
            TablebaseError::UnreadableFolder { folder, source } => write!(
                f,
                "can't read the tablebase folder {}: {source}; give folders with Syzygy tables, separated by \
                 '{PATH_SEPARATOR}'",
                folder.display()
            ),
            TablebaseError::NoTables { folder } => write!(
                f,
                "the tablebase folder {} holds no Syzygy table; name the folder that has the .rtbw and .rtbz files \
                 itself, not one above it",
                folder.display()
            ),
            TablebaseError::BadFile { file, source } => {
                write!(f, "the tablebase file {} can't be used: {source}; copy it again or remove it", file.display())
            }
        }
    }
}

impl Error for TablebaseError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            TablebaseError::UnreadableFolder { source, .. } | TablebaseError::BadFile { source, .. } => Some(source),
            TablebaseError::NoFolder | TablebaseError::NoTables { .. } => None,
        }
    }
}
