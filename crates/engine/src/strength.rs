//! Limited strength: fewer nodes, and sometimes a move that is not the best.

use chess::Move;
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
pub(crate) fn choose(lines: &[RootMove<Move>], elo: u32, mut random: u64) -> Option<Move> {
    let best = lines.first()?;
    // Up to a pawn and a half at the weakest, nothing at the strongest.
    let tolerance = (MAX_ELO - elo.clamp(MIN_ELO, MAX_ELO)) as i32 * 150 / (MAX_ELO - MIN_ELO) as i32;
    let noisy_score = |root: &RootMove<Move>| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        root.score.value() + ((random >> 33) % (tolerance as u64 + 1)) as i32
    };
    let candidates = lines.iter().take(LINES).filter(|root| best.score - root.score <= tolerance);
    candidates.map(|root| root.mv).zip(lines.iter().map(noisy_score)).max_by_key(|&(_, score)| score).map(|(mv, _)| mv)
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
