//! What is remembered when a node is finished.

use super::ChessFrame;
use crate::histories::{Arrival, error};
use crate::learned::Learned;
use crate::{Move, RuleSet};
use game::Bound;

/// A bonus that grows with depth. The numbers are: for each ply, offset, maximum.
fn bonus([slope, offset, most]: [i32; 3], depth: i32) -> i32 {
    (slope * depth + offset).clamp(0, most)
}

/// The move that was good becomes more likely to be searched early, those tried before it less (history heuristic,
/// Schaeffer 1983, with malus; killers, Greenblatt 1967).
pub(super) fn moves(rules: &RuleSet, learned: &Learned, frame: &mut ChessFrame, ply: usize) {
    let Some(best) = frame.best.mv else { return };
    if rules.switches.order.killers {
        killers(learned, frame, ply, best);
    }
    if !rules.switches.order.histories {
        return;
    }
    if let Some(counts) = &learned.counts {
        learned.count(counts, &frame.position, best);
        return;
    }
    let p = &rules.parameters;
    let (reward, penalty) = (bonus(p.order.bonus, frame.depth), bonus(p.order.malus, frame.depth));
    let position = &frame.position;
    let note = &frame.note;
    debug_assert!(note.quiets.is_distinct() && note.noisies.is_distinct(), "a move was tried twice");
    for histories in learned.told(frame.depth) {
        if position.is_noisy(best) {
            histories.learn_noisy(position, best, reward);
        } else {
            histories.learn_quiet(position, best, note.before, reward);
            for mv in note.quiets.iter().filter(|&mv| mv != best) {
                histories.learn_quiet(position, mv, note.before, -penalty);
            }
        }
        for mv in note.noisies.iter().filter(|&mv| mv != best) {
            histories.learn_noisy(position, mv, -penalty);
        }
    }
}

/// The move that was good becomes a killer: a quiet one for the siblings of the node, or any that cut off, where killers
/// are counted.
fn killers(learned: &Learned, frame: &mut ChessFrame, ply: usize, best: Move) {
    if let Some(killers) = &learned.killers {
        if frame.best.score >= frame.window.beta {
            learned.add_killer(killers, ply, best);
        }
    } else if !frame.position.is_noisy(best) && frame.note.killers[0] != Some(best) {
        frame.note.killers = [Some(best), frame.note.killers[0]];
    }
}

/// Correction history (Caissa 2023, Stockfish 16.1): by how much was the evaluation wrong? Learned only where the score
/// shows it: not if the best move is a capture, and not if the score is a bound that the evaluation satisfies.
pub(super) fn correction(rules: &RuleSet, learned: &Learned, frame: &ChessFrame, last: Arrival, bound: Bound) {
    let Some(eval) = frame.note.eval else { return };
    let tells = match bound {
        Bound::Exact => true,
        Bound::Lower => frame.best.score > eval,
        Bound::Upper => frame.best.score < eval,
    };
    let behind_capture = frame.best.mv.is_some_and(|mv| frame.position.is_noisy(mv));
    if rules.switches.general.correction_history
        && tells
        && !behind_capture
        && !frame.best.score.is_known()
        && !frame.purpose.excludes_a_move()
    {
        let most = rules.parameters.evaluation.correction_step;
        let bonus = (error(frame.best.score, eval) * frame.depth).clamp(-most, most);
        learned.told(frame.depth).for_each(|histories| histories.learn_correction(&frame.position, last, bonus));
    }
}
