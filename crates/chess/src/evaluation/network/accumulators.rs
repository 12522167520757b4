//! Accumulators: the sums of the first layer, kept from position to position.
//!
//! Each slot holds a placement of the pieces and its sums. The sums of a new position are computed from the nearest of
//! a few slots (the empty board is one of them): the features that came are added, those that went are subtracted.
//! Moves need not be reported, and no slot can be out of date: a slot that was filled for another line is only further
//! away. So a strand that takes over another strand's path computes the same evaluations without copying its slots, and
//! a position that is never evaluated costs nothing.

use super::Network;
use super::arithmetic::add_rows;
use super::features::{Changes, Placement, VIEWS, View};
use super::plain::{Block, Difference, Rows};
use cozy_chess::{Board, Color};
use game::Score;
use std::sync::Arc;

/// Number of slots, indexed by ply; longer paths wrap around.
const SLOTS: usize = 64;
/// The slot of the empty board.
const EMPTY: usize = SLOTS;
/// The first of the slots for each side and each of its views: the last placement that was computed from them.
const VIEWED: usize = EMPTY + 1;
/// The slot in which debug builds compute every evaluation afresh, to compare it.
const FRESH: usize = VIEWED + 2 * VIEWS;
const ALL_SLOTS: usize = if cfg!(debug_assertions) { FRESH + 1 } else { FRESH };

/// The sums of the first layer for the latest positions of one strand.
#[derive(Clone)]
pub struct Accumulators {
    network: Arc<Network>,
    placements: Box<[Placement]>,
    /// For each slot the sums of White, then of Black.
    sums: Box<[Block]>,
}

/// The changes as one side sees them.
struct Seen<'a> {
    changes: &'a Changes,
    view: View,
}

impl Difference for Seen<'_> {
    #[inline]
    fn added(&self) -> impl Iterator<Item = usize> {
        self.changes.added.as_slice().iter().map(|&feature| self.view.index(feature))
    }

    #[inline]
    fn removed(&self) -> impl Iterator<Item = usize> {
        self.changes.removed.as_slice().iter().map(|&feature| self.view.index(feature))
    }
}

impl Accumulators {
    /// Accumulators for a network.
    pub fn new(network: Arc<Network>) -> Accumulators {
        let placements = vec![Placement::default(); ALL_SLOTS].into();
        let sums = (0..2 * ALL_SLOTS).flat_map(|_| network.biases.iter().copied()).collect();
        Accumulators { network, placements, sums }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The evaluation of a board for the side to move. `ply` only says in which slots a similar position may be.
    #[inline]
    pub fn evaluate(&mut self, board: &Board, ply: usize) -> Score {
        let slot = self.reach(&Placement::of(board), ply);
        let score = self.output(slot, board);
        debug_assert_eq!(score, self.evaluate_afresh(board), "at ply {ply}: {board}");
        score
    }

    /// The evaluation of a board from the sums in a slot.
    #[inline]
    fn output(&self, slot: usize, board: &Board) -> Score {
        let us = board.side_to_move();
        self.network.output([us, !us].map(|side| self.sums_of(slot, side)), self.network.bucket(board))
    }

    /// The same evaluation from the empty board on, without what was kept. In debug builds only: others lack the slot.
    fn evaluate_afresh(&mut self, board: &Board) -> Score {
        let placement = Placement::of(board);
        let changes = Changes::between(&self.placements[EMPTY], &placement);
        for side in Color::ALL {
            self.fill(EMPTY, FRESH, side, &placement, &changes);
        }
        self.output(FRESH, board)
    }

    /// The slot that holds the sums for a placement.
    #[inline]
    fn reach(&mut self, placement: &Placement, ply: usize) -> usize {
        let slot = ply % SLOTS;
        let distance = |slot: usize| self.placements[slot].distance(placement);
        // The parent, the grandparent (if the parent was not evaluated), a sibling.
        let near = [ply.wrapping_sub(1) % SLOTS, ply.wrapping_sub(2) % SLOTS, slot, EMPTY];
        let mut source = near[0];
        for other in &near[1..] {
            if distance(*other) < distance(source) {
                source = *other;
            }
        }
        if self.placements[source] == *placement {
            return source;
        }
        let changes = Changes::between(&self.placements[source], placement);
        for side in Color::ALL {
            self.fill(source, slot, side, placement, &changes);
        }
        self.placements[slot] = *placement;
        slot
    }

    /// Fills a slot with one side's sums for a placement, from those of another slot.
    #[inline]
    fn fill(&mut self, source: usize, slot: usize, side: Color, placement: &Placement, changes: &Changes) {
        let width = self.network.width;
        let Some(view) = placement.view(side) else { return };
        let rows = Rows { blocks: &self.network.features, width };
        let place = |slot: usize| (2 * slot + side as usize) * width;
        if source == EMPTY || self.placements[source].view(side) == Some(view) {
            add_rows(&mut self.sums, [place(source), place(slot)], rows, &Seen { changes, view });
        } else {
            // The king has left its region: the nearest that is known is the last placement with this view.
            let viewed = VIEWED + VIEWS * side as usize + view.number();
            let changes = &Changes::between(&self.placements[viewed], placement);
            add_rows(&mut self.sums, [place(viewed), place(viewed)], rows, &Seen { changes, view });
            self.placements[viewed] = *placement;
            self.sums.copy_within(place(viewed)..place(viewed) + width, place(slot));
        }
    }

    #[inline]
    fn sums_of(&self, slot: usize, side: Color) -> &[Block] {
        let width = self.network.width;
        &self.sums[(2 * slot + side as usize) * width..][..width]
    }
}

impl Network {
    /// The evaluation of a board, seen by the side to move, computed afresh.
    pub fn evaluate(self: &Arc<Network>, board: &Board) -> Score {
        Accumulators::new(Arc::clone(self)).evaluate(board, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::some_numbers;
    use super::*;
    use crate::Position;
    use game::Game;

    /// Plays random games and compares every evaluation with a fresh one; `ply` chooses the slots.
    fn compare(positions: usize, seed: u64, mut ply_of: impl FnMut(usize, u64) -> usize) {
        let network = Arc::new(Network::from(&some_numbers(128, 8, seed)));
        let mut kept = Accumulators::new(Arc::clone(&network));
        let mut position = Position::default();
        let (mut moves, mut random, mut depth) = (Vec::new(), seed, 0);
        for _ in 0..positions {
            moves.clear();
            position.moves(&mut moves);
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            if moves.is_empty() || position.is_dead() {
                (position, depth) = (Position::default(), 0);
                continue;
            }
            position = position.play(moves[(random >> 33) as usize % moves.len()]);
            depth += 1;
            // Some positions are not evaluated, as in a search.
            if (random >> 20) % 4 > 0 {
                let fresh = Accumulators::new(Arc::clone(&network)).evaluate(position.board(), 0);
                assert_eq!(kept.evaluate(position.board(), ply_of(depth, random)), fresh, "{}", position.board());
            }
        }
    }

    #[test]
    fn kept_sums_equal_fresh_ones_in_random_games() {
        compare(30_000, 1, |depth, _| depth);
    }

    #[test]
    fn slots_of_another_line_do_no_harm() {
        compare(10_000, 2, |_, random| (random >> 40) as usize % 100);
    }

    #[test]
    fn castling_under_chess960_is_seen_as_it_is() {
        let network = Arc::new(Network::from(&some_numbers(64, 1, 3)));
        let mut kept = Accumulators::new(Arc::clone(&network));
        let position: Position = "4k3/8/8/8/8/8/8/1RK3R1 w GB - 0 1".parse().unwrap();
        kept.evaluate(position.board(), 0);
        let mut moves = Vec::new();
        position.moves(&mut moves);
        for mv in moves {
            let child = position.play(mv);
            assert_eq!(kept.evaluate(child.board(), 1), network.evaluate(child.board()), "{mv:?}");
        }
    }
}
