//! The benchmark: a fixed search of fixed positions, the same number of nodes on every machine.

use crate::suite::Builtin;
use chess::{Notation, Position, Profile};
use engine::{Engine, Limits, Request, Signals};
use serde::Serialize;
use std::time::{Duration, Instant};

/// How to run the benchmark.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The depth of each search.
    pub depth: i32,
    /// The size of the table in MiB.
    pub hash_mib: usize,
    /// Which rules are on.
    pub profile: Profile,
}

/// The depth that takes some seconds.
pub const DEFAULT_DEPTH: i32 = 14;
/// As deep as a full-width search gets in that time.
pub const DEFAULT_CLASSIC_DEPTH: i32 = 6;
/// The table of the benchmark, in MiB.
pub const DEFAULT_HASH_MIB: usize = 16;

/// One position's result.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The position's name.
    pub id: String,
    /// The position.
    pub fen: String,
    /// Nodes visited.
    pub nodes: u64,
    /// Seconds taken.
    pub time: f64,
    /// The best move, as UCI writes it.
    pub best_move: String,
    /// Its score in hundredths of a pawn.
    pub score: i32,
}

/// The whole benchmark.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Bench {
    /// Position by position.
    pub positions: Vec<Row>,
    /// Nodes visited in all.
    pub nodes: u64,
    /// Seconds taken in all.
    pub time: f64,
}

impl Bench {
    /// Nodes a second.
    pub fn per_second(&self) -> u64 {
        (self.nodes as f64 / self.time.max(1e-9)) as u64
    }

    /// The last line of every benchmark: `<N> nodes <M> nps`.
    pub fn summary(&self) -> String {
        format!("{} nodes {} nps", self.nodes, self.per_second())
    }
}

/// Runs the benchmark on the Bratko-Kopec and Kaufman positions, telling of each row as it is finished.
///
/// # Errors
/// If there is no memory for the table.
pub fn run(settings: &Settings, each: &mut dyn FnMut(&Row)) -> Result<Bench, table::TableError> {
    let mut engine = Engine::with(settings.profile.clone(), settings.hash_mib)?;
    let mut bench = Bench::default();
    let records = [Builtin::BratkoKopec, Builtin::Kaufman].into_iter().flat_map(|builtin| builtin.suite().records);
    for record in records {
        let Ok(position) = record.fen.parse::<Position>() else { continue };
        engine.new_game();
        let limits = Limits { depth: Some(settings.depth), ..Limits::default() };
        let started = Instant::now();
        let answer = engine.search(&Request::new(position.clone(), limits), &Signals::new(), &mut |_| {});
        let time: Duration = started.elapsed();
        let row = Row {
            id: record.id.unwrap_or_default(),
            fen: record.fen,
            nodes: answer.nodes,
            time: time.as_secs_f64(),
            best_move: answer.best.map_or_else(String::new, |mv| Notation::Standard.show(&position, mv)),
            score: answer.score.map_or(0, game::Score::value),
        };
        each(&row);
        bench.nodes += row.nodes;
        bench.time += row.time;
        bench.positions.push(row);
    }
    Ok(bench)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_nodes_every_time() {
        let settings = Settings { depth: 5, hash_mib: 1, profile: Profile::modern() };
        let nodes = || run(&settings, &mut |_| {}).unwrap().positions.iter().map(|row| row.nodes).collect::<Vec<_>>();
        assert_eq!(nodes(), nodes());
    }
}
