//! The program as a process that speaks UCI.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_jamboree");
/// No answer takes this long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The program, speaking UCI.
pub(crate) struct UciProcess {
    pub(crate) process: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: Receiver<String>,
}

impl UciProcess {
    /// Starts the program with these arguments.
    pub(crate) fn start(arguments: &[&str]) -> UciProcess {
        let mut process = Command::new(PROGRAM)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (sender, output) = channel();
        let lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let input = process.stdin.take();
        UciProcess { process, input, output }
    }

    /// Says a line.
    pub(crate) fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        writeln!(input, "{line}").expect("the program listens");
    }

    /// Lines up to and including the first that begins so.
    pub(crate) fn until(&self, beginning: &str) -> Vec<String> {
        self.until_one(beginning, |line| line.starts_with(beginning))
    }

    /// Lines up to and including the first with this word.
    pub(crate) fn until_contains(&self, word: &str) -> Vec<String> {
        self.until_one(word, |line| line.contains(word))
    }

    fn until_one(&self, wanted: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.output.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no {wanted} after {lines:#?}"));
            lines.push(line);
            if lines.last().is_some_and(|line| is_wanted(line)) {
                return lines;
            }
        }
    }

    /// The program ends by itself.
    pub(crate) fn ends(&mut self) {
        let started = Instant::now();
        while self.process.try_wait().expect("a process").is_none() {
            assert!(started.elapsed() < PATIENCE, "the program is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Nothing that begins so is said within this time.
    pub(crate) fn none(&self, beginning: &str, time: Duration) {
        let end = Instant::now() + time;
        loop {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => assert!(!line.starts_with(beginning), "too early: {line}"),
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => panic!("the program is gone"),
            }
        }
    }

    /// Waits until everything said is done.
    pub(crate) fn ready(&mut self) -> Vec<String> {
        self.say("isready");
        self.until("readyok")
    }
}

impl Drop for UciProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
