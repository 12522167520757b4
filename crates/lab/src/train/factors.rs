//! The weights as they are trained: rows of features, and rows that features share.
//!
//! A king is in most regions of the board only rarely. So the row of weights of a feature is the sum of its own row and of a row that the
//! same piece on the same square has for all regions of the king: what is learned in one region helps the others. Only
//! the sums are written to the network. (The "factoriser" of NNUE trainers.)

use super::adam::Step;
use super::model::{LARGEST, Model, STRIP, STRIP_WEIGHTS};
use crate::random::Random;
use chess::evaluation::network::{PLACES, REGIONS};

/// Weights that are worked on together, so that they stay in the cache.
const BLOCK: usize = 1024;

/// Weights of a strip of neurons for one region of the king.
const ROWS: usize = PLACES * STRIP;

/// Some numbers and the moments of their gradients.
pub(super) struct Weights {
    pub(super) values: Vec<f32>,
    pub(super) mean: Vec<f32>,
    pub(super) square: Vec<f32>,
}

impl Weights {
    fn new(values: Vec<f32>) -> Weights {
        Weights { mean: vec![0.0; values.len()], square: vec![0.0; values.len()], values }
    }
}

/// The weights as they are trained, and the moments of their gradients.
pub(super) struct Factors {
    /// The features' own rows, then the rest of the model.
    pub(super) own: Weights,
    pub(super) shared: Weights,
    pub(super) steps: usize,
}

/// A strip of neurons: for the same places of all regions the weights, their moments, gradients and sums.
struct Part<'a> {
    regions: Vec<Region<'a>>,
    shared: [&'a mut [f32]; 3],
}

/// The same places of one region.
struct Region<'a> {
    own: [&'a mut [f32]; 3],
    model: &'a mut [f32],
    gradients: Vec<&'a mut [f32]>,
}

impl Part<'_> {
    /// One step. The gradients of all threads are added up, and are zero afterwards.
    fn step(self, step: Step, share: f32) {
        let mut sum = [0.0; BLOCK];
        let Part { mut regions, shared: [values, mean, square] } = self;
        let starts = (0..values.len()).step_by(BLOCK);
        for start in starts {
            let range = start..(start + BLOCK).min(values.len());
            let length = range.len();
            let mut over_regions = [0.0; BLOCK];
            for region in &mut regions {
                add_up(
                    &mut sum[..length],
                    region.gradients.iter_mut().map(|gradient| &mut gradient[range.clone()]),
                    share,
                );
                over_regions[..length].iter_mut().zip(&sum[..length]).for_each(|(total, part)| *total += part);
                let [own, mean, square] = &mut region.own;
                step.take(
                    &mut own[range.clone()],
                    &sum[..length],
                    [&mut mean[range.clone()], &mut square[range.clone()]],
                );
            }
            let moments = [&mut mean[range.clone()], &mut square[range.clone()]];
            step.take(&mut values[range.clone()], &over_regions[..length], moments);
            for region in &mut regions {
                put_together(&mut region.model[range.clone()], &region.own[0][range.clone()], &values[range.clone()]);
            }
        }
    }
}

/// The sum of gradients times `share`; the gradients become zero.
fn add_up<'a>(sum: &mut [f32], gradients: impl Iterator<Item = &'a mut [f32]>, share: f32) {
    sum.fill(0.0);
    for gradient in gradients {
        sum.iter_mut().zip(gradient).for_each(|(sum, part)| *sum += share * std::mem::take(part));
    }
}

fn put_together(model: &mut [f32], own: &[f32], shared: &[f32]) {
    for ((model, own), shared) in model.iter_mut().zip(own).zip(shared) {
        *model = (own + shared).clamp(-LARGEST, LARGEST);
    }
}

impl Factors {
    /// Splits up a new model. At first only the shared rows have weights.
    pub(super) fn new(model: &mut Model, random: &mut Random) -> Factors {
        let hidden = model.shape.hidden;
        let mut own = model.weights.clone();
        own[..REGIONS * PLACES * hidden].fill(0.0);
        // About twenty features are active, so that sums lie in the range where neurons are neither 0 nor 1.
        let shared = (0..PLACES * hidden).map(|_| 0.15 * random.signed()).collect();
        let factors = Factors { own: Weights::new(own), shared: Weights::new(shared), steps: 0 };
        factors.put_together(model);
        factors
    }

    /// One step along `share` times the sum of the gradients of some threads, which are zero afterwards.
    pub(super) fn step(
        &mut self,
        model: &mut Model,
        gradients: &mut [&mut Vec<f32>],
        share: f32,
        rate: f32,
        fading: f32,
    ) {
        self.steps += 1;
        let step = Step::new(self.steps, rate, fading);
        let (first_layer, threads) = (model.shape.biases(), gradients.len());
        let Weights { values, mean, square } = &mut self.own;
        let [(first, rest), (mean, rest_mean), (square, rest_square), (sums, rest_sums)] =
            [values, mean, square, &mut model.weights].map(|list| list.split_at_mut(first_layer));
        let (gradients, mut rest_gradients): (Vec<&mut [f32]>, Vec<&mut [f32]>) =
            gradients.iter_mut().map(|gradient| gradient.split_at_mut(first_layer)).unzip();
        let mut own = first.chunks_exact_mut(ROWS).zip(mean.chunks_exact_mut(ROWS)).zip(square.chunks_exact_mut(ROWS));
        let mut sums = sums.chunks_exact_mut(ROWS);
        let mut gradients: Vec<_> = gradients.into_iter().map(|gradient| gradient.chunks_exact_mut(ROWS)).collect();
        let mut region = || {
            let (((own, mean), square), model) = own.next().zip(sums.next())?;
            let gradients = gradients.iter_mut().filter_map(Iterator::next).collect();
            Some(Region { own: [own, mean, square], model, gradients })
        };
        let Weights { values, mean, square } = &mut self.shared;
        let shared = values.chunks_exact_mut(ROWS).zip(mean.chunks_exact_mut(ROWS)).zip(square.chunks_exact_mut(ROWS));
        let mut shares: Vec<Vec<Part<'_>>> = (0..threads).map(|_| Vec::new()).collect();
        for (strip, ((values, mean), square)) in shared.enumerate() {
            let regions = (0..REGIONS).filter_map(|_| region()).collect();
            shares[strip % threads].push(Part { regions, shared: [values, mean, square] });
        }
        std::thread::scope(|scope| {
            let last = shares.pop();
            let work = |parts: Vec<Part<'_>>| parts.into_iter().for_each(|part| part.step(step, share));
            for parts in shares {
                scope.spawn(move || work(parts));
            }
            last.into_iter().for_each(work);
        });
        let mut sum = vec![0.0; rest.len()];
        add_up(&mut sum, rest_gradients.iter_mut().map(|gradient| &mut **gradient), share);
        step.take(rest, &sum, [rest_mean, rest_square]);
        rest_sums.copy_from_slice(rest);
    }

    /// The weights of the model, from those that are trained.
    pub(super) fn put_together(&self, model: &mut Model) {
        model.weights.copy_from_slice(&self.own.values);
        let strips = model.weights.chunks_exact_mut(STRIP_WEIGHTS).zip(self.own.values.chunks_exact(STRIP_WEIGHTS));
        for ((model, own), shared) in strips.zip(self.shared.values.chunks_exact(ROWS)) {
            for (model, own) in model.chunks_exact_mut(ROWS).zip(own.chunks_exact(ROWS)) {
                put_together(model, own, shared);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Shape;

    #[test]
    fn what_is_learned_in_one_region_of_the_king_helps_the_others() {
        let mut random = Random::new(1);
        let mut model = Model::new(Shape { hidden: 64, buckets: 1 }, &mut random);
        let mut factors = Factors::new(&mut model, &mut random);
        let before = model.clone();
        let mut gradients = [vec![0.0; model.weights.len()], vec![0.0; model.weights.len()]];
        // A white queen on d1, with the king in region 2; half of it by each thread.
        let queen = 4 * 64 + 3;
        gradients.iter_mut().for_each(|gradient| gradient[(2 * PLACES + queen) * STRIP] = 0.5);
        let [one, other] = &mut gradients;
        factors.step(&mut model, &mut [one, other], 1.0, 0.01, 0.0);
        let change = |feature: usize| before.weights[feature * STRIP] - model.weights[feature * STRIP];
        for (feature, expected) in [(2 * PLACES + queen, 0.02), (queen, 0.01), (2 * PLACES + queen + 1, 0.0)] {
            assert!((change(feature) - expected).abs() < 1e-4, "{feature}: {}", change(feature));
        }
        assert!(gradients.iter().flatten().all(|&gradient| gradient == 0.0));
        let stepped = model.clone();
        factors.put_together(&mut model);
        assert_eq!(model.weights, stepped.weights);
    }
}
