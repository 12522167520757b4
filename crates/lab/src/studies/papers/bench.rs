//! The searches of the papers: made, kept, and looked up.

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
    pub(super) fn all(&mut self, runs: &[Run]) -> Result<Vec<Measurement>, LabError> {
        perform_all(runs, self.folder, self.jobs, self.watch)
    }

    /// All searches of some plans at once, so that all cores are busy to the end and the time left is that of all.
    pub(super) fn prepare(&mut self, plans: &[&Plan]) -> Result<(), LabError> {
        plans.iter().try_for_each(|plan| plan.check())?;
        let choices: Vec<Run> = plans.iter().flat_map(|plan| plan.choices()).collect();
        self.all(&choices)?;
        let mut runs = Vec::new();
        for plan in plans {
            let choices = self.all(&plan.choices())?;
            runs.extend(plan.runs(&choices));
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
        Ok(Measured { rows, comparison })
    }
}

/// The searches of a plan, and what they come to.
pub(super) struct Measured {
    pub(super) rows: Vec<Measurement>,
    pub(super) comparison: Comparison,
}

impl Measured {
    /// The mean of an algorithm on a number of processors.
    pub(super) fn mean(&self, algorithm: &str, processors: usize) -> Option<&Mean> {
        let found = self.comparison.means.iter();
        found.into_iter().find(|mean| mean.algorithm == algorithm && mean.processors == processors)
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

    /// The searches of an algorithm on a number of processors, without those that choose a depth.
    pub(super) fn searches(&self, algorithm: &str, processors: usize) -> Vec<&Measurement> {
        let is_one = |row: &&Measurement| {
            row.run.algorithm == algorithm && row.run.processors == processors && row.run.repeat == 1
        };
        self.rows.iter().filter(is_one).collect()
    }
}
