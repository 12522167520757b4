//! Reads positions of the command line and of files.

use chess::{FenError, MoveError, Position, parse_san};
use game::Game;
use std::error::Error;
use std::fmt;

/// Why a text is not a position.
#[derive(Clone, Debug)]
pub enum StartError {
    /// The position can't be read.
    Position(FenError),
    /// One of the moves is not legal.
    Move(MoveError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Position(error) => error.fmt(f),
            StartError::Move(error) => error.fmt(f),
        }
    }
}

impl Error for StartError {}

/// A position and its history.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The position.
    pub position: Position,
    /// Keys of the positions before it, oldest first.
    pub history: Vec<u64>,
}

/// Reads `FEN`, `startpos`, and either of them followed by `moves` and moves (SAN or UCI). What UCI puts before a
/// position (`position fen`) is skipped.
///
/// # Errors
/// If the position can't be read, or a move is not legal.
pub fn read(text: &str) -> Result<Start, StartError> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let moves = words.iter().position(|&word| word == "moves").map(|at| words.split_off(at)).unwrap_or_default();
    let leading = words.iter().take_while(|word| ["position", "fen"].contains(word)).count();
    let position = match &words[leading..] {
        ["startpos"] => Position::default(),
        fields => fields.join(" ").parse().map_err(StartError::Position)?,
    };
    let mut start = Start { position, history: Vec::new() };
    for word in moves.iter().skip(1) {
        // Pasted moves often come with move numbers.
        let bare = word.trim_start_matches(|symbol: char| symbol.is_ascii_digit()).trim_start_matches('.');
        let word = if word.contains('.') { bare } else { word };
        if word.is_empty() {
            continue;
        }
        let mv = parse_san(&start.position, word).map_err(StartError::Move)?;
        start.history.push(start.position.key());
        start.position = start.position.play(mv);
    }
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_give_a_position_is_read() {
        let after = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        for text in [
            "startpos moves e4 e5",
            "position startpos moves e2e4 e7e5",
            "startpos moves 1.e4 e5",
            "startpos moves 1. e4 e5",
            "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e4 e5",
            after,
        ] {
            assert_eq!(read(text).unwrap().position.key(), after.parse::<Position>().unwrap().key(), "{text}");
        }
        assert_eq!(read("startpos moves Nf3 Nf6 Ng1 Ng8").unwrap().history.len(), 4);
    }

    #[test]
    fn nonsense_is_refused_in_one_line() {
        for text in ["", "hello", "startpos moves e5", "startpos e4", "moves e4", "8/8/8/8/8/8/8/8 w - - 0 1"] {
            let message = read(text).unwrap_err().to_string();
            assert!(!message.contains('\n') && !message.is_empty(), "{message}");
        }
    }
}
