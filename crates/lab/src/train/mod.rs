//! The trainer: finds the weights of the network that best predict scores and results of positions.
//!
//! The prediction is the sigmoid of the network's output; the target a mixture of `sigmoid(score / scale)` and the
//! game's result. Every thread has its own gradient, and the same seed and number of threads give the same network, also if the
//! training was interrupted and went on from a checkpoint.

mod adam;
mod checkpoint;
mod data;
mod factors;
mod model;
mod plot;
pub mod record;

pub use checkpoint::CheckpointError;
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
    helpers: Vec<Helper>,
    /// Epochs that are done.
    epochs: usize,
    /// Groups and positions of the current epoch that are learned, and the sum of their errors.
    groups: usize,
    place: usize,
    error: f64,
}

/// Positions that a thread works on together: enough to load the weights of a strip for, and few enough to keep their sums.
const PORTION: usize = 2048;

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
        let helper = |_| Helper { gradient: vec![0.0; shape.len()], scratch: Scratch::default() };
        let helpers = (0..settings.threads.max(1)).map(helper).collect();
        Trainer { model, factors, helpers, epochs: 0, groups: 0, place: 0, error: 0.0, settings }
    }

    /// How many epochs are done.
    pub fn epochs(&self) -> usize {
        self.epochs
    }

    /// Goes through the data, in a different order each time, to the end of the epoch. Groups of positions are read while the
    /// group before is learned from; after each group but the last `pause` is called, with the positions learned in a second.
    ///
    /// # Errors
    /// If the data can't be read, or `pause` fails. The epoch can be continued.
    pub fn epoch<E: From<DataError>>(
        &mut self,
        data: &TrainingData,
        mut pause: impl FnMut(&Trainer, f64) -> Result<(), E>,
    ) -> Result<Epoch, E> {
        let (seed, epoch) = (self.settings.seed, self.epochs as u64);
        // The order depends only on the seed and the epoch, so that a training that was stopped goes on in the same order.
        let groups = data.groups(&mut Random::for_item(seed, epoch));
        let first = self.groups;
        let (mut rate, mut speed) = (0.0, 0.0);
        std::thread::scope(|scope| {
            let (sender, receiver) = std::sync::mpsc::sync_channel(1);
            let rest = groups.iter().enumerate().skip(first);
            scope.spawn(move || {
                for (number, group) in rest {
                    let mut random = Random::for_item(seed, (epoch + 1) << 32 | number as u64);
                    if sender.send(data.load(group, &mut random)).is_err() {
                        return;
                    }
                }
            });
            for records in receiver {
                let start = Instant::now();
                let records = records?;
                for batch in records.chunks(self.settings.batch.max(1)) {
                    rate = self.rate(data.learned());
                    self.error += self.learn(batch, rate);
                    self.place += batch.len();
                }
                speed = records.len() as f64 / start.elapsed().as_secs_f64();
                self.groups += 1;
                if self.groups < groups.len() {
                    pause(self, speed)?;
                }
            }
            Ok::<(), E>(())
        })?;
        self.epochs += 1;
        let learned = self.error / self.place.max(1) as f64;
        (self.groups, self.place, self.error) = (0, 0, 0.0);
        let held_out = self.loss(&data.held_out);
        Ok(Epoch { number: self.epochs, rate, learned, held_out, speed })
    }

    /// The size of the next step: it falls along half a cosine.
    fn rate(&self, learned: usize) -> f32 {
        let progress = (self.epochs * learned + self.place) as f32 / (self.settings.epochs * learned).max(1) as f32;
        self.settings.rate * (0.01 + 0.99 * 0.5 * (1.0 + (std::f32::consts::PI * progress.min(1.0)).cos()))
    }

    /// One step; the sum of the errors before it.
    fn learn(&mut self, batch: &[PackedPosition], rate: f32) -> f64 {
        let (model, aim) = (&self.model, self.settings.aim);
        let share = batch.len().div_ceil(self.helpers.len()).max(1);
        let work = |helper: &mut Helper, records: &[PackedPosition]| -> f64 {
            let Helper { gradient, scratch } = helper;
            records.chunks(PORTION).map(|some| model.learn(some, aim, gradient, scratch)).sum()
        };
        let error = std::thread::scope(|scope| {
            let mut shares = self.helpers.iter_mut().zip(batch.chunks(share));
            let own = shares.next();
            let others: Vec<_> = shares.map(|(helper, records)| scope.spawn(move || work(helper, records))).collect();
            let own = own.map_or(0.0, |(helper, records)| work(helper, records));
            others.into_iter().fold(own, |sum, other| sum + other.join().unwrap_or(f64::NAN))
        });
        let mean = (batch.len().max(1) as f32).recip();
        let mut gradients: Vec<&mut Vec<f32>> = self.helpers.iter_mut().map(|helper| &mut helper.gradient).collect();
        self.factors.step(&mut self.model, &mut gradients, mean, rate, self.settings.fading);
        error
    }

    /// The mean squared error on some positions.
    pub fn loss(&self, records: &[PackedPosition]) -> f64 {
        let share = records.len().div_ceil(self.helpers.len()).max(1);
        let work = |records: &[PackedPosition]| -> f64 {
            let mut scratch = Scratch::default();
            records.chunks(PORTION).map(|some| self.model.error(some, self.settings.aim, &mut scratch)).sum()
        };
        let error: f64 = std::thread::scope(|scope| {
            let threads: Vec<_> = records.chunks(share).map(|records| scope.spawn(move || work(records))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(f64::NAN)).sum()
        });
        error / records.len().max(1) as f64
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
        TrainingData::of(records[50..].to_vec(), records[..50].to_vec())
    }

    /// Never stops.
    #[allow(clippy::unnecessary_wraps)]
    fn never(_: &Trainer, _: f64) -> Result<(), DataError> {
        Ok(())
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
            let mut trainer = Trainer::new(settings(2));
            let epochs: Vec<Epoch> = (0..6).map(|_| trainer.epoch(&data, never).unwrap()).collect();
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

    #[test]
    fn a_training_that_was_stopped_goes_on_to_the_same_network() {
        let data = some_data();
        let whole = {
            let mut trainer = Trainer::new(settings(2));
            (0..3).for_each(|_| drop(trainer.epoch(&data, never)));
            trainer.model.weights
        };
        let mut saved = Vec::new();
        let mut trainer = Trainer::new(settings(2));
        trainer.epoch(&data, never).unwrap();
        trainer.save(&mut saved).unwrap();
        let mut other = Trainer::new(settings(2));
        other.restore(&saved).unwrap();
        (0..2).for_each(|_| drop(other.epoch(&data, never)));
        assert!(other.model.weights == whole);
        assert_eq!(other.epochs(), 3);
        // What is damaged or of other settings is refused, and nothing changes.
        let before = other.model.weights.clone();
        saved[100] ^= 1;
        assert!(other.restore(&saved).is_err() && other.restore(&saved[..50]).is_err() && other.restore(b"").is_err());
        saved[100] ^= 1;
        assert!(other.model.weights == before);
        let shape = Shape { hidden: 128, buckets: 1 };
        assert!(Trainer::new(TrainSettings { shape, ..settings(2) }).restore(&saved).is_err());
        assert!(Trainer::new(TrainSettings { seed: 2, ..settings(2) }).restore(&saved).is_err());
    }
}
