//! A trace as the page reads it: rows of numbers and short texts.

use chess::{Move, Position, san};
use game::Game as _;
use search::{Fate, Kind, Occupation, Slice, SplitRecord, Steal, Trace, TracePart};
use serde::Serialize;

/// A slice of a processor's time: processor, beginning, end, index of the activity, split point or -1.
type SliceRow = (usize, u64, u64, usize, i64);
/// When a split point ended, or -1; what became of it; when it was cut off, or -1.
type EndRow = (i64, &'static str, i64);
/// A split point: beginning, owner, split point above or -1, ply, depth, kind, the move that leads there; and its end.
type SplitRow = (u64, usize, i64, usize, i32, &'static str, String, EndRow);

/// A part of a trace.
#[derive(Debug, Default, Serialize)]
pub(crate) struct TraceRows {
    pub(crate) slices: Vec<SliceRow>,
    /// The next split points; they are numbered in this order from 0.
    pub(crate) splits: Vec<SplitRow>,
    /// The ends of split points of earlier parts, by their number.
    pub(crate) ends: Vec<(usize, EndRow)>,
    /// Time, the processor that gave the work, the one that helps, split point.
    pub(crate) steals: Vec<(u64, usize, usize, usize)>,
}

/// The names of the activities, by their index.
pub(crate) fn activities() -> Vec<&'static str> {
    Occupation::ALL.map(Occupation::name).to_vec()
}

/// Makes rows of traces of one search. It remembers the positions of the split points, because the way to each begins at another.
pub(crate) struct RowWriter {
    root: Position,
    positions: Vec<Position>,
}

impl RowWriter {
    pub(crate) fn new(root: &Position) -> RowWriter {
        RowWriter { root: root.clone(), positions: Vec::new() }
    }

    /// All of a trace.
    pub(crate) fn whole(mut self, trace: &Trace<Move>) -> TraceRows {
        let slices = trace.processors.iter().enumerate();
        TraceRows {
            slices: slices
                .flat_map(|(processor, slices)| slices.iter().map(move |slice| row(processor, slice)))
                .collect(),
            splits: trace.splits.iter().map(|split| self.split(split)).collect(),
            ends: Vec::new(),
            steals: trace.steals.iter().map(steal).collect(),
        }
    }

    /// The next part of a trace that grows.
    pub(crate) fn part(&mut self, part: &TracePart<Move>) -> TraceRows {
        TraceRows {
            slices: part.slices.iter().map(|(processor, slice)| row(*processor, slice)).collect(),
            splits: part.splits.iter().map(|split| self.split(split)).collect(),
            ends: part.ended.iter().map(|(number, split)| (*number, end(split))).collect(),
            steals: part.steals.iter().map(steal).collect(),
        }
    }

    fn split(&mut self, split: &SplitRecord<Move>) -> SplitRow {
        // A split point stands in the log behind the one above it.
        let above = split.parent.and_then(|parent| self.positions.get(parent)).unwrap_or(&self.root);
        let (position, last) = follow(above, split);
        self.positions.push(position);
        let kind = match split.kind {
            Kind::Pv => "PV",
            Kind::Cut => "CUT",
            Kind::All => "ALL",
        };
        (split.start, split.processor, number(split.parent), split.ply, split.depth, kind, last, end(split))
    }
}

fn number(split: Option<usize>) -> i64 {
    split.map_or(-1, |split| split as i64)
}

fn row(processor: usize, slice: &Slice) -> SliceRow {
    let activity = Occupation::ALL.iter().position(|&known| known == slice.occupation).unwrap_or(0);
    (processor, slice.from, slice.to, activity, number(slice.split))
}

fn steal(steal: &Steal) -> (u64, usize, usize, usize) {
    (steal.time, steal.from, steal.to, steal.split)
}

fn end(split: &SplitRecord<Move>) -> EndRow {
    let fate = match split.fate {
        Fate::Kept => "done",
        Fate::Cut => "cut",
        Fate::Abandoned => "abandoned",
    };
    let end = if split.end == 0 { -1 } else { split.end as i64 };
    (end, fate, split.cut_at.map_or(-1, |time| time as i64))
}

/// The position of a split point, and the move that leads to it; empty at the root and after a pass.
fn follow(above: &Position, split: &SplitRecord<Move>) -> (Position, String) {
    let mut position = above.clone();
    let mut last = String::new();
    for mv in &split.line {
        (last, position) = match mv {
            Some(mv) => (san(&position, *mv), position.play(*mv)),
            None => (String::new(), position.pass().unwrap_or(position)),
        };
    }
    (position, last)
}
