//! What the user interface has set up: the position, what was before it, and what can be said about it without a search.

use super::command::Go;
use crate::GoLimits;
use crate::options::LIST;
use chess::{Notation, Position, divide, parse_move};
use game::Game;

/// The deepest count of paths that is begun.
const DEEPEST_PERFT: u32 = 20;

/// The position to search, and the game before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setup {
    /// The position.
    pub(crate) position: Position,
    /// Keys of the positions before it, oldest first.
    pub(crate) history: Vec<u64>,
}

impl Setup {
    /// Sets up a position; if anything is wrong with it, the old one stays and the error says so.
    pub(crate) fn set(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), String> {
        let start = fen.map_or_else(|| Ok(Position::default()), str::parse);
        let mut position = start.map_err(|error| format!("{error}; the position is unchanged"))?;
        let mut history = Vec::with_capacity(moves.len());
        for text in moves {
            let mv = parse_move(&position, text).map_err(|error| format!("{error}; the position is unchanged"))?;
            history.push(position.key());
            position = position.play(mv);
        }
        *self = Setup { position, history };
        Ok(())
    }

    /// What a search of this position has to keep to. Moves that are not legal are told, and not searched.
    pub(crate) fn limits(&self, go: &Go, complain: &mut dyn FnMut(&str)) -> GoLimits {
        let mut only = Vec::new();
        for text in &go.only {
            match parse_move(&self.position, text) {
                Ok(mv) => only.push(mv),
                Err(error) => complain(&format!("searchmoves: {error}")),
            }
        }
        let time = go.time_control(self.side());
        GoLimits { depth: go.depth, nodes: go.nodes, mate: go.mate, time, infinite: go.infinite, only }
    }

    /// The number of the side to move (0: White).
    pub(crate) fn side(&self) -> usize {
        self.position.board().side_to_move() as usize
    }

    /// Counts the paths below each move.
    pub(crate) fn perft(&self, depth: u32, notation: Notation, say: &mut dyn FnMut(&str)) {
        let mut total = 0;
        for (mv, paths) in divide(&self.position, depth.min(DEEPEST_PERFT)) {
            total += paths;
            say(&format!("{}: {paths}", notation.show(&self.position, mv)));
        }
        say(&format!("\nNodes searched: {total}"));
    }

    /// The position in words.
    pub(crate) fn shown(&self) -> String {
        format!("Fen: {}\nKey: {:016X}", self.position.board(), self.position.key())
    }
}

/// Who we are.
pub(crate) fn identity() -> [String; 2] {
    [format!("id name Jamboree {}", env!("CARGO_PKG_VERSION")), "id author the Jamboree authors".to_string()]
}

/// Our options, as they are announced.
pub(crate) fn options() -> impl Iterator<Item = String> {
    LIST.iter().map(|(name, takes)| format!("option name {name} {}", takes.describe()))
}

/// The whole answer to `uci`.
pub(crate) fn introduction() -> Vec<String> {
    identity().into_iter().chain(options()).chain(["uciok".to_string()]).collect()
}
