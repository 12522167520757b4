//! Dynamic tree splitting (Hyatt 1997): tables 1 to 6.

use super::bench::Measured;
use super::fit::TICK;
use super::sheet::{Said, Sheet};
use crate::experiment::SpeedupCell;
use crate::experiment::statistics::mean;
use crate::published::published;
use crate::report::{Axis, Plot, Series};

const PROCESSORS: [usize; 4] = [2, 4, 8, 16];
const TABLES: [(&str, &str); 3] = [("dts-1", "pvs"), ("dts-2", "epvs"), ("dts-3", "dts")];

pub(super) fn write(sheet: &mut Sheet, measured: &Measured) {
    sheet.paper("dts", "Dynamic tree splitting, 1997");
    let mut plot = Plot::new("PVS, EPVS and DTS", Axis::log2("processors"), Axis::log2("times faster than one"));
    for (id, algorithm) in TABLES {
        let said = |count: usize| published().table(id).and_then(|table| table.number(&count.to_string(), "speedup"));
        let ours = |count| measured.mean(algorithm, count).map_or(0.0, |mean| mean.arithmetic);
        let row = |count: usize| (format!("{count} processors"), Said::from(said(count)), ours(count));
        let note =
            "mean over the 24 positions of this paper; the first two tables of the paper were measured on others.";
        sheet.compare(id, &PROCESSORS.map(row), note);
        let published = PROCESSORS.iter().filter_map(|&count| Some((count as f64, said(count)?)));
        plot = plot
            .with(Series::line(algorithm, PROCESSORS.iter().map(|&count| (count as f64, ours(count))).collect()))
            .with(Series::reference(format!("{algorithm}, published"), published.collect()));
    }
    sheet.page.plot(&plot);
    grid(
        sheet,
        measured,
        "dts-4",
        |cell| cell.time * TICK,
        |cell| cell.serial_time * TICK,
        "virtual seconds of 30 microseconds a node. Their times were computed from speedups, ours are measured, on smaller trees.",
    );
    grid(
        sheet,
        measured,
        "dts-5",
        |cell| cell.nodes,
        |cell| cell.serial_nodes,
        "their counts for 1 to 8 processors are reconstructed from times: only the trend can be compared.",
    );
    grid(
        sheet,
        measured,
        "dts-6",
        |cell| cell.speedup,
        |_| 1.0,
        "whole iterations from an empty table; they kept the table from move to move.",
    );
    let (pvs, epvs) = (measured.mean("pvs", 8), measured.mean("epvs", 8));
    let gain = pvs.zip(epvs).map_or(0.0, |(pvs, epvs)| 100.0 * (epvs.arithmetic / pvs.arithmetic - 1.0));
    sheet.compare("dts-epvs-gain", &[("on 8 processors".into(), Said::of("dts-epvs-gain"), gain)], "");
    if let Some(dts) = measured.mean("dts", 16) {
        let wasted = 100.0 * (1.0 - dts.arithmetic / 16.0);
        sheet.compare(
            "dts-wasted",
            &[("of 16 processors".into(), Said::of("dts-wasted"), wasted)],
            "one less speedup over processors.",
        );
        let splits: Vec<f64> = measured.cells("dts", 16).iter().map(|cell| cell.traffic.splits).collect();
        let row = ("mean on 16 processors".into(), Said::of("dts-splits"), mean(&splits));
        sheet.compare("dts-splits", &[row], "our searches are shorter.");
    }
}

/// One row for each position, one group of columns for each number of processors.
fn grid(
    sheet: &mut Sheet,
    measured: &Measured,
    id: &str,
    of: fn(&SpeedupCell) -> f64,
    serial: fn(&SpeedupCell) -> f64,
    note: &str,
) {
    let heads: Vec<String> = [1].iter().chain(&PROCESSORS).map(|count| format!("{count} CPU")).collect();
    let columns: Vec<Vec<&SpeedupCell>> = PROCESSORS.iter().map(|&count| measured.cells("dts", count)).collect();
    let positions = columns.first().map_or(0, Vec::len);
    let said = |row: &str, count: usize| {
        Said::from(published().table(id).and_then(|table| table.number(row, &count.to_string())))
    };
    let mut rows = Vec::new();
    for index in 0..positions {
        let name = (index + 1).to_string();
        let mut cells = vec![(said(&name, 1), serial(columns[0][index]))];
        cells.extend(PROCESSORS.iter().zip(&columns).map(|(&count, column)| (said(&name, count), of(column[index]))));
        rows.push((name, cells));
    }
    let all = |of: fn(&SpeedupCell) -> f64, column: &[&SpeedupCell]| {
        mean(&column.iter().map(|cell| of(cell)).collect::<Vec<_>>())
    };
    let mut means = vec![(said("mean", 1), columns.first().map_or(0.0, |column| all(serial, column)))];
    means.extend(PROCESSORS.iter().zip(&columns).map(|(&count, column)| (said("mean", count), all(of, column))));
    rows.push(("mean".to_owned(), means));
    sheet.compare_grid(id, &heads, &rows, note);
}
