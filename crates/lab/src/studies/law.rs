//! The law T = c1 W/P + c2 C + c3 in several forms, and its fit.

use crate::experiment::Measurement;
use crate::experiment::statistics::{Agreement, Fit, agreement, fit_relative};
use serde::Serialize;

/// The terms of a model: W/P, C, and a constant.
type Terms = [f64; 3];

/// A form of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Form {
    /// T = c1 W/P + c2 C + c3, StarTech's.
    Papers,
    /// T = c1 W/P + c2 C.
    NoConstant,
    /// T = c1 W/P + c2 C (P - 1) / P: one processor does not wait.
    NobodyWaitsAlone,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 3] = [Form::Papers, Form::NoConstant, Form::NobodyWaitsAlone];

    /// Its formula.
    pub fn formula(self) -> &'static str {
        match self {
            Form::Papers => "c1 W/P + c2 C + c3",
            Form::NoConstant => "c1 W/P + c2 C",
            Form::NobodyWaitsAlone => "c1 W/P + c2 C (P-1)/P",
        }
    }

    fn terms(self, work: f64, span: f64, processors: usize) -> Terms {
        let processors = processors as f64;
        match self {
            Form::Papers => [work / processors, span, 1.0],
            Form::NoConstant => [work / processors, span, 0.0],
            Form::NobodyWaitsAlone => [work / processors, span * (1.0 - 1.0 / processors), 0.0],
        }
    }
}

/// The number of depths of each search that are fitted: a search to a depth is a search to all depths before it as well.
const FITTED_DEPTHS: usize = 4;

/// A fitted law.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Law {
    /// Its form.
    pub form: Form,
    /// Coefficients of W/P, of C, and the constant in ticks. No machine is faster than W/P: a first coefficient below the
    /// cost of a node says that the second one stands for some of the work as well.
    pub coefficients: [f64; 3],
    /// Their standard errors.
    pub errors: [f64; 3],
    /// How well it agrees with the searches it was fitted to.
    pub fitted: Agreement,
}

impl Law {
    /// The time it predicts.
    pub fn predict(&self, work: f64, span: f64, processors: usize) -> f64 {
        let terms = self.form.terms(work, span, processors);
        self.coefficients.iter().zip(terms).map(|(c, term)| c * term).sum()
    }

    /// Fits a form to the last depths of searches, by their own W and C; none if they do not determine the coefficients.
    pub fn fit(form: Form, rows: &[&Measurement]) -> Option<Law> {
        let (terms, times): (Vec<Terms>, Vec<f64>) = rows.iter().flat_map(|row| points(form, row)).unzip();
        let (coefficients, errors) = if form == Form::Papers {
            let Fit { coefficients, errors } = fit_relative(&terms, &times)?;
            (coefficients, errors)
        } else {
            let terms: Vec<[f64; 2]> = terms.iter().map(|&[first, second, _]| [first, second]).collect();
            let Fit { coefficients: [c1, c2], errors: [e1, e2] } = fit_relative(&terms, &times)?;
            ([c1, c2, 0.0], [e1, e2, 0.0])
        };
        let predict = |terms: &Terms| coefficients.iter().zip(terms).map(|(c, term)| c * term).sum();
        let predicted: Vec<f64> = terms.iter().map(predict).collect();
        Some(Law { form, coefficients, errors, fitted: agreement(&predicted, &times) })
    }
}

/// The last depths of a search: the terms, and the time in ticks.
fn points(form: Form, row: &Measurement) -> impl Iterator<Item = (Terms, f64)> {
    let ends = row.iterations.iter().rev().take(FITTED_DEPTHS);
    ends.map(move |end| (form.terms(end.nodes as f64, end.span as f64, row.run.processors), end.time as f64))
}
