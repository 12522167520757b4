//! The study of speedups: how much faster more processors are, and what the speedup is lost to.

use crate::experiment::{Comparison, Folder, LabError, MachineKind, Mean, Measurement, Plan, Progress, SpeedupCell};
use crate::report::{Axis, Column, Origin, Page, Plot, ReportTable, Series, fixed, percent, significant, thousands};

/// Makes the searches of the plan that are not there yet, and writes rows, comparison and page into the folder.
///
/// # Errors
/// If the plan has a wrong setting, or something can't be written.
pub fn study(
    plan: &Plan,
    folder: &Folder,
    jobs: usize,
    origin: Origin,
    watch: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Comparison, LabError> {
    let rows = plan.perform(folder, jobs, watch)?;
    let comparison = Comparison::new(&rows, plan.seed);
    folder.write_data("rows", &rows)?;
    folder.write_data("speedup", &comparison.cells)?;
    folder.write_data("means", &comparison.means)?;
    page(plan, &rows, &comparison, origin).write(folder)?;
    Ok(comparison)
}

fn page(plan: &Plan, rows: &[Measurement], comparison: &Comparison, origin: Origin) -> Page {
    let mut page = Page::new(format!("Speedup on {} positions of {}", plan.suite.records.len(), plan.suite.name));
    let Comparison { cells, means } = comparison;
    page.text(&introduction(plan));
    page.section("On average");
    page.table(means_table(means)).table(traffic_table(means));
    page.plot(&speedup_plot(means));
    for (title, label, of) in FACTORS {
        page.plot(&factor_plot(title, label, means, of));
    }
    page.section("Position by position");
    for algorithm in &plan.algorithms {
        page.table(positions_table(algorithm, cells, &plan.processors));
    }
    page.section("Where each position's speedup comes from");
    page.table(decomposition_table(cells));
    let searches = format!("{} searches, every one a row of rows.csv and rows.json", rows.len());
    page.how_it_was_made(&origin.fact("seed", plan.seed.to_string()).fact("data", searches));
    page
}

fn introduction(plan: &Plan) -> String {
    let time = match plan.machine {
        MachineKind::Virtual => format!("virtual processors, profile {}", plan.profile),
        MachineKind::Threads => "threads of this computer, by the clock, medians".to_owned(),
    };
    format!(
        "Every position is searched to the same depth ({}) with the rules {} on {time}. Speedups are against the mean of \
         {} searches on one processor, each after a different warm-up, because the size of a search varies by chance. \
         speedup = processors x load x speed / overhead: load is the share of time with work, overhead the nodes relative \
         to one processor, speed the nodes in busy time relative to one processor (Feldmann's decomposition).",
        match plan.goal {
            crate::experiment::Goal::Nodes(nodes) =>
                format!("the first at which one processor has visited {} nodes", thousands(nodes as f64)),
            goal => goal.to_string(),
        },
        plan.rules,
        plan.baselines,
    )
}

fn means_table(means: &[Mean]) -> ReportTable {
    let columns: [Column<Mean>; 13] = [
        ("algorithm", |mean| mean.algorithm.clone()),
        ("P", |mean| mean.processors.to_string()),
        ("speedup, mean", |mean| fixed(mean.arithmetic, 2)),
        ("of totals", |mean| fixed(mean.sums.total, 2)),
        ("geometric", |mean| fixed(mean.geometric, 2)),
        ("95 %", |mean| format!("{} to {}", fixed(mean.low, 2), fixed(mean.high, 2))),
        ("load", |mean| percent(mean.factors.load)),
        ("overhead", |mean| fixed(mean.factors.overhead, 3)),
        ("speed", |mean| fixed(mean.factors.speed, 3)),
        ("product", |mean| fixed(mean.factors.product, 2)),
        ("W", |mean| thousands(mean.nodes)),
        ("C", |mean| thousands(mean.span)),
        ("W/C", |mean| fixed(mean.parallelism, 1)),
    ];
    ReportTable::of(means, &columns).title("Speedup and its factors").note(
        "mean: arithmetic mean of the speedups (DTS); of totals: all times of one processor over all times (Zugzwang); \
         95 %: bootstrap over positions. The factors and W/C are geometric means and multiply to the geometric speedup; \
         W (nodes) and C (critical path, nodes) are arithmetic means.",
    )
}

fn traffic_table(means: &[Mean]) -> ReportTable {
    let columns: [Column<Mean>; 11] = [
        ("algorithm", |mean| mean.algorithm.clone()),
        ("P", |mean| mean.processors.to_string()),
        ("steals / 1000 nodes", |mean| significant(mean.sharing.steals)),
        ("aborts / 1000 nodes", |mean| significant(mean.sharing.aborts)),
        ("failed tests", |mean| percent(mean.sharing.failed_work)),
        ("after a cutoff", |mean| percent(mean.sharing.cutoff_work)),
        ("aborted", |mean| percent(mean.sharing.aborted_work)),
        ("probes / node", |mean| fixed(mean.traffic.probes, 3)),
        ("hits", |mean| percent(mean.traffic.hits)),
        ("stores / node", |mean| fixed(mean.traffic.stores, 3)),
        ("waiting for the table", |mean| percent(mean.traffic.table_wait)),
    ];
    ReportTable::of(means, &columns).title("Steals, work in vain, and the table").note(
        "Failed tests, work after a cutoff and aborted work are shares of all nodes. An abort is a split point that was cut \
         off, with everything below it. In a distributed table (P - 1) / P of the traffic goes to other processors.",
    )
}

fn algorithms(means: &[Mean]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for mean in means {
        if !names.contains(&mean.algorithm.as_str()) {
            names.push(&mean.algorithm);
        }
    }
    names
}

fn points(means: &[Mean], algorithm: &str, of: fn(&Mean) -> f64) -> Vec<(f64, f64)> {
    let own = means.iter().filter(|mean| mean.algorithm == algorithm);
    own.map(|mean| (mean.processors as f64, of(mean))).collect()
}

/// The geometric mean of speedups over processors, with intervals.
pub fn speedup_plot(means: &[Mean]) -> Plot {
    let processors = means.iter().map(|mean| mean.processors as f64);
    let (low, high) = processors.fold((f64::MAX, 1.0), |(low, high): (f64, f64), p| (low.min(p), high.max(p)));
    let lines = algorithms(means).into_iter().map(|name| {
        let own = means.iter().filter(|mean| mean.algorithm == name);
        let intervals = own.map(|mean| (mean.low, mean.high)).collect();
        Series::line(name, points(means, name, |mean| mean.geometric)).intervals(intervals)
    });
    Plot::new("Speedup", Axis::log2("processors"), Axis::log2("times faster than one processor"))
        .with_all(lines)
        .with(Series::reference("ideal", vec![(low, low), (high, high)]))
        .note("Geometric means with 95 % intervals.")
}

type Factor = (&'static str, &'static str, fn(&Mean) -> f64);

const FACTORS: [Factor; 4] = [
    ("Load", "time with work, %", |mean| 100.0 * mean.factors.load),
    ("Search overhead", "nodes relative to one processor", |mean| mean.factors.overhead),
    ("Speed", "nodes in busy time relative to one processor", |mean| mean.factors.speed),
    ("Average parallelism", "W/C", |mean| mean.parallelism),
];

fn factor_plot(title: &str, label: &str, means: &[Mean], of: fn(&Mean) -> f64) -> Plot {
    let lines = algorithms(means).into_iter().map(|name| Series::line(name, points(means, name, of)));
    Plot::new(title, Axis::log2("processors"), Axis::linear(label)).with_all(lines)
}

fn positions_table(algorithm: &str, cells: &[SpeedupCell], processors: &[usize]) -> ReportTable {
    let mut head = vec!["position".to_owned(), "depth".into(), "nodes of one".into()];
    for count in processors {
        head.extend([format!("P = {count}"), "W/C".into()]);
    }
    let own: Vec<&SpeedupCell> = cells.iter().filter(|cell| cell.algorithm == algorithm).collect();
    let mut table = ReportTable::new(head).title(format!("{algorithm}: speedup and average parallelism"));
    let mut seen = Vec::new();
    for cell in &own {
        if seen.contains(&&cell.id) {
            continue;
        }
        seen.push(&cell.id);
        let mut row = vec![cell.id.clone(), cell.depth.to_string(), thousands(cell.serial_nodes)];
        for &count in processors {
            let found = own.iter().find(|other| other.id == cell.id && other.processors == count);
            row.push(found.map_or_else(String::new, |cell| fixed(cell.speedup, 2)));
            row.push(found.map_or_else(String::new, |cell| fixed(cell.path.parallelism, 1)));
        }
        table.push(row);
    }
    table
}

fn decomposition_table(cells: &[SpeedupCell]) -> ReportTable {
    let columns: [Column<SpeedupCell>; 15] = [
        ("position", |cell| cell.id.clone()),
        ("algorithm", |cell| cell.algorithm.clone()),
        ("P", |cell| cell.processors.to_string()),
        ("time", |cell| thousands(cell.time)),
        ("speedup", |cell| fixed(cell.speedup, 2)),
        ("load", |cell| percent(cell.factors.load)),
        ("overhead", |cell| fixed(cell.factors.overhead, 3)),
        ("speed", |cell| fixed(cell.factors.speed, 3)),
        ("product", |cell| fixed(cell.factors.product, 2)),
        ("W", |cell| thousands(cell.nodes)),
        ("C", |cell| thousands(cell.path.span)),
        ("steals", |cell| thousands(cell.traffic.steals)),
        ("aborts", |cell| thousands(cell.traffic.aborts)),
        ("probes", |cell| thousands(cell.traffic.probes)),
        ("table hits", |cell| percent(cell.traffic.hits)),
    ];
    ReportTable::of(cells, &columns)
}
