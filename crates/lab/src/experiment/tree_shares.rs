//! What the tree of a search was like, relative to its nodes and its critical path.

use super::Measurement;
use super::statistics::mean;
use serde::Serialize;

/// What the tree of a search was like.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct TreeShares {
    /// Failed work at nodes of type 2, as a share of all failed work.
    pub failed_type_2: f64,
    /// Failed work at nodes of type 3, as a share of all failed work.
    pub failed_type_3: f64,
    /// The share of the nodes with a best move whose first move was it.
    pub first_best: f64,
    /// The share of all positions that helpers took over.
    pub stolen: f64,
    /// The nodes below such a position.
    pub stolen_size: f64,
    /// The share of ideal time in which fewer than 4 processors have work.
    pub below_4: f64,
    /// The share of ideal time in which fewer than 10 processors have work.
    pub below_10: f64,
    /// Nodes relative to those of the minimal tree, where one processor searched; zero elsewhere.
    pub over_minimal: f64,
}

impl TreeShares {
    /// The shares of the sums over some searches.
    pub(super) fn of(rows: &[&Measurement]) -> TreeShares {
        let sum = |of: fn(&Measurement) -> u64| rows.iter().map(|row| of(row)).sum::<u64>() as f64;
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let (nodes, span) = (sum(|row| row.nodes), sum(|row| row.span));
        let failed = sum(|row| row.accounts.lost.failed_work);
        let positions = sum(|row| row.accounts.tree.stolen_positions);
        TreeShares {
            failed_type_2: share(sum(|row| row.accounts.lost.failed_type_2), failed),
            failed_type_3: share(sum(|row| row.accounts.lost.failed_type_3), failed),
            first_best: share(sum(|row| row.accounts.tree.first_best()), sum(|row| row.accounts.tree.with_best())),
            stolen: share(positions, nodes),
            stolen_size: share(sum(|row| row.accounts.tree.stolen_nodes), positions),
            below_4: share(sum(|row| row.accounts.tree.ideal_below_4), span),
            below_10: share(sum(|row| row.accounts.tree.ideal_below_10), span),
            over_minimal: share(nodes, sum(|row| row.accounts.tree.minimal_nodes)),
        }
    }

    /// The mean over positions.
    pub(super) fn mean(shares: &[TreeShares]) -> TreeShares {
        let of = |of: fn(&TreeShares) -> f64| mean(&shares.iter().map(of).collect::<Vec<_>>());
        TreeShares {
            failed_type_2: of(|tree| tree.failed_type_2),
            failed_type_3: of(|tree| tree.failed_type_3),
            first_best: of(|tree| tree.first_best),
            stolen: of(|tree| tree.stolen),
            stolen_size: of(|tree| tree.stolen_size),
            below_4: of(|tree| tree.below_4),
            below_10: of(|tree| tree.below_10),
            over_minimal: of(|tree| tree.over_minimal),
        }
    }
}

/// Time without work, and the last depth by itself.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct IdleTime {
    /// Time without work, for each processor on average.
    pub idle: f64,
    /// Time of the last depth alone.
    pub last_time: f64,
    /// Time of the last depth alone on one processor.
    pub last_serial_time: f64,
    /// Time without work in the last depth, for each processor on average; on virtual processors only.
    pub last_idle: f64,
}

impl IdleTime {
    pub(super) fn of(rows: &[&Measurement], serial: &[&Measurement]) -> IdleTime {
        let average = |rows: &[&Measurement], of: fn(&Measurement) -> f64| {
            mean(&rows.iter().map(|row| of(row)).collect::<Vec<_>>())
        };
        IdleTime {
            idle: average(rows, |row| row.accounts.time.idle() as f64 / row.run.processors as f64),
            last_time: average(rows, |row| last(row).0),
            last_serial_time: average(serial, |row| last(row).0),
            last_idle: average(rows, |row| last(row).1),
        }
    }
}

/// Time of the last depth alone, and how much of it a processor was without work.
fn last(row: &Measurement) -> (f64, f64) {
    let ends: Vec<(u64, u64)> = row.iterations.iter().rev().take(2).map(|end| (end.time, end.busy)).collect();
    let Some(&(end, busy)) = ends.first() else { return (row.time as f64, 0.0) };
    let (start, busy_before) = ends.get(1).copied().unwrap_or((0, 0));
    let time = end.saturating_sub(start) as f64;
    let worked = busy.saturating_sub(busy_before) as f64 / row.run.processors as f64;
    (time, if busy == 0 { 0.0 } else { (time - worked).max(0.0) })
}

/// Speedup, load and search overhead as Zugzwang (section 6) defines them: ratios of sums over all positions.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct SumFactors {
    /// All times of one processor over all times.
    pub total: f64,
    /// One less all time without work over all time.
    pub sum_load: f64,
    /// All nodes over all nodes of one processor.
    pub sum_overhead: f64,
    /// The speedup of the last depth alone.
    pub last_speedup: f64,
    /// The load of the last depth alone, on virtual processors.
    pub last_load: f64,
    /// Time without work of a processor, in the mean over positions (DTS section 5).
    pub idle: f64,
}
