//! The trait of two-player games, and the numbers that all games share.
//!
//! Implement [`Game`] for your position type and the `search` crate can search it: on one processor, on threads, on
//! virtual processors and on a cluster, always by the same function.
//!
//! The crate also holds two games other than chess: synthetic trees with known values ([`tree`]) and a small real
//! game ([`connect_four`]), used as oracles in tests and as examples.

pub mod connect_four;
mod hints;
mod score;
pub mod tree;
mod window;

pub use hints::Hints;
pub use score::{MAX_PLY, Score};
pub use window::{Bound, Window};

use std::fmt::Debug;

/// How many plies remain to be searched. Zero and below is quiescence.
pub type Depth = i32;

/// How a finished game ended, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move has lost.
    Lost,
    /// The game is drawn.
    Drawn,
    /// The position has exactly this score; for games that count points, and for trees.
    Worth(Score),
}

impl Ending {
    /// The score of this ending when it is met `ply` plies below the root.
    pub fn score(self, ply: usize) -> Score {
        match self {
            Ending::Lost => Score::loss_in(ply),
            Ending::Drawn => Score::DRAW,
            Ending::Worth(score) => score,
        }
    }
}

/// A position of a two-player zero-sum game with perfect information.
///
/// Positions are values: [`Game::play`] makes a new one and leaves the old one alone, so that any processor may go on
/// from any position of another's path without undoing anything (StarTech, "Copying Data for Parallel Search").
///
/// ```
/// use jamboree_game::{Game, Score, negamax};
///
/// /// Nim with one heap: take one to three; who takes the last one wins.
/// #[derive(Clone)]
/// struct Nim(u8);
///
/// impl Game for Nim {
///     type Move = u8;
///     fn key(&self) -> u64 {
///         u64::from(self.0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
///     }
///     fn moves(&self, out: &mut Vec<u8>) {
///         out.extend(1..=self.0.min(3));
///     }
///     fn play(&self, taken: u8) -> Nim {
///         Nim(self.0 - taken)
///     }
///     fn evaluate(&self) -> Score {
///         Score::DRAW
///     }
///     fn pack(taken: u8) -> u32 {
///         u32::from(taken)
///     }
///     fn unpack(&self, bits: u32) -> Option<u8> {
///         u8::try_from(bits).ok().filter(|&taken| (1..=self.0.min(3)).contains(&taken))
///     }
/// }
///
/// assert_eq!(negamax(&Nim(5), 5, 0), Score::win_in(3));
/// ```
pub trait Game: Clone + Send + Sync {
    /// A move. It should be small, because it is copied often.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// A fingerprint of the position; the index into the transposition table.
    fn key(&self) -> u64;

    /// What the key will most probably be after a move, if that is found much faster than the position: the search uses it to
    /// fetch the table's entry in time.
    #[inline]
    fn foretold_key(&self, _mv: Self::Move) -> Option<u64> {
        None
    }

    /// Appends every legal move, the most promising first if the game can tell.
    fn moves(&self, out: &mut Vec<Self::Move>);

    /// The position after a legal move.
    fn play(&self, mv: Self::Move) -> Self;

    /// An estimate of the position, seen by the side to move.
    fn evaluate(&self) -> Score;

    /// How the game has ended if the position has no legal move. In most games the side to move has lost.
    fn stuck(&self) -> Ending {
        Ending::Lost
    }

    /// How the game has ended, if that can be seen without generating moves (dead material, four in a line).
    fn ending(&self) -> Option<Ending> {
        None
    }

    /// The position after passing, for null-move pruning; none where passing makes no sense.
    fn pass(&self) -> Option<Self> {
        None
    }

    /// How many plies back a repetition of this position could lie: the moves since the last irreversible one.
    fn reversible_plies(&self) -> usize {
        0
    }

    /// Do packed moves need more than 16 bits? A transposition table keeps 16 bits of a move. It keeps narrow moves whole; for
    /// wide moves it keeps a hash, and the search looks for the legal move that has it.
    const WIDE_MOVES: bool = false;

    /// A move as a number of up to 32 bits, different for all legal moves of a position. Zero means "no move" and may not be used.
    fn pack(mv: Self::Move) -> u32;

    /// The move that is packed as this number, if it is legal here. The number comes from a table or from another machine and may
    /// be a move of another position, or damaged.
    fn unpack(&self, bits: u32) -> Option<Self::Move>;
}

/// The value of the tree below `position` to `depth`, by the definition: no cutoffs, no table, no move order. Tests
/// compare every search with it.
pub fn negamax<G: Game>(position: &G, depth: Depth, ply: usize) -> Score {
    if let Some(ending) = position.ending() {
        return ending.score(ply);
    }
    if depth <= 0 {
        return position.evaluate();
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves
        .into_iter()
        .map(|mv| -negamax(&position.play(mv), depth - 1, ply + 1))
        .max()
        .unwrap_or_else(|| position.stuck().score(ply))
}

/// How many nodes serial alpha-beta, without tests and without a table, visits below `position` to `depth`. The papers'
/// theorems compare with it.
pub fn alpha_beta_nodes<G: Game>(position: &G, depth: Depth) -> u64 {
    let mut nodes = 0;
    alpha_beta(position, Window::FULL, depth, 0, &mut nodes);
    nodes
}

fn alpha_beta<G: Game>(position: &G, mut window: Window, depth: Depth, ply: usize, nodes: &mut u64) -> Score {
    *nodes += 1;
    if let Some(ending) = position.ending() {
        return ending.score(ply);
    }
    if depth <= 0 {
        return position.evaluate();
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mut best: Option<Score> = None;
    for mv in moves {
        let score = -alpha_beta(&position.play(mv), -window, depth - 1, ply + 1, nodes);
        best = Some(best.map_or(score, |best| best.max(score)));
        window.alpha = window.alpha.max(score);
        if score >= window.beta {
            break;
        }
    }
    best.unwrap_or_else(|| position.stuck().score(ply))
}
