//! Plots: lines, points, steps and areas over two axes; bars over names.

mod bars;
mod boxes;
mod frame;
mod scale;
mod svg;

use super::short;
pub use bars::Bars;
pub use boxes::Boxes;
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
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Line,
    Reference,
    Beside,
    Points,
    Steps,
    Area,
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

    /// With an interval from low to high around each point.
    #[must_use]
    pub fn intervals(mut self, intervals: Vec<(f64, f64)>) -> Series {
        self.intervals = intervals;
        self
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
        let mut index = 0;
        for series in &self.series {
            let colour = match series.mark {
                Mark::Reference => "#8a94a0",
                Mark::Beside => colour(usize::saturating_sub(index, 1)),
                _ => colour(index),
            };
            let is_dashed = matches!(series.mark, Mark::Reference | Mark::Beside);
            index += usize::from(!is_dashed);
            frame.legend(&series.name, colour, is_dashed);
            draw(&mut frame, series, colour);
        }
        Picture { title: self.title.clone(), svg: frame.svg.finish(), note: self.note.clone() }
    }
}

fn draw(frame: &mut Frame, series: &Series, colour: &str) {
    let stroke = format!("stroke=\"{colour}\" stroke-width=\"2\" stroke-linejoin=\"round\"");
    let places: Vec<_> = series.points.iter().map(|&point| frame.place(point)).collect();
    for (&(low, high), &(x, _)) in series.intervals.iter().zip(&series.points) {
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
            .with(Series::area("e", points));
        let svg = plot.picture().svg;
        assert_eq!(svg.matches("<circle").count(), 6, "two series have dots");
        assert_eq!(svg.matches("<polyline").count(), 1 + 4, "the axes and four series");
        assert_eq!(svg.matches("<polygon").count(), 1);
        assert!(svg.contains(">processors</text>") && svg.contains(">speedup</text>"));
        assert!(!svg.contains("NaN"), "{svg}");
    }
}
