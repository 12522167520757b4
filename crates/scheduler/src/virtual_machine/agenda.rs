//! When each virtual processor wants to run: a tournament, in which the earliest one wins.
//!
//! Every node of a search is a turn, so taking the earliest processor and putting it back must cost little. A processor is in
//! the tournament at most once; to change its time, or to put it back, only the rounds on its way up are played again,
//! without a branch that would be mispredicted.

/// A processor's time that never comes.
pub(super) const NEVER: u64 = u64::MAX;

/// When a processor wants to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wish {
    time: u64,
    processor: usize,
}

/// When each processor wants to run.
pub(super) struct Agenda {
    /// A binary tree: the winners of places `2 * n` and `2 * n + 1` lie in place `n`, the processors themselves from `first` on.
    places: Vec<Wish>,
    first: usize,
}

impl Agenda {
    /// All processors want to run at once.
    pub(super) fn new(processors: usize) -> Agenda {
        let first = processors.next_power_of_two();
        let leaf = |processor| Wish { time: if processor < processors { 0 } else { NEVER }, processor };
        let mut places: Vec<Wish> = (0..first).chain(0..first).map(leaf).collect();
        for place in (1..first).rev() {
            places[place] = winner(places[2 * place], places[2 * place + 1]);
        }
        Agenda { places, first }
    }

    /// The processor wants to run at that time, and no longer at another one.
    #[inline]
    pub(super) fn set(&mut self, processor: usize, time: u64) {
        let mut place = self.first + processor;
        let mut best = Wish { time, processor };
        self.places[place] = best;
        while place > 1 {
            let other = self.places[place ^ 1];
            best = if place & 1 == 0 { winner(best, other) } else { winner(other, best) };
            place /= 2;
            self.places[place] = best;
        }
    }

    /// The processor that runs next, and when; at the same time that with the lowest number.
    #[inline]
    pub(super) fn next(&self) -> Option<(u64, usize)> {
        let Wish { time, processor } = self.places[1];
        (time < NEVER).then_some((time, processor))
    }

    /// Takes the processor out that runs next.
    #[inline]
    pub(super) fn take(&mut self) -> Option<usize> {
        let (_, processor) = self.next()?;
        self.set(processor, NEVER);
        Some(processor)
    }
}

/// The earlier one; `left` has the lower number.
#[inline]
fn winner(left: Wish, right: Wish) -> Wish {
    if right.time < left.time { right } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_runs_first_and_then_the_one_with_the_lowest_number() {
        for processors in [1, 2, 3, 7, 16] {
            let mut agenda = Agenda::new(processors);
            let mut times = vec![Some(0); processors];
            let mut random = 1_u64;
            for _ in 0..1000 {
                let expected = (0..processors).filter(|&index| times[index].is_some()).min_by_key(|&index| times[index]);
                assert_eq!(agenda.next(), expected.and_then(|index| Some((times[index]?, index))));
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let (drawn, time) = ((random >> 40) as usize % processors, random >> 60);
                if random >> 33 & 1 == 0 {
                    assert_eq!(agenda.take(), expected);
                    expected.into_iter().for_each(|index| times[index] = None);
                } else {
                    agenda.set(drawn, time);
                    times[drawn] = Some(time);
                }
            }
        }
    }
}
