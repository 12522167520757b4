//! What a strand has lost and may still lose again, with a move further up.

use crate::Kind;
use crate::ledger::{Ledger, WorkEntry};
use crate::lost::LostNodes;
use std::sync::Arc;

/// What a strand has lost so far, as long as a move further up may still be lost with all of it: searches in the order
/// they began, each with the strand's effort at that time.
#[derive(Default)]
pub(crate) struct LostStack {
    searches: Vec<(u64, LostNodes)>,
    /// Ledgers of split points that this strand has left before all helpers had.
    ledgers: Vec<(u64, Arc<Ledger>)>,
}

/// A stack of more searches than this is tidied up.
const TIDY: usize = 64;

impl LostStack {
    pub(crate) fn new() -> LostStack {
        LostStack { searches: Vec::with_capacity(TIDY), ledgers: Vec::new() }
    }

    /// Takes out what was lost since then, with the nodes that helpers searched of which the strand did not know.
    pub(crate) fn take_since(&mut self, effort: u64) -> WorkEntry {
        let mut sum = WorkEntry::default();
        while let Some((_, last)) = self.searches.pop_if(|(began, _)| *began >= effort) {
            sum.lost.add(&last);
        }
        self.ledgers_since(effort).for_each(|ledger| sum.add(&ledger.take_late()));
        sum
    }

    fn ledgers_since(&self, effort: u64) -> impl Iterator<Item = &Ledger> {
        self.ledgers.iter().rev().take_while(move |(left, _)| *left >= effort).map(|(_, ledger)| &**ledger)
    }

    /// This strand has left a split point while helpers are still there, or below it.
    pub(crate) fn keep_ledger(&mut self, effort: u64, ledger: Arc<Ledger>) {
        if self.ledgers.len() >= TIDY {
            let LostStack { searches, ledgers } = self;
            ledgers.retain(|(left, ledger)| {
                let is_used = Arc::strong_count(ledger) > 1;
                if !is_used {
                    let place = searches.partition_point(|(began, _)| began <= left);
                    searches.insert(place, (*left, ledger.take_late().lost));
                }
                is_used
            });
        }
        self.ledgers.push((effort, ledger));
    }

    /// A test that began then has failed, at a node of this type: so has everything that helpers still do for it.
    pub(crate) fn fail_since(&self, effort: u64, node_type: Kind) {
        self.ledgers_since(effort).for_each(|ledger| ledger.fail(node_type));
    }

    /// A move of a split point that began then has ended: what helpers still do for it is not this strand's any more.
    pub(crate) fn pass_up_since(&mut self, effort: u64) -> WorkEntry {
        let mut sum = WorkEntry::default();
        self.ledgers_since(effort).for_each(|ledger| sum.add(&ledger.pass_up()));
        self.ledgers.truncate(self.ledgers.partition_point(|(left, _)| *left < effort));
        sum
    }

    /// A search that began then lost something; what was lost since then has been taken out. `starts` are the times at
    /// which the moves began that are being searched now: only they may still be lost.
    pub(crate) fn push(&mut self, effort: u64, lost: LostNodes, starts: impl Fn() -> Vec<u64>) {
        if lost == LostNodes::default() {
            return;
        }
        if self.searches.len() >= TIDY.max(self.searches.capacity()) {
            let starts = starts();
            let moves_begun = |began: u64| starts.iter().filter(|&&start| start <= began).count();
            self.searches.dedup_by(|later, earlier| {
                let together = moves_begun(later.0) == moves_begun(earlier.0);
                if together {
                    earlier.1.add(&later.1);
                }
                together
            });
        }
        self.searches.push((effort, lost));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_tidied_up_and_keeps_what_may_be_lost_apart() {
        let mut stack = LostStack::new();
        let one = LostNodes { aborted: 1, ..LostNodes::default() };
        for effort in 0..1000 {
            stack.push(effort, one, || vec![0, 300, 700]);
        }
        assert!(stack.searches.len() <= TIDY);
        assert_eq!(stack.take_since(700).lost.aborted, 300);
        assert_eq!(stack.take_since(300).lost.aborted, 400);
        assert_eq!(stack.take_since(0).lost.aborted, 300);
    }
}
