//! The study of a virtual cluster: speedup by the latency of its network and the number of its ranks.

use crate::experiment::{
    Comparison, Folder, LabError, Mean, Measurement, Plan, Progress, Run, hosts_text, perform_all,
};
use crate::report::{
    Axis, Column, Origin, Page, Plot, ReportTable, Series, fixed, percent, short, significant, thousands,
};
use search::Hosts;
use serde::Serialize;

/// The clusters and the searches that are compared.
#[derive(Clone, Debug)]
pub struct ClusterStudySettings {
    /// Positions, algorithms, costs and depth; numbers of processors and hosts are set for each cluster.
    pub plan: Plan,
    /// The numbers of ranks.
    pub ranks: Vec<usize>,
    /// How many processors a rank has.
    pub each: usize,
    /// The latencies in microseconds.
    pub latencies: Vec<u64>,
    /// How many ticks a microsecond has.
    pub microsecond: u64,
    /// The other properties of the network. The least depth of frames for other ranks may grow with the latency.
    pub network: Hosts,
    /// The least depth of frames for other ranks; if none, [`grain`] chooses it.
    pub grain: Option<i32>,
}

/// One cluster by one algorithm, averaged over all positions.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// The algorithm.
    pub algorithm: String,
    /// How many ranks.
    pub ranks: usize,
    /// The latency in microseconds.
    pub latency: u64,
    /// The least depth of frames for other ranks.
    pub grain: i32,
    /// The speedup over one processor, and its factors.
    pub mean: Mean,
}

/// The results of a study.
#[derive(Clone, Debug)]
pub struct ClusterFindings {
    /// Every search.
    pub rows: Vec<Measurement>,
    /// Position by position.
    pub comparison: Comparison,
    /// Every cluster; the results of one rank are repeated for every latency.
    pub points: Vec<Point>,
}

/// The least depth of frames for other ranks: a ply more for each doubling of the latency beyond the time of eight
/// nodes, since a frame must take longer to search than to be given away.
pub fn grain(near: i32, latency: u64, node: u64) -> i32 {
    near + (latency / (8 * node.max(1)) + 1).ilog2() as i32
}

impl ClusterStudySettings {
    /// A cluster.
    fn hosts(&self, ranks: usize, latency: u64) -> Result<Hosts, LabError> {
        let costs = crate::experiment::costs(&self.plan.profile)?;
        let latency = latency * self.microsecond;
        let grain = self.grain.unwrap_or_else(|| grain(costs.grain, latency, costs.node));
        Ok(Hosts { count: ranks, latency, grain, ..self.network.clone() })
    }

    /// All clusters: ranks, latency in microseconds, and the plan of their searches.
    fn clusters(&self) -> Result<Vec<(Hosts, u64, Plan)>, LabError> {
        let mut clusters = Vec::new();
        for &latency in &self.latencies {
            for &ranks in &self.ranks {
                let hosts = self.hosts(ranks, latency)?;
                let plan = Plan { processors: vec![ranks * self.each], hosts: hosts_text(&hosts), ..self.plan.clone() };
                clusters.push((hosts, latency, plan));
            }
        }
        Ok(clusters)
    }

    /// Checks what can be checked without searching.
    ///
    /// # Errors
    /// If a setting is wrong.
    pub fn check(&self) -> Result<(), LabError> {
        if self.ranks.is_empty() || self.latencies.is_empty() {
            return Err(LabError::Settings("name at least one number of hosts and one latency".into()));
        }
        self.clusters()?.iter().try_for_each(|(_, _, plan)| plan.check())
    }
}

/// Makes the searches that the folder does not have yet, and writes rows, points and page.
///
/// # Errors
/// If a setting is wrong, or something can't be written.
pub fn study(
    settings: &ClusterStudySettings,
    folder: &Folder,
    jobs: usize,
    origin: Origin,
    watch: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<ClusterFindings, LabError> {
    settings.check()?;
    let clusters = settings.clusters()?;
    let choices = perform_all(&settings.plan.choices(), folder, jobs, watch)?;
    let mut runs: Vec<Run> = Vec::new();
    for (_, _, plan) in &clusters {
        for run in plan.runs(&choices) {
            if !runs.contains(&run) {
                runs.push(run);
            }
        }
    }
    let rows = perform_all(&runs, folder, jobs, watch)?;
    let comparison = Comparison::new(&rows, settings.plan.seed);
    let mut points = Vec::new();
    for algorithm in &settings.plan.algorithms {
        for (hosts, latency, plan) in &clusters {
            let is_it = |mean: &&Mean| {
                mean.algorithm == *algorithm && mean.hosts == plan.hosts && plan.processors.contains(&mean.processors)
            };
            let (ranks, grain) = (hosts.count, hosts.grain);
            points.extend(comparison.means.iter().find(is_it).map(|mean| Point {
                algorithm: algorithm.clone(),
                ranks,
                latency: *latency,
                grain,
                mean: mean.clone(),
            }));
        }
    }
    folder.write_data("rows", &rows)?;
    folder.write_data("speedup", &comparison.cells)?;
    folder.write_data("cluster", &points)?;
    page(settings, &points, rows.len(), origin).write(folder)?;
    Ok(ClusterFindings { rows, comparison, points })
}

fn page(settings: &ClusterStudySettings, points: &[Point], searches: usize, origin: Origin) -> Page {
    let plan = &settings.plan;
    let mut page =
        Page::new(format!("A virtual cluster on {} positions of {}", plan.suite.records.len(), plan.suite.name));
    page.text(&format!(
        "Every position is searched to the same depth with the rules {} on hosts of {} virtual processors each, profile {}. \
         Speedups are geometric means over one processor. speedup = processors x load x speed / overhead; time spent \
         waiting for the network is time without work.",
        plan.rules, settings.each, plan.profile,
    ));
    for algorithm in &plan.algorithms {
        page.section(algorithm);
        let own: Vec<&Point> = points.iter().filter(|point| point.algorithm == *algorithm).collect();
        page.plot(&latency_plot(settings, &own)).plot(&ranks_plot(settings, &own));
        page.table(speedup_table(settings, &own)).table(factors_table(&own));
    }
    let data = format!("{searches} searches, every one a row of rows.csv and rows.json; clusters in cluster.csv");
    page.how_it_was_made(&origin.fact("seed", plan.seed.to_string()).fact("data", data));
    page
}

fn line<'a>(name: String, own: impl Iterator<Item = &'a &'a Point>, x: fn(&Point) -> f64) -> Series {
    let points: Vec<&&Point> = own.collect();
    let intervals = points.iter().map(|point| (point.mean.low, point.mean.high)).collect();
    Series::line(name, points.iter().map(|point| (x(point), point.mean.geometric)).collect()).intervals(intervals)
}

/// `1 host`, `2 hosts`.
fn hosts_in_words(count: usize) -> String {
    format!("{count} {}", if count == 1 { "host" } else { "hosts" })
}

fn latency_plot(settings: &ClusterStudySettings, own: &[&Point]) -> Plot {
    let lines = settings.ranks.iter().map(|&ranks| {
        line(hosts_in_words(ranks), own.iter().filter(|point| point.ranks == ranks), |point| point.latency as f64)
    });
    Plot::new(
        "Speedup against latency",
        Axis::log10("latency, microseconds"),
        Axis::log2("times faster than one processor"),
    )
    .with_all(lines)
    .note("Geometric means with 95 % intervals.")
}

fn ranks_plot(settings: &ClusterStudySettings, own: &[&Point]) -> Plot {
    let lines = settings.latencies.iter().map(|&latency| {
        line(format!("{latency} microseconds"), own.iter().filter(|point| point.latency == latency), |point| {
            point.ranks as f64
        })
    });
    Plot::new("Speedup against hosts", Axis::log2("hosts"), Axis::log2("times faster than one processor"))
        .with_all(lines)
}

fn speedup_table(settings: &ClusterStudySettings, own: &[&Point]) -> ReportTable {
    let mut head = vec!["hosts".to_owned(), "processors".into()];
    head.extend(settings.latencies.iter().map(|latency| format!("{latency} \u{b5}s")));
    let mut table = ReportTable::new(head).title("Speedup by hosts and latency");
    for &ranks in &settings.ranks {
        let mut row = vec![ranks.to_string(), (ranks * settings.each).to_string()];
        row.extend(own.iter().filter(|point| point.ranks == ranks).map(|point| fixed(point.mean.geometric, 2)));
        table.push(row);
    }
    table
}

fn factors_table(own: &[&Point]) -> ReportTable {
    let columns: [Column<Point>; 13] = [
        ("ranks", |point| point.ranks.to_string()),
        ("latency, \u{b5}s", |point| point.latency.to_string()),
        ("remote grain", |point| point.grain.to_string()),
        ("speedup", |point| fixed(point.mean.geometric, 2)),
        ("95 %", |point| format!("{} to {}", fixed(point.mean.low, 2), fixed(point.mean.high, 2))),
        ("load", |point| percent(point.mean.factors.load)),
        ("network", |point| percent(point.mean.traffic.network)),
        ("overhead", |point| fixed(point.mean.factors.overhead, 3)),
        ("speed", |point| fixed(point.mean.factors.speed, 3)),
        ("W", |point| thousands(point.mean.nodes)),
        ("W/C", |point| short(point.mean.parallelism.round())),
        ("steals / 1000 nodes", |point| significant(point.mean.sharing.steals)),
        ("table hits", |point| percent(point.mean.traffic.hits)),
    ];
    ReportTable::of(own.iter().copied(), &columns)
        .title("Where the speedup comes from")
        .note("network: the share of the processors' time spent waiting at split points or for tables of other hosts.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tests::{Scratch, small_plan};

    #[test]
    fn a_study_has_every_cluster_and_gives_the_same_bytes_twice() {
        let tables = search::Tables::Distributed { depth: 3, blocking: false };
        let settings = ClusterStudySettings {
            plan: Plan { algorithms: vec!["jubilee".into()], profile: "workstation".into(), ..small_plan() },
            ranks: vec![1, 2, 8],
            each: 2,
            latencies: vec![1, 100],
            microsecond: 1000,
            network: Hosts { tables, ..Hosts::one() },
            grain: None,
        };
        let run = |name: &str, jobs| {
            let scratch = Scratch::new(name);
            let folder = Folder::open(scratch.path(), "v").unwrap();
            let findings = study(&settings, &folder, jobs, Origin::default(), &|_| {}).unwrap();
            (findings, std::fs::read_to_string(scratch.path().join("cluster.csv")).unwrap())
        };
        let ((findings, first), (_, second)) = (run("cluster", 1), run("cluster-again", 2));
        assert_eq!(first, second);
        let speedup = |ranks, latency| {
            let is_it = |point: &&Point| (point.ranks, point.latency) == (ranks, latency);
            findings.points.iter().find(is_it).unwrap().mean.geometric
        };
        assert_eq!(findings.points.len(), 6);
        assert_eq!(speedup(1, 1), speedup(1, 100), "one rank has no network");
        assert!(speedup(8, 1) > speedup(8, 100), "{} {}", speedup(8, 1), speedup(8, 100));
        for cell in &findings.comparison.cells {
            assert!((cell.factors.product / cell.speedup - 1.0).abs() < 0.01, "{cell:?}");
        }
        let odd = ClusterStudySettings { plan: Plan { hosts: "ranks=3".into(), ..settings.plan.clone() }, ..settings };
        assert!(odd.plan.check().unwrap_err().to_string().contains("can't be divided"));
    }

    #[test]
    fn far_away_only_deep_frames_are_wanted() {
        assert_eq!([0, 1_000, 10_000, 100_000, 1_000_000].map(|latency| grain(4, latency, 800)), [4, 4, 5, 8, 11]);
    }
}
