//! The latest moment for an answer, and a `go` repeated after some of its time was used.

use crate::TimeControl;
use crate::clock::hard_limit;
use std::time::Duration;

/// The job is given at most this much longer than it means to take.
const MOST_GRACE: Duration = Duration::from_millis(500);
/// Least time, whatever the clock says: enough to look one ply ahead.
const LEAST: Duration = Duration::from_millis(2);

/// How long the front may wait for an answer before it gives its own; none if for ever. The job itself stops at its hard
/// limit; the rest is for the way its answer takes, and always leaves something on the clock.
pub(super) fn latest(control: TimeControl, overhead: Duration) -> Option<Duration> {
    let hard = hard_limit(control, overhead)?;
    let latest = match control {
        TimeControl::Unlimited => return None,
        // Half of what the engine leaves for the way to the clock.
        TimeControl::PerMove(time) => hard + time.saturating_sub(hard) / 2,
        TimeControl::Game(clock) => {
            let usable = clock.remaining.saturating_sub(overhead);
            let grace = (usable.saturating_sub(hard) / 6).min(MOST_GRACE);
            // With less on the clock than the overhead the hard limit is too short to be kept.
            (hard + grace).max(clock.remaining.mul_f64(0.3).min(MOST_GRACE))
        }
    };
    Some(latest.max(LEAST))
}

/// The `go` command with `used` taken off the own clock, and without `ponder` once the expected move was played.
pub(super) fn resume(line: &str, side: usize, used: Duration, ponder: bool) -> String {
    let own_clock = ["wtime", "btime"][side & 1];
    let mut words = Vec::new();
    let mut is_time = false;
    for word in line.split_whitespace() {
        match word.parse::<u128>() {
            // At least 1: some engines take 0 for no clock at all.
            Ok(ms) if is_time => words.push(ms.saturating_sub(used.as_millis()).max(1).to_string()),
            _ if word == "ponder" && !ponder => {}
            _ => words.push(word.to_string()),
        }
        is_time = word == own_clock || word == "movetime";
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clock;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_deadline_lies_between_the_jobs_limit_and_the_end_of_the_clock() {
        for remaining in [0, 1, 10, 30, 100, 200, 1_000, 60_000, 3_600_000] {
            for increment in [0, 20, 10_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40)] {
                    let clock = Clock { remaining: ms(remaining), increment: ms(increment), moves_to_go };
                    let control = TimeControl::Game(clock);
                    let (hard, latest) = (hard_limit(control, ms(20)).unwrap(), latest(control, ms(20)).unwrap());
                    assert!(
                        hard <= latest && latest <= ms(remaining).mul_f64(0.95).max(LEAST),
                        "{clock:?}: {latest:?}"
                    );
                    assert!(remaining < 100 || latest >= hard + ms(2), "{clock:?}: {hard:?} {latest:?}");
                }
            }
        }
        for time in [1, 10, 100, 10_000] {
            let latest = latest(TimeControl::PerMove(ms(time)), ms(20)).unwrap();
            assert!(latest <= ms(time).max(LEAST) && latest >= ms(time).mul_f64(0.8), "{time}: {latest:?}");
        }
        assert_eq!(latest(TimeControl::Unlimited, ms(20)), None);
    }

    #[test]
    fn only_the_own_time_is_taken_off() {
        let go = "go ponder wtime 1000 btime 2000 winc 10 binc 10 movestogo 5";
        assert_eq!(resume(go, 0, ms(300), true), "go ponder wtime 700 btime 2000 winc 10 binc 10 movestogo 5");
        assert_eq!(resume(go, 1, ms(300), false), "go wtime 1000 btime 1700 winc 10 binc 10 movestogo 5");
        assert_eq!(resume("go movetime 100 depth 9", 0, ms(300), false), "go movetime 1 depth 9");
        assert_eq!(resume("go infinite", 0, ms(300), false), "go infinite");
    }
}
