//! Proof and disproof numbers, and the memory of a search for mates.

/// How much work is left, at the least, to prove a mate, and to refute it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// Positions that must still be proved.
    pub(crate) proof: u32,
    /// Positions that must still be refuted.
    pub(crate) disproof: u32,
}

impl Numbers {
    /// There is a mate.
    pub(crate) const PROVED: Numbers = Numbers { proof: 0, disproof: u32::MAX };
    /// There is none.
    pub(crate) const DISPROVED: Numbers = Numbers { proof: u32::MAX, disproof: 0 };
    /// As a limit: until there is a result.
    pub(crate) const SOLVED: Numbers = Numbers { proof: u32::MAX, disproof: u32::MAX };

    /// From the number that the side to move wants to be zero, and the other one.
    pub(crate) fn of(own: u32, other: u32, attacks: bool) -> Numbers {
        let (proof, disproof) = if attacks { (own, other) } else { (other, own) };
        Numbers { proof, disproof }
    }

    /// The number that the side to move wants to be zero, and the other one.
    pub(crate) fn seen(self, attacks: bool) -> (u32, u32) {
        if attacks { (self.proof, self.disproof) } else { (self.disproof, self.proof) }
    }

    pub(crate) fn is_proved(self) -> bool {
        self.proof == 0
    }

    pub(crate) fn is_solved(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// What is known of a position, in three words: its key, its numbers, and the work that went into it. The work is zero for
/// an empty entry.
type Entry = [u64; 3];

/// Entries that a position may be in.
const PLACES: usize = 4;
/// The number of entries: 24 MiB.
const ENTRIES: usize = 1 << 20;

/// Numbers of positions. Where it is full, those that took the least work are forgotten.
pub(crate) struct ProofTable(Vec<Entry>);

impl ProofTable {
    /// An empty table. The system gives memory only to the parts that are used.
    pub(crate) fn new() -> ProofTable {
        ProofTable(vec![[0; 3]; ENTRIES])
    }

    fn places(key: u64) -> std::ops::Range<usize> {
        let first = key as usize % (ENTRIES / PLACES) * PLACES;
        first..first + PLACES
    }

    /// The numbers of a position.
    pub(crate) fn find(&self, key: u64) -> Option<Numbers> {
        let found = self.0[ProofTable::places(key)].iter().find(|entry| entry[0] == key && entry[2] > 0)?;
        Some(Numbers { proof: (found[1] >> 32) as u32, disproof: found[1] as u32 })
    }

    /// Remembers the numbers of a position that took some work.
    pub(crate) fn store(&mut self, key: u64, numbers: Numbers, work: u64) {
        let places = &mut self.0[ProofTable::places(key)];
        let same = places.iter().position(|entry| entry[0] == key && entry[2] > 0);
        let least = || places.iter().enumerate().min_by_key(|(_, entry)| entry[2]).map_or(0, |(index, _)| index);
        let place = same.unwrap_or_else(least);
        let before = if same.is_some() { places[place][2] } else { 0 };
        places[place] = [key, u64::from(numbers.proof) << 32 | u64::from(numbers.disproof), before + work + 1];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_more_work_stays() {
        let mut table = ProofTable::new();
        let key = |number: usize| (number * ENTRIES) as u64 + 7;
        for number in 1..=PLACES + 1 {
            let numbers = Numbers { proof: number as u32, disproof: 1 };
            table.store(key(number), numbers, 100 - number as u64);
        }
        let found: Vec<_> = (1..=PLACES + 1).map(|number| table.find(key(number)).map(|found| found.proof)).collect();
        assert_eq!(found, [Some(1), Some(2), Some(3), None, Some(5)]);
        table.store(key(1), Numbers::PROVED, 0);
        assert_eq!(table.find(key(1)), Some(Numbers::PROVED));
    }
}
