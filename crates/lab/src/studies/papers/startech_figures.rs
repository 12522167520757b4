//! StarTech (Kuszmaul 1995): figures 4 to 8.

use super::fit::TICK;
use super::measured::{Bench, Measured};
use super::plans::{self, Extent, STARTECH_ALGORITHM};
use super::sheet::{Row, Said, Sheet, counted};
use crate::experiment::statistics::{bootstrap, geometric_mean, mean};
use crate::experiment::{LabError, Measurement, SpeedupCell};
use crate::published::published;
use crate::rate::{COUNTED, estimate};
use crate::report::{Boxes, ReportTable, fixed, significant, thousands};
use crate::solve::Problem;
use crate::suite::Builtin;
use table::TableLayout;

/// Seconds until each of Kaufman's problems is solved for good, and whether it is; in the mean of the repetitions. One that is not
/// solved takes the time of its search.
struct Times(Vec<(f64, bool)>);

impl Times {
    fn new(searches: &[&Measurement]) -> Times {
        let (problems, _) = Problem::all(&Builtin::Kaufman.suite().records);
        let of = |problem: &Problem| {
            let mine: Vec<_> = searches.iter().filter(|row| row.run.id == problem.id).collect();
            let times = mine.iter().map(|row| row.solution(problem).map_or(row.time, |found| found.time) as f64 * TICK);
            let solved = mine.iter().all(|row| row.solution(problem).is_some());
            (!mine.is_empty()).then(|| (mean(&times.collect::<Vec<_>>()), solved))
        };
        Times(problems.iter().filter_map(of).collect())
    }

    /// The sum of the 20 shortest times of solved problems; of what is not solved the shortest times follow. With the number of
    /// those that were not solved among the 20.
    fn best(&self) -> (f64, usize) {
        let mut sorted = self.0.clone();
        sorted.sort_by(|a, b| (!a.1, a.0).partial_cmp(&(!b.1, b.0)).unwrap_or(std::cmp::Ordering::Equal));
        sorted.truncate(COUNTED);
        let sum = sorted.iter().map(|(time, _)| time.max(TICK)).sum();
        (sum, sorted.iter().filter(|(_, solved)| !solved).count())
    }

    fn all(&self) -> f64 {
        self.0.iter().map(|(time, _)| time).sum()
    }

    fn solved(&self) -> usize {
        self.0.iter().filter(|(_, solved)| *solved).count()
    }
}

/// The smaller the table, the larger the tree.
pub(super) fn figure_4(sheet: &mut Sheet, bench: &mut Bench<'_>, extent: &Extent) -> Result<(), LabError> {
    let plans = plans::startech_tables(extent)?;
    let mut table =
        ReportTable::new(["entries", "nodes", "times the nodes of the largest", "seconds, best 20", "rating"])
            .title("Figure 4, ours");
    let mut rows = Vec::new();
    let mut least = None;
    let mut enough = None;
    let mut growths = Vec::new();
    for plan in &plans {
        let measured = bench.measured(plan)?;
        let serial = measured.searches("serial", 1);
        let nodes: f64 = serial.iter().map(|row| row.nodes as f64).sum();
        let least = *least.get_or_insert(nodes);
        let entries = plan.table.parse::<TableLayout>().map_or(0, |layout| layout.entries);
        if nodes <= 1.01 * least {
            enough = Some(entries as f64);
        }
        let (seconds, _) = Times::new(&serial).best();
        let name = entries.checked_ilog2().map_or("0".to_owned(), |power| format!("2^{power}"));
        growths.push((name.clone(), nodes / least));
        let cells = [fixed(nodes / least, 3), significant(seconds), fixed(estimate(seconds), 0)];
        table.push([vec![name.clone(), thousands(nodes)], cells.to_vec()].concat());
        for (column, ours) in
            [("positions visited", nodes), ("seconds, best 20", seconds), ("rating", estimate(seconds))]
        {
            let said = Said::cell("startech-4", &name, column);
            rows.push(Row::new("startech-4", format!("{name} entries: {column}"), said, ours));
        }
    }
    // Their trees relative to the largest table, whatever the size of the trees.
    let their_least = published().table("startech-4").and_then(|table| table.number("2^24", "positions visited"));
    for (name, ours) in growths.iter().skip(1) {
        let said = Said::cell("startech-4", name, "positions visited");
        let said = match (said, their_least) {
            (Said::Number(nodes), Some(least)) => Said::Number(nodes / least),
            _ => Said::Nothing,
        };
        rows.push(Row::new(
            "startech-4",
            format!("{name} entries: nodes over those of the largest table"),
            said,
            *ours,
        ));
    }
    sheet.compare(
        "startech-4",
        &rows,
        "25 searches on one processor, to the depth after the solution with the largest table.",
    );
    sheet.page.table(table);
    let row = Row::of(
        "startech-table-enough",
        "smallest table with at most 1 % more nodes than the largest",
        enough.unwrap_or(0.0),
    );
    sheet.compare("startech-table-enough", &[row], "as many entries as our trees need; theirs were of 1.6 M nodes.");
    Ok(())
}

pub(super) fn figure_5(sheet: &mut Sheet, machines: &Measured) {
    let said = |processors: usize, column: &str| Said::cell("startech-5", &processors.to_string(), column);
    let mut rows = Vec::new();
    let mut serial = (0.0, 0.0);
    let mut unsolved = Vec::new();
    let mut last = (0, 0.0, 0.0);
    for processors in std::iter::once(1).chain(machines.processors(STARTECH_ALGORITHM)) {
        let searches = machines.every(if processors == 1 { "serial" } else { STARTECH_ALGORITHM }, processors);
        let times = Times::new(&searches);
        let ((best, missing), all) = (times.best(), times.all());
        let mut push = |what: &str, said: Said, ours: f64| {
            rows.push(Row::new("startech-5", format!("{}: {what}", counted(processors)), said, ours));
        };
        if processors == 1 {
            serial = (best, all);
        } else {
            for (column, one, ours) in [("seconds, best 20", serial.0, best), ("seconds, all 25", serial.1, all)] {
                let published = published().table("startech-5").and_then(|table| {
                    Some(table.number("1", column)? / table.number(&processors.to_string(), column)?)
                });
                push(&column.replace("seconds", "speedup"), Said::from(published), one / ours);
            }
        }
        push("seconds, best 20", said(processors, "seconds, best 20"), best);
        push("seconds, all 25", said(processors, "seconds, all 25"), all);
        push("rating", said(processors, "rating"), estimate(best));
        unsolved.push(format!(
            "{} of {} on {processors} ({missing} unsolved among the 20)",
            times.solved(),
            times.0.len()
        ));
        last = (processors, estimate(best), serial.1 / all);
    }
    let note = format!(
        "seconds of the virtual machine until the right move is found for good, in the mean of the repetitions; a problem that \
        is not solved counts with the time of its search, after all that are solved. Solved: {}. Where one of the 20 is unsolved, \
        the rating is too high.",
        unsolved.join(", ")
    );
    sheet.compare("startech-5", &rows, &note);
    let (most, rating, speedup) = last;
    sheet.compare(
        "startech-rating",
        &[Row::of("startech-rating", format!("estimated on {most} processors"), rating)],
        "from figure 5.",
    );
    sheet.compare(
        "startech-speedup",
        &[Row::of("startech-speedup", format!("on {most} processors, all 25 to the solution"), speedup)],
        "from figure 5; theirs is of searches of a tournament, ours of Kaufman's problems.",
    );
}

pub(super) fn figures_6_and_7(sheet: &mut Sheet, machines: &Measured) {
    let counts = machines.processors(STARTECH_ALGORITHM);
    let Some(&most) = counts.last() else { return };
    let of = |of: fn(&SpeedupCell) -> f64| {
        machines.cells(STARTECH_ALGORITHM, most).iter().map(|cell| of(cell)).collect::<Vec<_>>()
    };
    let overheads = of(|cell| cell.factors.overhead / cell.factors.speed);
    let (overhead, (low, high)) = (geometric_mean(&overheads), bootstrap(&overheads, 1, geometric_mean));
    let said = |row: &str| Said::range("startech-6", row, "at least", "at most");
    let rows = [
        Row::new(
            "startech-6",
            format!("efficiency on {most}, %"),
            said("efficiency, serial time over work, %"),
            100.0 / overhead,
        )
        .between((100.0 / high, 100.0 / low)),
        Row::new(
            "startech-6",
            format!("work over serial work on {most}, times"),
            said("work over serial work, times"),
            overhead,
        )
        .between((low, high)),
    ];
    sheet.compare(
        "startech-6",
        &rows,
        "busy time of all processors over the serial time; geometric mean of the positions.",
    );
    let widths = of(|cell| cell.path.parallelism);
    let (parallelism, (low, high)) = (geometric_mean(&widths), bootstrap(&widths, 1, geometric_mean));
    let said = |row: &str| Said::range("startech-7", row, "at least", "at most");
    let rows = [
        Row::new(
            "startech-7",
            format!("critical path over work on {most}, %"),
            said("critical path over work in tournaments, %"),
            100.0 / parallelism,
        )
        .between((100.0 / high, 100.0 / low)),
        Row::new(
            "startech-7",
            format!("average parallelism on {most}"),
            said("average parallelism in tournaments"),
            parallelism,
        )
        .between((low, high)),
    ];
    sheet.compare("startech-7", &rows, "parallelism grows with the tree; theirs is said of searches of a tournament.");
    boxes(sheet, machines, &counts);
    let narrow: Vec<f64> = machines
        .every(STARTECH_ALGORITHM, most)
        .iter()
        .map(|row| 100.0 * row.accounts.tree.ideal_below_4 as f64 / row.span.max(1) as f64)
        .collect();
    let row = Row::of("startech-low-parallelism", format!("on {most} processors, mean"), mean(&narrow));
    sheet.compare(
        "startech-low-parallelism",
        &[row],
        "from the profile of nodes over ideal time that every search keeps.",
    );
}

/// Every position in a box of its own, every search a dot, the largest first, as in the paper.
fn boxes(sheet: &mut Sheet, machines: &Measured, counts: &[usize]) {
    let mut serial: Vec<&Measurement> = machines.searches("serial", 1);
    serial.sort_by_key(|row| std::cmp::Reverse(row.time));
    let mut work = Boxes::new("Figure 6: work, seconds of processors");
    let mut span = Boxes::new("Figure 7: critical path, seconds");
    for alone in serial {
        let mut works = vec![(1.0, alone.time as f64 * TICK)];
        let mut spans = Vec::new();
        for &count in counts {
            for row in machines.every(STARTECH_ALGORITHM, count).iter().filter(|row| row.run.id == alone.run.id) {
                let busy = (row.accounts.time.working + row.accounts.time.table) as f64 * TICK;
                works.push((count as f64, busy));
                spans.push((count as f64, row.span as f64 * busy / row.nodes.max(1) as f64));
            }
        }
        work = work.with(alone.run.id.clone(), works);
        span = span.with(alone.run.id.clone(), spans);
    }
    let note = "One box a position, one dot a search; across, the processors (1: the serial search), upwards from zero. The positions \
        whose serial search is longest come first.";
    sheet.page.picture(&work.note(note).picture()).picture(&span.picture());
}

pub(super) fn figure_8(sheet: &mut Sheet, machines: &Measured) {
    let Some(&most) = machines.processors(STARTECH_ALGORITHM).last() else { return };
    let searches = machines.searches(STARTECH_ALGORITHM, most);
    let Some(row) = searches.iter().max_by_key(|row| row.nodes) else { return };
    let all = row.time as f64 * most as f64;
    let share = |time: u64| 100.0 * time as f64 / all;
    let account = &row.accounts.time;
    let rows = [
        ("chess work", account.working),
        ("waiting for the global table", account.table),
        ("idle so as not to swamp the busy", account.back_off),
        ("idle and looking for work", account.looking),
        ("waiting for a child", account.waiting + account.network),
        ("busy and serving the table", account.serving),
        ("busy and answering requests for work", account.answering + account.sharing),
        ("child waiting for its parent's abort", account.dismissal),
    ];
    let rows =
        rows.map(|(name, time)| Row::new("startech-8", name, Said::cell("startech-8", name, "share"), share(time)));
    let note = format!(
        "position {} on {most} processors. What a lookup and serving it cost is set by this very figure.",
        row.run.id
    );
    sheet.compare("startech-8", &rows, &note);
    let waiting = share(account.table + account.waiting + account.network + account.dismissal);
    let row = Row::of("startech-waiting", "waiting for the table and for others, %", waiting);
    sheet.compare("startech-waiting", &[row], "from figure 8.");
}
