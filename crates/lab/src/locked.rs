//! A file that one process at a time writes to.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// An open file with a lock on it.
pub(crate) struct LockedFile(File);

impl LockedFile {
    /// Opens a file, or makes it, to be read and written. `None` if another process has locked it.
    pub(crate) fn open(path: &Path) -> io::Result<Option<LockedFile>> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(LockedFile(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for LockedFile {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

impl Drop for LockedFile {
    /// Closing the file would not be enough: while another thread starts a child process, that process has a copy of
    /// the open file, which holds the lock too.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tests::Scratch;

    #[test]
    fn a_lock_ends_with_its_owner_whoever_else_has_the_file() {
        let scratch = Scratch::new("locked");
        std::fs::create_dir_all(scratch.path()).unwrap();
        let path = scratch.path().join("file");
        let file = LockedFile::open(&path).unwrap().unwrap();
        let copy = file.try_clone().unwrap();
        assert!(LockedFile::open(&path).unwrap().is_none());
        drop(file);
        assert!(LockedFile::open(&path).unwrap().is_some());
        drop(copy);
    }
}
