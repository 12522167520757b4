//! *Socrates (Joerg & Kuszmaul 1994): equation 1, the theorems, steal order, level waiting, the table.

use super::bench::Measured;
use super::fit::model;
use super::plans::{STRATEGY_PROCESSORS, Size};
use super::sheet::{Said, Sheet};
use super::theorems;
use crate::experiment::SpeedupCell;
use crate::experiment::statistics::{geometric_mean, mean};
use crate::published::published;

pub(super) fn write(sheet: &mut Sheet, machines: &Measured, scheduler: &Measured, size: Size) {
    sheet.paper("socrates", "*Socrates, 1994");
    if let Some(model) = model(machines, "jamboree") {
        let [work, span, constant] = model.fit.coefficients;
        let said =
            |row: &str| Said::from(published().table("socrates-eq1").and_then(|table| table.number(row, "value")));
        let rows = [
            ("coefficient of C".to_owned(), said("C"), span),
            ("coefficient of W/P".to_owned(), said("W/P"), work),
            ("constant, seconds".to_owned(), said("constant"), constant),
            ("correlation".to_owned(), Said::of("socrates-eq1-correlation"), model.agreement.correlation),
            (
                "mean relative error, %".to_owned(),
                Said::of("socrates-eq1-relative-error"),
                100.0 * model.agreement.error,
            ),
        ];
        sheet.compare("socrates-eq1", &rows, "every position on every machine, relative least squares.");
        sheet.page.plot(&model.plot("Equation 1"));
    }
    theorems::write(sheet, size, "socrates");
    let all = |measured: &Measured, algorithm: &str, processors, of: fn(&SpeedupCell) -> f64| -> Vec<f64> {
        measured.cells(algorithm, processors).iter().map(|cell| of(cell)).collect()
    };
    let growth = geometric_mean(&all(machines, "jamboree", 128, |cell| cell.factors.overhead));
    sheet.compare(
        "socrates-work-growth",
        &[("on 128 processors".into(), Said::of("socrates-work-growth"), growth)],
        "nodes against the serial search.",
    );
    let parallelism = geometric_mean(&all(machines, "jamboree", 128, |cell| cell.parallelism));
    sheet.compare(
        "socrates-parallelism",
        &[("on 128 processors".into(), Said::of("socrates-parallelism"), parallelism)],
        "it grows with the tree; theirs were tournament searches.",
    );
    let gain = |on: &str, off: &str| {
        let times = |algorithm| all(scheduler, algorithm, STRATEGY_PROCESSORS, |cell| cell.time);
        let ratios: Vec<f64> = times(on).iter().zip(times(off)).map(|(on, off)| off / on).collect();
        100.0 * (geometric_mean(&ratios) - 1.0)
    };
    let said = |row: &str| Said::range("socrates-scheduler", row, "at least", "at most");
    let rows = [
        (
            "children stolen in order".to_owned(),
            said("children stolen in order"),
            gain("jamboree", "jamboree+last-first"),
        ),
        ("level waiting".to_owned(), said("level waiting"), gain("jamboree+level-waiting", "jamboree")),
    ];
    let note = format!(
        "on {STRATEGY_PROCESSORS} processors. Their level waiting replaced helping any processor; ours replaces parking, where \
        the last helper carries on the waiting strand, so that no work is stalled."
    );
    sheet.compare("socrates-scheduler", &rows, &note);
    let most = machines.processors("jamboree").last().copied().unwrap_or(1);
    let waiting = 100.0 * mean(&all(machines, "jamboree", most, |cell| cell.traffic.table_wait));
    let said = Said::range("socrates-table", "waiting for the table", "at least", "at most");
    sheet.compare(
        "socrates-table",
        &[(format!("waiting for the table on {most}, % of the time"), said, waiting)],
        "set by the machine profile, which is StarTech's.",
    );
    let migrated = 100.0 * mean(&all(machines, "jamboree", most, |cell| cell.traffic.steals / cell.nodes));
    sheet.compare(
        "socrates-migrated",
        &[(format!("strands started for each node on {most}"), Said::of("socrates-migrated"), migrated)],
        "",
    );
}
