//! Moves as people and programs write them.

use crate::{Move, Position};
use cozy_chess::Color;
use cozy_chess::util::{display_san_move, display_uci_move, parse_san_move, parse_uci_move};
use game::Game;
use std::fmt;

/// How castling is written over UCI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// The king's move by two squares: e1g1.
    #[default]
    Standard,
    /// King takes rook: e1h1, as UCI_Chess960 demands.
    Chess960,
}

impl Notation {
    /// The notation that people expect for this position: that of Chess960 only if it allows castling that ordinary
    /// chess does not have.
    pub fn of(position: &Position) -> Notation {
        if position.castles_ordinarily() { Notation::Standard } else { Notation::Chess960 }
    }

    /// The move as UCI writes it.
    pub fn show(self, position: &Position, mv: Move) -> String {
        match self {
            Notation::Standard => display_uci_move(position.board(), mv.into()).to_string(),
            Notation::Chess960 => format!("{mv:?}"),
        }
    }
}

/// The text is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveError {
    text: String,
    fen: String,
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: String = self.text.chars().take(20).collect();
        write!(f, "'{shown}' is not a legal move in {}", self.fen)
    }
}

impl std::error::Error for MoveError {}

/// Reads a move as UCI writes it, with castling in either notation.
///
/// # Errors
/// If the text is not a move, or the move is not legal.
pub fn parse_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    let board = position.board();
    let lower = text.to_ascii_lowercase();
    let candidates = [parse_uci_move(board, &lower).ok(), lower.parse().ok()];
    let fits = |mv: &cozy_chess::Move| (4..=5).contains(&text.len()) && board.is_legal(*mv);
    let found = candidates.into_iter().flatten().find(fits);
    found.map(Move::from).ok_or_else(|| MoveError { text: text.into(), fen: board.to_string() })
}

/// Reads a move in algebraic notation: `Nf3`, `exd5`, `O-O`, `e8=Q+`; annotations like `!?` are ignored.
///
/// # Errors
/// If the text is not a move, or it fits no legal move or several.
pub fn parse_san(position: &Position, text: &str) -> Result<Move, MoveError> {
    let trimmed = text.trim_end_matches(['!', '?', '+', '#']).replace('0', "O");
    let bare = if trimmed.contains("O-O") { trimmed } else { text.trim_end_matches(['!', '?', '+', '#']).to_string() };
    // Programs differ in check marks, 'x' and '='; a move fits if it is the same without them.
    let plain = |text: &str| text.replace(['x', '=', '+', '#', '-'], "");
    let wanted = plain(&bare);
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let canonical = parse_san_move(position.board(), &bare).ok().map(Move::from).filter(|mv| moves.contains(mv));
    canonical
        .or_else(|| moves.iter().copied().find(|&mv| plain(&san(position, mv)) == wanted))
        .or_else(|| parse_move(position, text).ok())
        .ok_or_else(|| MoveError { text: text.into(), fen: position.board().to_string() })
}

/// The move in algebraic notation.
pub fn san(position: &Position, mv: Move) -> String {
    display_san_move(position.board(), mv.into()).to_string()
}

/// A line of moves in algebraic notation with move numbers: `12. Nf3 d5 13. O-O`.
pub fn san_line(position: &Position, line: &[Move]) -> String {
    let mut position = position.clone();
    let mut words = Vec::new();
    for (index, &mv) in line.iter().enumerate() {
        let number = position.board().fullmove_number();
        match (position.board().side_to_move(), index) {
            (Color::White, _) => words.push(format!("{number}.")),
            (Color::Black, 0) => words.push(format!("{number}...")),
            (Color::Black, _) => {}
        }
        words.push(san(&position, mv));
        position = position.play(mv);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn castling_is_read_and_written_in_both_ways() {
        let position: Position = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1".parse().unwrap();
        for text in ["e1g1", "e1h1"] {
            let mv = parse_move(&position, text).unwrap();
            assert_eq!(Notation::Standard.show(&position, mv), "e1g1");
            assert_eq!(Notation::Chess960.show(&position, mv), "e1h1");
        }
        for text in ["O-O", "0-0", "O-O!?"] {
            assert_eq!(parse_san(&position, text).map(|mv| san(&position, mv)), Ok("O-O".to_string()));
        }
    }

    #[test]
    fn castling_of_chess960_survives() {
        for (fen, shown, notation) in [
            (
                "bqnrkrnb/8/8/8/8/8/8/BQNRKRNB w KQkq - 0 1",
                "bqnrkrnb/8/8/8/8/8/8/BQNRKRNB w FDfd - 0 1",
                Notation::Chess960,
            ),
            (
                "bqnrkrnb/8/8/8/8/8/8/BQNRKRNB w FDfd - 0 1",
                "bqnrkrnb/8/8/8/8/8/8/BQNRKRNB w FDfd - 0 1",
                Notation::Chess960,
            ),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", Notation::Standard),
            ("4k2r/8/8/8/8/8/8/R3K3 b Qk - 3 9", "4k2r/8/8/8/8/8/8/R3K3 b Qk - 3 9", Notation::Standard),
            ("r3k2r/8/8/8/4K3/8/8/8 w KQkq - 0 1", "r3k2r/8/8/8/4K3/8/8/8 w kq - 0 1", Notation::Standard),
        ] {
            let position: Position = fen.parse().unwrap();
            assert_eq!((position.to_string().as_str(), Notation::of(&position)), (shown, notation));
        }
    }

    #[test]
    fn every_legal_move_is_read_back() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/P6k/8/3pP3/8/8/8/K7 w - d6 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        ] {
            let position: Position = fen.parse().unwrap();
            let mut moves = Vec::new();
            position.moves(&mut moves);
            for mv in moves {
                assert_eq!(parse_san(&position, &san(&position, mv)), Ok(mv));
                assert_eq!(parse_move(&position, &Notation::Standard.show(&position, mv)), Ok(mv));
            }
        }
    }

    #[test]
    fn junk_is_no_move() {
        let position = Position::default();
        for text in ["", "e2", "e2e5", "e9e4", "0000", "e2e4qq", "é2e4", "O-O", "Nf6", "e7e8q", "zzzzzzzzzzzzzzz"] {
            assert!(parse_move(&position, text).is_err(), "{text}");
            assert!(parse_san(&position, text).is_err(), "{text}");
        }
    }
}
