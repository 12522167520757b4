//! Histories and killers as Zugzwang kept them (1990, section 2): counts that only grow. Entries are relaxed atomics, as
//! those of [`crate::histories`].

use crate::{Move, Position};
use game::MAX_PLY;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// For each move, by side, from and to: the number of nodes at which it was best or cut off.
pub(crate) struct MoveCounts {
    counts: Box<[[AtomicU32; 4096]]>,
    /// What other processors have been told of each, or have told.
    told: Box<[[AtomicU32; 4096]]>,
}

impl Default for MoveCounts {
    fn default() -> MoveCounts {
        let zeros = || (0..2).map(|_| [const { AtomicU32::new(0) }; 4096]).collect();
        MoveCounts { counts: zeros(), told: zeros() }
    }
}

impl MoveCounts {
    fn of(&self, position: &Position, mv: Move) -> &AtomicU32 {
        &self.counts[position.board().side_to_move() as usize][mv.squares()]
    }

    fn told(&self, position: &Position, mv: Move) -> &AtomicU32 {
        &self.told[position.board().side_to_move() as usize][mv.squares()]
    }

    /// The number of nodes at which the move was best.
    #[inline]
    pub(crate) fn get(&self, position: &Position, mv: Move) -> u32 {
        self.of(position, mv).load(Relaxed)
    }

    /// The move was best at one more node.
    pub(crate) fn learn(&self, position: &Position, mv: Move) {
        let count = self.of(position, mv);
        count.store(count.load(Relaxed).saturating_add(1), Relaxed);
    }

    /// The count of a move, to be told to others, if it has grown by `amount` since it was told last.
    pub(crate) fn take_news(&self, position: &Position, mv: Move, amount: u32) -> Option<u32> {
        let (count, told) = (self.get(position, mv), self.told(position, mv));
        let is_news = count >= told.load(Relaxed).saturating_add(amount);
        is_news.then(|| told.store(count, Relaxed)).map(|()| count)
    }

    /// Another processor has this count: the larger one is right.
    pub(crate) fn hear(&self, position: &Position, mv: Move, count: u32) {
        if count > self.get(position, mv) {
            self.of(position, mv).store(count, Relaxed);
            self.told(position, mv).store(count, Relaxed);
        }
    }
}

/// Killers of each ply.
const KILLERS: usize = 2;

/// For each ply the moves that cut off most often there, with a bonus point for each time.
pub(crate) struct KillerCounts(Box<[[AtomicU64; KILLERS]]>);

impl Default for KillerCounts {
    fn default() -> KillerCounts {
        KillerCounts((0..=MAX_PLY).map(|_| [const { AtomicU64::new(0) }; KILLERS]).collect())
    }
}

/// A killer and its bonus, from and to the bits of an entry.
fn unpack(bits: u64) -> Option<(u64, Move)> {
    Move::from_bits(bits as u16).map(|mv| (bits >> 16, mv))
}

fn pack(bonus: u64, mv: Move) -> u64 {
    bonus << 16 | u64::from(mv.bits())
}

impl KillerCounts {
    fn entries(&self, ply: usize) -> [Option<(u64, Move)>; KILLERS] {
        [0, 1].map(|place| unpack(self.0[ply][place].load(Relaxed)))
    }

    /// The killers of a ply, that with the larger bonus first.
    #[inline]
    pub(crate) fn get(&self, ply: usize) -> [Option<Move>; KILLERS] {
        let mut entries = self.entries(ply);
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.map(|(bonus, _)| bonus)));
        let [first, second] = entries.map(|entry| entry.map(|(_, mv)| mv));
        // Two strands may have stored the same move at the same time.
        [first, second.filter(|_| second != first)]
    }

    /// The move cut off at this ply: it gets a bonus point, in place of the killer with the smallest bonus if it is new.
    /// True if it is.
    pub(crate) fn learn(&self, ply: usize, mv: Move) -> bool {
        let entries = self.entries(ply);
        let known = entries.iter().position(|entry| entry.is_some_and(|(_, killer)| killer == mv));
        let smallest = || usize::from(entries[1].map(|(bonus, _)| bonus) < entries[0].map(|(bonus, _)| bonus));
        let place = known.unwrap_or_else(smallest);
        let bonus = known.and_then(|place| entries[place]).map_or(1, |(bonus, _)| bonus + 1);
        self.0[ply][place].store(pack(bonus, mv), Relaxed);
        known.is_none()
    }

    /// Another processor has this new killer.
    pub(crate) fn hear(&self, ply: usize, mv: Move) {
        if self.entries(ply).iter().flatten().all(|&(_, killer)| killer != mv) {
            self.learn(ply, mv);
        }
    }

    /// Forgets all: at the root of the next search every ply is another.
    pub(crate) fn clear(&self) {
        self.0.as_flattened().iter().for_each(|entry| entry.store(0, Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mv(text: &str) -> Move {
        crate::parse_move(&Position::default(), text).unwrap()
    }

    #[test]
    fn the_killer_with_the_smallest_bonus_gives_way() {
        let killers = KillerCounts::default();
        let [a, b, c] = ["a2a3", "b2b3", "c2c3"].map(mv);
        let after = |moves: &[Move]| {
            killers.clear();
            for &mv in moves {
                killers.learn(7, mv);
            }
            killers.get(7)
        };
        assert_eq!(after(&[]), [None, None]);
        assert_eq!(after(&[a]), [Some(a), None]);
        assert_eq!(after(&[a, b]), [Some(a), Some(b)]);
        assert_eq!(after(&[a, b, b]), [Some(b), Some(a)]);
        assert_eq!(after(&[a, b, b, c]), [Some(b), Some(c)]);
        assert_eq!(after(&[a, a, b, c, c]), [Some(a), Some(c)]);
        assert_eq!(killers.get(6), [None, None], "each ply has its own");
    }

    #[test]
    fn a_count_grows_by_one_for_each_node_and_side() {
        let counts = MoveCounts::default();
        let white = Position::default();
        for _ in 0..3 {
            counts.learn(&white, mv("a2a3"));
        }
        let black = game::Game::play(&white, mv("a2a3"));
        assert_eq!((counts.get(&white, mv("a2a3")), counts.get(&white, mv("b2b3"))), (3, 0));
        assert_eq!(counts.get(&black, mv("a2a3")), 0);
    }
}
