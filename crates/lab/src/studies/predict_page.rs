//! The page of the study of predictions.

use super::law::{Form, Law};
use super::predict::{PredictFindings, PredictSettings, PredictionTest};
use crate::experiment::statistics::mean;
use crate::experiment::{Folder, LabError};
use crate::report::{Axis, Origin, Page, Plot, ReportTable, Series, fixed, percent, thousands};

/// Writes rows, laws, tests, predictions and the page.
///
/// # Errors
/// If something can't be written.
pub fn write(
    settings: &PredictSettings,
    findings: &PredictFindings,
    folder: &Folder,
    origin: Origin,
) -> Result<(), LabError> {
    folder.write_data("rows", &findings.rows)?;
    folder.write_data("predictions", &findings.predictions)?;
    folder.write_data("tests", &flat(&findings.tests))?;
    page(settings, findings, origin).write(folder)
}

/// Tests with their processors in one cell.
fn flat(tests: &[PredictionTest]) -> Vec<serde_json::Value> {
    let flatten = |test: &PredictionTest| {
        let mut value = serde_json::to_value(test).unwrap_or_default();
        value["processors"] = list(&test.processors).into();
        value
    };
    tests.iter().map(flatten).collect()
}

fn list(processors: &[usize]) -> String {
    processors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn page(settings: &PredictSettings, findings: &PredictFindings, origin: Origin) -> Page {
    let plan = &settings.plan;
    let mut page = Page::new("Predicting the time on large machines");
    page.text(&format!(
        "{} positions of {}, {}, rules {}, {} on virtual processors ({}). Every second position is kept out of the fit. \
         The laws are fitted to the others on {} processors, by least squares of relative errors, and tested on {} \
         processors. W is all nodes, C the critical path. I(p) is the time for which a processor would be without work on \
         average if p of them searched every node at its ideal time, or as soon after it as they can: the sum of max(0, d - \
         w/p) over the intervals of the critical path, each of length d with w nodes.",
        plan.suite.records.len(),
        plan.suite.name,
        plan.goal,
        plan.rules,
        plan.algorithms.join(", "),
        plan.profile,
        list(&settings.small),
        list(&settings.large),
    ));
    page.section("The laws").table(laws_table(&findings.laws));
    if !findings.laws.iter().any(|law| law.form == Form::Profile) {
        page.text("Rows in this folder are from a version that did not keep the profile: for the law with I, take a new folder.");
    }
    page.section("Positions and machines that were not fitted");
    for law in &findings.laws {
        page.table(tests_table(law.form, &findings.tests));
    }
    page.text(
        "With W and C (and the profile) of the run itself, as the papers have them, the test is of the law alone. With those of a small machine \
         it is also a guess at the size of the tree, which changes from run to run by luck.",
    );
    page.section("Pictures").plot(&scatter(findings)).plot(&spans(findings)).plot(&errors(findings));
    page.section("Every search").table(predictions_table(findings));
    let data = format!("{} searches: rows, predictions and tests as .csv and .json", findings.rows.len());
    page.how_it_was_made(&origin.fact("seed", plan.seed.to_string()).fact("data", data));
    page
}

fn laws_table(laws: &[Law]) -> ReportTable {
    let head = ["whose", "T =", "c1", "c2", "c3", "correlation", "mean relative error", "searches"];
    let mut table = ReportTable::new(head).title("Fitted, and published");
    for law in laws {
        let [c1, c2, c3] = std::array::from_fn(|i| {
            let places = if i == 2 { 0 } else { 3 };
            format!("{} \u{b1} {}", fixed(law.coefficients[i], places), fixed(law.errors[i], places))
        });
        let c3 = match law.form {
            Form::Papers => format!("{c3} ticks"),
            Form::Hiding | Form::Profile => fixed(law.coefficients[2], 2),
            Form::NoConstant | Form::NobodyWaitsAlone => String::new(),
        };
        table.push([
            "here".to_owned(),
            law.form.formula().into(),
            c1,
            c2,
            c3,
            fixed(law.fitted.correlation, 6),
            percent(law.fitted.error),
            law.fitted.count.to_string(),
        ]);
    }
    table.push(["StarTech", Form::Papers.formula(), "1.02", "1.5", "4.3 s", "", "", ""]);
    table.push([
        "*Socrates",
        Form::Papers.formula(),
        "1.091 \u{b1} 0.001",
        "0.95 \u{b1} 0.04",
        "0",
        "0.999947",
        "4.85 %",
        "",
    ]);
    table.note("\u{b1}: standard error. The papers fitted all machine sizes; here only the small ones are fitted.")
}

fn tests_table(form: Form, tests: &[PredictionTest]) -> ReportTable {
    let head = [
        "W and C of",
        "positions",
        "processors",
        "searches",
        "mean relative error",
        "bias",
        "worst",
        "correlation",
        "total",
    ];
    let mut table = ReportTable::new(head).title(format!("T = {}", form.formula()));
    for test in tests.iter().filter(|test| test.form == form) {
        table.push([
            test.source.clone(),
            (if test.held_out { "held out" } else { "fitted" }).to_owned(),
            list(&test.processors),
            test.agreement.count.to_string(),
            percent(test.agreement.error),
            percent(test.agreement.bias),
            percent(test.agreement.worst),
            fixed(test.agreement.correlation, 5),
            fixed(test.total, 3),
        ]);
    }
    table.note("Bias: the mean of predicted / measured - 1. Total: all predicted times over all measured times.")
}

fn scatter(findings: &PredictFindings) -> Plot {
    let points = |held_out: bool| {
        let own = findings.predictions.iter().filter(move |row| row.held_out == held_out);
        own.map(|row| (row.time as f64, row.predicted)).collect::<Vec<_>>()
    };
    let times = findings.predictions.iter().map(|row| row.time as f64);
    let (low, high) = times.fold((f64::MAX, 1.0), |(low, high): (f64, f64), time| (low.min(time), high.max(time)));
    Plot::new("Predicted and measured time", Axis::log10("measured, ticks"), Axis::log10("predicted, ticks"))
        .with(Series::points("fitted positions", points(false)))
        .with(Series::points("held out", points(true)))
        .with(Series::reference("equal", vec![(low, low), (high, high)]))
}

/// Means over positions for each number of processors.
fn by_processors(findings: &PredictFindings, of: impl Fn(&super::predict::Prediction) -> f64) -> Vec<(f64, f64)> {
    let mut counts: Vec<usize> = findings.predictions.iter().map(|row| row.processors).collect();
    counts.sort_unstable();
    counts.dedup();
    let value = |&count: &usize| {
        let own = findings.predictions.iter().filter(|row| row.processors == count);
        (count as f64, mean(&own.map(&of).collect::<Vec<_>>()))
    };
    counts.iter().map(value).collect()
}

fn spans(findings: &PredictFindings) -> Plot {
    let spans =
        by_processors(findings, |row| (row.time as f64 - row.work as f64 / row.processors as f64) / row.span as f64);
    Plot::new("What is left of the time after W/P", Axis::log2("processors"), Axis::linear("critical paths"))
        .with(Series::line("(T - W/P) / C", spans))
        .with(Series::line("I(P) / C", by_processors(findings, |row| row.idle / row.span as f64)))
        .note(
            "A law with one coefficient of C takes this for a constant. Small machines hide part of the critical path.",
        )
}

fn errors(findings: &PredictFindings) -> Plot {
    let error = |of: fn(&super::predict::Prediction) -> f64| {
        by_processors(findings, move |row| 100.0 * (of(row) / row.time as f64 - 1.0).abs())
    };
    Plot::new("Mean relative error", Axis::log2("processors"), Axis::linear("%"))
        .with(Series::line("papers' law, W and C of the run itself", error(|row| row.predicted)))
        .with(Series::line("of a small machine", error(|row| row.from_small)))
        .with(Series::line("of the smallest", error(|row| row.from_smallest)))
        .with(Series::line("small machines hide C: of the run itself", error(|row| row.hiding)))
        .with(Series::line("of a small machine, C hidden", error(|row| row.hiding_from_small)))
}

fn predictions_table(findings: &PredictFindings) -> ReportTable {
    let head =
        ["position", "", "P", "W", "C", "measured", "papers' law", "error", "C hidden", "error", "with I", "error"];
    let mut table = ReportTable::new(head);
    for row in &findings.predictions {
        table.push([
            row.id.clone(),
            (if row.held_out { "held out" } else { "" }).to_owned(),
            row.processors.to_string(),
            thousands(row.work as f64),
            thousands(row.span as f64),
            thousands(row.time as f64),
            thousands(row.predicted),
            percent(row.predicted / row.time as f64 - 1.0),
            thousands(row.hiding),
            percent(row.hiding / row.time as f64 - 1.0),
            row.by_profile.map_or_else(String::new, thousands),
            row.by_profile.map_or_else(String::new, |time| percent(time / row.time as f64 - 1.0)),
        ]);
    }
    table
}
