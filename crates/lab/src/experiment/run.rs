//! One search: its settings and its measurement.

use super::LabError;
use crate::bench::AccountRow;
use crate::solve::Problem;
use chess::{Notation, Position, RuleSet};
use engine::{EngineCore, Event, GoLimits, Info, SearchRequest, Signals};
use search::algorithms::Algorithm;
use search::{Hosts, Machine, Threads, VirtualMachine};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Instant;
use table::TableLayout;

/// The algorithm of this name, which may be followed by switches, as in `ybw+last-first`.
///
/// # Errors
/// If there is none.
pub fn algorithm(name: &str) -> Result<Algorithm, LabError> {
    search::algorithms::by_name(name).ok_or_else(|| LabError::Algorithm(name.to_owned()))
}

/// All settings of one search. The same run on virtual processors gives the same measurement.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Run {
    /// The suite the position is from.
    pub suite: String,
    /// The position's name in it.
    pub id: String,
    /// The position.
    pub fen: String,
    /// How the tree is divided; `serial` runs alone, without a scheduler.
    pub algorithm: String,
    /// Which rules are on, as in `bench --rules`.
    pub rules: String,
    /// Virtual or real processors.
    pub machine: MachineKind,
    /// The costs of the virtual machine; empty for threads.
    pub profile: String,
    /// The hosts of the virtual machine, as [`super::hosts`] reads them; empty for one host.
    #[serde(default)]
    pub hosts: String,
    /// Number of processors.
    pub processors: usize,
    /// Seed of the order in which idle virtual processors ask others.
    pub seed: u64,
    /// Which of several repetitions it is, from 1; zero for the search that chooses the depth.
    pub repeat: usize,
    /// When to stop.
    pub goal: Goal,
    /// The size of the table in MiB.
    pub hash: usize,
    /// A table with entries as a paper's program had them, as in `bench --table`; nothing for one of `hash` MiB.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub table: String,
    /// Does the engine come to it from the position before it in the suite, with its table and histories as they are?
    #[serde(default)]
    pub kept: bool,
}

/// The kind of machine, which decides how time is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MachineKind {
    /// Virtual processors, in ticks.
    Virtual,
    /// Threads of this computer, in nanoseconds.
    Threads,
}

impl MachineKind {
    /// Its name on the command line and in the rows.
    pub fn name(self) -> &'static str {
        match self {
            MachineKind::Virtual => "virtual",
            MachineKind::Threads => "threads",
        }
    }
}

/// When a search is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Goal {
    /// At the end of this depth.
    Depth(i32),
    /// At the end of the first depth at which this many nodes have been visited.
    Nodes(u64),
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Depth(depth) => write!(f, "depth {depth}"),
            Goal::Nodes(nodes) => write!(f, "nodes {nodes}"),
        }
    }
}

impl From<Goal> for String {
    fn from(goal: Goal) -> String {
        goal.to_string()
    }
}

impl TryFrom<String> for Goal {
    type Error = String;

    fn try_from(text: String) -> Result<Goal, String> {
        let goal = text.split_once(' ').and_then(|(kind, number)| match kind {
            "depth" => number.parse().ok().map(Goal::Depth),
            "nodes" => number.parse().ok().map(Goal::Nodes),
            _ => None,
        });
        goal.ok_or_else(|| format!("'{text}' is not a goal"))
    }
}

/// The measurement of a run. Whole numbers only, so that writing and reading it loses nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measurement {
    /// The run.
    pub run: Run,
    /// The last finished depth.
    pub depth: i32,
    /// Ticks on a virtual machine, nanoseconds on threads.
    pub time: u64,
    /// Nodes visited.
    pub nodes: u64,
    /// The critical path, in nodes.
    pub span: u64,
    /// Where the work went, and the time of the processors.
    pub accounts: AccountRow,
    /// The best move, as UCI writes it.
    pub best_move: String,
    /// Its score in hundredths of a pawn.
    pub score: i32,
    /// The state of the search at the end of each depth.
    pub iterations: Vec<Iteration>,
}

/// The end of one depth of a search; all numbers count from the beginning of the search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// The depth.
    pub depth: i32,
    /// Time in ticks or nanoseconds.
    pub time: u64,
    /// Nodes visited.
    pub nodes: u64,
    /// The critical path, in nodes.
    pub span: u64,
    /// The time with work of all processors together, on a virtual machine; zero elsewhere.
    #[serde(default)]
    pub busy: u64,
    /// The best move, as UCI writes it.
    pub best_move: String,
}

impl Measurement {
    /// The end of the first depth from which the best move solves the problem, to the end of the search.
    pub fn solution(&self, problem: &Problem) -> Option<&Iteration> {
        let right = |text: &str| chess::parse_move(&problem.position, text).is_ok_and(|mv| problem.is_solved_by(mv));
        self.iterations.iter().rev().take_while(|iteration| right(&iteration.best_move)).last()
    }
}

impl Run {
    /// The machine of the search.
    fn machine(&self) -> Result<Machine, LabError> {
        if self.algorithm == "serial" {
            return Ok(Machine::Alone);
        }
        Ok(match self.machine {
            MachineKind::Threads => Machine::Threads(Threads::new(self.processors)),
            MachineKind::Virtual => Machine::Virtual(VirtualMachine {
                processors: self.processors,
                costs: super::costs(&self.profile)?,
                seed: self.seed,
                hosts: self.hosts()?,
            }),
        })
    }

    fn hosts(&self) -> Result<Hosts, LabError> {
        let hosts = super::hosts(&self.hosts)?;
        super::check_ranks(self.processors, hosts.count)?;
        Ok(hosts)
    }

    fn table_layout(&self) -> Result<Option<TableLayout>, LabError> {
        let layout = (!self.table.is_empty()).then(|| self.table.parse().map_err(LabError::Settings));
        layout.transpose()
    }

    fn engine(&self) -> Result<EngineCore, LabError> {
        let algorithm = algorithm(&self.algorithm)?;
        let mut engine = EngineCore::with(RuleSet::parse(&self.rules).map_err(LabError::Rules)?, self.hash)?;
        engine.set_algorithm(algorithm);
        engine.set_machine(self.machine()?);
        if let Some(layout) = self.table_layout()? {
            engine.set_table_layout(layout)?;
        }
        engine.prepare();
        Ok(engine)
    }

    /// Checks what can be checked without searching.
    ///
    /// # Errors
    /// If the position, the algorithm, the rules, the profile or the number of processors is wrong.
    pub fn check(&self) -> Result<(), LabError> {
        self.position()?;
        self.table_layout()?;
        algorithm(&self.algorithm)?;
        RuleSet::parse(&self.rules).map_err(LabError::Rules)?;
        let most = match self.machine {
            _ if self.algorithm == "serial" => 1,
            MachineKind::Virtual => 4096,
            MachineKind::Threads => 1024,
        };
        if !(1..=most).contains(&self.processors) {
            let (name, processors) = (&self.algorithm, self.processors);
            let message = format!("{processors} processors: {name} runs on 1 to {most} ({})", self.machine.name());
            return Err(LabError::Processors(message));
        }
        self.machine().map(|_| ())
    }

    fn position(&self) -> Result<Position, LabError> {
        self.fen.parse().map_err(|error| LabError::Settings(format!("{}: {error}", self.id)))
    }
}

/// How the time of a run is measured.
enum Clock {
    Wall,
    /// Virtual time: the cost of each node, in ticks.
    Nodes(u64),
    Ticks,
}

/// Before the first repeat the engine searches the opening position to this depth, before the next one a ply deeper,
/// and so on. It takes a few thousand nodes, and the histories it leaves make each repeat a different search. Slightly
/// different sizes of the table would not: while it holds nearly everything, the search is nearly the same.
pub(crate) const WARM_UP: usize = 4;

/// The largest depth of a search.
const DEEPEST: i32 = 100;

/// Makes a search and measures it.
///
/// # Errors
/// If the run has a wrong setting, or there is no memory for its table.
pub fn perform(run: &Run) -> Result<Measurement, LabError> {
    let mut only = None;
    perform_series(&[run], &mut |row| {
        only = Some(row);
        Ok(())
    })?;
    only.ok_or_else(|| LabError::Settings("a search without a result".into()))
}

/// Makes searches one after the other with one engine, which forgets nothing in between, and measures each. The first run
/// says what the engine is like.
///
/// # Errors
/// If a run makes no sense, there is no memory for the table, or `each` fails.
pub(super) fn perform_series(
    runs: &[&Run],
    each: &mut dyn FnMut(Measurement) -> Result<(), LabError>,
) -> Result<(), LabError> {
    runs.iter().try_for_each(|run| run.check())?;
    let Some(first) = runs.first() else { return Ok(()) };
    let mut engine = first.engine()?;
    if first.repeat > 0 {
        let limits = GoLimits { depth: Some((WARM_UP - 1 + first.repeat) as i32), ..GoLimits::default() };
        engine.search(&SearchRequest::new(Position::default(), limits), &Signals::new(), &mut |_| {});
    }
    runs.iter().try_for_each(|run| each(measure(&mut engine, run)?))
}

/// Makes one search with an engine and measures it.
fn measure(engine: &mut EngineCore, run: &Run) -> Result<Measurement, LabError> {
    let position = run.position()?;
    let clock = match (run.machine, run.algorithm.as_str()) {
        (MachineKind::Threads, _) => Clock::Wall,
        (MachineKind::Virtual, "serial") => Clock::Nodes(super::costs(&run.profile)?.node_alone),
        (MachineKind::Virtual, _) => Clock::Ticks,
    };
    let signals = Signals::new();
    let mut iterations: Vec<Iteration> = Vec::new();
    let (limits, wanted) = match run.goal {
        Goal::Depth(depth) => (GoLimits { depth: Some(depth), ..GoLimits::default() }, u64::MAX),
        Goal::Nodes(nodes) => (GoLimits::default(), nodes),
    };
    let started = Instant::now();
    let answer = engine.search(&SearchRequest::new(position.clone(), limits), &signals, &mut |event| {
        if let Event::Info(info) = event
            && info.bound == game::Bound::Exact
            && iterations.last().is_none_or(|last| last.nodes < wanted)
        {
            let Info { depth, nodes, span, busy, ticks, time, line, .. } = info;
            let time = match clock {
                Clock::Wall => time.as_nanos() as u64,
                Clock::Nodes(cost) => nodes * cost,
                Clock::Ticks => ticks,
            };
            let best_move = line.first().map_or_else(String::new, |&mv| Notation::Standard.show(&position, mv));
            iterations.push(Iteration { depth, time, nodes, span, busy, best_move });
            if nodes >= wanted || depth >= DEEPEST {
                signals.stop();
            }
        }
    });
    let elapsed = started.elapsed().as_nanos() as u64;
    let reached = iterations.last().filter(|_| wanted < u64::MAX);
    let (depth, nodes) = reached.map_or((answer.depth, answer.nodes), |last| (last.depth, last.nodes));
    let time = match clock {
        Clock::Wall => elapsed,
        Clock::Nodes(cost) => nodes * cost,
        Clock::Ticks => answer.accounts.time,
    };
    Ok(Measurement {
        run: run.clone(),
        depth,
        time,
        nodes,
        span: answer.work.span,
        accounts: AccountRow::new(&answer.work, &answer.accounts),
        best_move: answer.best.map_or_else(String::new, |mv| Notation::Standard.show(&position, mv)),
        score: answer.score.map_or(0, game::Score::value),
        iterations,
    })
}
