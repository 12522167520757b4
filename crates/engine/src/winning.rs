//! From scores to chances: how often games with such a score were won, drawn and lost.

use game::Score;

/// Chances in thousandths, seen by the side to move; they add up to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinningChances {
    /// Won.
    pub win: i32,
    /// Drawn.
    pub draw: i32,
    /// Lost.
    pub loss: i32,
}

/// The score at which half of the games are won, and how fast that changes, in hundredths of a pawn. Fitted to games of
/// the engine against itself by `jamboree tune`.
const HALF_WON: f64 = 150.0;
const SPREAD: f64 = 150.0;

/// The chances that belong to a score.
pub fn win_draw_loss(score: Score) -> WinningChances {
    let chance = |score: f64| (1000.0 / (1.0 + ((HALF_WON - score) / SPREAD).exp())).round() as i32;
    let value = f64::from(score.value());
    if score.is_known() {
        let (win, loss) = if value > 0.0 { (1000, 0) } else { (0, 1000) };
        return WinningChances { win, draw: 0, loss };
    }
    let (win, loss) = (chance(value), chance(-value));
    WinningChances { win, draw: 1000 - win - loss, loss }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_chances() {
        let mut last = WinningChances { win: -1, draw: 0, loss: 1001 };
        for value in (-4000..4000).step_by(7).map(Score::estimate) {
            let wdl = win_draw_loss(value);
            assert!(wdl.win >= last.win && wdl.loss <= last.loss);
            assert!(wdl.win + wdl.draw + wdl.loss == 1000 && wdl.draw >= 0);
            last = wdl;
        }
        assert_eq!(win_draw_loss(Score::win_in(5)), WinningChances { win: 1000, draw: 0, loss: 0 });
    }
}
