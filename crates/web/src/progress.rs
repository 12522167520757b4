//! What the engine tells, as the page reads it.

use crate::message::{Info, Score};
use chess::{Notation, Position, san};
use engine::Outlook;
use game::{Bound, Game as _};
use lab::analysis::score::mate_in;

/// A score of the side to move, seen by White.
pub(crate) fn seen_by_white(position: &Position, outlook: &Outlook) -> Score {
    let sign = if position.is_white_to_move() { 1 } else { -1 };
    match mate_in(outlook.score) {
        Some(moves) => Score::Mate(sign * moves),
        None if outlook.score.is_known() => Score::Proven(sign * outlook.hundredths.signum()),
        None => Score::Cp(sign * outlook.hundredths),
    }
}

/// A line of moves as UCI writes them and in algebraic notation.
pub(crate) fn written(position: &Position, line: &[chess::Move], notation: Notation) -> (Vec<String>, Vec<String>) {
    let mut position = position.clone();
    let mut both = (Vec::new(), Vec::new());
    for &mv in line {
        both.0.push(notation.show(&position, mv));
        both.1.push(san(&position, mv));
        position = position.play(mv);
    }
    both
}

/// What a search of this position has found.
pub(crate) fn info(position: &Position, notation: Notation, found: &engine::Info) -> Info {
    let chances = found.outlook.chances;
    let is_white = position.is_white_to_move();
    let (win, loss) = if is_white { (chances.win, chances.loss) } else { (chances.loss, chances.win) };
    let (moves, san) = written(position, &found.line, notation);
    let bound = match (found.bound, is_white) {
        (Bound::Exact, _) => "exact",
        (Bound::Lower, true) | (Bound::Upper, false) => "lower",
        (Bound::Upper, true) | (Bound::Lower, false) => "upper",
    };
    let micros = found.time.as_micros().max(1);
    Info {
        line: found.line_number,
        depth: found.depth,
        reach: found.reach,
        score: seen_by_white(position, &found.outlook),
        bound,
        wdl: [win, chances.draw, loss],
        nodes: found.nodes,
        nps: (u128::from(found.nodes) * 1_000_000 / micros) as u64,
        time: found.time.as_millis() as u64,
        moves,
        san,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_seen_by_white() {
        let white = Position::default();
        let black = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1".parse().unwrap();
        for (score, for_white, for_black) in [
            (game::Score::win_in(3), Score::Mate(2), Score::Mate(-2)),
            (-game::Score::known_win(5), Score::Proven(-1), Score::Proven(1)),
        ] {
            let seen = |position| seen_by_white(position, &Outlook::of(score, position));
            assert_eq!((seen(&white), seen(&black)), (for_white, for_black));
        }
        let outlook = Outlook { hundredths: 30, ..Outlook::of(game::Score::estimate(45), &white) };
        assert_eq!((seen_by_white(&white, &outlook), seen_by_white(&black, &outlook)), (Score::Cp(30), Score::Cp(-30)));
    }
}
