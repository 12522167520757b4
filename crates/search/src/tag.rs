//! Moves in the transposition table, which keeps 16 bits of a move.
//!
//! Narrow moves are kept whole. Of a wide move the table keeps a hash, and the reader looks for the legal move that has it. A
//! third word would cost every game a quarter of its entries; the search for the move costs only games with wide moves, and
//! only at nodes that the table knows. Two legal moves with the same hash are harmless: the table's move only says what to search first.

use game::Game;

/// What the table keeps of a move. Zero, which stands for no move, is never returned.
#[inline]
pub(crate) fn tag<G: Game>(mv: G::Move) -> u16 {
    let bits = G::pack(mv);
    if G::WIDE_MOVES {
        return ((bits.wrapping_mul(0x9e37_79b1) >> 16) as u16).max(1);
    }
    debug_assert!(bits >> 16 == 0, "{mv:?} needs more than 16 bits: WIDE_MOVES must be true");
    bits as u16
}

/// The legal move of which the table keeps this; none for zero. `legal` is room for the moves of the position.
#[inline]
pub(crate) fn tagged<G: Game>(position: &G, kept: u16, legal: &mut Vec<G::Move>) -> Option<G::Move> {
    if kept == 0 {
        None
    } else if G::WIDE_MOVES {
        find(position, kept, legal)
    } else {
        position.unpack(u32::from(kept))
    }
}

fn find<G: Game>(position: &G, kept: u16, legal: &mut Vec<G::Move>) -> Option<G::Move> {
    legal.clear();
    position.moves(legal);
    legal.iter().copied().find(|&mv| tag::<G>(mv) == kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Plain, Searcher};
    use game::tree::{Branch, Order, Tree};
    use game::{Ending, Score, negamax};
    use std::sync::Arc;
    use table::Table;

    /// A tree whose packed moves fill 32 bits, and differ only in the upper ones.
    #[derive(Clone)]
    struct Wide(Tree);

    impl Game for Wide {
        type Move = Branch;
        const WIDE_MOVES: bool = true;

        fn key(&self) -> u64 {
            self.0.key()
        }

        fn moves(&self, out: &mut Vec<Branch>) {
            self.0.moves(out);
        }

        fn play(&self, mv: Branch) -> Self {
            Wide(self.0.play(mv))
        }

        fn evaluate(&self) -> Score {
            self.0.evaluate()
        }

        fn stuck(&self) -> Ending {
            self.0.stuck()
        }

        fn ending(&self) -> Option<Ending> {
            self.0.ending()
        }

        fn pack(mv: Branch) -> u32 {
            Tree::pack(mv) << 24 | 77
        }

        fn unpack(&self, bits: u32) -> Option<Branch> {
            (bits & 0xff_ffff == 77).then(|| self.0.unpack(bits >> 24)).flatten()
        }
    }

    fn tree(seed: u64) -> Tree {
        Tree::new(Order::Random, 9, 4, seed).unwrap()
    }

    #[test]
    fn every_move_is_found_again_and_nothing_else() {
        let (wide, mut legal, mut moves) = (Wide(tree(1)), Vec::new(), Vec::new());
        wide.moves(&mut moves);
        for &mv in &moves {
            assert_ne!(tag::<Wide>(mv), 0);
            assert_eq!(tagged(&wide, tag::<Wide>(mv), &mut legal), Some(mv));
            assert_eq!(tagged(&wide.0, tag::<Tree>(mv), &mut legal), Some(mv));
        }
        let kept: Vec<u16> = moves.iter().map(|&mv| tag::<Wide>(mv)).collect();
        assert!(
            (0..=u16::MAX).filter(|bits| !kept.contains(bits)).all(|bits| tagged(&wide, bits, &mut legal).is_none())
        );
    }

    #[test]
    fn a_game_with_wide_moves_is_searched_with_a_table_as_its_narrow_twin_is() {
        for seed in 0..20 {
            let search = |wide: bool| {
                let table = Arc::new(Table::new(1).unwrap());
                if wide {
                    let outcome =
                        Searcher::with_table(Plain::default(), table).run(&Wide(tree(seed)), &[], &Limits::depth(4));
                    (outcome.score(), outcome.nodes)
                } else {
                    let outcome =
                        Searcher::with_table(Plain::default(), table).run(&tree(seed), &[], &Limits::depth(4));
                    (outcome.score(), outcome.nodes)
                }
            };
            let (score, nodes) = search(true);
            assert_eq!((score, nodes), search(false));
            assert_eq!(score, Some(negamax(&tree(seed), 4, 0)));
        }
    }
}
