//! How a strand keeps its accounts: what was spent on a move, and what was lost of it.

use crate::Rules;
use crate::context::SearchContext;
use crate::ledger::WorkEntry;
use crate::lost::LostNodes;
use crate::split_point::{Finished, Verdict};
use crate::strand::Strand;
use game::Game;
use scheduler::SplitPointOf;
use std::sync::Arc;

impl<'a, G: Game, R: Rules<G>> Strand<'_, 'a, G, R> {
    /// A move of the frame is about to be searched; the strand's effort so far.
    #[inline]
    pub(crate) fn begin_move(&mut self, ply: usize, index: usize) -> u64 {
        #[cfg(test)]
        self.trace_move(ply, index);
        let before = self.clock.effort();
        let sharing = &mut self.path[ply].sharing;
        (sharing.index, sharing.since) = (index, before);
        before
    }

    /// A move has been searched, or its search was cut: the nodes spent on it, and what was lost of them.
    pub(crate) fn end_move(&mut self, before: u64) -> (u64, LostNodes) {
        let WorkEntry { nodes, lost } = self.lost.take_since(before);
        self.clock.add_help(nodes);
        (self.clock.effort() - before, lost)
    }

    /// A move has failed its test, which began then, and will be valued.
    #[cold]
    pub(crate) fn lose_test(&mut self, ply: usize, before: u64) {
        let (effort, lost) = self.end_move(before);
        #[cfg(test)]
        self.trace_failure(ply);
        let sharing = &mut self.path[ply].sharing;
        sharing.surplus += effort;
        let node_type = sharing.node_type;
        self.lost.fail_since(before, node_type);
        self.keep_lost(ply, before, lost.failed(node_type, effort));
    }

    /// Something was lost that a move of the frames above `ply` may still be lost with.
    pub(crate) fn keep_lost(&mut self, ply: usize, effort: u64, lost: LostNodes) {
        let path = &self.path;
        self.lost.push(effort, lost, || (0..ply).map(|above| path[above].sharing.since).collect());
    }

    /// A member of a split point has reported a move: what was done for it goes into the ledger.
    pub(crate) fn enter_verdict(
        &mut self,
        split: &SplitPointOf<SearchContext<'a, G, R>>,
        finished: &Finished<G::Move>,
        verdict: &Verdict<G::Move>,
    ) {
        let Finished { task, effort, .. } = *finished;
        #[cfg(test)]
        self.trace_verdict(split.ply, verdict, task.index());
        let sharing = &self.path[split.ply].sharing;
        let mut entry = self.lost.take_since(sharing.since);
        self.clock.add_help(entry.nodes);
        entry.nodes += effort;
        if verdict.is_failed_test() {
            self.lost.fail_since(sharing.since, sharing.node_type);
            entry.lost = entry.lost.failed(sharing.node_type, entry.nodes);
        }
        self.enter(split, task.index(), entry);
    }

    /// The search of the move in hand was cut: what was done goes into the ledger.
    pub(crate) fn enter_cut(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>) {
        let sharing = &self.path[split.ply].sharing;
        let (index, before) = (sharing.index, sharing.since);
        let (nodes, lost) = self.end_move(before);
        self.enter(split, index, WorkEntry { nodes, lost: lost.aborted(nodes) });
    }

    /// Enters what was done below a move into the ledger of its split point.
    pub(crate) fn enter(&mut self, split: &SplitPointOf<SearchContext<'a, G, R>>, index: usize, entry: WorkEntry) {
        let ledger = split.with(|at| Arc::clone(&at.state.ledger));
        let is_help = self.links.helps_at == Some(split.ply);
        let late = self.lost.pass_up_since(self.path[split.ply].sharing.since);
        for entry in [entry, late] {
            self.work.stolen.nodes += if is_help { entry.nodes } else { 0 };
            self.work.lost.add(&ledger.enter(index, entry, is_help));
        }
    }

    /// The owner of a split point goes on, up or down: what was done there is part of what it does above.
    pub(crate) fn close_ledger(&mut self, ply: usize, split: &SplitPointOf<SearchContext<'a, G, R>>) {
        let ledger = split.with(|at| Arc::clone(&at.state.ledger));
        let WorkEntry { nodes, lost } = ledger.close();
        self.clock.add_help(nodes);
        // The node itself has been counted since the move above it began.
        let effort = self.clock.effort().saturating_sub(1);
        self.keep_lost(ply, effort, lost);
        // The split point has one reference, and so has the variable here.
        if !split.is_deserted() || Arc::strong_count(&ledger) > 2 {
            self.lost.keep_ledger(effort, ledger);
        }
    }
}
