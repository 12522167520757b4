//! Output, and the record of everything said, if one is wanted.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Where lines go.
#[derive(Default)]
pub(crate) struct Output {
    record: Mutex<Option<File>>,
}

impl Output {
    /// Writes a line at once. A reader that has gone away is no reason to fail: the end of its input will follow.
    pub(crate) fn say(&self, line: &str) {
        let mut stdout = io::stdout().lock();
        let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
        drop(stdout);
        self.note("<<", line);
    }

    /// Records a line that came in.
    pub(crate) fn heard(&self, line: &str) {
        self.note(">>", line);
    }

    /// Records everything in a file from now on, or nothing if the path is empty.
    pub(crate) fn record_to(&self, path: &str) -> io::Result<()> {
        let file = if path.is_empty() { None } else { Some(File::options().create(true).append(true).open(path)?) };
        *self.record.lock().unwrap_or_else(PoisonError::into_inner) = file;
        Ok(())
    }

    fn note(&self, direction: &str, line: &str) {
        if let Some(file) = self.record.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            let _ = writeln!(file, "{direction} {line}");
        }
    }
}
