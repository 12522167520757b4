//! The network: an evaluation learned from positions, small and efficiently updatable (NNUE, Nasu 2018).
//!
//! (4 x 768 features -> neurons) for each side, with the same weights, then one output over the neurons of both sides. A
//! neuron's sum is clamped to between 0 and 1 and squared. Everything is computed in integers: sums of the first layer
//! in 255ths, output weights in 64ths. A move changes only a few features, so sums are kept and updated
//! ([`Accumulators`]).

mod accumulators;
mod arithmetic;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod features;
mod file;
mod plain;

pub use accumulators::Accumulators;
pub use features::{FEATURES, PLACES, REGIONS, View, feature};
pub use file::{LARGEST_OUTPUT_WEIGHT, NetworkError, Numbers, check_shape};

use arithmetic::weigh;
use cozy_chess::Board;
use game::Score;
use plain::{Block, ONE};

/// One in the fixed point of the first layer.
pub const FIRST_ONE: i16 = ONE;
/// One in the fixed point of the output's weights.
pub const OUTPUT_ONE: i16 = 64;

/// A network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// Blocks for the neurons of one side.
    width: usize,
    scale: i32,
    features: Box<[Block]>,
    biases: Box<[Block]>,
    output: Box<[Block]>,
    output_biases: Box<[i32]>,
}

impl Network {
    /// The evaluation from the sums of the first layer, those of the side to move first.
    #[inline]
    fn output(&self, [own, other]: [&[Block]; 2], bucket: usize) -> Score {
        let weights = &self.output[2 * self.width * bucket..];
        let (own_weights, other_weights) = weights.split_at(self.width);
        let sum = weigh(own, own_weights) + weigh(other, other_weights);
        let sum = i64::from(sum / i32::from(ONE)) + i64::from(self.output_biases[bucket]);
        let score = sum * i64::from(self.scale) / (i64::from(ONE) * i64::from(OUTPUT_ONE));
        Score::estimate(score as i32)
    }

    /// Which output is used for a board.
    #[inline]
    fn bucket(&self, board: &Board) -> usize {
        bucket(board.occupied().len(), self.output_biases.len())
    }
}

/// The index of the output for a board with this number of pieces, kings included.
#[inline]
pub fn bucket(pieces: u32, buckets: usize) -> usize {
    (pieces.saturating_sub(2) as usize * buckets / 31).min(buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// A network of random numbers, of the size that trained ones have.
    pub(super) fn some_numbers(hidden: usize, buckets: usize, seed: u64) -> Numbers {
        let mut random = seed;
        let mut next = |range: i64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) as i64 % (2 * range + 1) - range
        };
        let mut some = |count: usize, range| (0..count).map(|_| next(range) as i16).collect();
        Numbers {
            hidden,
            buckets,
            scale: 400,
            features: some(FEATURES * hidden, 60),
            biases: some(hidden, 60),
            output: some(2 * hidden * buckets, 60),
            output_biases: (0..buckets as i32).map(|bucket| 100 * bucket).collect(),
        }
    }

    /// The definition of the evaluation, in floating point and without optimisations.
    fn by_definition(numbers: &Numbers, board: &Board) -> f64 {
        let hidden = numbers.hidden;
        let us = board.side_to_move();
        let bucket = bucket(board.occupied().len(), numbers.buckets);
        let mut output = f64::from(numbers.output_biases[bucket]) / (255.0 * 64.0);
        for (half, side) in [us, !us].into_iter().enumerate() {
            let view = View::new(side, board.king(side));
            for neuron in 0..hidden {
                let mut sum = f64::from(numbers.biases[neuron]) / 255.0;
                for square in board.occupied() {
                    let (Some(piece), Some(color)) = (board.piece_on(square), board.color_on(square)) else { continue };
                    let index = view.index(feature(color, piece, square));
                    sum += f64::from(numbers.features[index * hidden + neuron]) / 255.0;
                }
                let weight = f64::from(numbers.output[(2 * bucket + half) * hidden + neuron]) / 64.0;
                output += weight * sum.clamp(0.0, 1.0).powi(2);
            }
        }
        output * f64::from(numbers.scale)
    }

    #[test]
    fn integers_come_near_the_definition() {
        for (hidden, buckets) in [(64, 1), (192, 8)] {
            let numbers = some_numbers(hidden, buckets, 7);
            let network = Arc::new(Network::from(&numbers));
            for fen in [
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
                "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
                "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1",
            ] {
                let board: Board = fen.parse().unwrap();
                let score = f64::from(network.evaluate(&board).value());
                assert!((score - by_definition(&numbers, &board)).abs() < 1.5, "{fen}: {score}");
            }
        }
    }

    #[test]
    fn the_embedded_network_knows_who_is_ahead() {
        let network = Network::embedded();
        let score = |fen: &str| network.evaluate(&fen.parse().unwrap()).value();
        assert!(score("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").abs() < 100);
        assert!(score("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1") < -300);
        assert!(score("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1") > 300);
        assert!(score("4k3/8/8/8/8/8/4P3/3RK3 w - - 0 1") > 300);
    }

    #[test]
    fn every_number_of_pieces_has_a_bucket() {
        for buckets in [1, 4, 8, 16] {
            let used: Vec<usize> = (2..=32).map(|pieces| bucket(pieces, buckets)).collect();
            assert!(used.is_sorted() && used[0] == 0 && used[30] == buckets - 1);
        }
    }
}
