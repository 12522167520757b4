//! Batches: several moves of a node that travel to another rank together.
//!
//! Most moves of a node that is not cut off are refuted quickly, however deep it is searched: one of them is hardly worth
//! a message. So a remote helper takes every second move that is left, and the rank it stands for makes a split point of
//! its own of them, from which its processors, and remote helpers in turn, take them one by one. The rank that runs out
//! of moves first asks for half of what the other has left; the messages of a node grow with the logarithm of its moves.

use crate::context::SearchContext;
use crate::frame::Times;
use crate::ledger::WorkEntry;
use crate::lost::LostNodes;
use crate::remote_task::{MoveBatch, RemoteResult, RemoteTask};
use crate::split_point::{Finished, MoveLeft, MoveQueue, MoveTask, SplitState};
use crate::strand::{Cut, Strand};
use crate::{Rules, Wanted};
use game::{Game, Score, Window};
use scheduler::SplitPointOf;

impl<'a, G: Game, R: Rules<G>> Strand<'_, 'a, G, R> {
    /// Everything a remote helper does: it takes a piece of work and gives it away. What waits at the split point goes
    /// before new moves.
    pub(crate) fn give_away(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> Result<(), Cut> {
        let ply = split.ply;
        if self.path[ply].depth <= 0 || self.context.algorithm.recalls() {
            return self.work_at(split);
        }
        let valuing = self.context.algorithm.valuing;
        let waiting = split.with(|at| {
            let task = if at.over { None } else { at.state.take_waiting(valuing) }?;
            self.refresh(ply, at.state);
            Some((task, at.state.recall.count))
        });
        match waiting {
            Some((task, recalls)) => self.attempt(split, task, recalls),
            None => self.give_batch_away(split),
        }
    }

    /// Gives every second of the moves left at a split point away, to be tested against alpha.
    fn give_batch_away(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) -> Result<(), Cut> {
        let ply = split.ply;
        let excluded = self.path[ply].purpose.excluded();
        let taken = split.with(|at| {
            self.refresh(ply, at.state);
            if at.over { None } else { at.state.take_half(excluded) }
        });
        let Some(tasks) = taken else { return Ok(()) };
        let Some(processor) = self.processor else { unreachable!("a remote helper has a processor") };
        let frame = &self.path[ply];
        let moves = tasks.iter().map(|task| (G::pack(task.mv()), task.index())).collect();
        let batch = MoveBatch { moves, best: frame.best.score };
        let (window, depth, kind) = (Window::test_above(frame.window.alpha), frame.depth, frame.kind);
        self.clock.leap(frame.sharing.times.ready);
        let task = RemoteTask { moves: self.moves_to(ply), window, depth, kind, batch: Some(batch) };
        match processor.send_away(task).and_then(|result| self.settle_batch(split, &tasks, &result)) {
            Some(settled) => settled,
            None => {
                if self.is_let_down(split) {
                    split.with(|at| at.state.put_back(&tasks, |_| true));
                }
                Err(Cut)
            }
        }
    }

    /// Reports the result of a batch. None if it makes no sense.
    fn settle_batch(
        &mut self,
        split: &SplitPointOf<SearchContext<'a, G, R>>,
        tasks: &[MoveTask<G::Move>],
        result: &RemoteResult,
    ) -> Option<Result<(), Cut>> {
        let ply = split.ply;
        let sent = self.path[ply].window.alpha;
        let mut best = tasks[0];
        self.path[ply + 1].best.line.clear();
        // Meanwhile alpha may have risen here, and on the other rank.
        let now = split.with(|at| at.state.window.alpha);
        let mut alpha = now;
        let beats = !result.line.is_empty();
        if beats {
            let (&first, rest) = result.line.split_first()?;
            best = *tasks.iter().find(|task| G::pack(task.mv()) == first)?;
            let position = self.path[ply].position.play(best.mv());
            self.take_line(ply + 1, position, rest);
            alpha = if result.score > now { now } else { sent };
        }
        if beats != (result.score > alpha) {
            return None;
        }
        self.receive(result);
        // The nodes spent on a move; none if it was not searched.
        let spent = |task: &MoveTask<G::Move>| {
            let bits = G::pack(task.mv());
            result.searched.iter().find(|(mv, _)| *mv == bits).map(|&(_, nodes)| nodes)
        };
        // A move that beats alpha ends the batch; what has not been searched then is left for other members.
        let others: Vec<_> = tasks.iter().copied().filter(|task| task.index() != best.index()).collect();
        split.with(|at| {
            at.state.put_back(&others, |task| beats && spent(task).is_none());
            at.state.spending.helped_with.extend(tasks.iter().filter(|task| spent(task).is_some()).map(MoveTask::mv));
            at.state
                .spending
                .moves
                .extend(others.iter().filter_map(|task| Some((task.index(), task.mv(), spent(task)?))));
        });
        for (task, nodes) in others.iter().filter_map(|task| Some((task, spent(task)?))) {
            self.enter(split, task.index(), WorkEntry { nodes, lost: LostNodes::default() });
        }
        if ply == 0 {
            for task in &others {
                self.record_root(task.mv(), result.score, spent(task).unwrap_or(0), None);
            }
        }
        let effort = spent(&best).unwrap_or(0);
        Some(self.settle(split, Finished { task: best, alpha, score: result.score, effort, recalls: 0 }))
    }

    /// Searches some moves of a node for another rank, together with the processors that ask for work here: the best
    /// score, and the nodes spent on each move.
    pub(crate) fn search_batch(
        &mut self,
        ply: usize,
        task: &RemoteTask,
        batch: &MoveBatch,
    ) -> Option<(Score, Vec<(u32, u64)>)> {
        self.begin(ply, task.window, task.depth, task.kind);
        self.path[ply].best.line.clear();
        self.probe(ply);
        self.rules.enter(&mut self.path, ply);
        self.rules.begin_moves(&mut self.path, ply, Wanted::All);
        let (stamp, extent) = (self.clock.stamp(), self.path.moves.len());
        let frame = &mut self.path[ply];
        (frame.best.score, frame.moves.extent) = (batch.best, extent);
        (frame.sharing.sharable, frame.sharing.times) = (true, Times { ready: stamp, reach: stamp });
        let left = |&(bits, index)| Some(MoveLeft { mv: frame.position.unpack(bits)?, index: Some(index) });
        let queue = MoveQueue::new(batch.moves.iter().map(left).collect::<Option<_>>()?, frame.tried);
        let state = SplitState { queue, is_batch: true, ..SplitState::new(&self.path[ply], Vec::new()) };
        let split = self.set_up(ply, state);
        self.search_shared(ply, Ok(None)).ok()?;
        self.rules.end_moves(&mut self.path, ply);
        let searched =
            split.with(|at| at.state.spending.moves.iter().map(|&(_, mv, nodes)| (G::pack(mv), nodes)).collect());
        Some((self.path[ply].best.score, searched))
    }
}
