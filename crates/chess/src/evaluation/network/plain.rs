//! Blocks of neurons, and the two loops of [`super::arithmetic`] in plain Rust.

/// So many neurons are worked on together.
pub(super) const LANES: usize = 64;
/// One in the first layer's fixed point.
pub(super) const ONE: i16 = 255;

/// Some neurons, or the weights to them.
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
