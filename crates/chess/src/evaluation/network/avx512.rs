//! The loops of [`super::arithmetic`] for CPUs with AVX-512: as those for AVX2, with registers of twice the size.

use super::plain::{Block, Difference, LANES, ONE, Rows, add_rows_plainly};
use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_load_si512, _mm512_madd_epi16, _mm512_max_epi16, _mm512_min_epi16,
    _mm512_mullo_epi16, _mm512_reduce_add_epi32, _mm512_set1_epi16, _mm512_setzero_si512,
};

/// Proof that the CPU has AVX-512 with operations on 16-bit numbers. [`Avx512::detect`] is the only way to make one.
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    /// A proof, if the CPU has it. Costs nothing if the whole program is compiled for it, otherwise one load of a cached answer.
    #[inline]
    pub(super) fn detect() -> Option<Avx512> {
        is_x86_feature_detected!("avx512bw").then_some(Avx512(()))
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

#[target_feature(enable = "avx512bw")]
fn add_rows(values: &mut [Block], places: [usize; 2], rows: Rows<'_>, difference: &impl Difference) {
    add_rows_plainly(values, places, rows, difference);
}

const PER_REGISTER: usize = 32;

/// The registers of a block.
#[target_feature(enable = "avx512bw")]
#[inline]
fn load(block: &Block) -> [__m512i; LANES / PER_REGISTER] {
    std::array::from_fn(|part| {
        let lanes: &[i16] = &block.0[part * PER_REGISTER..][..PER_REGISTER];
        // SAFETY: `lanes` is 64 readable bytes, and aligned to 64: a block is.
        unsafe { _mm512_load_si512(lanes.as_ptr().cast()) }
    })
}

#[target_feature(enable = "avx512bw")]
fn weigh(values: &[Block], weights: &[Block]) -> i32 {
    let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(ONE));
    let mut sums = [zero; LANES / PER_REGISTER];
    for (values, weights) in values.iter().zip(weights) {
        let (values, weights) = (load(values), load(weights));
        for (sum, (value, weight)) in sums.iter_mut().zip(values.into_iter().zip(weights)) {
            let clamped = _mm512_min_epi16(_mm512_max_epi16(value, zero), one);
            let pairs = _mm512_madd_epi16(_mm512_mullo_epi16(clamped, weight), clamped);
            *sum = _mm512_add_epi32(*sum, pairs);
        }
    }
    _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]))
}
