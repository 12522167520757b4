//! The network in floating point: what it predicts, and how the error changes with every weight.

use super::record::PackedPosition;
use crate::random::Random;
use chess::evaluation::network::{FEATURES, FIRST_ONE, LARGEST_OUTPUT_WEIGHT, Numbers, OUTPUT_ONE};

/// The largest weight: quantised output weights and sums of the first layer must not overflow.
pub(super) const LARGEST: f32 = LARGEST_OUTPUT_WEIGHT as f32 / OUTPUT_ONE as f32;

/// The sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Neurons for each side, a multiple of 64.
    pub hidden: usize,
    /// Outputs, chosen by the number of pieces.
    pub buckets: usize,
}

impl Shape {
    /// All weights lie in one list: the first layer's, feature by feature, its biases, the outputs' bucket by bucket,
    /// and their biases.
    fn biases(self) -> usize {
        FEATURES * self.hidden
    }

    fn output(self, bucket: usize) -> usize {
        self.biases() + self.hidden + bucket * 2 * self.hidden
    }

    fn output_biases(self) -> usize {
        self.output(self.buckets)
    }

    /// How many weights there are.
    pub(super) fn len(self) -> usize {
        self.output_biases() + self.buckets
    }
}

/// How the target is computed from a position's score and result.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// Hundredths of a pawn in the natural unit of the sigmoid.
    pub scale: f32,
    /// The weight of the game's result against the score, from 0 to 1.
    pub trust: f32,
}

impl Aim {
    /// The expected result that is to be predicted, for the side to move.
    pub(super) fn target(self, record: &PackedPosition) -> f32 {
        let (score, result) = record.labels();
        self.trust * result + (1.0 - self.trust) * sigmoid(score / self.scale)
    }
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Neurons of both sides for one position: first their sums, then the derivatives of the error.
pub(super) struct Scratch([Vec<f32>; 2]);

impl Scratch {
    pub(super) fn new(shape: Shape) -> Scratch {
        Scratch([vec![0.0; shape.hidden], vec![0.0; shape.hidden]])
    }
}

/// The weights of a network.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its sizes.
    pub shape: Shape,
    pub(super) weights: Vec<f32>,
}

impl Model {
    /// Random weights.
    pub(super) fn new(shape: Shape, random: &mut Random) -> Model {
        let mut weights = vec![0.0; shape.len()];
        let (first, rest) = weights.split_at_mut(shape.biases());
        // About twenty features are active, so that sums lie in the range where neurons are neither 0 nor 1.
        first.iter_mut().for_each(|weight| *weight = 0.15 * random.signed());
        let (biases, output) = rest.split_at_mut(shape.hidden);
        biases.iter_mut().for_each(|bias| *bias = 0.25 + 0.1 * random.signed());
        let reach = (2.0 * shape.hidden as f32).sqrt().recip();
        let count = output.len() - shape.buckets;
        output[..count].iter_mut().for_each(|weight| *weight = reach * random.signed());
        Model { shape, weights }
    }

    /// The output for a position. Its sums are left in the scratch.
    fn forward(&self, record: &PackedPosition, scratch: &mut Scratch) -> f32 {
        let Shape { hidden, buckets } = self.shape;
        let active = record.active();
        let bucket = record.bucket(buckets);
        let mut output = self.weights[self.shape.output_biases() + bucket];
        let weights = self.weights[self.shape.output(bucket)..].chunks_exact(hidden);
        for ((sums, features), weights) in scratch.0.iter_mut().zip(&active.features).zip(weights) {
            self.add_up(sums, &features[..active.count]);
            output += weigh(sums, weights);
        }
        output
    }

    /// The sums of the first layer for some features.
    fn add_up(&self, sums: &mut [f32], features: &[u16]) {
        let hidden = self.shape.hidden;
        sums.copy_from_slice(&self.weights[self.shape.biases()..][..hidden]);
        let row = |feature: u16| &self.weights[usize::from(feature) * hidden..][..hidden];
        // Whole rows, which the processor fetches ahead, and four at a time, to read and write the sums less often.
        let (fours, rest) = features.as_chunks::<4>();
        for four in fours {
            let [a, b, c, d] = four.map(row);
            for ((((sum, a), b), c), d) in sums.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *sum += (a + b) + (c + d);
            }
        }
        for &feature in rest {
            add_to(sums, row(feature));
        }
    }

    /// The squared error for a position.
    pub(super) fn error(&self, record: &PackedPosition, aim: Aim, scratch: &mut Scratch) -> f32 {
        (sigmoid(self.forward(record, scratch)) - aim.target(record)).powi(2)
    }

    /// The squared error for a position, with its derivatives by all weights added to `gradient`.
    pub(super) fn learn(&self, record: &PackedPosition, aim: Aim, gradient: &mut [f32], scratch: &mut Scratch) -> f32 {
        let Shape { hidden, buckets } = self.shape;
        let prediction = sigmoid(self.forward(record, scratch));
        let error = prediction - aim.target(record);
        let slope = 2.0 * error * prediction * (1.0 - prediction);
        let bucket = record.bucket(buckets);
        gradient[self.shape.output_biases() + bucket] += slope;
        let active = record.active();
        for (half, (sums, features)) in scratch.0.iter_mut().zip(&active.features).enumerate() {
            let output = self.shape.output(bucket) + half * hidden;
            let weights = &self.weights[output..][..hidden];
            for ((sum, weight), gradient) in sums.iter_mut().zip(weights).zip(&mut gradient[output..][..hidden]) {
                let clamped = sum.clamp(0.0, 1.0);
                *gradient += slope * clamped * clamped;
                let inside = if clamped == *sum { 2.0 * clamped } else { 0.0 };
                *sum = slope * weight * inside;
            }
            add_to(&mut gradient[self.shape.biases()..][..hidden], sums);
            for &feature in &features[..active.count] {
                add_to(&mut gradient[usize::from(feature) * hidden..][..hidden], sums);
            }
        }
        error * error
    }

    /// The network in integers. `scale` is hundredths of a pawn for an output of one.
    pub fn quantised(&self, scale: i32) -> Numbers {
        let shape = self.shape;
        let round = |range: std::ops::Range<usize>, one: i16| -> Vec<i16> {
            self.weights[range].iter().map(|weight| (weight * f32::from(one)).round() as i16).collect()
        };
        let one = f32::from(FIRST_ONE) * f32::from(OUTPUT_ONE);
        Numbers {
            hidden: shape.hidden,
            buckets: shape.buckets,
            scale,
            features: round(0..shape.biases(), FIRST_ONE),
            biases: round(shape.biases()..shape.output(0), FIRST_ONE),
            output: round(shape.output(0)..shape.output_biases(), OUTPUT_ONE),
            output_biases: self.weights[shape.output_biases()..]
                .iter()
                .map(|bias| (bias * one).round() as i32)
                .collect(),
        }
    }
}

/// The sum of the weighted squares of clamped sums.
fn weigh(sums: &[f32], weights: &[f32]) -> f32 {
    let mut lanes = [0f32; 16];
    for (sums, weights) in sums.as_chunks::<16>().0.iter().zip(weights.as_chunks::<16>().0) {
        for ((lane, sum), weight) in lanes.iter_mut().zip(sums).zip(weights) {
            let clamped = sum.clamp(0.0, 1.0);
            *lane += clamped * clamped * weight;
        }
    }
    lanes.iter().sum()
}

#[inline]
fn add_to(to: &mut [f32], some: &[f32]) {
    for (to, some) in to.iter_mut().zip(some) {
        *to += some;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::parse_line;
    use chess::evaluation::network::Network;
    use std::sync::Arc;

    const LINES: [&str; 3] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b - - 0 1;-240;0",
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9;35;0.5",
        "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1;150;1",
    ];

    #[test]
    fn derivatives_are_finite_differences() {
        let shape = Shape { hidden: 64, buckets: 4 };
        let aim = Aim { scale: 400.0, trust: 0.3 };
        let mut model = Model::new(shape, &mut Random::new(3));
        let mut scratch = Scratch::new(shape);
        for line in LINES {
            let record = PackedPosition::new(&parse_line(line).unwrap());
            let mut gradient = vec![0.0; shape.len()];
            let error = model.learn(&record, aim, &mut gradient, &mut scratch);
            assert_eq!(error, model.error(&record, aim, &mut scratch));
            let step = 1e-2;
            let mut far = 0;
            let mut touched = 0;
            for (index, &derivative) in gradient.iter().enumerate() {
                let weight = model.weights[index];
                model.weights[index] = weight + step;
                let above = f64::from(model.error(&record, aim, &mut scratch));
                model.weights[index] = weight - step;
                let below = f64::from(model.error(&record, aim, &mut scratch));
                model.weights[index] = weight;
                let difference = (above - below) / f64::from(2.0 * step);
                let derivative = f64::from(derivative);
                touched += usize::from(derivative != 0.0);
                // Where a neuron's sum is at the edge of its range, the derivative jumps.
                far += usize::from((difference - derivative).abs() > 1e-5 + 0.02 * derivative.abs());
            }
            assert!(touched > 200 && far <= touched / 20, "{far} of {touched} derivatives are wrong");
        }
    }

    #[test]
    fn the_quantised_network_predicts_the_same() {
        let shape = Shape { hidden: 64, buckets: 4 };
        let model = Model::new(shape, &mut Random::new(5));
        let network = Arc::new(Network::from(&model.quantised(400)));
        for line in LINES {
            let sample = parse_line(line).unwrap();
            let output = model.forward(&PackedPosition::new(&sample), &mut Scratch::new(shape));
            let score = network.evaluate(&sample.board).value();
            assert!((400.0 * output - score as f32).abs() < 20.0, "{output} {score}");
        }
    }
}
