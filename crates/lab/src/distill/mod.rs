//! Positions with scores of a stronger evaluation, for training a network.
//!
//! [`Stockfish`] is a running Stockfish that is asked. [`teacher`] evaluates with a network of Stockfish's in this process, which is far
//! faster. [`interior`] plays games and takes the positions that its searches evaluate, with the teacher's scores.
//! [`compare`] shows that the teacher says what Stockfish prints.

mod compare;
pub mod interior;
mod stockfish;
pub mod teacher;

pub use compare::{Comparison, compare};
pub use stockfish::{BATCH, Stockfish, stray};
