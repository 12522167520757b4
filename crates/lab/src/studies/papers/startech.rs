//! StarTech (Kuszmaul 1995): figures 4 to 9, equation 2, wasted work and the three strategies.

use super::bench::{Bench, Measured};
use super::fit::{TICK, model};
use super::plans::{self, STRATEGY_PROCESSORS, Size};
use super::sheet::{Said, Sheet};
use super::{cycles, theorems};
use crate::experiment::statistics::{geometric_mean, mean};
use crate::experiment::{LabError, Measurement, SpeedupCell};
use crate::published::published;
use crate::rate::{COUNTED, estimate};
use crate::report::{Axis, Plot, ReportTable, Series, fixed, significant, thousands};
use crate::solve::Problem;
use crate::suite::Builtin;

pub(super) fn write(sheet: &mut Sheet, bench: &mut Bench<'_>, size: Size) -> Result<(), LabError> {
    sheet.paper("startech", "StarTech, 1995");
    figure_4(sheet, bench, size)?;
    let machines = bench.measured(&plans::startech(size)?)?;
    figure_5(sheet, &machines);
    figures_6_and_7(sheet, &machines);
    figure_8(sheet, &machines);
    cycles::figure_9(sheet)?;
    equation_2(sheet, &machines);
    waste(sheet, &machines);
    let [with, without] = plans::startech_strategies(size)?;
    strategies(sheet, &bench.measured(&with)?, &bench.measured(&without)?);
    theorems::write(sheet, size, "startech");
    Ok(())
}

/// The size of the tree by the size of the table.
fn figure_4(sheet: &mut Sheet, bench: &mut Bench<'_>, size: Size) -> Result<(), LabError> {
    let plans = plans::startech_tables(size)?;
    let Some(largest) = plans.first() else { return Ok(()) };
    // All sizes search to the depths that the largest table chose.
    let choices = bench.all(&largest.choices())?;
    let runs: Vec<_> = plans.iter().flat_map(|plan| plan.runs(&choices)).collect();
    let rows = bench.all(&runs)?;
    let nodes: Vec<f64> =
        rows.chunks(choices.len()).map(|rows| rows.iter().map(|row| row.nodes as f64).sum()).collect();
    let least = nodes.first().copied().unwrap_or(1.0);
    let mut table =
        ReportTable::new(["table", "entries", "nodes", "times the nodes of the largest"]).title("Figure 4, ours");
    for (plan, nodes) in plans.iter().zip(&nodes).rev() {
        let entries = format!("2^{}", (plan.hash * 65_536).ilog2());
        table.push([format!("{} MiB", plan.hash), entries, thousands(*nodes), fixed(nodes / least, 3)]);
    }
    let said = published().table("startech-4").map(|table| table.numbers("positions visited")).unwrap_or_default();
    let said: Vec<f64> = said.into_iter().flatten().collect();
    let growth = said.iter().rev().nth(4).zip(said.last()).map(|(small, large)| small / large);
    let smaller = plans.iter().position(|plan| plan.hash * 16 == largest.hash);
    let ours = smaller.map_or(1.0, |place| nodes[place] / least);
    let what = "nodes with a table 16 times smaller than the largest, times".to_owned();
    sheet.compare(
        "startech-4",
        &[(what, Said::from(growth), ours)],
        "nodes of 25 searches to fixed depths on one processor. Our trees are smaller, and so are our tables.",
    );
    sheet.page.table(table);
    Ok(())
}

/// Seconds until the move is right and stays right; the whole time if it never is.
fn to_solution(problem: &Problem, row: &Measurement) -> (f64, bool) {
    let right = |text: &str| chess::parse_move(&problem.position, text).is_ok_and(|mv| problem.is_solved_by(mv));
    let since = row.iterations.iter().rev().take_while(|iteration| right(&iteration.best_move)).last();
    (since.map_or(row.time, |iteration| iteration.time) as f64 * TICK, since.is_some())
}

fn figure_5(sheet: &mut Sheet, machines: &Measured) {
    let (problems, _) = Problem::all(&Builtin::Kaufman.suite().records);
    let mut rows = Vec::new();
    let mut serial = 0.0;
    let mut note = String::new();
    for processors in std::iter::once(1).chain(machines.processors("jamboree")) {
        let searches = machines.searches(if processors == 1 { "serial" } else { "jamboree" }, processors);
        let mut times: Vec<(f64, bool)> =
            searches.iter().zip(&problems).map(|(row, problem)| to_solution(problem, row)).collect();
        let all: f64 = searches.iter().map(|row| row.time as f64 * TICK).sum();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let best: f64 = times.iter().take(COUNTED).map(|(time, _)| time.max(1e-6)).sum();
        let said = |column: &str| {
            published().table("startech-5").and_then(|table| table.number(&processors.to_string(), column))
        };
        if processors == 1 {
            serial = all;
            let solved = times.iter().filter(|(_, solved)| *solved).count();
            note = format!(
                "seconds of the virtual CM-5 until the right move is found for good, else until the depth is done; \
                {solved} of 25 are solved at these depths, so the rating flatters. Speedups are times to depth, all 25."
            );
        } else {
            let published = said("seconds, all 25")
                .zip(published().table("startech-5").and_then(|t| t.number("1", "seconds, all 25")));
            rows.push((
                format!("{processors} processors: speedup, all 25"),
                Said::from(published.map(|(time, one)| one / time)),
                serial / all,
            ));
        }
        rows.push((format!("{processors} processors: seconds, best 20"), Said::from(said("seconds, best 20")), best));
        rows.push((format!("{processors} processors: rating"), Said::from(said("rating")), estimate(best)));
    }
    sheet.compare("startech-5", &rows, &note);
}

fn figures_6_and_7(sheet: &mut Sheet, machines: &Measured) {
    let counts = machines.processors("jamboree");
    let Some(&most) = counts.last() else { return };
    let of = |processors, of: fn(&SpeedupCell) -> f64| {
        machines.cells("jamboree", processors).iter().map(|cell| of(cell)).collect::<Vec<_>>()
    };
    let row =
        |name: String, table, what, measured: f64| (name, Said::range(table, what, "at least", "at most"), measured);
    let overhead = geometric_mean(&of(most, |cell| cell.factors.overhead));
    let rows = [
        row(format!("efficiency on {most}, %"), "startech-6", "efficiency, serial time over work, %", 100.0 / overhead),
        row(format!("work over serial work on {most}, times"), "startech-6", "work over serial work, times", overhead),
    ];
    sheet.compare(
        "startech-6",
        &rows,
        "nodes, where theirs are seconds of processors; geometric mean of 25 positions.",
    );
    let parallelism = geometric_mean(&of(most, |cell| cell.parallelism));
    let rows = [
        row(
            format!("critical path over work on {most}, %"),
            "startech-7",
            "critical path over work in tournaments, %",
            100.0 / parallelism,
        ),
        row(format!("average parallelism on {most}"), "startech-7", "average parallelism in tournaments", parallelism),
    ];
    sheet.compare(
        "startech-7",
        &rows,
        "parallelism grows with the tree, and tournament searches are hundreds of times larger than ours.",
    );
    let positions: Vec<String> = machines.cells("jamboree", most).iter().map(|cell| cell.id.clone()).collect();
    let curve = |index: usize, of: fn(&SpeedupCell) -> f64| {
        let points = counts.iter().map(|&count| (count as f64, of(machines.cells("jamboree", count)[index])));
        points.collect::<Vec<_>>()
    };
    // A few positions, from the largest tree to the smallest.
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by(|&a, &b| {
        let nodes = |index: usize| machines.cells("jamboree", most)[index].serial_nodes;
        nodes(b).total_cmp(&nodes(a))
    });
    let chosen: Vec<usize> = order.iter().copied().step_by((order.len() / 6).max(1)).collect();
    let mut work = Plot::new("Figure 6: work", Axis::log2("processors"), Axis::linear("times the serial nodes"));
    let mut span = Plot::new("Figure 7: critical path", Axis::log2("processors"), Axis::log10("nodes"));
    for &index in &chosen {
        work = work.with(Series::line(positions[index].clone(), curve(index, |cell| cell.factors.overhead)));
        span = span.with(Series::line(positions[index].clone(), curve(index, |cell| cell.span)));
    }
    sheet.page.plot(&work.note("Every fourth position, the largest trees first.")).plot(&span);
}

fn figure_8(sheet: &mut Sheet, machines: &Measured) {
    let Some(&most) = machines.processors("jamboree").last() else { return };
    let searches = machines.searches("jamboree", most);
    let Some(row) = searches.iter().max_by_key(|row| row.nodes) else { return };
    let all = row.time as f64 * most as f64;
    let share = |time: u64| 100.0 * time as f64 / all;
    let said = |names: &[&str]| {
        let table = published().table("startech-8")?;
        Some(names.iter().filter_map(|name| table.number(name, "share")).sum::<f64>())
    };
    let account = &row.accounts.time;
    let rows = [
        ("chess work", said(&["chess work"]), share(account.working)),
        (
            "waiting for the table",
            said(&["waiting for the global table", "busy and serving the table"]),
            share(account.table),
        ),
        (
            "looking for work",
            said(&["idle so as not to swamp the busy", "idle and looking for work"]),
            share(account.looking),
        ),
        (
            "waiting for a child or an abort",
            said(&["waiting for a child", "child waiting for its parent's abort"]),
            share(account.waiting),
        ),
        (
            "answering requests, sharing",
            said(&["busy and answering requests for work"]),
            share(account.answering + account.sharing),
        ),
    ];
    let rows = rows.map(|(name, said, ours)| (name.to_owned(), Said::from(said), ours));
    let note = format!(
        "position {} on {most} processors. A parked strand holds no processor, so no processor waits for a child. The \
        costs of the table are taken from this figure.",
        row.run.id
    );
    sheet.compare("startech-8", &rows, &note);
}

fn equation_2(sheet: &mut Sheet, machines: &Measured) {
    let Some(model) = model(machines, "jamboree") else { return };
    let [c1, c2, c3] = model.fit.coefficients;
    let rows = [
        ("c1, of W/P".to_owned(), Said::of("startech-eq2-c1"), c1),
        ("c2, of C".to_owned(), Said::of("startech-eq2-c2"), c2),
        ("c3, seconds".to_owned(), Said::of("startech-eq2-c3"), c3),
        ("mean relative error, %".to_owned(), Said::Nothing, 100.0 * model.agreement.error),
        ("correlation".to_owned(), Said::Nothing, model.agreement.correlation),
    ];
    sheet.compare(
        "startech-eq2-c1",
        &rows,
        "T = c1 W/P + c2 C + c3, fitted to every position on every machine by relative least squares; \
        waiting for the table counts as work. Nothing is computed before a search, so c3 is near zero.",
    );
    sheet.page.plot(&model.plot("Equation 2"));
}

fn waste(sheet: &mut Sheet, machines: &Measured) {
    let Some(&most) = machines.processors("jamboree").last() else { return };
    let cells = machines.cells("jamboree", most);
    let mut rows = Vec::new();
    for (name, of) in [
        ("cutoff work", (|cell| cell.lost.cutoff_work) as fn(&SpeedupCell) -> f64),
        ("failed work", |cell| cell.lost.failed_work),
    ] {
        let all: Vec<f64> = cells.iter().map(|cell| 100.0 * of(cell)).collect();
        let said = Said::range("startech-waste", name, "at least", "at most");
        rows.push((format!("{name} on {most}, mean"), said, mean(&all)));
        rows.push((format!("{name} on {most}, highest"), said, all.iter().copied().fold(0.0, f64::max)));
    }
    sheet.compare("startech-waste", &rows, "shares of all nodes.");
}

/// What each strategy changes: time, nodes and parallelism of the search with it, relative to the search without.
fn strategies(sheet: &mut Sheet, with: &Measured, without: &Measured) {
    let cells = |measured: &Measured, algorithm: &str| -> Vec<SpeedupCell> {
        measured.cells(algorithm, STRATEGY_PROCESSORS).into_iter().cloned().collect()
    };
    let gain = |on: &[SpeedupCell], off: &[SpeedupCell], of: fn(&SpeedupCell) -> f64| {
        let ratios: Vec<f64> = on.iter().zip(off).map(|(on, off)| of(off) / of(on)).collect();
        100.0 * (geometric_mean(&ratios) - 1.0)
    };
    let plain = cells(with, "jamboree");
    let deferred = cells(with, "jamboree+deferred-reads");
    let serial = cells(with, "jamboree+two-serial");
    let flat = cells(without, "jamboree");
    let said = |row: &str, quantity: &str| {
        let table = published().table("startech-strategies");
        let found = table.and_then(|table| {
            let is_it = |cells: &&Vec<crate::published::PublishedCell>| {
                cells[0].to_string() == row && cells[1].to_string() == quantity
            };
            table.rows.iter().find(is_it).map(|cells| (cells[4].number(), cells[5].number()))
        });
        match found {
            Some((Some(a), Some(b))) if a == b => Said::Number(a),
            Some((a, b)) => Said::Between(a, b),
            None => Said::Nothing,
        }
    };
    let rows = [
        (
            "recursive deepening, faster by %".to_owned(),
            said("recursive deepening", "performance"),
            gain(&plain, &flat, |cell| cell.time),
        ),
        (
            "deferred reads, faster by %".to_owned(),
            said("deferred reads", "performance"),
            gain(&deferred, &plain, |cell| cell.time),
        ),
        (
            "two serial children, work smaller by %".to_owned(),
            said("two serial children at type 2", "efficiency"),
            gain(&serial, &plain, |cell| cell.nodes),
        ),
        ("two serial children, faster by %".to_owned(), Said::Nothing, gain(&serial, &plain, |cell| cell.time)),
    ];
    let note = format!(
        "on {STRATEGY_PROCESSORS} processors, geometric means of {} positions. Our moves are ordered by killers and histories, \
        which StarTech had not: recursive deepening has less to find.",
        plain.len()
    );
    sheet.compare("startech-strategies", &rows, &note);
    let parallelism =
        |cells: &[SpeedupCell]| geometric_mean(&cells.iter().map(|cell| cell.parallelism).collect::<Vec<_>>());
    let row = "type 2 below alpha, one more child";
    let rows = [
        (
            "one more child at type 2: work saved, %".to_owned(),
            Said::range("startech-serialization", row, "work saved, at least, %", "work saved, at most, %"),
            100.0 - 100.0 / (1.0 + gain(&serial, &plain, |cell| cell.nodes) / 100.0),
        ),
        (
            "one more child at type 2: parallelism".to_owned(),
            Said::range("startech-serialization", row, "parallelism, at least", "parallelism, at most"),
            parallelism(&serial),
        ),
        (
            format!("without it ({} positions): parallelism", significant(plain.len() as f64)),
            Said::Nothing,
            parallelism(&plain),
        ),
    ];
    sheet.compare("startech-serialization", &rows, "");
}
