//! Endgame tablebases: exact values of positions with few pieces, from Syzygy files.
//!
//! A WDL table says who wins; a DTZ table says in how many plies the winner can force a zeroing move (a capture, a
//! pawn move or mate) without spoiling the result. The probing is shakmaty-syzygy's. ClusterSettings:
//! <https://syzygy-tables.info/metrics>.
//!
//! The search asks [`Tablebases::wdl`], the root asks [`Tablebases::root_moves`].

mod error;
mod search_tables;

use std::{cmp::Reverse, collections::HashSet, ffi::OsString, fs, io, ops::Neg, path::Path};

use error::PATH_SEPARATOR;
pub use error::TablebaseError;
pub(crate) use search_tables::SearchTables;

use cozy_chess::{Board, Color, Move, Piece, Rank, Square};
use shakmaty::{Bitboard, ByColor, ByRole, CastlingMode, Chess, Setup};
use shakmaty_syzygy::{AmbiguousWdl, Dtz, MaybeRounded, Tablebase};

/// A set of Syzygy tables. Any number of threads may probe it at once.
///
/// A file is opened at its first probe and kept open.
#[derive(Debug)]
pub struct Tablebases {
    tables: Tablebase<Chess>,
    /// The names of the table files; of a table in two folders one is used.
    files: HashSet<OsString>,
}

/// The value of a position for the side to move, or of a move for the side that makes it, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TableValue {
    /// Lost.
    Loss,
    /// Lost, but for the fifty-move rule: a draw.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but for the fifty-move rule: a draw.
    CursedWin,
    /// Won.
    Win,
}

impl TableValue {
    /// The value if no rule ended a game that takes long.
    fn without_fifty_move_rule(self) -> TableValue {
        match self {
            TableValue::CursedWin => TableValue::Win,
            TableValue::BlessedLoss => TableValue::Loss,
            other => other,
        }
    }
}

impl Neg for TableValue {
    type Output = TableValue;

    /// The same value for the other side.
    fn neg(self) -> TableValue {
        match self {
            TableValue::Loss => TableValue::Win,
            TableValue::BlessedLoss => TableValue::CursedWin,
            TableValue::Draw => TableValue::Draw,
            TableValue::CursedWin => TableValue::BlessedLoss,
            TableValue::Win => TableValue::Loss,
        }
    }
}

impl From<shakmaty_syzygy::Wdl> for TableValue {
    fn from(wdl: shakmaty_syzygy::Wdl) -> TableValue {
        match wdl {
            shakmaty_syzygy::Wdl::Loss => TableValue::Loss,
            shakmaty_syzygy::Wdl::BlessedLoss => TableValue::BlessedLoss,
            shakmaty_syzygy::Wdl::Draw => TableValue::Draw,
            shakmaty_syzygy::Wdl::CursedWin => TableValue::CursedWin,
            shakmaty_syzygy::Wdl::Win => TableValue::Win,
        }
    }
}

/// A legal move at the root with its exact value for the side that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableMove {
    /// The move.
    pub mv: Move,
    /// The result with best play, given the position's halfmove clock.
    pub wdl: TableValue,
    /// Plies to the next zeroing move or mate, this move included: positive if winning, negative if losing, 0 if
    /// drawn. A table may be off by one ply. Above 100 (or below -100) the tables call the win cursed; then it is
    /// the distance plus 100 if a later phase of the win is what takes too long.
    pub dtz: i32,
}

impl Tablebases {
    /// Finds the tables in a list of folders, separated by ':' (on Windows by ';').
    ///
    /// # Errors
    ///
    /// When a folder can't be listed or holds no table, or a table file is damaged (as its size shows).
    pub fn open(paths: &str) -> Result<Tablebases, TablebaseError> {
        let mut found = Tablebases { tables: Tablebase::new(), files: HashSet::new() };
        for folder in paths.split(PATH_SEPARATOR).filter(|folder| !folder.is_empty()) {
            found.add_folder(Path::new(folder))?;
        }
        if found.files.is_empty() { Err(TablebaseError::NoFolder) } else { Ok(found) }
    }

    fn add_folder(&mut self, folder: &Path) -> Result<(), TablebaseError> {
        let unreadable = |source| TablebaseError::UnreadableFolder { folder: folder.to_owned(), source };
        let mut has_table = false;
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            match self.tables.add_file(entry.path()) {
                Ok(()) => {
                    has_table = true;
                    self.files.insert(entry.file_name());
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {} // Not a table, by its name.
                Err(source) => return Err(TablebaseError::BadFile { file: entry.path(), source }),
            }
        }
        if has_table { Ok(()) } else { Err(TablebaseError::NoTables { folder: folder.to_owned() }) }
    }

    /// The number of pieces, kings included, of the largest table.
    pub fn largest(&self) -> usize {
        self.tables.max_pieces()
    }

    /// The number of table files found, WDL and DTZ files counted each.
    pub fn count(&self) -> usize {
        self.files.len()
    }

    /// The value of a position for the side to move, as if its halfmove clock stood at 0.
    ///
    /// So it is exact right after a capture or pawn move; elsewhere a win may turn out to be cursed, and the caller
    /// decides whether to ask. `None` if the position is not in the tables. Needs WDL tables only.
    pub fn wdl(&self, board: &Board) -> Option<TableValue> {
        if !self.may_hold(board) {
            return None;
        }
        self.tables.probe_wdl_after_zeroing(&to_shakmaty(board)?).ok().map(TableValue::from)
    }

    /// All legal moves with their values under the fifty-move rule, best first; `None` if the position or one after
    /// a move is not in the tables, or there is no legal move. Needs WDL and DTZ tables.
    ///
    /// Playing the first move each time wins what is won: mate at once comes first, then the wins that zero the
    /// clock, then the others by the fewest plies to the next zeroing move. The losing side holds out longest.
    /// Repetitions are not considered: none can occur in a line of first moves that wins.
    pub fn root_moves(&self, board: &Board) -> Option<Vec<TableMove>> {
        if !self.may_hold(board) {
            return None;
        }
        to_shakmaty(board)?;
        let mut moves = Vec::new();
        board.generate_moves(|piece_moves| {
            moves.extend(piece_moves);
            false
        });
        let mut candidates = moves.into_iter().map(|mv| self.value(board, mv)).collect::<Option<Vec<_>>>()?;
        candidates.sort_by_key(Candidate::rank);
        (!candidates.is_empty()).then(|| candidates.iter().map(Candidate::root_move).collect())
    }

    /// Whether to probe at all: few enough pieces, and no castling rights, which the tables don't know.
    fn may_hold(&self, board: &Board) -> bool {
        let can_castle = |color| {
            let rights = board.castle_rights(color);
            rights.short.is_some() || rights.long.is_some()
        };
        board.occupied().len() as usize <= self.largest() && !can_castle(Color::White) && !can_castle(Color::Black)
    }

    /// Values one legal move.
    fn value(&self, board: &Board, mv: Move) -> Option<Candidate> {
        let mut after = board.clone();
        after.play_unchecked(mv);
        let zeroing = after.halfmove_clock() == 0;
        if is_mate(&after) {
            return Some(Candidate { mv, wdl: AmbiguousWdl::Win, dtz: 1, mates: true, zeroing });
        }
        let position = to_shakmaty(&after)?;
        let dtz = if zeroing {
            MaybeRounded::Precise(Dtz::before_zeroing(-self.tables.probe_wdl_after_zeroing(&position).ok()?))
        } else {
            (-self.tables.probe_dtz(&position).ok()?).add_plies_saturating(1)
        };
        let wdl = AmbiguousWdl::from_dtz_and_halfmoves(dtz, u32::from(board.halfmove_clock()));
        Some(Candidate { mv, wdl, dtz: dtz.ignore_rounding().0, mates: false, zeroing })
    }
}

/// A root move while it is ranked.
struct Candidate {
    mv: Move,
    /// DTZ tables may be off by one ply, so when the last ply counts it can be open whether a win is cursed. Such a
    /// move ranks between the certain ones, but is reported as the worse of the two.
    wdl: AmbiguousWdl,
    dtz: i32,
    mates: bool,
    zeroing: bool,
}

impl Candidate {
    /// Smaller is better.
    fn rank(&self) -> (Reverse<AmbiguousWdl>, bool, bool, i32) {
        // When losing, a dtz is negative: the smallest is the farthest. A zeroing move gives up all that distance.
        let later = if self.dtz < 0 { self.zeroing } else { !self.zeroing };
        (Reverse(self.wdl), !self.mates, later && self.dtz != 0, self.dtz)
    }

    fn root_move(&self) -> TableMove {
        let wdl = match self.wdl {
            AmbiguousWdl::Loss | AmbiguousWdl::MaybeLoss => TableValue::Loss,
            AmbiguousWdl::BlessedLoss => TableValue::BlessedLoss,
            AmbiguousWdl::Draw => TableValue::Draw,
            AmbiguousWdl::CursedWin | AmbiguousWdl::MaybeWin => TableValue::CursedWin,
            AmbiguousWdl::Win => TableValue::Win,
        };
        TableMove { mv: self.mv, wdl, dtz: self.dtz }
    }
}

/// Whether the side to move is mated. (`Board::status` asks more, and calls a position with a full clock drawn.)
fn is_mate(board: &Board) -> bool {
    !board.checkers().is_empty() && !board.generate_moves(|_| true)
}

/// The same position in shakmaty's settings; `None` if shakmaty calls it impossible. The caller has made sure that
/// neither side may castle; the clocks don't matter to a probe.
fn to_shakmaty(board: &Board) -> Option<Chess> {
    let pieces = |piece| Bitboard(board.pieces(piece).0);
    let by_role = ByRole {
        pawn: pieces(Piece::Pawn),
        knight: pieces(Piece::Knight),
        bishop: pieces(Piece::Bishop),
        rook: pieces(Piece::Rook),
        queen: pieces(Piece::Queen),
        king: pieces(Piece::King),
    };
    let by_color =
        ByColor { white: Bitboard(board.colors(Color::White).0), black: Bitboard(board.colors(Color::Black).0) };
    let us = board.side_to_move();
    let setup = Setup {
        board: shakmaty::Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: shakmaty::Color::from_white(us == Color::White),
        ep_square: board.en_passant().map(|file| {
            let target = Square::new(file, Rank::Sixth.relative_to(us));
            shakmaty::Square::new(target as u32)
        }),
        ..Setup::empty()
    };
    setup.position(CastlingMode::Standard).ok()
}

/// The folder of the tables to test with. Tests that need it are ignored, and fail if they are run without it.
#[cfg(test)]
pub(crate) fn test_folder() -> String {
    std::env::var("JAMBOREE_SYZYGY")
        .unwrap_or_else(|_| panic!("set JAMBOREE_SYZYGY to a folder of Syzygy tables; scripts/get-syzygy.sh gets one"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
