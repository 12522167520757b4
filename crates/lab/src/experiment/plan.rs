//! The searches of a comparison of algorithms and numbers of processors.

use super::pool::Expected;
use super::{Folder, Goal, LabError, MachineKind, Measurement, Progress, Run, perform_all};
use crate::solve::Problem;
use crate::suite::Suite;
use chess::Position;
use game::Game;

/// A comparison: the same positions to the same depth by several algorithms on several numbers of processors.
///
/// The size of a search to a given depth varies by chance: any small change can change it by a third. A depth is chosen
/// because the search to it was large, so other searches would look fast compared with that one. Therefore they are
/// compared with further searches on one processor, each after a different warm-up.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The positions.
    pub suite: Suite,
    /// How the tree is divided.
    pub algorithms: Vec<String>,
    /// The numbers of processors.
    pub processors: Vec<usize>,
    /// Virtual or real processors.
    pub machine: MachineKind,
    /// The costs of the virtual machine.
    pub profile: String,
    /// The hosts of the virtual machine, as [`super::hosts`] reads them; empty for one host.
    pub hosts: String,
    /// Which rules are on.
    pub rules: String,
    /// A depth, or a number of nodes: then the depth is the first at which one processor has visited that many.
    pub goal: Goal,
    /// The largest depth that may be chosen.
    pub deepest: i32,
    /// Seed of the order in which idle virtual processors ask others.
    pub seed: u64,
    /// How often each search is repeated, with a different seed and after a different warm-up.
    pub repeats: usize,
    /// The number of searches on one processor with which the others are compared.
    pub baselines: usize,
    /// The size of the table in MiB.
    pub hash: usize,
    /// A table with entries as a paper's program had them, as [`Run::table`].
    pub table: String,
    /// Which searches there are besides, and how they hang together.
    pub course: Course,
}

/// How the searches of a plan hang together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Course {
    /// Every search begins with an empty table, and ends at the depth that was chosen for its position.
    #[default]
    Apart,
    /// The positions are those of a game: one engine goes through all of them, and keeps its table and histories.
    Game,
    /// Every search begins with an empty table. Its depth is the one after the first from which the serial search keeps the
    /// right move; where that never finds it, the last. The serial search has a table of its own, so that plans with
    /// different tables search to the same depths.
    Solution {
        /// The table with which depths are chosen, as [`Run::table`].
        chosen_with: String,
    },
}

impl Plan {
    /// Checks what can be checked without searching.
    ///
    /// # Errors
    /// If a setting is wrong.
    pub fn check(&self) -> Result<(), LabError> {
        if self.algorithms.is_empty() {
            return Err(LabError::Settings("no algorithm is named".into()));
        }
        if self.algorithms.iter().any(|name| name == "serial") {
            let message = "serial is what the others are compared with: name another algorithm";
            return Err(LabError::Settings(message.into()));
        }
        self.runs(&[]).iter().try_for_each(Run::check)
    }

    /// The searches that choose a depth for each position; none if the depth is given.
    pub fn choices(&self) -> Vec<Run> {
        if matches!(self.goal, Goal::Depth(_)) {
            return Vec::new();
        }
        let table = if let Course::Solution { chosen_with } = &self.course { chosen_with } else { &self.table };
        let choice = |(id, fen): (String, String)| Run {
            repeat: 0,
            table: table.clone(),
            ..self.run(id, fen, "serial", 1, 0, self.goal)
        };
        self.positions().map(choice).collect()
    }

    /// All other searches, given what [`Plan::choices`] found. Searches on threads that are compared with each other
    /// are made one after the other.
    pub fn runs(&self, choices: &[Measurement]) -> Vec<Run> {
        let mut runs = Vec::new();
        for (index, (id, fen)) in self.positions().enumerate() {
            let goal = choices.get(index).map_or(self.goal, |choice| Goal::Depth(self.depth(index, choice)));
            let run = |algorithm: &str, processors, repeat| {
                self.run(id.clone(), fen.clone(), algorithm, processors, repeat, goal)
            };
            for repeat in 1..=self.repeats.max(self.baselines).max(1) {
                if repeat <= self.baselines.max(1) {
                    runs.push(run("serial", 1, repeat));
                }
                if repeat > self.repeats.max(1) {
                    continue;
                }
                for algorithm in &self.algorithms {
                    runs.extend(self.processors.iter().map(|&processors| run(algorithm, processors, repeat)));
                }
            }
        }
        runs
    }

    /// The depth of a position's searches, given the search that chooses it.
    fn depth(&self, index: usize, choice: &Measurement) -> i32 {
        let problem = self.suite.records.get(index).and_then(|record| Problem::new(record, index + 1).ok());
        let solution = problem
            .filter(|_| matches!(self.course, Course::Solution { .. }))
            .and_then(|problem| choice.solution(&problem));
        let depth = solution.map_or(choice.depth, |solution| choice.depth.min(solution.depth + 1));
        depth.min(self.deepest)
    }

    /// The searches that the folder does not have yet, each with its weight: about how many nodes of one processor it costs.
    /// Where a depth is not chosen yet, its searches are taken to be as large as the one that chooses it.
    pub fn left(&self, folder: &Folder) -> Vec<(Run, f64)> {
        let expected = Expected::new(folder);
        let mut left = self.choices();
        let found: Vec<Option<Measurement>> = left.iter().map(|choice| folder.find(choice)).collect();
        let runs = self.runs(&[]);
        let each = (runs.len() / self.suite.records.len().max(1)).max(1);
        for (index, run) in runs.into_iter().enumerate() {
            let place = index / each;
            let goal = match found.get(place) {
                Some(Some(choice)) => Goal::Depth(self.depth(place, choice)),
                _ => self.goal,
            };
            left.push(Run { goal, ..run });
        }
        left.retain(|run| folder.find(run).is_none());
        left.into_iter().map(|run| (run.clone(), expected.weight(&run))).collect()
    }

    /// Makes all searches that the folder does not have yet. Returns all measurements, the choices of depths first.
    ///
    /// # Errors
    /// As [`perform_all`].
    pub fn perform(
        &self,
        folder: &Folder,
        jobs: usize,
        watch: &(dyn Fn(Progress<'_>) + Sync),
    ) -> Result<Vec<Measurement>, LabError> {
        self.check()?;
        let mut rows = perform_all(&self.choices(), folder, jobs, watch)?;
        rows.extend(perform_all(&self.runs(&rows), folder, jobs, watch)?);
        Ok(rows)
    }

    fn positions(&self) -> impl Iterator<Item = (String, String)> {
        let records = self.suite.records.iter().enumerate();
        records
            .map(|(index, record)| (record.id.clone().unwrap_or_else(|| format!("#{}", index + 1)), record.fen.clone()))
    }

    fn run(&self, id: String, fen: String, algorithm: &str, processors: usize, repeat: usize, goal: Goal) -> Run {
        let is_virtual = self.machine == MachineKind::Virtual;
        // On one processor the seed has no effect.
        let seed = if is_virtual && processors > 1 { self.seed + repeat.saturating_sub(1) as u64 } else { 0 };
        Run {
            suite: self.suite.name.clone(),
            id,
            fen,
            algorithm: algorithm.to_owned(),
            rules: self.rules.clone(),
            machine: self.machine,
            profile: if is_virtual { self.profile.clone() } else { String::new() },
            hosts: if is_virtual && algorithm != "serial" { self.hosts.clone() } else { String::new() },
            processors,
            seed,
            repeat,
            goal,
            hash: self.hash,
            table: self.table.clone(),
            kept: self.course == Course::Game,
        }
    }
}

/// The positions of a suite. Every line must be a position that can be searched.
///
/// # Errors
/// If the suite can't be loaded, or a line is not a position with a legal move.
pub fn positions(name: &str, first: Option<usize>) -> Result<Suite, LabError> {
    let mut suite = crate::suite::load(name)?;
    let mut bad: Vec<String> = suite.rejected.iter().map(ToString::to_string).collect();
    for record in &suite.records {
        match record.fen.parse::<Position>() {
            Ok(position) => {
                let mut moves = Vec::new();
                position.moves(&mut moves);
                if moves.is_empty() {
                    bad.push(format!("'{}': the game is over", record.fen));
                }
            }
            Err(error) => bad.push(error.to_string()),
        }
    }
    if let Some(line) = bad.first() {
        return Err(LabError::BadLines { suite: suite.name, count: bad.len(), first: line.clone() });
    }
    suite.records.truncate(first.unwrap_or(usize::MAX));
    if suite.records.is_empty() {
        return Err(LabError::Settings("no position is left to be searched".into()));
    }
    Ok(suite)
}
