//! Bar charts, side by side or stacked.

use super::frame::Frame;
use super::svg::{Anchor, colour};
use super::{Axis, Picture};
use crate::report::significant;

/// A bar chart: one group of bars for each name, one bar in it for each series.
#[derive(Clone, Debug)]
pub struct Bars {
    title: String,
    note: String,
    label: String,
    axis: Axis,
    names: Vec<String>,
    series: Vec<(String, Vec<f64>)>,
    stacked: bool,
}

impl Bars {
    /// Bars of different series side by side. `label` says what the names are.
    pub fn new(title: impl Into<String>, label: impl Into<String>, names: Vec<String>, axis: Axis) -> Bars {
        let (title, label) = (title.into(), label.into());
        Bars { title, note: String::new(), label, axis, names, series: Vec::new(), stacked: false }
    }

    /// Stacks the bars of different series.
    #[must_use]
    pub fn stacked(mut self) -> Bars {
        self.stacked = true;
        self
    }

    /// Adds a series, with a value for each name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, values: Vec<f64>) -> Bars {
        self.series.push((name.into(), values));
        self
    }

    /// Sets the text below it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Bars {
        self.note = note.into();
        self
    }

    /// The bars as a picture.
    pub fn picture(&self) -> Picture {
        let names: Vec<&str> = self.series.iter().map(|(name, _)| name.as_str()).collect();
        let mut frame = Frame::new(&names, 280.0);
        let at = |index: usize| self.series.iter().map(move |(_, values)| values.get(index).copied().unwrap_or(0.0));
        let heights = (0..self.names.len())
            .flat_map(|index| if self.stacked { vec![at(index).sum()] } else { at(index).collect() });
        frame.vertical(&self.axis, heights.collect::<Vec<f64>>().into_iter());
        frame.below(&self.label);
        for (index, (name, _)) in self.series.iter().enumerate() {
            frame.legend(name, colour(index), false);
        }
        for (index, name) in self.names.iter().enumerate() {
            let (middle, width) = frame.part(index, self.names.len());
            frame.svg.text((middle, frame.bottom() + 18.0), Anchor::Middle, "", name);
            let room = (0.8 * width).min(90.0);
            let bars = if self.stacked { 1 } else { self.series.len().max(1) };
            let bar = room / bars as f64;
            let mut below = 0.0;
            for (which, value) in at(index).enumerate() {
                let left = middle - room / 2.0 + if self.stacked { 0.0 } else { bar * which as f64 };
                let base = if self.stacked { below } else { 0.0 };
                let (_, top) = frame.place((1.0, base + value));
                let (_, bottom) = frame.place((1.0, base));
                below += value;
                let tip = format!("{name}, {}: {}", self.series[which].0, significant(value));
                let style = format!("fill=\"{}\" fill-opacity=\"0.85\"", colour(which));
                frame.svg.rectangle((left, top.min(bottom)), (bar, (bottom - top).abs()), &style, &tip);
            }
        }
        Picture { title: self.title.clone(), svg: frame.svg.finish(), note: self.note.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bar_for_each_value() {
        let bars = Bars::new("t", "machine", vec!["a".into(), "b".into()], Axis::linear("%"));
        let bars = bars.with("x", vec![1.0, 2.0]).with("y", vec![3.0, 4.0]);
        assert_eq!(bars.picture().svg.matches("<rect").count(), 4);
        let svg = bars.stacked().picture().svg;
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(svg.contains(">6</text>"), "the tallest stack is 6");
    }
}
