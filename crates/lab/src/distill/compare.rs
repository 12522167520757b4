//! Does the teacher in this process say what Stockfish prints?

use super::teacher::{PRINTED_PAWN, Teacher, TeacherNetwork};
use super::{Stockfish, stray};
use chess::Position;
use chess::board::Color;
use std::fmt;
use std::sync::Arc;

/// How many evaluations are the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct Comparison {
    /// Positions that both evaluated; those in check have no evaluation.
    pub compared: usize,
    /// How many evaluations differ by more than the rounding of what is printed.
    pub different: usize,
    /// The largest difference, in pawns.
    pub largest: f64,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { compared, different, largest } = self;
        write!(
            f,
            "{compared} positions: {different} evaluations differ, by {largest:.4} pawns at most (two decimals are printed)"
        )
    }
}

/// Compares the evaluations of positions after up to 80 random moves.
///
/// # Errors
/// If the engine can't be started or does not answer as Stockfish does.
pub fn compare(network: Arc<TeacherNetwork>, engine: &str, count: usize, seed: u64) -> std::io::Result<Comparison> {
    let mut teacher = Teacher::new(network);
    let mut stockfish = Stockfish::start(engine)?;
    let mut comparison = Comparison::default();
    let numbers = (0..).map(|number: u64| (number, number as usize % 81));
    let far = numbers.filter_map(|(number, plies)| stray(&Position::default(), plies, seed << 40 ^ number, true));
    for position in far.filter(|position| !position.in_check()).take(count) {
        let value = teacher.evaluate(position.board());
        let white = if position.board().side_to_move() == Color::White { value } else { -value };
        let Some(printed) = stockfish.network_evaluation(&position)? else { continue };
        let difference = (f64::from(white) / f64::from(PRINTED_PAWN) - printed).abs();
        comparison.compared += 1;
        // What is printed is rounded twice: to a hundredth towards zero, and to two decimals.
        comparison.different += usize::from(difference > 0.0101);
        comparison.largest = comparison.largest.max(difference);
    }
    Ok(comparison)
}
