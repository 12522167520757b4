//! Lost work: nodes that brought nothing (StarTech section 4).
//!
//! *Failed work* lies below a move that failed its test, so that it had to be valued. *Cutoff work* lies below a move that
//! comes after the one that cut its node off; a serial search would not have visited it. The rule: on the way from the root
//! to a node, the first move whose search was lost decides, so that each node is counted at most once. A test whose result
//! arrives when its node is already over has not failed.

use crate::Kind;

/// Nodes that brought nothing, by the type of the node whose move was searched in vain (Knuth & Moore's types 1 to 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LostNodes {
    /// Below moves that failed their test, so that they had to be valued.
    pub failed: [u64; 3],
    /// Below moves after the one that cut their node off.
    pub cut_off: [u64; 3],
    /// Of searches that were cut before they had an answer, whether or not the nodes are counted above as well.
    pub aborted: u64,
}

impl LostNodes {
    const NONE: LostNodes = LostNodes { failed: [0; 3], cut_off: [0; 3], aborted: 0 };

    /// A test of `nodes` nodes at a node of this type has failed; what was lost inside is part of it.
    pub(crate) fn failed(self, node_type: Kind, nodes: u64) -> LostNodes {
        let mut lost = LostNodes { aborted: self.aborted, ..LostNodes::NONE };
        lost.failed[node_type as usize] = nodes;
        lost
    }

    /// A search of `nodes` nodes comes after the move that cut its node off.
    pub(crate) fn cut_off(self, node_type: Kind, nodes: u64) -> LostNodes {
        let mut lost = LostNodes { aborted: self.aborted, ..LostNodes::NONE };
        lost.cut_off[node_type as usize] = nodes;
        lost
    }

    /// A search of `nodes` nodes was cut before it had an answer.
    pub(crate) fn aborted(self, nodes: u64) -> LostNodes {
        LostNodes { aborted: nodes, ..self }
    }

    pub(crate) fn add(&mut self, other: &LostNodes) {
        for place in 0..3 {
            self.failed[place] += other.failed[place];
            self.cut_off[place] += other.cut_off[place];
        }
        self.aborted += other.aborted;
    }
}

#[cfg(test)]
pub(crate) mod trace;

#[cfg(test)]
mod tests;
