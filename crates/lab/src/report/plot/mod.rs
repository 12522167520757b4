//! Plots: lines, points, steps and areas over two axes; bars over names.

mod bars;
mod boxes;
mod data;
mod frame;
mod scale;
mod svg;

use super::short;
pub use bars::Bars;
pub use boxes::Boxes;
use data::{SeriesData, number};
pub use frame::Axis;
use frame::Frame;
pub use scale::Scale;
pub use svg::{Anchor, Svg, colour};

/// A picture with its title and note.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The text above it.
    pub title: String,
    /// The picture itself.
    pub svg: String,
    /// The text below it.
    pub note: String,
    /// What the script of the page knows of it, as JSON; empty if it has only texts to show.
    pub data: String,
}

/// Makes the pictures of a page interactive: it shows values, zooms, and switches series on and off.
pub(super) const SCRIPT: &str = include_str!("interactive.js");

/// How what the script adds looks.
pub(super) const STYLE: &str = include_str!("interactive.css");

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Line,
    Reference,
    Beside,
    Points,
    Steps,
    Area,
    Course,
}

/// A series of points.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    intervals: Vec<(f64, f64)>,
    mark: Mark,
}

impl Series {
    fn new(name: impl Into<String>, points: Vec<(f64, f64)>, mark: Mark) -> Series {
        Series { name: name.into(), points, intervals: Vec::new(), mark }
    }

    /// Dots joined by a line.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series::new(name, points, Mark::Line)
    }

    /// A dashed grey line to compare with.
    pub fn reference(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series::new(name, points, Mark::Reference)
    }

    /// A dashed line in the colour of the series before it.
    pub fn beside(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series::new(name, points, Mark::Beside)
    }

    /// Dots alone.
    pub fn points(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series::new(name, points, Mark::Points)
    }

    /// Each value holds until the next point.
    pub fn steps(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series::new(name, points, Mark::Steps)
    }

    /// As steps, filled down to the axis.
    pub fn area(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series::new(name, points, Mark::Area)
    }

    /// A line without dots, for many points; its intervals are a band around it.
    pub fn course(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series::new(name, points, Mark::Course)
    }

    /// With an interval from low to high around each point.
    #[must_use]
    pub fn intervals(mut self, intervals: Vec<(f64, f64)>) -> Series {
        self.intervals = intervals;
        self
    }

    /// What the script of the page knows of it.
    fn data<'a>(&'a self, colour: &'a str) -> SeriesData<'a> {
        let mark = match self.mark {
            Mark::Line => "line",
            Mark::Reference => "reference",
            Mark::Beside => "beside",
            Mark::Points => "points",
            Mark::Steps => "steps",
            Mark::Area => "area",
            Mark::Course => "course",
        };
        SeriesData {
            name: &self.name,
            colour,
            mark,
            x: self.points.iter().map(|&(x, _)| number(x)).collect(),
            y: self.points.iter().map(|&(_, y)| number(y)).collect(),
            low: self.intervals.iter().map(|&(low, _)| number(low)).collect(),
            high: self.intervals.iter().map(|&(_, high)| number(high)).collect(),
        }
    }
}

/// A plot over two axes.
#[derive(Clone, Debug)]
pub struct Plot {
    title: String,
    note: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
}

impl Plot {
    /// An empty plot.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Plot {
        Plot { title: title.into(), note: String::new(), x, y, series: Vec::new() }
    }

    /// Adds a series.
    #[must_use]
    pub fn with(mut self, series: Series) -> Plot {
        self.series.push(series);
        self
    }

    /// Adds several series.
    #[must_use]
    pub fn with_all(mut self, series: impl IntoIterator<Item = Series>) -> Plot {
        self.series.extend(series);
        self
    }

    /// Sets the text below it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Plot {
        self.note = note.into();
        self
    }

    /// The plot as a picture.
    pub fn picture(&self) -> Picture {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let ends = self.series.iter().flat_map(|series| &series.intervals).flat_map(|&(low, high)| [low, high]);
        let ys: Vec<f64> = points().map(|&(_, y)| y).chain(ends).collect();
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        let mut frame = Frame::new(&names, 280.0);
        frame.axes(&self.x, points().map(|&(x, _)| x), &self.y, ys.into_iter());
        let (mut index, mut data) = (0, Vec::new());
        for (place, series) in self.series.iter().enumerate() {
            let colour = match series.mark {
                Mark::Reference => "#8a94a0",
                Mark::Beside => colour(usize::saturating_sub(index, 1)),
                _ => colour(index),
            };
            let is_dashed = matches!(series.mark, Mark::Reference | Mark::Beside);
            index += usize::from(!is_dashed);
            frame.legend(&series.name, colour, is_dashed);
            frame.svg.group(&format!("data-series=\"{place}\""));
            draw(&mut frame, series, colour);
            frame.svg.end_group();
            data.push(series.data(colour));
        }
        let data = frame.data(&self.x, &self.y, data).json();
        Picture { title: self.title.clone(), svg: frame.svg.finish(), note: self.note.clone(), data }
    }
}

fn draw(frame: &mut Frame, series: &Series, colour: &str) {
    let stroke = format!("stroke=\"{colour}\" stroke-width=\"2\" stroke-linejoin=\"round\"");
    let places: Vec<_> = series.points.iter().map(|&point| frame.place(point)).collect();
    let intervals = if series.mark == Mark::Course { &[] } else { series.intervals.as_slice() };
    for (&(low, high), &(x, _)) in intervals.iter().zip(&series.points) {
        let (top, bottom) = (frame.place((x, high)), frame.place((x, low)));
        frame.svg.line(top, bottom, &format!("stroke=\"{colour}\" stroke-width=\"1.2\" opacity=\"0.7\""));
        for (x, y) in [top, bottom] {
            frame.svg.line((x - 4.0, y), (x + 4.0, y), &format!("stroke=\"{colour}\" stroke-width=\"1.2\""));
        }
    }
    match series.mark {
        Mark::Line => frame.svg.polyline(&places, &stroke),
        Mark::Reference | Mark::Beside => frame.svg.polyline(&places, &format!("{stroke} stroke-dasharray=\"6 4\"")),
        Mark::Points => {}
        Mark::Course => {
            if !series.intervals.is_empty() {
                frame.svg.polygon(&band(frame, series), &format!("fill=\"{colour}\" fill-opacity=\"0.2\""));
            }
            frame.svg.polyline(&places, &stroke);
        }
        Mark::Steps => frame.svg.polyline(&stairs(&places), &stroke),
        Mark::Area => {
            let mut shape = stairs(&places);
            if let (Some(first), Some(last)) = (shape.first().copied(), shape.last().copied()) {
                shape.push((last.0, frame.bottom()));
                shape.push((first.0, frame.bottom()));
            }
            frame.svg.polygon(&shape, &format!("fill=\"{colour}\" fill-opacity=\"0.55\""));
        }
    }
    if matches!(series.mark, Mark::Line | Mark::Points) {
        let style = format!("fill=\"{colour}\" fill-opacity=\"0.85\"");
        for (&place, &(x, y)) in places.iter().zip(&series.points) {
            let tip = format!("{}: {}, {}", series.name, short(x), super::significant(y));
            frame.svg.dot(place, 3.2, &style, &tip);
        }
    }
}

/// The corners of the band of intervals: along their high ends, and back along their low ends.
fn band(frame: &Frame, series: &Series) -> Vec<(f64, f64)> {
    let ends = || series.points.iter().zip(&series.intervals);
    let highs = ends().map(|(&(x, _), &(_, high))| frame.place((x, high)));
    highs.chain(ends().rev().map(|(&(x, _), &(low, _))| frame.place((x, low)))).collect()
}

/// The corners of a staircase: each height holds until the next point.
fn stairs(places: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners = Vec::with_capacity(2 * places.len());
    for (index, &(x, y)) in places.iter().enumerate() {
        if index > 0 {
            corners.push((x, places[index - 1].1));
        }
        corners.push((x, y));
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_series_is_drawn() {
        let points = vec![(1.0, 1.0), (2.0, 1.9), (4.0, 3.5)];
        let plot = Plot::new("t", Axis::log2("processors"), Axis::linear("speedup"))
            .with(Series::line("a", points.clone()).intervals(vec![(0.9, 1.1), (1.8, 2.0), (3.0, 4.0)]))
            .with(Series::reference("b", points.clone()))
            .with(Series::beside("a, published", points.clone()))
            .with(Series::points("c", points.clone()))
            .with(Series::steps("d", points.clone()))
            .with(Series::area("e", points.clone()))
            .with(Series::course("f", points).intervals(vec![(0.5, 1.5); 3]));
        let Picture { svg, data, .. } = plot.picture();
        assert_eq!(svg.matches("<circle").count(), 6, "two series have dots");
        assert_eq!(svg.matches("<polyline").count(), 1 + 5, "the axes and five series");
        assert_eq!(svg.matches("<polygon").count(), 2);
        assert!(svg.contains(">processors</text>") && svg.contains(">speedup</text>"));
        assert!(!svg.contains("NaN"), "{svg}");
        assert_eq!(svg.matches("data-series=").count(), 7);
        let data: serde_json::Value = serde_json::from_str(&data).unwrap();
        assert_eq!(
            (&data["x"]["base"], &data["y"]["base"], &data["x"]["label"]),
            (&2.into(), &0.into(), &"processors".into())
        );
        let series = &data["series"][0];
        assert_eq!((&series["y"][1], &series["low"][1], &series["mark"]), (&1.9.into(), &1.8.into(), &"line".into()));
        assert_eq!(data["series"][2]["colour"], series["colour"], "what stands beside a series has its colour");
    }

    #[test]
    fn the_data_ends_no_script() {
        let plot =
            Plot::new("t", Axis::linear("x"), Axis::linear("y")).with(Series::line("</script>", vec![(1.0, 2.0)]));
        let data = plot.picture().data;
        assert!(!data.contains('<'), "{data}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&data).unwrap()["series"][0]["name"], "</script>");
    }
}
