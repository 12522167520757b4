//! Makes many searches: virtual ones in parallel on all cores, those on threads one at a time.

use super::run::perform_series;
use super::{Folder, Goal, LabError, MachineKind, Measurement, Run};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How far an experiment has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Searches done, by this process or an earlier one.
    pub done: usize,
    /// Searches in all.
    pub total: usize,
    /// The work of the searches done now, roughly, and of those that are still to be done, in nodes of one processor.
    pub work: (f64, f64),
    /// The search just finished; none at the beginning.
    pub last: Option<&'a Measurement>,
}

/// How large searches are expected to be, from those that chose their depths.
pub(super) struct Expected(HashMap<(String, String, String), Vec<(i32, u64)>>);

impl Expected {
    /// What the folder's searches tell.
    pub(super) fn new(folder: &Folder) -> Expected {
        let mut sizes: HashMap<_, Vec<(i32, u64)>> = HashMap::new();
        for Measurement { run, iterations, .. } in folder.choices() {
            let place = sizes.entry((run.suite, run.id, run.rules)).or_default();
            place.extend(iterations.iter().map(|iteration| (iteration.depth, iteration.nodes)));
        }
        Expected(sizes)
    }

    /// Nodes that a search will visit, roughly.
    fn nodes(&self, run: &Run) -> f64 {
        match run.goal {
            // The last depth is about as large as all before it.
            Goal::Nodes(nodes) => 2.0 * nodes as f64,
            Goal::Depth(depth) => {
                let known = self.0.get(&(run.suite.clone(), run.id.clone(), run.rules.clone()));
                let size = known.and_then(|sizes| sizes.iter().find(|(at, _)| *at == depth));
                size.map_or_else(|| full_width(depth), |(_, nodes)| *nodes as f64)
            }
        }
    }

    /// What a search will cost, roughly, in nodes of one processor: the more virtual processors, the slower the simulation.
    pub(super) fn weight(&self, run: &Run) -> f64 {
        let slower = if run.algorithm == "serial" || run.machine == MachineKind::Threads {
            1.0
        } else {
            1.5 + 0.3 * (run.processors as f64).log2()
        };
        slower * self.nodes(run)
    }
}

/// Nodes of a full-width search of which nothing is known. The Bratko-Kopec positions had 56, 210 and 1130 thousand on average
/// at depths 5, 6 and 7 (`bench --suite bratko-kopec --classic --depth D`).
fn full_width(depth: i32) -> f64 {
    16.0 * 5f64.powi(depth.min(20))
}

/// The searches to be made, those of a game together and in its order: they must be made by one engine. Where one of a game
/// is missing, so are all, for what the engine had learned is lost.
fn series<'a>(runs: &'a [Run], folder: &Folder) -> Vec<Vec<&'a Run>> {
    let mut seen = HashSet::new();
    let mut places: HashMap<Run, usize> = HashMap::new();
    let mut all: Vec<Vec<&Run>> = Vec::new();
    for run in runs.iter().filter(|run| seen.insert(*run)) {
        if !run.kept {
            all.push(vec![run]);
            continue;
        }
        let game = Run { id: String::new(), fen: String::new(), goal: Goal::Depth(0), ..run.clone() };
        let place = *places.entry(game).or_insert(all.len());
        if place == all.len() {
            all.push(Vec::new());
        }
        all[place].push(run);
    }
    all.retain(|runs| runs.iter().any(|run| folder.find(run).is_none()));
    all
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
    let expected = Expected::new(folder);
    let todo = series(runs, folder);
    let left: Vec<&Run> = todo.iter().flatten().copied().collect();
    let by_the_clock = left.iter().any(|run| run.machine == MachineKind::Threads);
    let jobs = if by_the_clock { 1 } else { jobs.clamp(1, todo.len().max(1)) };
    let whole = left.iter().map(|run| expected.weight(run)).sum::<f64>();
    let total = runs.iter().collect::<HashSet<_>>().len();
    let before = total - left.len();
    watch(Progress { done: before, total, work: (0.0, whole), last: None });
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let finished = Mutex::new((before, 0.0));
    let failure = Mutex::new(None);
    let finish = |row: Measurement| {
        if folder.find(&row.run).is_none() {
            folder.keep(&row)?;
        }
        let mut finished = finished.lock();
        finished.0 += 1;
        finished.1 += expected.weight(&row.run);
        let work = (finished.1, whole - finished.1);
        watch(Progress { done: finished.0, total, work, last: Some(&row) });
        Ok(())
    };
    let work = || {
        while !stopped.load(Ordering::Relaxed)
            && let Some(runs) = todo.get(next.fetch_add(1, Ordering::Relaxed))
        {
            if let Err(error) = perform_series(runs, &mut |row| finish(row)) {
                stopped.store(true, Ordering::Relaxed);
                failure.lock().get_or_insert(error);
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
