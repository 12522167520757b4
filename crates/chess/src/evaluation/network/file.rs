//! The file format of networks.
//!
//! All numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `JNET` |
//! | 4 | version, 2 |
//! | 4 | neurons for each side, a multiple of 64 |
//! | 4 | output buckets |
//! | 4 | scale: hundredths of a pawn for an output of one |
//! | 8 | checksum of all that follows (FNV-1a, 64 bits) |
//! | 2 each | weights of the first layer, 255ths: for each of the 4 x 768 features (king's region, piece, square) one for each neuron |
//! | 2 each | biases of the first layer, 255ths: one for each neuron |
//! | 2 each | weights of the output, 64ths: for each bucket one for each neuron of the side to move, then of the other |
//! | 4 each | biases of the output, 255 * 64ths: one for each bucket |

use super::plain::{Block, LANES, ONE};
use super::{FEATURES, Network};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock};

const MAGIC: &[u8; 4] = b"JNET";
const VERSION: u32 = 2;
const HEADER: usize = 28;
/// The largest number of neurons for each side, and of buckets: more than any network needs.
const MOST_NEURONS: usize = 1024;
const MOST_BUCKETS: usize = 16;
const MOST_SCALE: u32 = 10_000;
/// The largest weight of the output, so that a weight times a clamped value fits 16 bits.
pub const LARGEST_OUTPUT_WEIGHT: i16 = 127;

/// Why a network could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// The file can't be read.
    Unreadable(String),
    /// It does not begin like a network.
    NotANetwork,
    /// It is of another version.
    Version(u32),
    /// Its neurons, buckets and scale are not what this program can use.
    Shape([u32; 3]),
    /// It is too short or too long.
    Length(usize, usize),
    /// Its checksum is wrong.
    Damaged,
    /// Its output weights are so large that sums would overflow.
    TooLarge,
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::Unreadable(reason) => write!(f, "can't read the network: {reason}"),
            NetworkError::NotANetwork => write!(f, "not a Jamboree network; 'jamboree train' makes them"),
            NetworkError::Version(found) => write!(f, "a network of version {found}; this program reads {VERSION}"),
            NetworkError::Shape([neurons, buckets, scale]) => write!(
                f,
                "a network of {neurons} neurons, {buckets} buckets, scale {scale}; there may be up to {MOST_NEURONS} \
                 neurons, a multiple of {LANES}, {MOST_BUCKETS} buckets and a scale of {MOST_SCALE}"
            ),
            NetworkError::Length(found, expected) => {
                write!(f, "the network has {found} bytes instead of {expected}: copy it again")
            }
            NetworkError::Damaged => write!(f, "the network is damaged (its checksum is wrong): copy it again"),
            NetworkError::TooLarge => write!(f, "the network's output weights are too large"),
        }
    }
}

impl std::error::Error for NetworkError {}

fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Checks that this program can use a network of this shape.
///
/// # Errors
/// If it has too few or too many neurons or buckets, or a scale out of range.
pub fn check_shape(hidden: u32, buckets: u32, scale: u32) -> Result<(), NetworkError> {
    let fits = (1..=MOST_NEURONS).contains(&(hidden as usize))
        && (hidden as usize).is_multiple_of(LANES)
        && (1..=MOST_BUCKETS).contains(&(buckets as usize))
        && (1..=MOST_SCALE).contains(&scale);
    if fits { Ok(()) } else { Err(NetworkError::Shape([hidden, buckets, scale])) }
}

/// Numbers of a network in the order of its file, before they are put into blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Neurons for each side.
    pub hidden: usize,
    /// Output buckets.
    pub buckets: usize,
    /// Hundredths of a pawn for an output of one.
    pub scale: i32,
    /// Weights of the first layer, feature by feature.
    pub features: Vec<i16>,
    /// Biases of the first layer.
    pub biases: Vec<i16>,
    /// Weights of the output, bucket by bucket.
    pub output: Vec<i16>,
    /// Biases of the output.
    pub output_biases: Vec<i32>,
}

impl Numbers {
    /// These numbers as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut payload = Vec::new();
        for numbers in [&self.features, &self.biases, &self.output] {
            payload.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        payload.extend(self.output_biases.iter().flat_map(|number| number.to_le_bytes()));
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, self.hidden as u32, self.buckets as u32, self.scale as u32] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(checksum(&payload).to_le_bytes());
        bytes.extend(payload);
        bytes
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is not a complete network of a usable shape.
    pub fn from_bytes(bytes: &[u8]) -> Result<Numbers, NetworkError> {
        let Some((header, payload)) = bytes.split_at_checked(HEADER).filter(|_| bytes.starts_with(MAGIC)) else {
            return Err(NetworkError::NotANetwork);
        };
        let mut words = header[MAGIC.len()..].chunks_exact(4).map(|word| le(word) as u32);
        let [version, hidden, buckets, scale] = std::array::from_fn(|_| words.next().unwrap_or_default());
        if version != VERSION {
            return Err(NetworkError::Version(version));
        }
        check_shape(hidden, buckets, scale)?;
        let (hidden, buckets) = (hidden as usize, buckets as usize);
        let counts = [FEATURES * hidden, hidden, 2 * hidden * buckets];
        let expected = 2 * counts.iter().sum::<usize>() + 4 * buckets;
        if payload.len() != expected {
            return Err(NetworkError::Length(bytes.len(), HEADER + expected));
        }
        if checksum(payload) != le(&header[HEADER - 8..]) {
            return Err(NetworkError::Damaged);
        }
        let (small, output_biases) = payload.split_at(expected - 4 * buckets);
        let mut small = small.chunks_exact(2).map(|pair| le(pair) as u16 as i16);
        let [features, biases, output] = counts.map(|count| small.by_ref().take(count).collect::<Vec<i16>>());
        let output_biases = output_biases.chunks_exact(4).map(|word| le(word) as u32 as i32).collect();
        // Sums of products must not overflow.
        let most = i64::from(i32::MAX) / i64::from(ONE).pow(2);
        let sum_of = |weights: &[i16]| weights.iter().map(|weight| i64::from(weight.unsigned_abs())).sum::<i64>();
        if output.iter().any(|weight| weight.unsigned_abs() > LARGEST_OUTPUT_WEIGHT.unsigned_abs())
            || output.chunks_exact(2 * hidden).any(|weights| sum_of(weights) > most)
        {
            return Err(NetworkError::TooLarge);
        }
        Ok(Numbers { hidden, buckets, scale: scale as i32, features, biases, output, output_biases })
    }
}

/// A little-endian number of up to eight bytes.
fn le(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn blocks(numbers: &[i16]) -> Box<[Block]> {
    let block = |lanes: &[i16]| {
        let mut block = Block::ZERO;
        block.0.copy_from_slice(lanes);
        block
    };
    numbers.chunks_exact(LANES).map(block).collect()
}

impl Network {
    /// Reads a network from a file.
    ///
    /// # Errors
    /// If there is no such file, or it is not a network that can be used.
    pub fn open(path: impl AsRef<Path>) -> Result<Network, NetworkError> {
        let path = path.as_ref();
        let bytes =
            std::fs::read(path).map_err(|error| NetworkError::Unreadable(format!("'{}': {error}", path.display())))?;
        Ok(Network::from(&Numbers::from_bytes(&bytes)?))
    }

    /// The network that is built in.
    pub fn embedded() -> Arc<Network> {
        static EMBEDDED: LazyLock<Arc<Network>> = LazyLock::new(|| {
            let numbers = Numbers::from_bytes(include_bytes!("../../../nets/jamboree.jnet"));
            Arc::new(Network::from(&numbers.unwrap_or_else(|error| unreachable!("a test reads it: {error}"))))
        });
        Arc::clone(&EMBEDDED)
    }
}

impl From<&Numbers> for Network {
    fn from(numbers: &Numbers) -> Network {
        Network {
            width: numbers.hidden / LANES,
            scale: numbers.scale,
            features: blocks(&numbers.features),
            biases: blocks(&numbers.biases),
            output: blocks(&numbers.output),
            output_biases: numbers.output_biases.clone().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::some_numbers;
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let numbers = some_numbers(128, 2, 1);
        assert_eq!(Numbers::from_bytes(&numbers.to_bytes()), Ok(numbers));
    }

    #[test]
    fn bad_files_are_refused_with_the_reason() {
        let good = some_numbers(64, 1, 1).to_bytes();
        let changed = |at: usize, to: u8| {
            let mut bytes = good.clone();
            bytes[at] = to;
            Numbers::from_bytes(&bytes)
        };
        assert_eq!(Numbers::from_bytes(b""), Err(NetworkError::NotANetwork));
        assert_eq!(Numbers::from_bytes(&good[..20]), Err(NetworkError::NotANetwork));
        assert_eq!(changed(0, b'X'), Err(NetworkError::NotANetwork));
        assert_eq!(changed(4, 9), Err(NetworkError::Version(9)));
        assert_eq!(changed(8, 65), Err(NetworkError::Shape([65, 1, 400])));
        assert_eq!(changed(12, 0), Err(NetworkError::Shape([64, 0, 400])));
        assert_eq!(changed(8, 128), Err(NetworkError::Length(good.len(), 28 + 2 * ((FEATURES + 1) * 128 + 256) + 4)));
        assert_eq!(Numbers::from_bytes(&good[..good.len() - 1]), Err(NetworkError::Length(good.len() - 1, good.len())));
        assert_eq!(changed(1000, good[1000] ^ 1), Err(NetworkError::Damaged));
        let mut large = some_numbers(64, 1, 1);
        large.output[5] = 128;
        assert_eq!(Numbers::from_bytes(&large.to_bytes()), Err(NetworkError::TooLarge));
        large = some_numbers(512, 1, 1);
        large.output.fill(127);
        assert_eq!(Numbers::from_bytes(&large.to_bytes()), Err(NetworkError::TooLarge));
    }
}
