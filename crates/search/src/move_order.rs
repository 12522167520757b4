//! How often the first move was the right one (StarTech section 4: 85 to 95 %), by type of node and depth.

use crate::Kind;
use game::Depth;

/// Nodes deeper than this are counted with those of this depth.
const DEEPEST: usize = 63;

/// Nodes whose moves were searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderCount {
    /// Nodes at which a move beat alpha.
    pub nodes: u64,
    /// Those among them whose best move was searched first.
    pub first_best: u64,
    /// Nodes at which no move beat alpha: every order was right.
    pub without_best: u64,
}

impl OrderCount {
    fn add(&mut self, other: &OrderCount) {
        self.nodes += other.nodes;
        self.first_best += other.first_best;
        self.without_best += other.without_best;
    }
}

/// How often the first move was the right one. Nodes of quiescence, and searches that leave a move out, do not count.
#[derive(Clone, Debug)]
pub struct MoveOrder {
    counts: Box<[[OrderCount; DEEPEST + 1]; 3]>,
}

impl Default for MoveOrder {
    fn default() -> MoveOrder {
        MoveOrder { counts: Box::new([[OrderCount::default(); DEEPEST + 1]; 3]) }
    }
}

impl MoveOrder {
    /// A node has been searched; `best` is the index of its best move, if a move beat alpha.
    #[inline]
    pub(crate) fn count(&mut self, node_type: Kind, depth: Depth, best: Option<usize>) {
        let count = &mut self.counts[node_type as usize][(depth.max(0) as usize).min(DEEPEST)];
        match best {
            Some(index) => {
                count.nodes += 1;
                count.first_best += u64::from(index == 0);
            }
            None => count.without_best += 1,
        }
    }

    /// All nodes of a type.
    pub fn of_type(&self, node_type: Kind) -> OrderCount {
        let mut sum = OrderCount::default();
        self.counts[node_type as usize].iter().for_each(|count| sum.add(count));
        sum
    }

    /// All depths at which there are nodes of a type, from the least deep on.
    pub fn by_depth(&self, node_type: Kind) -> impl Iterator<Item = (Depth, OrderCount)> {
        let counts = self.counts[node_type as usize].iter().enumerate();
        counts.filter(|(_, count)| **count != OrderCount::default()).map(|(depth, count)| (depth as Depth, *count))
    }

    pub(crate) fn add(&mut self, other: &MoveOrder) {
        for (own, other) in self.counts.iter_mut().flatten().zip(other.counts.iter().flatten()) {
            own.add(other);
        }
    }
}
