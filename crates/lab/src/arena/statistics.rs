//! Statistics of game results: score, and Elo with its error.
//! Two games from one opening with colours exchanged are not independent, but pairs are. So the error is computed from
//! the five possible results of a pair (the pentanomial). It is smaller than the error of single games.

use serde::Serialize;
use std::fmt;

/// Standard deviations within which 95 % of a normal distribution lie.
const WITHIN_95: f64 = 1.959_964;

/// The results of A against B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Games that A won.
    pub wins: u64,
    /// Games that were drawn.
    pub draws: u64,
    /// Games that A lost.
    pub losses: u64,
    /// Pairs of games that brought A no point, half a point, one, one and a half, and two.
    pub pairs: [u64; 5],
}

/// A number with the limits of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// The lower limit.
    pub low: f64,
    /// The upper limit.
    pub high: f64,
}

/// Independent observations of A's share of the points, each between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    count: f64,
    mean: f64,
    variance: f64,
    /// How many games make one observation.
    games: f64,
}

impl Counts {
    /// Adds a pair of games, each given as the half points of A.
    pub fn add_pair(&mut self, half_points: [u8; 2]) {
        for half_points in half_points {
            match half_points {
                0 => self.losses += 1,
                1 => self.draws += 1,
                _ => self.wins += 1,
            }
        }
        self.pairs[usize::from(half_points[0] + half_points[1]).min(4)] += 1;
    }

    /// How many games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The points of A.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The share of the points that A got; one half if there are none yet.
    pub fn score(&self) -> f64 {
        self.sample().map_or(0.5, |sample| sample.mean)
    }

    /// How much stronger A is, in Elo; none without a game. Has no bounds if A won all points, or none.
    pub fn elo(&self) -> Option<Estimate> {
        let sample = self.sample()?;
        let reach = WITHIN_95 * sample.error();
        let at = |score: f64| elo(score.clamp(0.0, 1.0));
        Some(Estimate { value: at(sample.mean), low: at(sample.mean - reach), high: at(sample.mean + reach) })
    }

    /// Normalized Elo: the advantage in standard deviations of a game, scaled to resemble Elo. It says how many games
    /// are needed to measure it, whatever the openings and the time control. None if every result was the same.
    pub fn normalized_elo(&self) -> Option<Estimate> {
        let sample = self.sample().filter(|sample| sample.variance > 0.0)?;
        let deviation = (sample.variance * sample.games).sqrt();
        let at = |score: f64| (score - 0.5) / deviation * 800.0 / std::f64::consts::LN_10;
        let reach = WITHIN_95 * sample.error();
        Some(Estimate { value: at(sample.mean), low: at(sample.mean - reach), high: at(sample.mean + reach) })
    }

    /// The likelihood that A is stronger than B.
    pub fn superiority(&self) -> f64 {
        match self.sample() {
            Some(sample) if sample.variance > 0.0 => normal((sample.mean - 0.5) / sample.error()),
            Some(sample) if sample.mean != 0.5 => f64::from(u8::from(sample.mean > 0.5)),
            _ => 0.5,
        }
    }

    /// The results as shares of the points, with how often each occurred: by pairs, or by games if there is no pair.
    pub(super) fn results(&self) -> Vec<(f64, f64)> {
        let shares = |counts: &[u64]| {
            let most = (counts.len() - 1) as f64;
            counts.iter().enumerate().map(|(index, &count)| (index as f64 / most, count as f64)).collect()
        };
        if self.by_pairs() { shares(&self.pairs) } else { shares(&[self.losses, self.draws, self.wins]) }
    }

    fn by_pairs(&self) -> bool {
        self.pairs.iter().any(|&count| count > 0)
    }

    fn sample(&self) -> Option<Sample> {
        let results = self.results();
        let count: f64 = results.iter().map(|(_, count)| count).sum();
        let mean = results.iter().map(|(share, count)| share * count).sum::<f64>() / count;
        let variance = results.iter().map(|(share, often)| (share - mean).powi(2) * often).sum::<f64>() / count;
        let games = if self.by_pairs() { 2.0 } else { 1.0 };
        (count > 0.0).then_some(Sample { count, mean, variance, games })
    }
}

impl Sample {
    /// The standard error of the mean.
    fn error(&self) -> f64 {
        (self.variance / self.count).sqrt()
    }
}

impl Estimate {
    /// Half the width of the interval; none if it is unbounded.
    pub fn error(&self) -> Option<f64> {
        Some((self.high - self.low) / 2.0).filter(|error| error.is_finite())
    }
}

/// The value with its error where it has one: `+12.3 ± 4.5`.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error() {
            Some(error) => write!(f, "{:+.1} ± {error:.1}", self.value),
            None if self.low.is_finite() => write!(f, "{:+.1}, at least {:+.1}", self.value, self.low),
            None if self.high.is_finite() => write!(f, "{:+.1}, at most {:+.1}", self.value, self.high),
            None => write!(f, "{:+.1} without bounds", self.value),
        }
    }
}

/// The Elo difference at which this share of the points is expected.
fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The share of a normal distribution below a number of standard deviations (Abramowitz & Stegun 7.1.26, error below
/// 1e-6).
fn normal(deviations: f64) -> f64 {
    let x = deviations.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let factors = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let polynomial = factors.into_iter().fold(0.0, |sum, factor| (sum + factor) * t);
    let beyond = polynomial * (-x * x).exp() / 2.0;
    if deviations > 0.0 { 1.0 - beyond } else { beyond }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: [u64; 5]) -> Counts {
        Counts { pairs, ..Counts::default() }
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.01, "{found}, not {expected}");
    }

    #[test]
    fn pairs_are_counted_by_their_points() {
        let mut counts = Counts::default();
        for pair in [[2, 2], [2, 0], [1, 1], [0, 1]] {
            counts.add_pair(pair);
        }
        assert_eq!(counts, Counts { wins: 3, draws: 3, losses: 2, pairs: [0, 1, 2, 0, 1] });
        assert_eq!((counts.games(), counts.points(), counts.score()), (8, 4.5, 4.5 / 8.0));
    }

    #[test]
    fn elo_and_its_error_by_hand() {
        // Mean 1/2, variance (2 * 0.25 + 4 * 0.0625) / 10 = 0.075, standard error 0.0866, so 0.5 +- 0.1697.
        let even = pairs([1, 2, 4, 2, 1]).elo().unwrap();
        near(even.value, 0.0);
        near(even.error().unwrap(), 122.82);
        near(pairs([1, 2, 4, 2, 1]).superiority(), 0.5);
        // Three quarters of the points are 190.85 Elo.
        near(pairs([0, 0, 1, 0, 1]).elo().unwrap().value, 190.85);
        // Single games: mean 0.6, variance (4 * 0.16 + 4 * 0.01 + 2 * 0.36) / 10 = 0.14.
        let games = Counts { wins: 4, draws: 4, losses: 2, pairs: [0; 5] };
        near(games.elo().unwrap().value, 70.44);
        near(games.sample().unwrap().variance, 0.14);
        // (0.6 - 0.5) / sqrt(0.14 / 10) = 0.8452 standard errors; of the normal distribution 0.801 lie below.
        near(games.superiority(), 0.801);
        near(games.normalized_elo().unwrap().value, 0.1 / 0.14f64.sqrt() * 347.4356);
    }

    #[test]
    fn elo_agrees_with_other_programs() {
        // As fastchess reports them for the same results, to two digits.
        let counts = pairs([0, 2, 5, 1, 2]);
        let (elo, normalized) = (counts.elo().unwrap(), counts.normalized_elo().unwrap());
        near(elo.value, 52.51);
        near(elo.error().unwrap(), 115.00);
        near(normalized.value, 73.34);
        near(normalized.error().unwrap(), 152.27);
    }

    #[test]
    fn pairs_that_all_ended_alike_leave_no_doubt() {
        // Every pair ended 1-1 with one win for each side: the engines are equal, though no game was drawn.
        let split = Counts { wins: 10, draws: 0, losses: 10, pairs: [0, 0, 10, 0, 0] };
        assert_eq!(split.elo().unwrap().error(), Some(0.0));
        assert_eq!((split.superiority(), split.normalized_elo()), (0.5, None));
    }

    #[test]
    fn winning_everything_has_no_bounds() {
        let all = pairs([0, 0, 0, 0, 5]).elo().unwrap();
        assert!(all.value == f64::INFINITY && all.error().is_none());
        assert_eq!(all.to_string(), "+inf without bounds");
        let nearly = pairs([0, 0, 0, 1, 5]).elo().unwrap();
        assert!(nearly.value.is_finite() && nearly.error().is_none() && nearly.to_string().contains("at least"));
        assert_eq!((pairs([0, 0, 0, 0, 5]).superiority(), pairs([5, 0, 0, 0, 0]).superiority()), (1.0, 0.0));
        assert_eq!(Counts::default().elo(), None);
    }
}
