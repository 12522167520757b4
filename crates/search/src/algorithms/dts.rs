use super::{Algorithm, CERTAIN, FrameView};
use crate::Kind;
use game::Window;
use scheduler::Asking;

/// Dynamic tree splitting (Hyatt 1997). An idle processor joins the open split point where most is left to do. If there is
/// none it asks all busy processors (HELP, section 2.3), each of which offers its best frame, and takes the best of these. A
/// strand that has answered ignores further questions for a while: the "thrashing counter" (section 2.1).
///
/// - Frames are typed by the bounds that alpha-beta would have there and the parity of their ply, then corrected by what
///   has been searched (section 3.2).
/// - ALL nodes are shared at any time, PV nodes when their first move is done, CUT nodes never, nor is the root (section
///   3.4). The more work is left at a node, and the surer its type is, the better (section 3.3).
/// - When there is nothing else, a PV node is shared before its first move is done, if some moves of the node after that one
///   are: the best of them is the guess that the others are tested against (section 2.1).
/// - A raised alpha reaches the members of a split point at their next node (SHARE, section 2.8).
pub const DYNAMIC_TREE_SPLITTING: Algorithm = Algorithm {
    share_after: [0; 3],
    settle_types,
    priority,
    deafness: THRASHING,
    asking: Some(Asking::All),
    tells_alpha: true,
    ..Algorithm::named("dts")
};

/// A CUT node with more than this many moves searched is an ALL node (section 3.2: "currently=3").
const CUT_LIMIT: usize = 3;
/// So many moves of a PV node must be searched or begun before its value is guessed ("the first few moves").
const FEW: usize = 3;
/// Nodes during which requests are ignored. The paper gives no number.
const THRASHING: u64 = 16;
/// By this factor a tree grows with each ply: the square root of the paper's 38 moves.
const GROWTH: i64 = 6;
/// Deeper than this the estimate does not grow.
const DEEPEST: u32 = 16;
/// Below the priority of every frame that is not shared on a guess.
const ON_A_GUESS: i64 = i64::MIN / 2;

/// The types of the frames of a path, and how sure they are.
fn settle_types(views: &mut [FrameView], root: Window) {
    type_by_bounds(views, root);
    for view in views.iter_mut() {
        correct_by_moves(view);
    }
    alternate(views);
}

/// The paper's TypeNode(), in its own words of alpha-beta, whose bounds all plies share: at the root's own window a node is
/// PV; where only the bound has moved that the mover has to beat, it is CUT; otherwise ALL. Scout's windows don't show
/// these bounds, but the best scores above do.
fn type_by_bounds(views: &mut [FrameView], root: Window) {
    let (mut lower, mut upper) = (root.alpha, root.beta);
    for view in views {
        // The paper counts plies from one: the root's side moves at odd ones.
        let is_root_side = view.ply.is_multiple_of(2);
        view.kind = match (lower == root.alpha, upper == root.beta) {
            (true, true) => Kind::Pv,
            (true, false) if is_root_side => Kind::Cut,
            (false, true) if !is_root_side => Kind::Cut,
            _ => Kind::All,
        };
        if view.finished && is_root_side {
            lower = lower.max(view.best);
        } else if view.finished {
            upper = upper.min(-view.best);
        }
    }
}

/// A CUT node with too many moves searched is an ALL node, but not surely; an ALL node is surer the more are searched.
fn correct_by_moves(view: &mut FrameView) {
    match view.kind {
        Kind::Pv => view.confidence = CERTAIN,
        Kind::All => view.confidence = CERTAIN / 2 + low_confidence(view),
        Kind::Cut if view.tried > CUT_LIMIT => {
            (view.kind, view.confidence) = (Kind::All, low_confidence(view));
        }
        Kind::Cut => view.confidence = CERTAIN / view.tried.max(1) as i64,
    }
}

/// The confidence of a type that was overridden: very low, and better if many moves are searched.
fn low_confidence(view: &FrameView) -> i64 {
    (view.tried as i64).clamp(1, CERTAIN / 2)
}

/// Two ALL nodes may follow each other; then CUT and ALL must alternate.
fn alternate(views: &mut [FrameView]) {
    let mut run_of_all = 0;
    let mut forced = None;
    for view in views {
        if let Some(kind) = forced {
            if view.kind != kind {
                (view.kind, view.confidence) = (kind, low_confidence(view));
            }
            forced = Some(if kind == Kind::Cut { Kind::All } else { Kind::Cut });
            continue;
        }
        run_of_all = if view.kind == Kind::All { run_of_all + 1 } else { 0 };
        if run_of_all == 2 {
            forced = Some(Kind::Cut);
        }
    }
}

/// How attractive a frame is: the work that is left there, as far as it is sure that it has to be done.
fn priority(view: &FrameView, next: Option<&FrameView>) -> Option<i64> {
    let may_share = match view.kind {
        _ if view.ply == 0 || view.moves_left == 0 => false,
        Kind::Cut => false,
        Kind::All => true,
        // At the deepest ply all join from the first move on, as in PVS.
        Kind::Pv if !view.finished && view.depth > 1 => {
            let is_known = next.is_some_and(|next| next.kind == Kind::Pv && next.finished && next.tried > FEW);
            return is_known.then(|| ON_A_GUESS + work(view));
        }
        Kind::Pv => true,
    };
    may_share.then(|| work(view) * view.confidence)
}

/// The work estimate of section 3.3: moves left times the size of their trees. Extensions above promise more of them
/// below; in check few moves are worth a search.
fn work(view: &FrameView) -> i64 {
    let depth = view.depth.clamp(0, DEEPEST as i32) as u32;
    let tree = GROWTH.pow(depth) * i64::from(2 + view.extensions.clamp(0, 8)) / 2;
    view.moves_left.min(256) as i64 * tree / if view.is_forced { 4 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Score;

    fn root() -> Window {
        Window::new(Score::estimate(-50), Score::estimate(50))
    }

    /// A path of frames: moves tried, and the best score if there is one.
    fn path(frames: &[(usize, Option<i32>)]) -> Vec<FrameView> {
        let view = |(ply, &(tried, best)): (usize, &(usize, Option<i32>))| FrameView {
            ply,
            kind: Kind::Pv,
            tried,
            finished: best.is_some(),
            is_side_search: false,
            best: best.map_or(-Score::INFINITE, Score::estimate),
            depth: 8 - ply as i32,
            extensions: 0,
            moves_left: 30,
            is_forced: false,
            confidence: 0,
        };
        frames.iter().enumerate().map(view).collect()
    }

    fn kinds(frames: &[(usize, Option<i32>)]) -> Vec<Kind> {
        let mut views = path(frames);
        settle_types(&mut views, root());
        views.iter().map(|view| view.kind).collect()
    }

    #[test]
    fn the_first_moves_of_first_moves_are_pv_nodes() {
        assert_eq!(kinds(&[(1, None), (1, None), (1, None)]), [Kind::Pv; 3]);
    }

    #[test]
    fn cut_and_all_alternate_below_a_raised_bound() {
        // The root's first move is worth 10; its second is searched.
        let expected = [Kind::Pv, Kind::Cut, Kind::All, Kind::Cut];
        assert_eq!(kinds(&[(2, Some(10)), (1, None), (1, None), (1, None)]), expected);
        // The same one ply further down, where the other side moves.
        let expected = [Kind::Pv, Kind::Pv, Kind::Cut, Kind::All, Kind::Cut];
        assert_eq!(kinds(&[(1, None), (2, Some(10)), (1, None), (1, None), (1, None)]), expected);
        // What fails low below moves no bound.
        assert_eq!(kinds(&[(2, Some(10)), (1, None), (4, Some(-80)), (1, None)])[3], Kind::Cut);
    }

    #[test]
    fn a_cut_node_with_too_many_moves_searched_is_an_all_node_but_not_surely() {
        let with = |tried| {
            let mut views = path(&[(2, Some(10)), (tried, None), (1, None)]);
            settle_types(&mut views, root());
            views
        };
        assert_eq!((with(3)[1].kind, with(4)[1].kind), (Kind::Cut, Kind::All));
        assert!(with(1)[1].confidence > with(3)[1].confidence);
        // The node below was ALL and stays so: two in a row are possible.
        assert_eq!(with(4)[2].kind, Kind::All);
        assert!(with(4)[1].confidence < CERTAIN);
    }

    #[test]
    fn after_two_all_nodes_cut_and_all_must_alternate() {
        // The second move of the root; its first reply did not refute it, so both bounds have moved.
        let frames = [(2, Some(10)), (5, Some(-30)), (1, None), (1, None), (1, None), (1, None)];
        let mut views = path(&frames);
        settle_types(&mut views, root());
        let expected = [Kind::Pv, Kind::All, Kind::All, Kind::Cut, Kind::All, Kind::Cut];
        assert_eq!(views.iter().map(|view| view.kind).collect::<Vec<_>>(), expected);
        assert_eq!(views[5].confidence, 1, "overridden");
    }

    #[test]
    fn the_root_and_cut_nodes_are_not_shared_and_pv_nodes_only_after_their_first_move() {
        let mut views = path(&[(1, Some(10)), (1, None), (2, Some(10)), (1, None)]);
        settle_types(&mut views, root());
        let shared = |ply: usize| priority(&views[ply], views.get(ply + 1));
        assert_eq!((shared(0), shared(3)), (None, None));
        assert_eq!((views[1].kind, shared(1)), (Kind::Cut, None));
        assert!(shared(2).is_some());
    }

    #[test]
    fn a_pv_node_is_shared_on_a_guess_only_if_nothing_else_is_there() {
        let with = |tried| {
            let mut views = path(&[(1, None), (1, None), (tried, Some(10)), (1, None)]);
            settle_types(&mut views, root());
            [1, 2].map(|ply| priority(&views[ply], views.get(ply + 1)))
        };
        let [guess, known] = with(4);
        assert!(guess.is_some() && guess < known && guess < Some(0));
        assert_eq!(with(3)[0], None, "too little is known");
    }

    #[test]
    fn all_join_at_the_deepest_ply_from_its_first_move_on() {
        let mut views = path(&[(1, None), (1, None)]);
        assert_eq!(priority(&views[1], None), None);
        views[1] = FrameView { depth: 1, confidence: CERTAIN, ..views[1] };
        assert!(priority(&views[1], None).is_some());
    }

    #[test]
    fn more_work_and_more_confidence_are_better() {
        let mut all = path(&[(2, Some(10)), (1, None), (6, Some(-20))]);
        settle_types(&mut all, root());
        let all = all[2];
        assert_eq!(all.kind, Kind::All);
        let better = |one: FrameView, other: FrameView| priority(&one, None) > priority(&other, None);
        assert!(better(all, FrameView { depth: all.depth - 1, ..all }), "near the root");
        assert!(better(all, FrameView { moves_left: 3, ..all }), "few moves left");
        assert!(better(all, FrameView { is_forced: true, ..all }), "in check");
        assert!(better(FrameView { extensions: 2, ..all }, all), "extensions above");
        assert!(better(all, FrameView { confidence: 1, ..all }), "overridden");
        assert_eq!(priority(&FrameView { moves_left: 0, ..all }, None), None);
    }
}
