//! Kaufman's estimate of a rating from the time to solve 25 positions, as the StarTech paper uses it.
//!
//! Kuszmaul, "The StarTech massively parallel chess program", ICCA Journal 18(1), 1995, section 3, equation 1: the USCF
//! rating is about `2930 - 200 log10 t20`, where `t20` is the sum, in seconds, of the 20 shortest of the 25 times.

use crate::engine_settings::{EngineSettings, SettingsError};
use crate::solve::{Attempt, Problem, attempt};
use crate::suite::Builtin;
use engine::{GoLimits, TimeControl};
use serde::Serialize;
use std::time::Duration;

/// How to rate.
#[derive(Clone)]
pub struct RateSettings {
    /// The time limit for a position. A position that is not solved counts as this time.
    pub max_time: Duration,
    /// The engine that searches.
    pub engine: EngineSettings,
}

/// Positions whose times count.
pub const COUNTED: usize = 20;
/// The least time of a solution, in seconds: the clock is not more precise.
pub const LEAST_TIME: f64 = 0.001;
/// A search ends early if its move has been right for this many times its solution time,
const PATIENCE: u32 = 10;
/// and for at least this long.
const LEAST_PATIENCE: Duration = Duration::from_secs(2);

/// The result for one position.
#[derive(Clone, Debug, Serialize)]
pub struct RateRow {
    /// The search.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// The time that counts for the rating, in seconds.
    pub counted_time: f64,
}

/// The rating and the results it is computed from.
#[derive(Clone, Debug, Serialize)]
pub struct Rating {
    /// Position by position.
    pub positions: Vec<RateRow>,
    /// How many were solved.
    pub solved: usize,
    /// The sum of the 20 shortest times, in seconds.
    pub t20: f64,
    /// The sum of all times, in seconds.
    pub t25: f64,
    /// Kaufman's estimate.
    pub estimate: f64,
}

/// Kaufman's estimate from the sum of the 20 shortest times, in seconds.
pub fn estimate(t20: f64) -> f64 {
    2930.0 - 200.0 * t20.log10()
}

impl Rating {
    fn new(positions: Vec<RateRow>) -> Rating {
        let mut times: Vec<f64> = positions.iter().map(|row| row.counted_time).collect();
        times.sort_by(f64::total_cmp);
        let t20 = times.iter().take(COUNTED).sum();
        let solved = positions.iter().filter(|row| row.attempt.solved).count();
        Rating { positions, solved, t20, t25: times.iter().sum(), estimate: estimate(t20) }
    }

    /// Does the sum include a position that was not solved? Then the estimate is too high.
    pub fn is_flattered(&self) -> bool {
        self.solved < COUNTED
    }

    /// How many solutions took less than the least time.
    pub fn too_quick(&self) -> usize {
        let quick = |row: &&RateRow| row.attempt.solution_time.is_some_and(|time| time < LEAST_TIME);
        self.positions.iter().filter(quick).count()
    }
}

/// The 25 positions.
pub fn problems() -> Vec<Problem> {
    Problem::all(&Builtin::Kaufman.suite().records).0
}

/// Searches the positions and reports each row as it is finished.
///
/// # Errors
/// If the engine can't be made, for example for lack of memory.
pub fn run(
    settings: &RateSettings,
    problems: &[Problem],
    each: &mut dyn FnMut(&RateRow),
) -> Result<Rating, SettingsError> {
    let mut engine = settings.engine.engine()?;
    let limits = GoLimits { time: TimeControl::PerMove(settings.max_time), ..GoLimits::default() };
    let mut rows = Vec::new();
    for problem in problems {
        let attempt = attempt(&mut engine, problem, &limits, &is_enough);
        let unsolved = settings.max_time.as_secs_f64();
        let counted_time = attempt.solution_time.map_or(unsolved, |time| time.max(LEAST_TIME));
        let row = RateRow { attempt, counted_time };
        each(&row);
        rows.push(row);
    }
    Ok(Rating::new(rows))
}

/// Has the move been right long enough to end the search?
fn is_enough(since: Duration, now: Duration) -> bool {
    now.saturating_sub(since) >= (since * PATIENCE).max(LEAST_PATIENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimates_of_the_paper_are_ours() {
        // Figure 5 of the StarTech paper: time for the top 20, and the estimate.
        for (t20, rating) in [(8936.95, 2139.0), (1240.72, 2311.0), (573.19, 2378.0), (319.38, 2429.0)] {
            assert!((estimate(t20) - rating).abs() <= 1.0, "{t20}: {}", estimate(t20));
        }
    }

    #[test]
    fn there_are_25_problems() {
        let problems = problems();
        assert_eq!(problems.len(), 25);
        let avoiding: Vec<_> = problems.iter().filter(|problem| problem.expected().starts_with("not ")).collect();
        assert_eq!(avoiding.len(), 2);
    }

    #[test]
    fn patience_grows_with_the_time_of_solution() {
        let ms = Duration::from_millis;
        assert!(!is_enough(ms(0), ms(1999)));
        assert!(is_enough(ms(0), ms(2000)));
        assert!(!is_enough(ms(1000), ms(10_999)));
        assert!(is_enough(ms(1000), ms(11_000)));
    }

    #[test]
    fn the_five_slowest_do_not_count() {
        let settings = RateSettings { max_time: Duration::from_millis(2), engine: EngineSettings::with_hash(1) };
        let rating = run(&settings, &problems(), &mut |_| {}).expect("memory");
        let mut times: Vec<f64> = rating.positions.iter().map(|row| row.counted_time).collect();
        assert!(times.iter().all(|&time| time >= LEAST_TIME));
        times.sort_by(f64::total_cmp);
        assert!((rating.t25 - rating.t20 - times[20..].iter().sum::<f64>()).abs() < 1e-9);
        assert!((rating.estimate - estimate(rating.t20)).abs() < 1e-9);
    }
}
