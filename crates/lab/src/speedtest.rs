//! The speed test: how many nodes a second this computer searches when all its cores play a game.
//!
//! The benchmark searches each position from an empty table to a fixed depth; a game does not. Here the positions of one game
//! (the one of the DTS paper) are searched in turn, each for the same time, and the table, the histories and the threads stay.

use crate::suite::Builtin;
use chess::{Position, RuleSet};
use engine::{EngineCore, GoLimits, SearchRequest, Signals, TimeControl};
use std::fmt;
use std::time::{Duration, Instant};
use table::TableError;

/// How to run the speed test.
#[derive(Clone, Debug)]
pub struct SpeedtestSettings {
    /// How many threads search.
    pub threads: usize,
    /// The size of the table in MiB.
    pub hash_mib: usize,
    /// The time of all searches together, without the first.
    pub time: Duration,
}

/// One position's result.
#[derive(Clone, Copy, Debug)]
pub struct SpeedtestRow {
    /// The number of the position in the game, from 1.
    pub number: usize,
    /// The depth that was finished.
    pub depth: i32,
    /// Nodes visited.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

impl SpeedtestRow {
    /// Nodes a second.
    pub fn per_second(&self) -> u64 {
        rate(self.nodes, self.time)
    }
}

/// The whole speed test. The first position is not part of it: there, memory is touched and threads are started for the first time.
#[derive(Clone, Debug)]
pub struct Speedtest {
    /// How it was run.
    pub settings: SpeedtestSettings,
    /// Position by position.
    pub rows: Vec<SpeedtestRow>,
}

impl Speedtest {
    /// Nodes visited, and time taken.
    fn sums(&self) -> (u64, Duration) {
        (self.rows.iter().map(|row| row.nodes).sum(), self.rows.iter().map(|row| row.time).sum())
    }
}

impl fmt::Display for Speedtest {
    /// The summary; its last line is `<N> nodes <M> nps`, as that of the benchmark.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SpeedtestSettings { threads, hash_mib, .. } = self.settings;
        let (nodes, time) = self.sums();
        let depth = self.rows.iter().map(|row| f64::from(row.depth)).sum::<f64>() / self.rows.len().max(1) as f64;
        writeln!(f, "threads    {threads}")?;
        writeln!(f, "hash       {hash_mib} MiB")?;
        writeln!(f, "positions  {} of one game, and one before them that is not counted", self.rows.len())?;
        writeln!(f, "depth      {depth:.1} on average")?;
        writeln!(f, "time       {:.1} s", time.as_secs_f64())?;
        write!(f, "{nodes} nodes {} nps", rate(nodes, time))
    }
}

fn rate(nodes: u64, time: Duration) -> u64 {
    (nodes as f64 / time.as_secs_f64().max(1e-9)) as u64
}

/// Runs the speed test and reports each row as it is finished.
///
/// # Errors
/// If there is no memory for the table.
pub fn run(settings: &SpeedtestSettings, each: &mut dyn FnMut(&SpeedtestRow)) -> Result<Speedtest, TableError> {
    let mut engine = EngineCore::with(RuleSet::modern(), settings.hash_mib)?;
    engine.set_threads(settings.threads);
    let records = Builtin::Dts.suite().records;
    let positions: Vec<Position> = records.iter().filter_map(|record| record.fen.parse().ok()).collect();
    let share = settings.time / positions.len().saturating_sub(1).max(1) as u32;
    let mut rows = Vec::new();
    for (index, position) in positions.into_iter().enumerate() {
        let limits = GoLimits { time: TimeControl::PerMove(share), ..GoLimits::default() };
        let started = Instant::now();
        let answer = engine.search(&SearchRequest::new(position, limits), &Signals::new(), &mut |_| {});
        let row = SpeedtestRow { number: index + 1, depth: answer.depth, nodes: answer.nodes, time: started.elapsed() };
        if index > 0 {
            each(&row);
            rows.push(row);
        }
    }
    Ok(Speedtest { settings: settings.clone(), rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_but_the_first_is_counted() {
        let settings = SpeedtestSettings { threads: 2, hash_mib: 1, time: Duration::from_millis(230) };
        let mut told = 0;
        let test = run(&settings, &mut |row| told += u32::from(row.nodes > 0)).unwrap();
        assert_eq!((test.rows.len(), told, test.rows[0].number), (23, 23, 2));
        let nodes: u64 = test.rows.iter().map(|row| row.nodes).sum();
        assert!(test.to_string().lines().last().is_some_and(|line| line.starts_with(&format!("{nodes} nodes "))));
    }
}
