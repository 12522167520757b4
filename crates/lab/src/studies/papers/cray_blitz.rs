//! Cray Blitz on the X-MP (Hyatt 1985): figures 1 and 2. Its two positions were never published. We take those two of
//! the DTS paper on which the root split does worst and best.

use super::measured::{Measured, mean_speedup, total_overhead};
use super::sheet::{Row, Said, Sheet};
use super::{fit::TICK, machine_figures};
use crate::experiment::Measurement;
use crate::experiment::statistics::mean;
use crate::published::published;
use crate::report::{ReportTable, fixed, significant};
use chess::Position;
use game::Game;

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
        let mut push = |what: &str, said, ours| rows.push(Row::new("cray-blitz-1", name(what), said, ours));
        push("speedup", Said::from(said(case, 2, "speedup")), cells[index].speedup);
        push("nodes on two over one", Said::from(ratio(case, "nodes")), two.nodes as f64 / one.nodes as f64);
        push(
            "nodes a second, two over one",
            Said::from(ratio(case, "nodes a second")),
            (two.nodes as f64 / two.time as f64) / (one.nodes as f64 / one.time as f64),
        );
        for (count, row) in [(1, one), (2, two)] {
            let what = format!("transposition hits on {count}, %");
            push(&what, Said::from(said(case, count, "transposition hits, %")), hits(row));
        }
    }
    sheet.compare(
        "cray-blitz-1",
        &rows,
        "the worst and the best of 24 positions. Speedups are against the mean of two serial searches.",
    );
    let mut rows = Vec::new();
    for (case, index) in [(1, worst), (2, best)] {
        sheet.page.table(lines(case, serial[index], two[index]));
        let last = published().table("cray-blitz-1-depths").and_then(|table| {
            let row = table.rows.iter().rfind(|row| row[1].number() == Some(case as f64))?;
            Some(row[4].number()? / row[5].number()?)
        });
        let ours = serial[index].time as f64 / two[index].time.max(1) as f64;
        let what = format!("case {case} ({}), last line: time on one over time on two", cells[index].id);
        rows.push(Row::new("cray-blitz-1-depths", what, Said::from(last), ours));
    }
    sheet.compare("cray-blitz-1-depths", &rows, "the lines of the two tables above, at the end of each depth.");
    let mut rows = Vec::new();
    for (case, index) in [(1, worst), (2, best)] {
        for count in 2..=4 {
            let said = published().table("cray-blitz-2").and_then(|table| {
                let row = table.rows.get(4 * (case - 1) + count - 1)?;
                row.get(table.column("speedup")?)?.number()
            });
            let ours = pvs.cells("pvs", count)[index].speedup;
            rows.push(Row::new("cray-blitz-2", format!("case {case} on {count}"), Said::from(said), ours));
        }
    }
    sheet.compare("cray-blitz-2", &rows, "the same two positions.");
    for (id, measured, algorithm, count) in
        [("cray-blitz-root-split", root_split, "root-split", 2), ("cray-blitz-pvs", pvs, "pvs", 4)]
    {
        let (ours, interval) = measured.figure(algorithm, count, mean_speedup);
        let row = Row::of(id, format!("mean of {} positions", measured.cells(algorithm, count).len()), ours);
        sheet.compare(id, &[row.between(interval)], "");
    }
    games(sheet, pvs);
    let extra = |measured: &Measured, algorithm, count| {
        let (ours, (low, high)) = measured.figure(algorithm, count, total_overhead);
        let percent = |overhead: f64| 100.0 * (overhead - 1.0);
        let what = format!("{algorithm} on {count}, extra nodes, %");
        Row::of("cray-blitz-extra-nodes", what, percent(ours)).between((percent(low), percent(high)))
    };
    let rows = [extra(root_split, "root-split", 2), extra(pvs, "pvs", 4)];
    sheet.compare("cray-blitz-extra-nodes", &rows, "nodes of all positions against those of one processor.");
    let count = |row: &&Measurement| {
        let mut moves = Vec::new();
        row.run.fen.parse::<Position>().ok()?.moves(&mut moves);
        Some(moves.len() as f64)
    };
    let moves: Vec<f64> = serial.iter().filter_map(count).collect();
    let row = Row::of("cray-blitz-moves", "moves in the positions of the DTS paper, mean", mean(&moves));
    sheet.compare(
        "cray-blitz-moves",
        &[row],
        "legal moves; Cray Blitz counted moves that leave the king in check too.",
    );
    if let Some(row) = serial.first() {
        machine_figures::cray_blitz(sheet, &row.run.profile);
    }
}

/// Waiting and speedup of four processors.
fn games(sheet: &mut Sheet, pvs: &Measured) {
    let Some(found) = pvs.mean("pvs", 4) else { return };
    let said = |column| {
        published().table("cray-blitz-games").map_or(Said::Nothing, |table| {
            let all: Vec<f64> = table.numbers(column).into_iter().flatten().collect();
            Said::Between(all.iter().copied().reduce(f64::min), all.iter().copied().reduce(f64::max))
        })
    };
    let waiting = 400.0 * (1.0 - found.factors.load);
    let (speedup, interval) = pvs.figure("pvs", 4, mean_speedup);
    let rows = [
        Row::new("cray-blitz-games", "waiting, % of one processor", said("waiting, % of one processor"), waiting),
        Row::new("cray-blitz-games", "speedup", said("speedup"), speedup).between(interval),
    ];
    sheet.compare("cray-blitz-games", &rows, "positions of a game, each from an empty table.");
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
