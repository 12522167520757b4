//! Nodes that need not be searched.

use super::{ChessFrame, ChessPath};
use crate::RuleSet;
use game::{Bound, Depth, Score};
use search::{Preliminary, ProbCut};

/// Reverse futility pruning ("static null move", Heinz 1998, "Extended futility pruning"; in this form from today's
/// programs): near the leaves, an evaluation far above beta stays above beta.
pub(super) fn reverse_futility(rules: &RuleSet, frame: &ChessFrame) -> Option<Score> {
    let p = &rules.parameters;
    let eval = frame.note.eval?;
    let beta = frame.window.beta;
    if !rules.switches.prune.reverse_futility || frame.depth > p.prune.reverse_futility_depth || beta.is_known() {
        return None;
    }
    let [of_ply, of_improving] = p.prune.reverse_futility_margin;
    let margin = of_ply * frame.depth - if frame.note.improving { of_improving } else { 0 };
    let share = p.prune.reverse_futility_share;
    let between = || Score::from_value((eval.value() * share + beta.value() * (128 - share)) / 128);
    (eval - margin >= beta).then(between)
}

/// Razoring (Birmingham & Kent 1977): near the leaves, if the evaluation is far below alpha, only captures can help.
pub(super) fn razoring(rules: &RuleSet, frame: &ChessFrame) -> bool {
    let p = &rules.parameters;
    let Some(eval) = frame.note.eval else { return false };
    let margin = p.prune.razor_margin[0] + p.prune.razor_margin[1] * frame.depth * frame.depth;
    rules.switches.prune.razoring
        && frame.depth <= p.prune.razor_depth
        && !frame.window.alpha.is_known()
        && eval + margin <= frame.window.alpha
}

/// Null-move pruning (Beal 1989, Goetsch & Campbell 1990; dynamic reduction after Heinz 1999): the depth left after
/// passing. Not twice in a row, and not with king and pawns only, where having to move may be the whole point.
pub(super) fn null_move(rules: &RuleSet, path: &ChessPath, ply: usize) -> Option<Depth> {
    let p = &rules.parameters;
    let frame = &path[ply];
    let eval = frame.note.eval?;
    let beta = frame.window.beta;
    let passed_before = path[ply - 1].current.is_none();
    if !rules.switches.prune.null_move
        || passed_before
        || frame.depth < p.prune.null_depth
        || eval < beta
        || beta.is_known()
    {
        return None;
    }
    // The table may already know that beta will not be reached.
    if frame.hit.is_some_and(|hit| hit.bound == Bound::Upper && hit.score < beta) || !frame.position.has_pieces() {
        return None;
    }
    let [plies, depth_divisor, margin_divisor, most] = p.prune.null_reduction;
    let reduction = plies + frame.depth / depth_divisor + ((eval - beta) / margin_divisor).min(most);
    Some(frame.depth - reduction)
}

/// Deep nodes that passing would prune are searched without passing, to notice zugzwang (Plenkner 1995).
pub(super) fn null_move_verification(rules: &RuleSet, frame: &ChessFrame) -> Option<Depth> {
    let p = &rules.parameters;
    (frame.depth >= p.prune.null_verify_depth)
        .then(|| frame.depth - p.prune.null_reduction[0] - frame.depth / p.prune.null_reduction[1])
}

/// ProbCut (Buro 1995), tried with captures only, as Stockfish does.
pub(super) fn probcut(rules: &RuleSet, frame: &ChessFrame) -> Option<ProbCut> {
    let p = &rules.parameters;
    let eval = frame.note.eval?;
    let beta = frame.window.beta + p.prune.probcut_margin;
    let depth = frame.depth - p.prune.probcut_reduction;
    if !rules.switches.prune.probcut
        || frame.depth < p.prune.probcut_depth
        || frame.window.beta.is_known()
        || beta.is_known()
    {
        return None;
    }
    if frame.hit.is_some_and(|hit| hit.depth >= depth && hit.score < beta) {
        return None;
    }
    Some(ProbCut { beta, depth, gain: beta - eval })
}

/// Preliminary search (*Socrates section 2.4): if even a shallow search ends far below alpha, a deep one will not change
/// that. The paper gives no numbers; the depths and the margin are ours.
pub(super) fn preliminary(rules: &RuleSet, frame: &ChessFrame) -> Option<Preliminary> {
    let p = &rules.parameters.prune;
    let alpha = frame.window.alpha;
    let fits = rules.switches.prune.preliminary_search && frame.depth >= p.preliminary_depth && !alpha.is_known();
    fits.then(|| Preliminary { alpha: alpha - p.preliminary_margin, depth: frame.depth - p.preliminary_reduction })
}
