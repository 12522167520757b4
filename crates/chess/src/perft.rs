//! Counts all paths of a given length, to check the move generator.

use crate::{Move, Position};
use cozy_chess::Board;
use game::Game;

/// The number of paths of `depth` moves from a board. The last ply is counted, not played.
pub fn perft(board: &Board, depth: u32) -> u64 {
    let mut paths = 0;
    match depth {
        0 => paths = 1,
        1 => {
            board.generate_moves(|moves| {
                paths += moves.len() as u64;
                false
            });
        }
        _ => {
            board.generate_moves(|moves| {
                for mv in moves {
                    let mut next = board.clone();
                    next.play_unchecked(mv);
                    paths += perft(&next, depth - 1);
                }
                false
            });
        }
    }
    paths
}

/// A root move and the number of paths through it.
pub type Perft = (Move, u64);

/// The number of paths through each root move.
pub fn divide(position: &Position, depth: u32) -> Vec<Perft> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let below = depth.saturating_sub(1);
    moves.into_iter().map(|mv| (mv, perft(position.play(mv).board(), below))).collect()
}
