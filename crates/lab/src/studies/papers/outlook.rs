//! How long a study will take, before it begins.

use super::settings::PapersSettings;
use crate::experiment::{Course, Folder, Goal, LabError, MachineKind, Plan, Run, perform, positions};
use std::collections::HashMap;
use std::time::Instant;
use table::TableLayout;

/// What is still to be searched.
#[derive(Clone, Copy, Debug)]
pub struct Outlook {
    /// How many searches.
    pub searches: usize,
    /// Their work, in nodes of one processor.
    pub nodes: f64,
    /// Nodes of one processor that a core of this computer searches in a second.
    pub rate: f64,
    /// The largest tables of all searches at the same time, in MiB.
    pub memory: usize,
    /// How many searches at the same time.
    pub jobs: usize,
}

impl Outlook {
    /// Seconds that the searches will take.
    pub fn seconds(&self) -> f64 {
        self.nodes / self.rate.max(1.0) / self.jobs.max(1) as f64
    }
}

/// Looks ahead: what the folder lacks of what is wanted, and how fast this computer is.
///
/// # Errors
/// If there is no such paper, or no memory for a small search.
pub fn outlook(settings: &PapersSettings, folder: &Folder) -> Result<Outlook, LabError> {
    settings.check()?;
    let plans = settings.plans()?;
    // Plans share searches.
    let left: HashMap<Run, f64> = plans.iter().flat_map(|plan| plan.left(folder)).collect();
    let (searches, nodes) = (left.len(), left.values().sum());
    let largest = plans.iter().map(table_size).max().unwrap_or(0);
    let rate = if searches == 0 { 1.0 } else { rate()? };
    Ok(Outlook { searches, nodes, rate, memory: largest * settings.jobs, jobs: settings.jobs })
}

/// The table of a plan's largest machine, in MiB.
fn table_size(plan: &Plan) -> usize {
    let processors = plan.processors.iter().copied().max().unwrap_or(1);
    let layout = plan.table.parse::<TableLayout>();
    layout.map_or(plan.hash, |layout| (layout.total(processors) * ENTRY).div_ceil(1 << 20))
}

/// Bytes of an entry, at most.
const ENTRY: usize = 16;

/// Nodes a second of a small serial search by the papers' rules.
fn rate() -> Result<f64, LabError> {
    let plan = Plan {
        suite: positions("bratko-kopec", Some(2))?,
        algorithms: Vec::new(),
        processors: Vec::new(),
        machine: MachineKind::Virtual,
        profile: "ideal".to_owned(),
        hosts: String::new(),
        rules: "classic".to_owned(),
        goal: Goal::Nodes(100_000),
        deepest: 100,
        seed: 1,
        repeats: 1,
        baselines: 1,
        hash: 16,
        table: String::new(),
        course: Course::Apart,
    };
    let choices = plan.choices();
    let Some(run) = choices.last() else { return Ok(1.0) };
    let started = Instant::now();
    let row = perform(run)?;
    Ok(row.nodes as f64 / started.elapsed().as_secs_f64().max(1e-6))
}
