//! Cray Blitz on the X-MP (Hyatt 1985): figures 1 and 2. Its two positions were never published. We take those two of
//! the DTS paper on which the root split does worst and best.

use super::bench::Measured;
use super::fit::TICK;
use super::sheet::{Said, Sheet};
use crate::experiment::Measurement;
use crate::published::published;
use crate::report::{ReportTable, fixed, significant};

pub(super) fn write(sheet: &mut Sheet, root_split: &Measured, pvs: &Measured) {
    sheet.paper("cray-blitz", "Cray Blitz on the X-MP, 1985");
    let cells = root_split.cells("root-split", 2);
    let order = |a: &&usize, b: &&usize| cells[**a].speedup.total_cmp(&cells[**b].speedup);
    let all: Vec<usize> = (0..cells.len()).collect();
    let (Some(&worst), Some(&best)) = (all.iter().min_by(order), all.iter().max_by(order)) else { return };
    let (serial, two) = (root_split.searches("serial", 1), root_split.searches("root-split", 2));
    let table = published().table("cray-blitz-1");
    let said = |case: usize, processors: usize, column: &str| {
        let table = table?;
        let row = table.rows.get(2 * (case - 1) + processors - 1)?;
        row.get(table.column(column)?)?.number()
    };
    let ratio = |case, column: &str| Some(said(case, 2, column)? / said(case, 1, column)?);
    let mut rows = Vec::new();
    for (case, index) in [(1, worst), (2, best)] {
        let name = |what: &str| format!("case {case} ({}), {what}", cells[index].id);
        let (one, two) = (serial[index], two[index]);
        let hits = |row: &Measurement| 100.0 * row.accounts.table.hits as f64 / row.accounts.table.probes.max(1) as f64;
        rows.push((name("speedup"), Said::from(said(case, 2, "speedup")), cells[index].speedup));
        rows.push((
            name("nodes on two over one"),
            Said::from(ratio(case, "nodes")),
            two.nodes as f64 / one.nodes as f64,
        ));
        rows.push((
            name("nodes a second, two over one"),
            Said::from(ratio(case, "nodes a second")),
            (two.nodes as f64 / two.time as f64) / (one.nodes as f64 / one.time as f64),
        ));
        for (count, row) in [(1, one), (2, two)] {
            let what = format!("transposition hits on {count}, %");
            rows.push((name(&what), Said::from(said(case, count, "transposition hits, %")), hits(row)));
        }
    }
    sheet.compare(
        "cray-blitz-1",
        &rows,
        "the worst and the best of 24 positions. Speedups are against the mean of two serial searches.",
    );
    for (case, index) in [(1, worst), (2, best)] {
        sheet.page.table(lines(case, serial[index], two[index]));
    }
    let mut rows = Vec::new();
    for (case, index) in [(1, worst), (2, best)] {
        for count in 2..=4 {
            let said = published().table("cray-blitz-2").and_then(|table| {
                let row = table.rows.get(4 * (case - 1) + count - 1)?;
                row.get(table.column("speedup")?)?.number()
            });
            let ours = pvs.cells("pvs", count)[index].speedup;
            rows.push((format!("case {case} on {count}"), Said::from(said), ours));
        }
    }
    sheet.compare("cray-blitz-2", &rows, "the same two positions.");
    let mean =
        |measured: &Measured, algorithm, count| measured.mean(algorithm, count).map_or(0.0, |mean| mean.arithmetic);
    let row = ("mean of 24 positions".to_owned(), Said::of("cray-blitz-root-split"), mean(root_split, "root-split", 2));
    sheet.compare("cray-blitz-root-split", &[row], "");
    let row = ("mean of 24 positions".to_owned(), Said::of("cray-blitz-pvs"), mean(pvs, "pvs", 4));
    sheet.compare("cray-blitz-pvs", &[row], "");
    if let Some(mean) = pvs.mean("pvs", 4) {
        let said = |column| {
            published().table("cray-blitz-games").map_or(Said::Nothing, |table| {
                let all: Vec<f64> = table.numbers(column).into_iter().flatten().collect();
                Said::Between(all.iter().copied().reduce(f64::min), all.iter().copied().reduce(f64::max))
            })
        };
        let waiting = 400.0 * (1.0 - mean.factors.load);
        let rows = [
            ("waiting, % of one processor".to_owned(), said("waiting, % of one processor"), waiting),
            ("speedup".to_owned(), said("speedup"), mean.arithmetic),
        ];
        sheet.compare("cray-blitz-games", &rows, "positions of a game, each from an empty table.");
    }
}

/// When each line was found, on one processor and on two.
fn lines(case: usize, one: &Measurement, two: &Measurement) -> ReportTable {
    let mut table = ReportTable::new(["depth", "first move", "one processor, s", "two processors, s", "times faster"])
        .title(format!("Figure 1, case {case}: when our lines were found"));
    for (one, two) in one.iterations.iter().zip(&two.iterations).filter(|(one, _)| one.depth > 2) {
        let seconds = |time: u64| significant(time as f64 * TICK);
        let ratio = fixed(one.time as f64 / two.time.max(1) as f64, 2);
        table.push([one.depth.to_string(), one.best_move.clone(), seconds(one.time), seconds(two.time), ratio]);
    }
    table
}
