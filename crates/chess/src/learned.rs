//! What the search has learned about moves: histories and killers, of one kind or the other, of all processors together or
//! of groups of processors. A group is one processor, or some that are close to each other.
//!
//! Cores that write to the same histories take the cache lines away from each other at nearly every node. So threads form groups
//! (of one for up to four threads), and only what is learned at nodes that are not close to the leaves, a small part of all, is written to the
//! histories of every group.

use crate::counts::{KillerCounts, MoveCounts};
use crate::histories::Histories;
use crate::{Move, Position, RuleSet, Switches};
use search::{Exchange, de_bruijn_neighbours};
use std::sync::Arc;

/// What has been learned; a clone shares it.
#[derive(Clone, Default)]
pub(crate) struct Learned {
    pub(crate) histories: Arc<Histories>,
    /// Where the history of a move is a count.
    pub(crate) counts: Option<Arc<MoveCounts>>,
    /// Where killers are kept by ply and bonus, not in frames.
    pub(crate) killers: Option<Arc<KillerCounts>>,
    /// Where processors learn apart.
    apart: Option<Apart>,
}

/// The group of processors whose knowledge it is, and what all groups know.
#[derive(Clone)]
struct Apart {
    group: usize,
    all: Arc<Groups>,
}

/// What each group of processors has learned, and what the groups tell each other.
struct Groups {
    processors: usize,
    each: Vec<Learned>,
    exchange: Exchange,
    /// By how much a count must have grown to be told.
    amount: u32,
    /// What is learned at nodes at least this deep is told to all.
    depth: i32,
}

/// The most groups where all are told what is learned: each has to write what another learns.
const TOLD_GROUPS: usize = 4;

impl Learned {
    /// Nothing yet.
    pub(crate) fn new(switches: &Switches) -> Learned {
        Learned {
            histories: Arc::default(),
            counts: (switches.order.histories && switches.order.counted_histories).then(Arc::default),
            killers: (switches.order.killers && switches.order.counted_killers).then(Arc::default),
            apart: None,
        }
    }

    /// What is used on a machine with this many processors: all learn together, or apart.
    pub(crate) fn on(&self, rules: &RuleSet, processors: usize, apart: Option<Exchange>) -> Learned {
        // What is counted is not told.
        let is_counted = self.counts.is_some() || self.killers.is_some();
        let Some(exchange) = apart.filter(|exchange| !(exchange.deep && is_counted)) else {
            return Learned { apart: None, ..self.clone() };
        };
        if let Some(known) = &self.apart
            && (known.all.processors, known.all.exchange) == (processors, exchange)
        {
            return self.clone();
        }
        let groups = if exchange.deep { processors.min(TOLD_GROUPS) } else { processors };
        let each = (0..groups).map(|group| self.for_group(rules, group, exchange)).collect();
        let order = &rules.parameters.order;
        let depth = if exchange.deep { order.told_depth } else { i32::MAX };
        let all = Arc::new(Groups { processors, each, exchange, amount: order.history_update as u32, depth });
        Learned { apart: Some(Apart { group: 0, all }), ..self.clone() }
    }

    /// The first group goes on from what is known. The others begin anew, or with a copy where all are told what is learned.
    fn for_group(&self, rules: &RuleSet, group: usize, exchange: Exchange) -> Learned {
        if group == 0 {
            return Learned { apart: None, ..self.clone() };
        }
        let own = Learned::new(&rules.switches);
        // Where moves are counted nothing is learned in the large histories.
        let histories = if own.counts.is_some() { Arc::clone(&self.histories) } else { own.histories };
        if exchange.deep {
            histories.copy_from(&self.histories);
        }
        Learned { histories, ..own }
    }

    /// Goes on with what the group of this processor knows, where they learn apart.
    pub(crate) fn move_to(&mut self, processor: usize) {
        if let Some(Apart { all, .. }) = self.apart.take() {
            let group = all.group_of(processor);
            if let Some(own) = all.each.get(group) {
                *self = Learned { apart: Some(Apart { group, all: Arc::clone(&all) }), ..own.clone() };
            }
        }
    }

    /// The histories for what is learned at a node this deep: those of this group, and of all others if they are told.
    pub(crate) fn told(&self, depth: i32) -> impl Iterator<Item = &Histories> {
        let apart = self.apart.as_ref().filter(|apart| depth >= apart.all.depth);
        let others = apart.into_iter().flat_map(|Apart { group, all }| {
            let others = all.each.iter().enumerate().filter(move |(other, _)| other != group);
            others.map(|(_, learned)| &*learned.histories)
        });
        std::iter::once(&*self.histories).chain(others)
    }

    /// A new search begins: killers belong to the plies of the last one.
    pub(crate) fn clear_killers(&self) {
        let others = self.apart.iter().flat_map(|apart| &apart.all.each);
        others.chain([self]).filter_map(|learned| learned.killers.as_ref()).for_each(|killers| killers.clear());
    }

    /// The move was best at a node: one more in its count, which the neighbours are told of now and then.
    pub(crate) fn count(&self, counts: &MoveCounts, position: &Position, mv: Move) {
        counts.learn(position, mv);
        if let Some(Apart { group, all }) = &self.apart
            && all.exchange.histories
            && let Some(count) = counts.take_news(position, mv, all.amount)
        {
            let told = all.neighbours(*group).filter_map(|learned| learned.counts.as_ref());
            told.for_each(|counts| counts.hear(position, mv, count));
        }
    }

    /// The move cut off at this ply: a bonus point; the neighbours are told of a new killer.
    pub(crate) fn add_killer(&self, killers: &KillerCounts, ply: usize, mv: Move) {
        let is_new = killers.learn(ply, mv);
        if let Some(Apart { group, all }) = &self.apart
            && all.exchange.killers
            && is_new
        {
            let told = all.neighbours(*group).filter_map(|learned| learned.killers.as_ref());
            told.for_each(|killers| killers.hear(ply, mv));
        }
    }
}

impl Groups {
    /// Processors with numbers close to each other are in the same group.
    fn group_of(&self, processor: usize) -> usize {
        processor * self.each.len() / self.processors.max(1)
    }

    fn neighbours(&self, group: usize) -> impl Iterator<Item = &Learned> {
        de_bruijn_neighbours(group, self.each.len()).map(|neighbour| &self.each[neighbour])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_move;

    fn rules() -> RuleSet {
        RuleSet::parse("zugzwang,history_update=3").unwrap()
    }

    fn on_eight(exchange: Exchange) -> Vec<Learned> {
        let first = Learned::new(&rules().switches).on(&rules(), 8, Some(exchange));
        let on = |processor| {
            let mut learned = first.clone();
            learned.move_to(processor);
            learned
        };
        (0..8).map(on).collect()
    }

    fn count(learned: &Learned, times: usize) {
        let (position, mv) = (Position::default(), parse_move(&Position::default(), "a2a3").unwrap());
        (0..times).for_each(|_| learned.count(learned.counts.as_ref().unwrap(), &position, mv));
    }

    fn counts(all: &[Learned]) -> Vec<u32> {
        let (position, mv) = (Position::default(), parse_move(&Position::default(), "a2a3").unwrap());
        all.iter().map(|learned| learned.counts.as_ref().unwrap().get(&position, mv)).collect()
    }

    #[test]
    fn processors_learn_for_themselves() {
        let all = on_eight(Exchange::default());
        count(&all[3], 5);
        count(&all[0], 2);
        assert_eq!(counts(&all), [2, 0, 0, 5, 0, 0, 0, 0]);
    }

    #[test]
    fn neighbours_take_the_larger_count_each_time_it_has_grown_by_the_amount() {
        let all = on_eight(Exchange { histories: true, ..Exchange::default() });
        // The neighbours of processor 3 are 6, 7, 1 and 5.
        count(&all[3], 2);
        assert_eq!(counts(&all), [0, 0, 0, 2, 0, 0, 0, 0], "not enough yet");
        count(&all[3], 3);
        assert_eq!(counts(&all), [0, 3, 0, 5, 0, 3, 3, 3]);
        count(&all[7], 1);
        count(&all[3], 1);
        assert_eq!(counts(&all), [0, 6, 0, 6, 0, 6, 6, 6], "the larger one, and not passed on");
        // What was heard is no news: processor 1 tells again when it has counted three itself.
        count(&all[1], 2);
        assert_eq!(counts(&all)[2], 0);
        count(&all[1], 1);
        assert_eq!(counts(&all), [9, 9, 9, 9, 9, 6, 6, 6], "the neighbours of processor 1 are 2, 3, 0 and 4");
    }

    #[test]
    fn neighbours_hear_of_a_new_killer_once() {
        let all = on_eight(Exchange { killers: true, ..Exchange::default() });
        let mv = |text| parse_move(&Position::default(), text).unwrap();
        let killers = |processor: usize| all[processor].killers.as_ref().unwrap().get(4);
        for _ in 0..3 {
            all[3].add_killer(all[3].killers.as_ref().unwrap(), 4, mv("a2a3"));
        }
        for processor in 0..8 {
            let expected = [1, 3, 5, 6, 7].contains(&processor).then(|| mv("a2a3"));
            assert_eq!(killers(processor), [expected, None], "{processor}");
        }
        all[0].clear_killers();
        assert_eq!(killers(3), [None, None]);
    }

    #[test]
    fn what_is_learned_at_deep_nodes_all_groups_are_told() {
        let rules = RuleSet::parse("modern,told_depth=5").unwrap();
        let (position, mv) = (Position::default(), parse_move(&Position::default(), "a2a3").unwrap());
        let before = [crate::histories::NO_ARRIVAL; 2];
        let learn = |learned: &Learned, depth| {
            learned.told(depth).for_each(|histories| histories.learn_quiet(&position, mv, before, 100));
        };
        let known = |learned: &Learned| learned.histories.quiet(&position, mv, cozy_chess::Piece::Pawn, before);
        let first = Learned::new(&rules.switches);
        learn(&first, 1);
        let first = first.on(&rules, 8, Some(Exchange { deep: true, ..Exchange::default() }));
        let all: Vec<Learned> = (0..8)
            .map(|processor| {
                let mut learned = first.clone();
                learned.move_to(processor);
                learned
            })
            .collect();
        assert_eq!(all.iter().map(known).collect::<Vec<_>>(), [100; 8], "what was known before");
        learn(&all[3], 4);
        let one = known(&all[3]);
        assert_eq!(
            all.iter().map(known).collect::<Vec<_>>(),
            [100, 100, one, one, 100, 100, 100, 100],
            "its group alone"
        );
        learn(&all[7], 5);
        assert!(known(&all[7]) == one && known(&all[0]) == one && known(&all[2]) > one);
    }

    #[test]
    fn all_processors_together_know_what_the_first_one_knew() {
        let all = on_eight(Exchange::default());
        count(&all[0], 4);
        let together = all[0].on(&rules(), 8, None);
        assert_eq!(counts(&[together]), [4]);
    }
}
