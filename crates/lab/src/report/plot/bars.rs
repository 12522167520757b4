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
    series: Vec<BarSeries>,
    stacked: bool,
}

/// A value for each name.
#[derive(Clone, Debug)]
struct BarSeries {
    name: String,
    values: Vec<f64>,
    /// From low to high around each value; empty if there are none.
    intervals: Vec<(f64, f64)>,
}

/// The least width of a bar in pixels where there are many, and the width beyond which a chart does not grow.
const LEAST_BAR: f64 = 7.0;
const WIDEST: f64 = 900.0;

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
        self.series.push(BarSeries { name: name.into(), values, intervals: Vec::new() });
        self
    }

    /// Draws an interval from low to high around each value of the series that was added last.
    #[must_use]
    pub fn intervals(mut self, intervals: Vec<(f64, f64)>) -> Bars {
        if let Some(series) = self.series.last_mut() {
            series.intervals = intervals;
        }
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
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        let bars = if self.stacked { 1 } else { self.series.len().max(1) };
        let wanted = LEAST_BAR / 0.8 * (bars * self.names.len()) as f64;
        let mut frame = Frame::of_width(&names, 280.0, wanted.min(WIDEST));
        let at = |index: usize| self.series.iter().map(move |series| series.values.get(index).copied().unwrap_or(0.0));
        let heights = (0..self.names.len())
            .flat_map(|index| if self.stacked { vec![at(index).sum()] } else { at(index).collect() });
        let ends = self.series.iter().flat_map(|series| &series.intervals).flat_map(|&(low, high)| [low, high]);
        frame.vertical(&self.axis, heights.chain(ends).collect::<Vec<f64>>().into_iter());
        frame.below(&self.label);
        for (index, series) in self.series.iter().enumerate() {
            frame.legend(&series.name, colour(index), false);
        }
        let every = frame.labels_apart(&self.names);
        for (index, name) in self.names.iter().enumerate() {
            let (middle, width) = frame.part(index, self.names.len());
            if index.is_multiple_of(every) {
                frame.svg.text((middle, frame.bottom() + 18.0), Anchor::Middle, "", name);
            }
            let room = (0.8 * width).min(90.0);
            let bar = room / bars as f64;
            let mut below = 0.0;
            for (which, value) in at(index).enumerate() {
                let left = middle - room / 2.0 + if self.stacked { 0.0 } else { bar * which as f64 };
                let base = if self.stacked { below } else { 0.0 };
                let (_, top) = frame.place((1.0, base + value));
                let (_, bottom) = frame.place((1.0, base));
                below += value;
                let style = format!("fill=\"{}\" fill-opacity=\"0.85\"", colour(which));
                let tip = self.series[which].tip(name, index, value);
                frame.svg.rectangle((left, top.min(bottom)), (bar, (bottom - top).abs()), &style, &tip);
                if let Some(&interval) = self.series[which].intervals.get(index) {
                    whisker(&mut frame, left + bar / 2.0, interval);
                }
            }
        }
        Picture { title: self.title.clone(), svg: frame.svg.finish(), note: self.note.clone(), ..Picture::default() }
    }
}

impl BarSeries {
    /// What a bar stands for, in words.
    fn tip(&self, group: &str, index: usize, value: f64) -> String {
        let names: Vec<&str> = [group, &self.name].into_iter().filter(|name| !name.is_empty()).collect();
        let interval = self.intervals.get(index);
        let interval = interval.map(|&(low, high)| format!(" ({} to {})", significant(low), significant(high)));
        format!("{}: {}{}", names.join(", "), significant(value), interval.unwrap_or_default())
    }
}

/// A vertical line from low to high with short lines at its ends.
fn whisker(frame: &mut Frame, x: f64, (low, high): (f64, f64)) {
    const STYLE: &str = "stroke=\"currentColor\" stroke-opacity=\"0.75\" pointer-events=\"none\"";
    let ((_, top), (_, bottom)) = (frame.place((1.0, high)), frame.place((1.0, low)));
    frame.svg.line((x, top), (x, bottom), STYLE);
    for y in [top, bottom] {
        frame.svg.line((x - 3.0, y), (x + 3.0, y), STYLE);
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

    #[test]
    fn intervals_are_drawn_and_told_and_labels_do_not_overlap() {
        let names: Vec<String> = (0..100).map(|index| format!("position {index}")).collect();
        let bars =
            Bars::new("t", "", names, Axis::log10("s")).with("a", vec![2.0; 100]).intervals(vec![(1.0, 30.0); 100]);
        let svg = bars.picture().svg;
        assert!(svg.contains("<title>position 99, a: 2.00 (1.00 to 30.0)</title>"), "{svg}");
        assert!(svg.matches(">position ").count() < 20 + 100, "100 in tips, few at the axis");
        assert!(svg.contains(">100</text>"), "the axis has room for the intervals");
        let unnamed = Bars::new("t", "", vec!["one".into()], Axis::linear("s")).with("", vec![2.0]).picture().svg;
        assert!(unnamed.contains("<title>one: 2.00</title>"), "{unnamed}");
    }
}
