//! What the script of a page knows of a plot: where its axes lie, and the values of its series, as JSON.

use serde::Serialize;
use serde_json::Value;

/// A plot over two axes.
#[derive(Serialize)]
pub(super) struct PlotData<'a> {
    /// The rectangle between the axes: left, top, width, height.
    pub(super) area: [f64; 4],
    pub(super) x: AxisData<'a>,
    pub(super) y: AxisData<'a>,
    pub(super) series: Vec<SeriesData<'a>>,
}

/// An axis from its low end to its high end.
#[derive(Serialize)]
pub(super) struct AxisData<'a> {
    pub(super) label: &'a str,
    /// The base of a logarithmic axis; zero if the axis is even.
    pub(super) base: u32,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// A series: what it is called, how it is drawn, and its values.
#[derive(Serialize)]
pub(super) struct SeriesData<'a> {
    pub(super) name: &'a str,
    pub(super) colour: &'a str,
    pub(super) mark: &'static str,
    pub(super) x: Vec<Value>,
    pub(super) y: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) low: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) high: Vec<Value>,
}

impl PlotData<'_> {
    /// As JSON that may stand inside of HTML.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default().replace('<', "\\u003c")
    }
}

/// A whole number as it is, any other with six digits; null if it is not finite.
pub(super) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return Value::from(value as i64);
    }
    Value::from(format!("{value:.5e}").parse::<f64>().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [4.0, -3.0, 1_234_567.0, 1.0 / 3.0, 1_234.567_89, f64::INFINITY, f64::NAN];
        let text: Vec<String> = shown.into_iter().map(|value| number(value).to_string()).collect();
        assert_eq!(text, ["4", "-3", "1234567", "0.333333", "1234.57", "null", "null"]);
    }
}
