//! Adjudication: ends games that are decided, so that a match takes less time.

use super::record::GameResult;
use serde::Serialize;
use std::fmt;

/// When a game is adjudicated as a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DrawRule {
    /// Not before this move.
    pub from_move: u32,
    /// Number of consecutive moves of both sides that must look even.
    pub moves: u32,
    /// The largest score that counts as even, in hundredths of a pawn.
    pub score: i32,
}

/// When a game is adjudicated as won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ResignRule {
    /// Number of consecutive moves at which both sides must agree on the winner.
    pub moves: u32,
    /// The least score that counts as won, in hundredths of a pawn.
    pub score: i32,
}

/// In words.
impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DrawRule { from_move, moves, score } = self;
        write!(f, "from move {from_move} on, if both scores are within {score} centipawns for {moves} moves")
    }
}

/// In words.
impl fmt::Display for ResignRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "if both scores are at least {} centipawns for {} moves", self.score, self.moves)
    }
}

impl DrawRule {
    /// Reads `move,moves,score` such as `40,8,10`; none for `off`.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<Option<DrawRule>, String> {
        match numbers(text)[..] {
            _ if text == "off" => Ok(None),
            [Some(from_move), Some(moves @ 1..), Some(score)] => {
                Ok(Some(DrawRule { from_move, moves, score: score as i32 }))
            }
            _ => Err(format!(
                "'{text}' is not a draw rule: write move,moves,score such as 40,8,10 (from move 40 on, both within 0.1 \
                 pawns for 8 moves), or off"
            )),
        }
    }
}

impl ResignRule {
    /// Reads `moves,score` such as `4,800`; none for `off`.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<Option<ResignRule>, String> {
        match numbers(text)[..] {
            _ if text == "off" => Ok(None),
            [Some(moves @ 1..), Some(score @ 1..)] => Ok(Some(ResignRule { moves, score: score as i32 })),
            _ => Err(format!(
                "'{text}' is not a resign rule: write moves,score such as 4,800 (both see 8 pawns for 4 moves), or off"
            )),
        }
    }
}

/// Whole numbers up to a million, separated by commas.
fn numbers(text: &str) -> Vec<Option<u32>> {
    text.split(',').map(|word| word.trim().parse().ok().filter(|&number| number <= 1_000_000)).collect()
}

/// Follows the scores of a game.
#[derive(Debug)]
pub(super) struct Judge {
    draw: Option<DrawRule>,
    resign: Option<ResignRule>,
    /// Consecutive plies with an even score.
    even: u32,
    /// Consecutive plies with a winning score: positive for White, negative for Black.
    winning: i64,
}

impl Judge {
    /// At the beginning of a game.
    pub(super) fn new(draw: Option<DrawRule>, resign: Option<ResignRule>) -> Judge {
        Judge { draw, resign, even: 0, winning: 0 }
    }

    /// Takes the score of the ply just played, for White, and the number of the move. The result, if the game is
    /// adjudicated.
    pub(super) fn hear(&mut self, score: Option<i32>, number: u32) -> Option<GameResult> {
        let is_even = |rule: DrawRule| score.is_some_and(|score| score.abs() <= rule.score);
        let winner = |rule: ResignRule| match score {
            Some(score) if score >= rule.score => 1,
            Some(score) if score <= -rule.score => -1,
            _ => 0,
        };
        self.even = if self.draw.is_some_and(is_even) { self.even + 1 } else { 0 };
        self.winning = match self.resign.map_or(0, winner) {
            0 => 0,
            side if self.winning * side >= 0 => self.winning + side,
            side => side,
        };
        let won = |rule: ResignRule| self.winning.unsigned_abs() >= 2 * u64::from(rule.moves);
        let drawn = |rule: DrawRule| self.even >= 2 * rule.moves && number >= rule.from_move;
        if self.resign.is_some_and(won) {
            return Some(if self.winning > 0 { GameResult::White } else { GameResult::Black });
        }
        self.draw.is_some_and(drawn).then_some(GameResult::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        assert_eq!(DrawRule::parse("40,8,10"), Ok(Some(DrawRule { from_move: 40, moves: 8, score: 10 })));
        assert_eq!(ResignRule::parse("4, 800"), Ok(Some(ResignRule { moves: 4, score: 800 })));
        assert_eq!((DrawRule::parse("off"), ResignRule::parse("off")), (Ok(None), Ok(None)));
        for text in ["", "40,8", "40,0,10", "a,b,c", "40,8,-1", "1,2,3,4", "40,8,99999999999"] {
            assert!(DrawRule::parse(text).is_err_and(|message| message.contains("40,8,10")), "{text}");
        }
        for text in ["", "4", "0,800", "4,0", "4,800,1"] {
            assert!(ResignRule::parse(text).is_err_and(|message| message.contains("4,800")), "{text}");
        }
    }

    fn judge() -> Judge {
        Judge::new(Some(DrawRule { from_move: 10, moves: 2, score: 10 }), Some(ResignRule { moves: 2, score: 500 }))
    }

    #[test]
    fn both_must_find_it_even_long_enough_and_late_enough() {
        let hear = |scores: &[i32], number| {
            let mut judge = judge();
            scores.iter().fold(None, |_, &score| judge.hear(Some(score), number))
        };
        assert_eq!(hear(&[5, -5, 10, 0], 10), Some(GameResult::Draw));
        assert_eq!(hear(&[5, -5, 10, 0], 9), None);
        assert_eq!(hear(&[5, 11, 10, 0], 10), None);
    }

    #[test]
    fn both_must_agree_who_wins() {
        let mut judge = judge();
        for _ in 0..3 {
            assert_eq!(judge.hear(Some(900), 1), None);
        }
        assert_eq!(judge.hear(Some(-900), 1), None);
        for _ in 0..2 {
            assert_eq!(judge.hear(Some(-500), 1), None);
        }
        assert_eq!(judge.hear(None, 1), None);
        for _ in 0..3 {
            assert_eq!(judge.hear(Some(-500), 1), None);
        }
        assert_eq!(judge.hear(Some(-500), 1), Some(GameResult::Black));
    }
}
