//! The loop of the front: it takes events, does what is due, and holds the state between.

use super::event::{Found, FrontEvent};
use super::own_search::{OwnSearch, Role};
use super::pending_go::{LifeSign, PendingGo};
use super::replay::Replay;
use super::supervisor::{Ask, JobSupervisor, Phase};
use crate::uci::command::Command;
use crate::uci::format::best_move;
use crate::uci::introduction;
use crate::uci::output::Output;
use crate::{Answer, EngineCore};
use chess::Position;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

/// Time that a job has to end when it is asked to.
const FAREWELL: Duration = Duration::from_millis(500);

/// Settings of the front.
#[derive(Clone, Debug)]
pub struct FrontSettings {
    /// The job: a program and its arguments.
    pub job: Vec<String>,
    /// The option `Move Overhead` at the start, for the job and the front; none for the engine's own.
    pub overhead: Option<Duration>,
}

/// Something that waits until the search under way has its answer.
pub(super) enum Waiting {
    /// A search.
    Search(Box<PendingGo>),
    /// Another command that a search must not be disturbed by, and the line it came in.
    Command(Command, String),
}

/// A session of the front.
pub(super) struct FrontSession {
    pub(super) output: Arc<Output>,
    pub(super) supervisor: JobSupervisor,
    pub(super) own: OwnSearch,
    pub(super) replay: Replay,
    /// The `go` that has no answer yet.
    pub(super) pending: Option<PendingGo>,
    /// What waits for the answer, in the order in which it arrived.
    pub(super) waiting: VecDeque<Waiting>,
    /// When the `uci` commands without an answer are answered by the front.
    pub(super) introductions: VecDeque<Instant>,
    /// When the `isready` commands without an answer are answered by the front.
    pub(super) inquiries: VecDeque<Instant>,
    /// The options of the last job that has introduced itself.
    pub(super) options: Vec<String>,
    /// The options that a new job has announced so far.
    pub(super) announced: Vec<String>,
    /// Lines of this job that are no UCI.
    pub(super) strays: usize,
    /// Is the job to be started again after its answer?
    pub(super) renew: bool,
    /// When the front ends at the latest, once it was told to. It ends earlier if every search has its answer.
    pub(super) leaving: Option<Instant>,
}

impl FrontSession {
    /// A session whose job is about to be started.
    pub(super) fn new(
        settings: &FrontSettings,
        core: EngineCore,
        output: Arc<Output>,
        events: SyncSender<FrontEvent>,
    ) -> FrontSession {
        let mut session = FrontSession {
            output,
            supervisor: JobSupervisor::new(settings.job.clone(), events.clone()),
            own: OwnSearch::new(core, events),
            replay: Replay::new(),
            pending: None,
            waiting: VecDeque::new(),
            introductions: VecDeque::new(),
            inquiries: VecDeque::new(),
            options: Vec::new(),
            announced: Vec::new(),
            strays: 0,
            renew: false,
            leaving: None,
        };
        if let Some(overhead) = settings.overhead {
            session.hear(Instant::now(), &format!("setoption name Move Overhead value {}", overhead.as_millis()));
        }
        session
    }

    /// Serves until it is time to end.
    pub(super) fn run(&mut self, mailbox: Receiver<FrontEvent>) {
        loop {
            self.act();
            if self.is_time_to_leave() {
                break;
            }
            let due = self.due();
            let event = match due {
                Some(due) => mailbox.recv_timeout(due.saturating_duration_since(Instant::now())),
                None => mailbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(event) => self.take(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        // Threads that still send something get an error and do not wait.
        drop(mailbox);
        self.own.engine.stop();
        self.supervisor.dismiss(FAREWELL);
    }

    fn take(&mut self, event: FrontEvent) {
        match event {
            FrontEvent::Heard(said, line) => self.hear(said, &line),
            FrontEvent::InputEnded => self.end_of_input(),
            FrontEvent::Leave => self.leave(),
            FrontEvent::Job { generation, line } if self.supervisor.is_current(generation) => self.hear_job(&line),
            FrontEvent::JobGone { generation } if self.supervisor.is_current(generation) => {
                let ending = self.supervisor.ending().map_or(String::new(), |status| format!(" ({status})"));
                self.fail(&format!("the job has ended{ending}"));
            }
            FrontEvent::Own { search, found } if self.own.is_current(search) => self.find(found),
            FrontEvent::OwnText(text) => self.output.say(&text),
            // Lines of a job that was killed, or of a search that is no longer wanted.
            FrontEvent::Job { .. } | FrontEvent::JobGone { .. } | FrontEvent::Own { .. } => {}
        }
    }

    /// When to wake up at the latest.
    fn due(&self) -> Option<Instant> {
        let pending = self.pending.as_ref();
        let moments = [
            self.supervisor.due(),
            self.introductions.front().copied(),
            self.inquiries.front().copied(),
            pending.and_then(|pending| pending.deadline),
            pending.and_then(|pending| pending.next_check),
            self.leaving,
        ];
        moments.into_iter().flatten().min()
    }

    /// Does what is due.
    fn act(&mut self) {
        let now = Instant::now();
        if self.pending.as_ref().is_some_and(|pending| pending.deadline.is_some_and(|deadline| deadline <= now)) {
            self.answer();
        }
        if self.pending.as_ref().is_some_and(|pending| pending.next_check.is_some_and(|due| due <= now)) {
            self.check_job();
        }
        if self.introductions.front().is_some_and(|&end| end <= now) {
            self.introduce_all(&introduction::options().collect::<Vec<_>>());
        }
        while self.inquiries.front().is_some_and(|&end| end <= now) {
            self.confirm();
        }
        if self.supervisor.due().is_some_and(|due| due <= now) {
            match self.supervisor.phase() {
                Phase::Down(_) => self.start_job(),
                Phase::Late(_) => self.fail("the job hangs"),
                _ => self.fail("the job does not come up"),
            }
        }
        self.do_what_waits();
    }

    /// Everything that can be done now of what waited for an answer. A search that can answer at once has its answer
    /// then, and what waits behind it follows.
    fn do_what_waits(&mut self) {
        while self.pending.is_none()
            && let Some(waiting) = self.waiting.pop_front()
        {
            match waiting {
                Waiting::Search(pending) => self.begin(*pending),
                Waiting::Command(command, line) => self.obey(Instant::now(), command, &line),
            }
        }
    }

    /// Has the front been told to end, and has every search its answer, or has no more time?
    fn is_time_to_leave(&self) -> bool {
        let idle = self.pending.is_none() && self.waiting.is_empty();
        self.leaving.is_some_and(|latest| idle || latest <= Instant::now())
    }

    fn start_job(&mut self) {
        (self.strays, self.renew) = (0, false);
        self.announced.clear();
        if let Err(error) = self.supervisor.start() {
            self.note(&error);
        }
    }

    /// Tells the user what happens to the job.
    pub(super) fn note(&self, text: &str) {
        self.output.say(&format!("info string cluster: {text}"));
    }

    /// The job has failed: another one is started, and the front searches in its place.
    pub(super) fn fail(&mut self, why: &str) {
        self.note(&format!("{why}; it is started again"));
        self.supervisor.give_up();
        while !self.inquiries.is_empty() {
            self.confirm();
        }
        self.search_in_its_place();
    }

    /// The own search becomes the main one, if there is a `go` without an answer; if it has ended, that is the answer.
    pub(super) fn search_in_its_place(&mut self) {
        self.search_alone();
        match &self.pending {
            Some(pending) if pending.done => self.answer(),
            Some(pending) if pending.stopped => self.own.engine.stop(),
            _ => {}
        }
    }

    /// The own search becomes the main one.
    fn search_alone(&mut self) {
        if let Some(pending) = &mut self.pending
            && pending.role == Role::Spare
        {
            let request = pending.own_request(Role::Main);
            self.own.start(request, Role::Main);
        }
    }

    /// Asks the job the pending question, if it is ready and there is time.
    pub(super) fn ask_job(&mut self) {
        if let (Phase::Ready, Some(pending)) = (self.supervisor.phase(), &mut self.pending)
            && pending.is_worth_asking()
        {
            let (position, question) = pending.question();
            self.supervisor.question(&position, &question);
        }
    }

    /// Does the job search?
    pub(super) fn is_job_searching(&self) -> bool {
        matches!(self.supervisor.phase(), Phase::Searching { .. })
    }

    fn find(&mut self, found: Found) {
        let alone = !self.is_job_searching();
        let Some(pending) = &mut self.pending else { return };
        let (Found::Line(own, _) | Found::Answer(own)) = &found;
        // A search that was stopped at once has nothing better than the move at hand.
        if own.best.is_some() {
            pending.own = *own;
        }
        match found {
            Found::Line(_, shown) => {
                if alone {
                    self.output.say(&shown);
                }
            }
            Found::Answer(_) => {
                pending.done = true;
                if alone || pending.suspect {
                    self.answer();
                }
            }
        }
    }

    /// Checks whether the job is alive. One that says nothing is asked; if it does not answer even that, the front begins
    /// to search in its place. If the job has said nothing when that search ends, the front answers.
    fn check_job(&mut self) {
        let at_question = self.supervisor.phase() == Phase::Searching { heard: true };
        let Some(pending) = &mut self.pending else { return };
        let sign = std::mem::replace(&mut pending.sign, LifeSign::None);
        pending.plan_check();
        match sign {
            LifeSign::Heard if at_question => {}
            LifeSign::None if at_question => {
                pending.sign = LifeSign::Asked;
                self.supervisor.ask(Ask::Probe);
            }
            _ => {
                pending.suspect = true;
                self.search_alone();
            }
        }
    }

    /// Gives the front's own answer. A job that still searches may become ready again.
    pub(super) fn answer(&mut self) {
        let Some(pending) = self.pending.take() else { return };
        if self.is_job_searching() {
            self.note("the job does not answer in time; the move is the front's own");
            self.supervisor.expect_late(Instant::now() + pending.patience_when_late());
        }
        let answer = Answer { best: pending.own.best, ponder: pending.own.ponder, ..Answer::default() };
        let position = pending.game().map_or_else(Position::default, |game| game.position.clone());
        self.finish(&best_move(&answer, &position, self.own.engine.options().notation()));
    }

    /// Gives the answer. A job that has lost a rank is then started again.
    pub(super) fn finish(&mut self, best_move: &str) {
        self.pending = None;
        self.own.engine.stop();
        self.output.say(best_move);
        if self.renew && self.supervisor.phase() == Phase::Ready {
            self.fail("the job has lost a rank");
        }
    }
}
