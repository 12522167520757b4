use super::{Algorithm, FrameView, Valuing};
use crate::Kind;
use scheduler::Asking;

/// Our own.
///
/// - At a node that is only tested there is no bound to wait for, so its moves may be shared from the first one on.
///   Waiting for the eldest everywhere doubles the critical path every other ply: on searches of a million nodes
///   the average parallelism is 13 if young brothers always wait, 22 if they wait except at nodes where every move is
///   expected to fail (Knuth & Moore's type 3, the ALL nodes of DTS), and 45 if they wait only on the principal variation.
/// - But a node that its first move is expected to refute (type 2) is shared before that move is done only by a strand
///   that has nothing better to give.
/// - Every node is shared, down to quiescence if the machine makes it worth while (Zugzwang).
/// - Moves that fail their test are valued one at a time (Jamboree), but without waiting for the tests before them.
/// - Idle processors find every open split point on a board. A strand that waits can't be asked: where processors can
///   only ask running strands, the moves left at split points whose members all wait, and at frames above those, are out
///   of reach. On 64 virtual processors a fifth of the idle time was due to this.
pub const JUBILEE: Algorithm = Algorithm {
    share_after: [1, 0, 0],
    priority: highest_first_unless_speculative,
    valuing: Valuing::OneAtATime,
    asking: Some(Asking::Board),
    ..Algorithm::named("jubilee")
};

/// Added to the ply of a node that is shared against expectation: deeper than every path.
const SPECULATIVE: i64 = 1000;
/// The priority of a PV node that is shared on a guess; the guess is the surer the deeper the node is.
const ON_A_GUESS: i64 = -2 * SPECULATIVE;

fn highest_first_unless_speculative(view: &FrameView, _next: Option<&FrameView>) -> Option<i64> {
    let ply = view.ply as i64;
    if view.finished || view.is_side_search {
        return Some(-ply);
    }
    Some(match view.kind {
        Kind::Pv => ON_A_GUESS + ply,
        Kind::Cut => -ply - SPECULATIVE,
        Kind::All => -ply,
    })
}
