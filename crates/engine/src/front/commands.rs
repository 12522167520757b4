//! What the user interface says, and what the front makes of it.

use super::keeper::Ask;
use super::session::Session;
use super::thinker::{Manner, notation};
use super::turn::Turn;
use crate::uci::command::{Command, Go, parse};
use crate::uci::setup::{self, identity};
use crate::{OptionError, options};
use std::time::{Duration, Instant};

/// The job has this long to introduce itself before the front does.
const INTRODUCTION: Duration = Duration::from_secs(5);
/// The job has this long to say that it is ready before the front does.
const INQUIRY: Duration = Duration::from_secs(5);
/// Who leaves does not wait for a good answer.
const FAREWELL: Duration = Duration::from_millis(200);

impl Session {
    /// A line of the user interface.
    pub(super) fn hear(&mut self, said: Instant, line: &str) {
        self.output.heard(line);
        let command = parse(line);
        if !matches!(command, Ok(None | Some(Command::Uci))) {
            // Whoever goes on does not care for the job's options, and must not get answers in the wrong order.
            self.introduce_all(&setup::options().collect::<Vec<_>>());
        }
        match command {
            Ok(Some(command)) if self.must_wait(&command) => {
                let patience = (command == Command::Quit).then_some(FAREWELL);
                let ends_search = !matches!(command, Command::Position { .. } | Command::Ignored);
                self.waiting.push_back((said, command, line.to_string()));
                if ends_search {
                    self.stop(patience);
                }
            }
            Ok(Some(command)) => self.obey(said, command, line),
            Ok(None) => {}
            Err(error) => self.complain(&error.to_string()),
        }
    }

    /// Does it have to wait until the search has ended? What comes behind something that waits, waits, too.
    fn must_wait(&self, command: &Command) -> bool {
        let at_once = matches!(
            command,
            Command::Uci | Command::IsReady | Command::Stop | Command::PonderHit | Command::Display | Command::Evaluate
        );
        self.turn.is_some() && (!at_once || !self.waiting.is_empty())
    }

    fn complain(&self, message: &str) {
        self.output.say(&format!("info string error: {message}"));
    }

    /// Does what is asked; no search is under way, or the command does not mind.
    pub(super) fn obey(&mut self, said: Instant, command: Command, line: &str) {
        match &command {
            Command::Uci => self.be_asked_who(said),
            Command::IsReady if self.keeper.listens() => {
                self.inquiries.push_back(said + INQUIRY);
                self.keeper.ask(Ask::User);
            }
            // There is no job to wait for, and the front is ready.
            Command::IsReady => self.output.say("readyok"),
            Command::NewGame => {
                self.memory.keep(&command, line);
                self.thinker.new_game();
                self.tell_job(line);
            }
            Command::SetOption { name, value } => match self.set_option(name, value.as_deref()) {
                Ok(()) => {
                    self.memory.keep(&command, line);
                    self.tell_job(line);
                }
                Err(error) => self.complain(&error.to_string()),
            },
            Command::Position { fen, moves } => match self.setup.set(fen.as_deref(), moves) {
                Ok(()) => self.memory.keep(&command, line),
                Err(error) => self.complain(&error),
            },
            Command::Go(go) => self.go(said, go.clone(), line),
            Command::Stop => self.stop(None),
            Command::PonderHit => self.ponder_hit(said),
            Command::Display => self.output.say(&self.setup.shown()),
            Command::Evaluate if self.turn.is_some() => self.complain("'eval' has to wait: a search is under way"),
            Command::Evaluate => {
                let score = self.thinker.engine().evaluate(&self.setup.position);
                self.output.say(&format!("info string static evaluation {} cp for the side to move", score.value()));
            }
            Command::Bench => self.complain("there is no 'bench' of a cluster; run 'jamboree bench'"),
            Command::Quit => self.leaving = true,
            Command::Ignored => {}
        }
    }

    fn tell_job(&self, line: &str) {
        if self.keeper.listens() {
            self.keeper.say(line);
        }
    }

    /// The name at once, the options when the job has told its own.
    fn be_asked_who(&mut self, said: Instant) {
        self.output.say(&identity().join("\n"));
        self.introductions.push_back(said + INTRODUCTION);
        if !self.options.is_empty() || self.keeper.listens() {
            self.introduce_all(&self.options.clone());
        }
    }

    /// Answers every `uci`.
    pub(super) fn introduce_all(&mut self, options: &[String]) {
        for _ in self.introductions.drain(..) {
            options.iter().for_each(|option| self.output.say(option));
            self.output.say("uciok");
        }
    }

    /// Answers one `isready`.
    pub(super) fn confirm(&mut self) {
        if self.inquiries.pop_front().is_some() {
            self.output.say("readyok");
        }
    }

    /// Sets an option of the front; one that only the job has is the job's affair.
    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let unknown = matches!(options::check(name, value), Err(OptionError::Unknown(_)));
        let announced = format!("option name {} type ", name.trim()).to_ascii_lowercase();
        if unknown && self.options.iter().any(|option| option.to_ascii_lowercase().starts_with(&announced)) {
            return Ok(());
        }
        self.thinker.set_option(name, value)?;
        if name.eq_ignore_ascii_case("Debug Log File") {
            self.output.record_to(value)?;
        }
        let engine = self.thinker.engine();
        self.overhead = engine.options().overhead;
        self.notation = notation(&engine);
        Ok(())
    }

    fn go(&mut self, said: Instant, go: Go, line: &str) {
        if let Some(depth) = go.perft {
            return self.setup.perft(depth, self.notation, &mut |line| self.output.say(line));
        }
        let limits = self.setup.limits(&go, &mut |error| self.complain(error));
        let turn = self.turn.insert(Turn::new(&self.setup, go, line, limits, said, self.overhead));
        let (request, signals) = turn.request(Manner::Polite);
        self.engage();
        if self.is_job_thinking() {
            self.thinker.start(request, signals, Manner::Polite);
        } else {
            self.think_in_its_place();
        }
    }

    /// The answer is wanted, at the latest after `patience` if that is less than usual.
    fn stop(&mut self, patience: Option<Duration>) {
        let Some(turn) = &mut self.turn else { return };
        turn.stop(patience);
        if self.is_job_thinking() {
            self.keeper.say("stop");
        } else {
            self.think_in_its_place();
        }
    }

    fn ponder_hit(&mut self, said: Instant) {
        let Some(turn) = &mut self.turn else { return };
        turn.ponder_hit(said);
        self.thinker.ponder_hit();
        if self.is_job_thinking() {
            self.keeper.say("ponderhit");
        }
    }
}
