//! Means, intervals and fits.

use crate::random::Random;
use serde::Serialize;

/// The number of bootstrap samples for an interval.
const RESAMPLES: usize = 2000;

/// The arithmetic mean; zero for no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The geometric mean of positive values; one for no values.
pub fn geometric_mean(values: &[f64]) -> f64 {
    mean(&values.iter().map(|value| value.ln()).collect::<Vec<_>>()).exp()
}

/// The sample standard deviation.
pub fn deviation(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    (squares / values.len().saturating_sub(1).max(1) as f64).sqrt()
}

/// The middle of the sorted values, or the mean of the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        len if len % 2 == 1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

/// A 95 % bootstrap interval of a statistic. The same seed gives the same interval.
pub fn bootstrap(values: &[f64], seed: u64, of: impl Fn(&[f64]) -> f64) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mut random = Random::new(seed);
    let mut sample = vec![0.0; values.len()];
    let mut results: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            sample.iter_mut().for_each(|value| *value = values[random.below(values.len())]);
            of(&sample)
        })
        .collect();
    results.sort_by(f64::total_cmp);
    (results[RESAMPLES / 40], results[RESAMPLES - 1 - RESAMPLES / 40])
}

/// The correlation of two lists of numbers (Pearson).
pub fn correlation(xs: &[f64], ys: &[f64]) -> f64 {
    let (mx, my) = (mean(xs), mean(ys));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in xs.iter().zip(ys) {
        xx += (x - mx).powi(2);
        yy += (y - my).powi(2);
        xy += (x - mx) * (y - my);
    }
    xy / (xx * yy).sqrt()
}

/// How well predictions agree with what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The number of predictions.
    pub count: usize,
    /// The mean of |predicted / measured - 1|.
    pub error: f64,
    /// The mean of |predicted - measured|, over the mean of what was measured: large values weigh most.
    pub mean_error: f64,
    /// The mean of predicted / measured - 1: above zero where predictions are too large.
    pub bias: f64,
    /// The largest |predicted / measured - 1|.
    pub worst: f64,
    /// The correlation of predicted and measured values.
    pub correlation: f64,
}

/// Compares predictions with what was measured.
pub fn agreement(predicted: &[f64], measured: &[f64]) -> Agreement {
    let errors: Vec<f64> = predicted.iter().zip(measured).map(|(p, m)| p / m - 1.0).collect();
    let sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    let differences: Vec<f64> = predicted.iter().zip(measured).map(|(p, m)| (p - m).abs()).collect();
    Agreement {
        count: errors.len(),
        error: mean(&sizes),
        mean_error: mean(&differences) / mean(measured),
        bias: mean(&errors),
        worst: sizes.iter().copied().fold(0.0, f64::max),
        correlation: correlation(predicted, measured),
    }
}

/// Fits a linear model by least squares of relative errors: each row has the weight of one over the square of its
/// measured value. None if the rows do not determine the coefficients.
pub fn fit_relative<const N: usize>(rows: &[[f64; N]], measured: &[f64]) -> Option<Fit<N>> {
    let mut normal = [[0.0; N]; N];
    let mut right = [0.0; N];
    for (row, value) in rows.iter().zip(measured) {
        for i in 0..N {
            right[i] += row[i] / value;
            for j in 0..N {
                normal[i][j] += row[i] * row[j] / (value * value);
            }
        }
    }
    let inverse = invert(normal)?;
    let coefficients = std::array::from_fn(|i| (0..N).map(|j| inverse[i][j] * right[j]).sum::<f64>());
    let residual = |(row, value): (&[f64; N], &f64)| (dot(&coefficients, row) / value - 1.0).powi(2);
    let rest: f64 = rows.iter().zip(measured).map(residual).sum();
    let variance = rest / rows.len().saturating_sub(N).max(1) as f64;
    let errors = std::array::from_fn(|i| (variance * inverse[i][i]).max(0.0).sqrt());
    Some(Fit { coefficients, errors })
}

/// A fitted linear model.
#[derive(Clone, Copy, Debug)]
pub struct Fit<const N: usize> {
    /// The coefficients.
    pub coefficients: [f64; N],
    /// Their standard errors.
    pub errors: [f64; N],
}

impl<const N: usize> Fit<N> {
    /// The model's prediction for a row.
    pub fn predict(&self, row: &[f64; N]) -> f64 {
        dot(&self.coefficients, row)
    }
}

fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The inverse of a matrix, by elimination with partial pivoting; none if the matrix is singular.
fn invert<const N: usize>(mut matrix: [[f64; N]; N]) -> Option<[[f64; N]; N]> {
    let mut inverse: [[f64; N]; N] = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for column in 0..N {
        let pivot = (column..N).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        let scale = matrix[column][column];
        if scale.abs() < 1e-300 || !scale.is_finite() {
            return None;
        }
        for j in 0..N {
            matrix[column][j] /= scale;
            inverse[column][j] /= scale;
        }
        for row in (0..N).filter(|&row| row != column) {
            let factor = matrix[row][column];
            for j in 0..N {
                matrix[row][j] -= factor * matrix[column][j];
                inverse[row][j] -= factor * inverse[column][j];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_medians() {
        assert_eq!((mean(&[1.0, 2.0, 6.0]), median(&[6.0, 1.0, 2.0]), median(&[4.0, 1.0])), (3.0, 2.0, 2.5));
        assert!((geometric_mean(&[1.0, 8.0, 27.0]) - 6.0).abs() < 1e-12);
        assert!((deviation(&[2.0, 4.0, 6.0]) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn an_interval_holds_the_mean_and_is_the_same_for_the_same_seed() {
        let values: Vec<f64> = (0..40).map(|n| 10.0 + f64::from(n % 7)).collect();
        let (low, high) = bootstrap(&values, 1, mean);
        assert!(low < mean(&values) && mean(&values) < high, "{low} {high}");
        // The standard error of the mean is 0.31.
        assert!(high - low > 0.8 && high - low < 1.7, "{low} {high}");
        assert_eq!(bootstrap(&values, 1, mean), (low, high));
        assert_ne!(bootstrap(&values, 2, mean), (low, high));
    }

    #[test]
    fn a_fit_finds_the_coefficients_that_made_the_data() {
        let rows: Vec<[f64; 3]> = (1..30).map(|n| [1e6 / f64::from(n), 1e3 * f64::from(n % 5), 1.0]).collect();
        let measured: Vec<f64> = rows.iter().map(|[w, c, one]| 1.02 * w + 1.5 * c + 4.3 * one).collect();
        let fit = fit_relative(&rows, &measured).unwrap();
        for (found, expected) in fit.coefficients.iter().zip([1.02, 1.5, 4.3]) {
            assert!((found - expected).abs() < 1e-6, "{:?}", fit.coefficients);
        }
        let predicted: Vec<f64> = rows.iter().map(|row| fit.predict(row)).collect();
        let agreement = agreement(&predicted, &measured);
        assert!(agreement.error < 1e-9 && agreement.correlation > 0.999_999, "{agreement:?}");
        assert!(fit_relative(&[[1.0, 2.0], [2.0, 4.0]], &[1.0, 2.0]).is_none_or(|fit| !fit.errors[0].is_finite()));
    }

    #[test]
    fn both_mean_errors_are_told() {
        let told = agreement(&[11.0, 80.0], &[10.0, 100.0]);
        assert!((told.error - 0.15).abs() < 1e-12 && (told.mean_error - 21.0 / 110.0).abs() < 1e-12, "{told:?}");
    }

    #[test]
    fn a_fit_weighs_relative_errors() {
        // One coefficient: the measured values are 1 and 1000, where a proportional model would have 1 and 500.
        let fit = fit_relative(&[[1.0], [500.0]], &[1.0, 1000.0]).unwrap();
        assert!((fit.coefficients[0] - 1.2).abs() < 1e-9, "{:?}", fit.coefficients);
    }
}
