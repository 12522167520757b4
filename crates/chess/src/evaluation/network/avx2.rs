//! The loops of [`super::arithmetic`] for CPUs with AVX2.
//!
//! Adding rows is the plain code, compiled for AVX2. The output's sum uses intrinsics, because the compiler does not
//! use the instruction that multiplies and adds pairs, and its code takes about twice as long.

use super::plain::{Block, Difference, LANES, ONE, Rows, add_rows_plainly};
use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_add_epi32, _mm256_castsi256_si128,
    _mm256_extracti128_si256, _mm256_load_si256, _mm256_madd_epi16, _mm256_max_epi16, _mm256_min_epi16,
    _mm256_mullo_epi16, _mm256_set1_epi16, _mm256_setzero_si256,
};

/// Proof that the CPU has AVX2. [`Avx2::detect`] is the only way to make one.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    /// A proof, if the CPU has AVX2. Costs nothing if the whole program is compiled for AVX2, otherwise one load of a
    /// cached answer.
    #[inline]
    pub(super) fn detect() -> Option<Avx2> {
        is_x86_feature_detected!("avx2").then_some(Avx2(()))
    }

    #[inline]
    pub(super) fn add_rows(
        self,
        values: &mut [Block],
        places: [usize; 2],
        rows: Rows<'_>,
        difference: &impl Difference,
    ) {
        // SAFETY: `self` proves that the processor has what the function was compiled for.
        unsafe { add_rows(values, places, rows, difference) }
    }

    #[inline]
    pub(super) fn weigh(self, values: &[Block], weights: &[Block]) -> i32 {
        // SAFETY: `self` proves that the processor has what the function was compiled for.
        unsafe { weigh(values, weights) }
    }
}

#[target_feature(enable = "avx2")]
fn add_rows(values: &mut [Block], places: [usize; 2], rows: Rows<'_>, difference: &impl Difference) {
    add_rows_plainly(values, places, rows, difference);
}

const PER_REGISTER: usize = 16;

/// The registers of a block.
#[target_feature(enable = "avx2")]
#[inline]
fn load(block: &Block) -> [__m256i; LANES / PER_REGISTER] {
    std::array::from_fn(|part| {
        let lanes: &[i16] = &block.0[part * PER_REGISTER..][..PER_REGISTER];
        // SAFETY: `lanes` is 32 readable bytes, and aligned to 32: a block is aligned to 64.
        unsafe { _mm256_load_si256(lanes.as_ptr().cast()) }
    })
}

#[target_feature(enable = "avx2")]
fn weigh(values: &[Block], weights: &[Block]) -> i32 {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(ONE));
    let mut sums = [zero; LANES / PER_REGISTER];
    for (values, weights) in values.iter().zip(weights) {
        let (values, weights) = (load(values), load(weights));
        for (sum, (value, weight)) in sums.iter_mut().zip(values.into_iter().zip(weights)) {
            let clamped = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
            let pairs = _mm256_madd_epi16(_mm256_mullo_epi16(clamped, weight), clamped);
            *sum = _mm256_add_epi32(*sum, pairs);
        }
    }
    let sum = sums.into_iter().fold(zero, |left, right| _mm256_add_epi32(left, right));
    let halves = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let quarters = _mm_add_epi32(halves, _mm_shuffle_epi32::<0b01_00_11_10>(halves));
    _mm_cvtsi128_si32(_mm_add_epi32(quarters, _mm_shuffle_epi32::<0b10_11_00_01>(quarters)))
}
