//! Limited strength: fewer nodes, and sometimes a move that is not the best.

use chess::Move;
use rand_xoshiro::rand_core::Rng;
use search::RootMove;

/// The lowest rating.
pub const MIN_ELO: u32 = 1200;
/// The highest rating; above it the strength is not limited.
pub const MAX_ELO: u32 = 2800;

/// Number of best lines to choose a move from.
pub(crate) const LINES: usize = 4;

/// Nodes for each move at a rating: a factor of two for each 100 points, the rule of thumb for programs of this strength.
pub(crate) fn nodes(elo: u32) -> u64 {
    let doublings = f64::from(elo.clamp(MIN_ELO, MAX_ELO) - MIN_ELO) / 100.0;
    (60.0 * 2f64.powf(doublings)) as u64
}

/// Chooses a move among the best lines. The lower the rating, the larger the mistakes.
pub(crate) fn choose(lines: &[RootMove<Move>], elo: u32, random: &mut impl Rng) -> Option<Move> {
    let best = lines.first()?;
    // Up to a pawn and a half at the weakest, nothing at the strongest.
    let tolerance = (MAX_ELO - elo.clamp(MIN_ELO, MAX_ELO)) as i32 * 150 / (MAX_ELO - MIN_ELO) as i32;
    let mut noisy_score =
        |root: &RootMove<Move>| root.score.value() + (random.next_u64() % (tolerance as u64 + 1)) as i32;
    let candidates = lines.iter().take(LINES).filter(|root| best.score - root.score <= tolerance);
    candidates.max_by_key(|root| noisy_score(root)).map(|root| root.mv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rating_more_nodes() {
        assert!((MIN_ELO..MAX_ELO).all(|elo| nodes(elo) <= nodes(elo + 1)));
        assert!(nodes(MIN_ELO) < 100 && nodes(MAX_ELO) > 1_000_000);
    }
}
