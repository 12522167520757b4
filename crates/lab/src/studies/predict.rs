//! The study of predictions: does a fit on small machines predict the time on large ones?
//!
//! StarTech (equation 2) and \*Socrates (equation 1) found T = c1 W/P + c2 C + c3, with W and C measured in the run
//! that is predicted. Here the coefficients are fitted on some positions and small machines, and tested on other
//! positions and larger machines. W and C of the tested searches come either from the run itself, as in the papers, or
//! from a small machine; then the size of the tree has to be predicted as well.
//!
//! In other laws small machines hide more of C than large ones ([`Form::Hiding`]), and the parallelism over ideal time is
//! known as well ([`Form::Profile`]). They are fitted and tested in the same way.

use super::law::{Form, Law, Tree};
use crate::experiment::statistics::{Agreement, agreement};
use crate::experiment::{Folder, LabError, Measurement, Plan, Progress};
use serde::Serialize;

/// The searches to fit and to test.
#[derive(Clone, Debug)]
pub struct PredictSettings {
    /// The searches; the numbers of processors are those of `small` and `large`.
    pub plan: Plan,
    /// The machines of the fit.
    pub small: Vec<usize>,
    /// The machines of the test.
    pub large: Vec<usize>,
}

/// Where W and C of a tested search come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Source {
    /// From the run that is predicted.
    Itself,
    /// From the search of the same position on a machine with this number of processors.
    Machine(usize),
}

impl Source {
    /// Its description.
    pub fn name(self) -> String {
        match self {
            Source::Itself => "the run itself".into(),
            Source::Machine(1) => "one processor".into(),
            Source::Machine(processors) => format!("{processors} processors"),
        }
    }
}

/// One predicted search.
#[derive(Clone, Debug, Serialize)]
pub struct Prediction {
    /// The position.
    pub id: String,
    /// Was the position kept out of the fit?
    pub held_out: bool,
    /// Number of processors.
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
    /// Predicted by the law in which small machines hide more of C, with W and C of the run itself.
    pub hiding: f64,
    /// With W and C of the largest of the small machines.
    pub hiding_from_small: f64,
    /// Predicted by the law that knows the profile, which is that of the run itself; none where older rows do not have it.
    pub by_profile: Option<f64>,
    /// The time without work by the profile alone: [`Tree::idle`].
    pub idle: f64,
}

/// A group of tested searches, and how well they were predicted.
#[derive(Clone, Debug, Serialize)]
pub struct PredictionTest {
    /// The law's form.
    pub form: Form,
    /// Where W and C came from.
    pub source: String,
    /// Were the positions kept out of the fit?
    pub held_out: bool,
    /// The numbers of processors.
    pub processors: Vec<usize>,
    /// How well the predictions agree.
    pub agreement: Agreement,
    /// All predicted times together over all measured times together.
    pub total: f64,
}

/// The results of the study.
#[derive(Clone, Debug)]
pub struct PredictFindings {
    /// All searches.
    pub rows: Vec<Measurement>,
    /// One law for each form; not the one that knows the profile if older rows do not have it.
    pub laws: Vec<Law>,
    /// Every tested group.
    pub tests: Vec<PredictionTest>,
    /// Every search, by the papers' law and by those in which small machines hide more of C.
    pub predictions: Vec<Prediction>,
}

/// The searches of a study, some of whose positions were kept out of the fit.
struct Searches<'a> {
    rows: Vec<&'a Measurement>,
    held_out: Vec<&'a str>,
}

impl<'a> Searches<'a> {
    /// Every second position, from the second on, is kept out.
    fn new(rows: &'a [Measurement]) -> Searches<'a> {
        let rows: Vec<&Measurement> = rows.iter().filter(|row| row.run.algorithm != "serial").collect();
        let mut positions: Vec<&str> = Vec::new();
        for row in &rows {
            if !positions.contains(&row.run.fen.as_str()) {
                positions.push(&row.run.fen);
            }
        }
        Searches { rows, held_out: positions.into_iter().skip(1).step_by(2).collect() }
    }

    fn is_held_out(&self, row: &Measurement) -> bool {
        self.held_out.contains(&row.run.fen.as_str())
    }

    /// Those on machines of these sizes, held out or not.
    fn group(&self, held_out: bool, processors: &[usize]) -> Vec<&'a Measurement> {
        let is_in = |row: &&&Measurement| self.is_held_out(row) == held_out && processors.contains(&row.run.processors);
        self.rows.iter().filter(is_in).copied().collect()
    }

    /// A law's prediction for a search, with W and C from that source.
    fn predict(&self, law: &Law, row: &Measurement, source: Source) -> f64 {
        let known = match source {
            Source::Itself => row,
            Source::Machine(count) => {
                let is_it = |other: &&&Measurement| other.run.processors == count && other.run.fen == row.run.fen;
                self.rows.iter().find(is_it).copied().unwrap_or(row)
            }
        };
        law.predict(&Tree::of(known), row.run.processors)
    }

    fn test(&self, law: &Law, source: Source, held_out: bool, processors: &[usize]) -> PredictionTest {
        let group = self.group(held_out, processors);
        let predicted: Vec<f64> = group.iter().map(|row| self.predict(law, row, source)).collect();
        let measured: Vec<f64> = group.iter().map(|row| row.time as f64).collect();
        PredictionTest {
            form: law.form,
            source: source.name(),
            held_out,
            processors: processors.to_vec(),
            agreement: agreement(&predicted, &measured),
            total: predicted.iter().sum::<f64>() / measured.iter().sum::<f64>(),
        }
    }
}

/// Makes the searches, fits and tests.
///
/// # Errors
/// If a setting is wrong, or the searches can't be made.
pub fn study(
    settings: &PredictSettings,
    folder: &Folder,
    jobs: usize,
    watch: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<PredictFindings, LabError> {
    let PredictSettings { plan, small, large } = settings;
    if plan.suite.records.len() < 2 {
        return Err(LabError::Settings("a fit and a test need at least two positions".into()));
    }
    let plan = Plan { processors: small.iter().chain(large).copied().collect(), ..plan.clone() };
    let rows = plan.perform(folder, jobs, watch)?;
    let searches = Searches::new(&rows);
    let fitted = searches.group(false, small);
    let has_profiles = rows.iter().all(|row| !row.accounts.tree.work_within.is_empty());
    let forms = Form::ALL.into_iter().filter(|&form| has_profiles || form != Form::Profile);
    let laws: Option<Vec<Law>> = forms.map(|form| Law::fit(form, &fitted)).collect();
    let undetermined = || LabError::Settings("these searches do not determine the coefficients: take more".into());
    let laws = laws.ok_or_else(undetermined)?;
    let law_of = |form| laws.iter().find(|law| law.form == form);
    let [papers, hiding] = [Form::Papers, Form::Hiding].map(law_of);
    let (Some(papers), Some(hiding)) = (papers, hiding) else { return Err(undetermined()) };
    let [largest, smallest] =
        [small.iter().max(), small.iter().min()].map(|count| Source::Machine(count.copied().unwrap_or(1)));
    let mut groups = vec![(false, large.clone()), (true, small.clone())];
    if large.len() > 1 {
        groups.extend(large.iter().map(|&count| (true, vec![count])));
    }
    groups.push((true, large.clone()));
    let mut tests = Vec::new();
    for law in &laws {
        for source in [Source::Itself, largest, smallest] {
            tests.extend(groups.iter().map(|(held_out, machines)| searches.test(law, source, *held_out, machines)));
        }
    }
    let prediction = |row: &&Measurement| Prediction {
        id: row.run.id.clone(),
        held_out: searches.is_held_out(row),
        processors: row.run.processors,
        work: row.nodes,
        span: row.span,
        time: row.time,
        predicted: searches.predict(papers, row, Source::Itself),
        from_small: searches.predict(papers, row, largest),
        from_smallest: searches.predict(papers, row, smallest),
        hiding: searches.predict(hiding, row, Source::Itself),
        hiding_from_small: searches.predict(hiding, row, largest),
        by_profile: law_of(Form::Profile).map(|law| searches.predict(law, row, Source::Itself)),
        idle: Tree::of(row).idle(row.run.processors as f64),
    };
    let predictions = searches.rows.iter().map(prediction).collect();
    Ok(PredictFindings { laws, tests, predictions, rows })
}

impl PredictFindings {
    /// The test of a form that counts: W and C of the run itself, positions and machines that were not fitted.
    pub fn verdict(&self, form: Form) -> Option<&PredictionTest> {
        self.held_out(form, Source::Itself)
    }

    /// The same with W and C of the largest of the machines of the fit.
    pub fn verdict_from_small(&self, form: Form, settings: &PredictSettings) -> Option<&PredictionTest> {
        self.held_out(form, Source::Machine(settings.small.iter().copied().max()?))
    }

    fn held_out(&self, form: Form, source: Source) -> Option<&PredictionTest> {
        let counts = |test: &&PredictionTest| test.form == form && test.held_out && test.source == source.name();
        self.tests.iter().rfind(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tests::{Scratch, small_plan};

    #[test]
    fn small_machines_tell_of_larger_ones() {
        let mut plan = small_plan();
        plan.suite.records.extend(crate::suite::Builtin::BratkoKopec.suite().records.into_iter().skip(1).take(5));
        plan.algorithms.truncate(1);
        let settings = PredictSettings { plan, small: vec![1, 2, 4], large: vec![8] };
        let scratch = Scratch::new("predict");
        let folder = Folder::open(scratch.path(), "v").unwrap();
        let findings = study(&settings, &folder, 2, &|_| {}).unwrap();
        assert_eq!((findings.laws.len(), findings.predictions.len()), (5, 8 * 4));
        let [c1, c2, _] = findings.laws[0].coefficients;
        assert!(c1 > 0.8 && c1 < 1.05 && c2 > 0.0, "{c1} {c2}");
        let mut tests: Vec<_> =
            findings.tests.iter().map(|test| (test.form, &test.source, test.held_out, &test.processors)).collect();
        let count = tests.len();
        tests.sort_by_key(|test| format!("{test:?}"));
        tests.dedup();
        assert_eq!(tests.len(), count, "no row is repeated");
        for (form, most) in [(Form::Papers, 0.25), (Form::Hiding, 0.1), (Form::Profile, 0.1)] {
            let verdict = findings.verdict(form).unwrap();
            assert_eq!((verdict.processors.as_slice(), verdict.agreement.count), ([8].as_slice(), 4));
            assert!(verdict.agreement.error < most, "{form:?} {:?}", verdict.agreement);
            let from_small = findings.verdict_from_small(form, &settings).unwrap();
            assert_eq!((from_small.source.as_str(), from_small.agreement.count), ("4 processors", 4));
        }
        let mut alone = settings.clone();
        alone.plan.suite.records.truncate(1);
        assert!(study(&alone, &folder, 1, &|_| {}).is_err(), "nothing is left to test the law on");
    }
}
