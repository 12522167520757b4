//! The searches for the papers' tables. docs/papers.md describes them.

use crate::experiment::{Goal, LabError, MachineKind, Plan, positions};
use crate::suite::Suite;

/// How large the searches are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// All tables in some minutes.
    Quick,
    /// Searches of millions of nodes, for hours.
    Full,
}

impl Size {
    fn pick<T>(self, quick: T, full: T) -> T {
        if self == Size::Quick { quick } else { full }
    }
}

fn plan(suite: Suite, rules: &str, profile: &str, algorithms: &[&str], processors: &[usize], nodes: u64) -> Plan {
    Plan {
        suite,
        algorithms: algorithms.iter().map(|&name| name.to_owned()).collect(),
        processors: processors.to_vec(),
        machine: MachineKind::Virtual,
        profile: profile.to_owned(),
        hosts: String::new(),
        rules: rules.to_owned(),
        goal: Goal::Nodes(nodes),
        deepest: 100,
        seed: 1,
        repeats: 1,
        baselines: 2,
        hash: 64,
        table: String::new(),
    }
}

/// Bratko-Kopec without its first position, a mate that is found at once at every depth.
fn bratko_kopec() -> Result<Suite, LabError> {
    let mut suite = positions("bratko-kopec", None)?;
    suite.records.remove(0);
    Ok(suite)
}

/// Cray Blitz on the positions of the DTS paper: PVS, EPVS and DTS.
pub(super) fn dts(size: Size) -> Result<Plan, LabError> {
    let suite = positions("dts", None)?;
    let nodes = size.pick(150_000, 5_000_000);
    Ok(plan(suite, "classic,null_move", "cray-c90", &["pvs", "epvs", "dts"], &[2, 4, 8, 16], nodes))
}

/// Cray Blitz of 1985: the root split on two, PVS on up to four.
pub(super) fn cray_blitz(size: Size) -> Result<[Plan; 2], LabError> {
    let nodes = size.pick(60_000, 5_000_000);
    let at = |algorithm, processors: &[usize]| {
        Ok::<_, LabError>(plan(positions("dts", None)?, "classic", "cray-c90", &[algorithm], processors, nodes))
    };
    Ok([at("root-split", &[2])?, at("pvs", &[2, 3, 4])?])
}

/// The sizes of table, in MiB, of StarTech's figure 4.
pub(super) fn table_sizes(size: Size) -> &'static [usize] {
    size.pick(&[1, 2, 4, 8, 16], &[1, 2, 4, 8, 16, 32, 64, 128, 256])
}

/// StarTech's serial program with each size of table, the largest first.
pub(super) fn startech_tables(size: Size) -> Result<Vec<Plan>, LabError> {
    let nodes = size.pick(500_000, 4_000_000);
    let at = |&hash: &usize| {
        let suite = positions("kaufman", None)?;
        let plan = plan(suite, STARTECH, "cm5", &["jamboree"], &[1], nodes);
        Ok(Plan { hash, baselines: 1, ..plan })
    };
    table_sizes(size).iter().rev().map(at).collect()
}

/// StarTech had no null move, and recursive iterative deepening.
const STARTECH: &str = "classic,recursive_deepening";

/// StarTech on larger and larger machines.
pub(super) fn startech(size: Size) -> Result<Plan, LabError> {
    let processors: &[usize] = size.pick(&[8, 64, 512], &[2, 4, 8, 16, 32, 64, 128, 256, 512]);
    Ok(plan(positions("kaufman", None)?, STARTECH, "cm5", &["jamboree"], processors, size.pick(120_000, 4_000_000)))
}

/// The machine on which strategies are compared.
pub(super) const STRATEGY_PROCESSORS: usize = 64;

/// StarTech's strategies, each switched on; and the search without recursive deepening.
pub(super) fn startech_strategies(size: Size) -> Result<[Plan; 2], LabError> {
    let first = size.pick(Some(10), None);
    let nodes = size.pick(120_000, 4_000_000);
    let algorithms = ["jamboree", "jamboree+deferred-reads", "jamboree+two-serial"];
    let with = plan(positions("kaufman", first)?, STARTECH, "cm5", &algorithms, &[STRATEGY_PROCESSORS], nodes);
    let without = plan(positions("kaufman", first)?, "classic", "cm5", &["jamboree"], &[STRATEGY_PROCESSORS], nodes);
    Ok([with, without])
}

/// *Socrates had forward pruning; ours is the null move.
pub(super) fn socrates(size: Size) -> Result<Plan, LabError> {
    let processors: &[usize] = size.pick(&[4, 16, 64, 128], &[2, 4, 8, 16, 32, 64, 128, 256, 512]);
    let suite = positions("socrates", None)?;
    Ok(plan(suite, "classic,null_move", "cm5", &["jamboree"], processors, size.pick(250_000, 10_000_000)))
}

/// *Socrates' rules of the scheduler, each reversed.
pub(super) fn socrates_scheduler(size: Size) -> Result<Plan, LabError> {
    let suite = positions("socrates", None)?;
    let algorithms = ["jamboree", "jamboree+last-first", "jamboree+level-waiting"];
    let nodes = size.pick(250_000, 10_000_000);
    Ok(plan(suite, "classic,null_move", "cm5", &algorithms, &[STRATEGY_PROCESSORS], nodes))
}

/// Zugzwang on networks of Transputers.
pub(super) fn zugzwang(size: Size) -> Result<Plan, LabError> {
    let nodes = size.pick(60_000, 2_000_000);
    Ok(plan(bratko_kopec()?, "classic", "transputer", &["ybw"], &[4, 8, 16, 32, 64], nodes))
}

/// Zugzwang's other tables: a table of its own on every processor, and one table that costs nothing to reach.
pub(super) fn zugzwang_tables(size: Size) -> Result<[Plan; 2], LabError> {
    let nodes = size.pick(60_000, 2_000_000);
    let local = plan(bratko_kopec()?, "classic", "zugzwang,table=common", &["ybw", "ybw+own-tables"], &[16, 64], nodes);
    let distributed = plan(bratko_kopec()?, "classic", "transputer", &["ybw"], &[16, 64], nodes);
    Ok([local, distributed])
}

/// The search of today, by the algorithms of yesterday and today.
pub(super) fn today(size: Size) -> Result<Plan, LabError> {
    let algorithms = ["pvs", "dts", "ybw", "jamboree", "abdada", "lazy-smp", "jubilee"];
    let processors: &[usize] = size.pick(&[16], &[4, 16, 64]);
    Ok(plan(positions("dts", None)?, "modern", "ideal", &algorithms, processors, size.pick(60_000, 5_000_000)))
}
