//! A case: everything about one search, in one line of text that can be replayed.

use super::faults::RankFaults;
use super::play::Play;
use crate::experiment::{algorithm, check_ranks, costs, hosts};
use std::fmt;
use std::str::FromStr;
use table::TableLayout;

/// What the search runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineKind {
    /// Virtual processors: the same case is the same run.
    Virtual,
    /// Threads. Runs of a case differ.
    Threads,
    /// Ranks of a cluster inside this process, with threads. Runs of a case differ.
    Ranks,
}

impl MachineKind {
    const ALL: [MachineKind; 3] = [MachineKind::Virtual, MachineKind::Threads, MachineKind::Ranks];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            MachineKind::Virtual => "virtual",
            MachineKind::Threads => "threads",
            MachineKind::Ranks => "ranks",
        }
    }
}

/// One search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What is searched.
    pub play: Play,
    /// What it runs on.
    pub machine: MachineKind,
    /// The algorithm with its switches.
    pub algorithm: String,
    /// Processors; on a cluster, threads of each rank.
    pub processors: usize,
    /// The costs of a virtual machine.
    pub profile: String,
    /// The hosts of a virtual machine; empty for one.
    pub hosts: String,
    /// The seed of the machine.
    pub seed: u64,
    /// How deep to search.
    pub depth: i32,
    /// Limit of nodes.
    pub nodes: Option<u64>,
    /// Limit of virtual time.
    pub ticks: Option<u64>,
    /// The search is stopped when it has asked this often whether it must stop.
    pub stop: Option<u64>,
    /// The listener ends the search at this report.
    pub reports: Option<u64>,
    /// How many best lines.
    pub lines: usize,
    /// `none`, `ours` (one MiB), or the layout of a paper's program: `startech:2^6`.
    pub table: String,
    /// The ranks of a cluster and their faults.
    pub faults: RankFaults,
}

/// The most processors of a case.
const MOST_PROCESSORS: usize = 4096;

impl Case {
    /// A plain search of this game.
    pub fn of(play: Play, depth: i32) -> Case {
        Case {
            play,
            machine: MachineKind::Virtual,
            algorithm: search::algorithms::DEFAULT.into(),
            processors: 1,
            profile: "ideal".into(),
            hosts: String::new(),
            seed: 0,
            depth,
            nodes: None,
            ticks: None,
            stop: None,
            reports: None,
            lines: 1,
            table: "none".into(),
            faults: RankFaults::NONE,
        }
    }

    /// Is the same case the same run?
    pub fn is_deterministic(&self) -> bool {
        self.machine == MachineKind::Virtual
    }

    /// Can something end the search before it has reached its depth?
    pub fn is_limited(&self) -> bool {
        [self.nodes, self.ticks, self.stop, self.reports].iter().any(Option::is_some)
    }

    /// The name of the algorithm without its switches.
    pub fn base(&self) -> &str {
        self.algorithm.split('+').next().unwrap_or_default()
    }

    /// Is the switch of this name on?
    pub(super) fn has_switch(&self, name: &str) -> bool {
        self.algorithm.split('+').skip(1).any(|switch| switch == name)
    }

    /// What disturbs the search, by name.
    pub fn disturbances(&self) -> Vec<&'static str> {
        let limits = [
            ("limit of nodes", self.nodes.is_some()),
            ("limit of ticks", self.ticks.is_some()),
            ("stopped from outside", self.stop.is_some()),
            ("ended by the listener", self.reports.is_some()),
            ("hosts with latency", !self.hosts.is_empty()),
            ("small table", self.table.contains(':')),
        ];
        let present = limits.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name);
        let of_ranks = self.faults.present().filter(|_| self.machine == MachineKind::Ranks).map(|name| match name {
            "delay" => "delayed messages",
            "jitter" => "reordered messages",
            "damaged" => "damaged messages",
            "repeated" => "repeated messages",
            "refused" => "refused messages",
            "lost" => "lost messages",
            _ => "stopped rank",
        });
        present.chain(of_ranks).collect()
    }

    /// Says why the case can't be run, if so.
    ///
    /// # Errors
    /// One line for the user.
    pub fn check(&self) -> Result<(), String> {
        self.play.check()?;
        algorithm(&self.algorithm).map_err(|error| error.to_string())?;
        costs(&self.profile).map_err(|error| error.to_string())?;
        let hosts = hosts(&self.hosts).map_err(|error| error.to_string())?;
        check_ranks(self.processors, hosts.count).map_err(|error| error.to_string())?;
        if !(1..=MOST_PROCESSORS).contains(&self.processors) {
            return Err(format!("{} processors: there are 1 to {MOST_PROCESSORS}", self.processors));
        }
        if !(1..=100).contains(&self.depth) || self.lines == 0 {
            return Err("depth and lines: a depth is from 1 to 100, and there is at least one line".into());
        }
        if self.table != "ours" {
            self.table.parse::<TableLayout>().map(|_| ())?;
        }
        if self.machine == MachineKind::Ranks && self.play.name() == "chess" {
            return Err("ranks search trees and four only: choose another game".into());
        }
        self.faults.check()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = Case::of(self.play.clone(), self.depth);
        write!(f, "game={} depth={} algorithm={}", self.play, self.depth, self.algorithm)?;
        write!(f, " machine={} processors={}", self.machine.name(), self.processors)?;
        let numbers = [("nodes", self.nodes), ("ticks", self.ticks), ("stop", self.stop), ("reports", self.reports)];
        for (key, number) in numbers {
            number.map_or(Ok(()), |number| write!(f, " {key}={number}"))?;
        }
        let words = [
            ("profile", self.profile.clone(), plain.profile),
            ("hosts", self.hosts.clone(), plain.hosts),
            ("seed", self.seed.to_string(), plain.seed.to_string()),
            ("lines", self.lines.to_string(), plain.lines.to_string()),
            ("table", self.table.clone(), plain.table),
            ("faults", self.faults.to_string(), plain.faults.to_string()),
        ];
        for (key, word, usual) in words {
            if word != usual {
                write!(f, " {key}={word}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for Case {
    type Err = String;

    fn from_str(text: &str) -> Result<Case, String> {
        let pairs = text.split_whitespace().map(|word| {
            word.split_once('=').ok_or_else(|| format!("'{word}' in the case: write key=value, as in depth=4"))
        });
        let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
        let game = pairs.iter().find(|(key, _)| *key == "game").ok_or("the case names no game: write game=...")?;
        let mut case = Case::of(game.1.parse()?, 0);
        for (key, value) in pairs {
            case.set(key, value)?;
        }
        case.check()?;
        Ok(case)
    }
}

impl Case {
    /// Sets what the key names.
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = || value.parse::<u64>().map_err(|_| format!("'{key}={value}' in the case: {value} is no number"));
        match key {
            "game" => {}
            "depth" => self.depth = number()?.min(1000) as i32,
            "algorithm" => self.algorithm = value.into(),
            "machine" => {
                let named = MachineKind::ALL.into_iter().find(|kind| kind.name() == value);
                self.machine = named.ok_or_else(|| format!("no machine '{value}': virtual, threads or ranks"))?;
            }
            "processors" => self.processors = number()? as usize,
            "nodes" => self.nodes = Some(number()?),
            "ticks" => self.ticks = Some(number()?),
            "stop" => self.stop = Some(number()?),
            "reports" => self.reports = Some(number()?),
            "profile" => self.profile = value.into(),
            "hosts" => self.hosts = value.into(),
            "seed" => self.seed = number()?,
            "lines" => self.lines = number()? as usize,
            "table" => self.table = value.into(),
            "faults" => self.faults = value.parse()?,
            _ => return Err(format!("'{key}' is no key of a case: see what `lab simulate` prints")),
        }
        Ok(())
    }
}
