//! Weights that features share while they are trained.
//!
//! Some features are rare, such as a queen on an unusual square. So a feature's row of weights is the sum of its own
//! row and those of its piece, of its piece on that rank, and of its piece on that file: what is learned on one square
//! helps the others. Only the sums are written to the network. (The "factoriser" of NNUE trainers.)

use super::adam::Adam;
use super::model::{LARGEST, Model};
use crate::random::Random;
use chess::evaluation::network::FEATURES;

/// Pieces of both colours.
const PIECES: usize = 12;
/// Shared rows of each piece: one for the piece, one for each rank, one for each file.
const SHARED: usize = PIECES * (1 + 8 + 8);

/// The shared rows that a feature takes part in.
fn shared_by(feature: usize) -> [usize; 3] {
    let (piece, square) = (feature / 64, feature % 64);
    let (rank, file) = (square / 8, square % 8);
    [piece, PIECES + piece * 8 + rank, PIECES * 9 + piece * 8 + file]
}

/// The weights as they are trained, and their optimiser.
pub(super) struct Factors {
    hidden: usize,
    /// The features' own rows, then the rest of the model.
    own: Vec<f32>,
    shared: Vec<f32>,
    shared_gradient: Vec<f32>,
    adams: [Adam; 2],
}

impl Factors {
    /// Splits up a new model. At first only the shared rows have weights.
    pub(super) fn new(model: &mut Model, random: &mut Random) -> Factors {
        let hidden = model.shape.hidden;
        let mut own = model.weights.clone();
        own[..FEATURES * hidden].fill(0.0);
        // About twenty features are active, so that sums lie in the range where neurons are neither 0 nor 1.
        let shared: Vec<f32> = (0..SHARED * hidden).map(|_| 0.08 * random.signed()).collect();
        let adams = [Adam::new(own.len()), Adam::new(shared.len())];
        let factors = Factors { hidden, own, shared_gradient: vec![0.0; shared.len()], shared, adams };
        factors.put_together(model);
        factors
    }

    /// One step along the gradient of the model.
    pub(super) fn step(&mut self, model: &mut Model, gradient: &[f32], rate: f32, fading: f32) {
        self.shared_gradient.fill(0.0);
        for (feature, gradient) in gradient.chunks_exact(self.hidden).take(FEATURES).enumerate() {
            for row in shared_by(feature) {
                let sums = &mut self.shared_gradient[row * self.hidden..][..self.hidden];
                sums.iter_mut().zip(gradient).for_each(|(sum, gradient)| *sum += gradient);
            }
        }
        self.adams[0].step(&mut self.own, gradient, rate, fading);
        self.adams[1].step(&mut self.shared, &self.shared_gradient, rate, fading);
        self.put_together(model);
    }

    fn put_together(&self, model: &mut Model) {
        model.weights.copy_from_slice(&self.own);
        for (feature, weights) in model.weights.chunks_exact_mut(self.hidden).take(FEATURES).enumerate() {
            for row in shared_by(feature) {
                let shared = &self.shared[row * self.hidden..][..self.hidden];
                weights.iter_mut().zip(shared).for_each(|(weight, shared)| *weight += shared);
            }
            weights.iter_mut().for_each(|weight| *weight = weight.clamp(-LARGEST, LARGEST));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Shape;

    #[test]
    fn what_is_learned_on_one_square_helps_the_others() {
        let mut random = Random::new(1);
        let mut model = Model::new(Shape { hidden: 64, buckets: 1 }, &mut random);
        let mut factors = Factors::new(&mut model, &mut random);
        let before = model.clone();
        let mut gradient = vec![0.0; model.weights.len()];
        // A white queen on d1.
        gradient[(4 * 64 + 3) * 64] = 1.0;
        factors.step(&mut model, &gradient, 0.01, 0.0);
        let change = |feature: usize| before.weights[feature * 64] - model.weights[feature * 64];
        let (here, same_rank, elsewhere, other_piece) = (4 * 64 + 3, 4 * 64 + 7, 4 * 64 + 63, 3 * 64 + 3);
        for (feature, expected) in [(here, 0.04), (same_rank, 0.02), (elsewhere, 0.01), (other_piece, 0.0)] {
            assert!((change(feature) - expected).abs() < 1e-4, "{feature}: {}", change(feature));
        }
    }
}
