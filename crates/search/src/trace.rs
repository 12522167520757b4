//! The trace of a search: what each processor did when, at which split points, if that was wanted.

use crate::SplitRecord;
use scheduler::{Recording, Slice, Steal};

/// What a time is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Ticks of a virtual machine.
    Ticks,
    /// Nanoseconds.
    Nanoseconds,
}

/// What each processor did when, at which split points. All times count from the beginning of the search. A number of a split
/// point is its place in [`Trace::splits`]. A virtual strand does a whole node at once, so that another processor may help at a
/// split point some ticks before its beginning.
#[derive(Clone, Debug)]
pub struct Trace<M> {
    /// What times are measured in.
    pub unit: TimeUnit,
    /// How long the search took.
    pub time: u64,
    /// Processor by processor what it did, in order of time. Slices do not overlap, and if the trace is whole their sums are
    /// the times of the processor's account. (On a virtual machine a strand may be a node's time ahead when the search ends.)
    pub processors: Vec<Vec<Slice>>,
    /// The split points, in the order they were made.
    pub splits: Vec<SplitRecord<M>>,
    /// When processors began to help, in order of time.
    pub steals: Vec<Steal>,
    /// Was the limit reached? Then nothing after that is here, and split points that were open then have no end.
    pub truncated: bool,
}

impl<M> Trace<M> {
    pub(crate) fn new(unit: TimeUnit, time: u64, recording: Recording, splits: Vec<SplitRecord<M>>) -> Trace<M> {
        let Recording { processors, steals, truncated } = recording;
        Trace { unit, time, processors, splits, steals, truncated }
    }

    /// When split points were cut off by a move: the time and the number of the split point, in the order they were made.
    pub fn cuts(&self) -> impl Iterator<Item = (u64, usize)> {
        self.splits.iter().enumerate().filter_map(|(number, split)| Some((split.cut_at?, number)))
    }
}
