//! The transposition table: results of earlier searches, shared by all processors of a machine.
//!
//! One bucket is one cache line of four entries. An entry is two 64-bit words, `data` and `key ^ data`, each an atomic
//! of its own (Hyatt & Mann, "A lock-less transposition table implementation for parallel search chess engines", 2002):
//! readers and writers never lock, and an entry whose two words come from different writers, or that belongs to another
//! position, fails the check and reads as absent. Nothing hands out a reference into the table, so sharing it is sound.
//!
//! The table knows no game: a move is 16 bits, which the search makes of it, and turns into a legal move before use.

mod available;
mod contents;
mod direct;
mod entry;
mod layout;
mod memory;

pub use available::{available_bytes, host_available_bytes};
pub use entry::Entry;
pub use layout::{EntryFormat, TableLayout};
pub use memory::{TableError, prefetch};

use direct::DirectTable;
use entry::{GENERATIONS, Slot};
use game::Window;
use memory::Memory;
use std::sync::atomic::{AtomicU8, Ordering};

/// Entries in a bucket; with 16 bytes an entry this is one 64-byte cache line.
const SLOTS: usize = 4;

#[derive(Default)]
#[repr(C, align(64))]
struct Bucket([Slot; SLOTS]);

/// A transposition table.
///
/// ```
/// use game::{Bound, Score};
/// use jamboree_table::{Entry, Table};
///
/// let table = Table::new(1)?; // MiB
/// let (key, score) = (0x1234_5678_9abc_def0, Score::estimate(25));
/// table.store(key, Entry { mv: 7, score, eval: None, depth: 4, bound: Bound::Exact, pv: false });
/// assert_eq!(table.probe(key).map(|entry| entry.score), Some(score));
/// table.age(); // A new search begins.
/// # Ok::<(), jamboree_table::TableError>(())
/// ```
pub struct Table {
    buckets: Memory<Bucket>,
    generation: AtomicU8,
    /// Where the table is one of a paper's program, its entries; then there is only one bucket, which is not used.
    direct: Option<Box<DirectTable>>,
}

impl Table {
    /// The smallest table, in MiB.
    pub const MIN_MIB: usize = 1;

    /// An empty table of `mib` MiB.
    ///
    /// # Errors
    /// If there is not enough memory; the message says how much is available.
    pub fn new(mib: usize) -> Result<Table, TableError> {
        let count = mib.checked_mul(1 << 20).ok_or(TableError::TooLarge { mib })? / size_of::<Bucket>();
        let buckets = Memory::zeroed(count.max(1), mib)?;
        Ok(Table { buckets, generation: AtomicU8::new(0), direct: None })
    }

    /// An empty table with entries as a paper's program had them, for a machine with this many processors.
    ///
    /// # Errors
    /// If there is not enough memory; the message says how much is available.
    pub fn with_layout(layout: TableLayout, processors: usize) -> Result<Table, TableError> {
        let direct = Some(Box::new(DirectTable::new(layout, processors)?));
        Ok(Table { buckets: Memory::zeroed(1, 0)?, generation: AtomicU8::new(0), direct })
    }

    /// The size in MiB.
    pub fn mib(&self) -> usize {
        let bytes = size_of_val(self.buckets.as_slice());
        self.direct.as_ref().map_or(bytes, |direct| size_of_val(direct.words())) >> 20
    }

    /// Clears the table, with this number of threads.
    pub fn clear(&self, threads: usize) {
        let buckets = self.buckets.as_slice();
        let share = buckets.len().div_ceil(threads.max(1));
        std::thread::scope(|scope| {
            for part in buckets.chunks(share) {
                scope.spawn(move || part.iter().flat_map(|bucket| &bucket.0).for_each(Slot::clear));
            }
            let words = self.direct.as_ref().map_or(&[][..], |direct| direct.words());
            for part in words.chunks(words.len().div_ceil(threads.max(1)).max(1)) {
                scope.spawn(move || part.iter().for_each(|word| word.store(0, Ordering::Relaxed)));
            }
        });
        self.generation.store(0, Ordering::Relaxed);
    }

    /// A new search begins: all entries age by one.
    pub fn age(&self) {
        let next = (self.generation.load(Ordering::Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Ordering::Relaxed);
    }

    /// The entry of the position with this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        self.probe_within(key, Window::FULL, 0)
    }

    /// The entry of the position with this key. Where an entry has two bounds, it is the one that decides a node `ply` plies
    /// below the root with this window, if one does.
    #[inline]
    pub fn probe_within(&self, key: u64, window: Window, ply: usize) -> Option<Entry> {
        if let Some(direct) = &self.direct {
            let window = Window { alpha: window.alpha.to_node(ply), beta: window.beta.to_node(ply) };
            return direct.probe(key, window);
        }
        self.bucket(key).0.iter().find_map(|slot| slot.read(key)).map(|(entry, _)| entry)
    }

    /// Tells the processor that the entries of this key will be read soon.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        if let Some(direct) = &self.direct {
            return direct.prefetch(key);
        }
        memory::prefetch(self.bucket(key));
    }

    /// Stores an entry in place of the least useful one of its bucket. If it has no move, the old move of the same
    /// position is kept. A much deeper result of this search is not replaced by a shallow one.
    #[inline]
    pub fn store(&self, key: u64, mut entry: Entry) {
        let generation = self.generation.load(Ordering::Relaxed);
        if let Some(direct) = &self.direct {
            return direct.store(key, entry, generation);
        }
        let slots = &self.bucket(key).0;
        let mut victim = &slots[0];
        let mut least = i32::MAX;
        for slot in slots {
            if let Some((old, old_generation)) = slot.read(key) {
                if entry.mv == 0 {
                    entry.mv = old.mv;
                }
                if !entry.supersedes(&old) && old_generation == generation {
                    return;
                }
                victim = slot;
                break;
            }
            let worth = slot.worth(generation);
            if worth < least {
                (victim, least) = (slot, worth);
            }
        }
        victim.write(key, &entry, generation);
    }

    /// How full the table is with entries of this search, in thousandths, from a sample.
    pub fn permille_full(&self) -> usize {
        if let Some(direct) = &self.direct {
            return direct.permille_full();
        }
        let generation = self.generation.load(Ordering::Relaxed);
        let sample = self.buckets.as_slice().iter().take(1000 / SLOTS);
        let slots = sample.len() * SLOTS;
        sample.flat_map(|bucket| &bucket.0).filter(|slot| slot.is_of(generation)).count() * 1000 / slots
    }

    #[cfg(test)]
    fn direct_words(&self) -> &[std::sync::atomic::AtomicU64] {
        self.direct.as_ref().map_or(&[], |direct| direct.words())
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let buckets = self.buckets.as_slice();
        let index = (u128::from(key) * buckets.len() as u128) >> 64;
        &buckets[index as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Bound, Score};
    use std::sync::atomic::AtomicUsize;

    fn key(n: u64) -> u64 {
        n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) ^ n
    }

    /// An entry that can be recognised as belonging to its key.
    fn telltale(key: u64) -> Entry {
        Entry {
            mv: key as u16 | 1,
            score: Score::from_value((key >> 16) as i32 % 1000),
            eval: Some(Score::from_value((key >> 32) as i32 % 1000)),
            depth: (key >> 48) as i32 % 60,
            bound: Bound::Exact,
            pv: key & 2 != 0,
        }
    }

    #[test]
    fn what_is_stored_is_found() {
        let table = Table::new(1).unwrap();
        for n in 1..1000 {
            table.store(key(n), telltale(key(n)));
        }
        let found = (1..1000).filter(|&n| table.probe(key(n)) == Some(telltale(key(n)))).count();
        assert!(found >= 998, "a table of 65536 entries lost some of 1000: {found}");
        assert_eq!(table.probe(12345), None);
        table.clear(2);
        assert!((1..1000).all(|n| table.probe(key(n)).is_none()));
    }

    #[test]
    fn an_old_move_outlives_a_result_without_one() {
        let table = Table::new(1).unwrap();
        table.store(7, Entry { mv: 99, depth: 3, ..telltale(7) });
        table.store(7, Entry { mv: 0, depth: 9, ..telltale(7) });
        assert_eq!(table.probe(7).map(|entry| (entry.mv, entry.depth)), Some((99, 9)));
    }

    #[test]
    fn old_searches_make_room() {
        let table = Table::new(1).unwrap();
        let slots = (1u64 << 20) / 16;
        for n in 0..2 * slots {
            table.store(key(n), Entry { depth: 40, ..telltale(key(n)) });
        }
        table.age();
        assert_eq!(table.permille_full(), 0);
        for n in 0..4 * slots {
            table.store(key(n + (1 << 40)), Entry { depth: 1, ..telltale(key(n)) });
        }
        table.age();
        for n in 0..4 * slots {
            table.store(key(n + (1 << 41)), Entry { depth: 1, ..telltale(key(n)) });
        }
        assert!(table.permille_full() > 100, "shallow new entries never replace deep old ones");
    }

    #[test]
    fn a_table_too_large_is_refused() {
        for mib in [usize::MAX, 1 << 40, 1 << 30] {
            let Err(error) = Table::new(mib) else { panic!("{mib} MiB") };
            assert!(error.to_string().contains("MiB"), "{error}");
        }
    }

    #[test]
    fn torn_and_foreign_entries_are_never_returned() {
        let table = Table::new(1).unwrap();
        let reads = AtomicUsize::new(0);
        // A few keys in one bucket, so that the threads keep overwriting each other's words.
        let crowded: Vec<u64> = (0..16).map(|n| n << 20 | n).collect();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let (table, reads, crowded) = (&table, &reads, &crowded);
                scope.spawn(move || {
                    for round in 0..50_000u64 {
                        let key = crowded[(key(round * 4 + thread) % 16) as usize];
                        if round % 2 == 0 {
                            table.store(key, telltale(key));
                        } else if let Some(entry) = table.probe(key) {
                            assert_eq!(entry, telltale(key));
                            reads.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert!(reads.into_inner() > 1000);
    }
}
