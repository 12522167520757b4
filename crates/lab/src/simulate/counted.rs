//! A game whose positions are counted: after a search none of them may be left anywhere.
//!
//! Strands and split points hold positions, and point at each other. A split point that is never closed keeps its positions for ever.

use game::{Ending, Game, Score};
use std::sync::Arc;

/// A position that is counted.
#[derive(Clone)]
pub(super) struct Counted<G> {
    pub(super) game: G,
    mark: Arc<()>,
}

impl<G> Counted<G> {
    /// The first position.
    pub(super) fn new(game: G) -> Counted<G> {
        Counted { game, mark: Arc::new(()) }
    }

    /// How many positions there are.
    pub(super) fn count(&self) -> usize {
        Arc::strong_count(&self.mark)
    }
}

impl<G: Game> Game for Counted<G> {
    type Move = G::Move;

    fn key(&self) -> u64 {
        self.game.key()
    }

    fn foretold_key(&self, mv: G::Move) -> Option<u64> {
        self.game.foretold_key(mv)
    }

    fn moves(&self, out: &mut Vec<G::Move>) {
        self.game.moves(out);
    }

    fn play(&self, mv: G::Move) -> Self {
        Counted { game: self.game.play(mv), mark: Arc::clone(&self.mark) }
    }

    fn evaluate(&self) -> Score {
        self.game.evaluate()
    }

    fn stuck(&self) -> Ending {
        self.game.stuck()
    }

    fn ending(&self) -> Option<Ending> {
        self.game.ending()
    }

    fn pass(&self) -> Option<Self> {
        Some(Counted { game: self.game.pass()?, mark: Arc::clone(&self.mark) })
    }

    fn reversible_plies(&self) -> usize {
        self.game.reversible_plies()
    }

    const WIDE_MOVES: bool = G::WIDE_MOVES;

    fn pack(mv: G::Move) -> u32 {
        G::pack(mv)
    }

    fn unpack(&self, bits: u32) -> Option<G::Move> {
        self.game.unpack(bits)
    }
}
