//! Work and span: how much was done, and how long the longest chain of things was that had to wait for each other
//! (StarTech section 3).
//!
//! A strand's *stamp* is the time at which an ideal machine with as many processors as it likes would be where the
//! strand is. It moves on by one with each node. At a frame whose moves may be searched in parallel, every younger brother
//! begins at the stamp the eldest reached, whichever strand searches it and whenever; a move that is valued again begins when
//! everything it has to wait for is done; the node ends at the latest stamp of its moves, or at that of the move that cut
//! it off.

use crate::lost::LostNodes;
use crate::move_order::MoveOrder;
use crate::waits::{Wait, Waits};

/// What a run did and where it went.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// Nodes visited.
    pub nodes: u64,
    /// The critical path, in nodes.
    pub span: u64,
    /// Nodes that brought nothing.
    pub lost: LostNodes,
    /// Nodes that a search with all moves in the best order would not have visited, where one strand searched: those of
    /// moves before the one that cut their node off, and of tests that failed. What is left is the minimal tree.
    pub surplus: u64,
    /// How often the first move was the right one.
    pub order: MoveOrder,
    /// What helpers took over.
    pub stolen: StolenWork,
    /// Split points that were cut off.
    pub cuts: u64,
    /// Times the table was asked.
    pub probes: u64,
    /// Times it knew the position.
    pub hits: u64,
    /// Results given to the table.
    pub stores: u64,
    /// Results that the table could have given by the time they were found: the position was searched twice at the same
    /// time. Counted on virtual machines.
    pub duplicates: u64,
    /// Keys of earlier positions that helpers took over to find repetitions, those since the last irreversible move.
    pub copied_keys: u64,
    /// Nodes over ideal time.
    pub profile: ParallelismProfile,
}

impl Work {
    /// The average parallelism.
    pub fn parallelism(&self) -> f64 {
        self.nodes as f64 / self.span.max(1) as f64
    }

    pub(crate) fn add(&mut self, other: &Work) {
        self.nodes += other.nodes;
        self.lost.add(&other.lost);
        self.surplus += other.surplus;
        self.order.add(&other.order);
        self.stolen.add(&other.stolen);
        self.cuts += other.cuts;
        self.probes += other.probes;
        self.hits += other.hits;
        self.stores += other.stores;
        self.duplicates += other.duplicates;
        self.copied_keys += other.copied_keys;
    }
}

/// What helpers took over from other strands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StolenWork {
    /// Times that a helper came to a split point.
    pub helpers: u64,
    /// Positions that helpers searched: moves of split points.
    pub positions: u64,
    /// Nodes below these positions, with those that were stolen from the helper in turn.
    pub nodes: u64,
}

impl StolenWork {
    fn add(&mut self, other: &StolenWork) {
        self.helpers += other.helpers;
        self.positions += other.positions;
        self.nodes += other.nodes;
    }
}

/// How many buckets a profile has.
const BUCKETS: usize = 512;

/// How many nodes an ideal machine would search at each time. Buckets grow wider as the search gets longer.
#[derive(Clone, Debug)]
pub struct ParallelismProfile {
    buckets: Box<[u64; BUCKETS]>,
    shift: u32,
}

impl Default for ParallelismProfile {
    fn default() -> Self {
        ParallelismProfile { buckets: Box::new([0; BUCKETS]), shift: 0 }
    }
}

impl ParallelismProfile {
    /// Ideal time covered by each bucket.
    pub fn width(&self) -> u64 {
        1 << self.shift
    }

    /// Nodes in each bucket of ideal time.
    pub fn buckets(&self) -> &[u64] {
        let used = self.buckets.iter().rposition(|&nodes| nodes > 0).map_or(0, |last| last + 1);
        &self.buckets[..used]
    }

    /// The ideal time during which fewer than that many nodes are searched at once, of a search with this critical path.
    pub fn time_below(&self, parallelism: u64, span: u64) -> u64 {
        let is_below = |&(width, nodes): &(u64, u64)| nodes < parallelism * width;
        self.until(span).filter(is_below).map(|(width, _)| width).sum()
    }

    /// The nodes that would be searched at their ideal time if no more than that many could be searched at once, of a
    /// search with this critical path: in each bucket, its nodes, but no more than that many processors search in its time.
    pub fn work_within(&self, parallelism: u64, span: u64) -> u64 {
        self.until(span).map(|(width, nodes)| nodes.min(parallelism * width)).sum()
    }

    /// The buckets up to the end of the critical path: ideal time and nodes of each.
    fn until(&self, span: u64) -> impl Iterator<Item = (u64, u64)> {
        let width_of = move |bucket: usize| self.width().min(span.saturating_sub(bucket as u64 * self.width()));
        let bucket = move |bucket| (width_of(bucket), self.buckets.get(bucket).copied().unwrap_or(0));
        (0..).map(bucket).take_while(|&(width, _)| width > 0)
    }

    /// One strand searched a node at each moment from `start` to `end`.
    pub(crate) fn busy(&mut self, start: u64, end: u64) {
        while end >> self.shift >= BUCKETS as u64 {
            self.widen();
        }
        let (first, last) = (start >> self.shift, end >> self.shift);
        if first == last {
            self.buckets[first as usize] += end - start;
            return;
        }
        let mut from = start;
        for bucket in first..=last {
            let to = end.min((bucket + 1) << self.shift);
            self.buckets[bucket as usize] += to - from;
            from = to;
        }
    }

    fn widen(&mut self) {
        for index in 0..BUCKETS / 2 {
            self.buckets[index] = self.buckets[2 * index] + self.buckets[2 * index + 1];
        }
        self.buckets[BUCKETS / 2..].fill(0);
        self.shift += 1;
    }

    pub(crate) fn add(&mut self, other: &ParallelismProfile) {
        let mut other = other.clone();
        while self.shift < other.shift {
            self.widen();
        }
        while other.shift < self.shift {
            other.widen();
        }
        for (bucket, nodes) in self.buckets.iter_mut().zip(other.buckets.iter()) {
            *bucket += nodes;
        }
    }
}

/// A strand's clock: the nodes it has searched, and its stamp.
pub(crate) struct WorkClock<'s> {
    nodes: u64,
    /// Nodes that helpers searched for it.
    helped: u64,
    /// What is to be added to `nodes` for the stamp.
    lag: u64,
    /// The stamp of the last leap.
    leapt: u64,
    /// Waits that do not count.
    without: Waits,
    profile: &'s mut ParallelismProfile,
}

impl<'s> WorkClock<'s> {
    /// A clock that leaves these waits out.
    pub(crate) fn new(profile: &'s mut ParallelismProfile, without: Waits) -> WorkClock<'s> {
        WorkClock { nodes: 0, helped: 0, lag: 0, leapt: 0, without, profile }
    }

    /// Counts a node.
    #[inline]
    pub(crate) fn count_node(&mut self) {
        self.nodes += 1;
    }

    /// Nodes that the strand has searched itself.
    #[inline]
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Nodes spent so far, by this strand and by those that helped it.
    #[inline]
    pub(crate) fn effort(&self) -> u64 {
        self.nodes + self.helped
    }

    /// Helpers searched this many nodes.
    pub(crate) fn add_help(&mut self, nodes: u64) {
        self.helped += nodes;
    }

    /// When an ideal machine would be here.
    #[inline]
    pub(crate) fn stamp(&self) -> u64 {
        self.nodes.wrapping_add(self.lag)
    }

    /// Does this wait not count?
    #[inline]
    pub(crate) fn is_without(&self, wait: Wait) -> bool {
        self.without.has(wait)
    }

    /// What comes next would have to wait for what was begun at `since` and is done now. Where that wait does not count, it
    /// begins at `since` as well. The stamp up to which the node lasts at least.
    #[inline]
    pub(crate) fn overlap(&mut self, wait: Wait, since: u64) -> u64 {
        if self.without.is_empty() || !self.without.has(wait) {
            return 0;
        }
        let now = self.stamp();
        self.leap(since);
        now
    }

    /// What comes next begins at that stamp at the earliest.
    #[inline]
    pub(crate) fn not_before(&mut self, stamp: u64) {
        if stamp > self.stamp() {
            self.leap(stamp);
        }
    }

    /// What comes next begins at that stamp.
    #[inline]
    pub(crate) fn leap(&mut self, stamp: u64) {
        let now = self.stamp();
        if now > self.leapt {
            self.profile.busy(self.leapt, now);
        }
        self.leapt = stamp;
        self.lag = stamp.wrapping_sub(self.nodes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_with_little_parallelism_is_told_to_the_bucket() {
        let mut profile = ParallelismProfile::default();
        for (strands, start, end) in [(2, 0, 100), (4, 100, 250), (1, 250, 300), (20, 300, 401)] {
            (0..strands).for_each(|_| profile.busy(start, end));
        }
        assert_eq!(profile.width(), 1);
        assert_eq!([1, 2, 3, 5, 10, 21].map(|least| profile.time_below(least, 401)), [0, 50, 150, 300, 300, 401]);
        let within = |most| profile.work_within(most, 401);
        assert_eq!([1, 2, 4, 30].map(within), [401, 200 + 300 + 50 + 202, 200 + 600 + 50 + 404, 200 + 600 + 50 + 2020]);
        // In buckets of two the same, but for the half bucket at the end.
        profile.busy(600, 601);
        assert_eq!((profile.width(), profile.time_below(3, 401)), (2, 150));
    }

    #[test]
    fn every_node_is_in_some_bucket() {
        let mut profile = ParallelismProfile::default();
        let mut nodes = 0;
        for (start, end) in [(0, 10), (5, 5), (3, 700), (100_000, 100_001), (7, 99_999)] {
            profile.busy(start, end);
            nodes += end - start;
            assert_eq!(profile.buckets().iter().sum::<u64>(), nodes);
        }
        let mut other = ParallelismProfile::default();
        other.busy(0, 4);
        other.add(&profile);
        assert_eq!(other.buckets().iter().sum::<u64>(), nodes + 4);
        assert_eq!(other.width(), profile.width());
    }
}
