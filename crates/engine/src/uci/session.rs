//! A UCI session: one thread reads commands, another searches.

use super::command::{Command, Go, parse};
use super::setup::{Setup, introduction};
use super::{format, log::Output};
use crate::options::OptionError;
use crate::{EngineCore, Event, SearchRequest, Signals};
use chess::Notation;
use std::io::BufRead;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Speaks UCI on standard input and output until `quit` or the end of the input.
/// `bench` is run for the command of that name and gives the lines to print.
pub fn run(engine: EngineCore, input: impl BufRead, bench: &dyn Fn() -> Vec<String>) {
    let mut session = Session::new(engine);
    // Bytes that are no text are replaced, not refused: one bad line must not end the session.
    let lines = input.split(b'\n').map_while(Result::ok);
    for line in lines.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) {
        let line = line.trim_end_matches(['\r', '\0']);
        session.output.heard(line);
        match parse(line) {
            Ok(Some(Command::Quit)) => break,
            Ok(Some(Command::Bench)) => {
                session.finish();
                bench().iter().for_each(|line| session.output.say(line));
            }
            Ok(Some(command)) => session.obey(command),
            Ok(None) => {}
            Err(error) => session.complain(&error.to_string()),
        }
    }
    session.finish();
}

/// A search under way.
struct Running {
    signals: Arc<Signals>,
    thread: JoinHandle<()>,
}

struct Session {
    engine: Arc<Mutex<EngineCore>>,
    output: Arc<Output>,
    setup: Setup,
    notation: Notation,
    running: Option<Running>,
}

impl Session {
    fn new(engine: EngineCore) -> Session {
        Session {
            engine: Arc::new(Mutex::new(engine)),
            output: Arc::default(),
            setup: Setup::default(),
            notation: Notation::Standard,
            running: None,
        }
    }

    fn complain(&self, message: &str) {
        self.output.say(&format!("info string error: {message}"));
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Uci => self.output.say(&introduction().join("\n")),
            Command::IsReady => {
                // A search under way holds the engine, and is proof that it is ready.
                if !self.is_searching() {
                    self.with_engine(EngineCore::prepare);
                }
                self.output.say("readyok");
            }
            Command::NewGame => {
                self.finish();
                self.with_engine(EngineCore::new_game);
            }
            Command::SetOption { name, value } => {
                self.finish();
                if let Err(error) = self.set_option(&name, value.as_deref()) {
                    self.complain(&error.to_string());
                }
            }
            Command::Position { fen, moves } => {
                if let Err(error) = self.setup.set(fen.as_deref(), &moves) {
                    self.complain(&error);
                }
            }
            Command::Go(go) => self.go(&go),
            Command::Stop => {
                if let Some(running) = &self.running {
                    running.signals.stop();
                }
            }
            Command::PonderHit => {
                if let Some(running) = &self.running {
                    running.signals.ponder_hit();
                }
            }
            Command::Display => self.output.say(&self.setup.shown()),
            Command::Evaluate if self.is_searching() => self.complain("'eval' has to wait: a search is under way"),
            Command::Evaluate => {
                let score = self.with_engine(|engine| engine.evaluate(&self.setup.position));
                self.output.say(&format!("info string static evaluation {} cp for the side to move", score.value()));
            }
            Command::Quit | Command::Bench | Command::Ignored => {}
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        self.with_engine(|engine| engine.set_option(name, value))?;
        if name.eq_ignore_ascii_case("Debug Log File") {
            self.output.record_to(value)?;
        }
        let chess960 = self.with_engine(|engine| engine.options().chess960);
        self.notation = if chess960 { Notation::Chess960 } else { Notation::Standard };
        Ok(())
    }

    fn go(&mut self, go: &Go) {
        self.finish();
        if let Some(depth) = go.perft {
            return self.setup.perft(depth, self.notation, &mut |line| self.output.say(line));
        }
        let limits = self.setup.limits(go, &mut |error| self.complain(error));
        let request =
            SearchRequest { position: self.setup.position.clone(), history: self.setup.history.clone(), limits };
        let signals = Arc::new(if go.ponder { Signals::pondering() } else { Signals::new() });
        let (engine, output, heard) = (Arc::clone(&self.engine), Arc::clone(&self.output), Arc::clone(&signals));
        let notation = self.notation;
        let thread = std::thread::spawn(move || search(&engine, &request, &heard, &output, notation));
        self.running = Some(Running { signals, thread });
    }

    /// Is a search under way? It holds the engine.
    fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|running| !running.thread.is_finished())
    }

    /// Ends a search under way and waits until it has given its answer.
    fn finish(&mut self) {
        if let Some(running) = self.running.take() {
            running.signals.stop();
            let _ = running.thread.join();
        }
    }

    fn with_engine<T>(&self, act: impl FnOnce(&mut EngineCore) -> T) -> T {
        act(&mut self.engine.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn search(engine: &Mutex<EngineCore>, request: &SearchRequest, signals: &Signals, output: &Output, notation: Notation) {
    let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
    let show_wdl = engine.options().show_wdl;
    let answer = engine.search(request, signals, &mut |event| match event {
        Event::Info(info) => output.say(&format::info(&info, &request.position, notation, show_wdl)),
        Event::Note(text) => output.say(&format!("info string {text}")),
    });
    drop(engine);
    output.say(&format::best_move(&answer, &request.position, notation));
}
