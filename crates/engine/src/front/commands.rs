//! What the user interface says, and what the front makes of it.

use super::own_search::Role;
use super::pending_go::PendingGo;
use super::session::{FrontSession, Waiting};
use super::supervisor::Ask;
use crate::uci::command::{Command, Go, parse};
use crate::uci::introduction::{self, help, identity};
use crate::{EngineError, OptionError};
use std::time::{Duration, Instant};

/// Time that the job has to announce its options before the front announces its own.
const INTRODUCTION: Duration = Duration::from_secs(5);
/// Time that the job has for `readyok` before the front says it.
const INQUIRY: Duration = Duration::from_secs(5);
/// Once told to end, the front waits this long for the answers that are missing.
const FAREWELL: Duration = Duration::from_millis(200);
/// Longer than any search that ends by itself.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

impl FrontSession {
    /// A line of the user interface.
    pub(super) fn hear(&mut self, said: Instant, line: &str) {
        self.output.heard(line);
        let command = parse(line);
        if !matches!(command, Ok(None | Some(Command::Uci))) {
            // A user interface that goes on does not wait for the job's options; the answers must stay in order.
            self.introduce_all(&introduction::options().collect::<Vec<_>>());
        }
        match command {
            Ok(Some(command)) if self.must_wait(&command) => {
                self.waiting.push_back(Waiting::Command(command, line.to_string()));
            }
            Ok(Some(command)) => self.obey(said, command, line),
            Ok(None) => {}
            Err(error) => {
                if error.is_of_position() {
                    self.own.engine.refuse_position();
                }
                self.output.complain(&error);
            }
        }
    }

    /// Does it have to wait until every search has its answer? A `go` takes its place in the queue by itself.
    fn must_wait(&self, command: &Command) -> bool {
        let disturbs = matches!(command, Command::NewGame | Command::SetOption { .. } | Command::Bench);
        disturbs && (self.pending.is_some() || !self.waiting.is_empty())
    }

    /// Carries a command out. No search is under way, or the command does not disturb it.
    pub(super) fn obey(&mut self, said: Instant, command: Command, line: &str) {
        match &command {
            Command::Uci => self.introduce(said),
            Command::IsReady if self.supervisor.listens() => {
                self.inquiries.push_back(said + INQUIRY);
                self.supervisor.ask(Ask::User);
            }
            // There is no job to wait for, and the front is ready.
            Command::IsReady => self.output.say("readyok"),
            Command::NewGame => {
                self.replay.keep(&command, line);
                self.own.engine.new_game();
                self.tell_job(line);
            }
            Command::SetOption { name, value } => match self.set_option(name, value.as_deref()) {
                Ok(()) => {
                    self.replay.keep(&command, line);
                    self.tell_job(line);
                }
                Err(error) => self.output.complain(&error),
            },
            Command::Position { fen, moves } => match self.own.engine.set_position(fen.as_deref(), moves) {
                Ok(()) => self.replay.keep(&command, line),
                Err(error) => self.output.complain(&error),
            },
            Command::Go(Go { perft: Some(depth), .. }) => self.own.engine.perft(*depth),
            Command::Go(go) => self.go(said, go.clone(), line),
            Command::Stop => self.stop(None),
            Command::PonderHit => self.ponder_hit(said),
            Command::Display => match self.own.engine.game() {
                Some(game) => self.output.say(&crate::draw(&game.position)),
                None => self.output.complain(&EngineError::NoPosition),
            },
            Command::Evaluate => self.own.engine.evaluate(),
            Command::Bench => self.output.complain(&"there is no 'bench' of a cluster; run 'jamboree bench'"),
            Command::Help => self.output.say(&help()),
            Command::Quit => self.leave(),
            Command::Ignored => {}
        }
    }

    fn tell_job(&self, line: &str) {
        if self.supervisor.listens() {
            self.supervisor.say(line);
        }
    }

    /// Says the name at once, and the options when the job has announced its own.
    fn introduce(&mut self, said: Instant) {
        self.output.say(&identity().join("\n"));
        self.introductions.push_back(said + INTRODUCTION);
        if !self.options.is_empty() || self.supervisor.listens() {
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

    /// Sets an option of the front. One that only the job has is left to the job.
    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        self.output.set_option(name, value)?;
        match self.own.set_option(name, value) {
            Err(OptionError::Unknown(_)) if self.is_option_of_job(name) => Ok(()),
            set => set,
        }
    }

    fn is_option_of_job(&self, name: &str) -> bool {
        let announced = format!("option name {} type ", name.trim()).to_ascii_lowercase();
        self.options.iter().any(|option| option.to_ascii_lowercase().starts_with(&announced))
    }

    fn go(&mut self, said: Instant, go: Go, line: &str) {
        let (game, options) = (self.own.engine.game(), self.own.engine.options());
        let limits = go.limits(game, &mut |error| self.output.complain(error));
        let pending = PendingGo::new(game, &self.replay.position, (go, line), limits, said, options.overhead);
        // One search at a time: those before it end now.
        self.stop(None);
        self.waiting.push_back(Waiting::Search(Box::new(pending)));
    }

    /// Begins a search; none is under way.
    pub(super) fn begin(&mut self, pending: PendingGo) {
        let pending = self.pending.insert(pending);
        let request = pending.own_request(Role::Spare);
        self.ask_job();
        if self.is_job_searching() {
            self.own.start(request, Role::Spare);
        } else {
            self.search_in_its_place();
        }
    }

    /// The searches that have arrived so far.
    fn searches(&mut self) -> impl Iterator<Item = &mut PendingGo> {
        let waiting = self.waiting.iter_mut().filter_map(|waiting| match waiting {
            Waiting::Search(pending) => Some(&mut **pending),
            Waiting::Command(..) => None,
        });
        self.pending.iter_mut().chain(waiting)
    }

    /// The answers to all searches so far are wanted, at the latest after `patience` if that is less than usual.
    fn stop(&mut self, patience: Option<Duration>) {
        let was_stopped = self.pending.as_ref().is_none_or(|pending| pending.stopped);
        self.searches().for_each(|pending| pending.stop(patience));
        if !was_stopped {
            self.hurry();
        } else if self.pending.is_none() {
            // The own engine may count paths.
            self.own.engine.stop();
        }
    }

    /// The search under way was stopped: the job or the own search is told.
    fn hurry(&mut self) {
        if self.is_job_searching() {
            self.supervisor.say("stop");
        } else {
            self.search_in_its_place();
        }
    }

    /// Ends the front, after a short time for the answers that are missing.
    pub(super) fn leave(&mut self) {
        self.stop(Some(FAREWELL));
        self.leaving = Some(Instant::now() + FAREWELL);
    }

    /// Nothing more will be asked. Searches that end by themselves are finished, the others are stopped.
    pub(super) fn end_of_input(&mut self) {
        self.introduce_all(&introduction::options().collect::<Vec<_>>());
        let was_stopped = self.pending.as_ref().is_none_or(|pending| pending.stopped);
        self.searches().filter(|pending| pending.is_endless()).for_each(|pending| pending.stop(Some(FAREWELL)));
        if !was_stopped && self.pending.as_ref().is_some_and(|pending| pending.stopped) {
            self.hurry();
        }
        // A hundred years: the answers have limits of their own.
        self.leaving.get_or_insert(Instant::now() + LONGEST);
    }

    fn ponder_hit(&mut self, said: Instant) {
        self.searches().for_each(|pending| pending.ponder_hit(said));
        self.own.engine.ponder_hit();
        if self.is_job_searching() {
            self.supervisor.say("ponderhit");
        }
    }
}
