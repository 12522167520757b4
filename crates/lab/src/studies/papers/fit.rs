//! The papers' model of time: T = c1 W/P + c2 C + c3.

use super::measured::Measured;
use crate::experiment::Measurement;
use crate::experiment::statistics::{Agreement, Fit, agreement, fit_relative};
use crate::report::{Axis, Plot, Series};

/// The model, fitted to searches on more than one processor, in seconds.
pub(super) struct Model {
    /// Coefficients of W/P, of C, and the constant.
    pub(super) fit: Fit<3>,
    pub(super) agreement: Agreement,
    /// The smallest time over W/P.
    least: f64,
    points: Vec<(f64, f64)>,
}

/// Seconds in a tick: the machines of the papers count microseconds.
pub(super) const TICK: f64 = 1e-6;

/// Which depths of a search the model is fitted to. A search has the data of every depth before its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depths {
    /// Only the last.
    Last,
    /// The last four depths, without the first.
    LastFour,
}

/// What a node cost in a search, waiting for the table included, in ticks: so measured, no time is below W/P.
fn node(row: &Measurement) -> f64 {
    let time = &row.accounts.time;
    (time.working + time.table) as f64 / row.nodes.max(1) as f64
}

/// Nodes, critical path and time of a search at the ends of some depths.
fn samples(row: &Measurement, depths: Depths) -> Vec<[f64; 3]> {
    let whole = [row.nodes as f64, row.span as f64, row.time as f64];
    if depths == Depths::Last {
        return vec![whole];
    }
    let ends = row.iterations.iter().filter(|end| end.depth > 1 && end.span > 0 && end.time > 0);
    let ends: Vec<_> = ends.map(|end| [end.nodes as f64, end.span as f64, end.time as f64]).collect();
    ends[ends.len().saturating_sub(4)..].to_vec()
}

/// Fits the model to all searches of an algorithm.
pub(super) fn model(measured: &Measured, algorithm: &str, depths: Depths) -> Option<Model> {
    let is_parallel = |row: &&Measurement| row.run.algorithm == algorithm && row.run.processors > 1;
    let (mut terms, mut times) = (Vec::new(), Vec::new());
    for row in measured.rows.iter().filter(is_parallel) {
        let node = node(row) * TICK;
        for [nodes, span, time] in samples(row, depths) {
            terms.push([nodes * node / row.run.processors as f64, span * node, 1.0]);
            times.push(time * TICK);
        }
    }
    let fit = fit_relative(&terms, &times)?;
    let predicted: Vec<f64> = terms.iter().map(|terms| fit.predict(terms)).collect();
    let points = predicted.iter().copied().zip(times.iter().copied()).collect();
    let least = terms.iter().zip(&times).map(|(terms, time)| time / terms[0]).fold(f64::MAX, f64::min);
    Some(Model { agreement: agreement(&predicted, &times), fit, least, points })
}

impl Model {
    /// What a coefficient of W/P below one means, where there is one.
    pub(super) fn below_the_bound(&self) -> String {
        let work = self.fit.coefficients[0];
        if work >= 1.0 {
            return String::new();
        }
        format!(
            "No time is below W/P (the smallest is {:.3} W/P); that the fitted coefficient of W/P is {work:.3} means that the terms \
            are not independent: what the other two take too much of is taken off here.",
            self.least
        )
    }

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
