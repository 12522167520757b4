//! A bar on the terminal that shows how far a long command has come.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// A bar of so many steps on standard error; nothing is drawn where that is no terminal. Print beside it inside
/// [`ProgressBar::suspend`].
pub(crate) fn bar(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len}, {elapsed} gone, {eta} to go {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
