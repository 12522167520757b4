//! Remote tasks: a node of the tree as it travels to another rank, and what comes back.
//!
//! A node is described by the moves that lead to it from the root, which every rank knows. So the receiver has the whole
//! path, with the keys that repetitions are found by, and its rules see the same last moves.

use crate::context::SearchContext;
use crate::strand::{Cut, Strand};
use crate::tables::RemoteTable;
use crate::{Kind, Purpose, Rules};
use game::{Depth, Game, MAX_PLY, Score, Window};
use scheduler::ProcessorContext;

/// A node to be searched by another rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteTask {
    /// The moves from the root, packed by the game; zero for passing.
    pub moves: Vec<u32>,
    /// What still matters.
    pub window: Window,
    /// Plies to search.
    pub depth: Depth,
    /// What the node is expected to be.
    pub kind: Kind,
    /// Only these of its moves.
    pub batch: Option<MoveBatch>,
}

/// Some of the moves of a node, and what is known of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveBatch {
    /// The moves, packed by the game, and their indices among all moves of the node.
    pub moves: Vec<(u32, usize)>,
    /// The best score of other moves so far.
    pub best: Score,
}

/// The result of a remote task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteResult {
    /// The value of the node, or of the batch: exact inside the window, a bound outside.
    pub score: Score,
    /// Nodes visited for it.
    pub nodes: u64,
    /// Its critical path.
    pub span: u64,
    /// The principal variation below it, packed by the game.
    pub line: Vec<u32>,
    /// The moves of a batch that were searched, and the nodes visited for each.
    pub searched: Vec<(u32, u64)>,
}

/// Number of moves of a node whose entries are asked for ahead. Most later moves are searched with little depth.
const AHEAD: usize = 4;

impl<'a, G: Game, R: Rules<G>> Strand<'_, 'a, G, R> {
    /// A remote helper's strand has another rank search the node in frame `ply`.
    #[cold]
    pub(crate) fn send_away(
        &mut self,
        processor: &ProcessorContext<'_, SearchContext<'a, G, R>>,
        ply: usize,
        window: Window,
        depth: Depth,
        kind: Kind,
    ) -> Result<Score, Cut> {
        self.path[ply].best.line.clear();
        let task = RemoteTask { moves: self.moves_to(ply), window, depth, kind, batch: None };
        let Some(result) = processor.send_away(task) else { return Err(Cut) };
        self.receive(&result);
        let position = self.path[ply].position.clone();
        self.take_line(ply, position, &result.line);
        Ok(result.score)
    }

    /// Takes over the variation below a position, as it travelled.
    pub(crate) fn take_line(&mut self, ply: usize, mut position: G, line: &[u32]) {
        for &bits in line {
            let Some(mv) = position.unpack(bits) else { break };
            position = position.play(mv);
            self.path[ply].best.line.push(mv);
        }
    }

    /// The moves from the root to the frame `ply`, as they travel.
    pub(crate) fn moves_to(&self, ply: usize) -> Vec<u32> {
        (0..ply).map(|above| self.path[above].current.map_or(0, G::pack)).collect()
    }

    /// What was done elsewhere counts as if it had been done here.
    pub(crate) fn receive(&mut self, result: &RemoteResult) {
        self.clock.add_help(result.nodes);
        self.clock.leap(self.clock.stamp() + result.span);
    }

    /// Does a task of another rank.
    pub(crate) fn run_remote_task(&mut self, task: &RemoteTask) -> Option<RemoteResult> {
        let ply = self.walk(&task.moves)?;
        let (score, searched) = match &task.batch {
            Some(batch) => self.search_batch(ply, task, batch)?,
            None if ply == 0 => return None,
            None => (self.search(ply, task.window, task.depth, task.kind).ok()?, Vec::new()),
        };
        let line = self.path[ply].best.line.iter().map(|&mv| G::pack(mv)).collect();
        // A helper that is cut reports its nodes only after this strand has gone on.
        let (of_moves, span) = (searched.iter().map(|(_, nodes)| nodes).sum(), self.clock.stamp());
        Some(RemoteResult { score, nodes: self.clock.effort().max(span).max(of_moves), span, line, searched })
    }

    /// Makes the moves from the root on, and lets the rules see them; the ply they lead to. None if they are no moves.
    fn walk(&mut self, moves: &[u32]) -> Option<usize> {
        if moves.len() >= MAX_PLY {
            return None;
        }
        let root = self.context.position;
        (self.path[0].position, self.path[0].key) = (root.clone(), root.key());
        for (ply, &bits) in moves.iter().enumerate() {
            self.begin(ply, Window::FULL, 0, Kind::Pv);
            let frame = &mut self.path[ply];
            (frame.hit, frame.table_move, frame.purpose) = (None, None, Purpose::Value);
            let mv = if bits == 0 { None } else { Some(frame.position.unpack(bits)?) };
            if ply + R::LOOK_BACK >= moves.len() {
                self.rules.enter(&mut self.path, ply);
            }
            match mv {
                Some(mv) => self.path.play(ply, mv),
                None => {
                    let passed = self.path[ply].position.pass()?;
                    self.path[ply].current = None;
                    self.path.descend(ply, passed);
                }
            }
        }
        Some(moves.len())
    }

    /// The entries of the positions after the moves of a node will be wanted soon: those that lie on other ranks are
    /// asked for now, so that they arrive in time (Zugzwang section 5 waits for them; StarTech figure 8 counts the wait).
    #[cold]
    pub(crate) fn ask_ahead(&mut self, ply: usize, remote: &dyn RemoteTable) {
        if self.path[ply].depth <= remote.asking_depth() || ply == 0 {
            return;
        }
        self.path[ply].moves.extent = self.path.moves.len();
        let position = &self.path[ply].position;
        for mv in self.rules.moves_left(&self.path, ply).into_iter().take(AHEAD) {
            remote.ask(position.play(mv).key());
        }
    }
}
