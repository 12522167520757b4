//! The weighted sum of an evaluation: middlegame and endgame added together.

use super::terms::{Sink, TERMS};
use super::weights::WEIGHTS;

/// A middlegame and an endgame value in one integer: the endgame in the upper half, so one addition adds both.
#[derive(Clone, Copy, Default)]
pub(super) struct Packed(i32);

impl Packed {
    const fn new(middlegame: i32, endgame: i32) -> Packed {
        Packed((endgame << 16) + middlegame)
    }

    pub(super) fn to_bits(self) -> u64 {
        u64::from(self.0 as u32)
    }

    pub(super) fn from_bits(bits: u64) -> Packed {
        Packed(bits as u32 as i32)
    }

    pub(super) fn middlegame(self) -> i32 {
        i32::from(self.0 as i16)
    }

    pub(super) fn endgame(self) -> i32 {
        // The middlegame part, if negative, has borrowed one from the upper half.
        (self.0 + 0x8000) >> 16
    }
}

const PACKED: [Packed; TERMS] = {
    let mut packed = [Packed(0); TERMS];
    let mut term = 0;
    while term < TERMS {
        packed[term] = Packed::new(WEIGHTS[term].0 as i32, WEIGHTS[term].1 as i32);
        term += 1;
    }
    packed
};

/// Sums up the weights.
#[derive(Default)]
pub(super) struct Sum(pub(super) Packed);

impl Sink for Sum {
    #[inline(always)]
    fn add(&mut self, term: usize, count: i32) {
        self.0.0 += PACKED[term].0 * count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_both_values() {
        for middlegame in [-3000, -1, 0, 1, 2999] {
            for endgame in [-3000, -1, 0, 1, 2999] {
                let packed = Packed::new(middlegame, endgame);
                assert_eq!((packed.middlegame(), packed.endgame()), (middlegame, endgame));
            }
        }
    }
}
