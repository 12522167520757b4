//! Tables as the papers' programs had them: one entry for each index, in one of their formats.
//!
//! An entry of two words is protected against torn reads like those of the usual table: `data` and `key ^ data`. An entry
//! of one word needs no protection. None of the papers says which of two positions keeps an entry; here a result stays
//! while its search lasts and it is deeper. A *Socrates entry has no room to say from which search it is: there the new
//! result stays.

use crate::entry::Entry;
use crate::layout::{EntryFormat, TableLayout};
use crate::memory::{Memory, TableError, prefetch};
use game::{Bound, Depth, Score, Window};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// A table with one entry for each index.
pub(crate) struct DirectTable {
    format: EntryFormat,
    entries: usize,
    words: Memory<AtomicU64>,
}

/// What an entry of StarTech's format says.
#[derive(Clone, Copy)]
struct Bounds {
    mv: u16,
    lower: Score,
    upper: Score,
    depth: Depth,
    generation: u8,
}

impl Bounds {
    /// The bounds and their depth in one word. The depth is stored with one added: no entry is zero.
    fn pack(&self) -> u64 {
        let bits = |score: Score| u64::from(score.value() as i16 as u16);
        let depth = (self.depth + 1).clamp(1, 255) as u64;
        u64::from(self.mv)
            | bits(self.lower) << 16
            | bits(self.upper) << 32
            | depth << 48
            | u64::from(self.generation) << 56
    }

    fn unpack(data: u64) -> Option<Bounds> {
        let score = |shift: u32| Score::from_value(i32::from((data >> shift) as u16 as i16));
        (data != 0).then(|| Bounds {
            mv: data as u16,
            lower: score(16),
            upper: score(32),
            depth: i32::from((data >> 48) as u8) - 1,
            generation: (data >> 56) as u8,
        })
    }

    /// What a search from a node with this window is told: the bound that decides it, if one does. The scores of the window
    /// are seen from the node.
    fn entry(&self, window: Window) -> Entry {
        let (score, bound) = if self.lower == self.upper {
            (self.lower, Bound::Exact)
        } else if self.lower > -Score::INFINITE && (self.lower >= window.beta || self.upper > window.alpha) {
            (self.lower, Bound::Lower)
        } else if self.upper < Score::INFINITE {
            (self.upper, Bound::Upper)
        } else {
            (self.lower, Bound::Lower)
        };
        Entry { mv: self.mv, score, eval: None, depth: self.depth, bound, pv: false }
    }

    /// These bounds and what a search to the same depth found; where they contradict each other the new one counts.
    fn with(self, entry: &Entry) -> Bounds {
        let Entry { score, bound, .. } = *entry;
        let (mut lower, mut upper) = match bound {
            Bound::Lower => (self.lower.max(score), self.upper),
            Bound::Upper => (self.lower, self.upper.min(score)),
            Bound::Exact => (score, score),
        };
        if lower > upper {
            lower = if bound == Bound::Upper { -Score::INFINITE } else { score };
            upper = if bound == Bound::Lower { Score::INFINITE } else { score };
        }
        Bounds { mv: if entry.mv == 0 { self.mv } else { entry.mv }, lower, upper, ..self }
    }
}

/// The part of the key that a *Socrates entry has: its lowest 23 bits. The index comes from the highest.
const CHECK_BITS: u32 = 23;
/// The bits of the depth in a *Socrates entry; two more say what the score is.
const DEPTH_BITS: u32 = 7;

fn pack_socrates(key: u64, entry: &Entry) -> u64 {
    let depth = entry.depth.clamp(0, (1 << DEPTH_BITS) - 1) as u64;
    u64::from(entry.score.value() as i16 as u16)
        | u64::from(entry.mv) << 16
        | depth << 32
        | (entry.bound as u64) << (32 + DEPTH_BITS)
        | key << (64 - CHECK_BITS)
}

fn unpack_socrates(key: u64, word: u64) -> Option<Entry> {
    let bound = match word >> (32 + DEPTH_BITS) & 3 {
        1 => Bound::Upper,
        2 => Bound::Lower,
        3 => Bound::Exact,
        _ => return None,
    };
    let is_same = word >> (64 - CHECK_BITS) == key & ((1 << CHECK_BITS) - 1);
    is_same.then(|| Entry {
        mv: (word >> 16) as u16,
        score: Score::from_value(i32::from(word as u16 as i16)),
        eval: None,
        depth: (word >> 32 & ((1 << DEPTH_BITS) - 1)) as Depth,
        bound,
        pv: false,
    })
}

impl DirectTable {
    pub(crate) fn new(layout: TableLayout, processors: usize) -> Result<DirectTable, TableError> {
        let (format, entries) = (layout.format, layout.total(processors));
        let bytes = entries.checked_mul(format.words() * 8).ok_or(TableError::TooLarge { mib: usize::MAX >> 20 })?;
        Ok(DirectTable { format, entries, words: Memory::zeroed(entries * format.words(), bytes >> 20)? })
    }

    pub(crate) fn words(&self) -> &[AtomicU64] {
        self.words.as_slice()
    }

    /// The place of a key; none in a table without entries.
    fn place(&self, key: u64) -> Option<&[AtomicU64]> {
        let index = (u128::from(key) * self.entries as u128) >> 64;
        let first = index as usize * self.format.words();
        self.words.as_slice().get(first..first + self.format.words())
    }

    #[cold]
    pub(crate) fn prefetch(&self, key: u64) {
        if let Some(word) = self.place(key).and_then(|words| words.first()) {
            prefetch(word);
        }
    }

    /// The data of the entry of this key, of a format with two words.
    fn data(&self, key: u64) -> Option<u64> {
        let [check, data] = self.place(key)? else { return None };
        let data = data.load(Relaxed);
        (check.load(Relaxed) ^ data == key).then_some(data)
    }

    /// The data at the place of this key, whichever position it belongs to.
    fn any_data(&self, key: u64) -> u64 {
        self.place(key).and_then(|words| words.last()).map_or(0, |word| word.load(Relaxed))
    }

    fn write(&self, key: u64, data: u64) {
        match self.place(key) {
            Some([word]) => word.store(data, Relaxed),
            Some([check, word]) => {
                check.store(key ^ data, Relaxed);
                word.store(data, Relaxed);
            }
            _ => (),
        }
    }

    /// The entry of a position, as a search with this window wants it, whose scores are seen from the node.
    #[cold]
    pub(crate) fn probe(&self, key: u64, window: Window) -> Option<Entry> {
        match self.format {
            EntryFormat::Zugzwang => Entry::unpack(self.data(key)?).map(|(entry, _)| entry),
            EntryFormat::StarTech => Bounds::unpack(self.data(key)?).map(|bounds| bounds.entry(window)),
            EntryFormat::Socrates => unpack_socrates(key, self.any_data(key)),
        }
    }

    #[cold]
    pub(crate) fn store(&self, key: u64, entry: Entry, generation: u8) {
        // Evaluations are not part of these entries.
        let entry = Entry { eval: None, pv: false, ..entry };
        match self.format {
            EntryFormat::Zugzwang => self.store_zugzwang(key, entry, generation),
            EntryFormat::StarTech => self.store_startech(key, &entry, generation),
            EntryFormat::Socrates => {
                let old = unpack_socrates(key, self.any_data(key));
                let mv = if entry.mv == 0 { old.map_or(0, |old| old.mv) } else { entry.mv };
                self.write(key, pack_socrates(key, &Entry { mv, ..entry }));
            }
        }
    }

    fn store_zugzwang(&self, key: u64, mut entry: Entry, generation: u8) {
        let old = Entry::unpack(self.any_data(key));
        if old.is_some_and(|(old, age)| age == generation && old.depth > entry.depth) {
            return;
        }
        if entry.mv == 0 {
            entry.mv = self.data(key).and_then(Entry::unpack).map_or(0, |(old, _)| old.mv);
        }
        self.write(key, entry.pack(generation));
    }

    fn store_startech(&self, key: u64, entry: &Entry, generation: u8) {
        let unknown = Bounds { mv: 0, lower: -Score::INFINITE, upper: Score::INFINITE, depth: entry.depth, generation };
        let any = Bounds::unpack(self.any_data(key));
        if any.is_some_and(|old| old.generation == generation && old.depth > entry.depth) {
            return;
        }
        let known = match self.data(key).and_then(Bounds::unpack) {
            Some(old) if old.depth == entry.depth => Bounds { generation, ..old },
            Some(old) => Bounds { mv: old.mv, ..unknown },
            None => unknown,
        };
        self.write(key, known.with(entry).pack());
    }

    /// How full the table is, in thousandths, from a sample.
    pub(crate) fn permille_full(&self) -> usize {
        let words = self.format.words();
        let sample = self.words.as_slice().chunks_exact(words).take(1000);
        let full = sample.clone().filter(|words| words.iter().any(|word| word.load(Relaxed) != 0)).count();
        full * 1000 / sample.len().max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;

    fn key(n: u64) -> u64 {
        n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) ^ n
    }

    fn table(layout: &str) -> Table {
        Table::with_layout(layout.parse().unwrap(), 1).unwrap()
    }

    fn entry(score: i32, depth: Depth, bound: Bound) -> Entry {
        Entry { mv: 77, score: Score::from_value(score), eval: None, depth, bound, pv: false }
    }

    #[test]
    fn what_is_stored_is_found_and_nothing_else() {
        for layout in ["zugzwang:2^16", "startech:2^16", "socrates:2^16", "zugzwang:20000"] {
            let table = table(layout);
            for n in 1..500 {
                let bound = [Bound::Exact, Bound::Lower, Bound::Upper][n as usize % 3];
                table.store(key(n), entry(n as i32 - 250, n as i32 % 60, bound));
            }
            let mut found = 0;
            for n in 1..500 {
                let Some(hit) = table.probe(key(n)) else { continue };
                let bound = [Bound::Exact, Bound::Lower, Bound::Upper][n as usize % 3];
                assert_eq!(hit, entry(n as i32 - 250, n as i32 % 60, bound), "{layout}");
                found += 1;
            }
            assert!(found >= 480, "{layout}: {found}");
            assert!((1000..2000).all(|n| table.probe(key(n)).is_none()), "{layout}");
            table.clear(2);
            assert!((1..500).all(|n| table.probe(key(n)).is_none()), "{layout}");
        }
    }

    #[test]
    fn no_table_remembers_nothing() {
        let table = table("none");
        table.store(5, entry(1, 1, Bound::Exact));
        table.prefetch(5);
        assert_eq!((table.probe(5), table.permille_full(), table.mib()), (None, 0, 0));
        table.clear(3);
    }

    #[test]
    fn both_bounds_of_a_position_are_kept_until_they_meet() {
        let table = table("startech:2^10");
        let at = |alpha: i32, beta: i32| {
            let window = Window::new(Score::from_value(alpha), Score::from_value(beta));
            table.probe_within(9, window, 0).map(|hit| (hit.score.value(), hit.bound))
        };
        table.store(9, entry(10, 5, Bound::Lower));
        table.store(9, entry(40, 5, Bound::Upper));
        assert_eq!(at(4, 5), Some((10, Bound::Lower)), "high enough");
        assert_eq!(at(40, 41), Some((40, Bound::Upper)), "low enough");
        assert_eq!(at(20, 21), Some((10, Bound::Lower)), "undecided");
        table.store(9, entry(30, 5, Bound::Lower));
        table.store(9, entry(30, 5, Bound::Upper));
        assert_eq!(at(20, 21), Some((30, Bound::Exact)));
        // A shallower search says less, a deeper one begins anew.
        table.store(9, entry(-5, 4, Bound::Exact));
        assert_eq!(at(20, 21), Some((30, Bound::Exact)));
        table.store(9, entry(12, 6, Bound::Upper));
        assert_eq!(at(20, 21), Some((12, Bound::Upper)));
        // A search that contradicts the last one of its depth replaces it.
        table.store(9, entry(50, 6, Bound::Lower));
        assert_eq!(at(20, 21), Some((50, Bound::Lower)));
    }

    #[test]
    fn scores_of_wins_are_compared_as_the_node_sees_them() {
        let table = table("startech:2^10");
        let win = Score::win_in(9);
        table.store(3, Entry { score: win.to_node(4), ..entry(0, 5, Bound::Lower) });
        table.store(3, Entry { score: Score::win_in(6).to_node(4), ..entry(0, 5, Bound::Upper) });
        let hit = table.probe_within(3, Window::test_below(win), 4).unwrap();
        assert_eq!((hit.score.to_root(4), hit.bound), (win, Bound::Lower));
    }

    #[test]
    fn a_deeper_result_of_this_search_stays_and_that_of_an_earlier_one_goes() {
        for layout in ["zugzwang:1", "startech:1"] {
            let table = table(layout);
            table.store(1, entry(1, 9, Bound::Exact));
            table.store(2, entry(2, 3, Bound::Exact));
            assert!(table.probe(1).is_some() && table.probe(2).is_none(), "{layout}");
            table.age();
            table.store(2, entry(2, 3, Bound::Exact));
            assert!(table.probe(1).is_none() && table.probe(2).is_some(), "{layout}");
        }
    }

    #[test]
    fn a_socrates_entry_tells_positions_apart_by_twenty_three_bits() {
        let table = table("socrates:2^4");
        table.store(1, entry(1, 9, Bound::Exact));
        for bit in 0..60 {
            let found = table.probe(1 ^ 1 << bit).is_some();
            assert_eq!(found, bit >= CHECK_BITS, "bit {bit}");
        }
        assert_eq!(size_of_val(table.direct_words()), 16 * 8, "an entry is one double word");
    }
}
