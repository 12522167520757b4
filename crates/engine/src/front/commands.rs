//! What the user interface says, and what the front makes of it.

use super::keeper::Ask;
use super::session::{Session, Waiting};
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
/// Once told to end, the front waits this long for the answers that are missing.
const FAREWELL: Duration = Duration::from_millis(200);
/// Longer than any search that ends by itself.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

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
                self.waiting.push_back(Waiting::Command(command, line.to_string()));
            }
            Ok(Some(command)) => self.obey(said, command, line),
            Ok(None) => {}
            Err(error) => self.complain(&error.to_string()),
        }
    }

    /// Does it have to wait until every search has its answer? A `go` takes its place in the queue by itself.
    fn must_wait(&self, command: &Command) -> bool {
        let disturbs = matches!(command, Command::NewGame | Command::SetOption { .. } | Command::Bench);
        disturbs && (self.turn.is_some() || !self.waiting.is_empty())
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
            Command::Quit => self.leave(),
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
        let position = &self.memory.position;
        let turn = Turn::new(&self.setup, position, go, line, limits, said, self.overhead);
        // One search at a time: those before it end now.
        self.stop(None);
        self.waiting.push_back(Waiting::Search(Box::new(turn)));
    }

    /// Begins a search; none is under way.
    pub(super) fn begin(&mut self, turn: Turn) {
        let turn = self.turn.insert(turn);
        let (request, signals) = turn.request(Manner::Polite);
        self.engage();
        if self.is_job_thinking() {
            self.thinker.start(request, signals, Manner::Polite);
        } else {
            self.think_in_its_place();
        }
    }

    /// The searches that have arrived so far.
    fn searches(&mut self) -> impl Iterator<Item = &mut Turn> {
        let waiting = self.waiting.iter_mut().filter_map(|waiting| match waiting {
            Waiting::Search(turn) => Some(&mut **turn),
            Waiting::Command(..) => None,
        });
        self.turn.iter_mut().chain(waiting)
    }

    /// The answers to all searches so far are wanted, at the latest after `patience` if that is less than usual.
    fn stop(&mut self, patience: Option<Duration>) {
        let was_stopped = self.turn.as_ref().is_none_or(|turn| turn.stopped);
        self.searches().for_each(|turn| turn.stop(patience));
        if !was_stopped {
            self.hurry();
        }
    }

    /// The search under way was stopped: whoever thinks about it is told.
    fn hurry(&mut self) {
        if self.is_job_thinking() {
            self.keeper.say("stop");
        } else {
            self.think_in_its_place();
        }
    }

    /// The front ends, after a short time for the answers that are missing.
    pub(super) fn leave(&mut self) {
        self.stop(Some(FAREWELL));
        self.leaving = Some(Instant::now() + FAREWELL);
    }

    /// Nothing more will be asked. Searches that end by themselves are finished, the others are stopped.
    pub(super) fn end_of_input(&mut self) {
        self.introduce_all(&setup::options().collect::<Vec<_>>());
        let was_stopped = self.turn.as_ref().is_none_or(|turn| turn.stopped);
        self.searches().filter(|turn| turn.is_endless()).for_each(|turn| turn.stop(Some(FAREWELL)));
        if !was_stopped && self.turn.as_ref().is_some_and(|turn| turn.stopped) {
            self.hurry();
        }
        // A hundred years: the answers have limits of their own.
        self.leaving.get_or_insert(Instant::now() + LONGEST);
    }

    fn ponder_hit(&mut self, said: Instant) {
        self.searches().for_each(|turn| turn.ponder_hit(said));
        self.thinker.ponder_hit();
        if self.is_job_thinking() {
            self.keeper.say("ponderhit");
        }
    }
}
