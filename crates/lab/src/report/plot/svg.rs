//! A small writer of SVG.

use crate::report::html::escape;
use std::fmt::Write;

/// Colours that colour-blind readers can distinguish too (Okabe and Ito), readable on white and on black.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a6a00", "#56b4e9", "#808080", "#e69f00"];

/// The colour of the n-th series.
pub fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

/// The alignment of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins here.
    Start,
    /// Its middle is here.
    Middle,
    /// It ends here.
    End,
}

/// A picture that is being drawn.
#[derive(Clone, Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    /// An empty picture of this size in pixels.
    pub fn new(width: f64, height: f64) -> Svg {
        Svg { width, height, body: String::new() }
    }

    /// Begins a group with these attributes. [`Svg::end_group`] ends it.
    pub fn group(&mut self, attributes: &str) {
        let _ = writeln!(self.body, "<g {attributes}>");
    }

    /// Ends the group that was begun last.
    pub fn end_group(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// A line; `style` is anything SVG knows, such as `stroke="#000"`.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), style: &str) {
        let _ = writeln!(
            self.body,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" {style}/>",
            from.0, from.1, to.0, to.1
        );
    }

    /// Lines from point to point.
    pub fn polyline(&mut self, points: &[(f64, f64)], style: &str) {
        let _ = writeln!(self.body, "<polyline points=\"{}\" fill=\"none\" {style}/>", list(points));
    }

    /// A filled shape.
    pub fn polygon(&mut self, points: &[(f64, f64)], style: &str) {
        let _ = writeln!(self.body, "<polygon points=\"{}\" {style}/>", list(points));
    }

    /// A rectangle with a text that is shown when the mouse is over it.
    pub fn rectangle(&mut self, corner: (f64, f64), size: (f64, f64), style: &str, tip: &str) {
        let _ = writeln!(
            self.body,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" {style}><title>{}</title></rect>",
            corner.0,
            corner.1,
            size.0.max(0.0),
            size.1.max(0.0),
            escape(tip)
        );
    }

    /// A dot with a text that is shown when the mouse is over it.
    pub fn dot(&mut self, centre: (f64, f64), radius: f64, style: &str, tip: &str) {
        let _ = writeln!(
            self.body,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\" {style}><title>{}</title></circle>",
            centre.0,
            centre.1,
            escape(tip)
        );
    }

    /// A text.
    pub fn text(&mut self, at: (f64, f64), anchor: Anchor, style: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" {style}>{}</text>",
            at.0,
            at.1,
            escape(text)
        );
    }

    /// The picture.
    pub fn finish(self) -> String {
        let Svg { width, height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"system-ui,sans-serif\" font-size=\"12\" \
             fill=\"currentColor\">\n{body}</svg>"
        )
    }
}

fn list(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}
