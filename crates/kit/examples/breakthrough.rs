//! Breakthrough: men walk forward and take diagonally; who reaches the last row wins.

use jamboree_kit::{Ending, Game, Guidance, Guided, Hints, Limits, Machine, Plain, Score, Searcher, Table, Threads};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A position, seen by the side to move, whose men walk up the board.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Breakthrough {
    mine: u64,
    theirs: u64,
}

/// A man goes from a square to another; a1 is 0, h8 is 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    from: u8,
    to: u8,
}

const FIRST_ROW: u64 = 0xff;
const LAST_ROW: u64 = 0xff << 56;
const A_FILE: u64 = 0x0101_0101_0101_0101;
const H_FILE: u64 = A_FILE << 7;

impl Breakthrough {
    pub(crate) fn start() -> Breakthrough {
        Breakthrough { mine: 0xffff, theirs: 0xffff << 48 }
    }

    /// The same board with the other side to move: turned around, so that its men walk up.
    fn turned(self) -> Breakthrough {
        Breakthrough { mine: self.theirs.swap_bytes(), theirs: self.mine.swap_bytes() }
    }

    /// The squares that men go to, straight and to either side: by how far, and where they land.
    fn targets(self) -> [(u8, u64); 3] {
        [
            (8, self.mine << 8 & !(self.mine | self.theirs)),
            (9, (self.mine & !H_FILE) << 9 & !self.mine),
            (7, (self.mine & !A_FILE) << 7 & !self.mine),
        ]
    }

    fn has_lost(self) -> bool {
        self.theirs & FIRST_ROW != 0 || self.mine == 0
    }
}

impl Game for Breakthrough {
    type Move = Step;

    fn key(&self) -> u64 {
        let mixed = (self.mine ^ self.theirs.rotate_left(31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ self.theirs ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }

    fn moves(&self, out: &mut Vec<Step>) {
        for (by, mut targets) in self.targets() {
            while targets != 0 {
                let to = targets.trailing_zeros() as u8;
                out.push(Step { from: to - by, to });
                targets &= targets - 1;
            }
        }
    }

    fn play(&self, step: Step) -> Breakthrough {
        let to = 1 << step.to;
        Breakthrough { mine: self.mine & !(1 << step.from) | to, theirs: self.theirs & !to }.turned()
    }

    fn evaluate(&self) -> Score {
        Score::estimate(worth(self.mine) - worth(self.turned().mine))
    }

    fn ending(&self) -> Option<Ending> {
        self.has_lost().then_some(Ending::Lost)
    }

    fn pack(step: Step) -> u32 {
        u32::from(step.from) << 6 | u32::from(step.to)
    }

    fn unpack(&self, bits: u32) -> Option<Step> {
        let step = Step { from: (bits >> 6 & 63) as u8, to: (bits & 63) as u8 };
        let fits = |&(by, targets): &(u8, u64)| targets & 1 << step.to != 0 && step.from + by == step.to;
        (bits < 1 << 12 && self.targets().iter().any(fits)).then_some(step)
    }

    fn pass(&self) -> Option<Breakthrough> {
        Some(self.turned())
    }
}

/// What men are worth: a hundred each, and more the further they have come.
fn worth(men: u64) -> i32 {
    let row = |row: u32| (men >> (8 * row) & FIRST_ROW).count_ones() as i32;
    (0..8).map(|number| row(number) * (100 + [0, 0, 5, 15, 30, 60, 150, 0][number as usize])).sum()
}

impl fmt::Display for Breakthrough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..8).rev() {
            for square in (0..8).map(|column| 1_u64 << (8 * row + column)) {
                let man = if self.mine & square != 0 { 'X' } else { 'O' };
                write!(f, "{} ", if (self.mine | self.theirs) & square == 0 { '.' } else { man })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Hints for Breakthrough {
    const HISTORY: usize = 64 * 64;

    fn history_index(&self, step: Step) -> usize {
        usize::from(step.from) << 6 | usize::from(step.to)
    }

    fn is_noisy(&self, step: Step) -> bool {
        (self.theirs | LAST_ROW) & 1 << step.to != 0
    }

    fn promise(&self, step: Step, _depth: i32) -> i32 {
        100 * i32::from(step.to / 8)
    }
}

fn first_search() {
    let mut searcher = Searcher::new(Plain::default());
    let outcome = searcher.run(&Breakthrough::start(), &[], &Limits::depth(6));
    println!("full width: {:?}, {} nodes", outcome.best_move(), outcome.nodes);

    let mut searcher = Searcher::new(Guided::<Breakthrough>::new(Guidance::ALL));
    let outcome = searcher.run(&Breakthrough::start(), &[], &Limits::depth(6));
    println!("with hints: {:?}, {} nodes", outcome.best_move(), outcome.nodes);
}

fn play_game(threads: usize, time: Duration) -> Result<Breakthrough, Box<dyn std::error::Error>> {
    let table = Arc::new(Table::new(64)?);
    let mut searcher = Searcher::with_table(Guided::<Breakthrough>::default(), Arc::clone(&table));
    searcher.machine = Machine::Threads(Threads::new(threads));
    let mut position = Breakthrough::start();
    while position.ending().is_none() {
        table.age();
        let outcome = searcher.run_for(&position, &[], time);
        let Some(best) = outcome.best_move() else { break };
        println!("{position}depth {}, {:?}, {best:?}\n", outcome.depth, outcome.score());
        position = position.play(best);
    }
    Ok(position)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    first_search();
    let threads = std::thread::available_parallelism()?.get();
    let last = play_game(threads, Duration::from_secs(1))?;
    println!("{last}The side to move has lost.");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jamboree_kit::negamax;

    #[test]
    fn moves_come_back_from_the_table_and_others_do_not() {
        let mut position = Breakthrough::start();
        while position.ending().is_none() {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            for bits in 0..1 << 13 {
                let expected = moves.iter().copied().find(|&step| Breakthrough::pack(step) == bits);
                assert_eq!(position.unpack(bits), expected);
            }
            position = position.play(moves[moves.len() / 3]);
        }
    }

    #[test]
    fn without_pruning_the_value_is_that_of_the_definition() {
        let position = Breakthrough::start();
        let mut searcher = Searcher::new(Guided::new(Guidance::ORDER_ONLY));
        for machine in [Machine::Alone, Machine::Threads(Threads::new(2))] {
            searcher.machine = machine;
            let outcome = searcher.run(&position, &[], &Limits::depth(3));
            assert_eq!(outcome.score(), Some(negamax(&position, 3, 0)));
        }
    }

    #[test]
    fn a_game_comes_to_its_end() {
        first_search();
        assert!(play_game(2, Duration::from_millis(2)).unwrap().has_lost());
    }
}
