//! A trace that is looked at while the search runs.

use crate::SplitRecord;
use crate::split_record::SplitLog;
use scheduler::{RecordReader, Recorder, Slice, Steal};
use std::sync::Arc;

/// A trace that grows. Looking at it takes its locks for a moment; the search goes on.
#[derive(Clone, Debug)]
pub struct LiveTrace<M> {
    recorder: Arc<Recorder>,
    log: Arc<SplitLog<M>>,
    reader: RecordReader,
    /// How many split points were read, and which of them had no end then.
    read: usize,
    open: Vec<usize>,
}

/// What was recorded between two looks.
#[derive(Clone, Debug)]
pub struct TracePart<M> {
    /// A processor and what it did; in order of time for each processor.
    pub slices: Vec<(usize, Slice)>,
    /// When processors began to help.
    pub steals: Vec<Steal>,
    /// The number of the first new split point.
    pub first_split: usize,
    /// The new split points. Those that are not over have the end 0.
    pub splits: Vec<SplitRecord<M>>,
    /// Split points of earlier parts that have ended since, by their number.
    pub ended: Vec<(usize, SplitRecord<M>)>,
}

impl<M: Clone> LiveTrace<M> {
    pub(crate) fn new(recorder: Arc<Recorder>, log: Arc<SplitLog<M>>) -> LiveTrace<M> {
        LiveTrace { recorder, log, reader: RecordReader::default(), read: 0, open: Vec::new() }
    }

    /// What is new since the last look. What a processor is doing now comes with a later part; when the search is over, the last look
    /// gets all that is left.
    pub fn look(&mut self, is_over: bool) -> TracePart<M> {
        // Slices and steals first: they name split points that are in the log already.
        let (slices, steals) = self.reader.read(&self.recorder, is_over);
        let records = self.log.records.lock();
        let (first_split, splits) = (self.read, records[self.read..].to_vec());
        let (ended, open) = self.open.iter().partition::<Vec<usize>, _>(|&&number| records[number].end > 0);
        let ended = ended.into_iter().map(|number| (number, records[number].clone())).collect();
        self.open = open;
        self.open.extend((first_split..records.len()).filter(|&number| records[number].end == 0));
        self.read = records.len();
        TracePart { slices, steals, first_split, splits, ended }
    }
}
