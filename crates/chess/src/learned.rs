//! What the search has learned about moves: histories and killers, of one kind or the other, of all processors together or
//! of each for itself.

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
    /// Where each processor learns for itself.
    apart: Option<Apart>,
}

/// The processor whose knowledge it is, and what all processors know.
#[derive(Clone)]
struct Apart {
    processor: usize,
    all: Arc<Processors>,
}

/// What each processor has learned, and what they tell each other.
struct Processors {
    each: Vec<Learned>,
    exchange: Exchange,
    /// By how much a count must have grown to be told.
    amount: u32,
}

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

    /// What is used on a machine with this many processors: all learn together, or each for itself.
    pub(crate) fn on(&self, rules: &RuleSet, processors: usize, apart: Option<Exchange>) -> Learned {
        let Some(exchange) = apart else { return Learned { apart: None, ..self.clone() } };
        if let Some(known) = &self.apart
            && (known.all.each.len(), known.all.exchange) == (processors, exchange)
        {
            return self.clone();
        }
        let each = (0..processors).map(|processor| self.for_processor(&rules.switches, processor)).collect();
        let amount = rules.parameters.order.history_update as u32;
        let all = Arc::new(Processors { each, exchange, amount });
        Learned { apart: Some(Apart { processor: 0, all }), ..self.clone() }
    }

    /// The first processor goes on from what is known, the others begin anew.
    fn for_processor(&self, switches: &Switches, processor: usize) -> Learned {
        if processor == 0 {
            return Learned { apart: None, ..self.clone() };
        }
        let own = Learned::new(switches);
        // Where moves are counted nothing is learned in the large histories.
        let histories = if own.counts.is_some() { Arc::clone(&self.histories) } else { own.histories };
        Learned { histories, ..own }
    }

    /// Goes on with what this processor knows, where each learns for itself.
    pub(crate) fn move_to(&mut self, processor: usize) {
        if let Some(Apart { all, .. }) = self.apart.take()
            && let Some(own) = all.each.get(processor)
        {
            *self = Learned { apart: Some(Apart { processor, all: Arc::clone(&all) }), ..own.clone() };
        }
    }

    /// A new search begins: killers belong to the plies of the last one.
    pub(crate) fn clear_killers(&self) {
        let others = self.apart.iter().flat_map(|apart| &apart.all.each);
        others.chain([self]).filter_map(|learned| learned.killers.as_ref()).for_each(|killers| killers.clear());
    }

    /// The move was best at a node: one more in its count, which the neighbours are told of now and then.
    pub(crate) fn count(&self, counts: &MoveCounts, position: &Position, mv: Move) {
        counts.learn(position, mv);
        if let Some(Apart { processor, all }) = &self.apart
            && all.exchange.histories
            && let Some(count) = counts.take_news(position, mv, all.amount)
        {
            let told = all.neighbours(*processor).filter_map(|learned| learned.counts.as_ref());
            told.for_each(|counts| counts.hear(position, mv, count));
        }
    }

    /// The move cut off at this ply: a bonus point; the neighbours are told of a new killer.
    pub(crate) fn add_killer(&self, killers: &KillerCounts, ply: usize, mv: Move) {
        let is_new = killers.learn(ply, mv);
        if let Some(Apart { processor, all }) = &self.apart
            && all.exchange.killers
            && is_new
        {
            let told = all.neighbours(*processor).filter_map(|learned| learned.killers.as_ref());
            told.for_each(|killers| killers.hear(ply, mv));
        }
    }
}

impl Processors {
    fn neighbours(&self, processor: usize) -> impl Iterator<Item = &Learned> {
        de_bruijn_neighbours(processor, self.each.len()).map(|neighbour| &self.each[neighbour])
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
        let all = on_eight(Exchange { histories: true, killers: false });
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
        let all = on_eight(Exchange { histories: false, killers: true });
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
    fn all_processors_together_know_what_the_first_one_knew() {
        let all = on_eight(Exchange::default());
        count(&all[0], 4);
        let together = all[0].on(&rules(), 8, None);
        assert_eq!(counts(&[together]), [4]);
    }
}
