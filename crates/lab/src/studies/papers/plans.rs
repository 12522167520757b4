//! Which searches the papers' tables are made of. docs/papers.md says why these.

use crate::experiment::{Course, Goal, LabError, MachineKind, Plan, positions};
use serde::{Deserialize, Serialize};

/// How large the searches are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// All tables in some minutes.
    Quick,
    /// Searches ten times as large, on every size of machine, in an hour or two.
    Usual,
    /// The papers' own sizes, for a day.
    Full,
}

impl Size {
    /// All sizes.
    pub const ALL: [Size; 3] = [Size::Quick, Size::Usual, Size::Full];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Size::Quick => "quick",
            Size::Usual => "default",
            Size::Full => "full",
        }
    }

    fn pick<T>(self, quick: T, usual: T, full: T) -> T {
        match self {
            Size::Quick => quick,
            Size::Usual => usual,
            Size::Full => full,
        }
    }
}

/// How large the searches are, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// The size of searches and machines.
    pub size: Size,
    /// Instead of the size's own searches: to the first depth at which one processor visits this many nodes.
    pub nodes: Option<u64>,
    /// Only the first positions of each suite.
    pub first: Option<usize>,
    /// Instead of the size's own number of repetitions.
    pub repeats: Option<usize>,
}

impl Extent {
    /// The size as it is.
    pub(super) fn whole(size: Size) -> Extent {
        Extent { size, nodes: None, first: None, repeats: None }
    }

    /// In what the searches differ from those of the size; nothing if they are the size's own.
    pub(super) fn difference(&self) -> String {
        let nodes = self.nodes.map(|nodes| format!("to the first depth at which one processor visits {nodes} nodes"));
        let first = self.first.map(|count| format!("of the first {count} positions"));
        let repeats = self.repeats.map(|count| match count {
            1 => "one repetition".to_owned(),
            count => format!("{count} repetitions"),
        });
        [nodes, first, repeats].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    fn pick<T>(&self, quick: T, usual: T, full: T) -> T {
        self.size.pick(quick, usual, full)
    }

    /// Searches of this many nodes at least. The search of a position ends with the first depth at which it has visited them,
    /// and so has about twice as many in the mean: half of the paper's mean is given.
    fn goal(&self, quick: u64, usual: u64, full: u64) -> Goal {
        Goal::Nodes(self.nodes.unwrap_or_else(|| self.pick(quick, usual, full)))
    }

    /// How often each parallel search is made.
    pub(super) fn repeats(&self) -> usize {
        self.repeats.unwrap_or_else(|| self.pick(1, 1, 3))
    }

    fn plan(
        &self,
        suite: &str,
        (rules, profile, table): System<'_>,
        algorithms: &[&str],
        goal: Goal,
    ) -> Result<Plan, LabError> {
        let repeats = self.repeats();
        Ok(Plan {
            suite: positions(suite, self.first)?,
            algorithms: algorithms.iter().map(|&name| name.to_owned()).collect(),
            processors: Vec::new(),
            machine: MachineKind::Virtual,
            profile: profile.to_owned(),
            hosts: String::new(),
            rules: rules.to_owned(),
            goal,
            deepest: 100,
            seed: 1,
            repeats,
            baselines: repeats.max(2),
            hash: 64,
            table: table.to_owned(),
            course: Course::Apart,
        })
    }
}

/// What a paper's program was like: rules, machine, table.
type System<'a> = (&'a str, &'a str, &'a str);

const CRAY_BLITZ: System<'_> = ("cray-blitz", "cray-c90", "");

/// StarTech as it played.
pub(super) const STARTECH_ALGORITHM: &str = "jamboree+deferred-reads+two-serial";
/// *Socrates as it played: children stolen in order, level waiting.
pub(super) const SOCRATES_ALGORITHM: &str = "jamboree+level-waiting";
/// Without level waiting: a processor that waits takes any work, and is interrupted.
pub(super) const SOCRATES_ANYWHERE: &str = "jamboree";
/// Children stolen in the wrong order.
pub(super) const SOCRATES_LAST_FIRST: &str = "jamboree+level-waiting+last-first";
/// Zugzwang as it played.
pub(super) const ZUGZWANG_ALGORITHM: &str = "ybw+new-bounds+interior-table+own-histories+refutation-lines";

/// StarTech had at least 2^26 entries.
fn startech_system(extent: &Extent) -> System<'static> {
    ("startech", "startech", extent.pick("startech:2^22", "startech:2^24", "startech:2^26"))
}

/// *Socrates had 2^21 entries on each processor, on 512 of them more than there is memory for.
fn socrates_system(extent: &Extent) -> System<'static> {
    ("socrates", "socrates", extent.pick("socrates:2^23", "socrates:2^25", "socrates:2^27"))
}

const ZUGZWANG: System<'_> = ("zugzwang", "zugzwang", "zugzwang:20000/processor");

/// DTS through the game: one engine keeps its table from move to move. In the mean 96 M nodes a position.
pub(super) fn dts(extent: &Extent) -> Result<Plan, LabError> {
    let plan = extent.plan("dts", CRAY_BLITZ, &["dts"], extent.goal(100_000, 1_000_000, 48_000_000))?;
    let hash = extent.pick(64, 256, 1024);
    Ok(Plan { processors: vec![2, 4, 8, 16], hash, course: Course::Game, ..plan })
}

/// PVS and EPVS through the same game, at most 10 M nodes a position: the papers do not give the size of theirs.
pub(super) fn forerunners(extent: &Extent) -> Result<Plan, LabError> {
    let own = extent.pick(100_000, 1_000_000, 5_000_000);
    let goal = Goal::Nodes(extent.nodes.map_or(own, |nodes| nodes.min(own)));
    let plan = extent.plan("dts", CRAY_BLITZ, &["pvs", "epvs"], goal)?;
    let hash = extent.pick(64, 256, 256);
    Ok(Plan { processors: vec![2, 4, 8, 16], hash, course: Course::Game, ..plan })
}

/// Cray Blitz of 1985: the root split on two, PVS on up to four. 4 to 5 M nodes a position.
pub(super) fn cray_blitz(extent: &Extent) -> Result<[Plan; 2], LabError> {
    let goal = extent.goal(60_000, 500_000, 2_200_000);
    let at = |algorithm, processors: &[usize]| {
        let plan = extent.plan("dts", CRAY_BLITZ, &[algorithm], goal)?;
        Ok::<_, LabError>(Plan { processors: processors.to_vec(), ..plan })
    };
    Ok([at("root-split", &[2])?, at("pvs", &[2, 3, 4])?])
}

/// The tables of StarTech's figure 4, the largest first.
fn table_sizes(extent: &Extent) -> Vec<String> {
    let largest = extent.pick(20, 22, 24);
    let tables = (16..=largest).rev().map(|power| format!("startech:2^{power}"));
    tables.chain(std::iter::once("none".to_owned())).collect()
}

/// StarTech's serial program with each size of table, to the solution of each problem.
pub(super) fn startech_tables(extent: &Extent) -> Result<Vec<Plan>, LabError> {
    let goal = extent.goal(200_000, 1_000_000, 4_000_000);
    let tables = table_sizes(extent);
    let at = |table: &String| {
        let plan = extent.plan("kaufman", startech_system(extent), &[STARTECH_ALGORITHM], goal)?;
        let course = Course::Solution { chosen_with: tables[0].clone() };
        Ok(Plan { table: table.clone(), baselines: 1, repeats: 1, course, ..plan })
    };
    tables.iter().map(at).collect()
}

/// StarTech on larger and larger machines, to the solution of each problem: 1.6 M nodes on average.
pub(super) fn startech(extent: &Extent) -> Result<Plan, LabError> {
    let processors: &[usize] = extent.pick(&[8, 64, 512], &POWERS, &POWERS);
    let goal = extent.goal(120_000, 1_000_000, 4_000_000);
    let plan = extent.plan("kaufman", startech_system(extent), &[STARTECH_ALGORITHM], goal)?;
    let course = Course::Solution { chosen_with: plan.table.clone() };
    Ok(Plan { processors: processors.to_vec(), course, ..plan })
}

const POWERS: [usize; 9] = [2, 4, 8, 16, 32, 64, 128, 256, 512];

/// The machine on which strategies are compared.
pub(super) const STRATEGY_PROCESSORS: usize = 64;

/// StarTech's strategies, each switched on by itself; and the search without recursive deepening.
pub(super) fn startech_strategies(extent: &Extent) -> Result<[Plan; 2], LabError> {
    let goal = extent.goal(120_000, 500_000, 800_000);
    let (rules, profile, table) = startech_system(extent);
    let algorithms = ["jamboree", "jamboree+deferred-reads", "jamboree+two-serial", "jamboree+serial-below-alpha"];
    let at = |rules: &str, algorithms: &[&str]| {
        let plan = extent.plan("kaufman", (rules, profile, table), algorithms, goal)?;
        Ok::<_, LabError>(Plan { processors: vec![STRATEGY_PROCESSORS], ..plan })
    };
    Ok([at(rules, &algorithms)?, at(&format!("{rules},-recursive_deepening"), &algorithms[..1])?])
}

/// *Socrates on larger and larger machines.
pub(super) fn socrates(extent: &Extent) -> Result<Plan, LabError> {
    let processors: &[usize] = extent.pick(&[4, 16, 64, 128], &POWERS, &POWERS);
    let goal = extent.goal(250_000, 2_000_000, 10_000_000);
    let plan = extent.plan("socrates", socrates_system(extent), &[SOCRATES_ALGORITHM], goal)?;
    Ok(Plan { processors: processors.to_vec(), ..plan })
}

/// *Socrates' rules of the scheduler, each turned round.
pub(super) fn socrates_scheduler(extent: &Extent) -> Result<Plan, LabError> {
    let algorithms = [SOCRATES_ALGORITHM, SOCRATES_ANYWHERE, SOCRATES_LAST_FIRST];
    let goal = extent.goal(250_000, 2_000_000, 10_000_000);
    let plan = extent.plan("socrates", socrates_system(extent), &algorithms, goal)?;
    Ok(Plan { processors: vec![STRATEGY_PROCESSORS], ..plan })
}

/// Zugzwang's searches go to depth 7, about 3.1 M nodes; the quick ones to depth 6.
fn zugzwang_goal(extent: &Extent) -> Goal {
    extent.nodes.map_or(Goal::Depth(extent.pick(6, 7, 7)), Goal::Nodes)
}

/// Zugzwang on networks of Transputers.
pub(super) fn zugzwang(extent: &Extent) -> Result<Plan, LabError> {
    let plan = extent.plan("bratko-kopec", ZUGZWANG, &[ZUGZWANG_ALGORITHM], zugzwang_goal(extent))?;
    Ok(Plan { processors: vec![4, 8, 16, 32, 64], deepest: 7, ..plan })
}

/// Zugzwang's algorithm with a table of its own on every processor.
pub(super) fn zugzwang_own_tables() -> String {
    format!("{ZUGZWANG_ALGORITHM}+own-tables")
}

/// Zugzwang's tables: one on every processor for itself beside one that costs nothing to reach, one on a single processor, and the
/// distributed one.
pub(super) fn zugzwang_tables(extent: &Extent) -> Result<[Plan; 3], LabError> {
    let at = |place: &str, algorithms: &[&str]| {
        let (rules, profile, table) = ZUGZWANG;
        let profile = format!("{profile}{place}");
        let plan = extent.plan("bratko-kopec", (rules, &profile, table), algorithms, zugzwang_goal(extent))?;
        Ok::<_, LabError>(Plan { processors: vec![16, 64], deepest: 7, ..plan })
    };
    let own = zugzwang_own_tables();
    let near = at(",table=common", &[ZUGZWANG_ALGORITHM, &own])?;
    Ok([near, at(",table=global", &[ZUGZWANG_ALGORITHM])?, at("", &[ZUGZWANG_ALGORITHM])?])
}

/// Zugzwang's figure 3: position 22 to depth 5, where only one of 32 processors has work. The others are silent, ask for work, or ask
/// for work and there is no table.
pub(super) fn zugzwang_traffic(extent: &Extent) -> Result<[Plan; 3], LabError> {
    let (rules, profile, table) = ZUGZWANG;
    let at = |asking: &str, table: &str| {
        let profile = format!("{profile},grain=99{asking}");
        let all = Extent { first: None, ..*extent };
        let mut plan = all.plan("bratko-kopec", (rules, &profile, table), &[ZUGZWANG_ALGORITHM], Goal::Depth(5))?;
        plan.suite.records.retain(|record| record.id.as_deref().is_some_and(|id| id.ends_with(".22")));
        Ok::<_, LabError>(Plan { processors: vec![32], baselines: 1, repeats: 1, ..plan })
    };
    Ok([at(",asking=nobody", table)?, at("", table)?, at("", "none")?])
}

/// The search of today, by the algorithms of yesterday and today.
pub(super) fn today(extent: &Extent) -> Result<Plan, LabError> {
    let algorithms = ["pvs", "dts", "ybw", "jamboree", "abdada", "lazy-smp", "jubilee"];
    let processors: &[usize] = extent.pick(&[16], &[4, 16, 64], &[4, 16, 64]);
    let plan = extent.plan("dts", ("modern", "ideal", ""), &algorithms, extent.goal(60_000, 300_000, 1_000_000))?;
    Ok(Plan { processors: processors.to_vec(), ..plan })
}

/// The plans of a paper that a report needs before it is written.
pub(super) fn of_paper(paper: &str, extent: &Extent) -> Result<Vec<Plan>, LabError> {
    Ok(match paper {
        "dts" => vec![dts(extent)?, forerunners(extent)?],
        "cray-blitz" => cray_blitz(extent)?.into(),
        "startech" => {
            let mut plans = vec![startech(extent)?];
            plans.extend(startech_strategies(extent)?);
            plans.extend(startech_tables(extent)?);
            plans
        }
        "socrates" => vec![socrates(extent)?, socrates_scheduler(extent)?],
        "zugzwang" => {
            let mut plans = vec![zugzwang(extent)?];
            plans.extend(zugzwang_tables(extent)?);
            plans.extend(zugzwang_traffic(extent)?);
            plans
        }
        _ => vec![today(extent)?],
    })
}
