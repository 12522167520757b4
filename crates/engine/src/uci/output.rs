//! Output, and the record of everything said, if one is wanted.

use crate::OptionError;
use crate::options::{LOG_FILE, Setting, Value};
use parking_lot::Mutex;
use std::fs::File;
use std::io::{self, Write};

/// Where lines go.
pub(crate) struct Output {
    sink: Mutex<Sink>,
    record: Mutex<Option<File>>,
}

struct Sink {
    writer: Box<dyn Write + Send>,
    /// The first write that failed.
    failure: Option<io::Error>,
}

impl Output {
    /// Lines go there.
    pub(crate) fn to(writer: Box<dyn Write + Send>) -> Output {
        Output { sink: Mutex::new(Sink { writer, failure: None }), record: Mutex::default() }
    }

    /// Writes a line at once. After a failure nothing more is written: [`Output::failure`] tells.
    pub(crate) fn say(&self, line: &str) {
        let mut sink = self.sink.lock();
        if sink.failure.is_none() {
            let text = format!("{line}\n");
            sink.failure = sink.writer.write_all(text.as_bytes()).and_then(|()| sink.writer.flush()).err();
        }
        drop(sink);
        self.note("<<", line);
    }

    /// Says what was wrong with something said to us.
    pub(crate) fn complain(&self, error: &dyn std::fmt::Display) {
        self.say(&format!("info string error: {error}"));
    }

    /// Can nothing be written any more?
    pub(crate) fn has_failed(&self) -> bool {
        self.sink.lock().failure.is_some()
    }

    /// Why nothing can be written any more. A reader that has gone away is no failure.
    pub(crate) fn failure(&self) -> io::Result<()> {
        match self.sink.lock().failure.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    /// Records a line that came in.
    pub(crate) fn heard(&self, line: &str) {
        self.note(">>", line);
    }

    /// Sets the option that belongs to the output: the file that records everything, none if the value is empty.
    pub(crate) fn set_option(&self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let Ok(Setting { entry, value: Value::Text(path) }) = Setting::parse(name, value) else { return Ok(()) };
        if entry.name != LOG_FILE {
            return Ok(());
        }
        let open = |path| File::options().create(true).append(true).open(path);
        let refused = |error| OptionError::Refused { name: LOG_FILE, reason: format!("can't write '{path}': {error}") };
        let file = if path.is_empty() { None } else { Some(open(&path).map_err(refused)?) };
        *self.record.lock() = file;
        Ok(())
    }

    fn note(&self, direction: &str, line: &str) {
        if let Some(file) = self.record.lock().as_mut() {
            let _ = writeln!(file, "{direction} {line}");
        }
    }
}
