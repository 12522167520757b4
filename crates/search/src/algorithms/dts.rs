use super::{Algorithm, FrameView, Valuing};
use crate::Kind;

/// Dynamic tree splitting (Hyatt 1997). Nodes are typed (section 3.2): PV nodes may be shared when their first move is
/// done, ALL nodes at any time, CUT nodes never; but a CUT node with more than three moves searched has turned out to be
/// an ALL node, and of three ALL nodes in a row the third must be a CUT node after all. Nodes near the root are preferred,
/// and those where many moves searched say that all will have to be (section 3.3). A strand that was asked in vain refuses
/// to be asked again for a while: the "thrashing counter" (section 2.1).
///
/// Not as in the paper: an idle processor asks one busy processor after another, not all at once, and does not look for
/// open split points first.
#[derive(Clone, Copy, Debug, Default)]
pub struct DynamicTreeSplitting;

/// A CUT node with more than this many moves searched is an ALL node (section 3.2: "currently=3").
const CUT_LIMIT: usize = 3;
/// Nodes to search before another request is listened to.
const THRASHING: u64 = 16;

impl Algorithm for DynamicTreeSplitting {
    fn name(&self) -> &str {
        "dts"
    }

    fn open_after(&self, kind: Kind) -> Option<usize> {
        match kind {
            Kind::Pv => Some(1),
            Kind::All => Some(0),
            Kind::Cut => Some(CUT_LIMIT + 1),
        }
    }

    fn settle_types(&self, views: &mut [FrameView]) {
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

    fn priority(&self, view: &FrameView) -> Option<i64> {
        let confidence = view.tried.min(4) as i64;
        match view.kind {
            Kind::Cut => None,
            Kind::Pv | Kind::All => Some(confidence - 4 * view.ply as i64),
        }
    }

    fn valuing(&self) -> Valuing {
        Valuing::AtOnce
    }

    fn deafness(&self) -> u64 {
        THRASHING
    }
}
