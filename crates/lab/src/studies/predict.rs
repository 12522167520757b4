//! The study of predictions: does a fit on small machines say how long a search takes on large ones?
//!
//! StarTech (equation 2) and \*Socrates (equation 1) found T = c1 W/P + c2 C + c3, with W and C measured in the run that
//! is predicted. Here the coefficients are fitted on some positions and small machines, and tested on other positions and
//! larger machines. W and C of the tested searches come either from the run itself, as in the papers, or from a small
//! machine; the second has to guess how large the tree will be as well.

use crate::experiment::statistics::{Agreement, Fit, agreement, fit_relative};
use crate::experiment::{Folder, LabError, Measurement, Plan, Progress};
use serde::Serialize;

/// What is to be predicted from what.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The searches; the numbers of processors are those of `small` and `large`.
    pub plan: Plan,
    /// The machines of the fit.
    pub small: Vec<usize>,
    /// The machines of the test.
    pub large: Vec<usize>,
}

/// The terms of a model: W/P, C, and a constant.
type Terms = [f64; 3];

/// A form of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Form {
    /// T = c1 W/P + c2 C + c3, StarTech's.
    Papers,
    /// T = c1 W/P + c2 C.
    NoConstant,
    /// T = c1 W/P + c2 C (P - 1) / P: one processor waits for nobody.
    NobodyWaitsAlone,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 3] = [Form::Papers, Form::NoConstant, Form::NobodyWaitsAlone];

    /// As a formula.
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

/// Where W and C of a tested search come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Source {
    /// From the run that is predicted.
    Itself,
    /// From the search of the same position on a machine with so many processors.
    Machine(usize),
}

impl Source {
    /// In words.
    pub fn name(self) -> String {
        match self {
            Source::Itself => "the run itself".into(),
            Source::Machine(1) => "one processor".into(),
            Source::Machine(processors) => format!("{processors} processors"),
        }
    }
}

/// A fitted law.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Law {
    /// Its form.
    pub form: Form,
    /// Coefficients of W/P, of C, and the constant in ticks.
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

    fn fit(form: Form, rows: &[&Measurement]) -> Option<Law> {
        let (terms, times): (Vec<Terms>, Vec<f64>) =
            rows.iter().map(|row| (terms_of(form, row), row.time as f64)).unzip();
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

fn terms_of(form: Form, row: &Measurement) -> Terms {
    form.terms(row.nodes as f64, row.span as f64, row.run.processors)
}

/// One predicted search.
#[derive(Clone, Debug, Serialize)]
pub struct Prediction {
    /// The position.
    pub id: String,
    /// Was the position kept out of the fit?
    pub held_out: bool,
    /// On how many processors.
    pub processors: usize,
    /// Measured work.
    pub work: u64,
    /// Measured critical path.
    pub span: u64,
    /// Measured time.
    pub time: u64,
    /// Predicted by the papers' law with W and C of the run itself.
    pub predicted: f64,
    /// With W and C of the largest of the small machines.
    pub from_small: f64,
    /// With W and C of the search on the smallest machine.
    pub from_smallest: f64,
}

/// A group of tested searches, and how well they were predicted.
#[derive(Clone, Debug, Serialize)]
pub struct Test {
    /// The law's form.
    pub form: Form,
    /// Where W and C came from.
    pub source: String,
    /// Were the positions kept out of the fit?
    pub held_out: bool,
    /// The numbers of processors.
    pub processors: Vec<usize>,
    /// How well.
    pub agreement: Agreement,
    /// All predicted times together over all measured times together.
    pub total: f64,
}

/// What the study found.
#[derive(Clone, Debug)]
pub struct Findings {
    /// All searches.
    pub rows: Vec<Measurement>,
    /// One law for each form.
    pub laws: Vec<Law>,
    /// Every tested group.
    pub tests: Vec<Test>,
    /// Every search, by the papers' law.
    pub predictions: Vec<Prediction>,
}

/// Every second position, from the second on, is kept out of the fit.
fn is_held_out(index: usize) -> bool {
    index % 2 == 1
}

/// Makes the searches, fits and tests.
///
/// # Errors
/// If the settings make no sense, or the searches can't be made.
pub fn study(
    settings: &Settings,
    folder: &Folder,
    jobs: usize,
    watch: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Findings, LabError> {
    let plan = &settings.plan;
    if plan.suite.records.len() < 2 {
        return Err(LabError::Settings("a fit and a test need at least two positions".into()));
    }
    let processors = settings.small.iter().chain(&settings.large).copied().collect();
    let plan = Plan { processors, ..plan.clone() };
    let rows = plan.perform(folder, jobs, watch)?;
    let searches: Vec<&Measurement> = rows.iter().filter(|row| row.run.algorithm != "serial").collect();
    let names: Vec<&str> = {
        let mut names: Vec<&str> = Vec::new();
        searches.iter().for_each(|row| {
            if !names.contains(&row.run.fen.as_str()) {
                names.push(&row.run.fen);
            }
        });
        names
    };
    let held_out = |row: &Measurement| names.iter().position(|name| *name == row.run.fen).is_some_and(is_held_out);
    let is_small = |row: &Measurement| settings.small.contains(&row.run.processors);
    let fitted: Vec<&Measurement> = searches.iter().filter(|row| is_small(row) && !held_out(row)).copied().collect();
    let laws: Vec<Law> = Form::ALL.into_iter().filter_map(|form| Law::fit(form, &fitted)).collect();
    if laws.len() < Form::ALL.len() {
        return Err(LabError::Settings("these searches do not determine the coefficients: take more".into()));
    }
    let small = [settings.small.iter().max(), settings.small.iter().min()].map(|count| count.copied().unwrap_or(1));
    let known = |row: &Measurement, source| match source {
        Source::Itself => (row.nodes as f64, row.span as f64),
        Source::Machine(count) => {
            let found = searches.iter().find(|other| other.run.processors == count && other.run.fen == row.run.fen);
            found.map_or((0.0, 0.0), |other| (other.nodes as f64, other.span as f64))
        }
    };
    let predict = |law: &Law, row: &Measurement, source| {
        let (work, span) = known(row, source);
        law.predict(work, span, row.run.processors)
    };
    let mut groups: Vec<(bool, Vec<usize>)> = vec![(false, settings.large.clone()), (true, settings.small.clone())];
    groups.extend(settings.large.iter().map(|&count| (true, vec![count])));
    groups.push((true, settings.large.clone()));
    let mut tests = Vec::new();
    for law in &laws {
        for source in [Source::Itself, Source::Machine(small[0]), Source::Machine(small[1])] {
            for (held, processors) in &groups {
                let is_in = |row: &&&Measurement| held_out(row) == *held && processors.contains(&row.run.processors);
                let group: Vec<&Measurement> = searches.iter().filter(is_in).copied().collect();
                let predicted: Vec<f64> = group.iter().map(|row| predict(law, row, source)).collect();
                let measured: Vec<f64> = group.iter().map(|row| row.time as f64).collect();
                tests.push(Test {
                    form: law.form,
                    source: source.name(),
                    held_out: *held,
                    processors: processors.clone(),
                    agreement: agreement(&predicted, &measured),
                    total: predicted.iter().sum::<f64>() / measured.iter().sum::<f64>(),
                });
            }
        }
    }
    let prediction = |row: &&Measurement| Prediction {
        id: row.run.id.clone(),
        held_out: held_out(row),
        processors: row.run.processors,
        work: row.nodes,
        span: row.span,
        time: row.time,
        predicted: predict(&laws[0], row, Source::Itself),
        from_small: predict(&laws[0], row, Source::Machine(small[0])),
        from_smallest: predict(&laws[0], row, Source::Machine(small[1])),
    };
    let predictions = searches.iter().map(prediction).collect();
    Ok(Findings { laws, tests, predictions, rows })
}

impl Findings {
    /// The test that counts: the papers' form, W and C of the run itself, positions and machines that were not fitted.
    pub fn verdict(&self) -> Option<&Test> {
        let itself = Source::Itself.name();
        let counts = |test: &&Test| test.form == Form::Papers && test.held_out && test.source == itself;
        self.tests.iter().filter(counts).next_back()
    }
}
