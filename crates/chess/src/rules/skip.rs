//! Moves that need not be searched.

use super::ChessFrame;
use super::reduction_table::ReductionTable;
use crate::checks::CheckSquares;
use crate::see::{exchange_value, wins_at_least};
use crate::{Move, RuleSet};
use game::Score;

/// Has the node a move that does not lose by force? Until then no move is skipped, so that no mate is overlooked.
fn is_safe(frame: &ChessFrame) -> bool {
    frame.best.score > -Score::KNOWN && frame.tried > 0
}

/// Is the move to be skipped? `frame.note.history` is the move's history.
pub(super) fn skips(
    rules: &RuleSet,
    reductions: &ReductionTable,
    frame: &mut ChessFrame,
    mv: Move,
    noisy: bool,
) -> bool {
    if !is_safe(frame) || !frame.position.has_pieces() {
        return false;
    }
    if noisy {
        return loses_exchange(rules, frame, mv, frame.depth);
    }
    if late_moves_end(rules, frame) {
        frame.picker.skip_quiets();
    }
    if gives_check(frame, mv) {
        return loses_exchange(rules, frame, mv, frame.depth);
    }
    let depth = (frame.depth - reductions.plies(frame.depth, frame.tried, false)).max(0);
    if is_futile(rules, frame, depth) {
        frame.picker.skip_quiets();
        return true;
    }
    let p = &rules.parameters;
    if rules.switches.skip.history_pruning
        && depth <= p.skip.history_pruning_depth
        && frame.note.history < -p.skip.history_pruning_margin * (depth + 1)
    {
        return true;
    }
    rules.switches.skip.see_pruning
        && depth <= p.skip.see_depth
        && !wins_at_least(&frame.position, mv, -p.skip.see_quiet_margin * depth * depth)
}

/// Does the move give check?
fn gives_check(frame: &mut ChessFrame, mv: Move) -> bool {
    let checks = frame.note.checks.get_or_insert_with(|| CheckSquares::of(&frame.position));
    checks.gives_check(&frame.position, mv)
}

/// Captures and checks that lose too much by exchange.
fn loses_exchange(rules: &RuleSet, frame: &ChessFrame, mv: Move, depth: i32) -> bool {
    let p = &rules.parameters;
    rules.switches.skip.see_pruning
        && depth <= p.skip.see_depth
        && !wins_at_least(&frame.position, mv, -p.skip.see_noisy_margin * depth)
}

/// Late-move pruning ("move count based pruning", Romstad 2008): near the leaves, quiet moves after a certain number of
/// moves are skipped.
fn late_moves_end(rules: &RuleSet, frame: &ChessFrame) -> bool {
    let p = &rules.parameters;
    let share = p.skip.late_move_share[usize::from(!frame.note.improving)];
    let limit = (p.skip.late_move_base + frame.depth * frame.depth) * share / 100;
    rules.switches.skip.late_move_pruning && frame.depth <= p.skip.late_move_depth && frame.tried as i32 >= limit
}

/// Futility pruning (Schaeffer 1986, Heinz 1998): even a good quiet move will not reach alpha.
fn is_futile(rules: &RuleSet, frame: &ChessFrame, depth: i32) -> bool {
    let p = &rules.parameters;
    let Some(eval) = frame.note.eval else { return false };
    rules.switches.skip.futility
        && depth <= p.skip.futility_depth
        && !frame.window.alpha.is_known()
        && eval + p.skip.futility_margin[0] + p.skip.futility_margin[1] * depth <= frame.window.alpha
}

/// In quiescence: captures that lose material, or that cannot bring the score near alpha (delta pruning).
pub(super) fn skips_in_quiescence(rules: &RuleSet, frame: &mut ChessFrame, mv: Move) -> bool {
    if frame.best.score <= -Score::KNOWN {
        return false;
    }
    let switches = &rules.switches.skip;
    if frame.note.in_check && !switches.skip_evasions {
        return false;
    }
    if !frame.position.is_noisy(mv) {
        // An evasion that does not lose is known, so the quiet ones left may be skipped.
        frame.picker.skip_quiets();
        return true;
    }
    let p = &rules.parameters;
    if switches.skip_losing_captures && !wins_at_least(&frame.position, mv, p.skip.quiescence_exchange) {
        return true;
    }
    let Some(eval) = frame.note.eval else { return false };
    if !switches.quiescence_futility || frame.window.alpha.is_known() || mv.promotion().is_some() {
        return false;
    }
    let gain = frame.position.victim(mv).map_or(0, exchange_value);
    let reachable = eval + gain + p.skip.quiescence_margin;
    if reachable <= frame.window.alpha {
        frame.best.score = frame.best.score.max(reachable);
        return true;
    }
    false
}
