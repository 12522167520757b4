use super::{Algorithm, Valuing, View};
use crate::Kind;

/// Our own: the best of each.
///
/// - At a node where every move is expected to fail (Knuth & Moore's type 3) there is nothing to wait for: its moves are
///   shared from the first one on, as in DTS. Waiting for the eldest there doubles the critical path every other ply.
/// - Elsewhere young brothers wait.
/// - A move that fails its test is valued at once if nobody else at the split point is valuing; one at a time, as in
///   Jamboree, but without waiting for the tests before it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jubilee;

impl Algorithm for Jubilee {
    fn name(&self) -> &'static str {
        "jubilee"
    }

    fn may_share(&self, view: &View) -> bool {
        view.tried >= 1 || view.kind == Kind::All || view.is_side_search
    }

    fn valuing(&self) -> Valuing {
        Valuing::OneAtATime
    }
}
