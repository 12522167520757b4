//! The two loops that take the time: adding rows of weights, and the output's sum of products.
//!
//! [`super::plain`] has them for any processor, [`super::avx2`] and [`super::avx512`] for those that have wider registers; the widest
//! that the processor has are used. Integers only, and sums wrap: the results are the same, bit for bit.

use super::plain::{Block, Difference, Rows, add_rows_plainly, weigh_plainly};

/// `values[target] = values[source] + added rows - removed rows`, for a row of blocks at each.
#[inline]
pub(super) fn add_rows(values: &mut [Block], places: [usize; 2], rows: Rows<'_>, difference: &impl Difference) {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx512) = super::avx512::Avx512::detect() {
        return avx512.add_rows(values, places, rows, difference);
    } else if let Some(avx2) = super::avx2::Avx2::detect() {
        return avx2.add_rows(values, places, rows, difference);
    }
    add_rows_plainly(values, places, rows, difference);
}

/// The sum of `weight * clamp(value, 0, ONE)^2`. Weights are below 128 in size, so that a weight times a clamped value
/// fits 16 bits.
#[inline]
pub(super) fn weigh(values: &[Block], weights: &[Block]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx512) = super::avx512::Avx512::detect() {
        return avx512.weigh(values, weights);
    } else if let Some(avx2) = super::avx2::Avx2::detect() {
        return avx2.weigh(values, weights);
    }
    weigh_plainly(values, weights)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::super::{avx2::Avx2, avx512::Avx512};
    use super::*;

    struct Some;

    impl Difference for Some {
        fn added(&self) -> impl Iterator<Item = usize> {
            [3, 0, 5].into_iter()
        }

        fn removed(&self) -> impl Iterator<Item = usize> {
            [2, 4].into_iter()
        }
    }

    /// Compares loops with the plain ones on random numbers. Some of the numbers overflow.
    fn compare(
        weigh: impl Fn(&[Block], &[Block]) -> i32,
        add_rows: impl Fn(&mut [Block], [usize; 2], Rows<'_>, &Some),
    ) {
        let mut random = 1u64;
        let mut next = move |range: i64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((random >> 33) as i64 % (2 * range + 1) - range) as i16
        };
        for round in 0..1000 {
            let (range, weight) = if round % 10 == 0 { (32_767, 32_767) } else { (600, 127) };
            let width = 1 + round % 4;
            let mut some = |count: usize, range| -> Vec<Block> {
                (0..count).map(|_| Block(std::array::from_fn(|_| next(range)))).collect()
            };
            let (mut values, matrix, weights) = (some(3 * width, range), some(6 * width, range), some(width, weight));
            assert_eq!(weigh(&values[..width], &weights), weigh_plainly(&values[..width], &weights));
            let mut plain = values.clone();
            let rows = Rows { blocks: &matrix, width };
            add_rows_plainly(&mut plain, [width, 2 * width], rows, &Some);
            add_rows(&mut values, [width, 2 * width], rows, &Some);
            assert_eq!(values, plain);
        }
    }

    #[test]
    #[cfg_attr(not(target_feature = "avx2"), ignore = "needs a build for a processor with AVX2")]
    fn avx2_and_plain_code_agree_on_any_numbers() {
        let avx2 = Avx2::detect().unwrap();
        compare(
            |values, weights| avx2.weigh(values, weights),
            |values, places, rows, difference| avx2.add_rows(values, places, rows, difference),
        );
    }

    #[test]
    #[cfg_attr(not(target_feature = "avx512bw"), ignore = "needs a build for a processor with AVX-512")]
    fn avx512_and_plain_code_agree_on_any_numbers() {
        let avx512 = Avx512::detect().unwrap();
        compare(
            |values, weights| avx512.weigh(values, weights),
            |values, places, rows, difference| avx512.add_rows(values, places, rows, difference),
        );
    }
}
