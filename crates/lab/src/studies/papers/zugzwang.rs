//! Zugzwang (Feldmann, Mysliwietz & Monien 1990): figures 3 to 5, three curves, three kinds of table.

use super::bench::Measured;
use super::fit::TICK;
use super::sheet::{Said, Sheet};
use crate::experiment::statistics::mean;
use crate::experiment::{Iteration, SpeedupCell};
use crate::published::published;
use crate::report::{Axis, Plot, ReportTable, Series, fixed, percent};
use search::Costs;

const LARGEST: usize = 64;

pub(super) fn write(sheet: &mut Sheet, machines: &Measured, tables: &[Measured; 2]) {
    sheet.paper("zugzwang", "Zugzwang, 1990");
    figure_3(sheet);
    figure_4(sheet, machines);
    figure_5(sheet, machines);
    curves(sheet, machines);
    places(sheet, tables);
}

/// The rates follow from the machine profile, which was made from this figure.
fn figure_3(sheet: &mut Sheet) {
    let costs = Costs::zugzwang();
    let alone = 1e6 / costs.node as f64;
    let traffic = 1e6 / (costs.node as f64 + costs.mean_look_up(32));
    let said = |row: &str, column: &str| {
        Said::from(published().table("zugzwang-3").and_then(|table| table.number(row, column)))
    };
    let rows = [
        ("1 processor, table: nodes a second".to_owned(), said("1 processor, table", "nodes a second"), alone),
        (
            "1 of 32, table traffic: nodes a second".to_owned(),
            said("1 of 32, table traffic", "nodes a second"),
            traffic,
        ),
        ("delay, %".to_owned(), said("1 of 32, table traffic", "delay, %"), 100.0 * (1.0 - traffic / alone)),
    ];
    sheet.compare("zugzwang-3", &rows, "these are the costs of the virtual Transputer, taken from this figure: no evidence. Its rate of 350 is that of section 2.");
}

/// Sums over all positions, for one processor and for the largest machine: of the last depth, and of all depths.
fn figure_4(sheet: &mut Sheet, machines: &Measured) {
    let (one, many) = (machines.searches("serial", 1), machines.searches("ybw", LARGEST));
    let before = |iterations: &[Iteration]| iterations.iter().rev().nth(1).map_or(0, |iteration| iteration.time) as f64;
    let (mut last, mut whole) = ([0.0; 2], [0.0; 2]);
    for (one, many) in one.iter().zip(&many) {
        for (place, row) in [(0, one), (1, many)] {
            whole[place] += row.time as f64;
            last[place] += row.time as f64 - before(&row.iterations);
        }
    }
    let load = machines.mean("ybw", LARGEST).map_or(0.0, |mean| 100.0 * mean.factors.load);
    let said = |row: &str, column: &str| {
        Said::from(published().table("zugzwang-4").and_then(|table| table.number(row, column)))
    };
    let rows = [
        ("speedup of the last depth alone".to_owned(), said("depth 7 alone", "speedup"), last[0] / last[1]),
        ("speedup of all depths".to_owned(), said("depths 1 to 7", "speedup"), whole[0] / whole[1]),
        ("load of all depths, %".to_owned(), said("depths 1 to 7", "load, %"), load),
    ];
    sheet.compare("zugzwang-4", &rows, "ratios of sums; depths are those at which the serial search is large enough.");
}

fn figure_5(sheet: &mut Sheet, machines: &Measured) {
    type Column = (&'static str, &'static str, fn(&SpeedupCell) -> f64);
    let columns: [Column; 7] = [
        ("nodes, 1", "nodes, 1", |cell| cell.serial_nodes),
        ("seconds, 1", "seconds, 1", |cell| cell.serial_time * TICK),
        ("nodes, 64", "nodes, 64", |cell| cell.nodes),
        ("seconds, 64", "seconds, 64", |cell| cell.time * TICK),
        ("load, %", "load, %", |cell| 100.0 * cell.factors.load),
        ("overhead, %", "overhead, %", |cell| 100.0 * (cell.factors.overhead - 1.0)),
        ("speedup", "speedup", |cell| cell.speedup),
    ];
    let heads: Vec<String> = columns.iter().map(|(head, _, _)| (*head).to_owned()).collect();
    let cells = machines.cells("ybw", LARGEST);
    let table = published().table("zugzwang-5");
    let mut rows = Vec::new();
    for cell in &cells {
        // BK.02 is position 2.
        let number = cell.id.trim_start_matches(|c: char| !c.is_ascii_digit()).trim_start_matches('0').to_owned();
        let said = |column: &str| Said::from(table.and_then(|table| table.number(&number, column)));
        rows.push((number.clone(), columns.iter().map(|(_, column, of)| (said(column), of(cell))).collect()));
    }
    let total = |of: fn(&SpeedupCell) -> f64| cells.iter().map(|cell| of(cell)).sum::<f64>();
    let (nodes, nodes_1) = (total(|cell| cell.nodes), total(|cell| cell.serial_nodes));
    let (time, time_1) = (total(|cell| cell.time) * TICK, total(|cell| cell.serial_time) * TICK);
    let load = 100.0 * mean(&cells.iter().map(|cell| cell.factors.load).collect::<Vec<_>>());
    let ours = [nodes_1, time_1, nodes, time, load, 100.0 * (nodes / nodes_1 - 1.0), time_1 / time];
    let said = |column: &str| Said::from(table.and_then(|table| table.number("sum", column)));
    rows.push((
        "sum".to_owned(),
        columns.iter().zip(ours).map(|((_, column, _), ours)| (said(column), ours)).collect(),
    ));
    sheet.compare_grid("zugzwang-5", &heads, &rows, "position 1, a mate, is left out. Ours are smaller trees.");
}

fn curves(sheet: &mut Sheet, machines: &Measured) {
    type Curve = (&'static str, &'static str, &'static str, fn(&crate::experiment::Mean) -> f64);
    let curves: [Curve; 3] = [
        ("zugzwang-speedup", "Speedup", "ratio of summed times", |mean| mean.total),
        ("zugzwang-load", "Load", "time with work, %", |mean| 100.0 * mean.factors.load),
        ("zugzwang-overhead", "Search overhead", "nodes beyond those of one, %", |mean| {
            100.0 * (mean.factors.overhead - 1.0)
        }),
    ];
    let counts = machines.processors("ybw");
    for (id, title, label, of) in curves {
        let ours = |count| machines.mean("ybw", count).map_or(0.0, of);
        let said = |count: usize| published().table(id).and_then(|table| table.number("7", &count.to_string()));
        let rows: Vec<_> =
            counts.iter().map(|&count| (format!("{count} processors"), Said::from(said(count)), ours(count))).collect();
        sheet.compare(
            id,
            &rows,
            "at the depth that each position is searched to; the paper's numbers are those of depth 7.",
        );
        let y = if id == "zugzwang-speedup" { Axis::log2(label) } else { Axis::linear(label) };
        let published: Vec<_> = counts.iter().filter_map(|&count| Some((count as f64, said(count)?))).collect();
        let plot = Plot::new(title, Axis::log2("processors"), y)
            .with(Series::line("ours", counts.iter().map(|&count| (count as f64, ours(count))).collect()))
            .with(Series::points("published, depth 7", published));
        sheet.page.plot(&plot);
    }
}

/// A table on each processor, one table that all processors reach at no cost, and one distributed over all.
fn places(sheet: &mut Sheet, tables: &[Measured; 2]) {
    let [near, distributed] = tables;
    let mut table = ReportTable::new(["table", "processors", "speedup", "nodes", "load", "waiting for the table"])
        .title("Section 5: three places for the table");
    let mut delays = Vec::new();
    for (name, measured, algorithm) in [
        ("local: each its own", near, "ybw+own-tables"),
        ("global: one for all, at no cost", near, "ybw"),
        ("distributed: remote entries cost a message", distributed, "ybw"),
    ] {
        for count in measured.processors(algorithm) {
            let Some(mean) = measured.mean(algorithm, count) else { continue };
            let nodes = format!("\u{d7}{}", fixed(mean.factors.overhead, 2));
            table.push([
                name.to_owned(),
                count.to_string(),
                fixed(mean.total, 2),
                nodes,
                percent(mean.factors.load),
                percent(mean.traffic.table_wait),
            ]);
            if name.starts_with("distributed") {
                delays.push(100.0 * mean.traffic.table_wait / mean.factors.load);
            }
        }
    }
    sheet.page.table(table.note("Speedups are ratios of summed times against one processor with the whole table. The paper measured only the distributed table; a global one on one processor would also have a queue there, which is not simulated."));
    let said =
        Said::from(published().table("zugzwang-tables").and_then(|table| table.number("distributed", "delay, %")));
    sheet.compare(
        "zugzwang-tables",
        &[("distributed: delay, %".to_owned(), said, mean(&delays))],
        "from the profile's costs.",
    );
}
