//! Output, and the record of everything said, if one is wanted.

use crate::OptionError;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Where lines go.
pub(crate) struct Output {
    sink: Mutex<Box<dyn Write + Send>>,
    record: Mutex<Option<File>>,
}

impl Default for Output {
    fn default() -> Output {
        Output::to(Box::new(io::stdout()))
    }
}

impl Output {
    /// Lines go there.
    pub(crate) fn to(sink: Box<dyn Write + Send>) -> Output {
        Output { sink: Mutex::new(sink), record: Mutex::default() }
    }

    /// Writes a line at once. A reader that has gone away is no reason to fail: the end of its input will follow.
    pub(crate) fn say(&self, line: &str) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(sink, "{line}").and_then(|()| sink.flush());
        drop(sink);
        self.note("<<", line);
    }

    /// Records a line that came in.
    pub(crate) fn heard(&self, line: &str) {
        self.note(">>", line);
    }

    /// Records everything in a file from now on, or nothing if the value of the option is empty.
    pub(crate) fn record_to(&self, value: Option<&str>) -> Result<(), OptionError> {
        let path = value.filter(|&path| path != "<empty>").unwrap_or("");
        let open = |path| File::options().create(true).append(true).open(path);
        let refused =
            |error| OptionError::Refused { name: "Debug Log File", reason: format!("can't write '{path}': {error}") };
        let file = if path.is_empty() { None } else { Some(open(path).map_err(refused)?) };
        *self.record.lock().unwrap_or_else(PoisonError::into_inner) = file;
        Ok(())
    }

    fn note(&self, direction: &str, line: &str) {
        if let Some(file) = self.record.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            let _ = writeln!(file, "{direction} {line}");
        }
    }
}
