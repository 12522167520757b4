//! The game so far: the position to search, and those before it.

use chess::{FenError, MoveError, Position, parse_move};
use game::Game;
use std::fmt;

/// A position, and the game that led to it.
#[derive(Clone, Debug, Default)]
pub struct GameRecord {
    /// The position.
    pub position: Position,
    /// Keys of the positions before it, oldest first.
    pub history: Vec<u64>,
}

/// Why a position was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionError {
    /// The text is no FEN of a legal position.
    Fen(FenError),
    /// A move is not legal where it is played.
    Move(MoveError),
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PositionError::Fen(error) => write!(f, "the position is refused: {error}"),
            PositionError::Move(error) => write!(f, "the position is refused: {error}"),
        }
    }
}

impl std::error::Error for PositionError {}

impl GameRecord {
    /// The position after these moves from `fen`, or from the usual start.
    ///
    /// # Errors
    /// If the FEN or a move is not legal.
    pub fn new<M: AsRef<str>>(fen: Option<&str>, moves: &[M]) -> Result<GameRecord, PositionError> {
        let start = fen.map_or_else(|| Ok(Position::default()), str::parse);
        let mut position = start.map_err(PositionError::Fen)?;
        let mut history = Vec::with_capacity(moves.len());
        for text in moves {
            let mv = parse_move(&position, text.as_ref()).map_err(PositionError::Move)?;
            history.push(position.key());
            position = position.play(mv);
        }
        Ok(GameRecord { position, history })
    }

    /// The number of the side to move (0: White).
    pub fn side(&self) -> usize {
        self.position.board().side_to_move() as usize
    }
}
