//! One entry: the result of a search of one position, in 64 bits.

use game::{Bound, Depth, Score};
use std::sync::atomic::{AtomicU64, Ordering};

/// The result of a search of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What is kept of the best move: its 16 bits, or a hash of a wide move; zero for none.
    pub mv: u16,
    /// The score, with plies counted from the node (see [`Score::to_node`]).
    pub score: Score,
    /// The static evaluation, if there was one.
    pub eval: Option<Score>,
    /// The depth of the search behind the score; zero for quiescence.
    pub depth: Depth,
    /// What the score says about the true value.
    pub bound: Bound,
    /// Was the position ever on a principal variation?
    pub pv: bool,
}

/// Searches after which an entry's age is forgotten: the generation is stored in five bits.
pub(crate) const GENERATIONS: u8 = 32;
/// How many plies of depth one search of age outweighs when an entry must go.
const AGE_WEIGHT: i32 = 4;
/// Depths are stored with this added, so that negative ones have room.
const DEPTH_OFFSET: i32 = 8;
/// Stands for "no static evaluation".
const NO_EVAL: i16 = i16::MIN;
/// How many plies shallower a result of the same position may be and still replace the old one.
const DEPTH_SLACK: i32 = 4;

impl Entry {
    /// Should this entry replace an older one of the same position and the same search?
    pub(crate) fn supersedes(&self, old: &Entry) -> bool {
        self.bound == Bound::Exact || self.depth + DEPTH_SLACK > old.depth
    }

    /// The entry as 64 bits, to be sent elsewhere.
    pub fn to_bits(&self) -> u64 {
        self.pack(0)
    }

    /// The entry behind 64 bits, if there is one.
    pub fn from_bits(bits: u64) -> Option<Entry> {
        Entry::unpack(bits).map(|(entry, _)| entry)
    }

    pub(crate) fn pack(&self, generation: u8) -> u64 {
        let eval = self.eval.map_or(NO_EVAL, |eval| eval.value() as i16);
        let depth = (self.depth + DEPTH_OFFSET).clamp(0, 255) as u8;
        let flags = self.bound as u8 | u8::from(self.pv) << 2 | generation << 3;
        u64::from(self.mv)
            | u64::from(self.score.value() as i16 as u16) << 16
            | u64::from(eval as u16) << 32
            | u64::from(depth) << 48
            | u64::from(flags) << 56
    }

    pub(crate) fn unpack(data: u64) -> Option<(Entry, u8)> {
        let flags = (data >> 56) as u8;
        let bound = match flags & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        let eval = (data >> 32) as u16 as i16;
        let entry = Entry {
            mv: data as u16,
            score: Score::from_value(i32::from((data >> 16) as u16 as i16)),
            eval: (eval != NO_EVAL).then(|| Score::from_value(i32::from(eval))),
            depth: i32::from((data >> 48) as u8) - DEPTH_OFFSET,
            bound,
            pv: flags & 4 != 0,
        };
        Some((entry, flags >> 3))
    }
}

/// The memory of one entry: its data, and its key combined with the data as a checksum.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

// Relaxed everywhere: the checksum, not the order of memory operations, shows whether two words belong together, and an
// entry does not refer to other memory.
impl Slot {
    /// The entry here and its generation, if it is whole and belongs to `key`.
    #[inline]
    pub(crate) fn read(&self, key: u64) -> Option<(Entry, u8)> {
        let data = self.data.load(Ordering::Relaxed);
        if self.check.load(Ordering::Relaxed) ^ data != key { None } else { Entry::unpack(data) }
    }

    #[inline]
    pub(crate) fn write(&self, key: u64, entry: &Entry, generation: u8) {
        let data = entry.pack(generation);
        self.check.store(key ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }

    pub(crate) fn clear(&self) {
        self.check.store(0, Ordering::Relaxed);
        self.data.store(0, Ordering::Relaxed);
    }

    /// The two words, whatever they are.
    pub(crate) fn words(&self) -> [u64; 2] {
        [self.check.load(Ordering::Relaxed), self.data.load(Ordering::Relaxed)]
    }

    pub(crate) fn set_words(&self, [check, data]: [u64; 2]) {
        self.check.store(check, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }

    /// The value of keeping this slot: its depth minus a penalty for age. Empty slots have the lowest value.
    #[inline]
    pub(crate) fn worth(&self, generation: u8) -> i32 {
        let data = self.data.load(Ordering::Relaxed);
        if data == 0 {
            return i32::MIN;
        }
        let age = (GENERATIONS + generation - (data >> 59) as u8) % GENERATIONS;
        i32::from((data >> 48) as u8) - AGE_WEIGHT * i32::from(age)
    }

    /// Does an entry of this generation lie here?
    pub(crate) fn is_of(&self, generation: u8) -> bool {
        let data = self.data.load(Ordering::Relaxed);
        data != 0 && (data >> 59) as u8 == generation
    }
}
