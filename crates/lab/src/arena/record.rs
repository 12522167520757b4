//! A finished game: a line of `games.jsonl`.

use crate::analysis::score::mate_in;
use game::Score;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GameResult {
    /// White.
    #[serde(rename = "1-0")]
    White,
    /// Black.
    #[serde(rename = "0-1")]
    Black,
    /// Neither: a draw.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

/// What kind of end it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndKind {
    /// By the rules of chess: mate, stalemate, repetition, fifty moves, insufficient material.
    Board,
    /// By adjudication.
    Adjudicated,
    /// Lost on time.
    Time,
    /// The engine ended, or could not be started.
    Crash,
    /// The engine did not answer.
    Silent,
    /// The engine played an illegal move.
    Illegal,
}

/// An engine's score of a position, from its own side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineScore {
    /// In hundredths of a pawn.
    Centipawns(i32),
    /// Moves to mate: negative if the engine is mated, zero if it is mated already.
    Mate(i32),
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ply {
    /// The move as UCI writes it.
    #[serde(rename = "move")]
    pub mv: String,
    /// The engine's score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<EngineScore>,
    /// The depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// How long it took; none for a move of the opening, and in virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// Its number, from 1. Games 1 and 2 are a pair, and so on: the same opening, colours exchanged.
    pub game: usize,
    /// Does A play White?
    pub a_is_white: bool,
    /// Who won.
    pub result: GameResult,
    /// What kind of end it was.
    pub kind: EndKind,
    /// How it ended, in words.
    pub reason: String,
    /// The position before the first move.
    pub start: String,
    /// The moves, those of the opening included; none if another program played the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Ply>,
}

impl EndKind {
    /// Is it a fault: something that an engine should never do?
    pub fn is_fault(self) -> bool {
        !matches!(self, EndKind::Board | EndKind::Adjudicated)
    }
}

/// Written after `lost` or `ended`.
impl fmt::Display for EndKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EndKind::Board => "by the rules",
            EndKind::Adjudicated => "by adjudication",
            EndKind::Time => "on time",
            EndKind::Crash => "by a crash",
            EndKind::Silent => "by silence",
            EndKind::Illegal => "by an illegal move",
        })
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameResult::White => "1-0",
            GameResult::Black => "0-1",
            GameResult::Draw => "1/2-1/2",
        })
    }
}

impl GameResult {
    /// Side number 0 is White, 1 is Black.
    pub(super) fn win_of(side: usize) -> GameResult {
        if side == 0 { GameResult::White } else { GameResult::Black }
    }
}

/// The score of a mate, above any number of pawns.
const MATE: i32 = 100_000;

/// How a win of unknown length is shown, in hundredths of a pawn.
const WON: i32 = 20_000;

impl EngineScore {
    /// A score of our own search.
    pub(super) fn of(score: Score) -> EngineScore {
        match mate_in(score) {
            Some(moves) => EngineScore::Mate(moves),
            None if score.is_known() => EngineScore::Centipawns(WON * score.value().signum()),
            None => EngineScore::Centipawns(score.value()),
        }
    }

    /// A number to compare with hundredths of a pawn.
    pub fn value(self) -> i32 {
        match self {
            EngineScore::Centipawns(value) => value.clamp(-MATE, MATE),
            EngineScore::Mate(moves) if moves > 0 => MATE,
            EngineScore::Mate(_) => -MATE,
        }
    }
}

/// As in PGN comments: `+0.35`, `-M3`.
impl fmt::Display for EngineScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineScore::Centipawns(value) => write!(f, "{:+.2}", f64::from(*value) / 100.0),
            EngineScore::Mate(moves) if *moves > 0 => write!(f, "+M{moves}"),
            EngineScore::Mate(moves) => write!(f, "-M{}", moves.unsigned_abs()),
        }
    }
}

impl PlayedGame {
    /// The half points that A got.
    pub fn half_points(&self) -> u8 {
        match self.result {
            GameResult::Draw => 1,
            GameResult::White => 2 * u8::from(self.a_is_white),
            GameResult::Black => 2 * u8::from(!self.a_is_white),
        }
    }

    /// The pair it belongs to, from 0.
    pub fn pair(&self) -> usize {
        self.game.saturating_sub(1) / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_go_to_the_engine_and_not_to_the_colour() {
        let mut record = PlayedGame {
            game: 4,
            a_is_white: false,
            result: GameResult::White,
            kind: EndKind::Board,
            reason: "mate".into(),
            start: String::new(),
            moves: vec![Ply { mv: "e2e4".into(), score: Some(EngineScore::Mate(-3)), depth: None, seconds: Some(0.5) }],
        };
        assert_eq!((record.half_points(), record.pair()), (0, 1));
        record.a_is_white = true;
        assert_eq!(record.half_points(), 2);
        let line = serde_json::to_string(&record).unwrap();
        assert!(line.contains(r#""result":"1-0""#) && line.contains(r#"{"move":"e2e4","score":{"mate":-3}"#), "{line}");
        assert_eq!(serde_json::from_str::<PlayedGame>(&line).unwrap(), record);
    }

    #[test]
    fn scores_are_shown_and_compared() {
        let shown = [
            EngineScore::Centipawns(35),
            EngineScore::Centipawns(-5),
            EngineScore::Mate(2),
            EngineScore::Mate(-3),
            EngineScore::Mate(0),
        ];
        assert_eq!(shown.map(|score| score.to_string()), ["+0.35", "-0.05", "+M2", "-M3", "-M0"]);
        let ours = [Score::from_value(35), Score::win_in(3), Score::loss_in(6), Score::known_win(0)];
        assert_eq!(ours.map(|score| EngineScore::of(score).to_string()), ["+0.35", "+M2", "-M3", "+200.00"]);
        assert!(EngineScore::Mate(0).value() < EngineScore::Centipawns(-5000).value());
    }
}
