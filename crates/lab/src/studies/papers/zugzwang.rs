//! Zugzwang (Feldmann, Mysliwietz & Monien 1990): figures 3 to 5, three curves, three places for the table.

use super::fit::TICK;
use super::machine_figures;
use super::measured::{Measured, sum, total_load, total_overhead, total_speedup};
use super::plans::{ZUGZWANG_ALGORITHM, zugzwang_own_tables};
use super::sheet::{Row, Said, Sheet, counted};
use crate::experiment::statistics::mean;
use crate::experiment::{Iteration, Measurement, SpeedupCell};
use crate::published::published;
use crate::report::{Axis, Plot, ReportTable, Series, fixed, percent};
use crate::solve::Problem;
use crate::suite::Builtin;
use chess::Position;
use game::Game;

const LARGEST: usize = 64;
/// The depths that the paper's curves are of.
const DEPTHS: [i32; 3] = [5, 6, 7];

pub(super) fn write(sheet: &mut Sheet, machines: &Measured, tables: &[Measured; 3], traffic: &[Measured; 3]) {
    sheet.paper("zugzwang", "Zugzwang, 1990");
    let profile = machines.rows.first().map_or_else(String::new, |row| row.run.profile.clone());
    figure_3(sheet, traffic);
    figure_4(sheet, machines);
    figure_5(sheet, machines);
    curves(sheet, machines);
    serial(sheet, machines);
    places(sheet, tables);
    machine_figures::zugzwang(sheet, &profile);
}

/// One of 32 processors works: the others are silent, ask for work, or ask for work and there is no table.
fn figure_3(sheet: &mut Sheet, traffic: &[Measured; 3]) {
    let rate = |measured: &Measured, algorithm, count| {
        let rows = measured.searches(algorithm, count);
        rows.first().map_or(0.0, |row| row.nodes as f64 / (row.time.max(1) as f64 * TICK))
    };
    let names = ["1 of 32, table traffic", "1 of 32, table and requests for work", "1 of 32, requests for work"];
    let alone = ["1 processor, table", "", "1 processor, no table"];
    let mut rows = Vec::new();
    for ((measured, name), alone) in traffic.iter().zip(names).zip(alone) {
        let (one, many) = (rate(measured, "serial", 1), rate(measured, ZUGZWANG_ALGORITHM, 32));
        let mut push = |name: &str, column: &str, ours| {
            rows.push(Row::new(
                "zugzwang-3",
                format!("{name}: {column}"),
                Said::cell("zugzwang-3", name, column),
                ours,
            ));
        };
        if !alone.is_empty() {
            push(alone, "nodes a second", one);
        }
        push(name, "nodes a second", many);
        push(name, "delay, %", 100.0 * (1.0 - many / one.max(1e-9)));
    }
    let note = "position 22 to depth 5 on the virtual machine. Its costs of messages are estimates from this very figure, made as if every node \
        were looked up.";
    sheet.compare("zugzwang-3", &rows, note);
}

/// Where a search was at the end of a depth; at its end, if it did not go so far.
fn end(row: &Measurement, depth: i32) -> Option<&Iteration> {
    row.iterations.iter().find(|end| end.depth == depth).or(row.iterations.last())
}

/// Sums over all positions of one processor and of the largest machine, in the last depth and before it.
fn figure_4(sheet: &mut Sheet, machines: &Measured) {
    let (one, many) = (machines.every("serial", 1), machines.every(ZUGZWANG_ALGORITHM, LARGEST));
    let times = |rows: &[&Measurement]| {
        let before = |row: &&Measurement| row.iterations.iter().rev().nth(1).map_or(0, |end| end.time) as f64;
        let whole = mean(&rows.iter().map(|row| row.time as f64).collect::<Vec<_>>());
        (whole, whole - mean(&rows.iter().map(before).collect::<Vec<_>>()))
    };
    let ((one, one_last), (many, many_last)) = (times(&one), times(&many));
    let (load, interval) = machines.figure(ZUGZWANG_ALGORITHM, LARGEST, |cells| 100.0 * total_load(cells));
    let (_, speedups) = machines.figure(ZUGZWANG_ALGORITHM, LARGEST, total_speedup);
    let last_load = machines.mean(ZUGZWANG_ALGORITHM, LARGEST).map_or(0.0, |mean| 100.0 * mean.sums.last_load);
    let said = |row: &str, column: &str| Said::cell("zugzwang-4", row, column);
    let rows = [
        Row::new(
            "zugzwang-4",
            "speedup of the last depth alone",
            said("depth 7 alone", "speedup"),
            one_last / many_last,
        ),
        Row::new("zugzwang-4", "speedup of all depths", said("depths 1 to 7", "speedup"), one / many).between(speedups),
        Row::new("zugzwang-4", "load of the last depth alone, %", said("depth 7 alone", "load, %"), last_load),
        Row::new("zugzwang-4", "load of all depths, %", said("depths 1 to 7", "load, %"), load).between(interval),
    ];
    sheet.compare("zugzwang-4", &rows, "ratios of sums.");
}

fn figure_5(sheet: &mut Sheet, machines: &Measured) {
    type Column = (&'static str, fn(&[&SpeedupCell]) -> f64);
    let columns: [Column; 7] = [
        ("nodes, 1", |cells| sum(cells, |cell| cell.serial_nodes)),
        ("seconds, 1", |cells| sum(cells, |cell| cell.serial_time * TICK)),
        ("nodes, 64", |cells| sum(cells, |cell| cell.nodes)),
        ("seconds, 64", |cells| sum(cells, |cell| cell.time * TICK)),
        ("load, %", |cells| 100.0 * total_load(cells)),
        ("overhead, %", |cells| 100.0 * (total_overhead(cells) - 1.0)),
        ("speedup", total_speedup),
    ];
    let heads: Vec<String> = columns.iter().map(|(head, _)| (*head).to_owned()).collect();
    let cells = machines.cells(ZUGZWANG_ALGORITHM, LARGEST);
    // BK.02 is B02.
    let name = |cell: &SpeedupCell| format!("B{}", cell.id.trim_start_matches(|c: char| !c.is_ascii_digit()));
    let row = |name: &str, ours: &dyn Fn(&Column) -> f64| {
        let cells = columns.iter().map(|column| (Said::cell("zugzwang-5", name, column.0), ours(column))).collect();
        (name.to_owned(), cells)
    };
    let mut rows: Vec<(String, Vec<(Said, f64)>)> =
        cells.iter().map(|cell| row(&name(cell), &|column| (column.1)(&[cell]))).collect();
    rows.push(row("sum", &|column| (column.1)(&cells)));
    let count = cells.len().max(1) as f64;
    let is_sum = |head: &str| head.starts_with("nodes") || head.starts_with("seconds");
    rows.push(row("mean", &|column| (column.1)(&cells) / if is_sum(column.0) { count } else { 1.0 }));
    let depths: Vec<i32> = cells.iter().map(|cell| cell.depth).collect();
    let deepest = depths.iter().copied().max().unwrap_or(0);
    let note = format!(
        "searches to depth {deepest}; the paper's are to depth 7. Loads, overheads and speedups of sum and mean are ratios of sums."
    );
    sheet.compare_grid("zugzwang-5", &heads, &rows, &note);
    let (problems, _) = Problem::all(&Builtin::BratkoKopec.suite().records);
    let solved = |algorithm, count| {
        let searches = machines.searches(algorithm, count);
        let is_right = |row: &&&Measurement| {
            let problem = problems.iter().find(|problem| problem.id == row.run.id);
            problem.is_some_and(|problem| {
                chess::parse_move(&problem.position, &row.best_move).is_ok_and(|mv| problem.is_solved_by(mv))
            })
        };
        searches.iter().filter(is_right).count() as f64
    };
    let said = published().table("zugzwang-5").and_then(|table| table.row("sum")?.get(1)?.to_string().parse().ok());
    let mut rows = vec![
        Row::new("zugzwang-5", "positions solved on 1", Said::from(said), solved("serial", 1)),
        Row::new("zugzwang-5", "positions solved on 64", Said::from(said), solved(ZUGZWANG_ALGORITHM, LARGEST)),
    ];
    rows.extend(b05(machines));
    sheet.compare(
        "zugzwang-5",
        &rows,
        "the right moves are those of the test; B05 to depth 6 is read off the search to depth 7.",
    );
}

/// B05 alone made a third of the paper's work, and so the paper gives it to depth 6 as well.
fn b05(machines: &Measured) -> Vec<Row> {
    let of = |algorithm, count| {
        let rows = machines.every(algorithm, count);
        let ends: Vec<&Iteration> =
            rows.iter().filter(|row| row.run.id.ends_with(".05")).filter_map(|row| end(row, 6)).collect();
        let all = |of: fn(&Iteration) -> u64| mean(&ends.iter().map(|end| of(end) as f64).collect::<Vec<_>>());
        (!ends.is_empty()).then(|| (all(|end| end.nodes), all(|end| end.time) * TICK))
    };
    let (Some((nodes_1, seconds_1)), Some((nodes, seconds))) = (of("serial", 1), of(ZUGZWANG_ALGORITHM, LARGEST))
    else {
        return Vec::new();
    };
    let figures = [
        ("nodes, 1", nodes_1),
        ("seconds, 1", seconds_1),
        ("nodes, 64", nodes),
        ("seconds, 64", seconds),
        ("overhead, %", 100.0 * (nodes / nodes_1 - 1.0)),
        ("speedup", seconds_1 / seconds),
    ];
    let row = |(column, ours): (&str, f64)| {
        Row::new(
            "zugzwang-5",
            format!("B05 to 6 plies: {column}"),
            Said::cell("zugzwang-5", "B05 to 6 plies", column),
            ours,
        )
    };
    figures.into_iter().map(row).collect()
}

/// Speedup, load and overhead over the number of processors, for each depth that the searches went through.
fn curves(sheet: &mut Sheet, machines: &Measured) {
    type Curve = (&'static str, &'static str, &'static str, fn(&[&SpeedupCell]) -> f64);
    let curves: [Curve; 3] = [
        ("zugzwang-speedup", "Speedup", "ratio of summed times", total_speedup),
        ("zugzwang-load", "Load", "time with work, %", |cells| 100.0 * total_load(cells)),
        ("zugzwang-overhead", "Search overhead", "nodes beyond those of one, %", |cells| {
            100.0 * (total_overhead(cells) - 1.0)
        }),
    ];
    let counts = machines.processors(ZUGZWANG_ALGORITHM);
    for (id, title, label, of) in curves {
        let figures: Vec<_> = counts.iter().map(|&count| machines.figure(ZUGZWANG_ALGORITHM, count, of)).collect();
        let said = |count: usize| published().table(id).and_then(|table| table.number("7", &count.to_string()));
        let rows: Vec<Row> = counts
            .iter()
            .zip(&figures)
            .map(|(&count, &(ours, interval))| {
                Row::new(id, format!("{count} processors"), Said::from(said(count)), ours).between(interval)
            })
            .collect();
        sheet.compare(
            id,
            &rows,
            "of all depths of the search together, ratios of sums; the paper's numbers are those of depth 7.",
        );
        let y = if id == "zugzwang-speedup" { Axis::log2(label) } else { Axis::linear(label) };
        let published: Vec<_> = counts.iter().filter_map(|&count| Some((count as f64, said(count)?))).collect();
        let mut plot = Plot::new(title, Axis::log2("processors"), y);
        for depth in DEPTHS {
            plot = plot.with_all(by_depth(machines, &counts, depth, id));
        }
        sheet.page.plot(&plot.with(Series::points("published, depth 7", published)));
    }
    let (speedup, interval) = machines.figure(ZUGZWANG_ALGORITHM, LARGEST, total_speedup);
    let row = Row::of("zugzwang-speedup-64", "64 processors, ratio of summed times", speedup).between(interval);
    sheet.compare("zugzwang-speedup-64", &[row], "");
    let seconds = |algorithm, count| {
        mean(&machines.every(algorithm, count).iter().map(|row| row.time as f64 * TICK).collect::<Vec<_>>())
    };
    let rows = [("serial", 1), (ZUGZWANG_ALGORITHM, 16), (ZUGZWANG_ALGORITHM, LARGEST)].map(|(algorithm, count)| {
        let said = Said::cell("zugzwang-times", &count.to_string(), "seconds");
        Row::new("zugzwang-times", counted(count), said, seconds(algorithm, count))
    });
    sheet.compare("zugzwang-times", &rows, "virtual seconds, mean of the positions.");
}

/// The curve of one depth, read off the ends of that depth in all searches. None if no search went so far.
fn by_depth(machines: &Measured, counts: &[usize], depth: i32, id: &str) -> Option<Series> {
    let total = |algorithm, count, of: fn(&Iteration) -> u64| -> Option<f64> {
        let rows = machines.every(algorithm, count);
        rows.iter().any(|row| row.depth >= depth).then_some(())?;
        let ends: Vec<f64> = rows.iter().filter_map(|row| end(row, depth)).map(|end| of(end) as f64).collect();
        Some(mean(&ends))
    };
    let value = |count| match id {
        "zugzwang-speedup" => {
            Some(total("serial", 1, |end| end.time)? / total(ZUGZWANG_ALGORITHM, count, |end| end.time)?)
        }
        "zugzwang-overhead" => Some(
            100.0 * (total(ZUGZWANG_ALGORITHM, count, |end| end.nodes)? / total("serial", 1, |end| end.nodes)? - 1.0),
        ),
        _ => {
            let all_time = total(ZUGZWANG_ALGORITHM, count, |end| end.time)? * count as f64;
            Some(100.0 * total(ZUGZWANG_ALGORITHM, count, |end| end.busy)? / all_time)
        }
    };
    let points: Option<Vec<_>> = counts.iter().map(|&count| Some((count as f64, value(count)?))).collect();
    points.map(|points| Series::line(format!("ours, depth {depth}"), points))
}

/// The serial search against the minimal tree, and its messages to the table.
fn serial(sheet: &mut Sheet, machines: &Measured) {
    let sizes = |depth: i32| -> Vec<f64> {
        let size = |row: &&Measurement| {
            let nodes = row.iterations.iter().find(|end| end.depth == depth)?.nodes as f64;
            Some(nodes / minimal_tree(&row.run.fen.parse().ok()?, depth))
        };
        machines.searches("serial", 1).iter().filter_map(size).collect()
    };
    let deepest = machines.searches("serial", 1).iter().map(|row| row.depth).min().unwrap_or(1);
    let depths: Vec<i32> = DEPTHS.into_iter().filter(|&depth| depth <= deepest).collect();
    let depths = if depths.is_empty() { vec![deepest] } else { depths };
    let row = |&depth: &i32| {
        let said = Said::cell("zugzwang-minimal-tree", &depth.to_string(), "size");
        Row::new("zugzwang-minimal-tree", format!("depth {depth}, times"), said, mean(&sizes(depth)))
    };
    let mut rows: Vec<Row> = depths.iter().map(row).collect();
    let ordered = |row: &&Measurement| row.nodes as f64 / row.accounts.tree.minimal_nodes.max(1) as f64;
    let ratio = mean(&machines.searches("serial", 1).iter().map(ordered).collect::<Vec<_>>());
    rows.push(Row::new(
        "zugzwang-minimal-tree",
        "all depths, over the same tree in the best order",
        Said::Nothing,
        ratio,
    ));
    let note = "all nodes of depths 1 to d, quiescence included, over the leaves of the minimal uniform tree, whose degree is the mean \
        number of moves after each of the root's moves. How the paper counts is not said.";
    sheet.compare("zugzwang-minimal-tree", &rows, note);
    let messages: Vec<f64> = machines
        .searches(ZUGZWANG_ALGORITHM, LARGEST)
        .iter()
        .map(|row| {
            let table = &row.accounts.table;
            (2 * table.probes + table.stores) as f64 / table.probes.max(1) as f64
        })
        .collect();
    let row = Row::of("zugzwang-messages", "request, answer and store for each position looked up", mean(&messages));
    sheet.compare("zugzwang-messages", &[row], "two messages a lookup and one a store, if every entry lay elsewhere.");
}

/// Leaves that alpha-beta must visit at least in a uniform tree of this depth, as wide as the positions after the first move.
fn minimal_tree(position: &Position, depth: i32) -> f64 {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let replies = moves.iter().map(|&mv| {
        let mut replies = Vec::new();
        position.play(mv).moves(&mut replies);
        replies.len() as f64
    });
    let first = moves.len() as f64;
    let degree = (first * mean(&replies.collect::<Vec<_>>())).sqrt().max(1.0);
    degree.powi((depth + 1) / 2) + degree.powi(depth / 2) - 1.0
}

/// A table on each processor, one that all reach at no cost, and one distributed over all.
fn places(sheet: &mut Sheet, tables: &[Measured; 3]) {
    let [near, global, distributed] = tables;
    let mut table = ReportTable::new(["table", "processors", "speedup", "nodes", "load", "waiting for the table"])
        .title("Section 5: three places for the table");
    let mut delays = Vec::new();
    let own = zugzwang_own_tables();
    for (name, measured, algorithm) in [
        ("local: each its own", near, own.as_str()),
        ("common: one for all, at no cost", near, ZUGZWANG_ALGORITHM),
        ("global: one for all, on one processor", global, ZUGZWANG_ALGORITHM),
        ("distributed: remote entries cost a message", distributed, ZUGZWANG_ALGORITHM),
    ] {
        for count in measured.processors(algorithm) {
            let Some(mean) = measured.mean(algorithm, count) else { continue };
            let of = |of: fn(&[&SpeedupCell]) -> f64| of(&measured.cells(algorithm, count));
            table.push([
                name.to_owned(),
                count.to_string(),
                fixed(of(total_speedup), 2),
                format!("\u{d7}{}", fixed(of(total_overhead), 2)),
                percent(of(total_load)),
                percent(mean.traffic.table_wait),
            ]);
            if name.starts_with("distributed") {
                delays.push(100.0 * mean.traffic.table_wait / mean.factors.load);
            }
        }
    }
    sheet.page.table(table.note(
        "Ratios of sums against one processor with the whole table. The paper measured only the distributed table.",
    ));
    let row = Row::new(
        "zugzwang-tables",
        "distributed: delay, %",
        Said::cell("zugzwang-tables", "distributed", "delay, %"),
        mean(&delays),
    );
    sheet.compare("zugzwang-tables", &[row], "from the profile's costs.");
}
