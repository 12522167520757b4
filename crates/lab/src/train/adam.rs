//! AdamW (Loshchilov & Hutter 2019): steps by mean and spread of the gradients, and weight decay.

use super::model::LARGEST;

const DECAY: [f32; 2] = [0.9, 0.999];

/// The running mean and spread of the gradients.
pub(super) struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    pub(super) fn new(count: usize) -> Adam {
        Adam { mean: vec![0.0; count], square: vec![0.0; count], steps: 0 }
    }

    /// One step along a gradient. `fading` is the weight decay: the share of a weight that is lost in a step of size
    /// one.
    pub(super) fn step(&mut self, weights: &mut [f32], gradient: &[f32], rate: f32, fading: f32) {
        self.steps += 1;
        let [first, second] = DECAY.map(|decay| (1.0 - decay.powi(self.steps)).recip());
        let memory = self.mean.iter_mut().zip(&mut self.square);
        for ((weight, &gradient), (mean, square)) in weights.iter_mut().zip(gradient).zip(memory) {
            *mean = DECAY[0] * *mean + (1.0 - DECAY[0]) * gradient;
            *square = DECAY[1] * *square + (1.0 - DECAY[1]) * gradient * gradient;
            let step = *mean * first / ((*square * second).sqrt() + 1e-8);
            *weight = (*weight - rate * (step + fading * *weight)).clamp(-LARGEST, LARGEST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_valley_is_found() {
        let (mut adam, mut weights) = (Adam::new(2), [1.5, -1.0]);
        for _ in 0..2000 {
            let gradient = [weights[0] - 0.5, 100.0 * (weights[1] - 0.25)];
            adam.step(&mut weights, &gradient, 0.01, 0.0);
        }
        assert!((weights[0] - 0.5).abs() < 0.01 && (weights[1] - 0.25).abs() < 0.01, "{weights:?}");
    }
}
