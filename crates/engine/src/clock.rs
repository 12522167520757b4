//! Time: how much of it a move may take.
//!
//! Two limits: the *hard* one cuts a search off wherever it is; the *soft* one is looked at after each iteration, and
//! stretched or shortened by how settled the best move seems: how often it stayed the same, how much of the tree lies
//! below it, and whether its score is falling.

use crate::Signals;
use game::Score;
use std::time::{Duration, Instant};

/// The clock of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves until more time is added; none if the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// How long a search may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeControl {
    /// As long as other limits allow.
    #[default]
    Unlimited,
    /// Exactly this long.
    PerMove(Duration),
    /// As long as is wise with this clock.
    Game(Clock),
}

/// Soft and hard limit of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Budget {
    soft: Duration,
    hard: Duration,
}

/// Moves that a game is expected to last, where the user interface does not say.
const HORIZON: f64 = 24.0;
/// Least time for a move, in seconds, whatever the clock says.
const LEAST: f64 = 0.001;

impl Budget {
    /// The limits for one move. `overhead` is lost between engine and clock on every move.
    fn new(control: TimeControl, overhead: Duration) -> Option<Budget> {
        match control {
            TimeControl::Unlimited => None,
            TimeControl::PerMove(time) => {
                let time = time.saturating_sub(overhead.min(time / 4)).max(Duration::from_secs_f64(LEAST));
                Some(Budget { soft: Duration::MAX, hard: time })
            }
            TimeControl::Game(clock) => Some(Budget::for_game(clock, overhead.as_secs_f64())),
        }
    }

    fn for_game(clock: Clock, overhead: f64) -> Budget {
        let remaining = clock.remaining.as_secs_f64();
        let usable = (remaining - overhead).max(remaining * 0.1);
        let moves = clock.moves_to_go.map_or(HORIZON, |moves| f64::from(moves.max(1)).min(HORIZON * 1.5));
        let increment = clock.increment.as_secs_f64();
        let share = usable / moves + increment * 0.75;
        // The last move before more time is added may use nearly everything; the others must leave enough for a machine
        // that stops for some tens of milliseconds now and then.
        let most = if clock.moves_to_go == Some(1) { 0.85 } else { 0.25 };
        let hard = (share * 4.0).min(usable * most);
        let soft = (share * 0.7).min(hard);
        let seconds = |time: f64| Duration::from_secs_f64(time.clamp(LEAST, 1e9));
        Budget { soft: seconds(soft), hard: seconds(hard) }
    }
}

/// When a search under this control is cut off, counted from its start; none if never.
pub(crate) fn hard_limit(control: TimeControl, overhead: Duration) -> Option<Duration> {
    Budget::new(control, overhead).map(|budget| budget.hard)
}

/// Watches the clock and the signals for one search.
pub(crate) struct Timer<'a> {
    signals: &'a Signals,
    budget: Option<Budget>,
    started: Instant,
    best_move: Option<u16>,
    unchanged: usize,
    scores: Vec<Score>,
}

/// Factors of the thinking time, by the number of iterations for which the best move has been the same.
const STABILITY: [f64; 6] = [1.9, 1.5, 1.2, 1.0, 0.9, 0.8];

impl<'a> Timer<'a> {
    pub(crate) fn new(signals: &'a Signals, control: TimeControl, overhead: Duration) -> Timer<'a> {
        let budget = Budget::new(control, overhead);
        let started = signals.running_since().unwrap_or_else(Instant::now);
        Timer { signals, budget, started, best_move: None, unchanged: 0, scores: Vec::new() }
    }

    /// Time since the search began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// After a finished iteration: should the search stop here? `share` is the share of the nodes below the best move.
    pub(crate) fn is_enough(&mut self, best_move: u16, score: Score, share: f64) -> bool {
        self.unchanged = if self.best_move == Some(best_move) { self.unchanged + 1 } else { 0 };
        self.best_move = Some(best_move);
        self.scores.push(score);
        let Some(budget) = self.budget else { return false };
        // While pondering nothing is enough; afterwards the time before counts too: it is depth already gained.
        if self.signals.running_since().is_none() || budget.soft == Duration::MAX {
            return false;
        }
        let stability = STABILITY[self.unchanged.min(STABILITY.len() - 1)];
        let concentration = (1.65 - share).clamp(0.6, 1.5);
        let before = self.scores.len().checked_sub(4).map_or(score, |index| self.scores[index]);
        let falling = 1.0 + f64::from((before - score).clamp(0, 60)) / 100.0;
        let soft = budget.soft.as_secs_f64() * stability * concentration * falling;
        self.elapsed().as_secs_f64() >= soft.min(budget.hard.as_secs_f64())
    }

    /// Must the search stop now?
    pub(crate) fn expired(&self) -> bool {
        if self.signals.is_stopped() {
            return true;
        }
        let Some(budget) = self.budget else { return false };
        self.signals.running_since().is_some_and(|since| since.elapsed() >= budget.hard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(remaining_ms: u64, increment_ms: u64, moves_to_go: Option<u32>, overhead_ms: u64) -> Budget {
        let clock = Clock {
            remaining: Duration::from_millis(remaining_ms),
            increment: Duration::from_millis(increment_ms),
            moves_to_go,
        };
        Budget::new(TimeControl::Game(clock), Duration::from_millis(overhead_ms)).unwrap()
    }

    #[test]
    fn no_clock_can_be_overdrawn() {
        for remaining in [0, 1, 5, 50, 500, 5_000, 600_000, u64::MAX / 4] {
            for increment in [0, 5, 1_000, 600_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let budget = budget(remaining, increment, moves, 20);
                    assert!(budget.soft <= budget.hard);
                    let most = Duration::from_millis(remaining).mul_f64(0.86).max(Duration::from_secs_f64(LEAST));
                    assert!(budget.hard <= most, "{remaining} {increment} {moves:?}: {budget:?}");
                }
            }
        }
    }

    #[test]
    fn a_fixed_time_is_used_up_but_not_overdrawn() {
        let control = TimeControl::PerMove(Duration::from_millis(1000));
        let budget = Budget::new(control, Duration::from_millis(20)).unwrap();
        assert!(budget.hard >= Duration::from_millis(950) && budget.hard <= Duration::from_millis(1000));
    }
}
