//! How deep to search: extensions and reductions.

use super::reduction_table::ReductionTable;
use super::{ChessFrame, ChessPath, is_tested};
use crate::{Move, RuleSet};
use game::{Bound, Depth, MAX_PLY, Score};
use search::{Kind, Singular};

/// Internal iterative reduction (Schröder 2021): a node without a table move is badly ordered, so it is searched less
/// deep.
pub(super) fn trimmed(rules: &RuleSet, frame: &ChessFrame) -> Depth {
    let reduce = rules.switches.depth.iterative_reduction
        && frame.depth >= rules.parameters.extension.iterative_reduction_depth
        && frame.table_move.is_none()
        && !frame.purpose.excludes_a_move()
        && frame.kind != Kind::All;
    frame.depth - Depth::from(reduce)
}

/// Singular extension (Anantharaman, Campbell & Hsu 1988, driven by the table as in Stockfish): is the table move the
/// only one that holds?
pub(super) fn singular(rules: &RuleSet, path: &ChessPath, ply: usize) -> Option<Singular> {
    let p = &rules.parameters;
    let frame = &path[ply];
    let hit = frame.hit?;
    frame.table_move?;
    let fits = rules.switches.depth.singular
        && frame.depth >= p.extension.singular_depth
        && hit.depth >= frame.depth - p.extension.singular_table_plies
        && hit.bound != Bound::Upper
        && !hit.score.is_known()
        && ply < MAX_PLY / 2;
    fits.then(|| Singular {
        beta: hit.score - p.extension.singular_margin * frame.depth / 16,
        depth: (frame.depth - 1) / 2,
    })
}

/// By how much to extend the table move, or to reduce it where other moves are as good.
pub(super) fn singular_extension(rules: &RuleSet, frame: &ChessFrame, singular: Singular, others: Score) -> Depth {
    let p = &rules.parameters;
    if others < singular.beta {
        return 1 + Depth::from(is_tested(frame) && others < singular.beta - p.extension.double_extension_margin);
    }
    if frame.hit.is_some_and(|hit| hit.score >= frame.window.beta) {
        return -p.extension.singular_reduction[0];
    }
    if frame.kind == Kind::Cut { -p.extension.singular_reduction[1] } else { 0 }
}

/// Late-move reductions (Tanenbaum's ideas in Fruit; Romstad 2006): the later a move, the less is expected of it.
pub(super) fn reduction(
    rules: &RuleSet,
    table: &ReductionTable,
    path: &ChessPath,
    ply: usize,
    mv: Move,
    index: usize,
) -> Depth {
    let p = &rules.parameters;
    let frame = &path[ply];
    let unreduced = p.reduction.reduction_moves[usize::from(!is_tested(frame))];
    if !rules.switches.depth.late_move_reductions
        || frame.depth < p.reduction.reduction_depth
        || (index as i32) < unreduced
    {
        return 0;
    }
    let noisy = frame.position.is_noisy(mv);
    let mut reduction = table.get(frame.depth, index, noisy);
    if !is_tested(frame) || frame.hit.is_some_and(|hit| hit.pv) {
        reduction -= p.reduction.reduction_pv;
    }
    if frame.kind == Kind::Cut {
        reduction += p.reduction.reduction_cut;
    }
    if !frame.note.improving {
        reduction += p.reduction.reduction_worsening;
    }
    if frame.note.killers.contains(&Some(mv)) {
        reduction -= p.reduction.reduction_killer;
    }
    if path[ply + 1].position.in_check() {
        reduction -= p.reduction.reduction_check;
    }
    reduction -= frame.note.history * 1024 / p.reduction.reduction_history;
    (reduction / 1024).max(0)
}
