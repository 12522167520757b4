//! Speedups and their factors: Feldmann's decomposition.
//!
//! On P processors a search takes time T, visits N nodes, and its processors together are without work for a time I.
//! The search on one processor takes T1 for N1 nodes. Then, after Feldmann (Zugzwang section 6),
//!
//! | factor | is | where it is lost |
//! |---|---|---|
//! | load | 1 - I / (P T) | processors look for work, or wait for helpers or the network |
//! | overhead | N / N1 | nodes are visited that one processor would not visit |
//! | speed | N / B over N1 / T1, with B the time processors are busy | nodes are slower: the table, answers, memory |
//!
//! and speedup = P x load x speed / overhead. Each factor is measured separately (I and B are accounts of the
//! scheduler), so the product agrees with T1 / T only if the accounts are right.

use super::statistics::{bootstrap, geometric_mean, mean};
use super::tree_shares::{IdleTime, SumFactors, TreeShares};
use super::{MachineKind, Measurement};
use serde::Serialize;

/// One position by one algorithm on a number of processors, compared with one processor. Numbers are means over the
/// repetitions; for threads, those of the median one.
#[derive(Clone, Debug, Serialize)]
pub struct SpeedupCell {
    /// The position's name.
    pub id: String,
    /// The algorithm.
    pub algorithm: String,
    /// How many processors.
    pub processors: usize,
    /// The hosts they belong to; empty for one host.
    pub hosts: String,
    /// The depth.
    pub depth: i32,
    /// Time in ticks, or nanoseconds.
    pub time: f64,
    /// Time of one processor.
    pub serial_time: f64,
    /// How many times faster than one processor.
    pub speedup: f64,
    /// Nodes visited: the work W.
    pub nodes: f64,
    /// Nodes of one processor.
    pub serial_nodes: f64,
    /// The factors of the speedup.
    #[serde(flatten)]
    pub factors: SpeedupFactors,
    /// The critical path.
    #[serde(flatten)]
    pub path: CriticalPath,
    /// Time without work, and the last depth by itself.
    #[serde(flatten)]
    pub idle: IdleTime,
    /// Wasted nodes, as shares of all.
    #[serde(flatten)]
    pub lost: LostShares,
    /// Requests between processors, and use of the table.
    #[serde(flatten)]
    pub traffic: TableTraffic,
}

/// The critical path of a search.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CriticalPath {
    /// Its length C, in nodes.
    pub span: f64,
    /// The average parallelism W/C.
    pub parallelism: f64,
}

/// The factors of a speedup, P x load x speed / overhead.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SpeedupFactors {
    /// Nodes relative to one processor.
    pub overhead: f64,
    /// The share of the processors' time in which they were busy.
    pub load: f64,
    /// Nodes in busy time, relative to one processor.
    pub speed: f64,
    /// P x load x speed / overhead.
    pub product: f64,
}

/// Nodes that brought nothing, as shares of all.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LostShares {
    /// Nodes of tests that failed.
    pub failed_work: f64,
    /// Nodes below moves after the one that cut their parent off.
    pub cutoff_work: f64,
    /// Nodes of searches that were cut before they had an answer.
    pub aborted_work: f64,
    /// What else the tree was like.
    #[serde(flatten)]
    pub tree: TreeShares,
}

/// What processors asked of each other and of the table.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TableTraffic {
    /// Requests for work.
    pub requests: f64,
    /// Requests that brought work.
    pub steals: f64,
    /// Frames shared.
    pub splits: f64,
    /// Split points that were cut off, with everything below them.
    pub aborts: f64,
    /// Table lookups.
    pub probes: f64,
    /// The share of the lookups that found the position.
    pub hits: f64,
    /// Results stored in the table.
    pub stores: f64,
    /// The share of the processors' time spent waiting for the table.
    pub table_wait: f64,
    /// The share of the processors' time spent waiting for other hosts.
    pub network: f64,
}

/// The mean of several searches of the same kind.
struct Sum<'a>(Vec<&'a Measurement>);

impl<'a> Sum<'a> {
    /// The mean of all of them, or on threads of the middle one or two by time.
    fn of(rows: &[&'a Measurement]) -> Sum<'a> {
        let mut rows = rows.to_vec();
        if rows.first().is_some_and(|row| row.run.machine == MachineKind::Threads) {
            rows.sort_by_key(|row| row.time);
            let middle = (rows.len() - 1) / 2..rows.len() / 2 + 1;
            rows = rows[middle].to_vec();
        }
        Sum(rows)
    }

    fn mean(&self, of: impl Fn(&Measurement) -> u64) -> f64 {
        mean(&self.0.iter().map(|row| of(row) as f64).collect::<Vec<_>>())
    }
}

impl SpeedupCell {
    /// Compares repetitions of one search with searches on one processor. None if either are missing.
    pub fn new(rows: &[&Measurement], serial: &[&Measurement]) -> Option<SpeedupCell> {
        let (one, many) = (Sum::of(serial), Sum::of(rows));
        let first = many.0.first()?;
        one.0.first()?;
        let processors = first.run.processors;
        let (time, serial_time) = (many.mean(|row| row.time), one.mean(|row| row.time));
        let (nodes, serial_nodes) = (many.mean(|row| row.nodes), one.mean(|row| row.nodes));
        let all_time = time * processors as f64;
        let idle = many.mean(|row| row.accounts.time.idle());
        let mut busy = many.mean(|row| row.accounts.time.busy());
        if busy == 0.0 {
            // A search without a scheduler has no accounts, since it is always busy.
            busy = all_time;
        }
        let overhead = nodes / serial_nodes;
        let load = 1.0 - idle / all_time;
        let speed = (nodes / busy) / (serial_nodes / serial_time);
        let span = many.mean(|row| row.span);
        let probes = many.mean(|row| row.accounts.table.probes);
        let share = |of: fn(&Measurement) -> u64| many.mean(of) / nodes;
        Some(SpeedupCell {
            id: first.run.id.clone(),
            algorithm: first.run.algorithm.clone(),
            processors,
            hosts: first.run.hosts.clone(),
            depth: first.depth,
            time,
            serial_time,
            speedup: serial_time / time,
            nodes,
            serial_nodes,
            factors: SpeedupFactors { overhead, load, speed, product: processors as f64 * load * speed / overhead },
            path: CriticalPath { span, parallelism: nodes / span },
            idle: IdleTime::of(&many.0, &one.0),
            lost: LostShares {
                failed_work: share(|row| row.accounts.lost.failed_work),
                cutoff_work: share(|row| row.accounts.lost.cutoff_work),
                aborted_work: share(|row| row.accounts.lost.aborted_work),
                tree: TreeShares::of(&many.0),
            },
            traffic: TableTraffic {
                requests: many.mean(|row| row.accounts.sharing.requests),
                steals: many.mean(|row| row.accounts.sharing.steals),
                splits: many.mean(|row| row.accounts.sharing.splits),
                aborts: many.mean(|row| row.accounts.sharing.cutoffs),
                probes,
                hits: many.mean(|row| row.accounts.table.hits) / probes.max(1.0),
                stores: many.mean(|row| row.accounts.table.stores),
                table_wait: many.mean(|row| row.accounts.time.table) / all_time,
                network: many.mean(|row| row.accounts.time.network) / all_time,
            },
        })
    }
}

/// All positions by one algorithm on a number of processors, on average. The factors are geometric means, so that they
/// multiply to the geometric mean of the speedups.
#[derive(Clone, Debug, Serialize)]
pub struct Mean {
    /// The algorithm.
    pub algorithm: String,
    /// How many processors.
    pub processors: usize,
    /// The hosts they belong to; nothing for one host.
    pub hosts: String,
    /// How many positions.
    pub positions: usize,
    /// The arithmetic mean of the speedups (DTS).
    pub arithmetic: f64,
    /// Ratios of sums over all positions.
    #[serde(flatten)]
    pub sums: SumFactors,
    /// The geometric mean of the speedups.
    pub geometric: f64,
    /// Its 95 % interval, low end.
    pub low: f64,
    /// Its 95 % interval, high end.
    pub high: f64,
    /// The factors of the speedup, geometric means.
    #[serde(flatten)]
    pub factors: SpeedupFactors,
    /// Work, the arithmetic mean.
    pub nodes: f64,
    /// Critical path, the arithmetic mean.
    pub span: f64,
    /// W/C.
    pub parallelism: f64,
    /// How the work was shared, arithmetic means.
    #[serde(flatten)]
    pub sharing: MeanSharing,
    /// Use of the table and of other hosts, arithmetic means.
    #[serde(flatten)]
    pub traffic: MeanTraffic,
}

/// How the work was shared, averaged over positions.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MeanSharing {
    /// Requests that brought work, for every thousand nodes.
    pub steals: f64,
    /// Split points cut off, for every thousand nodes.
    pub aborts: f64,
    /// Nodes of tests that failed, as a share of all.
    pub failed_work: f64,
    /// Nodes after a cutoff, as a share of all.
    pub cutoff_work: f64,
    /// Nodes of strands that were cut, as a share of all.
    pub aborted_work: f64,
    /// What else the tree was like.
    #[serde(flatten)]
    pub tree: TreeShares,
}

/// Use of the table and of other hosts, averaged over positions.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MeanTraffic {
    /// Table lookups for every node.
    pub probes: f64,
    /// The share of the lookups that found the position.
    pub hits: f64,
    /// Results stored for every node.
    pub stores: f64,
    /// The share of the processors' time spent waiting for the table.
    pub table_wait: f64,
    /// The share of the processors' time spent waiting for other hosts.
    pub network: f64,
}

impl SumFactors {
    fn of(cells: &[&SpeedupCell]) -> SumFactors {
        let sum = |of: fn(&SpeedupCell) -> f64| cells.iter().map(|cell| of(cell)).sum::<f64>();
        SumFactors {
            total: sum(|cell| cell.serial_time) / sum(|cell| cell.time),
            sum_load: 1.0 - sum(|cell| cell.idle.idle) / sum(|cell| cell.time),
            sum_overhead: sum(|cell| cell.nodes) / sum(|cell| cell.serial_nodes),
            last_speedup: sum(|cell| cell.idle.last_serial_time) / sum(|cell| cell.idle.last_time),
            last_load: 1.0 - sum(|cell| cell.idle.last_idle) / sum(|cell| cell.idle.last_time),
            idle: sum(|cell| cell.idle.idle) / cells.len() as f64,
        }
    }
}

impl Mean {
    /// The mean of cells of the same algorithm and number of processors; `seed` is for the bootstrap.
    pub fn new(cells: &[&SpeedupCell], seed: u64) -> Option<Mean> {
        let first = cells.first()?;
        let all = |of: fn(&SpeedupCell) -> f64| cells.iter().map(|cell| of(cell)).collect::<Vec<_>>();
        let arithmetic = |of: fn(&SpeedupCell) -> f64| mean(&all(of));
        let geometric = |of: fn(&SpeedupCell) -> f64| geometric_mean(&all(of));
        let (low, high) = bootstrap(&all(|cell| cell.speedup), seed, geometric_mean);
        Some(Mean {
            algorithm: first.algorithm.clone(),
            processors: first.processors,
            hosts: first.hosts.clone(),
            positions: cells.len(),
            arithmetic: arithmetic(|cell| cell.speedup),
            sums: SumFactors::of(cells),
            geometric: geometric(|cell| cell.speedup),
            low,
            high,
            factors: SpeedupFactors {
                overhead: geometric(|cell| cell.factors.overhead),
                load: geometric(|cell| cell.factors.load),
                speed: geometric(|cell| cell.factors.speed),
                product: geometric(|cell| cell.factors.product),
            },
            nodes: arithmetic(|cell| cell.nodes),
            span: arithmetic(|cell| cell.path.span),
            parallelism: geometric(|cell| cell.path.parallelism),
            sharing: MeanSharing {
                steals: arithmetic(|cell| 1000.0 * cell.traffic.steals / cell.nodes),
                aborts: arithmetic(|cell| 1000.0 * cell.traffic.aborts / cell.nodes),
                failed_work: arithmetic(|cell| cell.lost.failed_work),
                cutoff_work: arithmetic(|cell| cell.lost.cutoff_work),
                aborted_work: arithmetic(|cell| cell.lost.aborted_work),
                tree: TreeShares::mean(&cells.iter().map(|cell| cell.lost.tree).collect::<Vec<_>>()),
            },
            traffic: MeanTraffic {
                probes: arithmetic(|cell| cell.traffic.probes / cell.nodes),
                hits: arithmetic(|cell| cell.traffic.hits),
                stores: arithmetic(|cell| cell.traffic.stores / cell.nodes),
                table_wait: arithmetic(|cell| cell.traffic.table_wait),
                network: arithmetic(|cell| cell.traffic.network),
            },
        })
    }
}

/// Every position, algorithm and number of processors against one processor.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    /// One for each position, algorithm and number of processors.
    pub cells: Vec<SpeedupCell>,
    /// One for each algorithm and number of processors.
    pub means: Vec<Mean>,
}

impl Comparison {
    /// Compares all rows that are not `serial` with those of the same position and rules that are. `seed` is for the
    /// bootstrap. Rows of searches that only choose a depth are left out.
    pub fn new(rows: &[Measurement], seed: u64) -> Comparison {
        let rows: Vec<&Measurement> = rows.iter().filter(|row| row.run.repeat > 0).collect();
        let mut cells: Vec<SpeedupCell> = Vec::new();
        let mut kinds: Vec<(&str, usize, &str)> = Vec::new();
        for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.run.algorithm != "serial") {
            let alike = |other: &&&Measurement| same_kind(row, other);
            if rows[..index].iter().any(|other| same_kind(row, other)) {
                continue;
            }
            let repetitions: Vec<_> = rows.iter().filter(alike).copied().collect();
            let is_serial = |other: &&&Measurement| other.run.algorithm == "serial" && same_position(row, other);
            let serial: Vec<_> = rows.iter().filter(is_serial).copied().collect();
            cells.extend(SpeedupCell::new(&repetitions, &serial));
            let kind = (row.run.algorithm.as_str(), row.run.processors, row.run.hosts.as_str());
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let mean = |(algorithm, processors, hosts)| {
            let is_of = |cell: &&SpeedupCell| {
                cell.algorithm == algorithm && cell.processors == processors && cell.hosts == hosts
            };
            Mean::new(&cells.iter().filter(is_of).collect::<Vec<_>>(), seed)
        };
        let means = kinds.into_iter().filter_map(mean).collect();
        Comparison { cells, means }
    }
}

fn same_position(a: &Measurement, b: &Measurement) -> bool {
    let key = |row: &Measurement| (row.run.goal, row.run.machine, row.run.kept);
    key(a) == key(b) && a.run.fen == b.run.fen && a.run.rules == b.run.rules && a.run.profile == b.run.profile
}

fn same_kind(a: &Measurement, b: &Measurement) -> bool {
    same_position(a, b)
        && a.run.processors == b.run.processors
        && a.run.algorithm == b.run.algorithm
        && a.run.hosts == b.run.hosts
}
