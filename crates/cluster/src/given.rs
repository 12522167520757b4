//! Tasks that this rank has given to others, each through a remote helper at one of its split points.

use std::collections::HashMap;
use std::time::Instant;

/// The remote helpers of a search, and the tasks that they have given away.
pub(crate) struct GivenTasks {
    helpers: Vec<Option<Helper>>,
    helper_of: HashMap<u64, usize>,
}

/// A remote helper: it stands for a rank that has asked for work.
struct Helper {
    rank: usize,
    /// The task that the rank has, and since when.
    task: Option<(u64, Instant)>,
    had_task: bool,
}

/// Why a result is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejected {
    /// Its task is done, cut or taken back.
    Stale,
    /// Another rank has the task.
    NotHolder,
}

impl GivenTasks {
    pub(crate) fn new(helpers: usize) -> GivenTasks {
        GivenTasks { helpers: (0..helpers).map(|_| None).collect(), helper_of: HashMap::new() }
    }

    pub(crate) fn helpers(&self) -> usize {
        self.helpers.len()
    }

    /// A helper now stands for this rank.
    pub(crate) fn add_helper(&mut self, helper: usize, rank: usize) {
        self.helpers[helper] = Some(Helper { rank, task: None, had_task: false });
    }

    /// A helper is gone: its rank, and whether that rank has ever had a task.
    pub(crate) fn remove_helper(&mut self, helper: usize) -> Option<(usize, bool)> {
        self.take(helper);
        self.helpers[helper].take().map(|helper| (helper.rank, helper.had_task))
    }

    /// The rank of a helper gets a task; none if there is no such helper.
    pub(crate) fn give(&mut self, helper: usize, id: u64) -> Option<usize> {
        let given = self.helpers[helper].as_mut()?;
        (given.task, given.had_task) = (Some((id, Instant::now())), true);
        self.helper_of.insert(id, helper);
        Some(given.rank)
    }

    /// The rank and the task of a helper.
    pub(crate) fn task(&self, helper: usize) -> Option<(usize, u64)> {
        let helper = self.helpers[helper].as_ref()?;
        Some((helper.rank, helper.task?.0))
    }

    /// The task of a helper is no longer waited for: its rank and its id.
    pub(crate) fn take(&mut self, helper: usize) -> Option<(usize, u64)> {
        let helper = self.helpers[helper].as_mut()?;
        let (id, _) = helper.task.take()?;
        self.helper_of.remove(&id);
        Some((helper.rank, id))
    }

    /// A rank returns a task: its helper, and when it was given.
    pub(crate) fn finish(&mut self, id: u64, from: usize) -> Result<(usize, Instant), Rejected> {
        let &place = self.helper_of.get(&id).ok_or(Rejected::Stale)?;
        let helper = self.helpers[place].as_mut().ok_or(Rejected::Stale)?;
        if helper.rank != from {
            return Err(Rejected::NotHolder);
        }
        self.helper_of.remove(&id);
        let (_, since) = helper.task.take().ok_or(Rejected::Stale)?;
        Ok((place, since))
    }

    /// The ranks that have tasks, each once for every task it has.
    pub(crate) fn holders(&self) -> impl Iterator<Item = usize> {
        self.helpers.iter().flatten().filter(|helper| helper.task.is_some()).map(|helper| helper.rank)
    }

    /// The rank that has had a task for the longest time.
    pub(crate) fn slowest_rank(&self) -> Option<usize> {
        let given = |helper: &Helper| Some((helper.task?.1, helper.rank));
        self.helpers.iter().flatten().filter_map(given).min().map(|(_, rank)| rank)
    }

    /// The helpers whose tasks this rank got at `before` or earlier.
    pub(crate) fn held_by(&self, rank: usize, before: Instant) -> Vec<usize> {
        let is_held = |helper: &Helper| helper.rank == rank && helper.task.is_some_and(|(_, since)| since <= before);
        (0..self.helpers.len()).filter(|&helper| self.helpers[helper].as_ref().is_some_and(is_held)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_holder_returns_a_task_and_only_once() {
        let mut given = GivenTasks::new(2);
        given.add_helper(1, 7);
        assert_eq!(given.give(0, 5), None);
        assert_eq!(given.give(1, 5), Some(7));
        assert_eq!((given.slowest_rank(), given.held_by(7, Instant::now())), (Some(7), vec![1]));
        assert_eq!(given.finish(5, 6), Err(Rejected::NotHolder));
        assert_eq!(given.finish(6, 7), Err(Rejected::Stale));
        assert_eq!(given.finish(5, 7).map(|(helper, _)| helper), Ok(1));
        assert_eq!(given.finish(5, 7), Err(Rejected::Stale));
        assert_eq!((given.task(1), given.remove_helper(1), given.remove_helper(1)), (None, Some((7, true)), None));
    }
}
