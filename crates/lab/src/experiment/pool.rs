//! Makes many searches: virtual ones in parallel on all cores, those on threads one at a time.

use super::{Folder, LabError, MachineKind, Measurement, Run, perform};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How far an experiment has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Searches done, by this process or an earlier one.
    pub done: usize,
    /// Searches in all.
    pub total: usize,
    /// The estimated work of the searches that this process has done, and of those still to be done.
    pub work: (f64, f64),
    /// The search just finished; none at the beginning.
    pub last: Option<&'a Measurement>,
}

/// The estimated work of a search: the more virtual processors, the slower the simulation.
fn weight(run: &Run) -> f64 {
    if run.algorithm == "serial" || run.machine == MachineKind::Threads {
        return 1.0;
    }
    1.5 + 0.3 * (run.processors as f64).log2()
}

/// Measures all runs that the folder does not have yet, and keeps each as it is done. The measurements come back in the
/// order of the runs.
///
/// # Errors
/// If a run has a wrong setting, there is no memory for a table, or a row can't be written. What was done before is
/// kept.
pub fn perform_all(
    runs: &[Run],
    folder: &Folder,
    jobs: usize,
    watch: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Vec<Measurement>, LabError> {
    runs.iter().try_for_each(Run::check)?;
    let mut seen = HashSet::new();
    let todo: Vec<&Run> = runs.iter().filter(|run| seen.insert(*run) && folder.find(run).is_none()).collect();
    let by_the_clock = todo.iter().any(|run| run.machine == MachineKind::Threads);
    let jobs = if by_the_clock { 1 } else { jobs.clamp(1, todo.len().max(1)) };
    let whole = todo.iter().map(|run| weight(run)).sum::<f64>();
    let before = runs.len() - todo.len();
    watch(Progress { done: before, total: runs.len(), work: (0.0, whole), last: None });
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let finished = Mutex::new((before, 0.0));
    let failure = Mutex::new(None);
    let work = || {
        while !stopped.load(Ordering::Relaxed)
            && let Some(run) = todo.get(next.fetch_add(1, Ordering::Relaxed))
        {
            match perform(run).and_then(|row| folder.keep(&row).map(|()| row)) {
                Ok(row) => {
                    let mut finished = finished.lock();
                    finished.0 += 1;
                    finished.1 += weight(run);
                    let work = (finished.1, whole - finished.1);
                    watch(Progress { done: finished.0, total: runs.len(), work, last: Some(&row) });
                }
                Err(error) => {
                    stopped.store(true, Ordering::Relaxed);
                    failure.lock().get_or_insert(error);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(work);
        }
        work();
    });
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    let rows = runs.iter().map(|run| folder.find(run));
    rows.collect::<Option<_>>().ok_or_else(|| LabError::Settings("a run was not made".into()))
}
