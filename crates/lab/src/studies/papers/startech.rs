//! StarTech (Kuszmaul 1995): equations 1 and 2, wasted work and the three strategies. The figures have a file of their own.

use super::fit::{Depths, model};
use super::measured::{Bench, Measured};
use super::plans::{self, Extent, STARTECH_ALGORITHM, STRATEGY_PROCESSORS};
use super::sheet::{Row, Said, Sheet};
use super::startech_figures::{figure_4, figure_5, figure_8, figures_6_and_7};
use super::{cycles, machine_figures, startech_tree, theorems};
use crate::bench::LostWork;
use crate::experiment::statistics::{bootstrap, geometric_mean, mean};
use crate::experiment::{LabError, SpeedupCell};
use crate::published::published;
use crate::rate::estimate;

pub(super) fn write(sheet: &mut Sheet, bench: &mut Bench<'_>, extent: &Extent) -> Result<(), LabError> {
    sheet.paper("startech", "StarTech, 1995");
    figure_4(sheet, bench, extent)?;
    let machines = bench.measured(&plans::startech(extent)?)?;
    figure_5(sheet, &machines);
    equation_1(sheet);
    figures_6_and_7(sheet, &machines);
    figure_8(sheet, &machines);
    cycles::figure_9(sheet)?;
    equation_2(sheet, &machines);
    waste(sheet, &machines);
    let [with, without] = plans::startech_strategies(extent)?;
    let (with, without) = (bench.measured(&with)?, bench.measured(&without)?);
    strategies(sheet, &with, &without);
    startech_tree::first_moves(sheet, &with, &without);
    startech_tree::stolen_work(sheet, &machines);
    theorems::write(sheet, extent.size, "startech");
    let copied: Vec<f64> = machines
        .every(STARTECH_ALGORITHM, most(&machines))
        .iter()
        .map(|row| row.accounts.sharing.copied_keys as f64 / row.accounts.sharing.steals.max(1) as f64)
        .collect();
    let row = Row::of("startech-history-length", format!("on {} processors", most(&machines)), mean(&copied));
    sheet.compare("startech-history-length", &[row], "keys that a helper takes over, for each steal.");
    if let Some(row) = machines.rows.first() {
        machine_figures::startech(sheet, &row.run.profile);
    }
    Ok(())
}

/// The largest machine.
fn most(machines: &Measured) -> usize {
    machines.processors(STARTECH_ALGORITHM).last().copied().unwrap_or(1)
}

/// The formula of the rating.
fn equation_1(sheet: &mut Sheet) {
    let rows = [
        Row::of("startech-eq1-constant", "rating at a sum of one second", estimate(1.0)),
        Row::of("startech-eq1-slope", "points for a factor of ten", estimate(1.0) - estimate(10.0)),
    ];
    sheet.compare("startech-eq1-constant", &rows, "the formula is the paper's: no evidence.");
}

fn equation_2(sheet: &mut Sheet, machines: &Measured) {
    let Some(model) = model(machines, STARTECH_ALGORITHM, Depths::Last) else { return };
    let [c1, c2, c3] = model.fit.coefficients;
    let [e1, e2, e3] = model.fit.errors.map(|error| 1.96 * error);
    let rows = [
        Row::of("startech-eq2-c1", "c1, of W/P", c1).between((c1 - e1, c1 + e1)),
        Row::of("startech-eq2-c2", "c2, of C", c2).between((c2 - e2, c2 + e2)),
        Row::of("startech-eq2-c3", "c3, seconds", c3).between((c3 - e3, c3 + e3)),
        Row::of("startech-eq2-bound", "c1 + c2", c1 + c2),
        Row::new("startech-eq2-c1", "mean relative error, %", Said::Nothing, 100.0 * model.agreement.error),
        Row::new("startech-eq2-c1", "correlation", Said::Nothing, model.agreement.correlation),
    ];
    let note = format!(
        "T = c1 W/P + c2 C + c3, fitted to every position on every machine by relative least squares; waiting for the table \
        counts as work. Nothing is computed before a search, so c3 is near zero. {}",
        model.below_the_bound()
    );
    sheet.compare("startech-eq2-c1", &rows, &note);
    sheet.page.plot(&model.plot("Equation 2"));
}

fn waste(sheet: &mut Sheet, machines: &Measured) {
    let Some(&most) = machines.processors(STARTECH_ALGORITHM).last() else { return };
    let cells = machines.cells(STARTECH_ALGORITHM, most);
    let mut rows = Vec::new();
    for (name, of) in [
        ("cutoff work", (|cell| cell.lost.cutoff_work) as fn(&SpeedupCell) -> f64),
        ("failed work", |cell| cell.lost.failed_work),
    ] {
        let all: Vec<f64> = cells.iter().map(|cell| 100.0 * of(cell)).collect();
        let said = Said::range("startech-waste", name, "at least", "at most");
        let row = Row::new("startech-waste", format!("{name} on {most}, mean"), said, mean(&all));
        rows.push(row.between(bootstrap(&all, 1, mean)));
        let highest = all.iter().copied().fold(0.0, f64::max);
        rows.push(Row::new("startech-waste", format!("{name} on {most}, highest"), said, highest));
    }
    let searches = machines.every(STARTECH_ALGORITHM, most);
    let total = |of: fn(&LostWork) -> u64| searches.iter().map(|row| of(&row.accounts.lost) as f64).sum::<f64>();
    let failed = total(|lost| lost.failed_work).max(1.0);
    // Rows have the type of the node whose move was tested. The paper speaks of the position after the move: below nodes of
    // types 1 and 3 it is of type 2, below those of type 2 it is of type 3.
    let of_type_3 = 100.0 * total(|lost| lost.failed_type_2) / failed;
    for (name, share) in [("at type 2 below alpha", 100.0 - of_type_3), ("at type 3 below alpha", of_type_3)] {
        let said = Said::range("startech-waste", name, "at least", "at most");
        rows.push(Row::new("startech-waste", format!("failed work {name} on {most}, % of failed work"), said, share));
    }
    sheet.compare(
        "startech-waste",
        &rows,
        "cutoff and failed work are shares of all nodes; each node is counted once. Types are those of the positions whose test failed.",
    );
}

/// What each strategy changes: time, nodes and parallelism of the search with it, relative to the search without.
fn strategies(sheet: &mut Sheet, with: &Measured, without: &Measured) {
    let cells = |measured: &Measured, algorithm: &str| -> Vec<SpeedupCell> {
        measured.cells(algorithm, STRATEGY_PROCESSORS).into_iter().cloned().collect()
    };
    let ratios = |on: &[SpeedupCell], off: &[SpeedupCell], of: fn(&SpeedupCell) -> f64| -> Vec<f64> {
        on.iter().zip(off).map(|(on, off)| of(off) / of(on)).collect()
    };
    let percent = |ratios: &[f64]| 100.0 * (geometric_mean(ratios) - 1.0);
    let plain = cells(with, "jamboree");
    let deferred = cells(with, "jamboree+deferred-reads");
    let serial = cells(with, "jamboree+two-serial");
    let all_serial = cells(with, "jamboree+serial-below-alpha");
    let flat = cells(without, "jamboree");
    // The published range in two columns: without the strategy from the third on, what it brings from the fifth on.
    let range = |row: &str, quantity: &str, column: usize| {
        let table = published().table("startech-strategies");
        let found = table.and_then(|table| {
            let is_it = |cells: &&Vec<crate::published::PublishedCell>| {
                cells[0].to_string() == row && cells[1].to_string() == quantity
            };
            table.rows.iter().find(is_it).map(|cells| (cells[column].number(), cells[column + 1].number()))
        });
        match found {
            Some((Some(a), Some(b))) if a == b => Said::Number(a),
            Some((a, b)) => Said::Between(a, b),
            None => Said::Nothing,
        }
    };
    let said = |row: &str, quantity: &str| range(row, quantity, 4);
    let row = |what: &str, said: Said, ratios: Vec<f64>| {
        Row::new("startech-strategies", what, said, percent(&ratios)).between(bootstrap(&ratios, 1, percent))
    };
    let first =
        |cells: &[SpeedupCell]| mean(&cells.iter().map(|cell| 100.0 * cell.lost.tree.first_best).collect::<Vec<_>>());
    let without = range("recursive deepening", "first move right, %", 2);
    let id = "startech-strategies";
    let rows = [
        Row::new(id, "without recursive deepening, first move right, %", without, first(&flat)),
        Row::new(id, "with recursive deepening, first move right, %", Said::Nothing, first(&plain)),
        row(
            "recursive deepening, faster by %",
            said("recursive deepening", "performance"),
            ratios(&plain, &flat, |cell| cell.time),
        ),
        row(
            "deferred reads, faster by %",
            said("deferred reads", "performance"),
            ratios(&deferred, &plain, |cell| cell.time),
        ),
        row(
            "two serial children, work smaller by %",
            said("two serial children at type 2", "efficiency"),
            ratios(&serial, &plain, |cell| cell.nodes),
        ),
        row("two serial children, faster by %", Said::Nothing, ratios(&serial, &plain, |cell| cell.time)),
    ];
    let note = format!(
        "on {STRATEGY_PROCESSORS} processors, geometric means of {} positions, each strategy by itself.",
        plain.len()
    );
    sheet.compare("startech-strategies", &rows, &note);
    let parallelism =
        |cells: &[SpeedupCell]| geometric_mean(&cells.iter().map(|cell| cell.path.parallelism).collect::<Vec<_>>());
    let name = "type 2 below alpha, one more child";
    let saved = |ratios: &[f64]| 100.0 - 100.0 / geometric_mean(ratios);
    let works = ratios(&serial, &plain, |cell| cell.nodes);
    let all_works = ratios(&all_serial, &plain, |cell| cell.nodes);
    let all = "types 2 and 3 below alpha, all children";
    let id = "startech-serialization";
    let rows = [
        Row::new(
            id,
            "one more child at type 2: work saved, %",
            Said::range(id, name, "work saved, at least, %", "work saved, at most, %"),
            saved(&works),
        )
        .between(bootstrap(&works, 1, saved)),
        Row::new(
            id,
            "one more child at type 2: parallelism",
            Said::range(id, name, "parallelism, at least", "parallelism, at most"),
            parallelism(&serial),
        ),
        Row::new(
            id,
            "all children at types 2 and 3: work saved, %",
            Said::range(id, all, "work saved, at least, %", "work saved, at most, %"),
            saved(&all_works),
        )
        .between(bootstrap(&all_works, 1, saved)),
        Row::new(
            id,
            "all children at types 2 and 3: parallelism",
            Said::range(id, all, "parallelism, at least", "parallelism, at most"),
            parallelism(&all_serial),
        ),
        Row::new(id, "without it: parallelism", Said::Nothing, parallelism(&plain)),
    ];
    sheet.compare(id, &rows, "");
}
