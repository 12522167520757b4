//! What the options are set to.

use crate::strength::{MAX_ELO, MAX_SKILL, Player};
use std::time::Duration;

/// The options that are plain values. Resources behind an option (table, book, endgame tables) belong to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// The file of `Save Hash` and `Load Hash`; empty if none was named.
    pub hash_file: String,
    /// How many lines to show.
    pub lines: usize,
    /// Time lost between the engine and the clock on every move.
    pub overhead: Duration,
    /// Is castling written as king takes rook?
    pub chess960: bool,
    /// Are chances shown beside scores?
    pub show_wdl: bool,
    /// Is the strength limited to a rating?
    pub limit_strength: bool,
    /// To what rating.
    pub elo: u32,
    /// The level of skill, where no rating is wanted.
    pub skill: u32,
    /// Is the opening book used?
    pub own_book: bool,
    /// Do endgame tables call a win that takes too long a draw?
    pub fifty_move_rule: bool,
    /// Endgame tables of more pieces are not asked.
    pub probe_limit: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hash_mib: 64,
            hash_file: String::new(),
            lines: 1,
            overhead: Duration::from_millis(20),
            chess960: false,
            show_wdl: false,
            limit_strength: false,
            elo: MAX_ELO,
            skill: MAX_SKILL,
            own_book: false,
            fifty_move_rule: true,
            probe_limit: 7,
        }
    }
}

impl Options {
    /// The player whose strength is wanted; none if it is not limited.
    pub(crate) fn player(&self) -> Option<Player> {
        if self.limit_strength {
            Some(Player::of_rating(self.elo))
        } else {
            (self.skill < MAX_SKILL).then(|| Player::of_skill(f64::from(self.skill)))
        }
    }

    /// How moves are written.
    pub fn notation(&self) -> chess::Notation {
        if self.chess960 { chess::Notation::Chess960 } else { chess::Notation::Standard }
    }
}
