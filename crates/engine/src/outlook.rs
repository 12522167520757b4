//! What a score means to a person: the chances to win, to draw and to lose, and a number of pawns of which one is an even chance to win.
//!
//! How often games with a score are won also depends on the pieces that are left. [`FITTED`] says how; `jamboree lab chances` fits it
//! to games of the engine against itself.

use crate::tablebase::TableValue;
use chess::Position;
use chess::board::{Board, Piece};
use game::Score;
use std::ops::Neg;

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

/// A score, and what it means in its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// The score, seen by the side to move.
    pub score: Score,
    /// Hundredths of a pawn, where a pawn is an even chance to win; twenty thousand for a win that endgame tables prove.
    pub hundredths: i32,
    /// The chances.
    pub chances: WinningChances,
}

/// How a win that endgame tables promise is shown.
const TABLE_WIN: i32 = 20_000;

/// How scores and results go together for some material: the chance to win is the sigmoid of `(score - half_won) / spread`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// The score at which half of the games are won.
    pub half_won: f64,
    /// How fast that changes. Both are in the units of the search.
    pub spread: f64,
}

/// The first entry of [`FITTED`] is for this much material, the others for [`MATERIAL_STEP`] more each.
pub const LEAST_MATERIAL: u32 = 8;
/// See [`LEAST_MATERIAL`].
pub const MATERIAL_STEP: u32 = 10;
/// How many entries [`FITTED`] has.
pub const MATERIALS: usize = 8;

/// For each material, by `jamboree lab chances`; docs/tuning.md tells how.
pub const FITTED: [Chances; MATERIALS] = [
    Chances { half_won: 150.0, spread: 150.0 },
    Chances { half_won: 150.0, spread: 150.0 },
    Chances { half_won: 150.0, spread: 150.0 },
    Chances { half_won: 150.0, spread: 150.0 },
    Chances { half_won: 150.0, spread: 150.0 },
    Chances { half_won: 150.0, spread: 150.0 },
    Chances { half_won: 150.0, spread: 150.0 },
    Chances { half_won: 150.0, spread: 150.0 },
];

/// What the pieces of both sides are worth in pawns: 1, 3, 3, 5 and 9; at the beginning 78.
pub fn material(board: &Board) -> u32 {
    let worth = [(Piece::Pawn, 1), (Piece::Knight, 3), (Piece::Bishop, 3), (Piece::Rook, 5), (Piece::Queen, 9)];
    worth.iter().map(|&(piece, worth)| worth * board.pieces(piece).len()).sum()
}

/// Between which two entries this material is, and how far it is from the first towards the second.
pub fn place(material: u32) -> (usize, f64) {
    let last = MATERIAL_STEP * (MATERIALS as u32 - 1);
    let above = material.saturating_sub(LEAST_MATERIAL).min(last);
    let index = (above / MATERIAL_STEP).min(MATERIALS as u32 - 2);
    (index as usize, f64::from(above - MATERIAL_STEP * index) / f64::from(MATERIAL_STEP))
}

impl Chances {
    /// How scores and results go together in a position.
    fn of(position: &Position) -> Chances {
        let (index, part) = place(material(position.board()));
        let between =
            |value: fn(&Chances) -> f64| (1.0 - part) * value(&FITTED[index]) + part * value(&FITTED[index + 1]);
        Chances { half_won: between(|chances| chances.half_won), spread: between(|chances| chances.spread) }
    }

    /// The chance to win, from 0 to 1.
    pub fn win(&self, score: f64) -> f64 {
        1.0 / (1.0 + ((self.half_won - score) / self.spread).exp())
    }
}

impl WinningChances {
    const WON: WinningChances = WinningChances { win: 1000, draw: 0, loss: 0 };
    const DRAWN: WinningChances = WinningChances { win: 0, draw: 1000, loss: 0 };

    /// The expected result: 0 for a loss, 0.5 for a draw, 1 for a win.
    pub fn expected(&self) -> f64 {
        f64::from(2 * self.win + self.draw) / 2000.0
    }
}

impl Neg for WinningChances {
    type Output = WinningChances;
    fn neg(self) -> WinningChances {
        WinningChances { win: self.loss, loss: self.win, ..self }
    }
}

impl Neg for Outlook {
    type Output = Outlook;
    fn neg(self) -> Outlook {
        Outlook { score: -self.score, hundredths: -self.hundredths, chances: -self.chances }
    }
}

impl Outlook {
    /// A draw for certain.
    pub const DRAWN: Outlook = Outlook { score: Score::DRAW, hundredths: 0, chances: WinningChances::DRAWN };

    /// What a score of the side to move means in a position.
    pub fn of(score: Score, position: &Position) -> Outlook {
        if score.is_known() {
            let won = Outlook { score, hundredths: TABLE_WIN, chances: WinningChances::WON };
            return if score > Score::DRAW { won } else { Outlook { score, ..-won } };
        }
        if score == Score::DRAW && position.is_dead() {
            return Outlook::DRAWN;
        }
        let (fitted, value) = (Chances::of(position), f64::from(score.value()));
        let chance = |value: f64| (1000.0 * fitted.win(value)).round() as i32;
        let (win, loss) = (chance(value), chance(-value));
        let hundredths = (100.0 * value / fitted.half_won).round() as i32;
        Outlook { score, hundredths, chances: WinningChances { win, draw: 1000 - win - loss, loss } }
    }

    /// The same, where the tables know the value of the position: a mate if one was found, else as certain as they are.
    pub(crate) fn certain(value: TableValue, found: Score, position: &Position) -> Outlook {
        match value {
            _ if found.plies_to_end().is_some() => Outlook::of(found, position),
            TableValue::Win => Outlook::of(Score::known_win(0), position),
            TableValue::Loss => Outlook::of(-Score::known_win(0), position),
            TableValue::Draw | TableValue::CursedWin | TableValue::BlessedLoss => Outlook::DRAWN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDGAME: &str = "8/5k2/8/3P4/8/8/4K3/8 w - - 0 1";
    const KINGS: &str = "8/5k2/8/8/8/8/4K3/8 w - - 0 1";

    fn start() -> Position {
        Position::default()
    }

    #[test]
    fn chances_are_chances_with_any_material() {
        for position in [start(), ENDGAME.parse().unwrap()] {
            let mut last = Outlook::of(Score::estimate(-5000), &position);
            for value in (-4000..4000).step_by(7).map(Score::estimate) {
                let outlook = Outlook::of(value, &position);
                let WinningChances { win, draw, loss } = outlook.chances;
                assert!(win >= last.chances.win && loss <= last.chances.loss && outlook.hundredths >= last.hundredths);
                assert!(win + draw + loss == 1000 && draw >= 0);
                assert_eq!(-outlook, Outlook::of(-value, &position));
                last = outlook;
            }
        }
    }

    #[test]
    fn a_pawn_is_an_even_chance_to_win() {
        for position in [start(), ENDGAME.parse().unwrap()] {
            let pawn = (1..1000).map(|value| Outlook::of(Score::estimate(value), &position));
            let pawn: Vec<Outlook> = pawn.filter(|outlook| outlook.hundredths == 100).collect();
            assert!(!pawn.is_empty() && pawn.iter().all(|outlook| (outlook.chances.win - 500).abs() <= 15), "{pawn:?}");
        }
    }

    #[test]
    fn what_is_certain_has_no_other_chances() {
        let kings = KINGS.parse().unwrap();
        assert_eq!(Outlook::of(Score::DRAW, &kings), Outlook::DRAWN);
        assert_eq!(Outlook::certain(TableValue::Draw, Score::estimate(30), &start()), Outlook::DRAWN);
        let won = Outlook::certain(TableValue::Win, Score::estimate(30), &start());
        assert_eq!((won.hundredths, won.chances), (TABLE_WIN, WinningChances::WON));
        let lost = Outlook::of(Score::loss_in(4), &start());
        assert_eq!((lost.score, lost.chances), (Score::loss_in(4), -WinningChances::WON));
        assert_eq!(Outlook::certain(TableValue::Win, Score::win_in(3), &start()).score, Score::win_in(3));
        assert!(Outlook::of(Score::DRAW, &start()).chances.draw < 1000);
    }

    #[test]
    fn every_material_has_its_place() {
        assert_eq!(material(start().board()), 78);
        assert_eq!((place(0), place(8), place(78)), ((0, 0.0), (0, 0.0), (6, 1.0)));
        assert_eq!((place(13), place(18), place(200)), ((0, 0.5), (1, 0.0), (6, 1.0)));
    }
}
