//! How good the moves of a game were. The cost of a move is the drop of the expected result. So a lost pawn costs much
//! in a level position and nothing in a won one. A mate that is missed is told even if the position stays won.

use super::pgn_game::PgnGame;
use super::score::mate_in;
use super::study::{Analysis, GameOver};
use chess::Move;
use engine::Outlook;
use game::Score;

/// What is wrong with a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It costs at least [`INACCURACY`].
    Inaccuracy,
    /// It costs at least [`MISTAKE`].
    Mistake,
    /// It costs at least [`BLUNDER`].
    Blunder,
}

/// The least an inaccuracy costs.
pub const INACCURACY: f64 = 0.05;
/// The least a mistake costs.
pub const MISTAKE: f64 = 0.10;
/// The least a blunder costs.
pub const BLUNDER: f64 = 0.20;

impl Judgement {
    /// The judgement of a move with this cost.
    pub fn of(loss: f64) -> Option<Judgement> {
        match loss {
            loss if loss >= BLUNDER => Some(Judgement::Blunder),
            loss if loss >= MISTAKE => Some(Judgement::Mistake),
            loss if loss >= INACCURACY => Some(Judgement::Inaccuracy),
            _ => None,
        }
    }

    /// The numeric annotation glyph.
    pub fn nag(self) -> u8 {
        match self {
            Judgement::Inaccuracy => 6,
            Judgement::Mistake => 2,
            Judgement::Blunder => 4,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "inaccuracy",
            Judgement::Mistake => "mistake",
            Judgement::Blunder => "blunder",
        }
    }
}

/// The judgement of a move that was played.
#[derive(Clone, Debug, Default)]
pub struct MoveVerdict {
    /// The score after it, seen by White; none if it gave mate.
    pub eval: Option<Outlook>,
    /// How much of the expected result it cost; see the module.
    pub loss: f64,
    /// What is wrong with it.
    pub judgement: Option<Judgement>,
    /// The number of moves of a mate that was there before the move and is not there after it.
    pub missed_mate: Option<i32>,
    /// What should have been played, if something is wrong or a mate was missed.
    pub better: Vec<Move>,
}

/// Judges every move of a game. There is an analysis of each position, the last included.
pub fn review(game: &PgnGame, analyses: &[Analysis]) -> Vec<MoveVerdict> {
    let pairs = analyses.iter().zip(analyses.iter().skip(1));
    game.moves.iter().zip(pairs).map(|(played, (before, after))| judge(played.mv, before, after)).collect()
}

fn judge(played: Move, before: &Analysis, after: &Analysis) -> MoveVerdict {
    let mated = after.ending == Some(GameOver::Checkmate);
    let outlook = after.outlook();
    let eval = if after.position.is_white_to_move() { outlook } else { -outlook };
    let mut verdict = MoveVerdict { eval: (!mated).then_some(eval), ..MoveVerdict::default() };
    let Some(best) = before.best().filter(|best| best.moves.first() != Some(&played)) else { return verdict };
    verdict.loss = (best.outlook.chances.expected() - (-outlook).chances.expected()).max(0.0);
    verdict.judgement = Judgement::of(verdict.loss);
    let wins = |score: Score| mate_in(score).filter(|&moves| moves > 0);
    verdict.missed_mate = if mated || wins(-outlook.score).is_some() { None } else { wins(best.outlook.score) };
    if verdict.judgement.is_some() || verdict.missed_mate.is_some() {
        verdict.better = best.moves.clone();
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::super::study::tests::quick;
    use super::*;
    use chess::{Position, parse_san, san};
    use game::Game;

    #[test]
    fn thresholds_are_where_the_help_says() {
        for (thousandths, expected) in [
            (0, None),
            (49, None),
            (50, Some(Judgement::Inaccuracy)),
            (99, Some(Judgement::Inaccuracy)),
            (100, Some(Judgement::Mistake)),
            (199, Some(Judgement::Mistake)),
            (200, Some(Judgement::Blunder)),
            (1000, Some(Judgement::Blunder)),
        ] {
            assert_eq!(Judgement::of(f64::from(2 * thousandths) / 2000.0), expected, "{thousandths}");
        }
        assert_eq!([Judgement::Mistake, Judgement::Blunder, Judgement::Inaccuracy].map(Judgement::nag), [2, 4, 6]);
    }

    fn verdict(fen: &str, text: &str) -> (MoveVerdict, Position) {
        let before: Position = fen.parse().unwrap();
        let mv = parse_san(&before, text).unwrap();
        let mut analyst = quick(5_000, 1);
        let first = analyst.study(&before, &[], &mut |_| {});
        let second = analyst.study(&before.play(mv), &[], &mut |_| {});
        (judge(mv, &first, &second), before)
    }

    #[test]
    fn to_miss_a_mate_that_saves_the_game_is_a_blunder() {
        let (verdict, before) = verdict("6k1/5ppp/8/8/8/1q6/6PP/R6K w - - 0 1", "h3");
        assert_eq!(verdict.judgement, Some(Judgement::Blunder));
        assert_eq!(san(&before, verdict.better[0]), "Ra8+");
        assert_eq!(verdict.missed_mate, Some(2));
    }

    /// The verdict on 1. Kf2 where 1. Ra8 is mate, if the position after it has this score, seen by Black.
    fn verdict_after(score: Score) -> MoveVerdict {
        let before: Position = "6k1/5ppp/8/8/8/8/8/RQ4K1 w - - 0 1".parse().unwrap();
        let mv = parse_san(&before, "Kf2").unwrap();
        let first = quick(1_000, 1).study(&before, &[], &mut |_| {});
        assert_eq!(first.outlook().score, Score::win_in(1));
        let mut second = quick(100, 1).study(&before.play(mv), &[], &mut |_| {});
        second.lines[0].outlook = Outlook::of(score, &second.position);
        judge(mv, &first, &second)
    }

    #[test]
    fn a_missed_mate_is_told_where_it_costs_nothing() {
        let missed = verdict_after(Score::estimate(-3_000));
        assert_eq!((missed.judgement, missed.missed_mate, missed.better.len()), (None, Some(1), 1));
        let slower = verdict_after(Score::loss_in(4));
        assert_eq!((slower.missed_mate, slower.better.len()), (None, 0), "a mate is still there");
    }

    #[test]
    fn giving_mate_is_no_mistake_and_has_no_eval() {
        let (verdict, _) = verdict("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra8#");
        assert!(verdict.eval.is_none() && verdict.judgement.is_none());
    }

    #[test]
    fn evaluations_are_seen_by_white() {
        let (by_white, _) = verdict("6k1/5ppp/8/8/8/8/5PPP/QR4K1 w - - 0 1", "h3");
        let (by_black, _) = verdict("6k1/5ppp/8/8/8/8/5PPP/QR4K1 b - - 0 1", "h6");
        assert!(by_white.eval.is_some_and(|eval| eval.hundredths > 500));
        assert!(by_black.eval.is_some_and(|eval| eval.hundredths > 500));
    }

    #[test]
    fn stalemating_a_lost_opponent_is_a_blunder() {
        let (verdict, _) = verdict("k7/8/1K6/2Q5/8/8/8/8 w - - 0 1", "Qc7");
        assert_eq!(verdict.judgement, Some(Judgement::Blunder));
        assert_eq!(verdict.eval, Some(Outlook::DRAWN));
    }
}
