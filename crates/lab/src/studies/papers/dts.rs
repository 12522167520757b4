//! Dynamic tree splitting (Hyatt 1997): tables 1 to 6, and what the text says of idle time, splits and extra nodes.

use super::measured::{Measured, mean_speedup};
use super::sheet::{Row, Said, Sheet};
use super::{fit::TICK, machine_figures};
use crate::experiment::statistics::{bootstrap, correlation, mean};
use crate::experiment::{Measurement, SpeedupCell};
use crate::published::published;
use crate::report::{Axis, Plot, Series};

const PROCESSORS: [usize; 4] = [2, 4, 8, 16];
const MOST: usize = 16;

pub(super) fn write(sheet: &mut Sheet, game: &Measured, forerunners: &Measured) {
    sheet.paper("dts", "Dynamic tree splitting, 1997");
    let mut plot = Plot::new("PVS, EPVS and DTS", Axis::log2("processors"), Axis::log2("times faster than one"));
    for (id, algorithm, measured) in
        [("dts-1", "pvs", forerunners), ("dts-2", "epvs", forerunners), ("dts-3", "dts", game)]
    {
        let said = |count: usize| published().table(id).and_then(|table| table.number(&count.to_string(), "speedup"));
        let figures = PROCESSORS.map(|count| measured.figure(algorithm, count, mean_speedup));
        let rows: Vec<Row> = PROCESSORS
            .iter()
            .zip(&figures)
            .map(|(&count, &(ours, interval))| {
                Row::new(id, format!("{count} processors"), Said::from(said(count)), ours).between(interval)
            })
            .collect();
        let note = "mean over the 24 positions of this paper, one engine going through the game; the first two tables of the \
            paper were measured on other positions.";
        sheet.compare(id, &rows, note);
        let of = |values: Vec<f64>| PROCESSORS.iter().map(|&count| count as f64).zip(values).collect::<Vec<_>>();
        let published = PROCESSORS.iter().filter_map(|&count| Some((count as f64, said(count)?)));
        plot = plot
            .with(
                Series::line(algorithm, of(figures.iter().map(|figure| figure.0).collect()))
                    .intervals(figures.iter().map(|figure| figure.1).collect()),
            )
            .with(Series::beside(format!("{algorithm}, published"), published.collect()));
    }
    sheet.page.plot(&plot);
    let tables: [(&str, Of, Option<Of>, &str); 3] = [
        (
            "dts-4",
            |cell| cell.time * TICK,
            Some(|cell| cell.serial_time * TICK),
            "virtual seconds. Their times were computed from speedups, ours are measured.",
        ),
        (
            "dts-5",
            |cell| cell.nodes,
            Some(|cell| cell.serial_nodes),
            "their counts for 1 to 8 processors are reconstructed from times: only the trend can be compared.",
        ),
        (
            "dts-6",
            |cell| cell.speedup,
            None,
            "whole iterations; table and histories are kept from move to move, as theirs.",
        ),
    ];
    for (id, of, serial, note) in tables {
        grid(sheet, game, id, of, serial, note);
    }
    positions(sheet, game);
    let on_8 = |algorithm| forerunners.figure(algorithm, 8, mean_speedup).0;
    let gain = 100.0 * (on_8("epvs") / on_8("pvs") - 1.0);
    sheet.compare("dts-epvs-gain", &[Row::of("dts-epvs-gain", "on 8 processors", gain)], "");
    processors(sheet, game);
    if let Some(row) = game.rows.first() {
        machine_figures::dts(sheet, &row.run.profile);
    }
}

type Of = fn(&SpeedupCell) -> f64;

/// One row for each position, one group of columns for each number of processors; with one processor if it has a column.
fn grid(sheet: &mut Sheet, measured: &Measured, id: &str, of: Of, serial: Option<Of>, note: &str) {
    let columns: Vec<(usize, Vec<&SpeedupCell>, Of)> = serial
        .map(|serial| (1, measured.cells("dts", PROCESSORS[0]), serial))
        .into_iter()
        .chain(PROCESSORS.map(|count| (count, measured.cells("dts", count), of)))
        .collect();
    let heads: Vec<String> = columns.iter().map(|(count, ..)| format!("{count} CPU")).collect();
    let positions = columns.first().map_or(0, |(_, cells, _)| cells.len());
    let row = |name: String, ours: &dyn Fn(&[&SpeedupCell], Of) -> f64| {
        let said = |count: &usize| Said::cell(id, &name, &count.to_string());
        let cells = columns.iter().map(|(count, cells, of)| (said(count), ours(cells, *of))).collect();
        (name, cells)
    };
    let mut rows: Vec<(String, Vec<(Said, f64)>)> =
        (0..positions).map(|index| row((index + 1).to_string(), &|cells, of| of(cells[index]))).collect();
    let all = |cells: &[&SpeedupCell], of: Of| mean(&cells.iter().map(|cell| of(cell)).collect::<Vec<_>>());
    rows.push(row("mean".to_owned(), &all));
    sheet.compare_grid(id, &heads, &rows, note);
}

/// Are the author's good and bad positions ours too?
fn positions(sheet: &mut Sheet, game: &Measured) {
    let cells = game.cells("dts", MOST);
    let ours: Vec<f64> = cells.iter().map(|cell| cell.speedup).collect();
    let theirs: Vec<f64> =
        published().table("dts-6").map(|table| table.numbers("16")).unwrap_or_default().into_iter().flatten().collect();
    let theirs = &theirs[..theirs.len().min(ours.len())];
    let mut order: Vec<usize> = (0..ours.len()).collect();
    order.sort_by(|&a, &b| ours[b].total_cmp(&ours[a]));
    let rank = |position: usize| order.iter().position(|&index| index + 1 == position).map(|rank| rank + 1);
    let ranks: Vec<String> = [20, 21, 17]
        .iter()
        .filter_map(|&position| Some(format!("position {position}: place {} of {}", rank(position)?, ours.len())))
        .collect();
    let pairs: Vec<(f64, f64)> = ours.iter().copied().zip(theirs.iter().copied()).collect();
    let places: Vec<f64> = (0..pairs.len()).map(|place| place as f64).collect();
    let of = |places: &[f64]| {
        let (ours, theirs): (Vec<f64>, Vec<f64>) = places.iter().map(|&place| pairs[place as usize]).unzip();
        correlation(&ours, &theirs)
    };
    let what = "correlation of the positions' speedups on 16";
    let row = Row::new("dts-6", what, Said::Nothing, of(&places)).between(bootstrap(&places, 1, of));
    let note = format!(
        "ours with the published ones, position by position. Of the author's good positions, 20 and 21, and his bad one, 17, ours are, from \
         the best: {}.",
        ranks.join(", ")
    );
    sheet.compare("dts-6", &[row], &note);
    sheet.page.plot(
        &Plot::new("Table 6, position by position", Axis::linear("published, 16 CPU"), Axis::linear("ours, 16 CPU"))
            .with(Series::points("a position", theirs.iter().copied().zip(ours).collect())),
    );
    if let Some(cell) = cells.get(16) {
        let row = Row::of("dts-position-17-nodes", "position 17, nodes on 16 over one", cell.factors.overhead);
        sheet.compare("dts-position-17-nodes", &[row], "");
    }
}

/// What the text says of sixteen processors.
fn processors(sheet: &mut Sheet, game: &Measured) {
    let (speedup, interval) = game.figure("dts", MOST, mean_speedup);
    let wasted = |speedup: f64| 100.0 * (1.0 - speedup / MOST as f64);
    let row =
        Row::of("dts-wasted", "of 16 processors", wasted(speedup)).between((wasted(interval.1), wasted(interval.0)));
    sheet.compare("dts-wasted", &[row], "one less speedup over processors.");
    let splits: Vec<f64> = game.cells("dts", MOST).iter().map(|cell| cell.traffic.splits).collect();
    let most = splits.iter().copied().fold(0.0, f64::max);
    let rows = [Row::of("dts-splits", "mean on 16 processors", mean(&splits)), Row::of("dts-splits", "highest", most)];
    sheet.compare("dts-splits", &rows, "splits made.");
    let idle = |row: &&Measurement| row.accounts.time.idle() as f64 / MOST as f64;
    let searches = game.every("dts", MOST);
    let seconds: Vec<f64> = searches.iter().map(|row| idle(row) * TICK).collect();
    let shares: Vec<f64> = searches.iter().map(|row| 100.0 * idle(row) / row.time.max(1) as f64).collect();
    let worst = shares.iter().copied().fold(0.0, f64::max);
    let rows = [
        Row::of("dts-idle", "idle seconds of one of 16, mean", mean(&seconds)),
        Row::of("dts-idle-tests", "idle seconds of one of 16, mean", mean(&seconds)),
        Row::of("dts-idle-worst", "idle, % of the search, worst position", worst),
        Row::new("dts-idle-worst", "idle, % of the search, mean", Said::Nothing, mean(&shares)),
    ];
    sheet.compare("dts-idle", &rows, "time without work, looking for it or waiting for helpers.");
}
