//! The network in floating point: what it predicts, and how the error changes with every weight.

use super::record::{Active, PackedPosition};
use crate::random::Random;
use chess::evaluation::network::{FEATURES, FIRST_ONE, LARGEST_OUTPUT_WEIGHT, Numbers, OUTPUT_ONE};

/// The largest weight: quantised output weights and sums of the first layer must not overflow.
pub(super) const LARGEST: f32 = LARGEST_OUTPUT_WEIGHT as f32 / OUTPUT_ONE as f32;

/// Neurons that are computed together, for a whole batch: their weights of all features and the gradients of these fit into the cache of
/// a core together (384 KB each; strips of 64 neurons took 1.7 times as long), and their sums into its registers.
pub(super) const STRIP: usize = 32;
/// Weights of a strip in the first layer.
pub(super) const STRIP_WEIGHTS: usize = FEATURES * STRIP;

/// The neurons of a strip.
type Lanes = [f32; STRIP];

/// The sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Neurons for each side, a multiple of 64.
    pub hidden: usize,
    /// Outputs, chosen by the number of pieces.
    pub buckets: usize,
}

impl Shape {
    /// Strips of neurons.
    fn strips(self) -> usize {
        self.hidden / STRIP
    }

    /// All weights lie in one list: the first layer's, strip by strip and there feature by feature, its biases, the outputs' bucket by
    /// bucket, and their biases.
    pub(super) fn biases(self) -> usize {
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

/// What a thread computes for the positions of a batch.
#[derive(Default)]
pub(super) struct Scratch {
    active: Vec<Active>,
    /// Sums of the neurons, strip by strip and there position by position, for both sides.
    sums: Vec<[Lanes; 2]>,
    /// First the outputs, then the derivatives of the error by them.
    outputs: Vec<f32>,
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

    /// The numbers of the strips in which the weights of an output begin, for both sides, if all weights but the last are cut into strips.
    fn output_strips(&self, bucket: usize) -> [usize; 2] {
        let start = self.shape.output(bucket) / STRIP;
        [start, start + self.shape.strips()]
    }

    /// The outputs for some positions. Their sums are left in the scratch.
    fn forward(&self, records: &[PackedPosition], scratch: &mut Scratch) {
        let Scratch { active, sums, outputs } = scratch;
        let buckets = self.shape.buckets;
        active.clear();
        active.extend(records.iter().map(PackedPosition::active));
        outputs.clear();
        outputs.extend(records.iter().map(|record| self.weights[self.shape.output_biases() + record.bucket(buckets)]));
        sums.clear();
        let lanes: &[Lanes] = self.weights.as_chunks().0;
        let biases = &lanes[self.shape.biases() / STRIP..];
        for strip in 0..self.shape.strips() {
            let rows = &lanes[strip * FEATURES..][..FEATURES];
            for ((record, active), output) in records.iter().zip(&*active).zip(&mut *outputs) {
                let [us, them] = &active.features;
                let us = add_up(rows, &biases[strip], &us[..active.count]);
                let them = add_up(rows, &biases[strip], &them[..active.count]);
                let [first, second] = self.output_strips(record.bucket(buckets));
                *output += weigh(&us, &lanes[first + strip]) + weigh(&them, &lanes[second + strip]);
                sums.push([us, them]);
            }
        }
    }

    /// The sum of the squared errors for some positions.
    pub(super) fn error(&self, records: &[PackedPosition], aim: Aim, scratch: &mut Scratch) -> f64 {
        self.forward(records, scratch);
        let error = |(record, &output): (&PackedPosition, &f32)| sigmoid(output) - aim.target(record);
        records.iter().zip(&scratch.outputs).map(error).map(|error| f64::from(error * error)).sum()
    }

    /// The sum of the squared errors for some positions, with its derivatives by all weights added to `gradient`.
    pub(super) fn learn(
        &self,
        records: &[PackedPosition],
        aim: Aim,
        gradient: &mut [f32],
        scratch: &mut Scratch,
    ) -> f64 {
        self.forward(records, scratch);
        let buckets = self.shape.buckets;
        let Scratch { active, sums, outputs } = scratch;
        let mut errors = 0.0;
        for (record, output) in records.iter().zip(&mut *outputs) {
            let prediction = sigmoid(*output);
            let error = prediction - aim.target(record);
            errors += f64::from(error * error);
            *output = 2.0 * error * prediction * (1.0 - prediction);
            gradient[self.shape.output_biases() + record.bucket(buckets)] += *output;
        }
        let lanes: &[Lanes] = self.weights.as_chunks().0;
        let (first, rest) = gradient.split_at_mut(self.shape.biases());
        let (features, rest): (&mut [Lanes], &mut [Lanes]) = (first.as_chunks_mut().0, rest.as_chunks_mut().0);
        let before = features.len();
        let strips = features.chunks_exact_mut(FEATURES).zip(sums.chunks_exact(records.len().max(1)));
        for (strip, (rows, sums)) in strips.enumerate() {
            for (((record, active), both), &slope) in records.iter().zip(&*active).zip(sums).zip(&*outputs) {
                let places = self.output_strips(record.bucket(buckets));
                for ((sums, start), features) in both.iter().zip(places).zip(&active.features) {
                    let place = start + strip;
                    let slopes = slopes(sums, &lanes[place], &mut rest[place - before], slope);
                    add_to(&mut rest[strip], &slopes);
                    for &feature in &features[..active.count] {
                        add_to(&mut rows[usize::from(feature)], &slopes);
                    }
                }
            }
        }
        errors
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
            features: (0..FEATURES)
                .flat_map(|feature| (0..shape.strips()).map(move |strip| strip * STRIP_WEIGHTS + feature * STRIP))
                .flat_map(|start| round(start..start + STRIP, FIRST_ONE))
                .collect(),
            biases: round(shape.biases()..shape.output(0), FIRST_ONE),
            output: round(shape.output(0)..shape.output_biases(), OUTPUT_ONE),
            output_biases: self.weights[shape.output_biases()..]
                .iter()
                .map(|bias| (bias * one).round() as i32)
                .collect(),
        }
    }
}

/// The sums of a strip for some features.
#[inline]
fn add_up(rows: &[Lanes], biases: &Lanes, features: &[u16]) -> Lanes {
    let mut sums = *biases;
    for &feature in features {
        add_to(&mut sums, &rows[usize::from(feature)]);
    }
    sums
}

/// The sum of the weighted squares of clamped sums.
#[inline]
fn weigh(sums: &Lanes, weights: &Lanes) -> f32 {
    let mut parts = [0f32; 16];
    for lane in 0..STRIP {
        let clamped = sums[lane].clamp(0.0, 1.0);
        parts[lane % 16] += clamped * clamped * weights[lane];
    }
    parts.iter().sum()
}

/// The derivatives of the error by the sums of a strip. Those by the output's weights are added to `output`.
#[inline]
fn slopes(sums: &Lanes, weights: &Lanes, output: &mut Lanes, slope: f32) -> Lanes {
    let mut slopes = [0.0; STRIP];
    for lane in 0..STRIP {
        let clamped = sums[lane].clamp(0.0, 1.0);
        output[lane] += slope * clamped * clamped;
        let inside = if clamped == sums[lane] { 2.0 * clamped } else { 0.0 };
        slopes[lane] = slope * weights[lane] * inside;
    }
    slopes
}

#[inline]
fn add_to(to: &mut Lanes, some: &Lanes) {
    for lane in 0..STRIP {
        to[lane] += some[lane];
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
        let mut scratch = Scratch::default();
        for line in LINES {
            let record = [PackedPosition::new(&parse_line(line).unwrap())];
            let mut gradient = vec![0.0; shape.len()];
            let error = model.learn(&record, aim, &mut gradient, &mut scratch);
            assert_eq!(error, model.error(&record, aim, &mut scratch));
            let step = 1e-2;
            let mut far = 0;
            let mut touched = 0;
            for (index, &derivative) in gradient.iter().enumerate() {
                let weight = model.weights[index];
                model.weights[index] = weight + step;
                let above = model.error(&record, aim, &mut scratch);
                model.weights[index] = weight - step;
                let below = model.error(&record, aim, &mut scratch);
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
            let mut scratch = Scratch::default();
            model.forward(&[PackedPosition::new(&sample)], &mut scratch);
            let output = scratch.outputs[0];
            let score = network.evaluate(&sample.board).value();
            assert!((400.0 * output - score as f32).abs() < 20.0, "{output} {score}");
        }
    }
}
