//! The contents of a table as bytes, to be kept in a file.

use crate::{Bucket, GENERATIONS, SLOTS, Table};
use std::io::{self, Read, Write};
use std::sync::atomic::Ordering;

const BUCKET_BYTES: usize = size_of::<Bucket>();
/// So many buckets are read or written at once.
const AT_ONCE: usize = 1024;
/// The generation comes before the buckets, in bytes of its own.
const HEAD: usize = 8;

impl Table {
    /// How many bytes [`Table::write_contents`] writes; none if this is a table of one of the papers' programs, which has no
    /// contents to keep.
    pub fn contents_bytes(&self) -> Option<u64> {
        let bytes = size_of_val(self.buckets.as_slice()) as u64 + HEAD as u64;
        self.direct.is_none().then_some(bytes)
    }

    /// Writes the contents: the generation, then every bucket.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn write_contents(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&u64::from(self.generation.load(Ordering::Relaxed)).to_le_bytes())?;
        let mut bytes = Vec::with_capacity(AT_ONCE * BUCKET_BYTES);
        for buckets in self.buckets.as_slice().chunks(AT_ONCE) {
            bytes.clear();
            let words = buckets.iter().flat_map(|bucket| &bucket.0).flat_map(|slot| slot.words());
            words.for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
            out.write_all(&bytes)?;
        }
        Ok(())
    }

    /// Takes over what [`Table::write_contents`] has written from a table of the same size.
    ///
    /// # Errors
    /// If it can't be read. Then a part of it may be in the table.
    pub fn read_contents(&self, input: &mut impl Read) -> io::Result<()> {
        let mut head = [0; HEAD];
        input.read_exact(&mut head)?;
        let mut bytes = vec![0; AT_ONCE * BUCKET_BYTES];
        for buckets in self.buckets.as_slice().chunks(AT_ONCE) {
            let bytes = &mut bytes[..size_of_val(buckets)];
            input.read_exact(bytes)?;
            let slots = buckets.iter().flat_map(|bucket| &bucket.0);
            for (slot, bytes) in slots.zip(bytes.chunks_exact(BUCKET_BYTES / SLOTS)) {
                slot.set_words([word(&bytes[..8]), word(&bytes[8..])]);
            }
        }
        self.generation.store((u64::from_le_bytes(head) % u64::from(GENERATIONS)) as u8, Ordering::Relaxed);
        Ok(())
    }
}

/// Eight bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;
    use game::{Bound, Score};

    fn entry(depth: i32) -> Entry {
        Entry { mv: 7, score: Score::from_value(-12), eval: None, depth, bound: Bound::Lower, pv: true }
    }

    #[test]
    fn contents_go_from_one_table_to_another() {
        let (from, to) = (Table::new(1).unwrap(), Table::new(1).unwrap());
        let keys = (1..500).map(|n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        from.age();
        keys.clone().for_each(|key| from.store(key, entry((key % 50) as i32)));
        to.store(3, entry(4));
        let mut bytes = Vec::new();
        from.write_contents(&mut bytes).unwrap();
        assert_eq!(Some(bytes.len() as u64), from.contents_bytes());
        to.read_contents(&mut bytes.as_slice()).unwrap();
        assert!(keys.clone().all(|key| to.probe(key) == from.probe(key)) && to.probe(3).is_none());
        assert_eq!(to.permille_full(), from.permille_full(), "the generation goes with them");
        assert!(to.read_contents(&mut &bytes[..bytes.len() - 1]).is_err());
    }

    #[test]
    fn a_table_of_the_papers_has_no_contents_to_keep() {
        assert_eq!(Table::with_layout("startech:2^4".parse().unwrap(), 1).unwrap().contents_bytes(), None);
    }
}
