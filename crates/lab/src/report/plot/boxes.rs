//! Many small plots beside each other, each on a scale of its own: how one quantity changes in each of many cases.

use super::svg::{Anchor, Svg, colour};
use super::{Picture, short};
use crate::report::significant;

const COLUMNS: usize = 5;
const WIDTH: f64 = 150.0;
const HEIGHT: f64 = 84.0;
const GAP: f64 = 16.0;
/// Room for the name and the range above a box.
const HEAD: f64 = 18.0;

/// Small plots over the same doublings.
#[derive(Clone, Debug)]
pub struct Boxes {
    title: String,
    note: String,
    boxes: Vec<(String, Vec<(f64, f64)>)>,
}

impl Boxes {
    /// No boxes yet.
    pub fn new(title: impl Into<String>) -> Boxes {
        Boxes { title: title.into(), note: String::new(), boxes: Vec::new() }
    }

    /// One more box: dots at doublings of the smallest `x`, from zero to the largest `y`.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, points: Vec<(f64, f64)>) -> Boxes {
        self.boxes.push((name.into(), points));
        self
    }

    /// What stands below.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Boxes {
        self.note = note.into();
        self
    }

    /// The boxes as one picture.
    pub fn picture(&self) -> Picture {
        let rows = self.boxes.len().div_ceil(COLUMNS);
        let columns = self.boxes.len().min(COLUMNS);
        let mut svg = Svg::new((WIDTH + GAP) * columns as f64, (HEAD + HEIGHT + GAP) * rows as f64 + 14.0);
        for (index, (name, points)) in self.boxes.iter().enumerate() {
            let corner =
                ((index % COLUMNS) as f64 * (WIDTH + GAP), (index / COLUMNS) as f64 * (HEAD + HEIGHT + GAP) + HEAD);
            draw(&mut svg, corner, name, points);
        }
        Picture { title: self.title.clone(), svg: svg.finish(), note: self.note.clone(), ..Picture::default() }
    }
}

fn draw(svg: &mut Svg, (left, top): (f64, f64), name: &str, points: &[(f64, f64)]) {
    let ends = |of: fn(&(f64, f64)) -> f64| {
        points.iter().map(of).fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
    };
    let ((first, last), (low, high)) = (ends(|point| point.0), ends(|point| point.1));
    let frame = "fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.4\"";
    let range =
        if points.is_empty() { String::new() } else { format!("{} to {}", significant(low), significant(high)) };
    svg.rectangle((left, top), (WIDTH, HEIGHT), frame, &format!("{name}: {range}"));
    svg.text((left, top - 5.0), Anchor::Start, "font-weight=\"600\" font-size=\"11\"", name);
    svg.text((left + WIDTH, top - 5.0), Anchor::End, "font-size=\"11\"", &range);
    let doublings = (last / first).log2().max(1.0);
    let style = format!("fill=\"{}\" fill-opacity=\"0.85\"", colour(0));
    for &(x, y) in points {
        let place = (
            left + 8.0 + (WIDTH - 16.0) * (x / first).log2() / doublings,
            top + HEIGHT - 6.0 - (HEIGHT - 12.0) * y / high.max(1e-12),
        );
        svg.dot(place, 2.6, &style, &format!("{name} on {}: {}", short(x), significant(y)));
    }
    if !points.is_empty() {
        svg.text((left + 2.0, top + HEIGHT + 11.0), Anchor::Start, "font-size=\"10\"", &short(first));
        svg.text((left + WIDTH, top + HEIGHT + 11.0), Anchor::End, "font-size=\"10\"", &short(last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_in_its_box() {
        let boxes = (0..7).fold(Boxes::new("t"), |boxes, _| boxes.with("a", vec![(1.0, 2.0), (8.0, 4.0)]));
        let svg = boxes.with("empty", Vec::new()).picture().svg;
        assert_eq!((svg.matches("<rect").count(), svg.matches("<circle").count()), (8, 14));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
