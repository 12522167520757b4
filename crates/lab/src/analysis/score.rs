//! Scores as text, and the expected results they stand for.

use engine::win_draw_loss;
use game::Score;

/// Moves to mate: positive if the side whose score it is mates, negative if it is mated, zero if it is mated already.
pub fn mate_in(score: Score) -> Option<i32> {
    score.plies_to_end().map(|plies| plies.signum() * ((plies.abs() + 1) / 2))
}

/// Pawns with a sign: `+0.53`, `-1.20`, `0.00`; mates in moves: `#5`, `-#3`.
pub fn signed(score: Score) -> String {
    match mate_in(score) {
        Some(moves) if moves > 0 => format!("#{moves}"),
        Some(moves) => format!("-#{}", -moves),
        None if score.value() == 0 => "0.00".to_string(),
        None => format!("{:+.2}", pawns(score)),
    }
}

/// As in the `%eval` command of PGN comments: `0.53`, `-1.20`, `#5`, `#-3`.
pub fn eval(score: Score) -> String {
    match mate_in(score) {
        Some(moves) => format!("#{moves}"),
        None => format!("{:.2}", pawns(score)),
    }
}

fn pawns(score: Score) -> f64 {
    f64::from(score.value()) / 100.0
}

/// The expected result: 0 for a loss, 0.5 for a draw, 1 for a win.
pub fn expected(score: Score) -> f64 {
    let chances = win_draw_loss(score);
    f64::from(2 * chances.win + chances.draw) / 2000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_written_with_their_sign() {
        for (score, people, pgn) in [
            (Score::estimate(53), "+0.53", "0.53"),
            (Score::estimate(-120), "-1.20", "-1.20"),
            (Score::DRAW, "0.00", "0.00"),
            (Score::win_in(1), "#1", "#1"),
            (Score::win_in(9), "#5", "#5"),
            (Score::loss_in(6), "-#3", "#-3"),
            (-Score::win_in(5), "-#3", "#-3"),
            (-Score::loss_in(6), "#3", "#3"),
        ] {
            assert_eq!((signed(score).as_str(), eval(score).as_str()), (people, pgn));
        }
    }

    #[test]
    fn expectations_lie_between_lost_and_won() {
        assert_eq!(expected(Score::DRAW), 0.5);
        assert_eq!(expected(Score::win_in(3)), 1.0);
        assert_eq!(expected(Score::loss_in(3)), 0.0);
        assert!((expected(Score::estimate(80)) + expected(Score::estimate(-80)) - 1.0).abs() < 1e-9);
    }
}
