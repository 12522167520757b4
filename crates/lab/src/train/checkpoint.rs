//! The whole state of a training, so that it goes on after a kill as if nothing had happened.
//!
//! All numbers are little-endian: `JTRAIN02`, the settings that decide the course (see [`Trainer::settings_mark`]), epochs, groups and
//! positions of the epoch, steps, sum of errors, then weights and moments of the features' own rows and of the shared rows, and a checksum
//! (CRC-32) of all that.

use super::Trainer;
use super::factors::Weights;
use std::fmt;
use std::io::{self, Write};

const MAGIC: &[u8; 8] = b"JTRAIN02";

/// Why a training can't go on from a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointError {
    /// The file is not a checkpoint, or it is damaged.
    Damaged,
    /// It belongs to a training with other settings.
    OtherSettings,
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CheckpointError::Damaged => "not a whole checkpoint: delete it to begin anew",
            CheckpointError::OtherSettings => {
                "the checkpoint is of a training with other settings: use those, or delete it to begin anew"
            }
        })
    }
}

impl std::error::Error for CheckpointError {}

impl Trainer {
    /// The settings that decide the course of a training, as numbers.
    fn settings_mark(&self) -> [u64; 10] {
        let s = &self.settings;
        let real = |number: f32| u64::from(number.to_bits());
        [
            s.shape.hidden as u64,
            s.shape.buckets as u64,
            real(s.aim.scale),
            real(s.aim.trust),
            s.epochs as u64,
            s.batch as u64,
            real(s.rate),
            real(s.fading),
            s.seed,
            s.threads as u64,
        ]
    }

    /// Writes the state.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn save(&self, out: &mut impl Write) -> io::Result<()> {
        let mut bytes = MAGIC.to_vec();
        let place = [self.epochs, self.groups, self.place, self.factors.steps].map(|number| number as u64);
        let place = place.into_iter().chain([self.error.to_bits()]);
        for number in self.settings_mark().into_iter().chain(place) {
            bytes.extend(number.to_le_bytes());
        }
        for Weights { values, mean, square } in [&self.factors.own, &self.factors.shared] {
            for number in [values, mean, square].into_iter().flatten() {
                bytes.extend(number.to_le_bytes());
            }
        }
        let sum = crc32fast::hash(&bytes);
        out.write_all(&bytes)?;
        out.write_all(&sum.to_le_bytes())
    }

    /// Goes on from a state. The data must be the same, in the order of their files.
    ///
    /// # Errors
    /// If the bytes are not the state of a training with the same settings; then nothing changes.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (bytes, sum) = bytes.split_last_chunk::<4>().ok_or(CheckpointError::Damaged)?;
        let rest = bytes.strip_prefix(MAGIC).ok_or(CheckpointError::Damaged)?;
        if crc32fast::hash(bytes) != u32::from_le_bytes(*sum) {
            return Err(CheckpointError::Damaged);
        }
        let (numbers, rest) = rest.split_first_chunk::<{ 15 * 8 }>().ok_or(CheckpointError::Damaged)?;
        let mut numbers = numbers.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        if self.settings_mark().into_iter().ne(numbers.by_ref().take(10)) {
            return Err(CheckpointError::OtherSettings);
        }
        let [epochs, groups, place, steps, error] = std::array::from_fn(|_| numbers.next().unwrap_or_default());
        let [epochs, groups, place, steps] = [epochs, groups, place, steps].map(|number| number as usize);
        let (reals, odd) = rest.as_chunks::<4>();
        let count = 3 * (self.factors.own.values.len() + self.factors.shared.values.len());
        if reals.len() != count || !odd.is_empty() {
            return Err(CheckpointError::Damaged);
        }
        let mut reals = reals.iter().map(|bytes| f32::from_le_bytes(*bytes));
        for weights in [&mut self.factors.own, &mut self.factors.shared] {
            for list in [&mut weights.values, &mut weights.mean, &mut weights.square] {
                list.iter_mut().zip(&mut reals).for_each(|(number, saved)| *number = saved);
            }
        }
        self.factors.put_together(&mut self.model);
        (self.epochs, self.groups, self.place, self.factors.steps) = (epochs, groups, place, steps);
        self.error = f64::from_bits(error);
        Ok(())
    }
}
