//! A race: how long engines take to reach the same depth. The engines may be ours, on threads or on a cluster, or any
//! other UCI engine. They run in turn on every position, so that other load on the computer affects all of them.

use super::{EngineProcess, Spec};
use crate::experiment::WARM_UP;
use crate::experiment::statistics::{bootstrap, geometric_mean};
use crate::suite::Suite;
use serde::{Deserialize, Serialize};
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lap {
    /// The number of the round, from 0. Each repeat has a round for each position.
    pub round: usize,
    /// The number of the engine, from 0.
    pub engine: usize,
    /// How long it took.
    pub seconds: f64,
    /// The nodes that it visited.
    pub nodes: f64,
}

/// A ratio to the first engine: geometric mean over positions and repeats, and its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The mean.
    pub mean: f64,
    /// From low to high.
    pub interval: (f64, f64),
}

/// The result of an engine, compared with the first.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The engine.
    pub name: String,
    /// Seconds for all positions, for one repeat.
    pub seconds: f64,
    /// Nodes a second.
    pub nodes_per_second: f64,
    /// How many times as fast it reaches the depth.
    pub speedup: Ratio,
    /// Nodes a second, relative to the first engine.
    pub rate: Ratio,
    /// Nodes, relative to the first engine.
    pub nodes: Ratio,
}

/// The laps of a race, by engine and round.
#[derive(Clone, Debug)]
pub struct Laps {
    laps: Vec<Vec<Option<Lap>>>,
    positions: usize,
}

/// What is told of a race: before the first lap, and after each new one.
pub type EachLap<'a> = &'a mut dyn FnMut(Option<&Lap>, &Laps) -> Result<(), String>;

impl Race<'_> {
    /// Each position once a repeat.
    pub fn rounds(&self) -> usize {
        self.repeats * self.suite.records.len()
    }

    /// What the suite calls a position, or its number.
    pub(super) fn position_name(&self, position: usize) -> String {
        let id = self.suite.records.get(position).and_then(|record| record.id.clone());
        id.unwrap_or_else(|| (position + 1).to_string())
    }

    /// Runs the laps that are not there yet; `each` gets every new one, and all.
    ///
    /// # Errors
    /// If an engine can't be started, ends, or does not answer, or `each` fails.
    pub fn run(&self, laps: &mut Laps, each: EachLap<'_>) -> Result<(), String> {
        each(None, laps)?;
        if laps.complete_rounds() == self.rounds() {
            return Ok(());
        }
        let start =
            |spec| EngineProcess::start(spec, self.patience).map_err(|trouble| format!("{} {trouble}", spec.name));
        let mut players = self.engines.iter().map(start).collect::<Result<Vec<_>, _>>()?;
        for round in laps.complete_rounds()..self.rounds() {
            let positions = self.suite.records.len();
            let (repeat, record) = (round / positions, &self.suite.records[round % positions]);
            for place in 0..players.len() {
                // The engines take turns in running first.
                let engine = (place + round) % players.len();
                if laps.laps[engine][round].is_some() {
                    continue;
                }
                let lap = run_lap(&mut players[engine], repeat, &record.fen, self.depth).map_err(|trouble| {
                    let name = &self.engines[engine].name;
                    format!("{name} {trouble} on {}", record.fen)
                })?;
                let lap = Lap { round, engine, ..lap };
                laps.add(lap);
                each(Some(&lap), laps)?;
            }
        }
        Ok(())
    }
}

impl Laps {
    /// No laps yet.
    pub fn new(race: &Race<'_>) -> Laps {
        Laps { laps: vec![vec![None; race.rounds()]; race.engines.len()], positions: race.suite.records.len() }
    }

    /// Keeps a lap. One that is not of the race is left out.
    pub(super) fn add(&mut self, lap: Lap) {
        if let Some(place) = self.laps.get_mut(lap.engine).and_then(|own| own.get_mut(lap.round)) {
            *place = Some(lap);
        }
    }

    /// How many rounds, from the first on, all engines have run.
    pub fn complete_rounds(&self) -> usize {
        let complete = self.laps.iter().map(|own| own.iter().take_while(|lap| lap.is_some()).count());
        complete.min().unwrap_or(0)
    }

    /// How many repeats are complete.
    pub(super) fn repeats(&self) -> usize {
        self.complete_rounds() / self.positions.max(1)
    }

    /// The laps of an engine in the repeats that are complete, in their order.
    pub(super) fn of(&self, engine: usize) -> Vec<Lap> {
        self.laps[engine].iter().take(self.repeats() * self.positions).flatten().copied().collect()
    }

    /// The laps of an engine on a position, one for each repeat that is complete.
    pub(super) fn on(&self, engine: usize, position: usize) -> Vec<Lap> {
        self.of(engine).into_iter().skip(position).step_by(self.positions).collect()
    }

    /// All laps of the repeats that are complete.
    pub(super) fn all(&self) -> Vec<Lap> {
        (0..self.laps.len()).flat_map(|engine| self.of(engine)).collect()
    }

    /// For each position, the ratio of an engine to the first: the mean of the repeats, because these are not independent
    /// of each other.
    pub(super) fn ratios(&self, engine: usize, of: fn(&Lap) -> f64) -> Vec<f64> {
        let mean = |position: usize| {
            let (own, first) = (self.on(engine, position), self.on(0, position));
            geometric_mean(&own.iter().zip(&first).map(|(own, first)| of(own) / of(first)).collect::<Vec<_>>())
        };
        (0..self.positions).map(mean).collect()
    }

    /// The results of the repeats that are complete; none if there is no such repeat.
    pub fn standings(&self, race: &Race<'_>) -> Vec<Standing> {
        if self.repeats() == 0 {
            return Vec::new();
        }
        let standing = |(engine, spec): (usize, &Spec)| {
            let ratio = |of| {
                let ratios = self.ratios(engine, of);
                Ratio { mean: geometric_mean(&ratios), interval: bootstrap(&ratios, 1, geometric_mean) }
            };
            let own = self.of(engine);
            let seconds = own.iter().map(|lap| lap.seconds).sum::<f64>();
            Standing {
                name: spec.name.clone(),
                seconds: seconds / self.repeats() as f64,
                nodes_per_second: own.iter().map(|lap| lap.nodes).sum::<f64>() / seconds,
                speedup: ratio(|lap| 1.0 / lap.seconds),
                rate: ratio(|lap| lap.nodes / lap.seconds),
                nodes: ratio(|lap| lap.nodes),
            }
        };
        race.engines.iter().enumerate().map(standing).collect()
    }
}

/// Searches a position after a small warm-up search of the opening position, which is deeper in every repeat.
fn run_lap(player: &mut EngineProcess, repeat: usize, fen: &str, depth: u32) -> Result<Lap, super::player::Trouble> {
    player.new_game(false)?;
    player.think("position startpos", &format!("go depth {}", WARM_UP + repeat), None)?;
    let thought = player.think(&format!("position fen {fen}"), &format!("go depth {depth}"), None)?;
    let (seconds, nodes) = (thought.time.as_secs_f64().max(1e-6), thought.nodes.unwrap_or(1).max(1) as f64);
    Ok(Lap { round: 0, engine: 0, seconds, nodes })
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::player::tests::shell;
    use super::*;

    /// Two positions.
    pub(in super::super) fn suite() -> Suite {
        let suite = crate::suite::Builtin::BratkoKopec.suite();
        Suite { records: suite.records[..2].to_vec(), ..suite }
    }

    /// A slow engine and a quick one.
    pub(in super::super) fn engines() -> [Spec; 2] {
        let quick = "echo 'info depth 9 nodes 100 score cp 1'; echo bestmove e2e4";
        let slow = "sleep 0.05; echo 'info depth 9 nodes 300 score cp 1'; echo bestmove e2e4";
        [shell(slow), shell(quick)]
    }

    pub(in super::super) fn two<'a>(engines: &'a [Spec], suite: &'a Suite) -> Race<'a> {
        Race { engines, suite, depth: 9, repeats: 2, patience: Duration::from_secs(20) }
    }

    #[test]
    fn the_slower_engine_is_slower() {
        let (engines, suite) = (engines(), suite());
        let race = two(&engines, &suite);
        let mut laps = Laps::new(&race);
        let mut told = Vec::new();
        race.run(&mut laps, &mut |lap, laps| {
            told.push((lap.map(|lap| (lap.round, lap.engine)), laps.complete_rounds()));
            Ok(())
        })
        .unwrap();
        assert_eq!(told[..4], [(None, 0), (Some((0, 0)), 0), (Some((0, 1)), 1), (Some((1, 1)), 1)]);
        assert_eq!((told.len(), laps.complete_rounds()), (9, 4));
        let standings = laps.standings(&race);
        assert!((standings[0].speedup.mean - 1.0).abs() < 1e-9);
        assert!(standings[1].speedup.mean > 2.0, "{standings:?}");
        assert!((standings[1].nodes.mean - 1.0 / 3.0).abs() < 1e-9, "{standings:?}");
        let dead = [shell("exit 1")];
        let dead = Race { engines: &dead, ..race };
        assert!(dead.run(&mut Laps::new(&dead), &mut |_, _| Ok(())).unwrap_err().contains("crashed"));
    }
}
