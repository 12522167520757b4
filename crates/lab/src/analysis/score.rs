//! Scores as text.

use engine::Outlook;
use game::Score;

/// Moves to mate: positive if the side whose score it is mates, negative if it is mated, zero if it is mated already.
pub fn mate_in(score: Score) -> Option<i32> {
    score.plies_to_end().map(|plies| plies.signum() * ((plies.abs() + 1) / 2))
}

/// Pawns with a sign: `+0.53`, `-1.20`, `0.00`; mates in moves: `#5`, `-#3`.
pub fn signed(outlook: &Outlook) -> String {
    match mate_in(outlook.score) {
        Some(moves) if moves > 0 => format!("#{moves}"),
        Some(moves) => format!("-#{}", -moves),
        None if outlook.hundredths == 0 => "0.00".to_string(),
        None => format!("{:+.2}", pawns(outlook)),
    }
}

/// As in the `%eval` command of PGN comments: `0.53`, `-1.20`, `#5`, `#-3`.
pub fn eval(outlook: &Outlook) -> String {
    match mate_in(outlook.score) {
        Some(moves) => format!("#{moves}"),
        None => format!("{:.2}", pawns(outlook)),
    }
}

fn pawns(outlook: &Outlook) -> f64 {
    f64::from(outlook.hundredths) / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    #[test]
    fn scores_are_written_with_their_sign() {
        for (score, people, pgn) in [
            (Score::DRAW, "0.00", "0.00"),
            (Score::win_in(1), "#1", "#1"),
            (Score::win_in(9), "#5", "#5"),
            (Score::loss_in(6), "-#3", "#-3"),
            (-Score::win_in(5), "-#3", "#-3"),
            (-Score::loss_in(6), "#3", "#3"),
        ] {
            let outlook = Outlook::of(score, &Position::default());
            assert_eq!((signed(&outlook).as_str(), eval(&outlook).as_str()), (people, pgn));
        }
        for (hundredths, people, pgn) in [(53, "+0.53", "0.53"), (-120, "-1.20", "-1.20")] {
            let outlook = Outlook { hundredths, ..Outlook::of(Score::estimate(1), &Position::default()) };
            assert_eq!((signed(&outlook).as_str(), eval(&outlook).as_str()), (people, pgn));
        }
    }
}
