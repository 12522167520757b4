//! *Socrates (Joerg & Kuszmaul 1994): equation 1, the theorems, steal order, level waiting, the table.

use super::fit::{Depths, model};
use super::measured::Measured;
use super::plans::{SOCRATES_ALGORITHM, SOCRATES_ANYWHERE, SOCRATES_LAST_FIRST, STRATEGY_PROCESSORS, Size};
use super::sheet::{Row, Said, Sheet};
use super::theorems;
use crate::experiment::statistics::{bootstrap, geometric_mean, mean};
use crate::experiment::{Measurement, SpeedupCell};

pub(super) fn write(sheet: &mut Sheet, machines: &Measured, scheduler: &Measured, size: Size) {
    sheet.paper("socrates", "*Socrates, 1994");
    equation_1(sheet, machines);
    theorems::write(sheet, size, "socrates");
    let all = |measured: &Measured, algorithm: &str, processors, of: fn(&SpeedupCell) -> f64| -> Vec<f64> {
        measured.cells(algorithm, processors).iter().map(|cell| of(cell)).collect()
    };
    let counts = machines.processors(SOCRATES_ALGORITHM);
    let Some(&most) = counts.last() else { return };
    let large = if counts.contains(&128) { 128 } else { most };
    let growths = all(machines, SOCRATES_ALGORITHM, large, |cell| cell.factors.overhead);
    let row = Row::of("socrates-work-growth", format!("on {large} processors"), geometric_mean(&growths));
    let row = row.between(bootstrap(&growths, 1, geometric_mean));
    sheet.compare("socrates-work-growth", &[row], "nodes against the serial search.");
    let widths = all(machines, SOCRATES_ALGORITHM, large, |cell| cell.path.parallelism);
    let row = Row::of("socrates-parallelism", format!("W/C on {large} processors"), geometric_mean(&widths));
    let row = row.between(bootstrap(&widths, 1, geometric_mean));
    sheet.compare("socrates-parallelism", &[row], "it grows with the tree; theirs were tournament searches.");
    let narrow: Vec<f64> = machines
        .searches(SOCRATES_ALGORITHM, large)
        .iter()
        .map(|row| 100.0 * row.accounts.tree.ideal_below_10 as f64 / row.span.max(1) as f64)
        .collect();
    let row = Row::of("socrates-low-parallelism", format!("on {large} processors, % of ideal time"), mean(&narrow));
    sheet.compare("socrates-low-parallelism", &[row], "mean of the eight problems; theirs is a figure of *Tech.");
    let gain = |on: &str, off: &str| {
        let times = |algorithm| all(scheduler, algorithm, STRATEGY_PROCESSORS, |cell| cell.time);
        let ratios: Vec<f64> = times(on).iter().zip(times(off)).map(|(on, off)| off / on).collect();
        let percent = |values: &[f64]| 100.0 * (geometric_mean(values) - 1.0);
        (percent(&ratios), bootstrap(&ratios, 1, percent))
    };
    let rows = [
        ("children stolen in order", gain(SOCRATES_ALGORITHM, SOCRATES_LAST_FIRST)),
        ("level waiting", gain(SOCRATES_ALGORITHM, SOCRATES_ANYWHERE)),
    ];
    let rows = rows.map(|(name, (ours, interval))| {
        let said = Said::range("socrates-scheduler", name, "at least", "at most");
        Row::new("socrates-scheduler", name, said, ours).between(interval)
    });
    let note = format!(
        "on {STRATEGY_PROCESSORS} processors. Without level waiting a processor whose position waits for its children takes any work \
        and is interrupted when they are done, as in Cilk."
    );
    sheet.compare("socrates-scheduler", &rows, &note);
    let waiting = 100.0 * mean(&all(machines, SOCRATES_ALGORITHM, most, |cell| cell.traffic.table_wait));
    let said = Said::range("socrates-table", "waiting for the table", "at least", "at most");
    let row = Row::new("socrates-table", "waiting for the table, % of the time", said, waiting);
    let share = |of: fn(&Measurement) -> (u64, u64)| {
        let shares = machines.every(SOCRATES_ALGORITHM, most);
        let shares: Vec<f64> = shares.iter().map(|row| of(row)).map(|(a, b)| a as f64 / b.max(1) as f64).collect();
        mean(&shares)
    };
    let twice = share(|row| (row.accounts.table.duplicates, row.accounts.table.stores));
    let said = Said::range("socrates-table", "positions searched twice at once", "at least", "at most");
    let what = "results that the table had by the time they were found, % of all";
    let of_work = 100.0 * share(|row| (row.accounts.time.table, row.accounts.time.busy()));
    let rows = [
        row,
        Row::new("socrates-table", "waiting for the table, % of the time with work", Said::Nothing, of_work),
        Row::new("socrates-table", what, said, 100.0 * twice),
    ];
    let note = format!(
        "on {most} processors. What a look-up takes is set by the machine profile, how often one is made is not."
    );
    sheet.compare("socrates-table", &rows, &note);
    let copied = share(|row| (row.accounts.sharing.copied_keys, row.accounts.sharing.steals));
    let row = Row::of("socrates-history-length", format!("on {most} processors"), copied);
    sheet.compare("socrates-history-length", &[row], "keys that a helper takes over, for each steal.");
    let migrated = 100.0 * mean(&all(machines, SOCRATES_ALGORITHM, most, |cell| cell.traffic.steals / cell.nodes));
    let row = Row::of("socrates-migrated", format!("strands started for each node on {most}, %"), migrated);
    sheet.compare("socrates-migrated", &[row], "a thread of Cilk is a node or less.");
}

fn equation_1(sheet: &mut Sheet, machines: &Measured) {
    let Some(model) = model(machines, SOCRATES_ALGORITHM, Depths::LastFour) else { return };
    let [work, span, constant] = model.fit.coefficients;
    let errors = model.fit.errors.map(|error| 1.96 * error);
    let said = |row: &str| Said::cell("socrates-eq1", row, "value");
    let around = |value: f64, error: f64| (value - error, value + error);
    let rows = [
        Row::new("socrates-eq1", "coefficient of C", said("C"), span).between(around(span, errors[1])),
        Row::new("socrates-eq1", "coefficient of W/P", said("W/P"), work).between(around(work, errors[0])),
        Row::new("socrates-eq1", "constant, seconds", said("constant"), constant).between(around(constant, errors[2])),
        Row::of("socrates-eq1-correlation", "correlation", model.agreement.correlation),
        Row::of("socrates-eq1-error", "mean error, % of the mean time", 100.0 * model.agreement.mean_error),
        Row::of("socrates-eq1-relative-error", "mean relative error, %", 100.0 * model.agreement.error),
    ];
    let note = format!(
        "eight problems, the last four depths of each, on every machine: {} times, relative least squares. {}",
        model.agreement.count,
        model.below_the_bound()
    );
    sheet.compare("socrates-eq1", &rows, &note);
    sheet.page.plot(&model.plot("Equation 1"));
}
