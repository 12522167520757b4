//! Tasks and results as they travel, checked on arrival.

use game::{MAX_PLY, Score, Window};
use search::{Kind, MoveBatch, RemoteResult, RemoteTask};
use serde::{Deserialize, Serialize};
use table::Entry;

/// Maximum number of nodes of a task: far below where the sum over a search overflows.
const MAX_TASK_NODES: u64 = 1 << 44;

/// A task as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskOnWire {
    moves: Vec<u32>,
    alpha: i32,
    beta: i32,
    depth: i32,
    kind: u8,
    batch: Option<BatchOnWire>,
}

/// A batch of moves as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BatchOnWire {
    moves: Vec<(u32, u32)>,
    best: i32,
}

impl From<RemoteTask> for TaskOnWire {
    fn from(task: RemoteTask) -> Self {
        TaskOnWire {
            moves: task.moves,
            alpha: task.window.alpha.value(),
            beta: task.window.beta.value(),
            depth: task.depth,
            kind: task.kind as u8,
            batch: task.batch.map(|batch| BatchOnWire {
                moves: batch.moves.into_iter().map(|(mv, index)| (mv, index as u32)).collect(),
                best: batch.best.value(),
            }),
        }
    }
}

impl TaskOnWire {
    /// The task, if it makes sense.
    pub fn check(self) -> Option<RemoteTask> {
        let kind = [Kind::Pv, Kind::Cut, Kind::All].into_iter().find(|kind| *kind as u8 == self.kind)?;
        let (alpha, beta) = (score(self.alpha)?, score(self.beta)?);
        // Of the root only a batch of moves is given away.
        let shortest = usize::from(self.batch.is_none());
        let fits = (shortest..MAX_PLY).contains(&self.moves.len()) && (1..MAX_PLY as i32).contains(&self.depth);
        let batch = match self.batch {
            Some(batch) => Some(batch.check()?),
            None => None,
        };
        (alpha < beta && fits).then(|| RemoteTask {
            moves: self.moves,
            window: Window::new(alpha, beta),
            depth: self.depth,
            kind,
            batch,
        })
    }
}

/// Maximum number of moves of a node.
const MAX_MOVES: usize = 4096;

impl BatchOnWire {
    fn check(self) -> Option<MoveBatch> {
        if self.moves.len() > MAX_MOVES {
            return None;
        }
        let best = score(self.best)?;
        let moves: Vec<(u32, usize)> = self.moves.into_iter().map(|(mv, index)| (mv, index as usize)).collect();
        let rises = moves.is_sorted_by(|(_, one), (_, next)| one < next);
        let fits = moves.last().is_some_and(|(_, last)| *last < MAX_MOVES);
        (rises && fits).then_some(MoveBatch { moves, best })
    }
}

/// A result as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultOnWire {
    score: i32,
    nodes: u64,
    span: u64,
    line: Vec<u32>,
    searched: Vec<(u32, u64)>,
}

impl From<RemoteResult> for ResultOnWire {
    fn from(result: RemoteResult) -> Self {
        let RemoteResult { score, nodes, span, line, searched } = result;
        ResultOnWire { score: score.value(), nodes, span, line, searched }
    }
}

impl ResultOnWire {
    /// The result, if it makes sense.
    pub fn check(self) -> Option<RemoteResult> {
        let ResultOnWire { nodes, span, line, searched, .. } = self;
        let of_moves = searched.iter().try_fold(0_u64, |sum, &(_, nodes)| sum.checked_add(nodes))?;
        let is_short = line.len() <= MAX_PLY && searched.len() <= MAX_MOVES;
        let is_sound = is_short && span.max(of_moves) <= nodes && nodes <= MAX_TASK_NODES;
        let score = score(self.score)?;
        is_sound.then_some(RemoteResult { score, nodes, span, line, searched })
    }
}

/// A score from its value, if it is in the range of scores.
pub(crate) fn score(value: i32) -> Option<Score> {
    (value.unsigned_abs() <= Score::INFINITE.value().unsigned_abs()).then(|| Score::from_value(value))
}

/// A table entry from its bits, if it makes sense.
pub(crate) fn entry(bits: u64) -> Option<Entry> {
    Entry::from_bits(bits).filter(|entry| score(entry.score.value()).is_some() && entry.depth < MAX_PLY as i32)
}

#[cfg(test)]
pub(crate) mod examples {
    use super::*;

    pub(crate) fn task() -> TaskOnWire {
        let batch = Some(BatchOnWire { moves: vec![(7, 3), (9, 5)], best: -40 });
        TaskOnWire { moves: vec![5, 0, 77], alpha: -20, beta: 31, depth: 9, kind: 2, batch }
    }

    pub(crate) fn result() -> ResultOnWire {
        ResultOnWire { score: 0, nodes: 3, span: 1, line: Vec::new(), searched: vec![(7, 1), (8, 2)] }
    }
}

#[cfg(test)]
mod tests {
    use super::examples::{result, task};
    use super::*;

    #[test]
    fn senseless_tasks_and_results_are_refused() {
        assert!(task().check().is_some());
        assert!(TaskOnWire { alpha: 31, ..task() }.check().is_none());
        assert!(TaskOnWire { kind: 3, ..task() }.check().is_none());
        assert!(TaskOnWire { depth: 0, ..task() }.check().is_none());
        assert!(TaskOnWire { moves: Vec::new(), batch: None, ..task() }.check().is_none());
        assert!(TaskOnWire { moves: Vec::new(), ..task() }.check().is_some());
        assert!(TaskOnWire { beta: i32::MAX, ..task() }.check().is_none());
        let batch = || task().batch.unwrap();
        for batch in [
            BatchOnWire { moves: Vec::new(), ..batch() },
            BatchOnWire { moves: vec![(7, 3), (9, 3)], ..batch() },
            BatchOnWire { moves: vec![(7, u32::MAX)], ..batch() },
            BatchOnWire { best: i32::MIN, ..batch() },
        ] {
            assert!(TaskOnWire { batch: Some(batch), ..task() }.check().is_none());
        }
        assert!(result().check().is_some());
        assert!(ResultOnWire { score: i32::MIN, ..result() }.check().is_none());
        assert!(ResultOnWire { span: 4, ..result() }.check().is_none());
        assert!(ResultOnWire { nodes: 2, ..result() }.check().is_none());
        assert!(ResultOnWire { nodes: MAX_TASK_NODES + 1, ..result() }.check().is_none());
        assert!(ResultOnWire { searched: vec![(7, 0); MAX_MOVES + 1], ..result() }.check().is_none());
        assert!(ResultOnWire { searched: vec![(7, u64::MAX), (8, 2)], ..result() }.check().is_none());
    }
}
