//! The state of a tuning: the present values, what to try next, and how results move them.

use crate::random::Random;
use chess::{Parameter, Parameters, RuleSet};
use serde::Serialize;

/// A number that is tuned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tuned {
    /// Its name.
    pub name: String,
    /// Its first value.
    pub start: i32,
    /// The least it may be.
    pub low: i32,
    /// The most it may be.
    pub high: i32,
    /// The distance from the present value at which it is tried in the last pair.
    pub step: i32,
}

impl Tuned {
    /// The parameters of these names, with their first values from the profile. The name of an array stands for all its
    /// numbers.
    ///
    /// # Errors
    /// If there is no such parameter, no name is given, or one is given twice.
    pub fn list(names: &str, profile: &RuleSet) -> Result<Vec<Tuned>, String> {
        let mut list: Vec<Tuned> = Vec::new();
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let is_meant = |known: &Parameter| known.name == name || known.name.split('.').next() == Some(name);
            let before = list.len();
            for &Parameter { name, default, low, high, step } in Parameters::ALL.iter().filter(|known| is_meant(known))
            {
                if list.iter().any(|other| other.name == name) {
                    return Err(format!("parameter '{name}' is there twice"));
                }
                let start = profile.parameters.get(name).unwrap_or(default);
                list.push(Tuned { name: name.into(), start, low, high, step });
            }
            if list.len() == before {
                // The profile makes the message about a wrong name.
                return Err(Parameters::default().set(name, 0).err().unwrap_or_default());
            }
        }
        if list.is_empty() {
            return Err(format!("name some parameters to tune: {}", Parameters::NAMES.join(", ")));
        }
        Ok(list)
    }
}

/// What is tuned, and how.
#[derive(Clone, Debug)]
pub struct SpsaSettings {
    /// The numbers.
    pub parameters: Vec<Tuned>,
    /// How many pairs of games.
    pub pairs: u64,
    /// By how many steps a pair that is won by one point moves the values at the end.
    pub rate: f64,
    /// Decides directions and openings.
    pub seed: u64,
}

/// The exponents by which steps and moves shrink (Spall 1998).
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// `A`, as a share of the pairs: it keeps the first moves small.
const DELAY: f64 = 0.1;

/// The state of a tuning.
#[derive(Clone, Debug)]
pub struct State {
    settings: SpsaSettings,
    values: Vec<f64>,
    course: Vec<Vec<f64>>,
    /// Half points of the first engines.
    half_points: u64,
}

impl State {
    /// The state before the first pair.
    pub(super) fn new(settings: SpsaSettings) -> State {
        let values: Vec<f64> = settings.parameters.iter().map(|tuned| f64::from(tuned.start)).collect();
        State { settings, course: vec![values.clone()], values, half_points: 0 }
    }

    /// What is tuned, and how.
    pub fn settings(&self) -> &SpsaSettings {
        &self.settings
    }

    /// The present values.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The present values, rounded for an engine.
    pub fn rounded(&self) -> Vec<i32> {
        self.values.iter().map(|value| value.round() as i32).collect()
    }

    /// The values at the start and after each pair.
    pub fn course(&self) -> &[Vec<f64>] {
        &self.course
    }

    /// Number of pairs played.
    pub fn played(&self) -> u64 {
        self.course.len() as u64 - 1
    }

    /// The share of points of the first engines: about a half, if all is well.
    pub fn first_share(&self) -> f64 {
        self.half_points as f64 / (4 * self.played()).max(1) as f64
    }

    /// Each number's direction in a pair, and the fraction from which on it is rounded up. Both engines use the same
    /// fraction, so the mean distance between them is right.
    fn draw(&self, pair: u64) -> impl Iterator<Item = (f64, f64)> + use<> {
        let mut random = Random::for_item(self.settings.seed, pair);
        std::iter::repeat_with(move || {
            let direction = if random.next() >> 63 == 0 { 1.0 } else { -1.0 };
            (direction, (random.next() >> 11) as f64 / (1u64 << 53) as f64)
        })
    }

    /// The values of the two engines of a pair.
    pub(super) fn candidates(&self, pair: u64) -> (Vec<i32>, Vec<i32>) {
        let width = (self.settings.pairs as f64 / pair as f64).powf(GAMMA);
        let all = self.settings.parameters.iter().zip(&self.values).zip(self.draw(pair));
        all.map(|((tuned, value), (direction, place))| {
            let away = direction * width * f64::from(tuned.step);
            let whole = |value: f64| ((value + place).floor() as i32).clamp(tuned.low, tuned.high);
            (whole(value + away), whole(value - away))
        })
        .unzip()
    }

    /// Records a pair in which the first engine scored `half_points` of four.
    pub(super) fn learn(&mut self, pair: u64, half_points: u8) {
        let (pairs, number) = (self.settings.pairs as f64, pair as f64);
        let delay = DELAY * pairs;
        let size = self.settings.rate * ((delay + pairs) / (delay + number)).powf(ALPHA) * (number / pairs).powf(GAMMA);
        let result = f64::from(half_points) - 2.0;
        let directions = self.draw(pair);
        for ((tuned, value), (direction, _)) in self.settings.parameters.iter().zip(&mut self.values).zip(directions) {
            let moved = *value + size * f64::from(tuned.step) * result * direction;
            *value = moved.clamp(f64::from(tuned.low), f64::from(tuned.high));
        }
        self.half_points += u64::from(half_points);
        self.course.push(self.values.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_by_name_and_wrong_names_refused() {
        let profile = RuleSet::parse("modern,razor_margin.1=300").unwrap();
        let list = Tuned::list("null_depth, razor_margin", &profile).unwrap();
        let shown: Vec<_> = list.iter().map(|tuned| (tuned.name.as_str(), tuned.start)).collect();
        assert_eq!(shown, [("null_depth", 3), ("razor_margin.0", 400), ("razor_margin.1", 300)]);
        for (names, expected) in [
            ("null_dept", "no parameter 'null_dept'; there is null_depth"),
            ("razor_margin.2", "no parameter 'razor_margin.2'; there is razor_margin.0, razor_margin.1"),
            ("null_move", "no parameter 'null_move'"),
            ("razor_margin.0,razor_margin", "'razor_margin.0' is there twice"),
            (" ,", "name some parameters"),
        ] {
            let message = Tuned::list(names, &profile).unwrap_err();
            assert!(message.contains(expected), "{names}: {message}");
        }
    }

    #[test]
    fn candidates_lie_on_both_sides_and_within_the_range() {
        let tuned = |start, low, high, step| Tuned { name: "x".into(), start, low, high, step };
        let parameters = vec![tuned(100, 0, 200, 10), tuned(5, 0, 5, 1), tuned(3, 1, 9, 1)];
        let state = State::new(SpsaSettings { parameters, pairs: 1000, rate: 0.01, seed: 1 });
        let mut distance = 0;
        for pair in 1..=1000 {
            let (first, second) = state.candidates(pair);
            for (tuned, (&first, &second)) in state.settings.parameters.iter().zip(first.iter().zip(&second)) {
                assert!(first != second && (tuned.low..=tuned.high).contains(&first.min(second)));
                assert!(first.max(second) <= tuned.high);
            }
            distance += (first[2] - second[2]).abs();
        }
        // The mean of 2 c_k is 2 / (1 - 0.101), a little more for the first pairs.
        assert!((2150..=2300).contains(&distance), "{distance}");
    }
}
