//! The frame of a plot: two axes with ticks and labels, and a legend.

use super::data::{AxisData, PlotData, SeriesData};
use super::scale::{Range, Scale};
use super::svg::{Anchor, Svg};
use crate::report::short;

const LEFT: f64 = 62.0;
const TOP: f64 = 14.0;
const BELOW: f64 = 52.0;
const WIDTH: f64 = 390.0;
/// The approximate width of a letter.
const LETTER: f64 = 6.8;

/// An axis: what it shows, in which unit, and how.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// The label, with the unit.
    pub label: String,
    /// The scale.
    pub scale: Scale,
}

impl Axis {
    /// An even axis from zero.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Linear }
    }

    /// An even axis around the values.
    pub fn narrow(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Narrow }
    }

    /// An axis of doublings, as for processors.
    pub fn log2(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Log2 }
    }

    /// An axis of factors of ten.
    pub fn log10(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Log10 }
    }
}

/// A plot in the making.
pub(super) struct Frame {
    pub(super) svg: Svg,
    width: f64,
    height: f64,
    x: Range,
    y: Range,
    legends: usize,
}

impl Frame {
    /// A frame with room for a legend of these names.
    pub(super) fn new(names: &[&str], height: f64) -> Frame {
        Frame::of_width(names, height, WIDTH)
    }

    /// A frame that is at least so wide between the axes.
    pub(super) fn of_width(names: &[&str], height: f64, width: f64) -> Frame {
        let width = width.max(WIDTH);
        let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
        let legend = if widest > 0.0 { 44.0 + LETTER * widest } else { 16.0 };
        let height = height.max(22.0 * names.len() as f64);
        let range = Range::new(Scale::Linear, std::iter::empty());
        let svg = Svg::new(LEFT + width + legend, TOP + height + BELOW);
        Frame { svg, width, height, x: range.clone(), y: range, legends: 0 }
    }

    /// Two axes of numbers, wide enough for the values.
    pub(super) fn axes(&mut self, x: &Axis, xs: impl Iterator<Item = f64>, y: &Axis, ys: impl Iterator<Item = f64>) {
        self.x = Range::new(x.scale, xs);
        self.vertical(y, ys);
        self.svg.group("data-axis=\"x\"");
        for tick in self.x.ticks() {
            let (place, _) = self.place((tick, 0.0));
            self.svg.line((place, TOP), (place, self.bottom()), "stroke=\"currentColor\" stroke-opacity=\"0.08\"");
            self.svg.text((place, self.bottom() + 18.0), Anchor::Middle, "", &short(tick));
        }
        self.svg.end_group();
        self.below(&x.label);
    }

    /// Only the axis at the left.
    pub(super) fn vertical(&mut self, y: &Axis, ys: impl Iterator<Item = f64>) {
        self.y = Range::new(y.scale, ys);
        self.svg.group("data-axis=\"y\"");
        for tick in self.y.ticks() {
            let (_, place) = self.place((1.0, tick));
            self.svg.line((LEFT, place), (LEFT + self.width, place), "stroke=\"currentColor\" stroke-opacity=\"0.12\"");
            self.svg.text((LEFT - 8.0, place + 4.0), Anchor::End, "", &short(tick));
        }
        self.svg.end_group();
        let bottom = self.bottom();
        self.svg.polyline(
            &[(LEFT, TOP), (LEFT, bottom), (LEFT + self.width, bottom)],
            "stroke=\"currentColor\" stroke-opacity=\"0.7\"",
        );
        let middle = TOP + self.height / 2.0;
        let turned = format!("transform=\"rotate(-90 16 {middle:.1})\"");
        self.svg.text((16.0, middle), Anchor::Middle, &turned, &y.label);
    }

    /// The label of the axis at the bottom.
    pub(super) fn below(&mut self, label: &str) {
        self.svg.text((LEFT + self.width / 2.0, self.bottom() + 42.0), Anchor::Middle, "", label);
    }

    /// Adds a line to the legend.
    pub(super) fn legend(&mut self, name: &str, colour: &str, is_dashed: bool) {
        if name.is_empty() {
            return;
        }
        let (x, y) = (LEFT + self.width + 16.0, TOP + 10.0 + 22.0 * self.legends as f64);
        let dash = if is_dashed { "stroke-dasharray=\"5 3\"" } else { "" };
        self.svg.group("class=\"key\"");
        self.svg.line((x, y), (x + 16.0, y), &format!("stroke=\"{colour}\" stroke-width=\"4\" {dash}"));
        self.svg.text((x + 22.0, y + 4.0), Anchor::Start, "", name);
        self.svg.end_group();
        self.legends += 1;
    }

    /// Where a point lies in the picture.
    pub(super) fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (LEFT + self.width * self.x.place(x), self.bottom() - self.height * self.y.place(y))
    }

    /// What the script of the page knows of the plot.
    pub(super) fn data<'a>(&self, x: &'a Axis, y: &'a Axis, series: Vec<SeriesData<'a>>) -> PlotData<'a> {
        let end = |axis: &'a Axis, range: &Range| AxisData {
            label: &axis.label,
            base: range.base(),
            low: range.low,
            high: range.high,
        };
        let (x, y) = (end(x, &self.x), end(y, &self.y));
        PlotData { area: [LEFT, TOP, self.width, self.height], x, y, series }
    }

    /// The middle of the n-th of `count` equal parts of the bottom, and the width of a part.
    pub(super) fn part(&self, index: usize, count: usize) -> (f64, f64) {
        let width = self.width / count.max(1) as f64;
        (LEFT + width * (index as f64 + 0.5), width)
    }

    /// Every how many-th of these labels has room below its part of the bottom.
    pub(super) fn labels_apart(&self, labels: &[String]) -> usize {
        let widest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0) as f64;
        let (_, part) = self.part(0, labels.len());
        ((LETTER * widest + 6.0) / part).ceil().max(1.0) as usize
    }

    /// The height of the bottom axis.
    pub(super) fn bottom(&self) -> f64 {
        TOP + self.height
    }
}
