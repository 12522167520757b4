//! The study of the critical path: which waits it consists of, and what nodes in vain consist of.
//!
//! The search of one processor is the same whichever waits are left out of its critical path, so W/C can be compared with and
//! without each.

use crate::experiment::statistics::{bootstrap, geometric_mean, mean};
use crate::experiment::{Folder, LabError, Measurement, Plan, Progress, Run, perform_all};
use crate::report::{Axis, Bars, Column, Origin, Page, ReportTable, fixed, percent, thousands};
use search::Wait;
use serde::Serialize;

/// Some waits that are left out together.
#[derive(Clone, Copy, Debug)]
struct LeftOut {
    says: &'static str,
    waits: &'static [Wait],
}

/// What is left out, in the order of the page.
const LEFT_OUT: [LeftOut; 10] = [
    LeftOut { says: "nothing", waits: &[] },
    LeftOut { says: "null move and ProbCut before the moves", waits: &[Wait::Pruning] },
    LeftOut { says: "the singular search before the moves", waits: &[Wait::Singular] },
    LeftOut { says: "the reduced test before the test at full depth", waits: &[Wait::ReducedTest] },
    LeftOut { says: "tests before a value", waits: &[Wait::Test] },
    LeftOut { says: "these four", waits: &SMALL },
    LeftOut { says: "the eldest brother on the principal variation", waits: &[Wait::Eldest] },
    LeftOut { says: "the iteration before", waits: &[Wait::Iteration] },
    LeftOut { says: "eldest and iterations", waits: &[Wait::Eldest, Wait::Iteration] },
    LeftOut { says: "all six", waits: &Wait::ALL },
];

/// The waits inside of a node.
const SMALL: [Wait; 4] = [Wait::Pruning, Wait::Singular, Wait::ReducedTest, Wait::Test];

/// The average parallelism of an algorithm's searches without some waits.
#[derive(Clone, Debug, Serialize)]
pub struct SpanRow {
    /// How the tree is divided.
    pub algorithm: String,
    /// What is left out of the critical path.
    pub without: String,
    /// Nodes, mean of the positions.
    pub work: f64,
    /// Critical path in nodes, mean of the positions.
    pub span: f64,
    /// W/C, geometric mean.
    pub parallelism: f64,
    /// Its 95 % interval.
    pub low: f64,
    /// Its 95 % interval.
    pub high: f64,
}

/// What the nodes of parallel searches were spent on, as shares of all nodes.
#[derive(Clone, Debug, Serialize)]
pub struct VainRow {
    /// How the tree is divided.
    pub algorithm: String,
    /// Number of processors.
    pub processors: usize,
    /// Nodes relative to one processor, geometric mean.
    pub nodes: f64,
    /// Below moves that failed their test at nodes of type 1: searched again with the whole window.
    pub failed_type_1: f64,
    /// The same at nodes of type 2.
    pub failed_type_2: f64,
    /// The same at nodes of type 3.
    pub failed_type_3: f64,
    /// Below moves after the one that cut their node off, of type 1.
    pub cutoff_type_1: f64,
    /// The same at nodes of type 2.
    pub cutoff_type_2: f64,
    /// The same at nodes of type 3.
    pub cutoff_type_3: f64,
    /// Of searches that were given up before they had an answer.
    pub aborted: f64,
    /// Results that another strand had found meanwhile.
    pub duplicates: f64,
    /// Time without work.
    pub idle: f64,
}

/// Makes the searches that are not there yet, and writes rows, tables and page into the folder.
///
/// # Errors
/// If the plan has a wrong setting, or something can't be written.
pub fn study(
    plan: &Plan,
    folder: &Folder,
    jobs: usize,
    origin: Origin,
    watch: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<(Vec<SpanRow>, Vec<VainRow>), LabError> {
    plan.check()?;
    let choices = perform_all(&plan.choices(), folder, jobs, watch)?;
    let wanted: Vec<Run> = plan.runs(&choices).into_iter().filter(|run| run.algorithm != "serial").collect();
    let alone: Vec<Run> = LEFT_OUT.iter().flat_map(|left_out| wanted.iter().map(|run| on_one(run, left_out))).collect();
    let spans = perform_all(&alone, folder, jobs, watch)?;
    let crowd: Vec<Run> = wanted.into_iter().filter(|run| run.processors > 1).collect();
    let crowds = perform_all(&crowd, folder, jobs, watch)?;
    let span_rows: Vec<SpanRow> = plan
        .algorithms
        .iter()
        .flat_map(|name| LEFT_OUT.iter().map(|left_out| span_row(name, left_out, &spans, plan.seed)))
        .collect();
    let vain_rows: Vec<VainRow> = plan
        .algorithms
        .iter()
        .flat_map(|name| plan.processors.iter().map(|&count| vain_row(name, count, &spans, &crowds)))
        .filter(|row| row.processors > 1)
        .collect();
    folder.write_data("span", &span_rows)?;
    folder.write_data("vain", &vain_rows)?;
    folder.write_data("rows", &spans.iter().chain(&crowds).cloned().collect::<Vec<_>>())?;
    page(plan, &span_rows, &vain_rows, origin).write(folder)?;
    Ok((span_rows, vain_rows))
}

/// The name of an algorithm whose critical path leaves waits out.
fn name_without(algorithm: &str, waits: &[Wait]) -> String {
    waits.iter().fold(algorithm.to_owned(), |name, wait| format!("{name}+without-{}", wait.name()))
}

/// The same search on one processor, whose critical path leaves waits out.
fn on_one(run: &Run, left_out: &LeftOut) -> Run {
    let algorithm = name_without(&run.algorithm, left_out.waits);
    Run { algorithm, processors: 1, seed: 0, ..run.clone() }
}

fn parallelism(row: &Measurement) -> f64 {
    row.nodes as f64 / row.span.max(1) as f64
}

fn span_row(algorithm: &str, left_out: &LeftOut, rows: &[Measurement], seed: u64) -> SpanRow {
    let name = name_without(algorithm, left_out.waits);
    let own: Vec<&Measurement> = rows.iter().filter(|row| row.run.algorithm == name).collect();
    let values: Vec<f64> = own.iter().map(|row| parallelism(row)).collect();
    let (low, high) = bootstrap(&values, seed, geometric_mean);
    let average = |of: fn(&Measurement) -> u64| mean(&own.iter().map(|row| of(row) as f64).collect::<Vec<_>>());
    SpanRow {
        algorithm: algorithm.to_owned(),
        without: left_out.says.to_owned(),
        work: average(|row| row.nodes),
        span: average(|row| row.span),
        parallelism: geometric_mean(&values),
        low,
        high,
    }
}

fn vain_row(algorithm: &str, processors: usize, alone: &[Measurement], crowds: &[Measurement]) -> VainRow {
    let is_own = |row: &&Measurement| row.run.algorithm == algorithm && row.run.processors == processors;
    let own: Vec<&Measurement> = crowds.iter().filter(is_own).collect();
    let total = own.iter().map(|row| row.nodes).sum::<u64>().max(1) as f64;
    let share = |of: fn(&Measurement) -> u64| own.iter().map(|row| of(row)).sum::<u64>() as f64 / total;
    let overhead = |row: &&Measurement| {
        let is_same = |one: &&Measurement| {
            one.run.id == row.run.id && one.run.algorithm == algorithm && one.run.repeat == row.run.repeat
        };
        alone.iter().find(is_same).map(|one| row.nodes as f64 / one.nodes.max(1) as f64)
    };
    let time: u64 = own.iter().map(|row| row.time * processors as u64).sum();
    let idle: u64 = own.iter().map(|row| row.accounts.time.looking + row.accounts.time.waiting).sum();
    VainRow {
        algorithm: algorithm.to_owned(),
        processors,
        nodes: geometric_mean(&own.iter().filter_map(overhead).collect::<Vec<_>>()),
        failed_type_1: share(|row| {
            let lost = &row.accounts.lost;
            lost.failed_work - lost.failed_type_2 - lost.failed_type_3
        }),
        failed_type_2: share(|row| row.accounts.lost.failed_type_2),
        failed_type_3: share(|row| row.accounts.lost.failed_type_3),
        cutoff_type_1: share(|row| {
            let lost = &row.accounts.lost;
            lost.cutoff_work - lost.cutoff_type_2 - lost.cutoff_type_3
        }),
        cutoff_type_2: share(|row| row.accounts.lost.cutoff_type_2),
        cutoff_type_3: share(|row| row.accounts.lost.cutoff_type_3),
        aborted: share(|row| row.accounts.lost.aborted_work),
        duplicates: share(|row| row.accounts.table.duplicates),
        idle: idle as f64 / time.max(1) as f64,
    }
}

fn page(plan: &Plan, spans: &[SpanRow], vain: &[VainRow], origin: Origin) -> Page {
    let mut page =
        Page::new(format!("The critical path on {} positions of {}", plan.suite.records.len(), plan.suite.name));
    page.text(
        "W/C is the average parallelism: all nodes over the longest chain of nodes that had to wait for each other. Each line \
         leaves one kind of wait out of that chain. The search on one processor is the same in all lines, so the difference is \
         what the wait costs. A wait that is left out here is not a promise: work that begins early may turn out not to be \
         wanted.",
    );
    page.files(&[("span.csv", "the critical path"), ("vain.csv", "nodes in vain"), ("rows.csv", "every search")]);
    page.section("W/C without each wait");
    for name in &plan.algorithms {
        let own: Vec<&SpanRow> = spans.iter().filter(|row| row.algorithm == *name).collect();
        page.table(span_table(name, &own));
        let bars = Bars::new(
            format!("{name}: W/C"),
            "left out",
            (1..=own.len()).map(|number| number.to_string()).collect(),
            Axis::log2("W/C"),
        );
        let bars = bars.with("W/C", own.iter().map(|row| row.parallelism).collect());
        page.picture(&bars.note("The bars in the order of the table.").picture());
    }
    if !vain.is_empty() {
        page.section("Nodes in vain").table(vain_table(vain));
    }
    page.glossary();
    let facts = [("rules", plan.rules.clone()), ("profile", plan.profile.clone()), ("seed", plan.seed.to_string())];
    page.how_it_was_made(&facts.into_iter().fold(origin, |origin, (name, fact)| origin.fact(name, fact)));
    page
}

fn span_table(name: &str, rows: &[&SpanRow]) -> ReportTable {
    let first = rows.first().map_or(1.0, |row| row.parallelism);
    let mut table = ReportTable::new(["", "left out", "W", "C", "W/C", "95 %", "times as it is"]).title(name);
    for (number, row) in rows.iter().enumerate() {
        table.push([
            (number + 1).to_string(),
            row.without.clone(),
            thousands(row.work),
            thousands(row.span),
            fixed(row.parallelism, 1),
            format!("{} to {}", fixed(row.low, 1), fixed(row.high, 1)),
            fixed(row.parallelism / first, 2),
        ]);
    }
    table.note(
        "W and C in nodes, means; W/C is a geometric mean, with its 95 % interval by drawing the positions again.",
    )
}

fn vain_table(rows: &[VainRow]) -> ReportTable {
    let columns: [Column<VainRow>; 12] = [
        ("algorithm", |row| row.algorithm.clone()),
        ("P", |row| row.processors.to_string()),
        ("nodes", |row| fixed(row.nodes, 3)),
        ("failed, type 1", |row| percent(row.failed_type_1)),
        ("type 2", |row| percent(row.failed_type_2)),
        ("type 3", |row| percent(row.failed_type_3)),
        ("after a cutoff, type 1", |row| percent(row.cutoff_type_1)),
        ("type 2", |row| percent(row.cutoff_type_2)),
        ("type 3", |row| percent(row.cutoff_type_3)),
        ("aborted", |row| percent(row.aborted)),
        ("duplicates", |row| percent(row.duplicates)),
        ("idle", |row| percent(row.idle)),
    ];
    ReportTable::of(rows, &columns).note(
        "nodes: relative to one processor after the same warm-up. Failed: below moves that failed their test and were searched \
         again. After a cutoff: below moves after the one that cut their node off. Both by the type of the node, and each node \
         counts once. Aborted: of searches that were given up; these are counted in the other columns as well where they belong \
         there. Duplicates: results that another strand had found meanwhile. All are shares of all nodes.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tests::{Scratch, small_plan};

    #[test]
    fn the_search_stays_the_same_and_fewer_waits_give_more_parallelism() {
        let plan = Plan { algorithms: vec!["jubilee".into()], processors: vec![4], ..small_plan() };
        let scratch = Scratch::new("span");
        let folder = Folder::open(scratch.path(), "test").unwrap();
        let (spans, vain) = study(&plan, &folder, 1, Origin::here("test"), &|_| {}).unwrap();
        assert_eq!(spans.len(), LEFT_OUT.len());
        assert!(spans.iter().all(|row| row.work == spans[0].work), "{spans:?}");
        let at = |says: &str| spans.iter().find(|row| row.without == says).unwrap().parallelism;
        let as_it_is = at(LEFT_OUT[0].says);
        assert!(spans.iter().all(|row| row.parallelism >= as_it_is));
        assert!(at("eldest and iterations") > at(LEFT_OUT[7].says) && at("all six") > at("eldest and iterations"));
        assert_eq!((vain.len(), vain[0].processors), (1, 4));
        assert!(vain[0].idle > 0.0 && vain[0].idle < 1.0);
    }
}
