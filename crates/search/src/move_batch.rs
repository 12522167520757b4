//! Parts: several moves of a node that travel to another machine together.
//!
//! Most moves of a node that is not cut off are refuted quickly, however deep it is searched: one of them is hardly worth
//! a message. So a guest takes every second move that is left, and the machine it stands for makes a split point of its own
//! of them, from which its processors, and remote_helpers in turn, take them one by one. Whoever runs out of moves first asks for
//! half of what the other has left; the messages of a node grow with the logarithm of its moves.

use crate::context::SearchContext;
use crate::remote_task::{RemoteResult, RemoteTask};
use crate::sharing::Finished;
use crate::split_point::{Left, SplitState, Task};
use crate::strand::{Cut, Strand};
use crate::{Rules, Wanted};
use game::{Game, Score, Window};
use scheduler::SplitPointOf;

/// Some of the moves of a node, and what is known of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveBatch {
    /// The moves, packed by the game, and their indices among all moves of the node.
    pub moves: Vec<(u16, usize)>,
    /// The best score of other moves so far.
    pub best: Score,
}

impl<'a, G: Game, R: Rules<G>> Strand<'_, 'a, G, R> {
    /// A guest's life: it takes a piece of work and gives it away. What waits at the split point goes before new moves.
    pub(crate) fn give_away(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> Result<(), Cut> {
        let ply = split.ply;
        if self.path[ply].depth <= 0 || self.context.algorithm.gathers {
            return self.work_at(split);
        }
        let valuing = self.context.algorithm.valuing;
        let waiting = split.with(|at| {
            let task = if at.over { None } else { at.state.take_waiting(valuing) }?;
            self.refresh(ply, at.state);
            Some((task, at.state.recalls))
        });
        match waiting {
            Some((task, recalls)) => self.attempt(split, task, recalls),
            None => self.give_part_away(split),
        }
    }

    /// Gives every second move away that is left at a split point, to be tested against alpha.
    fn give_part_away(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> Result<(), Cut> {
        let ply = split.ply;
        let excluded = self.path[ply].excluded;
        let taken = split.with(|at| {
            self.refresh(ply, at.state);
            if at.over { None } else { at.state.take_half(excluded) }
        });
        let Some(tasks) = taken else { return Ok(()) };
        let Some(processor) = self.processor else { unreachable!("a guest has a processor") };
        let frame = &self.path[ply];
        let moves = tasks.iter().map(|task| (G::pack(task.mv()), task.index())).collect();
        let part = MoveBatch { moves, best: frame.best };
        let (window, depth, kind) = (Window::test_above(frame.window.alpha), frame.depth, frame.kind);
        self.leap(frame.ready);
        let errand = RemoteTask { moves: self.way_to(ply), window, depth, kind, part: Some(part) };
        match processor.send_away(errand).and_then(|reply| self.settle_part(split, &tasks, &reply)) {
            Some(settled) => settled,
            None => {
                if self.is_let_down(split) {
                    split.with(|at| at.state.put_back(&tasks, |_| true));
                }
                Err(Cut)
            }
        }
    }

    /// Reports what came of a part. None if the reply makes no sense.
    fn settle_part(
        &mut self,
        split: &SplitPointOf<SearchContext<'a, G, R>>,
        tasks: &[Task<G::Move>],
        reply: &RemoteResult,
    ) -> Option<Result<(), Cut>> {
        let ply = split.ply;
        let sent = self.path[ply].window.alpha;
        let mut best = tasks[0];
        self.path[ply + 1].line.clear();
        // Meanwhile alpha may have risen here, and there.
        let now = split.with(|at| at.state.window.alpha);
        let mut alpha = now;
        let beats = !reply.line.is_empty();
        if beats {
            let (&first, rest) = reply.line.split_first()?;
            best = *tasks.iter().find(|task| G::pack(task.mv()) == first)?;
            let position = self.path[ply].position.play(best.mv());
            self.take_line(ply + 1, position, rest);
            alpha = if reply.score > now { now } else { sent };
        }
        if beats != (reply.score > alpha) {
            return None;
        }
        self.receive(reply);
        // The nodes spent on a move; none if it was not searched.
        let spent = |task: &Task<G::Move>| {
            let bits = G::pack(task.mv());
            reply.searched.iter().find(|(mv, _)| *mv == bits).map(|&(_, nodes)| nodes)
        };
        // Whoever beats alpha ends the part; what has not been searched then is left for others.
        let others: Vec<_> = tasks.iter().copied().filter(|task| task.index() != best.index()).collect();
        split.with(|at| {
            at.state.put_back(&others, |task| beats && spent(task).is_none());
            at.state.helped_with.extend(tasks.iter().filter(|task| spent(task).is_some()).map(Task::mv));
            at.state.spent.extend(others.iter().filter_map(|task| Some((task.index(), task.mv(), spent(task)?))));
        });
        if ply == 0 {
            for task in &others {
                self.record_root(task.mv(), reply.score, spent(task).unwrap_or(0), None);
            }
        }
        let effort = spent(&best).unwrap_or(0);
        Some(self.settle(split, Finished { task: best, alpha, score: reply.score, effort, recalls: 0 }))
    }

    /// Searches some moves of a node for another machine, together with whoever asks for work here: the best score, and
    /// what was spent on each move.
    pub(crate) fn search_part(
        &mut self,
        ply: usize,
        errand: &RemoteTask,
        part: &MoveBatch,
    ) -> Option<(Score, Vec<(u16, u64)>)> {
        self.begin(ply, errand.window, errand.depth, errand.kind);
        self.path[ply].line.clear();
        self.probe(ply);
        self.rules.enter(&mut self.path, ply);
        self.rules.begin_moves(&mut self.path, ply, Wanted::All);
        let (stamp, extent) = (self.stamp(), self.path.moves.len());
        let frame = &mut self.path[ply];
        (frame.best, frame.extent) = (part.best, extent);
        (frame.open, frame.ready, frame.reach) = (true, stamp, stamp);
        let left = |&(bits, index)| Some(Left { mv: frame.position.unpack(bits)?, index: Some(index) });
        let moves = part.moves.iter().map(left).collect::<Option<_>>()?;
        let open = SplitState { moves, is_part: true, ..SplitState::new(&self.path[ply], Vec::new()) };
        let split = self.set_up(ply, open);
        self.search_shared(ply, Ok(None)).ok()?;
        self.rules.end_moves(&mut self.path, ply);
        let searched = split.with(|at| at.state.spent.iter().map(|&(_, mv, nodes)| (G::pack(mv), nodes)).collect());
        Some((self.path[ply].best, searched))
    }
}

impl<M: Copy + PartialEq> SplitState<M> {
    /// Takes every second of the moves that are left, beginning with the next one; none if there are none.
    /// They all get their indices now, so that nobody has to know what others skip.
    fn take_half(&mut self, excluded: Option<M>) -> Option<Vec<Task<M>>> {
        let left = self.moves.split_off(self.next).into_iter().filter(|left| Some(left.mv) != excluded);
        let (first, mut tasks) = (self.tried, Vec::new());
        self.moves.clear();
        self.next = 0;
        self.moves
            .extend(left.enumerate().map(|(place, left)| Left { index: left.index.or(Some(first + place)), ..left }));
        let mut is_taken = false;
        self.moves.retain(|&Left { mv, index }| {
            is_taken = !is_taken;
            tasks.extend(index.filter(|_| is_taken).map(|index| Task::Test { mv, index }));
            !is_taken
        });
        self.in_hand.extend_from_slice(&tasks);
        Some(tasks).filter(|tasks| !tasks.is_empty())
    }

    /// Alpha has risen where this part came from: what is left has to beat the new one.
    pub(crate) fn raise(&mut self, alpha: Score) {
        if self.is_part && alpha > self.window.alpha {
            self.window = Window::test_above(alpha);
        }
    }

    /// Tasks that are not in anybody's hands any more; some of them are left for others.
    fn put_back(&mut self, tasks: &[Task<M>], is_left: impl Fn(&Task<M>) -> bool) {
        self.in_hand.retain(|other| !tasks.iter().any(|task| task.index() == other.index()));
        let back = tasks.iter().filter(|&task| is_left(task));
        self.moves.extend(back.map(|task| Left { mv: task.mv(), index: Some(task.index()) }));
        self.moves[self.next..].sort_by_key(|left| left.index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Path, Plain};
    use game::tree::{Order, Tree};

    #[test]
    fn halves_are_dealt_out_in_turn() {
        let tree = Tree::new(Order::Random, 2, 2, 1).unwrap();
        let path: Path<Tree, Plain<_>> = Path::new(&tree);
        let mut legal = Vec::new();
        Tree::new(Order::Random, 12, 2, 1).unwrap().moves(&mut legal);
        let mut open = SplitState { tried: 5, ..SplitState::new(&path[0], legal.clone()) };
        let indices = |tasks: &[Task<_>]| tasks.iter().map(Task::index).collect::<Vec<_>>();
        let first = open.take_half(Some(legal[1])).unwrap();
        assert_eq!(indices(&first), [5, 7, 9, 11, 13, 15]);
        assert_eq!(first[1].mv(), legal[3]);
        let second = open.take_half(None).unwrap();
        assert_eq!(indices(&second), [6, 10, 14]);
        assert_eq!(open.in_hand.len(), 9);
        open.put_back(&second, |task| task.index() > 6);
        assert_eq!(open.in_hand.len(), 6);
        assert_eq!(open.moves.iter().filter_map(|left| left.index).collect::<Vec<_>>(), [8, 10, 12, 14]);
        assert_eq!([2, 1, 1].map(|count| open.take_half(None).unwrap().len() - count), [0; 3]);
        assert!(open.take_half(None).is_none());
    }
}
