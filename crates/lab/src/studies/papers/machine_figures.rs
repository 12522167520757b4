//! Figures of the papers that our virtual machines are set to: shown for completeness, no evidence.

use super::sheet::{Row, Sheet};
use crate::experiment::costs;

const NOTE: &str = "what the virtual machine is set to. It was taken from the papers: no evidence.";

/// A figure: its id, what it is, and how it follows from the costs in microseconds of a node, a message and an answer.
type Figure = (&'static str, &'static str, fn([f64; 3]) -> f64);

/// Figures of a paper and what our machine of this profile has for them.
fn write(sheet: &mut Sheet, profile: &str, figures: &[Figure]) {
    let Ok(costs) = costs(profile) else { return };
    let times = [costs.node_alone as f64, costs.message as f64, costs.answer as f64];
    let rows: Vec<Row> =
        figures.iter().map(|(id, what, of)| Row::of(id, format!("{what} ({})", costs.name), of(times))).collect();
    if let Some((id, ..)) = figures.first() {
        sheet.compare(id, &rows, NOTE);
    }
}

pub(super) fn dts(sheet: &mut Sheet, profile: &str) {
    write(
        sheet,
        profile,
        &[("dts-answer-time", "end of a node, and answer, microseconds", |[node, _, answer]| node + answer)],
    );
}

pub(super) fn cray_blitz(sheet: &mut Sheet, profile: &str) {
    write(sheet, profile, &[("cray-blitz-rate", "nodes a second", |[node, ..]| 1e6 / node)]);
}

pub(super) fn startech(sheet: &mut Sheet, profile: &str) {
    let figures: [Figure; 2] = [
        ("startech-rate", "positions a second", |[node, ..]| 1e6 / node),
        ("startech-message", "message, microseconds", |[_, message, _]| message),
    ];
    write(sheet, profile, &figures);
}

pub(super) fn zugzwang(sheet: &mut Sheet, profile: &str) {
    write(sheet, profile, &[("zugzwang-rate", "nodes a second", |[node, ..]| 1e6 / node)]);
}
