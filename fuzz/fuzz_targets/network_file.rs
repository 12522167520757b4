//! The bytes of a network are refused, or the network evaluates every position without an overflow.
//!
//! A whole file is too long to be found by chance. So the input is read twice: as a file, and as a shape and a pattern of weights of
//! which a file with the right length and checksum is made.

#![no_main]

use chess::board::Board;
use chess::evaluation::network::{FEATURES, Network, Numbers};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};

static BOARDS: LazyLock<Vec<Board>> = LazyLock::new(|| {
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1",
        "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/5k2/7K w - - 0 1",
    ];
    fens.into_iter().flat_map(|fen| fen.parse()).collect()
});

fuzz_target!(|input: &[u8]| {
    if let Ok(numbers) = Numbers::from_bytes(input) {
        assert_eq!(numbers.to_bytes(), input);
    }
    let Some((&[buckets, scale, narrow, extreme], pattern)) = input.split_first_chunk() else { return };
    // Most inputs are read as a file only: a network takes long.
    if narrow > 7 {
        return;
    }
    let pattern: Vec<i16> = pattern.as_chunks::<2>().0.iter().map(|&pair| i16::from_le_bytes(pair)).collect();
    if pattern.is_empty() {
        return;
    }
    let hidden = 64 * (1 + usize::from(narrow & 1));
    let buckets = usize::from(buckets % 17);
    let mut at = 0;
    let mut some = |count: usize, divisor: i16| -> Vec<i16> {
        (0..count)
            .map(|_| {
                at += 1;
                pattern[at % pattern.len()] / divisor
            })
            .collect()
    };
    let numbers = Numbers {
        hidden,
        buckets,
        scale: 40 * i32::from(scale),
        features: some(FEATURES * hidden, 1),
        biases: some(hidden, 1),
        output: some(2 * hidden * buckets, if extreme & 1 == 0 { 512 } else { 1 }),
        output_biases: some(buckets, 1).into_iter().map(|bias| i32::from(bias) << (extreme >> 4)).collect(),
    };
    let Ok(read) = Numbers::from_bytes(&numbers.to_bytes()) else { return };
    assert_eq!(read, numbers);
    let network = Arc::new(Network::from(&read));
    for board in BOARDS.iter() {
        let score = network.evaluate(board);
        assert!(score.plies_to_end().is_none(), "an estimate is no mate: {score:?}");
    }
});
