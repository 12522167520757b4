//! One `go`: who thinks about it, until when, and what is in hand.

use super::deadline::{latest, resume};
use super::thinker::{Hand, Manner, SHORT};
use crate::uci::command::Go;
use crate::uci::setup::Setup;
use crate::{GoLimits, SearchRequest, Signals, TimeControl};
use chess::Move;
use game::Game;
use std::time::{Duration, Instant};

/// A job is asked the same question no more often than this.
const ATTEMPTS: u32 = 2;
/// After `stop` there must be an answer within this time.
const AFTER_STOP: Duration = Duration::from_secs(1);

/// A job that did not answer in time has between this and that long until it is taken to hang.
const LATE: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(1)];

/// A sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// The job has said nothing.
    None,
    /// It has said nothing, and was asked to.
    Asked,
    /// It has said something.
    Heard,
}

/// A `go` that has no answer yet.
pub(super) struct Turn {
    pub(super) setup: Setup,
    /// The `position` command that set it up.
    pub(super) position: String,
    go: Go,
    line: String,
    limits: GoLimits,
    /// Since when the own clock runs, or would run.
    started: Instant,
    pondering: bool,
    pub(super) stopped: bool,
    overhead: Duration,
    /// How long an answer may take at most, if there is a limit.
    window: Option<Duration>,
    /// The latest moment for the answer, if there is one.
    pub(super) deadline: Option<Instant>,
    /// The best answer we have ourselves.
    pub(super) hand: Hand,
    /// How we search ourselves.
    pub(super) manner: Manner,
    /// Has our own full search ended?
    pub(super) done: bool,
    attempts: u32,
    /// When to look next whether the job is alive.
    pub(super) doubt: Option<Instant>,
    /// What the job has shown of itself since we looked last.
    pub(super) sign: Sign,
    /// Was the job asked for a sign of life, and has given none yet?
    pub(super) suspect: bool,
}

impl Turn {
    /// A `go` that was said then.
    pub(super) fn new(
        setup: &Setup,
        position: &str,
        go: Go,
        line: &str,
        limits: GoLimits,
        said: Instant,
        overhead: Duration,
    ) -> Turn {
        let mut turn = Turn {
            setup: setup.clone(),
            position: position.to_string(),
            pondering: go.ponder,
            go,
            line: line.to_string(),
            started: said,
            stopped: false,
            overhead,
            window: None,
            deadline: None,
            hand: Hand { best: any_move(setup, &limits), ponder: None },
            limits,
            manner: Manner::Polite,
            done: false,
            attempts: 0,
            doubt: None,
            sign: Sign::None,
            suspect: false,
        };
        turn.set_deadline();
        turn
    }

    fn set_deadline(&mut self) {
        if !self.pondering && !self.go.infinite {
            self.window = latest(self.limits.time, self.overhead);
            self.deadline = self.window.map(|window| self.started + window);
        }
    }

    /// The expected move was played: the clock runs since then.
    pub(super) fn ponder_hit(&mut self, said: Instant) {
        if std::mem::take(&mut self.pondering) {
            self.started = said;
            self.set_deadline();
            self.plan_doubt();
        }
    }

    /// Does the search end only when it is told to?
    pub(super) fn is_endless(&self) -> bool {
        self.pondering || self.go.is_endless()
    }

    /// The answer is wanted now; `patience` is less where even that is much.
    pub(super) fn stop(&mut self, patience: Option<Duration>) {
        self.stopped = true;
        let end = Instant::now() + patience.unwrap_or(AFTER_STOP);
        self.deadline = Some(self.deadline.map_or(end, |deadline| deadline.min(end)));
    }

    /// Is there enough time to ask the job (again)?
    pub(super) fn is_worth_asking(&self) -> bool {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let enough = match (left, self.window) {
            (Some(left), Some(window)) => left >= window.mul_f64(0.4),
            _ => true,
        };
        enough && !self.stopped && self.attempts < ATTEMPTS
    }

    /// The question as it is to be put to the job now.
    pub(super) fn question(&mut self) -> String {
        self.attempts += 1;
        self.sign = Sign::None;
        self.plan_doubt();
        let used = self.used();
        // Where nothing was lost the job gets the user interface's own words.
        if self.attempts == 1 && used < Duration::from_millis(2) && self.pondering == self.go.ponder {
            return self.line.clone();
        }
        resume(&self.line, self.setup.side(), used, self.pondering)
    }

    /// What the own clock has lost.
    fn used(&self) -> Duration {
        if self.pondering { Duration::ZERO } else { self.started.elapsed() }
    }

    /// How long a job may be late until it is taken to hang.
    pub(super) fn patience_when_late(&self) -> Duration {
        self.window.map_or(LATE[1], |window| (window * 2).clamp(LATE[0], LATE[1]))
    }

    /// When to look next whether the job is alive: only where time is short and we do not think in its place anyway.
    pub(super) fn plan_doubt(&mut self) {
        let window = self.window.filter(|_| self.manner == Manner::Polite);
        let pause = window.map(|window| (window / 6).max(Duration::from_millis(10)));
        self.doubt = pause.map(|pause| Instant::now() + pause);
    }

    /// A short look at the position, or the whole search in the job's place.
    pub(super) fn request(&mut self, manner: Manner) -> (SearchRequest, Signals) {
        self.manner = manner;
        self.done = false;
        if manner == Manner::Full {
            self.doubt = None;
        }
        let mut limits = self.limits.clone();
        if manner == Manner::Polite {
            limits = GoLimits { nodes: Some(SHORT), only: limits.only, ..GoLimits::default() };
        }
        let used = self.used();
        match &mut limits.time {
            TimeControl::Game(clock) => clock.remaining = clock.remaining.saturating_sub(used),
            TimeControl::PerMove(time) => *time = time.saturating_sub(used),
            TimeControl::Unlimited => {}
        }
        let ponders = self.pondering && manner == Manner::Full;
        let signals = if ponders { Signals::pondering() } else { Signals::new() };
        (SearchRequest { position: self.setup.position.clone(), history: self.setup.history.clone(), limits }, signals)
    }
}

/// Any move will do until a better one is found.
fn any_move(setup: &Setup, limits: &GoLimits) -> Option<Move> {
    let mut moves = Vec::new();
    setup.position.moves(&mut moves);
    limits.only.first().or(moves.first()).copied()
}
