//! The loop of the front: what happened, what is due, and everything that is remembered between.

use super::keeper::{Ask, Keeper, Phase};
use super::memory::Memory;
use super::thinker::{Found, Manner, Thinker};
use super::turn::{Sign, Turn};
use super::{Event, Settings};
use crate::EngineCore;
use crate::uci::command::Command;
use crate::uci::log::Output;
use crate::uci::setup::{self, Setup};
use chess::Notation;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

/// A job that is asked to leave has this long.
const FAREWELL: Duration = Duration::from_millis(500);

/// Something that waits until the search under way has its answer.
pub(super) enum Waiting {
    /// A search.
    Search(Box<Turn>),
    /// Another command that a search must not be disturbed by, and the line it came in.
    Command(Command, String),
}

/// Everything the front remembers.
pub(super) struct Session {
    pub(super) output: Arc<Output>,
    pub(super) keeper: Keeper,
    pub(super) thinker: Thinker,
    pub(super) memory: Memory,
    pub(super) setup: Setup,
    pub(super) notation: Notation,
    pub(super) overhead: Duration,
    /// The `go` that has no answer yet.
    pub(super) turn: Option<Turn>,
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

impl Session {
    /// A session whose job is about to be started.
    pub(super) fn new(
        settings: &Settings,
        engine: EngineCore,
        output: Arc<Output>,
        events: SyncSender<Event>,
    ) -> Session {
        let mut session = Session {
            output,
            keeper: Keeper::new(settings.job.clone(), events.clone()),
            overhead: engine.options().overhead,
            thinker: Thinker::new(engine, events),
            memory: Memory::new(),
            setup: Setup::default(),
            notation: Notation::Standard,
            turn: None,
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

    /// Serves until it is time to leave.
    pub(super) fn run(&mut self, mailbox: &Receiver<Event>) {
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
        self.thinker.stop();
        self.keeper.dismiss(FAREWELL);
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Heard(said, line) => self.hear(said, &line),
            Event::InputEnded => self.end_of_input(),
            Event::Leave => self.leave(),
            Event::Job { generation, line } if self.keeper.is_current(generation) => self.hear_job(&line),
            Event::JobGone { generation } if self.keeper.is_current(generation) => {
                let ending = self.keeper.ending().map_or(String::new(), |status| format!(" ({status})"));
                self.fail(&format!("the job has ended{ending}"));
            }
            Event::Own { search, found } if self.thinker.is_current(search) => self.find(found),
            // The words of a job that was killed, or of a search that is no longer wanted.
            Event::Job { .. } | Event::JobGone { .. } | Event::Own { .. } => {}
        }
    }

    /// When to wake up at the latest.
    fn due(&self) -> Option<Instant> {
        let turn = self.turn.as_ref();
        let moments = [
            self.keeper.due(),
            self.introductions.front().copied(),
            self.inquiries.front().copied(),
            turn.and_then(|turn| turn.deadline),
            turn.and_then(|turn| turn.doubt),
            self.leaving,
        ];
        moments.into_iter().flatten().min()
    }

    /// Does what is due.
    fn act(&mut self) {
        let now = Instant::now();
        if self.turn.as_ref().is_some_and(|turn| turn.deadline.is_some_and(|deadline| deadline <= now)) {
            self.answer();
        }
        if self.turn.as_ref().is_some_and(|turn| turn.doubt.is_some_and(|doubt| doubt <= now)) {
            self.look_after_job();
        }
        if self.introductions.front().is_some_and(|&end| end <= now) {
            self.introduce_all(&setup::options().collect::<Vec<_>>());
        }
        while self.inquiries.front().is_some_and(|&end| end <= now) {
            self.confirm();
        }
        if self.keeper.due().is_some_and(|due| due <= now) {
            match self.keeper.phase() {
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
        while self.turn.is_none()
            && let Some(waiting) = self.waiting.pop_front()
        {
            match waiting {
                Waiting::Search(turn) => self.begin(*turn),
                Waiting::Command(command, line) => self.obey(Instant::now(), command, &line),
            }
        }
    }

    /// Has the front been told to end, and has every search its answer, or has no more time?
    fn is_time_to_leave(&self) -> bool {
        let idle = self.turn.is_none() && self.waiting.is_empty();
        self.leaving.is_some_and(|latest| idle || latest <= Instant::now())
    }

    fn start_job(&mut self) {
        (self.strays, self.renew) = (0, false);
        self.announced.clear();
        if let Err(error) = self.keeper.start() {
            self.note(&error);
        }
    }

    /// Tells people what is going on.
    pub(super) fn note(&self, text: &str) {
        self.output.say(&format!("info string cluster: {text}"));
    }

    /// The job is of no use any more: another one is started, and the front thinks in its place.
    pub(super) fn fail(&mut self, why: &str) {
        self.note(&format!("{why}; it is started again"));
        self.keeper.give_up();
        while !self.inquiries.is_empty() {
            self.confirm();
        }
        self.think_in_its_place();
    }

    /// The own search does the whole work, if there is any to do; if it is done, that is the answer.
    pub(super) fn think_in_its_place(&mut self) {
        self.think();
        match &self.turn {
            Some(turn) if turn.done => self.answer(),
            Some(turn) if turn.stopped => self.thinker.stop(),
            _ => {}
        }
    }

    /// The own search does the whole work from now on.
    fn think(&mut self) {
        if let Some(turn) = &mut self.turn
            && turn.manner == Manner::Polite
        {
            let (request, signals) = turn.request(Manner::Full);
            self.thinker.start(request, signals, Manner::Full);
        }
    }

    /// Puts the question to the job, if it is ready and there is time.
    pub(super) fn engage(&mut self) {
        if let (Phase::Ready, Some(turn)) = (self.keeper.phase(), &mut self.turn)
            && turn.is_worth_asking()
        {
            let question = turn.question();
            self.keeper.question(&turn.position, &question);
        }
    }

    /// Does the job think about the question?
    pub(super) fn is_job_thinking(&self) -> bool {
        matches!(self.keeper.phase(), Phase::Thinking { .. })
    }

    fn find(&mut self, found: Found) {
        let alone = !self.is_job_thinking();
        let Some(turn) = &mut self.turn else { return };
        let (Found::Line(hand, _) | Found::Answer(hand)) = &found;
        // A search that was stopped at once has nothing better than what we have.
        if hand.best.is_some() {
            turn.hand = *hand;
        }
        match found {
            Found::Line(_, shown) => {
                if alone {
                    self.output.say(&shown);
                }
            }
            Found::Answer(_) => {
                turn.done = true;
                if alone || turn.suspect {
                    self.answer();
                }
            }
        }
    }

    /// Is the job alive? One that says nothing is asked; if it does not answer even that, the front begins to think in its
    /// place. If the job has not said a word when that is done, nobody waits for it.
    fn look_after_job(&mut self) {
        let at_question = self.keeper.phase() == Phase::Thinking { heard: true };
        let Some(turn) = &mut self.turn else { return };
        let sign = std::mem::replace(&mut turn.sign, Sign::None);
        turn.plan_doubt();
        match sign {
            Sign::Heard if at_question => {}
            Sign::None if at_question => {
                turn.sign = Sign::Asked;
                self.keeper.ask(Ask::Probe);
            }
            _ => {
                turn.suspect = true;
                self.think();
            }
        }
    }

    /// The front's own answer. A job that thinks about the question may still find back to us.
    pub(super) fn answer(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        if self.is_job_thinking() {
            self.note("the job does not answer in time; the move is the front's own");
            self.keeper.expect_late(Instant::now() + turn.patience_when_late());
        }
        let answer = crate::Answer { best: turn.hand.best, ponder: turn.hand.ponder, ..crate::Answer::default() };
        self.finish(&crate::uci::format::best_move(&answer, &turn.setup.position, self.notation));
    }

    /// The answer is given. A job without all its ranks is put to rest.
    pub(super) fn finish(&mut self, best_move: &str) {
        self.turn = None;
        self.thinker.stop();
        self.output.say(best_move);
        if self.renew && self.keeper.phase() == Phase::Ready {
            self.fail("the job has lost a rank");
        }
    }
}
