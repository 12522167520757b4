//! What changes at a split point: moves left, moves in hands, bounds, the best so far.

use crate::algorithms::Valuing;
use crate::{Frame, Rules};
use game::{Game, Score, Window};

/// A piece of work at a split point.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task<M> {
    /// Test whether the move beats alpha.
    Test { mv: M, index: usize },
    /// The move beat this alpha: find its value.
    Value { mv: M, index: usize, alpha: Score },
}

impl<M: Copy> Task<M> {
    pub(crate) fn mv(&self) -> M {
        let (Task::Test { mv, .. } | Task::Value { mv, .. }) = *self;
        mv
    }

    pub(crate) fn index(&self) -> usize {
        let (Task::Test { index, .. } | Task::Value { index, .. }) = *self;
        index
    }

    pub(crate) fn is_test(&self) -> bool {
        matches!(self, Task::Test { .. })
    }
}

/// A move that nobody has taken yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Left<M> {
    pub(crate) mv: M,
    /// Its index, if it has been given one: otherwise those are counted that are not skipped.
    pub(crate) index: Option<usize>,
}

/// What changes at a split point.
pub(crate) struct SplitState<M> {
    /// Moves nobody has taken yet; from `next` on.
    pub(crate) moves: Vec<Left<M>>,
    pub(crate) next: usize,
    pub(crate) tried: usize,
    pub(crate) window: Window,
    pub(crate) best: Score,
    pub(crate) best_move: Option<M>,
    pub(crate) line: Vec<M>,
    /// Are these only some moves of a node that another machine searches?
    pub(crate) is_part: bool,
    /// What the members are at.
    pub(crate) in_hand: Vec<Task<M>>,
    /// Work to be done before new moves are taken: moves that failed their test, and what was given up in a recall.
    pub(crate) waiting: Vec<Task<M>>,
    /// How often the members were recalled; what was taken before the last time does not count.
    pub(crate) recalls: u32,
    /// Are all members but one recalled, to help that one with what it has in hand?
    pub(crate) gathered: bool,
    /// Moves that were skipped while no move had a score yet: if the node is lost without them, they count.
    pub(crate) skipped: Vec<Left<M>>,
    /// Moves that helpers searched, for what the owner will learn.
    pub(crate) helped_with: Vec<M>,
    /// The stamp from which the moves may be searched, and the latest one reached.
    pub(crate) ready: u64,
    pub(crate) reach: u64,
    /// The move that cut the node off, and its stamp.
    pub(crate) cutter: Option<(usize, u64)>,
    /// What was spent on which move, by index.
    pub(crate) spent: Vec<(usize, M, u64)>,
    /// Nodes searched by helpers.
    pub(crate) help: u64,
    /// Its place in the log, if there is one.
    pub(crate) record: Option<usize>,
}

impl<M: Copy> SplitState<M> {
    /// These moves of a frame, and nobody has taken one yet.
    pub(crate) fn new<G: Game<Move = M>, R: Rules<G>>(frame: &Frame<G, R>, moves: Vec<M>) -> SplitState<M> {
        SplitState {
            moves: moves.into_iter().map(|mv| Left { mv, index: None }).collect(),
            next: 0,
            tried: frame.tried,
            window: frame.window,
            best: frame.best,
            best_move: frame.best_move,
            line: frame.line.clone(),
            is_part: false,
            in_hand: Vec::new(),
            waiting: Vec::new(),
            recalls: 0,
            gathered: false,
            skipped: Vec::new(),
            helped_with: Vec::new(),
            ready: frame.ready,
            reach: frame.reach,
            cutter: None,
            spent: Vec::new(),
            help: 0,
            record: None,
        }
    }

    /// Is there something to do?
    pub(crate) fn has_task(&self, valuing: Valuing) -> bool {
        !self.gathered && (self.next < self.moves.len() || self.has_waiting(valuing))
    }

    /// Has the turn come of a task that waits?
    pub(crate) fn has_waiting(&self, valuing: Valuing) -> bool {
        self.earliest_waiting(valuing).is_some()
    }

    /// How many moves nobody has taken yet, and the index of the first of them.
    pub(crate) fn left(&self) -> (usize, usize) {
        let index = self.moves.get(self.next).and_then(|left| left.index);
        (self.moves.len() - self.next, index.unwrap_or(self.tried))
    }

    /// Takes the earliest of the tasks that wait, if its turn has come.
    pub(crate) fn take_waiting(&mut self, valuing: Valuing) -> Option<Task<M>> {
        let task = self.waiting.swap_remove(self.earliest_waiting(valuing)?);
        self.in_hand.push(task);
        Some(task)
    }

    fn earliest_waiting(&self, valuing: Valuing) -> Option<usize> {
        let (place, task) = self.waiting.iter().enumerate().min_by_key(|(_, task)| task.index())?;
        let may = task.is_test()
            || match valuing {
                Valuing::AtOnce => true,
                Valuing::OneAtATime => self.in_hand.iter().all(Task::is_test),
                Valuing::InTurn => self.in_hand.iter().all(|other| other.is_test() && other.index() > task.index()),
            };
        may.then_some(place)
    }

    /// The task is no longer in anybody's hands.
    pub(crate) fn put_down(&mut self, index: usize) {
        self.in_hand.retain(|task| task.index() != index);
    }

    /// Everybody is to give up what they have, except the earliest task, which the caller takes over.
    pub(crate) fn gather(&mut self) -> Option<Task<M>> {
        let earliest = self.in_hand.iter().copied().min_by_key(Task::index)?;
        self.put_down(earliest.index());
        self.waiting.append(&mut self.in_hand);
        self.in_hand.push(earliest);
        self.recalls += 1;
        self.gathered = true;
        Some(earliest)
    }

    /// A member reports at this stamp. False if it was recalled meanwhile: what it has does not count.
    pub(crate) fn accept(&mut self, index: usize, recalls: u32, stamp: u64) -> bool {
        self.reach = self.reach.max(stamp);
        let counts = recalls == self.recalls;
        if counts {
            self.put_down(index);
            self.gathered = false;
        }
        counts
    }

    /// A member gives up what it has taken; if it was not recalled since, somebody else has to do it.
    pub(crate) fn give_up(&mut self, task: Task<M>, recalls: u32) {
        if recalls == self.recalls {
            self.put_down(task.index());
            self.waiting.push(task);
            self.gathered = false;
        }
    }

    /// The stamp at which the node ends.
    pub(crate) fn end(&self) -> u64 {
        self.cutter.map_or(self.reach, |(_, stamp)| stamp)
    }
}
