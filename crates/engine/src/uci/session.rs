//! A UCI session: one thread reads commands, another searches.

use super::command::{Command, Go, parse};
use super::{format, log::Output};
use crate::options::{LIST, OptionError};
use crate::{Engine, Event, Limits, Request, Signals};
use chess::{Notation, Position, divide, parse_move};
use game::Game;
use std::io::BufRead;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Speaks UCI on standard input and output until `quit` or the end of the input.
/// `bench` is run for the command of that name and gives the lines to print.
pub fn run(engine: Engine, input: impl BufRead, bench: &dyn Fn() -> Vec<String>) {
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
    engine: Arc<Mutex<Engine>>,
    output: Arc<Output>,
    position: Position,
    history: Vec<u64>,
    notation: Notation,
    running: Option<Running>,
}

impl Session {
    fn new(engine: Engine) -> Session {
        Session {
            engine: Arc::new(Mutex::new(engine)),
            output: Arc::default(),
            position: Position::default(),
            history: Vec::new(),
            notation: Notation::Standard,
            running: None,
        }
    }

    fn complain(&self, message: &str) {
        self.output.say(&format!("info string error: {message}"));
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => {
                // A search under way holds the engine, and is proof that it is ready.
                if !self.is_searching() {
                    self.with_engine(Engine::prepare);
                }
                self.output.say("readyok");
            }
            Command::NewGame => {
                self.finish();
                self.with_engine(Engine::new_game);
            }
            Command::SetOption { name, value } => {
                self.finish();
                if let Err(error) = self.set_option(&name, value.as_deref()) {
                    self.complain(&error.to_string());
                }
            }
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
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
            Command::Display => self.display(),
            Command::Evaluate if self.is_searching() => self.complain("'eval' has to wait: a search is under way"),
            Command::Evaluate => {
                let score = self.with_engine(|engine| engine.evaluate(&self.position));
                self.output.say(&format!("info string static evaluation {} cp for the side to move", score.value()));
            }
            Command::Quit | Command::Bench | Command::Ignored => {}
        }
    }

    fn introduce(&self) {
        let mut lines = vec![
            format!("id name Jamboree {}", env!("CARGO_PKG_VERSION")),
            "id author the Jamboree authors".to_string(),
        ];
        lines.extend(LIST.iter().map(|(name, takes)| format!("option name {name} {}", takes.describe())));
        lines.push("uciok".to_string());
        self.output.say(&lines.join("\n"));
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        self.with_engine(|engine| engine.set_option(name, value))?;
        if name.eq_ignore_ascii_case("Debug Log File") {
            let path = value.filter(|&path| path != "<empty>").unwrap_or("");
            self.output.record_to(path).map_err(|error| OptionError::Refused {
                name: "Debug Log File",
                reason: format!("can't write '{path}': {error}"),
            })?;
        }
        let chess960 = self.with_engine(|engine| engine.options().chess960);
        self.notation = if chess960 { Notation::Chess960 } else { Notation::Standard };
        Ok(())
    }

    /// Sets up a position; if anything is wrong with it, the old one stays.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        let start = match fen.map_or_else(|| Ok(Position::default()), str::parse) {
            Ok(position) => position,
            Err(error) => return self.complain(&format!("{error}; the position is unchanged")),
        };
        let (mut position, mut history) = (start, Vec::with_capacity(moves.len()));
        for text in moves {
            match parse_move(&position, text) {
                Ok(mv) => {
                    history.push(position.key());
                    position = position.play(mv);
                }
                Err(error) => return self.complain(&format!("{error}; the position is unchanged")),
            }
        }
        (self.position, self.history) = (position, history);
    }

    fn go(&mut self, go: &Go) {
        self.finish();
        if let Some(depth) = go.perft {
            return self.perft(depth.min(20));
        }
        let mut only = Vec::new();
        for text in &go.only {
            match parse_move(&self.position, text) {
                Ok(mv) => only.push(mv),
                Err(error) => self.complain(&format!("searchmoves: {error}")),
            }
        }
        let side = self.position.board().side_to_move() as usize;
        let limits = Limits {
            depth: go.depth,
            nodes: go.nodes,
            mate: go.mate,
            time: go.time_control(side),
            infinite: go.infinite,
            only,
        };
        let request = Request { position: self.position.clone(), history: self.history.clone(), limits };
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

    fn with_engine<T>(&self, act: impl FnOnce(&mut Engine) -> T) -> T {
        act(&mut self.engine.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn perft(&self, depth: u32) {
        let mut total = 0;
        for (mv, paths) in divide(&self.position, depth) {
            total += paths;
            self.output.say(&format!("{}: {paths}", self.notation.show(&self.position, mv)));
        }
        self.output.say(&format!("\nNodes searched: {total}"));
    }

    fn display(&self) {
        let board = self.position.board();
        self.output.say(&format!("Fen: {board}\nKey: {:016X}", self.position.key()));
    }
}

fn search(engine: &Mutex<Engine>, request: &Request, signals: &Signals, output: &Output, notation: Notation) {
    let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
    let show_wdl = engine.options().show_wdl;
    let answer = engine.search(request, signals, &mut |event| match event {
        Event::Info(info) => output.say(&format::info(&info, &request.position, notation, show_wdl)),
        Event::Note(text) => output.say(&format!("info string {text}")),
    });
    drop(engine);
    output.say(&format::best_move(&answer, &request.position, notation));
}
