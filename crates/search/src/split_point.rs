//! What changes at a split point: moves left, moves in hand, bounds, the best so far. Its members act under its lock; what
//! a report or a request for a move means is decided here, without strands or locks.

mod report;

use crate::algorithms::Valuing;
use crate::frame::{Best, PathCopy, Times};
use crate::ledger::Ledger;
use crate::root::Root;
use crate::{Frame, Rules};
use game::{Depth, Game, Score, Window};
use parking_lot::Mutex;
pub(crate) use report::{Finished, Verdict, Witness};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a helper needs to start at a split point: the path that leads there.
pub(crate) struct SplitPath<G: Game, R: Rules<G>> {
    pub(crate) path: PathCopy<G, R>,
    pub(crate) root: Arc<Mutex<Root<G::Move>>>,
    /// The processor that shared the frame: the split point lies on its host.
    pub(crate) home: usize,
    /// Is what is done here only probably wanted? It is certain as soon as the flag is false.
    pub(crate) speculation: Option<Arc<AtomicBool>>,
}

/// A piece of work at a split point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveTask<M> {
    /// Test whether the move beats alpha.
    Test { mv: M, index: usize },
    /// The move beat this alpha: find its value.
    Value { mv: M, index: usize, alpha: Score },
}

impl<M: Copy> MoveTask<M> {
    pub(crate) fn mv(&self) -> M {
        let (MoveTask::Test { mv, .. } | MoveTask::Value { mv, .. }) = *self;
        mv
    }

    pub(crate) fn index(&self) -> usize {
        let (MoveTask::Test { index, .. } | MoveTask::Value { index, .. }) = *self;
        index
    }

    pub(crate) fn is_test(&self) -> bool {
        matches!(self, MoveTask::Test { .. })
    }
}

/// A move that no member has taken yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MoveLeft<M> {
    pub(crate) mv: M,
    /// Its index, if it has been given one; otherwise the number of moves tried before it.
    pub(crate) index: Option<usize>,
}

/// The moves that no member has taken yet.
pub(crate) struct MoveQueue<M> {
    /// Left from `next` on.
    pub(crate) moves: Vec<MoveLeft<M>>,
    pub(crate) next: usize,
    /// Moves that were skipped while no move had a score yet: if the node is lost without them, they count.
    skipped: Vec<MoveLeft<M>>,
    /// The index of the next move that has none of its own.
    pub(crate) tried: usize,
}

impl<M: Copy> MoveQueue<M> {
    pub(crate) fn new(moves: Vec<MoveLeft<M>>, tried: usize) -> MoveQueue<M> {
        MoveQueue { moves, next: 0, skipped: Vec::new(), tried }
    }

    /// The number of moves left, and the index of the first of them.
    pub(crate) fn left(&self) -> (usize, usize) {
        let index = self.moves.get(self.next).and_then(|left| left.index);
        (self.moves.len() - self.next, index.unwrap_or(self.tried))
    }

    fn is_empty(&self) -> bool {
        self.next == self.moves.len()
    }

    /// Takes the next move, or the last one.
    fn pop(&mut self, last_first: bool) -> Option<MoveLeft<M>> {
        let left = if last_first && !self.is_empty() { self.moves.pop() } else { self.moves.get(self.next).copied() }?;
        self.next += usize::from(!last_first);
        self.tried = left.index.unwrap_or(self.tried);
        Some(left)
    }
}

/// How members are called back to help with one of their moves (EPVS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recall {
    /// Number of recalls so far; what was taken before the last one does not count.
    pub(crate) count: u32,
    /// Are all members but one recalled, to help that one with what it has in hand?
    pub(crate) gathered: bool,
}

/// What was spent at a split point, and by whom.
pub(crate) struct Spending<M> {
    /// Nodes spent on each move that was searched: its index, the move, nodes.
    pub(crate) moves: Vec<(usize, M, u64)>,
    /// Moves that helpers searched: the owner's rules learn from them.
    pub(crate) helped_with: Vec<M>,
}

/// What changes at a split point.
pub(crate) struct SplitState<M> {
    pub(crate) queue: MoveQueue<M>,
    /// Plies left to search at the node.
    pub(crate) depth: Depth,
    pub(crate) window: Window,
    pub(crate) best: Best<M>,
    /// Are these only some moves of a node that another rank searches?
    pub(crate) is_batch: bool,
    /// What the members are searching.
    pub(crate) in_hand: Vec<MoveTask<M>>,
    /// Work that goes before new moves: moves that failed their test, and what members gave up.
    pub(crate) waiting: Vec<MoveTask<M>>,
    pub(crate) recall: Recall,
    /// While the first move is being searched: what it is probably worth. The other moves are tested against that.
    pub(crate) guess: Option<Score>,
    /// Moves that did not beat the guess, and at most how much they are worth.
    pub(crate) unproven: Vec<(MoveTask<M>, Score)>,
    pub(crate) times: Times,
    /// The index of the move that cut the node off, and its stamp.
    pub(crate) cutter: Option<(usize, u64)>,
    pub(crate) spending: Spending<M>,
    pub(crate) ledger: Arc<Ledger>,
    /// The algorithm's priority of the frame when it was shared.
    pub(crate) priority: i64,
    /// Its place in the log, if there is one.
    pub(crate) record: Option<usize>,
}

/// What the owner takes with it when the split point is closed.
pub(crate) struct Closed<M> {
    pub(crate) window: Window,
    pub(crate) best: Best<M>,
    pub(crate) tried: usize,
    /// The stamp at which the node ends.
    pub(crate) end: u64,
    pub(crate) helped_with: Vec<M>,
}

/// What the rules say of a move that a member is about to take.
#[derive(Clone, Copy)]
pub(crate) struct Examined {
    pub(crate) is_skipped: bool,
    /// The best score of the node, which skipped moves may raise in quiescence: what they could have reached at most.
    pub(crate) best: Score,
}

impl<M: Copy> SplitState<M> {
    /// These moves of a frame; no member has taken one yet.
    pub(crate) fn new<G: Game<Move = M>, R: Rules<G>>(frame: &Frame<G, R>, moves: Vec<M>) -> SplitState<M> {
        let moves = moves.into_iter().map(|mv| MoveLeft { mv, index: None }).collect();
        SplitState {
            queue: MoveQueue::new(moves, frame.tried),
            depth: frame.depth,
            window: frame.window,
            best: frame.best.clone(),
            is_batch: false,
            in_hand: Vec::new(),
            waiting: Vec::new(),
            recall: Recall::default(),
            guess: None,
            unproven: Vec::new(),
            times: frame.sharing.times,
            cutter: None,
            spending: Spending { moves: Vec::new(), helped_with: Vec::new() },
            ledger: Ledger::new(frame.sharing.node_type),
            priority: 0,
            record: None,
        }
    }

    /// Has no move a score yet that others could be tested against?
    pub(crate) fn lacks_score(&self) -> bool {
        self.best.score == -Score::INFINITE && self.guess.is_none() && !self.window.is_test()
    }

    /// The window in which moves are searched.
    pub(crate) fn search_window(&self) -> Window {
        let Window { alpha, beta } = self.window;
        Window { alpha: self.guess.map_or(alpha, |guess| guess.max(alpha)), beta }
    }

    /// How many moves are left, weighed by the size of their trees; zero if there is nothing to do.
    pub(crate) fn work_left(&self, valuing: Valuing) -> u64 {
        if !self.has_task(valuing) {
            return 0;
        }
        let moves = (self.queue.moves.len() - self.queue.next + self.waiting.len()) as u64;
        moves.max(1) << (2 * self.depth.clamp(0, 16))
    }

    /// For how many members there is something to do.
    pub(crate) fn room(&self, valuing: Valuing) -> usize {
        if self.has_task(valuing) { self.queue.left().0 + self.waiting.len() } else { 0 }
    }

    /// Is there something to do?
    pub(crate) fn has_task(&self, valuing: Valuing) -> bool {
        !self.recall.gathered && (!self.queue.is_empty() || self.has_waiting(valuing))
    }

    /// Has the turn come of a task that waits?
    pub(crate) fn has_waiting(&self, valuing: Valuing) -> bool {
        self.earliest_waiting(valuing).is_some()
    }

    /// Takes the earliest of the tasks that wait, if its turn has come.
    pub(crate) fn take_waiting(&mut self, valuing: Valuing) -> Option<MoveTask<M>> {
        let task = self.waiting.swap_remove(self.earliest_waiting(valuing)?);
        self.in_hand.push(task);
        Some(task)
    }

    fn earliest_waiting(&self, valuing: Valuing) -> Option<usize> {
        let (place, task) = self.waiting.iter().enumerate().min_by_key(|(_, task)| task.index())?;
        let may = task.is_test()
            || match valuing {
                Valuing::AtOnce => true,
                Valuing::OneAtATime => self.in_hand.iter().all(MoveTask::is_test),
                Valuing::InTurn => self.in_hand.iter().all(|other| other.is_test() && other.index() > task.index()),
            };
        may.then_some(place)
    }

    /// Takes the next move that is not skipped. It is tested, or valued if that is wanted. The rules `examine` each move; they see the state as it is.
    pub(crate) fn take_move(
        &mut self,
        last_first: bool,
        is_value_wanted: bool,
        mut examine: impl FnMut(&SplitState<M>, M) -> Examined,
    ) -> Option<MoveTask<M>> {
        if self.queue.is_empty() && self.in_hand.is_empty() && self.best.score <= -Score::KNOWN {
            self.queue.moves = std::mem::take(&mut self.queue.skipped);
            self.queue.next = 0;
        }
        while let Some(left) = self.queue.pop(last_first) {
            let unknown = self.best.score == -Score::INFINITE;
            let examined = examine(self, left.mv);
            if !unknown {
                self.best.score = examined.best;
            }
            if examined.is_skipped {
                self.queue.skipped.extend(unknown.then_some(left));
                continue;
            }
            let (mv, index, alpha) = (left.mv, self.queue.tried, self.window.alpha);
            let task =
                if is_value_wanted { MoveTask::Value { mv, index, alpha } } else { MoveTask::Test { mv, index } };
            self.queue.tried += 1;
            self.in_hand.push(task);
            return Some(task);
        }
        None
    }

    /// No member has the task in hand any more.
    fn put_down(&mut self, index: usize) {
        self.in_hand.retain(|task| task.index() != index);
    }

    /// All members are to give up what they have in hand, except the earliest task, which the caller takes over.
    pub(crate) fn gather(&mut self) -> Option<MoveTask<M>> {
        let earliest = self.in_hand.iter().copied().min_by_key(MoveTask::index)?;
        self.gather_for(earliest);
        Some(earliest)
    }

    /// All members are to give up what they have in hand, except this task, which the caller has.
    pub(crate) fn gather_for(&mut self, task: MoveTask<M>) {
        self.put_down(task.index());
        self.waiting.append(&mut self.in_hand);
        self.in_hand.push(task);
        self.recall = Recall { count: self.recall.count + 1, gathered: true };
    }

    /// A member gives up what it has taken. If it was not recalled since, another member has to do it.
    pub(crate) fn give_up(&mut self, task: MoveTask<M>, recalls: u32) {
        if recalls == self.recall.count {
            self.put_down(task.index());
            self.waiting.push(task);
            self.recall.gathered = false;
        }
    }

    /// The owner gives up the move that it was searching when the frame was shared, unless another member has it since.
    pub(crate) fn give_up_first(&mut self, mv: M)
    where
        M: PartialEq,
    {
        let first = self.in_hand.iter().copied().find(|task| task.mv() == mv);
        if let (Some(task), 0) = (first, self.recall.count) {
            self.give_up(task, 0);
        }
    }

    /// The owner goes on past the node.
    pub(crate) fn close(&mut self) -> Closed<M> {
        Closed {
            window: self.window,
            best: std::mem::take(&mut self.best),
            tried: self.queue.tried,
            end: self.cutter.map_or(self.times.reach, |(_, stamp)| stamp),
            helped_with: std::mem::take(&mut self.spending.helped_with),
        }
    }
}

/// Batches of moves for other ranks.
impl<M: Copy + PartialEq> SplitState<M> {
    /// Takes every second of the moves that are left, beginning with the next one; none if there are none. All moves
    /// get their indices now, so that it does not matter which of them other members skip.
    pub(crate) fn take_half(&mut self, excluded: Option<M>) -> Option<Vec<MoveTask<M>>> {
        let MoveQueue { moves, next, tried, .. } = &mut self.queue;
        let left = moves.split_off(std::mem::take(next)).into_iter().filter(|left| Some(left.mv) != excluded);
        moves.clear();
        moves.extend(
            left.enumerate().map(|(place, left)| MoveLeft { index: left.index.or(Some(*tried + place)), ..left }),
        );
        let (mut tasks, mut is_taken) = (Vec::new(), false);
        moves.retain(|&MoveLeft { mv, index }| {
            is_taken = !is_taken;
            tasks.extend(index.filter(|_| is_taken).map(|index| MoveTask::Test { mv, index }));
            !is_taken
        });
        self.in_hand.extend_from_slice(&tasks);
        Some(tasks).filter(|tasks| !tasks.is_empty())
    }

    /// Alpha has risen where this batch came from: what is left has to beat the new one.
    pub(crate) fn raise(&mut self, alpha: Score) {
        if self.is_batch && alpha > self.window.alpha {
            self.window = Window::test_above(alpha);
        }
    }

    /// No member has these tasks in hand any more; those that are still to be done are left for other members.
    pub(crate) fn put_back(&mut self, tasks: &[MoveTask<M>], is_left: impl Fn(&MoveTask<M>) -> bool) {
        self.in_hand.retain(|other| !tasks.iter().any(|task| task.index() == other.index()));
        let back = tasks.iter().filter(|&task| is_left(task));
        self.queue.moves.extend(back.map(|task| MoveLeft { mv: task.mv(), index: Some(task.index()) }));
        self.queue.moves[self.queue.next..].sort_by_key(|left| left.index);
    }
}

#[cfg(test)]
mod tests;
