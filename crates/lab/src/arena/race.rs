//! A race: how long engines take to reach the same depth. The engines may be ours, on threads or on a cluster, or any
//! other UCI engine. They run in turn on every position, so that other load on the computer affects all of them.

use super::{EngineProcess, Spec};
use crate::experiment::WARM_UP;
use crate::experiment::statistics::{bootstrap, geometric_mean};
use crate::suite::Suite;
use std::time::Duration;

/// A race.
pub struct Race<'a> {
    /// The engines. All are compared with the first.
    pub engines: &'a [Spec],
    /// The positions.
    pub suite: &'a Suite,
    /// The depth.
    pub depth: u32,
    /// The number of repeats. The size of a search varies by chance, so before each repeat the engines make a different
    /// warm-up search.
    pub repeats: usize,
    /// How long an engine may take for one position.
    pub patience: Duration,
}

/// One engine's run on one position: seconds and nodes.
#[derive(Clone, Copy, Debug)]
struct Lap {
    seconds: f64,
    nodes: f64,
}

/// The result of an engine, compared with the first.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The engine.
    pub name: String,
    /// Seconds for all positions, for one repeat.
    pub seconds: f64,
    /// How many times as fast it reaches the depth: geometric mean over positions and repeats, and its 95 % interval.
    pub speedup: f64,
    /// See `speedup`.
    pub interval: (f64, f64),
    /// Nodes a second, relative to the first engine.
    pub rate: f64,
    /// Nodes, relative to the first engine.
    pub nodes: f64,
}

/// Runs the race.
///
/// # Errors
/// If an engine can't be started, ends, or does not answer.
pub fn race(race: &Race<'_>, progress: &mut dyn FnMut(usize, usize)) -> Result<Vec<Standing>, String> {
    let start = |spec| EngineProcess::start(spec, race.patience).map_err(|trouble| format!("{} {trouble}", spec.name));
    let mut players = race.engines.iter().map(start).collect::<Result<Vec<_>, _>>()?;
    let mut laps: Vec<Vec<Lap>> = vec![Vec::new(); players.len()];
    let total = race.repeats * race.suite.records.len();
    for round in 0..total {
        let positions = race.suite.records.len();
        let (repeat, record) = (round / positions, &race.suite.records[round % positions]);
        for place in 0..players.len() {
            // The engines take turns in running first.
            let runner = (place + round) % players.len();
            laps[runner].push(run_lap(&mut players[runner], repeat, &record.fen, race.depth).map_err(|trouble| {
                let name = &race.engines[runner].name;
                format!("{name} {trouble} on {}", record.fen)
            })?);
        }
        progress(round + 1, total);
    }
    Ok(race
        .engines
        .iter()
        .zip(&laps)
        .map(|(spec, own)| standing(spec, own, &laps[0], race.suite.records.len()))
        .collect())
}

/// Searches a position after a small warm-up search of the opening position, which is deeper in every repeat.
fn run_lap(player: &mut EngineProcess, repeat: usize, fen: &str, depth: u32) -> Result<Lap, super::player::Trouble> {
    player.new_game(false)?;
    player.think("position startpos", &format!("go depth {}", WARM_UP + repeat), None)?;
    let thought = player.think(&format!("position fen {fen}"), &format!("go depth {depth}"), None)?;
    Ok(Lap { seconds: thought.time.as_secs_f64().max(1e-6), nodes: thought.nodes.unwrap_or(1).max(1) as f64 })
}

fn standing(spec: &Spec, own: &[Lap], first: &[Lap], positions: usize) -> Standing {
    // For each position the mean of its repeats, because these are not independent of each other.
    let ratios = |of: fn(&Lap) -> f64| -> Vec<f64> {
        let ratio = |lap: usize| of(&own[lap]) / of(&first[lap]);
        let mean = |place: usize| geometric_mean(&(place..own.len()).step_by(positions).map(ratio).collect::<Vec<_>>());
        (0..positions).map(mean).collect()
    };
    let speedups: Vec<f64> = ratios(|lap| 1.0 / lap.seconds);
    Standing {
        name: spec.name.clone(),
        seconds: own.iter().map(|lap| lap.seconds).sum::<f64>() * positions as f64 / own.len() as f64,
        speedup: geometric_mean(&speedups),
        interval: bootstrap(&speedups, 1, geometric_mean),
        rate: geometric_mean(&ratios(|lap| lap.nodes / lap.seconds)),
        nodes: geometric_mean(&ratios(|lap| lap.nodes)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::player::tests::shell;
    use super::*;

    #[test]
    fn the_slower_engine_is_slower() {
        let suite = crate::suite::Builtin::BratkoKopec.suite();
        let suite = Suite { records: suite.records[..2].to_vec(), ..suite };
        let quick = "echo 'info depth 9 nodes 100 score cp 1'; echo bestmove e2e4";
        let slow = "sleep 0.05; echo 'info depth 9 nodes 300 score cp 1'; echo bestmove e2e4";
        let engines = [shell(slow), shell(quick)];
        let patience = Duration::from_secs(20);
        let standings =
            race(&Race { engines: &engines, suite: &suite, depth: 9, repeats: 2, patience }, &mut |_, _| {});
        let standings = standings.unwrap();
        assert!((standings[0].speedup - 1.0).abs() < 1e-9);
        assert!(standings[1].speedup > 2.0 && (standings[1].nodes - 1.0 / 3.0).abs() < 1e-9, "{standings:?}");
        let dead = [shell("exit 1")];
        let race = super::race(&Race { engines: &dead, suite: &suite, depth: 9, repeats: 1, patience }, &mut |_, _| {});
        assert!(race.unwrap_err().contains("crashed"));
    }
}
