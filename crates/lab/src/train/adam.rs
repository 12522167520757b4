//! AdamW (Loshchilov & Hutter 2019): steps by mean and spread of the gradients, and weight decay.

use super::model::LARGEST;

const DECAY: [f32; 2] = [0.9, 0.999];

/// The size of a step.
#[derive(Clone, Copy)]
pub(super) struct Step {
    rate: f32,
    /// Weight decay: the share of a weight that is lost in a step of size one.
    fading: f32,
    /// Corrections for the first steps, in which mean and spread are still small.
    corrections: [f32; 2],
}

impl Step {
    /// The step with this number, from 1.
    pub(super) fn new(number: usize, rate: f32, fading: f32) -> Step {
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        Step { rate, fading, corrections: DECAY.map(|decay| (1.0 - decay.powi(number)).recip()) }
    }

    /// Moves some weights along their gradient. `moments` are the running means and spreads of their gradients.
    #[inline]
    pub(super) fn take(self, weights: &mut [f32], gradient: &[f32], [mean, square]: [&mut [f32]; 2]) {
        let [first, second] = self.corrections;
        for ((weight, &gradient), (mean, square)) in weights.iter_mut().zip(gradient).zip(mean.iter_mut().zip(square)) {
            *mean = DECAY[0] * *mean + (1.0 - DECAY[0]) * gradient;
            *square = DECAY[1] * *square + (1.0 - DECAY[1]) * gradient * gradient;
            let step = *mean * first / ((*square * second).sqrt() + 1e-8);
            *weight = (*weight - self.rate * (step + self.fading * *weight)).clamp(-LARGEST, LARGEST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_valley_is_found() {
        let (mut mean, mut square, mut weights) = ([0.0; 2], [0.0; 2], [1.5, -1.0]);
        for number in 1..=2000 {
            let gradient = [weights[0] - 0.5, 100.0 * (weights[1] - 0.25)];
            Step::new(number, 0.01, 0.0).take(&mut weights, &gradient, [&mut mean, &mut square]);
        }
        assert!((weights[0] - 0.5).abs() < 0.01 && (weights[1] - 0.25).abs() < 0.01, "{weights:?}");
    }
}
