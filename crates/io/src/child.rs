//! The lines a child process prints, within limits.

use crate::file::Bytes;
use crate::lines::{LineError, LineReader};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a line costs beside its bytes, so that empty lines are not free.
const LINE_OVERHEAD: usize = 64;

/// How much a child process may print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChildLimits {
    /// The largest number of bytes of one line.
    pub line_bytes: usize,
    /// The largest number of bytes that wait to be received. Beyond it the child is not read until some of them have
    /// been received, so the child has to wait.
    pub backlog_bytes: usize,
    /// The largest number of bytes in one second, plus 64 for each line. A child that prints more is not read any more.
    pub bytes_a_second: usize,
}

/// Enough for any UCI engine: the longest ordinary line has a few thousand bytes, the fastest output a few hundred
/// lines a millisecond.
impl Default for ChildLimits {
    fn default() -> ChildLimits {
        ChildLimits { line_bytes: 1 << 20, backlog_bytes: 1 << 22, bytes_a_second: 1 << 25 }
    }
}

/// Why there is no line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildError {
    /// The child printed nothing before the deadline. It may print something later.
    Silent,
    /// The child has closed its output, most likely because it has ended.
    Closed,
    /// The child has printed more than the given number of bytes in a second and is not read any more.
    Flooding {
        /// The limit.
        bytes_a_second: usize,
    },
    /// A line was longer than the given number of bytes and has been skipped. The next one can be received.
    LineTooLong {
        /// The limit.
        line_bytes: usize,
    },
}

impl fmt::Display for ChildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChildError::Silent => write!(f, "it prints nothing"),
            ChildError::Closed => write!(f, "it has closed its output"),
            ChildError::Flooding { bytes_a_second } => {
                write!(f, "it prints more than {} a second", Bytes(*bytes_a_second as u64))
            }
            ChildError::LineTooLong { line_bytes } => {
                write!(f, "it printed a line of more than {}", Bytes(*line_bytes as u64))
            }
        }
    }
}

impl Error for ChildError {}

/// A line, and the time when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildLine {
    /// When it was read from the child.
    pub time: Instant,
    /// Its text, without the line feed.
    pub text: String,
}

/// What waits to be received.
#[derive(Default)]
struct Backlog {
    lines: VecDeque<Result<ChildLine, ChildError>>,
    bytes: usize,
    /// Why no more lines will be added.
    end: Option<ChildError>,
    /// The receiver is gone.
    is_abandoned: bool,
}

struct Shared {
    backlog: Mutex<Backlog>,
    /// Signals that a line was added to the backlog, or that it has ended.
    added: Condvar,
    /// Signals that a line was taken from the backlog, or that the receiver is gone.
    taken: Condvar,
}

/// The lines of a child process. A thread of its own reads them, until the child closes its output or this value is
/// dropped.
pub struct ChildLines {
    shared: Arc<Shared>,
}

impl ChildLines {
    /// Starts to read what a child prints.
    pub fn new(output: impl Read + Send + 'static, limits: ChildLimits) -> ChildLines {
        let shared = Arc::new(Shared { backlog: Mutex::default(), added: Condvar::new(), taken: Condvar::new() });
        let for_reader = Arc::clone(&shared);
        std::thread::spawn(move || {
            let end = read(output, limits, &for_reader);
            for_reader.backlog.lock().end = Some(end);
            for_reader.added.notify_all();
        });
        ChildLines { shared }
    }

    /// The next line, if there is one before the deadline.
    ///
    /// # Errors
    /// If there is none, or it was too long.
    pub fn receive_until(&self, deadline: Instant) -> Result<ChildLine, ChildError> {
        let mut backlog = self.shared.backlog.lock();
        loop {
            if let Some(line) = backlog.lines.pop_front() {
                backlog.bytes -= cost(&line);
                drop(backlog);
                self.shared.taken.notify_one();
                return line;
            }
            if let Some(end) = &backlog.end {
                return Err(end.clone());
            }
            if self.shared.added.wait_until(&mut backlog, deadline).timed_out() && backlog.lines.is_empty() {
                return Err(backlog.end.clone().unwrap_or(ChildError::Silent));
            }
        }
    }

    /// Forgets the lines that wait to be received.
    pub fn discard_waiting(&self) {
        let mut backlog = self.shared.backlog.lock();
        backlog.lines.clear();
        backlog.bytes = 0;
        drop(backlog);
        self.shared.taken.notify_one();
    }
}

impl Drop for ChildLines {
    fn drop(&mut self) {
        self.shared.backlog.lock().is_abandoned = true;
        self.shared.taken.notify_all();
    }
}

fn cost(line: &Result<ChildLine, ChildError>) -> usize {
    LINE_OVERHEAD + line.as_ref().map_or(0, |line| line.text.len())
}

/// Reads lines into the backlog until the child ends, breaks a limit, or the receiver is gone.
fn read(output: impl Read, limits: ChildLimits, shared: &Shared) -> ChildError {
    let metered = Metered::new(output, limits.bytes_a_second);
    for line in LineReader::new(BufReader::new(metered), limits.line_bytes) {
        let line = match line {
            Ok(text) => Ok(ChildLine { time: Instant::now(), text }),
            Err(LineError::TooLong { limit, .. }) => Err(ChildError::LineTooLong { line_bytes: limit }),
            Err(LineError::Unreadable { source, .. }) => {
                return source.downcast().unwrap_or(ChildError::Closed);
            }
        };
        let bytes = cost(&line);
        let mut backlog = shared.backlog.lock();
        while backlog.bytes > 0 && backlog.bytes + bytes > limits.backlog_bytes && !backlog.is_abandoned {
            shared.taken.wait(&mut backlog);
        }
        if backlog.is_abandoned {
            break;
        }
        backlog.bytes += bytes;
        backlog.lines.push_back(line);
        drop(backlog);
        shared.added.notify_one();
    }
    ChildError::Closed
}

/// A reader that fails with [`ChildError::Flooding`] when it reads too much in a second.
struct Metered<R> {
    reader: R,
    bytes_a_second: usize,
    second_began: Instant,
    bytes_this_second: usize,
}

impl<R> Metered<R> {
    fn new(reader: R, bytes_a_second: usize) -> Metered<R> {
        Metered { reader, bytes_a_second, second_began: Instant::now(), bytes_this_second: 0 }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        let now = Instant::now();
        if now.duration_since(self.second_began) >= Duration::from_secs(1) {
            (self.second_began, self.bytes_this_second) = (now, 0);
        }
        let lines = buffer[..count].iter().filter(|&&byte| byte == b'\n').count();
        self.bytes_this_second += count + lines * LINE_OVERHEAD;
        if self.bytes_this_second > self.bytes_a_second {
            return Err(io::Error::other(ChildError::Flooding { bytes_a_second: self.bytes_a_second }));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    /// Runs a shell command and collects what can be received from it within a minute, up to its end.
    fn run(command: &str, limits: ChildLimits) -> (Vec<Result<String, ChildError>>, ChildError) {
        let mut child = Command::new("sh").args(["-c", command]).stdout(Stdio::piped()).spawn().unwrap();
        let lines = ChildLines::new(child.stdout.take().unwrap(), limits);
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut received = Vec::new();
        let end = loop {
            match lines.receive_until(deadline) {
                Ok(line) => received.push(Ok(line.text)),
                Err(error @ ChildError::LineTooLong { .. }) => received.push(Err(error)),
                Err(error) => break error,
            }
        };
        let _ = child.kill();
        child.wait().unwrap();
        (received, end)
    }

    #[test]
    fn lines_are_received_in_order_up_to_the_end() {
        let limits = ChildLimits { backlog_bytes: 100, ..ChildLimits::default() };
        let (received, end) = run("seq 1000", limits);
        assert_eq!(received, (1..=1000).map(|number| Ok(number.to_string())).collect::<Vec<_>>());
        assert_eq!(end, ChildError::Closed);
    }

    #[test]
    fn an_over_long_line_is_reported_and_skipped() {
        let limits = ChildLimits { line_bytes: 10, ..ChildLimits::default() };
        let (received, _) = run("echo one; echo 12345678901; echo two", limits);
        assert_eq!(received, [Ok("one".into()), Err(ChildError::LineTooLong { line_bytes: 10 }), Ok("two".into())]);
    }

    #[test]
    fn a_flood_ends_the_reading() {
        let limits = ChildLimits { bytes_a_second: 1 << 20, line_bytes: 1 << 10, ..ChildLimits::default() };
        for flood in ["yes info", "yes ''", "cat /dev/zero"] {
            let (_, end) = run(flood, limits);
            assert_eq!(end, ChildError::Flooding { bytes_a_second: 1 << 20 }, "{flood}");
            assert_eq!(end.to_string(), "it prints more than 1 MiB a second");
        }
    }

    #[test]
    fn a_child_that_is_not_received_from_has_to_wait() {
        let mut child = Command::new("yes").stdout(Stdio::piped()).spawn().unwrap();
        let limits = ChildLimits { backlog_bytes: 10_000, bytes_a_second: usize::MAX, ..ChildLimits::default() };
        let lines = ChildLines::new(child.stdout.take().unwrap(), limits);
        lines.receive_until(Instant::now() + Duration::from_secs(60)).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert!(lines.shared.backlog.lock().bytes <= 10_000);
        drop(lines);
        // The reader ends, so the child writes into a closed pipe.
        child.wait().unwrap();
    }

    #[test]
    fn silence_is_not_the_end() {
        let mut command = Command::new("sh");
        let mut child =
            command.args(["-c", "read x; echo $x"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = ChildLines::new(child.stdout.take().unwrap(), ChildLimits::default());
        assert_eq!(lines.receive_until(Instant::now() + Duration::from_millis(5)), Err(ChildError::Silent));
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"word\n").unwrap();
        let line = lines.receive_until(Instant::now() + Duration::from_secs(60)).unwrap();
        assert_eq!(line.text, "word");
        child.wait().unwrap();
    }
}
