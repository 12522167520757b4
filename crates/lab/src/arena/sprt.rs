//! The sequential test (SPRT), which ends a match as soon as the results are clear.

use super::statistics::Counts;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// A result that did not occur is counted this often: it may still occur.
const UNSEEN: f64 = 1e-3;

/// A sequential test: play until the results clearly favour `elo1` over `elo0`, or `elo0` over `elo1`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// The Elo difference if the change is useless.
    pub elo0: f64,
    /// The Elo difference if the change is good.
    pub elo1: f64,
    /// How often a useless change may be accepted.
    pub alpha: f64,
    /// How often a good change may be rejected.
    pub beta: f64,
}

/// How a sequential test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtVerdict {
    /// `elo1` is accepted.
    Accepted,
    /// `elo0` is accepted.
    Rejected,
}

impl FromStr for Sprt {
    type Err = String;

    /// Reads `elo0,elo1` or `elo0,elo1,alpha,beta`; the errors are 0.05 if not given.
    fn from_str(text: &str) -> Result<Sprt, String> {
        let wrong = || format!("'{text}' is not a sequential test: write elo0,elo1 such as 0,5 (or 0,5,0.05,0.05)");
        let numbers: Vec<f64> =
            text.split(',').map(|word| word.trim().parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
        let sprt = match numbers[..] {
            [elo0, elo1] => Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 },
            [elo0, elo1, alpha, beta] => Sprt { elo0, elo1, alpha, beta },
            _ => return Err(wrong()),
        };
        let in_range = |elo: f64| (-1000.0..=1000.0).contains(&elo);
        let is_error = |error: f64| (1e-6..0.5).contains(&error);
        if !(in_range(sprt.elo0) && in_range(sprt.elo1) && sprt.elo0 < sprt.elo1) {
            return Err(format!("'{text}' is not a sequential test: elo0 must be below elo1, both within 1000"));
        }
        if !(is_error(sprt.alpha) && is_error(sprt.beta)) {
            return Err(format!("'{text}' is not a sequential test: alpha and beta must be above 0 and below 0.5"));
        }
        Ok(sprt)
    }
}

/// As it is read: `0,5,0.05,0.05`.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{},{}", self.elo0, self.elo1, self.alpha, self.beta)
    }
}

impl Sprt {
    /// The test ends when the log-likelihood ratio leaves this range (Wald 1945).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The generalized log-likelihood ratio: how much better the results fit the best distribution worth `elo1` than
    /// the best one worth `elo0`. For many games it is near the well-known normal approximation; for few games, or if
    /// all have the same result, only this one is exact.
    pub fn llr(&self, counts: &Counts) -> f64 {
        if counts.games() == 0 {
            return 0.0;
        }
        let results: Vec<_> =
            counts.results().into_iter().map(|(share, count)| (share, f64::max(count, UNSEEN))).collect();
        let (score0, score1) = (expected_score(self.elo0), expected_score(self.elo1));
        let (tilt0, tilt1) = (tilt(&results, score0), tilt(&results, score1));
        let ratio = |share: f64| ((1.0 + tilt0 * (share - score0)) / (1.0 + tilt1 * (share - score1))).ln();
        results.iter().map(|&(share, count)| count * ratio(share)).sum()
    }

    /// The verdict; none while the test must go on.
    pub fn verdict(&self, counts: &Counts) -> Option<SprtVerdict> {
        let (low, high) = self.bounds();
        match self.llr(counts) {
            llr if llr >= high => Some(SprtVerdict::Accepted),
            llr if llr <= low => Some(SprtVerdict::Rejected),
            _ => None,
        }
    }
}

/// The share of the points to expect at this Elo difference.
fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The most likely distribution with a given mean has the weights `count / (1 + x * (share - mean))`; this is the x.
/// Every share must have a count above zero.
fn tilt(results: &[(f64, f64)], mean: f64) -> f64 {
    let slope = |x: f64| -> f64 {
        results.iter().map(|(share, count)| count * (share - mean) / (1.0 + x * (share - mean))).sum()
    };
    // The sum falls from infinity to minus infinity between the two poles: bisect until the interval is empty.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: [u64; 5]) -> Counts {
        Counts { wins: 1, pairs, ..Counts::default() }
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.01, "{found}, not {expected}");
    }

    #[test]
    fn the_bounds_of_a_test_are_walds() {
        let (low, high) = "0,5".parse::<Sprt>().unwrap().bounds();
        near(low, -2.944);
        near(high, 2.944);
    }

    #[test]
    fn for_many_games_the_ratio_is_near_its_normal_approximation() {
        let sprt: Sprt = "0,5".parse().unwrap();
        let counts = pairs([100, 500, 1000, 560, 120]);
        // N (s1 - s0) (2 s - s0 - s1) / (2 variance) with s0 = 0.5, s1 = 0.507195.
        let (count, mean) = (2280.0, (500.0 * 0.25 + 1000.0 * 0.5 + 560.0 * 0.75 + 120.0) / 2280.0);
        let square = (500.0 * 0.0625 + 1000.0 * 0.25 + 560.0 * 0.5625 + 120.0) / count;
        let (score0, score1) = (0.5, 0.507_195);
        let approximation: f64 =
            count * (score1 - score0) * (2.0 * mean - score0 - score1) / (2.0 * (square - mean * mean));
        assert!((sprt.llr(&counts) - approximation).abs() < 0.02 * approximation, "{approximation}");
        assert!((1.0..3.0).contains(&approximation), "{approximation}");
    }

    #[test]
    fn the_ratio_agrees_with_other_programs() {
        // As fastchess reports them for the same results, to two digits.
        for (sprt, results, llr) in
            [("0,5", [0, 0, 0, 0, 2], 0.03), ("0,300", [0, 0, 0, 0, 6], 3.18), ("0,20", [6, 0, 42, 6, 6], 0.32)]
        {
            near(sprt.parse::<Sprt>().unwrap().llr(&pairs(results)), llr);
        }
    }

    #[test]
    fn a_test_ends_when_it_is_clear() {
        let sprt: Sprt = "0,10".parse().unwrap();
        assert_eq!(sprt.verdict(&Counts::default()), None);
        assert_eq!(sprt.verdict(&pairs([10, 50, 100, 50, 10])), None);
        assert_eq!(sprt.verdict(&pairs([100, 500, 1000, 600, 150])), Some(SprtVerdict::Accepted));
        assert_eq!(sprt.verdict(&pairs([150, 600, 1000, 500, 100])), Some(SprtVerdict::Rejected));
    }

    #[test]
    fn odd_tests_are_refused() {
        for text in ["", "5", "5,0", "5,5", "0,nan", "0,5,0.05", "0,5,0,0", "0,5,0.6,0.05", "0;5", "0,inf", "a,b"] {
            assert!(text.parse::<Sprt>().is_err_and(|message| message.contains("sequential test")), "{text}");
        }
        assert_eq!("-5, 0".parse::<Sprt>().map(|sprt| (sprt.elo0, sprt.elo1)), Ok((-5.0, 0.0)));
    }
}
