//! The two loops that take the time: adding rows of weights, and the output's sum of products.
//!
//! [`super::plain`] has them for any processor, [`super::avx2`] for AVX2, which is used where the processor has it.
//! Integers only, and sums wrap: the results are the same, bit for bit.

use super::plain::{Block, Difference, Rows, add_rows_plainly, weigh_plainly};

/// `values[target] = values[source] + added rows - removed rows`, for a row of blocks at each.
#[inline]
pub(super) fn add_rows(values: &mut [Block], places: [usize; 2], rows: Rows<'_>, difference: &impl Difference) {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = super::avx2::Avx2::detect() {
        return avx2.add_rows(values, places, rows, difference);
    }
    add_rows_plainly(values, places, rows, difference);
}

/// The sum of `weight * clamp(value, 0, ONE)^2`. Weights are below 128 in size, so that a weight times a clamped value
/// fits 16 bits.
#[inline]
pub(super) fn weigh(values: &[Block], weights: &[Block]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = super::avx2::Avx2::detect() {
        return avx2.weigh(values, weights);
    }
    weigh_plainly(values, weights)
}
