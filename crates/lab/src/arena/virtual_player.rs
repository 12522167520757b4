//! An engine on virtual processors, in this process: `jubilee:16`. It thinks for a number of ticks of virtual time a move.
//! Nothing of it depends on real time: the same position, history and seed give the same move.

use super::player::{Thought, Trouble};
use super::record::EngineScore;
use super::spec::{read_number, split_options};
use crate::experiment::{algorithm, costs};
use chess::{Notation, Position, RuleSet};
use engine::{EngineCore, GoLimits, SearchRequest, Signals};
use search::{Hosts, Machine, VirtualMachine};
use serde::Serialize;
use std::time::Duration;

/// The most processors of a virtual machine.
const MOST_PROCESSORS: usize = 4096;
/// The options that may follow the algorithm.
const OPTIONS: &str = "Hash, Profile, Rules, Seed and Ticks";

/// An engine on virtual processors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VirtualSpec {
    /// Its name in reports and games.
    pub name: String,
    /// How the tree is divided; `serial` searches alone.
    pub algorithm: String,
    /// The number of processors.
    pub processors: usize,
    /// Ticks of virtual time for a move.
    pub ticks: u64,
    /// The costs of the machine.
    pub profile: String,
    /// Which rules are on.
    pub rules: String,
    /// The size of the table in MiB.
    pub hash: usize,
    /// Seed of the order in which idle processors ask others.
    pub seed: u64,
}

/// What a virtual engine has if its text says nothing else.
#[derive(Clone, Copy, Debug)]
pub struct VirtualDefaults {
    /// Ticks for a move.
    pub ticks: u64,
    /// The size of the table in MiB.
    pub hash: usize,
    /// Seed of the order in which idle processors ask others.
    pub seed: u64,
}

impl VirtualSpec {
    /// Reads `ALGORITHM[:PROCESSORS][,Option=Value...]`: `jubilee:16`, `serial`, `ybw:4,Profile=startech,Rules=classic`.
    ///
    /// # Errors
    /// If there is no such algorithm, option or value.
    pub fn parse(text: &str, defaults: VirtualDefaults) -> Result<VirtualSpec, String> {
        // The names of our options begin with capitals, those of costs and parameters do not.
        let belongs = |_: &str, name: &str| name.starts_with(char::is_lowercase);
        let (machine, options) = split_options(text, belongs)?;
        let (name, count) = machine.split_once(':').unwrap_or((machine, "1"));
        let VirtualDefaults { ticks, hash, seed } = defaults;
        let mut spec = VirtualSpec {
            name: text.trim().to_owned(),
            algorithm: name.trim().to_owned(),
            processors: read_number("processors", count)?,
            ticks,
            profile: "ideal".into(),
            rules: "modern".into(),
            hash,
            seed,
        };
        for (name, value) in options {
            match name.as_str() {
                "Hash" => spec.hash = read_number("Hash", &value)?,
                "Profile" => spec.profile = value,
                "Rules" => spec.rules = value,
                "Seed" => spec.seed = read_number("Seed", &value)?,
                "Ticks" => spec.ticks = read_number("Ticks", &value)?,
                _ => return Err(format!("'{name}' in '{text}' is no option of a virtual engine: it has {OPTIONS}")),
            }
        }
        spec.check()?;
        Ok(spec)
    }

    fn is_serial(&self) -> bool {
        self.algorithm == "serial"
    }

    fn check(&self) -> Result<(), String> {
        algorithm(&self.algorithm).map_err(|error| error.to_string())?;
        RuleSet::parse(&self.rules)?;
        let costs = costs(&self.profile).map_err(|error| error.to_string())?;
        let most = if self.is_serial() { 1 } else { MOST_PROCESSORS };
        if !(1..=most).contains(&self.processors) {
            return Err(format!("{}: {} runs on 1 to {most} processors", self.name, self.algorithm));
        }
        if self.ticks < costs.node_alone {
            return Err(format!("{}: a move needs at least {} ticks, one node's time", self.name, costs.node_alone));
        }
        Ok(())
    }

    /// An engine that has not searched yet.
    fn engine(&self) -> Result<EngineCore, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let mut engine = EngineCore::with(RuleSet::parse(&self.rules)?, self.hash).map_err(|error| text(&error))?;
        engine.set_algorithm(algorithm(&self.algorithm).map_err(|error| text(&error))?);
        if !self.is_serial() {
            let costs = costs(&self.profile).map_err(|error| text(&error))?;
            let (processors, seed) = (self.processors, self.seed);
            engine.set_machine(Machine::Virtual(VirtualMachine { processors, costs, seed, hosts: Hosts::one() }));
        }
        Ok(engine)
    }

    /// The limit of a search. A serial search has no virtual clock; its time is that of its nodes.
    fn limits(&self) -> GoLimits {
        let node = costs(&self.profile).map_or(1, |costs| costs.node_alone);
        let none = GoLimits::default();
        if self.is_serial() {
            return GoLimits { nodes: Some(self.ticks / node), ..none };
        }
        GoLimits { ticks: Some(self.ticks), ..none }
    }
}

/// A virtual engine at the board.
pub(super) struct VirtualPlayer {
    spec: VirtualSpec,
    limits: GoLimits,
    engine: EngineCore,
    notation: Notation,
}

impl VirtualPlayer {
    /// Makes the engine.
    pub(super) fn start(spec: &VirtualSpec) -> Result<VirtualPlayer, Trouble> {
        let engine = spec.engine().map_err(Trouble::Unusable)?;
        Ok(VirtualPlayer { spec: spec.clone(), limits: spec.limits(), engine, notation: Notation::Standard })
    }

    /// Prepares for another game. The engine is made anew, so that nothing of a game depends on those before it.
    pub(super) fn new_game(&mut self, chess960: bool) -> Result<(), Trouble> {
        self.engine = self.spec.engine().map_err(Trouble::Unusable)?;
        self.notation = if chess960 { Notation::Chess960 } else { Notation::Standard };
        Ok(())
    }

    /// Searches a position; `history` has the keys of the positions before it, oldest first.
    pub(super) fn think(&mut self, position: &Position, history: &[u64]) -> Thought {
        let request =
            SearchRequest { position: position.clone(), history: history.to_vec(), limits: self.limits.clone() };
        let answer = self.engine.search(&request, &Signals::new(), &mut |_| {});
        Thought {
            mv: answer.best.map_or_else(String::new, |mv| self.notation.show(position, mv)),
            score: answer.score.map(EngineScore::of),
            depth: u32::try_from(answer.depth).ok(),
            nodes: Some(answer.nodes),
            time: Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULTS: VirtualDefaults = VirtualDefaults { ticks: 500, hash: 1, seed: 3 };

    #[test]
    fn an_algorithm_a_number_of_processors_and_options_are_read() {
        let spec = VirtualSpec::parse("ybw+last-first:16,Profile=ideal,message=10,Rules=classic,Ticks=90", DEFAULTS);
        let expected = VirtualSpec {
            name: "ybw+last-first:16,Profile=ideal,message=10,Rules=classic,Ticks=90".into(),
            algorithm: "ybw+last-first".into(),
            processors: 16,
            ticks: 90,
            profile: "ideal,message=10".into(),
            rules: "classic".into(),
            hash: 1,
            seed: 3,
        };
        assert_eq!(spec, Ok(expected));
        let serial = VirtualSpec::parse("serial", DEFAULTS).unwrap();
        assert_eq!((serial.processors, serial.limits().nodes, serial.limits().ticks), (1, Some(500), None));
    }

    #[test]
    fn what_can_not_be_read_is_told() {
        for (text, word) in [
            ("jublee:4", "no algorithm 'jublee'"),
            ("", "no algorithm ''"),
            ("jubilee:x", "'x' is not a number"),
            ("jubilee:0", "runs on 1 to 4096 processors"),
            ("serial:2", "runs on 1 to 1 processors"),
            ("jubilee:4,Threads=2", "it has Hash, Profile, Rules, Seed and Ticks"),
            ("jubilee:4,Profile=no", "no machine profile 'no'"),
            ("jubilee:4,Rules=no", "no"),
            ("jubilee:4,Ticks=0", "at least 1 ticks"),
            ("jubilee:4,Profile=startech", "at least 300 ticks"),
        ] {
            let defaults = VirtualDefaults { ticks: 299, ..DEFAULTS };
            let error = VirtualSpec::parse(text, defaults).unwrap_err();
            assert!(error.contains(word) && !error.contains('\n'), "{text}: {error}");
        }
    }

    #[test]
    fn a_search_ends_when_its_ticks_are_over() {
        let position = Position::default();
        let think = |text: &str| {
            let spec = VirtualSpec::parse(text, DEFAULTS).unwrap();
            VirtualPlayer::start(&spec).unwrap().think(&position, &[])
        };
        assert_eq!(think("serial").nodes, Some(500));
        let nodes = think("jubilee:8").nodes.unwrap();
        assert!((500..=8 * 501).contains(&nodes), "{nodes} nodes");
        assert_eq!(think("jubilee:8"), think("jubilee:8"));
        assert_eq!(think("jubilee:1").nodes, Some(500), "one processor visits a node a tick");
    }
}
