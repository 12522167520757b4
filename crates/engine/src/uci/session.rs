//! A UCI session: this thread reads commands, the engine's thread works and writes.

use super::command::{Command, Go, parse};
use super::format::EventWriter;
use super::introduction::{help, introduction};
use super::output::Output;
use crate::{Benchmark, Engine, EngineCore, EngineError, Event};
use jamboree_io::{LineError, LineReader};
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The longest line that is read. A game of a thousand moves takes ten thousand bytes.
pub(crate) const LONGEST_LINE: usize = 1 << 20;
/// How often a session that only waits for its last answers looks whether they are still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// Speaks UCI until `quit` or the end of the input. The listener hears every event after it was written.
///
/// # Errors
/// If the output can't be written to, unless its reader has gone.
pub fn run(
    core: EngineCore,
    input: impl BufRead,
    output: impl Write + Send + 'static,
    benchmark: Benchmark,
    mut listener: impl FnMut(&Event) + Send + 'static,
) -> io::Result<()> {
    let output = Arc::new(Output::to(Box::new(output)));
    let mut writer = EventWriter::default();
    let told = Arc::clone(&output);
    let tell = move |event| {
        if let Some(text) = writer.write(&event) {
            told.say(&text);
        }
        listener(&event);
    };
    let engine = Engine::start_with_benchmark(core, benchmark, tell);
    let mut session = UciSession { engine, output: Arc::clone(&output) };
    if session.read(input) {
        session.finish();
    }
    // Stops what is left, and waits for the answers.
    drop(session);
    output.failure()
}

struct UciSession {
    engine: Engine,
    output: Arc<Output>,
}

impl UciSession {
    /// Obeys every line. Has the input ended, without `quit`?
    fn read(&mut self, input: impl BufRead) -> bool {
        let mut lines = LineReader::new(input, LONGEST_LINE);
        loop {
            let line = match lines.next_bytes() {
                // Bytes that are no text are replaced, not refused: one bad line must not end the session.
                Some(Ok(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
                Some(Err(error @ LineError::TooLong { .. })) => {
                    self.output.complain(&error);
                    continue;
                }
                Some(Err(LineError::Unreadable { .. })) | None => return true,
            };
            let read = Instant::now();
            let line = line.trim_end_matches('\0');
            self.output.heard(line);
            match parse(line) {
                Ok(Some(Command::Quit)) => return false,
                Ok(Some(command)) => self.obey(command, read),
                Ok(None) => {}
                Err(error) => {
                    if error.is_of_position() {
                        self.engine.refuse_position();
                    }
                    self.output.complain(&error);
                }
            }
        }
    }

    /// Waits for the searches that end by themselves.
    fn finish(&self) {
        self.engine.stop_endless();
        while !self.engine.wait_until_idle(LOOK) {
            if self.output.has_failed() {
                return;
            }
        }
    }

    fn obey(&mut self, command: Command, read: Instant) {
        match command {
            Command::Uci => self.output.say(&introduction()),
            // A search under way is proof enough; else the answer comes when everything before it is done.
            Command::IsReady if self.engine.is_busy() => self.output.say("readyok"),
            Command::IsReady => self.engine.prepare(),
            Command::NewGame => self.engine.new_game(),
            Command::SetOption { name, value } => {
                let value = value.as_deref();
                let set = self.output.set_option(&name, value).and_then(|()| self.engine.set_option(&name, value));
                if let Err(error) = set {
                    self.output.complain(&error);
                }
            }
            Command::Position { fen, moves } => {
                if let Err(error) = self.engine.set_position(fen.as_deref(), &moves) {
                    self.output.complain(&error);
                }
            }
            Command::Go(Go { perft: Some(depth), .. }) => self.engine.perft(depth),
            Command::Go(go) => {
                let limits = go.limits(self.engine.game(), &mut |error| self.output.complain(error));
                self.engine.go(limits, go.ponder, read);
            }
            Command::Stop => self.engine.stop(),
            Command::PonderHit => self.engine.ponder_hit(),
            Command::Display => match self.engine.game() {
                Some(game) => self.output.say(&crate::draw(&game.position)),
                None => self.output.complain(&EngineError::NoPosition),
            },
            Command::Evaluate => self.engine.evaluate(),
            Command::Bench => self.engine.benchmark(),
            Command::Help => self.output.say(&help()),
            Command::Quit | Command::Ignored => {}
        }
    }
}
