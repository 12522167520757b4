//! One `go` without an answer: its question, its deadline, and the move at hand.

use super::deadline::{latest, resume};
use super::event::OwnMove;
use super::own_search::{OwnRequest, Role, SHORT};
use crate::uci::command::Go;
use crate::{GameRecord, GoLimits, Signals, TimeControl};
use chess::Move;
use game::Game;
use std::time::{Duration, Instant};

/// A job is asked the same question at most this often.
const ATTEMPTS: u32 = 2;
/// After `stop` there must be an answer within this time.
const AFTER_STOP: Duration = Duration::from_secs(1);
/// Shortest and longest time that a job may be late before it counts as hanging.
const LATE: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(1)];

/// What the job has shown of itself since the last check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LifeSign {
    /// Nothing.
    None,
    /// Nothing, though it was asked.
    Asked,
    /// It has said something.
    Heard,
}

/// What was asked: position, limits and the words of the user interface.
struct Asked {
    game: Option<GameRecord>,
    position_line: String,
    go: Go,
    go_line: String,
    limits: GoLimits,
    overhead: Duration,
}

/// A `go` that has no answer yet.
pub(super) struct PendingGo {
    asked: Asked,
    /// Since when the own clock runs, or would run.
    started: Instant,
    pondering: bool,
    pub(super) stopped: bool,
    /// The longest time an answer may take, if there is a limit.
    window: Option<Duration>,
    /// The latest moment for the answer, if there is one.
    pub(super) deadline: Option<Instant>,
    /// The best answer of the front's own.
    pub(super) own: OwnMove,
    /// What the front's own search is for.
    pub(super) role: Role,
    /// Has the front's own main search ended?
    pub(super) done: bool,
    attempts: u32,
    /// When to check next whether the job is alive.
    pub(super) next_check: Option<Instant>,
    pub(super) sign: LifeSign,
    /// Was the job asked for a sign of life, and has given none yet?
    pub(super) suspect: bool,
}

impl PendingGo {
    /// A `go` that was heard then. `position_line` is the command that set the position up.
    pub(super) fn new(
        game: Option<&GameRecord>,
        position_line: &str,
        (go, go_line): (Go, &str),
        limits: GoLimits,
        heard: Instant,
        overhead: Duration,
    ) -> PendingGo {
        let own = OwnMove { best: game.and_then(|game| any_move(game, &limits)), ponder: None };
        let pondering = go.ponder;
        let (position_line, go_line) = (position_line.to_string(), go_line.to_string());
        let mut pending = PendingGo {
            asked: Asked { game: game.cloned(), position_line, go, go_line, limits, overhead },
            started: heard,
            pondering,
            stopped: false,
            window: None,
            deadline: None,
            own,
            role: Role::Spare,
            done: false,
            attempts: 0,
            next_check: None,
            sign: LifeSign::None,
            suspect: false,
        };
        pending.set_deadline();
        pending
    }

    /// The position; none where the last one was refused.
    pub(super) fn game(&self) -> Option<&GameRecord> {
        self.asked.game.as_ref()
    }

    fn set_deadline(&mut self) {
        if !self.pondering && !self.asked.go.infinite {
            self.window = latest(self.asked.limits.time, self.asked.overhead);
            self.deadline = self.window.map(|window| self.started + window);
        }
    }

    /// The expected move was played: the clock runs since then.
    pub(super) fn ponder_hit(&mut self, heard: Instant) {
        if std::mem::take(&mut self.pondering) {
            self.started = heard;
            self.set_deadline();
            self.plan_check();
        }
    }

    /// Does the search end only when it is told to?
    pub(super) fn is_endless(&self) -> bool {
        self.pondering || self.asked.limits.is_endless()
    }

    /// The answer is wanted now, at the latest after `patience` if that is less than usual.
    pub(super) fn stop(&mut self, patience: Option<Duration>) {
        self.stopped = true;
        let end = Instant::now() + patience.unwrap_or(AFTER_STOP);
        self.deadline = Some(self.deadline.map_or(end, |deadline| deadline.min(end)));
    }

    /// Is there a position, and enough time, to ask the job (again)?
    pub(super) fn is_worth_asking(&self) -> bool {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let enough = match (left, self.window) {
            (Some(left), Some(window)) => left >= window.mul_f64(0.4),
            _ => true,
        };
        enough && !self.stopped && self.attempts < ATTEMPTS && self.asked.game.is_some()
    }

    /// The position and the question as they are to be put to the job now.
    pub(super) fn question(&mut self) -> (String, String) {
        self.attempts += 1;
        self.sign = LifeSign::None;
        self.plan_check();
        let used = self.used();
        let Asked { game, position_line, go, go_line, .. } = &self.asked;
        // Where no time was lost the job gets the user interface's own words.
        let same = self.attempts == 1 && used < Duration::from_millis(2) && self.pondering == go.ponder;
        let side = game.as_ref().map_or(0, GameRecord::side);
        let question = if same { go_line.clone() } else { resume(go_line, side, used, self.pondering) };
        (position_line.clone(), question)
    }

    /// The time that the own clock has lost.
    fn used(&self) -> Duration {
        if self.pondering { Duration::ZERO } else { self.started.elapsed() }
    }

    /// How long a job may be late before it counts as hanging.
    pub(super) fn patience_when_late(&self) -> Duration {
        self.window.map_or(LATE[1], |window| (window * 2).clamp(LATE[0], LATE[1]))
    }

    /// Plans the next check whether the job is alive: only where time is short and the own search is not the main one.
    pub(super) fn plan_check(&mut self) {
        let window = self.window.filter(|_| self.role == Role::Spare);
        let pause = window.map(|window| (window / 6).max(Duration::from_millis(10)));
        self.next_check = pause.map(|pause| Instant::now() + pause);
    }

    /// What the own search has to do in this role.
    pub(super) fn own_request(&mut self, role: Role) -> OwnRequest {
        self.role = role;
        self.done = false;
        if role == Role::Main {
            self.next_check = None;
        }
        let mut limits = self.asked.limits.clone();
        if role == Role::Spare {
            limits = GoLimits { nodes: Some(SHORT), only: limits.only, ..GoLimits::default() };
        }
        let used = self.used();
        match &mut limits.time {
            TimeControl::Game(clock) => clock.remaining = clock.remaining.saturating_sub(used),
            TimeControl::PerMove(time) => *time = time.saturating_sub(used),
            TimeControl::Unlimited => {}
        }
        let ponders = self.pondering && role == Role::Main;
        let signals = if ponders { Signals::pondering() } else { Signals::new() };
        OwnRequest { game: self.asked.game.clone(), limits, signals }
    }
}

/// Any move will do until a better one is found.
fn any_move(game: &GameRecord, limits: &GoLimits) -> Option<Move> {
    let mut moves = Vec::new();
    game.position.moves(&mut moves);
    limits.only.first().or(moves.first()).copied()
}
