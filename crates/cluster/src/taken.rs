//! Tasks of other ranks that this rank has taken over.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// A task that no processor has begun after this time is given back.
const GIVE_BACK_AFTER: Duration = Duration::from_millis(4);
/// Maximum number of remembered cutoffs that came before their task.
const MAX_EARLY_CUTOFFS: usize = 256;
/// Maximum number of tasks: for each thread, and at least in total.
const MAX_TASKS_PER_THREAD: usize = 2;
const MAX_TASKS: usize = 64;

/// The tasks of other ranks that wait here or are being searched.
pub(crate) struct TakenTasks {
    tasks: HashMap<u64, TakenTask>,
    early_cutoffs: VecDeque<u64>,
    limit: usize,
}

#[derive(Clone, Copy)]
struct TakenTask {
    giver: usize,
    since: Instant,
    /// Has [`TakenTasks::next_overdue`] named it already?
    is_checked: bool,
}

/// What happens to a task that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It is taken.
    Taken,
    /// It is here already, or was cut before it came.
    Stale,
    /// There are too many.
    Full,
}

impl TakenTasks {
    pub(crate) fn new(threads: usize) -> TakenTasks {
        let limit = (MAX_TASKS_PER_THREAD * threads).max(MAX_TASKS);
        TakenTasks { tasks: HashMap::new(), early_cutoffs: VecDeque::new(), limit }
    }

    /// A task has come.
    pub(crate) fn take(&mut self, id: u64, giver: usize) -> Arrival {
        if self.early_cutoffs.contains(&id) || self.tasks.contains_key(&id) {
            return Arrival::Stale;
        }
        if self.tasks.len() >= self.limit {
            return Arrival::Full;
        }
        self.tasks.insert(id, TakenTask { giver, since: Instant::now(), is_checked: false });
        Arrival::Taken
    }

    pub(crate) fn contains(&self, id: u64) -> bool {
        self.tasks.contains_key(&id)
    }

    /// A task is done, cut or given back: the rank that gave it, and when it came.
    pub(crate) fn remove(&mut self, id: u64) -> Option<(usize, Instant)> {
        self.tasks.remove(&id).map(|task| (task.giver, task.since))
    }

    /// A cutoff has come for a task that is not here; the task may come later.
    pub(crate) fn cut_early(&mut self, id: u64) {
        if self.early_cutoffs.len() >= MAX_EARLY_CUTOFFS {
            self.early_cutoffs.pop_front();
        }
        self.early_cutoffs.push_back(id);
    }

    /// The tasks that this rank gave.
    pub(crate) fn given_by(&self, rank: usize) -> Vec<u64> {
        self.tasks.iter().filter(|(_, task)| task.giver == rank).map(|(&id, _)| id).collect()
    }

    /// A task that has been here for a while; each is named once.
    pub(crate) fn next_overdue(&mut self) -> Option<u64> {
        let is_overdue = |task: &TakenTask| !task.is_checked && task.since.elapsed() > GIVE_BACK_AFTER;
        let (&id, task) = self.tasks.iter_mut().find(|(_, task)| is_overdue(task))?;
        task.is_checked = true;
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_tasks_or_cutoffs_is_bounded() {
        let mut taken = TakenTasks::new(1);
        let arrivals: Vec<Arrival> = (0..=MAX_TASKS as u64).map(|id| taken.take(id, 1)).collect();
        assert!(arrivals[..MAX_TASKS].iter().all(|&arrival| arrival == Arrival::Taken));
        assert_eq!((arrivals[MAX_TASKS], taken.take(3, 1)), (Arrival::Full, Arrival::Stale));
        assert_eq!((taken.given_by(1).len(), taken.given_by(2).len()), (MAX_TASKS, 0));
        taken.remove(0);
        (1000..3000).for_each(|id| taken.cut_early(id));
        assert_eq!(taken.early_cutoffs.len(), MAX_EARLY_CUTOFFS);
        assert_eq!([taken.take(2999, 1), taken.take(1000, 1)], [Arrival::Stale, Arrival::Taken]);
    }
}
