//! The two loops that take the time: adding rows of weights, and the output's sum of products.
//!
//! Here they are plain Rust for any CPU; [`super::avx2`] has versions for CPUs with AVX2. Both use integers only, and
//! sums wrap, so their results are equal bit for bit.

/// Number of neurons in a block.
pub(super) const LANES: usize = 64;
/// One in the first layer's fixed point.
pub(super) const ONE: i16 = 255;

/// A block of neurons, or of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct Block(pub(super) [i16; LANES]);

impl Block {
    pub(super) const ZERO: Block = Block([0; LANES]);
}

/// A matrix with one row for each feature.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) blocks: &'a [Block],
    /// Blocks in a row.
    pub(super) width: usize,
}

/// Which rows to add, and which to take away.
pub(super) trait Difference {
    fn added(&self) -> impl Iterator<Item = usize>;
    fn removed(&self) -> impl Iterator<Item = usize>;
}

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

#[inline(always)]
pub(super) fn add_rows_plainly(
    values: &mut [Block],
    [source, target]: [usize; 2],
    rows: Rows<'_>,
    difference: &impl Difference,
) {
    for place in 0..rows.width {
        let mut block = values[source + place];
        for row in difference.added() {
            let weights = &rows.blocks[row * rows.width + place];
            for (value, weight) in block.0.iter_mut().zip(weights.0) {
                *value = value.wrapping_add(weight);
            }
        }
        for row in difference.removed() {
            let weights = &rows.blocks[row * rows.width + place];
            for (value, weight) in block.0.iter_mut().zip(weights.0) {
                *value = value.wrapping_sub(weight);
            }
        }
        values[target + place] = block;
    }
}

pub(super) fn weigh_plainly(values: &[Block], weights: &[Block]) -> i32 {
    let mut sum = 0i32;
    for (values, weights) in values.iter().zip(weights) {
        for (&value, &weight) in values.0.iter().zip(&weights.0) {
            let clamped = value.clamp(0, ONE);
            let product = i32::from(clamped.wrapping_mul(weight)) * i32::from(clamped);
            sum = sum.wrapping_add(product);
        }
    }
    sum
}
