//! What is known of the tree of a search, in whole numbers.

use search::{Kind, MoveOrder, Work};
use serde::{Deserialize, Serialize};

/// The most processors that [`TreeRow::work_within`] tells of.
const MOST_AT_ONCE: u64 = 1 << 16;

/// What the tree of a search was like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TreeRow {
    /// Ideal time in which fewer than 4 processors have work, in nodes; the critical path is all of it.
    pub ideal_below_4: u64,
    /// Ideal time in which fewer than 10 processors have work.
    pub ideal_below_10: u64,
    /// Nodes that would be searched at their ideal time if at most 1, 2, 4, ..., 65,536 processors searched. Empty in rows
    /// of versions that did not measure it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub work_within: Vec<u64>,
    /// Nodes that the same search would have visited with all moves in the best order; zero where several processors
    /// searched.
    pub minimal_nodes: u64,
    /// Times that a helper came to a split point.
    pub helpers: u64,
    /// Positions that helpers took over.
    pub stolen_positions: u64,
    /// Nodes below these positions.
    pub stolen_nodes: u64,
    /// Nodes of type 1 at which a move beat alpha.
    pub with_best_type_1: u64,
    /// Those whose best move was searched first.
    pub first_best_type_1: u64,
    /// Nodes of type 2 at which a move beat alpha.
    pub with_best_type_2: u64,
    /// Those whose best move was searched first.
    pub first_best_type_2: u64,
    /// Nodes of type 3 at which a move beat alpha.
    pub with_best_type_3: u64,
    /// Those whose best move was searched first.
    pub first_best_type_3: u64,
    /// Nodes at which no move beat alpha.
    pub without_best: u64,
}

impl TreeRow {
    /// What is known of the tree of a search on that many processors.
    pub(crate) fn new(work: &Work, processors: usize) -> TreeRow {
        let [one, two, three] = [Kind::Pv, Kind::Cut, Kind::All].map(|node_type| work.order.of_type(node_type));
        TreeRow {
            ideal_below_4: work.profile.time_below(4, work.span),
            ideal_below_10: work.profile.time_below(10, work.span),
            work_within: (0..=MOST_AT_ONCE.ilog2()).map(|log| work.profile.work_within(1 << log, work.span)).collect(),
            minimal_nodes: if processors > 1 { 0 } else { work.nodes - work.surplus },
            helpers: work.stolen.helpers,
            stolen_positions: work.stolen.positions,
            stolen_nodes: work.stolen.nodes,
            with_best_type_1: one.nodes,
            first_best_type_1: one.first_best,
            with_best_type_2: two.nodes,
            first_best_type_2: two.first_best,
            with_best_type_3: three.nodes,
            first_best_type_3: three.first_best,
            without_best: one.without_best + two.without_best + three.without_best,
        }
    }

    /// Nodes at which a move beat alpha.
    pub fn with_best(&self) -> u64 {
        self.with_best_type_1 + self.with_best_type_2 + self.with_best_type_3
    }

    /// Those whose best move was searched first.
    pub fn first_best(&self) -> u64 {
        self.first_best_type_1 + self.first_best_type_2 + self.first_best_type_3
    }
}

/// How often the first move was right, at nodes of one type and depth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrderRow {
    /// The type: 1, 2 or 3.
    pub node_type: usize,
    /// Plies left.
    pub depth: i32,
    /// Nodes at which a move beat alpha.
    pub with_best: u64,
    /// Those whose best move was searched first.
    pub first_best: u64,
    /// Nodes at which no move beat alpha.
    pub without_best: u64,
}

impl OrderRow {
    /// All types and depths.
    pub(crate) fn all(order: &MoveOrder) -> Vec<OrderRow> {
        let mut rows = Vec::new();
        for (place, node_type) in [Kind::Pv, Kind::Cut, Kind::All].into_iter().enumerate() {
            rows.extend(order.by_depth(node_type).map(|(depth, count)| OrderRow {
                node_type: place + 1,
                depth,
                with_best: count.nodes,
                first_best: count.first_best,
                without_best: count.without_best,
            }));
        }
        rows
    }
}
