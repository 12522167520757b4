//! Fits how score and material decide the result of a game (see [`engine::outlook`]) to games of the engine against itself.

use crate::tune::Sample;
use engine::outlook::{Chances, LEAST_MATERIAL, MATERIAL_STEP, MATERIALS, material, place};

/// Scores beyond this nearly always decide the game, and are left out.
const UNDECIDED: i32 = 600;
/// Scores that are counted together.
const WIDTH: i32 = 5;
const BINS: usize = (2 * UNDECIDED / WIDTH + 1) as usize;

/// How many games were lost, drawn and won from positions with some scores, for each material. A position whose material lies between
/// two entries of the table counts for both.
pub struct Results {
    counts: Vec<[[f64; 3]; BINS]>,
    /// Positions that were counted.
    pub positions: u64,
}

impl Default for Results {
    fn default() -> Results {
        Results { counts: vec![[[0.0; 3]; BINS]; MATERIALS], positions: 0 }
    }
}

impl Results {
    /// Counts a position.
    pub fn push(&mut self, sample: &Sample) {
        if sample.score.abs() > UNDECIDED {
            return;
        }
        self.positions += 1;
        let bin = ((sample.score + UNDECIDED + WIDTH / 2) / WIDTH) as usize;
        let result = (2.0 * sample.result).round() as usize;
        let (index, part) = place(material(&sample.board));
        self.counts[index][bin][result] += 1.0 - part;
        self.counts[index + 1][bin][result] += part;
    }

    /// How surprising the results at an entry are, in nats a position: smaller is better.
    pub fn surprise(&self, entry: usize, chances: Chances) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for (bin, [lost, drawn, won]) in self.counts[entry].iter().enumerate() {
            let score = f64::from(bin as i32 * WIDTH - UNDECIDED);
            let (win, loss) = (chances.win(score), chances.win(-score));
            let nats = |chance: f64| -chance.max(1e-9).ln();
            sum += lost * nats(loss) + drawn * nats(1.0 - win - loss) + won * nats(win);
            count += lost + drawn + won;
        }
        sum / f64::max(count, 1.0)
    }

    /// The chances that make the results at an entry most likely: by grid search, then on a finer grid around the best.
    pub fn fit(&self, entry: usize) -> Chances {
        let best = |halves: (i32, i32), spreads: (i32, i32), step: usize| {
            let grid = (halves.0..=halves.1)
                .step_by(step)
                .flat_map(|half_won| (spreads.0..=spreads.1).step_by(step).map(move |spread| (half_won, spread)));
            let chances =
                |(half_won, spread): (i32, i32)| Chances { half_won: f64::from(half_won), spread: f64::from(spread) };
            grid.map(|point| (self.surprise(entry, chances(point)), point))
                .min_by(|one, other| one.0.total_cmp(&other.0))
                .map_or((100, 100), |(_, point)| point)
        };
        let (half_won, spread) = best((10, 500), (10, 500), 10);
        let around = |value: i32| ((value - 10).max(5), value + 10);
        let (half_won, spread) = best(around(half_won), around(spread), 1);
        Chances { half_won: f64::from(half_won), spread: f64::from(spread) }
    }

    /// The material of an entry.
    pub fn material_of(entry: usize) -> u32 {
        LEAST_MATERIAL + MATERIAL_STEP * entry as u32
    }

    /// Positions that count for an entry, each by its nearness.
    pub fn count(&self, entry: usize) -> f64 {
        self.counts[entry].iter().flatten().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn chances_are_found_again() {
        let (mut random, mut results) = (Random::new(5), Results::default());
        let truth = Chances { half_won: 120.0, spread: 70.0 };
        let board: chess::board::Board = chess::Position::default().board().clone();
        for _ in 0..40_000 {
            let score = (500.0 * random.signed()) as i32;
            let luck = f64::from(random.signed()) / 2.0 + 0.5;
            let (win, loss) = (truth.win(f64::from(score)), truth.win(f64::from(-score)));
            let result = if luck < win {
                1.0
            } else if luck > 1.0 - loss {
                0.0
            } else {
                0.5
            };
            results.push(&Sample { board: board.clone(), score, result });
        }
        let entry = MATERIALS - 1;
        let found = results.fit(entry);
        assert!((found.half_won - 120.0).abs() < 6.0 && (found.spread - 70.0).abs() < 6.0, "{found:?}");
        assert!(results.surprise(entry, found) <= results.surprise(entry, truth));
        assert_eq!((results.positions, results.count(entry), results.count(0)), (40_000, 40_000.0, 0.0));
    }
}
