//! The trainer: finds the weights of the network that best predict scores and results of positions.
//!
//! The prediction is the sigmoid of the network's output; the target a mixture of `sigmoid(score / scale)` and the
//! game's result. Only the rows of features that occur are updated. Every thread has its own gradient, and the same
//! seed and number of threads give the same network.

mod adam;
mod data;
mod factors;
mod model;
mod plot;
pub mod record;

pub use data::{DataError, TrainingData, convert, each_line};
pub use model::{Aim, Model, Shape};
pub use plot::{csv, svg};

use crate::random::Random;
use chess::board::Board;
use chess::evaluation::network::{NetworkError, check_shape};
use factors::Factors;
use game::Score;
use model::{Scratch, sigmoid};
use record::PackedPosition;
use std::fmt;
use std::time::Instant;

/// How to train.
#[derive(Clone, Debug)]
pub struct TrainSettings {
    /// The network's sizes.
    pub shape: Shape,
    /// What is predicted.
    pub aim: Aim,
    /// Passes over the data.
    pub epochs: usize,
    /// Positions a step.
    pub batch: usize,
    /// Size of the first steps. It falls to a hundredth, along half a cosine.
    pub rate: f32,
    /// Weight decay: the share of a weight that is lost in a step of size one.
    pub fading: f32,
    /// Decides the first weights and the order of the positions.
    pub seed: u64,
    /// Number of threads.
    pub threads: usize,
}

/// Why a network can't be trained with some settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrainError {
    /// The engine could not read the network.
    Network(NetworkError),
    /// A number is out of range: its name, and what it may be.
    Number(&'static str, &'static str),
}

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrainError::Network(error) => error.fmt(f),
            TrainError::Number(name, range) => write!(f, "--{name} must be {range}"),
        }
    }
}

impl std::error::Error for TrainError {}

impl TrainSettings {
    /// Checks that the engine can read the network that training makes. `unit` is what an output of one is worth, in
    /// hundredths of a pawn.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn check(&self, unit: i64) -> Result<(), TrainError> {
        let number = |fits: bool, name, range| if fits { Ok(()) } else { Err(TrainError::Number(name, range)) };
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        // A unit that does not fit its type is refused like any other that is too large or too small.
        check_shape(small(self.shape.hidden), small(self.shape.buckets), u32::try_from(unit).unwrap_or(0))
            .map_err(TrainError::Network)?;
        number(self.aim.scale.is_finite() && self.aim.scale > 0.0, "scale", "more than 0")?;
        number((0.0..=1.0).contains(&self.aim.trust), "trust", "from 0 to 1")?;
        number(self.rate > 0.0 && self.rate <= 1.0, "rate", "more than 0 and at most 1")?;
        number((0.0..=1.0).contains(&self.fading), "fading", "from 0 to 1")?;
        number(self.batch > 0, "batch", "1 or more")
    }
}

/// The result of an epoch.
#[derive(Clone, Copy, Debug)]
pub struct Epoch {
    /// Its number, from 1.
    pub number: usize,
    /// The size of its last steps.
    pub rate: f32,
    /// The mean squared error on the positions learned from, during the epoch.
    pub learned: f64,
    /// The mean squared error on the held-out positions.
    pub held_out: f64,
    /// Positions learned from in a second.
    pub speed: f64,
}

/// A network being trained.
pub struct Trainer {
    settings: TrainSettings,
    /// The weights.
    pub model: Model,
    factors: Factors,
    random: Random,
    helpers: Vec<Helper>,
    epochs: usize,
    steps: usize,
}

/// The memory of a thread.
struct Helper {
    gradient: Vec<f32>,
    scratch: Scratch,
}

impl Trainer {
    /// Begins with random weights.
    pub fn new(settings: TrainSettings) -> Trainer {
        let shape = settings.shape;
        let mut random = Random::new(settings.seed);
        let mut model = Model::new(shape, &mut random);
        let factors = Factors::new(&mut model, &mut random);
        let helper = |_| Helper { gradient: vec![0.0; shape.len()], scratch: Scratch::new(shape) };
        let helpers = (0..settings.threads.max(1)).map(helper).collect();
        Trainer { model, factors, random, helpers, epochs: 0, steps: 0, settings }
    }

    /// Goes once through the data, in a different order each time.
    pub fn epoch(&mut self, data: &mut TrainingData) -> Epoch {
        let start = Instant::now();
        self.random.shuffle(&mut data.learned);
        let batch = self.settings.batch.max(1);
        let all_steps = data.learned.len().div_ceil(batch) * self.settings.epochs;
        let (mut error, mut rate) = (0.0, 0.0);
        for batch in data.learned.chunks(batch) {
            let progress = self.steps as f32 / all_steps as f32;
            rate = self.settings.rate * (0.01 + 0.99 * 0.5 * (1.0 + (std::f32::consts::PI * progress).cos()));
            error += self.learn(batch, rate);
            self.steps += 1;
        }
        self.epochs += 1;
        let count = data.learned.len().max(1) as f64;
        let speed = count / start.elapsed().as_secs_f64();
        let held_out = self.loss(&data.held_out);
        Epoch { number: self.epochs, rate, learned: error / count, held_out, speed }
    }

    /// One step; the sum of the errors before it.
    fn learn(&mut self, batch: &[PackedPosition], rate: f32) -> f64 {
        let (model, aim) = (&self.model, self.settings.aim);
        let share = batch.len().div_ceil(self.helpers.len()).max(1);
        let work = |helper: &mut Helper, records: &[PackedPosition]| -> f64 {
            let Helper { gradient, scratch } = helper;
            records.iter().map(|record| f64::from(model.learn(record, aim, gradient, scratch))).sum()
        };
        let error = std::thread::scope(|scope| {
            let mut shares = self.helpers.iter_mut().zip(batch.chunks(share));
            let own = shares.next();
            let others: Vec<_> = shares.map(|(helper, records)| scope.spawn(move || work(helper, records))).collect();
            let own = own.map_or(0.0, |(helper, records)| work(helper, records));
            others.into_iter().fold(own, |sum, other| sum + other.join().unwrap_or(f64::NAN))
        });
        let (first, others) = self.helpers.split_at_mut(1);
        let total = &mut first[0].gradient;
        for helper in others {
            for (total, part) in total.iter_mut().zip(&mut helper.gradient) {
                *total += std::mem::take(part);
            }
        }
        let mean = (batch.len().max(1) as f32).recip();
        total.iter_mut().for_each(|gradient| *gradient *= mean);
        self.factors.step(&mut self.model, total, rate, self.settings.fading);
        total.fill(0.0);
        error
    }

    /// The mean squared error on some positions.
    pub fn loss(&self, records: &[PackedPosition]) -> f64 {
        let mut scratch = Scratch::new(self.settings.shape);
        let error = |record| f64::from(self.model.error(record, self.settings.aim, &mut scratch));
        records.iter().map(error).sum::<f64>() / records.len().max(1) as f64
    }
}

/// The mean squared error of an evaluation in which `unit` hundredths of a pawn stand for an output of one.
pub fn loss_of(evaluate: &dyn Fn(&Board) -> Score, unit: f32, records: &[PackedPosition], aim: Aim) -> f64 {
    let error = |record: &PackedPosition| {
        let output = evaluate(&record.board()?).value() as f32 / unit;
        Some(f64::from((sigmoid(output) - aim.target(record)).powi(2)))
    };
    let errors: Vec<f64> = records.iter().filter_map(error).collect();
    errors.iter().sum::<f64>() / errors.len().max(1) as f64
}

/// The largest score that counts for [`mean_size`].
const UNDECIDED: f32 = 500.0;

/// The mean size of the scores of an evaluation, in positions that are not decided.
pub fn mean_size(evaluate: &dyn Fn(&Board) -> Score, records: &[PackedPosition]) -> f64 {
    let undecided = records.iter().filter(|record| record.labels().0.abs() <= UNDECIDED);
    let sizes: Vec<i32> = undecided.filter_map(|record| Some(evaluate(&record.board()?).value().abs())).collect();
    f64::from(sizes.iter().sum::<i32>()) / sizes.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagen::{DatagenSettings, GamePlayer};
    use chess::evaluation::network::Network;
    use std::sync::Arc;

    fn some_data() -> TrainingData {
        let mut player = GamePlayer::new(DatagenSettings { nodes: 100, random_plies: 8, seed: 9 }).unwrap();
        let games = (1..).filter_map(|number| player.play(number)).take(12);
        let records: Vec<PackedPosition> =
            games.flat_map(|game| game.samples).map(|sample| PackedPosition::new(&sample)).collect();
        let mut data = TrainingData::default();
        (data.held_out, data.learned) = (records[..50].to_vec(), records[50..].to_vec());
        data
    }

    fn settings(threads: usize) -> TrainSettings {
        TrainSettings {
            shape: Shape { hidden: 64, buckets: 1 },
            aim: Aim { scale: 400.0, trust: 0.3 },
            epochs: 6,
            batch: 64,
            rate: 0.003,
            fading: 0.01,
            seed: 1,
            threads,
        }
    }

    #[test]
    fn settings_that_lead_nowhere_are_refused_before_training() {
        let good = settings(1);
        assert_eq!(good.check(400), Ok(()));
        let (shape, aim) = (good.shape, good.aim);
        let bad = [
            (TrainSettings { shape: Shape { hidden: 2048, ..shape }, ..good.clone() }, 400, "2048 neurons"),
            (TrainSettings { shape: Shape { hidden: 100, ..shape }, ..good.clone() }, 400, "100 neurons"),
            (good.clone(), 0, "scale 0"),
            (good.clone(), -1, "scale"),
            (good.clone(), 1 << 40, "scale"),
            (TrainSettings { aim: Aim { scale: 0.0, ..aim }, ..good.clone() }, 400, "--scale"),
            (TrainSettings { aim: Aim { scale: f32::NAN, ..aim }, ..good.clone() }, 400, "--scale"),
            (TrainSettings { aim: Aim { trust: 7.0, ..aim }, ..good.clone() }, 400, "--trust"),
            (TrainSettings { aim: Aim { trust: f32::NAN, ..aim }, ..good.clone() }, 400, "--trust"),
            (TrainSettings { rate: f32::NAN, ..good.clone() }, 400, "--rate"),
            (TrainSettings { rate: 0.0, ..good.clone() }, 400, "--rate"),
            (TrainSettings { fading: f32::INFINITY, ..good.clone() }, 400, "--fading"),
            (TrainSettings { batch: 0, ..good }, 400, "--batch"),
        ];
        for (settings, unit, expected) in bad {
            let message = settings.check(unit).expect_err(expected).to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn training_lowers_the_error_and_is_the_same_every_time() {
        let data = some_data();
        let train = || {
            let mut data = data.clone();
            let mut trainer = Trainer::new(settings(2));
            let epochs: Vec<Epoch> = (0..6).map(|_| trainer.epoch(&mut data)).collect();
            (epochs, trainer)
        };
        let (epochs, trainer) = train();
        assert!(epochs[5].learned < 0.5 * epochs[0].learned, "{epochs:?}");
        assert_eq!(train().1.model.weights, trainer.model.weights);
        let network = Arc::new(Network::from(&trainer.model.quantised(400)));
        let (exact, quantised) = (
            trainer.loss(&data.held_out),
            loss_of(&|board| network.evaluate(board), 400.0, &data.held_out, settings(1).aim),
        );
        assert!((exact - quantised).abs() < 0.002, "{exact} {quantised}");
    }
}
