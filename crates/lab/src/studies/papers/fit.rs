//! The papers' model of time: T = c1 W/P + c2 C + c3.

use super::bench::Measured;
use crate::experiment::statistics::{Agreement, Fit, agreement, fit_relative};
use crate::experiment::{Measurement, costs};
use crate::report::{Axis, Plot, Series};

/// The model, fitted to searches on more than one processor, in seconds.
pub(super) struct Model {
    /// Coefficients of W/P, of C, and the constant.
    pub(super) fit: Fit<3>,
    pub(super) agreement: Agreement,
    points: Vec<(f64, f64)>,
}

/// Seconds in a tick: the machines of the papers count microseconds.
pub(super) const TICK: f64 = 1e-6;

/// The cost of a node on the machine of a search, including waiting for the table, in ticks.
fn node(row: &Measurement) -> f64 {
    let costs = costs(&row.run.profile).unwrap_or_else(|_| search::Costs::ideal());
    costs.node as f64 + costs.mean_look_up(row.run.processors)
}

/// Fits the model to all searches of an algorithm.
pub(super) fn model(measured: &Measured, algorithm: &str) -> Option<Model> {
    let is_parallel = |row: &&Measurement| row.run.algorithm == algorithm && row.run.processors > 1;
    let rows: Vec<_> = measured.rows.iter().filter(is_parallel).collect();
    let terms = |row: &&Measurement| {
        let node = node(row) * TICK;
        [row.nodes as f64 * node / row.run.processors as f64, row.span as f64 * node, 1.0]
    };
    let terms: Vec<[f64; 3]> = rows.iter().map(terms).collect();
    let times: Vec<f64> = rows.iter().map(|row| row.time as f64 * TICK).collect();
    let fit = fit_relative(&terms, &times)?;
    let predicted: Vec<f64> = terms.iter().map(|terms| fit.predict(terms)).collect();
    let points = predicted.iter().copied().zip(times.iter().copied()).collect();
    Some(Model { agreement: agreement(&predicted, &times), fit, points })
}

impl Model {
    /// Predicted against measured times.
    pub(super) fn plot(&self, title: &str) -> Plot {
        let ends = self
            .points
            .iter()
            .fold((f64::MAX, 0.0_f64), |(low, high), (p, m)| (low.min(*p).min(*m), high.max(*p).max(*m)));
        Plot::new(title, Axis::log10("time by the model, s"), Axis::log10("time, s"))
            .with(Series::points("one search on one machine", self.points.clone()))
            .with(Series::reference("equal", vec![(ends.0, ends.0), (ends.1, ends.1)]))
    }
}
