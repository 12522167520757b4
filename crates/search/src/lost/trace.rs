//! For tests: writes down every search of every move, so that what was lost can be counted by brute force afterwards.

use crate::lost::LostNodes;
use crate::split_point::Verdict;
use crate::strand::Strand;
use crate::{Kind, Rules};
use game::Game;

/// Every search of every move.
#[derive(Default)]
pub(crate) struct Trace {
    nodes: Vec<TracedNode>,
    searches: Vec<TracedSearch>,
}

/// A node whose moves were searched.
struct TracedNode {
    /// The search that it was visited in.
    search: Option<usize>,
    node_type: Kind,
    cutter: Option<usize>,
}

/// A search of a move.
struct TracedSearch {
    node: usize,
    /// The index of the move.
    index: usize,
    /// Nodes visited in it, but in no search below.
    nodes: u64,
    has_failed: bool,
}

/// The node that a frame is, and the search of the move that it is at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traced {
    node: usize,
    search: usize,
}

impl Trace {
    /// Asks for each node which of the searches that it lies in were lost; the outermost of them counts.
    pub(crate) fn lost(&self) -> LostNodes {
        let mut lost = LostNodes::default();
        for search in &self.searches {
            let mut found = None;
            let mut inner = Some(search);
            while let Some(TracedSearch { node, index, has_failed, .. }) = inner {
                let node = &self.nodes[*node];
                if node.cutter.is_some_and(|cutter| *index > cutter) {
                    found = Some((true, node.node_type));
                } else if *has_failed {
                    found = Some((false, node.node_type));
                }
                inner = node.search.map(|place| &self.searches[place]);
            }
            match found {
                Some((true, node_type)) => lost.cut_off[node_type as usize] += search.nodes,
                Some((false, node_type)) => lost.failed[node_type as usize] += search.nodes,
                None => (),
            }
        }
        lost
    }
}

impl<G: Game, R: Rules<G>> Strand<'_, '_, G, R> {
    fn trace(&self, act: impl FnOnce(&mut Trace)) {
        if let Some(trace) = &self.context.checks.trace {
            act(&mut trace.lock());
        }
    }

    /// The moves of a node are about to be searched.
    pub(crate) fn trace_node(&mut self, ply: usize) {
        let search = ply.checked_sub(1).map(|above| self.path[above].sharing.traced.search);
        let (mut node, node_type) = (0, self.path[ply].sharing.node_type);
        self.trace(|trace| {
            node = trace.nodes.len();
            trace.nodes.push(TracedNode { search, node_type, cutter: None });
        });
        self.path[ply].sharing.traced.node = node;
    }

    /// A move is about to be searched.
    pub(crate) fn trace_move(&mut self, ply: usize, index: usize) {
        let node = self.path[ply].sharing.traced.node;
        let mut search = 0;
        self.trace(|trace| {
            search = trace.searches.len();
            trace.searches.push(TracedSearch { node, index, nodes: 0, has_failed: false });
        });
        self.path[ply].sharing.traced.search = search;
    }

    /// The move being searched has failed its test, and will be searched again at once.
    pub(crate) fn trace_failure(&mut self, ply: usize) {
        let search = self.path[ply].sharing.traced.search;
        self.trace(|trace| trace.searches[search].has_failed = true);
        self.trace_move(ply, self.path[ply].sharing.index);
    }

    /// A member of a split point has reported a move.
    pub(crate) fn trace_verdict(&mut self, ply: usize, verdict: &Verdict<G::Move>, index: usize) {
        let Traced { node, search } = self.path[ply].sharing.traced;
        self.trace(|trace| {
            trace.searches[search].has_failed |= verdict.is_failed_test();
            if *verdict == Verdict::Cutoff {
                trace.nodes[node].cutter = Some(index);
            }
        });
    }

    /// A node is visited.
    pub(crate) fn trace_visit(&mut self, ply: usize) {
        let search = ply.checked_sub(1).map(|above| self.path[above].sharing.traced.search);
        self.trace(|trace| {
            if let Some(search) = search {
                trace.searches[search].nodes += 1;
            }
        });
    }
}
