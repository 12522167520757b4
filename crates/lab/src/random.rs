//! Random numbers that are the same for the same seed, on every machine and in every version.
//!
//! The generator is xoshiro256++ (Blackman & Vigna 2021) of the crate `rand_xoshiro`. How bounded numbers and random
//! orders are made from its output is defined here, because the crate `rand` may change its algorithms.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A seeded generator.
pub(crate) struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The generator of a seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A generator for one of many items, such as games. It depends only on the seed and the number of the item.
    pub(crate) fn for_item(seed: u64, number: u64) -> Random {
        Random::new(Random::new(seed).next().wrapping_add(number))
    }

    /// A 64-bit number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// A number between -1 and 1.
    pub(crate) fn signed(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }

    /// Shuffles a list (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for index in (1..list.len()).rev() {
            list.swap(index, self.below(index + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_in_every_version() {
        let mut random = Random::new(1);
        let numbers: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(numbers, FIRST_OF_SEED_1);
    }

    /// The reference implementation's numbers, seeded by SplitMix64 as its authors advise.
    const FIRST_OF_SEED_1: [u64; 3] = [0xcfc5_d07f_6f03_c29b, 0xbf42_4132_963f_e08d, 0x19a3_7d57_57aa_f520];

    #[test]
    fn a_shuffled_list_has_everything_in_an_order_of_its_seed() {
        let shuffled = |seed| {
            let mut list: Vec<usize> = (0..50).collect();
            Random::new(seed).shuffle(&mut list);
            list
        };
        assert_eq!(shuffled(1), shuffled(1));
        assert_ne!(shuffled(1), shuffled(2));
        let mut sorted = shuffled(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
    }
}
