//! The progress of long commands.

use indicatif::{ProgressBar, ProgressStyle};
use jamboree_io::note;
use parking_lot::Mutex;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// A bar of `steps` steps on standard error; nothing is drawn if that is not a terminal. To print while it is shown,
/// use [`ProgressBar::suspend`].
pub(crate) fn bar(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len}, {elapsed} gone, {eta} to go {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

/// Time between two lines where there is no terminal to draw a bar on.
const LINE_INTERVAL: Duration = Duration::from_secs(15);

/// Shows the progress of a long command, its speed and the time left: a bar on a terminal, a line now and then
/// elsewhere.
pub(crate) struct Meter {
    what: &'static str,
    before: u64,
    total: u64,
    started: Instant,
    last_line: Mutex<Instant>,
    bar: Option<ProgressBar>,
}

impl Meter {
    /// A meter for `total` items, of which `before` were done earlier.
    pub(crate) fn new(what: &'static str, before: u64, total: u64) -> Meter {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        let now = Instant::now();
        Meter { what, before, total, started: now, last_line: Mutex::new(now), bar }
    }

    /// Shows that `done` items are done now.
    pub(crate) fn show(&self, done: u64, message: &str) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(self.line(done, message));
            return;
        }
        let mut last = self.last_line.lock();
        if last.elapsed() > LINE_INTERVAL {
            *last = Instant::now();
            note!("{}", self.line(done, message));
        }
    }

    fn line(&self, done: u64, message: &str) -> String {
        let made = done.saturating_sub(self.before);
        let rate = made as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let left = self.total.saturating_sub(done) as f64 / rate;
        let left = if made == 0 { "?".to_owned() } else { clock(left) };
        let (what, total) = (self.what, self.total);
        format!("{done} of {total} {what}, {rate:.2} a second, {left} left, {message}")
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Hours, minutes and seconds.
pub(crate) fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_counts_only_what_was_made_now() {
        let meter = Meter { started: Instant::now() - Duration::from_secs(10), ..Meter::new("games", 100, 200) };
        assert!(meter.line(100, "x").starts_with("100 of 200 games, 0.00 a second, ? left, x"));
        let line = meter.line(150, "x");
        assert!(line.starts_with("150 of 200 games, ") && line.contains(" 0:00:10 left"), "{line}");
        assert_eq!(clock(3725.4), "1:02:05");
    }
}
