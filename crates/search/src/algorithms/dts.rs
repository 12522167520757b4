use super::{Algorithm, FrameView};
use crate::Kind;

/// Dynamic tree splitting (Hyatt 1997). Nodes are typed (section 3.2): PV nodes may be shared when their first move is
/// done, ALL nodes at any time, CUT nodes never; but a CUT node with more than three moves searched has turned out to be
/// an ALL node, and of three ALL nodes in a row the third must be a CUT node after all. Nodes near the root are preferred,
/// and among them nodes with many moves searched, whose moves will probably all have to be searched (section 3.3). A
/// strand that had nothing to share ignores requests for a while: the "thrashing counter" (section 2.1).
///
/// Not as in the paper: an idle processor asks one busy processor after another, not all at once, and does not look for
/// existing split points first.
pub const DYNAMIC_TREE_SPLITTING: Algorithm = Algorithm {
    share_after: [1, CUT_LIMIT + 1, 0],
    settle_types,
    priority,
    deafness: THRASHING,
    ..Algorithm::named("dts")
};

/// A CUT node with more than this many moves searched is an ALL node (section 3.2: "currently=3").
const CUT_LIMIT: usize = 3;
/// Nodes during which requests are ignored.
const THRASHING: u64 = 16;

fn settle_types(views: &mut [FrameView]) {
    let mut run_of_all = 0;
    for view in views {
        if view.kind == Kind::Cut && view.tried > CUT_LIMIT {
            view.kind = Kind::All;
        }
        if view.kind == Kind::All && run_of_all == 2 {
            view.kind = Kind::Cut;
        }
        run_of_all = if view.kind == Kind::All { run_of_all + 1 } else { 0 };
    }
}

fn priority(view: &FrameView) -> Option<i64> {
    let confidence = view.tried.min(4) as i64;
    match view.kind {
        Kind::Cut => None,
        Kind::Pv | Kind::All => Some(confidence - 4 * view.ply as i64),
    }
}
