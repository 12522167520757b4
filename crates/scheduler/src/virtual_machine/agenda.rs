//! When each virtual processor wants to run: a tournament, in which the earliest one wins.
//!
//! Every node of a search is a turn, so taking the earliest processor and putting it back must cost little. A processor is in
//! the tournament at most once; to change its time, or to put it back, only the rounds on its way up are played again,
//! without a branch that would be mispredicted.

/// When a processor wants to run, above its number: so the smallest is the earliest, and at the same time the one with the
/// lowest number.
type Wish = u64;

/// How many bits of a wish are the number of the processor; 48 are left for the time.
const NUMBER: u32 = 16;
/// A processor that does not want to run.
const NEVER: Wish = Wish::MAX;

/// When each processor wants to run.
pub(super) struct Agenda {
    /// A binary tree: the winner of places `2 * n` and `2 * n + 1` lies in place `n`, the processors themselves from `first` on.
    places: Vec<Wish>,
    first: usize,
}

impl Agenda {
    /// All processors want to run at once.
    pub(super) fn new(processors: usize) -> Agenda {
        assert!(processors < 1 << NUMBER, "more virtual processors than there are numbers for");
        let first = processors.next_power_of_two();
        let mut agenda = Agenda { places: vec![NEVER; 2 * first], first };
        (0..processors).for_each(|processor| agenda.set(processor, 0));
        agenda
    }

    /// The processor wants to run at that time, and no longer at another one.
    #[inline]
    pub(super) fn set(&mut self, processor: usize, time: u64) {
        debug_assert!(time < NEVER >> NUMBER);
        self.play(processor, time << NUMBER | processor as Wish);
    }

    /// The processor that runs next, and when.
    #[inline]
    pub(super) fn next(&self) -> Option<(u64, usize)> {
        let wish = self.places[1];
        (wish != NEVER).then_some((wish >> NUMBER, (wish & ((1 << NUMBER) - 1)) as usize))
    }

    /// Takes the processor out that runs next.
    #[inline]
    pub(super) fn take(&mut self) -> Option<usize> {
        let (_, processor) = self.next()?;
        self.play(processor, NEVER);
        Some(processor)
    }

    /// Plays the rounds of a processor again, with another wish.
    #[inline]
    fn play(&mut self, processor: usize, mut best: Wish) {
        let mut place = self.first + processor;
        self.places[place] = best;
        while place > 1 {
            best = best.min(self.places[place ^ 1]);
            place /= 2;
            self.places[place] = best;
        }
    }
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
                let expected =
                    (0..processors).filter(|&index| times[index].is_some()).min_by_key(|&index| times[index]);
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
