//! Somewhere to make searches, and what they come to.

use crate::experiment::statistics::bootstrap;
use crate::experiment::{
    Comparison, Folder, LabError, Mean, Measurement, Plan, Progress, Run, SpeedupCell, perform_all,
};

/// Somewhere to make searches, and to find those that were made.
pub(super) struct Bench<'a> {
    pub(super) folder: &'a Folder,
    pub(super) jobs: usize,
    pub(super) watch: &'a (dyn Fn(Progress<'_>) + Sync),
    pub(super) rows: Vec<Measurement>,
}

impl Bench<'_> {
    /// Measures all runs that the folder does not have yet.
    pub(super) fn all(&mut self, runs: &[Run]) -> Result<Vec<Measurement>, LabError> {
        perform_all(runs, self.folder, self.jobs, self.watch)
    }

    /// All searches of some plans at once, so that all cores are busy to the end and the time left is that of all.
    pub(super) fn prepare(&mut self, plans: &[Plan]) -> Result<(), LabError> {
        plans.iter().try_for_each(Plan::check)?;
        let choices: Vec<Run> = plans.iter().flat_map(Plan::choices).collect();
        self.all(&choices)?;
        let mut runs = Vec::new();
        for plan in plans {
            let choices: Option<Vec<Measurement>> =
                plan.choices().iter().map(|choice| self.folder.find(choice)).collect();
            runs.extend(plan.runs(&choices.unwrap_or_default()));
        }
        // The largest machines take longest.
        runs.sort_by_key(|run| std::cmp::Reverse(run.processors));
        self.all(&runs).map(|_| ())
    }

    /// The searches of a plan, and what they come to.
    pub(super) fn measured(&mut self, plan: &Plan) -> Result<Measured, LabError> {
        let rows = plan.perform(self.folder, self.jobs, &|_| {})?;
        self.rows.extend(rows.iter().cloned());
        let comparison = Comparison::new(&rows, plan.seed);
        Ok(Measured { rows, comparison, seed: plan.seed })
    }
}

/// The searches of a plan, and what they come to.
pub(super) struct Measured {
    pub(super) rows: Vec<Measurement>,
    pub(super) comparison: Comparison,
    seed: u64,
}

impl Measured {
    /// The mean of an algorithm on a number of processors.
    pub(super) fn mean(&self, algorithm: &str, processors: usize) -> Option<&Mean> {
        let mut found = self.comparison.means.iter();
        found.find(|mean| mean.algorithm == algorithm && mean.processors == processors)
    }

    /// One cell for each position, in the order of the suite.
    pub(super) fn cells(&self, algorithm: &str, processors: usize) -> Vec<&SpeedupCell> {
        let cells = self.comparison.cells.iter();
        cells.filter(|cell| cell.algorithm == algorithm && cell.processors == processors).collect()
    }

    /// The numbers of processors, in order.
    pub(super) fn processors(&self, algorithm: &str) -> Vec<usize> {
        let means = self.comparison.means.iter();
        means.filter(|mean| mean.algorithm == algorithm).map(|mean| mean.processors).collect()
    }

    /// The searches of an algorithm on a number of processors, one for each position, without those that choose a depth.
    pub(super) fn searches(&self, algorithm: &str, processors: usize) -> Vec<&Measurement> {
        self.every(algorithm, processors).into_iter().filter(|row| row.run.repeat == 1).collect()
    }

    /// As [`Measured::searches`], with all repetitions.
    pub(super) fn every(&self, algorithm: &str, processors: usize) -> Vec<&Measurement> {
        let is_one = |row: &&Measurement| {
            row.run.algorithm == algorithm && row.run.processors == processors && row.run.repeat > 0
        };
        self.rows.iter().filter(is_one).collect()
    }

    /// A figure of all positions together, and its 95 % interval by the bootstrap over positions.
    pub(super) fn figure(
        &self,
        algorithm: &str,
        processors: usize,
        of: impl Fn(&[&SpeedupCell]) -> f64,
    ) -> (f64, (f64, f64)) {
        let cells = self.cells(algorithm, processors);
        let places: Vec<f64> = (0..cells.len()).map(|place| place as f64).collect();
        let drawn = |places: &[f64]| of(&places.iter().map(|&place| cells[place as usize]).collect::<Vec<_>>());
        (of(&cells), bootstrap(&places, self.seed, drawn))
    }
}

/// The mean of the speedups, each position weighing the same (DTS).
pub(super) fn mean_speedup(cells: &[&SpeedupCell]) -> f64 {
    cells.iter().map(|cell| cell.speedup).sum::<f64>() / cells.len().max(1) as f64
}

/// All times of one processor over all times (Zugzwang).
pub(super) fn total_speedup(cells: &[&SpeedupCell]) -> f64 {
    sum(cells, |cell| cell.serial_time) / sum(cells, |cell| cell.time)
}

/// All nodes over all nodes of one processor.
pub(super) fn total_overhead(cells: &[&SpeedupCell]) -> f64 {
    sum(cells, |cell| cell.nodes) / sum(cells, |cell| cell.serial_nodes)
}

/// The share of all time in which processors had work.
pub(super) fn total_load(cells: &[&SpeedupCell]) -> f64 {
    sum(cells, |cell| cell.factors.load * cell.time) / sum(cells, |cell| cell.time)
}

/// A sum over positions.
pub(super) fn sum(cells: &[&SpeedupCell], of: impl Fn(&SpeedupCell) -> f64) -> f64 {
    cells.iter().map(|cell| of(cell)).sum()
}
