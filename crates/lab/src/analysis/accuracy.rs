//! How accurately the players of a game moved, from what their moves cost of the expected result.
//!
//! A move that costs `loss` is accurate by `exp(-5 loss)`: 1 for the best move, 0.78 for the least inaccuracy, 0.61 for the
//! least mistake, 0.37 for the least blunder. The accuracy of a player is 100 times the mean over the player's moves.

use super::judge::MoveVerdict;
use super::pgn_game::PgnGame;
use serde::Serialize;

/// How quickly the accuracy of a move falls with its cost.
const FALL: f64 = 5.0;

/// The accuracy of each player, from 0 to 100; none for a player without a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Accuracy {
    /// White's.
    pub white: Option<f64>,
    /// Black's.
    pub black: Option<f64>,
}

impl Accuracy {
    /// The accuracy of the players of a game.
    pub fn of(game: &PgnGame, verdicts: &[MoveVerdict]) -> Accuracy {
        let every_second = |from: usize| mean(verdicts.iter().skip(from).step_by(2));
        let (first, second) = (every_second(0), every_second(1));
        let (white, black) = if game.start.is_white_to_move() { (first, second) } else { (second, first) };
        Accuracy { white, black }
    }
}

fn mean<'a>(verdicts: impl ExactSizeIterator<Item = &'a MoveVerdict>) -> Option<f64> {
    let moves = verdicts.len();
    let sum: f64 = verdicts.map(|verdict| (-FALL * verdict.loss).exp()).sum();
    (moves > 0).then(|| 100.0 * sum / moves as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(losses: &[f64]) -> Vec<MoveVerdict> {
        losses.iter().map(|&loss| MoveVerdict { loss, ..MoveVerdict::default() }).collect()
    }

    #[test]
    fn each_player_has_the_mean_of_his_own_moves() {
        let game = PgnGame::default();
        let accuracy = Accuracy::of(&game, &verdicts(&[0.0, 1.0, 0.0, 0.2, 0.0]));
        assert_eq!(accuracy.white, Some(100.0));
        let black = 100.0 * ((-5.0f64).exp() + (-1.0f64).exp()) / 2.0;
        assert!(accuracy.black.is_some_and(|value| (value - black).abs() < 1e-9), "{accuracy:?}");
        assert_eq!(Accuracy::of(&game, &verdicts(&[0.0])).black, None);
        assert_eq!(Accuracy::of(&game, &[]), Accuracy::default());
    }

    #[test]
    fn black_may_begin() {
        let start = "6k1/5ppp/8/8/8/8/8/R5K1 b - - 0 1".parse().unwrap();
        let accuracy = Accuracy::of(&PgnGame { start, ..PgnGame::default() }, &verdicts(&[0.5]));
        assert!(accuracy.white.is_none() && accuracy.black.is_some_and(|value| value < 10.0));
    }

    #[test]
    fn a_worse_move_makes_it_lower() {
        let white = |loss| Accuracy::of(&PgnGame::default(), &verdicts(&[0.1, 0.0, loss])).white;
        assert!(white(0.05) > white(0.1) && white(0.1) > white(0.9) && white(1.0) > Some(0.0));
    }
}
