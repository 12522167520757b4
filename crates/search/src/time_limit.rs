//! A limit in time: the one watch that most programs need.

use crate::Watch;
use std::time::{Duration, Instant};

/// A watch that ends a search when its time is over, counted from when the limit was made.
///
/// The search itself knows no clock; it asks its watch every thousand nodes or so.
///
/// ```
/// use game::connect_four::ConnectFour;
/// use jamboree_search::{Limits, Plain, Searcher, TimeLimit};
/// use std::ops::ControlFlow;
/// use std::time::Duration;
///
/// let mut searcher = Searcher::new(Plain::default());
/// let watch = TimeLimit::new(Duration::from_millis(20));
/// let mut listener = |report: jamboree_search::Report<'_, _>| {
///     println!("depth {}: {:?}", report.depth, report.line);
///     ControlFlow::Continue(())
/// };
/// let outcome = searcher.run_watched(&ConnectFour::new(), &[], &Limits::default(), &watch, &mut listener);
/// assert!(outcome.best_move().is_some());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit {
    /// None where the time is too long for a clock.
    end: Option<Instant>,
}

impl TimeLimit {
    /// A limit that is reached after this time.
    pub fn new(time: Duration) -> TimeLimit {
        TimeLimit { end: Instant::now().checked_add(time) }
    }
}

impl<M> Watch<M> for TimeLimit {
    fn expired(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Machine, Plain, Searcher, Threads};
    use game::connect_four::ConnectFour;

    #[test]
    fn a_search_ends_in_time_with_a_move_on_every_machine() {
        for machine in [Machine::Alone, Machine::Threads(Threads::new(2))] {
            let mut searcher = Searcher::new(Plain::default());
            searcher.machine = machine;
            let begun = Instant::now();
            let outcome = searcher.run_for(&ConnectFour::new(), &[], Duration::from_millis(50));
            assert!(outcome.best_move().is_some() && outcome.depth < Limits::<()>::default().depth);
            assert!(begun.elapsed() < Duration::from_secs(20), "the machine may be busy, but not that busy");
        }
    }

    #[test]
    fn no_time_at_all_still_gives_a_move_and_a_very_long_time_is_no_limit() {
        let mut searcher = Searcher::new(Plain::default());
        assert!(searcher.run_for(&ConnectFour::new(), &[], Duration::ZERO).best_move().is_some());
        assert!(!Watch::<()>::expired(&TimeLimit::new(Duration::MAX)));
    }
}
