//! Laws of the time of a search on P processors: the papers' T = c1 W/P + c2 C + c3 in several forms, one in which small
//! machines hide more of C, one that knows the parallelism over ideal time as well, and their fits.

use crate::experiment::Measurement;
use crate::experiment::statistics::{Agreement, Fit, agreement, fit_relative};
use serde::Serialize;

/// The terms of a model: W/P, what the critical path adds, and a constant.
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
    /// T = c1 W/P + c2 C ((P - 1) / P)^c3: the smaller the machine, the more of the critical path it hides. With c3 = 4, two
    /// processors wait for 6 % of it, and 16 for 77 %. The power is not derived; it is what the measured times show.
    Hiding,
    /// T = c1 W/P + c2 I(16 P) ((P - 1) / P)^c3, where I is [`Tree::idle`]: the same, but processors wait only at those
    /// times of the critical path at which there is too little to do for all of them. So that each finds work at once,
    /// there must be work for sixteen times as many.
    Profile,
}

/// How many nodes there must be to search for each processor, so that all find work at once. Fits on small machines do not
/// determine it.
const NODES_FOR_EACH: f64 = 16.0;

impl Form {
    /// All of them.
    pub const ALL: [Form; 5] = [Form::Papers, Form::NoConstant, Form::NobodyWaitsAlone, Form::Hiding, Form::Profile];

    /// Its formula.
    pub fn formula(self) -> &'static str {
        match self {
            Form::Papers => "c1 W/P + c2 C + c3",
            Form::NoConstant => "c1 W/P + c2 C",
            Form::NobodyWaitsAlone => "c1 W/P + c2 C (P-1)/P",
            Form::Hiding => "c1 W/P + c2 C ((P-1)/P)^c3",
            Form::Profile => "c1 W/P + c2 I(16P) ((P-1)/P)^c3",
        }
    }

    /// The terms of its linear coefficients; `power` is the exponent of the forms that have one.
    fn terms(self, tree: &Tree<'_>, processors: usize, power: f64) -> Terms {
        let processors = processors as f64;
        let (share, others) = (tree.work / processors, 1.0 - 1.0 / processors);
        match self {
            Form::Papers => [share, tree.span, 1.0],
            Form::NoConstant => [share, tree.span, 0.0],
            Form::NobodyWaitsAlone => [share, tree.span * others, 0.0],
            Form::Hiding => [share, tree.span * others.powf(power), 0.0],
            Form::Profile => [share, tree.idle(NODES_FOR_EACH * processors) * others.powf(power), 0.0],
        }
    }
}

/// What a law knows of the tree of a search.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    /// Work W.
    pub work: f64,
    /// Critical path C.
    pub span: f64,
    /// Nodes that would be searched at their ideal time if at most 1, 2, 4, ... processors searched.
    pub work_within: &'a [u64],
}

impl<'a> Tree<'a> {
    /// The tree of a search that was made.
    pub fn of(row: &'a Measurement) -> Tree<'a> {
        let work_within = &row.accounts.tree.work_within;
        Tree { work: row.nodes as f64, span: row.span as f64, work_within }
    }

    /// The time that a processor is without work on average if that many of them search each node at its ideal time, or as
    /// soon after it as there are processors for all nodes of that time: the sum of `max(0, d - w/p)` over the intervals of
    /// the critical path, where `d` is the length of an interval and `w` are its nodes. The whole then takes W/p more.
    ///
    /// Exact for powers of two; between them the work is interpolated. Without a profile it is the critical path.
    pub fn idle(&self, processors: f64) -> f64 {
        let Some(last) = self.work_within.len().checked_sub(1) else { return self.span };
        let processors = processors.max(1.0);
        let low = (processors.log2() as usize).min(last);
        let [below, above] = [low, (low + 1).min(last)].map(|index| self.work_within[index] as f64);
        let part = (processors / (1_u64 << low) as f64 - 1.0).min(1.0);
        self.span - (below + part * (above - below)) / processors
    }
}

/// The number of depths of each search that are fitted: a search to a depth is a search to all depths before it as well.
const FITTED_DEPTHS: usize = 4;

/// Exponents from zero to this are tried, in steps of the other.
const LARGEST_POWER: f64 = 10.0;
const POWER_STEP: f64 = 0.05;

/// A fitted law.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Law {
    /// Its form.
    pub form: Form,
    /// The coefficients c1, c2 and c3: of W/P, of C or what stands for it, and the constant in ticks or an exponent.
    /// No machine is faster than W/P: a first coefficient below the cost of a node says that the second one stands
    /// for some of the work as well.
    pub coefficients: [f64; 3],
    /// Their standard errors; that of an exponent is not known.
    pub errors: [f64; 3],
    /// How well it agrees with the searches it was fitted to.
    pub fitted: Agreement,
}

impl Law {
    /// The time it predicts.
    pub fn predict(&self, tree: &Tree<'_>, processors: usize) -> f64 {
        let [c1, c2, c3] = self.coefficients;
        let [share, path, constant] = self.form.terms(tree, processors, c3);
        c1 * share + c2 * path + c3 * constant
    }

    /// Fits a form to searches, by their own W, C and profile; none if they do not determine the coefficients.
    pub fn fit(form: Form, rows: &[&Measurement]) -> Option<Law> {
        match form {
            Form::Papers => {
                let (terms, times) = last_depths(form, rows);
                Some(Law::new(form, fit_relative(&terms, &times)?, &terms, &times))
            }
            Form::NoConstant | Form::NobodyWaitsAlone => {
                let (terms, times) = last_depths(form, rows);
                Some(Law::new(form, fit_two(&terms, &times, 0.0)?, &terms, &times))
            }
            Form::Hiding | Form::Profile => Law::fit_power(form, rows),
        }
    }

    /// Fits a form with an exponent to whole searches: what is known of the profile is that of all depths.
    fn fit_power(form: Form, rows: &[&Measurement]) -> Option<Law> {
        let times: Vec<f64> = rows.iter().map(|row| row.time as f64).collect();
        let steps = 0..=(LARGEST_POWER / POWER_STEP) as i32;
        let candidates = steps.filter_map(|step| {
            let power = f64::from(step) * POWER_STEP;
            let terms_of = |row: &&Measurement| form.terms(&Tree::of(row), row.run.processors, power);
            let terms: Vec<Terms> = rows.iter().map(terms_of).collect();
            let fit = fit_two(&terms, &times, power)?;
            let squares = terms.iter().zip(&times).map(|(terms, time)| (fit.predict(terms) / time - 1.0).powi(2));
            Some((squares.sum::<f64>(), Law::new(form, fit, &terms, &times)))
        });
        candidates.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, law)| law)
    }

    fn new(form: Form, fit: Fit<3>, terms: &[Terms], times: &[f64]) -> Law {
        let predicted: Vec<f64> = terms.iter().map(|terms| fit.predict(terms)).collect();
        Law { form, coefficients: fit.coefficients, errors: fit.errors, fitted: agreement(&predicted, times) }
    }
}

/// Fits the first two coefficients; the third one, whose terms are zero, is given.
fn fit_two(terms: &[Terms], times: &[f64], third: f64) -> Option<Fit<3>> {
    let terms: Vec<[f64; 2]> = terms.iter().map(|&[first, second, _]| [first, second]).collect();
    let Fit { coefficients: [c1, c2], errors: [e1, e2] } = fit_relative(&terms, times)?;
    Some(Fit { coefficients: [c1, c2, third], errors: [e1, e2, 0.0] })
}

/// The last depths of searches: the terms, and the times in ticks. What is known of them is W and C.
fn last_depths(form: Form, rows: &[&Measurement]) -> (Vec<Terms>, Vec<f64>) {
    let depths = |row: &&Measurement| {
        let processors = row.run.processors;
        let point = |end: &crate::experiment::Iteration| {
            let tree = Tree { work: end.nodes as f64, span: end.span as f64, work_within: &[] };
            (form.terms(&tree, processors, 1.0), end.time as f64)
        };
        row.iterations.iter().rev().take(FITTED_DEPTHS).map(point).collect::<Vec<_>>()
    };
    rows.iter().flat_map(depths).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predict(form: Form, coefficients: [f64; 3], tree: &Tree<'_>, processors: usize) -> f64 {
        let fitted = agreement(&[1.0], &[1.0]);
        Law { form, coefficients, errors: [0.0; 3], fitted }.predict(tree, processors)
    }

    /// A tree with that many nodes at each moment of ideal time.
    fn even(span: u64, parallelism: u64, work_within: &mut Vec<u64>) -> Tree<'_> {
        work_within.extend((0..12).map(|log| span * parallelism.min(1 << log)));
        Tree { work: (span * parallelism) as f64, span: span as f64, work_within }
    }

    #[test]
    fn with_enough_to_do_at_all_times_it_takes_w_over_p() {
        let mut within = Vec::new();
        let tree = even(100, 64, &mut within);
        assert_eq!([1.0, 3.0, 16.0, 48.0, 64.0].map(|count| tree.idle(count)), [0.0; 5]);
        assert_eq!(predict(Form::Profile, [1.0, 1.5, 4.0], &tree, 4), 1600.0);
        // On four times as many processors as there are nodes, each is without work three quarters of the time.
        assert_eq!((tree.idle(256.0), tree.idle(4096.0)), (75.0, 100.0 - 6400.0 / 4096.0));
        assert_eq!(predict(Form::Profile, [1.0, 2.0, 1.0], &tree, 16), 400.0 + 2.0 * 75.0 * 15.0 / 16.0);
        assert_eq!(predict(Form::Hiding, [1.0, 2.0, 2.0], &tree, 2), 3200.0 + 2.0 * 100.0 / 4.0);
    }

    #[test]
    fn a_serial_chain_takes_its_length_on_any_machine() {
        let mut within = Vec::new();
        let tree = even(1000, 1, &mut within);
        for processors in [1, 2, 16, 100, 256] {
            let time = tree.work / f64::from(processors) + tree.idle(f64::from(processors));
            assert!((time - 1000.0).abs() < 1e-9, "{time}");
        }
        for form in [Form::Hiding, Form::Profile] {
            assert_eq!(predict(form, [1.0, 2.0, 4.0], &tree, 1), 1000.0, "one processor does not wait");
        }
    }

    #[test]
    fn without_a_profile_the_whole_critical_path_is_waited_for() {
        let tree = Tree { work: 1000.0, span: 10.0, work_within: &[] };
        assert_eq!((tree.idle(2.0), tree.idle(64.0)), (10.0, 10.0));
    }
}
