//! Endgame tablebases: exact values of positions with few pieces, from Syzygy files.
//!
//! A WDL table says who wins; a DTZ table says in how many plies the winner can force a zeroing move (a capture, a
//! pawn move or mate) without spoiling the result. The probing is shakmaty-syzygy's. ClusterSettings:
//! <https://syzygy-tables.info/metrics>.
//!
//! The search asks [`Tablebases::wdl`], the root asks [`Tablebases::root_moves`].

use std::{
    cmp::Reverse,
    collections::HashSet,
    error::Error,
    ffi::OsString,
    fmt, fs, io,
    ops::Neg,
    path::{Path, PathBuf},
};

use cozy_chess::{Board, Color, Move, Piece, Rank, Square};
use shakmaty::{Bitboard, ByColor, ByRole, CastlingMode, Chess, Setup};
use shakmaty_syzygy::{AmbiguousWdl, Dtz, MaybeRounded, Tablebase};

/// What separates the folders of a path list.
const PATH_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

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
pub enum Wdl {
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

impl Neg for Wdl {
    type Output = Wdl;

    /// The same value for the other side.
    fn neg(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::BlessedLoss => Wdl::CursedWin,
            Wdl::Draw => Wdl::Draw,
            Wdl::CursedWin => Wdl::BlessedLoss,
            Wdl::Win => Wdl::Loss,
        }
    }
}

impl From<shakmaty_syzygy::Wdl> for Wdl {
    fn from(wdl: shakmaty_syzygy::Wdl) -> Wdl {
        match wdl {
            shakmaty_syzygy::Wdl::Loss => Wdl::Loss,
            shakmaty_syzygy::Wdl::BlessedLoss => Wdl::BlessedLoss,
            shakmaty_syzygy::Wdl::Draw => Wdl::Draw,
            shakmaty_syzygy::Wdl::CursedWin => Wdl::CursedWin,
            shakmaty_syzygy::Wdl::Win => Wdl::Win,
        }
    }
}

/// A legal move at the root with its exact value for the side that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// The result with best play, given the position's halfmove clock.
    pub wdl: Wdl,
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
    pub fn wdl(&self, board: &Board) -> Option<Wdl> {
        if !self.may_hold(board) {
            return None;
        }
        self.tables.probe_wdl_after_zeroing(&to_shakmaty(board)?).ok().map(Wdl::from)
    }

    /// All legal moves with their values under the fifty-move rule, best first; `None` if the position or one after
    /// a move is not in the tables, or there is no legal move. Needs WDL and DTZ tables.
    ///
    /// Playing the first move each time wins what is won: mate at once comes first, then the wins that zero the
    /// clock, then the others by the fewest plies to the next zeroing move. The losing side holds out longest.
    /// Repetitions are not considered: none can occur in a line of first moves that wins.
    pub fn root_moves(&self, board: &Board) -> Option<Vec<RootMove>> {
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

    fn root_move(&self) -> RootMove {
        let wdl = match self.wdl {
            AmbiguousWdl::Loss | AmbiguousWdl::MaybeLoss => Wdl::Loss,
            AmbiguousWdl::BlessedLoss => Wdl::BlessedLoss,
            AmbiguousWdl::Draw => Wdl::Draw,
            AmbiguousWdl::CursedWin | AmbiguousWdl::MaybeWin => Wdl::CursedWin,
            AmbiguousWdl::Win => Wdl::Win,
        };
        RootMove { mv: self.mv, wdl, dtz: self.dtz }
    }
}

/// Whether the side to move is mated. (`Board::status` asks more, and calls a position with a full clock drawn.)
fn is_mate(board: &Board) -> bool {
    !board.checkers().is_empty() && !board.generate_moves(|_| true)
}

/// The same position in shakmaty's settings; `None` if shakmaty calls it impossible. The caller has made sure that
/// nobody may castle; the clocks don't matter to a probe.
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

/// Why tables can't be used.
#[derive(Debug)]
pub enum TablebaseError {
    /// The list of folders is empty.
    NoFolder,
    /// A folder does not exist or can't be listed.
    UnreadableFolder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A folder holds no table.
    NoTables {
        /// The folder.
        folder: PathBuf,
    },
    /// A file that is a table by its name can't be one, or can't be read.
    BadFile {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        source: io::Error,
    },
}

impl fmt::Display for TablebaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TablebaseError::NoFolder => write!(
                f,
                "no tablebase folder is named; give folders with Syzygy tables, separated by '{PATH_SEPARATOR}'"
            ),
            TablebaseError::UnreadableFolder { folder, source } => write!(
                f,
                "can't read the tablebase folder {}: {source}; give folders with Syzygy tables, separated by \
                 '{PATH_SEPARATOR}'",
                folder.display()
            ),
            TablebaseError::NoTables { folder } => write!(
                f,
                "the tablebase folder {} holds no Syzygy table; name the folder that has the .rtbw and .rtbz files \
                 itself, not one above it",
                folder.display()
            ),
            TablebaseError::BadFile { file, source } => {
                write!(f, "the tablebase file {} can't be used: {source}; copy it again or remove it", file.display())
            }
        }
    }
}

impl Error for TablebaseError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            TablebaseError::UnreadableFolder { source, .. } | TablebaseError::BadFile { source, .. } => Some(source),
            TablebaseError::NoFolder | TablebaseError::NoTables { .. } => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use cozy_chess::{BoardBuilder, GameStatus};

    /// The tables to test with, or `None` with a note to the reader.
    fn tables() -> Option<Tablebases> {
        match std::env::var("JAMBOREE_SYZYGY") {
            Ok(paths) => Some(Tablebases::open(&paths).unwrap()),
            Err(_) => {
                eprintln!(
                    "NOT TESTED: no tablebases. Unpack data/syzygy/regular from the source archive of the Python \
                     package chess (pip download --no-binary :all: --no-deps chess) and set JAMBOREE_SYZYGY to it."
                );
                None
            }
        }
    }

    fn board(fen: &str) -> Board {
        fen.parse().unwrap()
    }

    fn legal_moves(board: &Board) -> Vec<Move> {
        let mut legal = Vec::new();
        board.generate_moves(|moves| {
            legal.extend(moves);
            false
        });
        legal
    }

    fn after(board: &Board, mv: Move) -> Board {
        let mut after = board.clone();
        after.play(mv);
        after
    }

    /// Xorshift: small, and the same on every machine.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 33) as usize % bound
        }
    }

    /// A random position of 3 or 4 pieces; the clock is at 0.
    fn random_position(random: &mut Random) -> Board {
        loop {
            let mut builder = BoardBuilder::empty();
            *builder.square_mut(Square::index(random.below(64))) = Some((Piece::King, Color::White));
            *builder.square_mut(Square::index(random.below(64))) = Some((Piece::King, Color::Black));
            for _ in 0..1 + random.below(2) {
                let piece = Piece::index(random.below(5));
                let color = Color::index(random.below(2));
                *builder.square_mut(Square::index(random.below(64))) = Some((piece, color));
            }
            builder.side_to_move = Color::index(random.below(2));
            if let Ok(board) = builder.build()
                && board.occupied().len() >= 3
                && to_shakmaty(&board).is_some()
            {
                return board;
            }
        }
    }

    #[test]
    fn tables_are_shared_between_threads() {
        fn assert_send_and_sync<T: Send + Sync>() {}
        assert_send_and_sync::<Tablebases>();
    }

    #[test]
    fn bad_paths_are_one_line_errors() {
        let temp = std::env::temp_dir().join(format!("jamboree-tablebase-test-{}", std::process::id()));
        let (empty, damaged) = (temp.join("empty"), temp.join("damaged"));
        fs::create_dir_all(&empty).unwrap();
        fs::create_dir_all(&damaged).unwrap();
        fs::write(empty.join("README.txt"), "no table").unwrap();
        fs::write(damaged.join("KQvK.rtbw"), "no table").unwrap();
        let cases = [
            (String::new(), "no tablebase folder is named"),
            (PATH_SEPARATOR.to_string(), "no tablebase folder is named"),
            ("/nonexistent/tables".into(), "/nonexistent/tables"),
            (empty.display().to_string(), "empty holds no Syzygy table"),
            (damaged.display().to_string(), "KQvK.rtbw can't be used"),
        ];
        let texts: Vec<_> = cases.iter().map(|(paths, _)| Tablebases::open(paths).unwrap_err().to_string()).collect();
        fs::remove_dir_all(&temp).unwrap();
        for ((_, expected), text) in cases.iter().zip(texts) {
            assert!(text.contains(expected), "{text}");
            assert!(!text.contains('\n') && !text.contains("  "), "{text}");
        }
    }

    #[test]
    fn finds_the_tables() {
        let Some(tables) = tables() else { return };
        assert!(tables.largest() >= 4);
        assert!(tables.count() >= 70, "{}", tables.count());
        let paths = std::env::var("JAMBOREE_SYZYGY").unwrap();
        let twice = Tablebases::open(&format!("{PATH_SEPARATOR}{paths}{PATH_SEPARATOR}{paths}")).unwrap();
        assert_eq!(twice.count(), tables.count(), "a table in two folders is one table");
        let error = Tablebases::open(&format!("{paths}{PATH_SEPARATOR}/nonexistent")).unwrap_err();
        assert!(error.to_string().contains("/nonexistent"));
    }

    #[test]
    fn known_values() {
        let Some(tables) = tables() else { return };
        let cases = [
            ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Wdl::Win),
            ("8/8/8/4k3/8/8/8/KQ6 b - - 0 1", Wdl::Loss),
            ("8/8/8/4k3/8/8/8/KR6 w - - 0 1", Wdl::Win),
            ("8/8/8/8/8/2k5/8/KR6 b - - 0 1", Wdl::Loss),
            ("8/8/8/8/8/2k5/1R6/7K b - - 0 1", Wdl::Draw), // Takes the rook.
            ("8/8/8/8/8/k7/p7/K7 w - - 0 1", Wdl::Draw),   // Stalemate.
            ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", Wdl::Draw),
            ("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1", Wdl::Loss),
            ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", Wdl::Win),
            ("k7/8/1K6/8/P7/8/8/8 w - - 0 1", Wdl::Draw),
            ("8/8/8/8/8/8/8/K1k5 w - - 0 1", Wdl::Draw),
            ("8/8/8/8/3k4/8/8/KBN5 w - - 0 1", Wdl::Win),
            ("8/8/8/8/3k4/8/8/KNN5 w - - 0 1", Wdl::Draw),
        ];
        for (fen, wdl) in cases {
            assert_eq!(tables.wdl(&board(fen)), Some(wdl), "{fen}");
        }
    }

    #[test]
    fn positions_outside_the_tables_have_no_value() {
        let Some(tables) = tables() else { return };
        let touching_kings = "8/8/8/8/8/8/1k6/KR6 b - - 0 1";
        let castling = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for fen in [castling, touching_kings, start] {
            assert_eq!(tables.wdl(&board(fen)), None, "{fen}");
            assert_eq!(tables.root_moves(&board(fen)), None, "{fen}");
        }
        assert_eq!(tables.root_moves(&board("8/8/8/8/8/k1p5/p7/K7 w - - 0 1")), None, "no legal move");
    }

    #[test]
    fn mate_comes_first_even_at_a_full_clock() {
        let Some(tables) = tables() else { return };
        for clock in [0, 99, 100] {
            let moves = tables.root_moves(&board(&format!("k7/8/1K6/8/8/8/P7/7R w - - {clock} 80"))).unwrap();
            assert_eq!(moves[0].mv.to_string(), "h1h8", "{clock}");
            assert_eq!((moves[0].wdl, moves[0].dtz), (Wdl::Win, 1), "{clock}");
            let expected = if clock == 100 { Wdl::CursedWin } else { Wdl::Win };
            assert_eq!((moves[1].mv.from, moves[1].wdl, moves[1].dtz), (Square::A2, expected, 1), "{clock}");
            assert_eq!(moves[3].wdl < Wdl::Win, clock > 0, "{clock}");
        }
    }

    #[test]
    fn the_clock_curses_bishop_and_knight() {
        let Some(tables) = tables() else { return };
        let best = |clock| tables.root_moves(&board(&format!("8/8/8/8/3k4/8/8/KBN5 w - - {clock} 80"))).unwrap()[0];
        assert_eq!(best(0).wdl, Wdl::Win);
        assert!((40..=70).contains(&best(0).dtz), "{:?}", best(0));
        assert_eq!(best(90), RootMove { wdl: Wdl::CursedWin, ..best(0) });
        // It turns where the distance no longer fits.
        let last_win = (0..=100).rev().find(|&clock| best(clock).wdl == Wdl::Win).unwrap();
        assert!((99..=100).contains(&(best(0).dtz + last_win)), "{last_win} {:?}", best(0));
        // The defender's view of the same: it is saved by the rule.
        let saved = tables.root_moves(&board("8/8/8/8/3k4/8/8/KBN5 b - - 90 80")).unwrap();
        assert_eq!(saved[0].wdl, Wdl::BlessedLoss);
    }

    #[test]
    fn first_moves_mate_within_the_distance() {
        let Some(tables) = tables() else { return };
        for fen in ["8/8/8/8/3k4/8/8/KBN5 w - - 0 1", "8/8/8/4k3/8/8/8/KR6 w - - 0 1", "8/8/8/8/3k4/8/8/KBB5 w - - 0 1"]
        {
            let mut board = board(fen);
            let distance_plies = tables.root_moves(&board).unwrap()[0].dtz;
            let mut plies = 0;
            while let Some(moves) = tables.root_moves(&board) {
                board.play(moves[0].mv);
                plies += 1;
                assert!(plies <= distance_plies + 1, "{fen}: {board}");
            }
            assert!(is_mate(&board), "{fen}: {board}");
        }
    }

    #[test]
    fn first_moves_win_random_won_positions() {
        let Some(tables) = tables() else { return };
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for _ in 0..60 {
            let start = random_position(&mut random);
            let wdl = tables.wdl(&start).unwrap();
            let mut board = start.clone();
            while board.status() == GameStatus::Ongoing
                && let Some(moves) = tables.root_moves(&board)
                && moves[0].wdl != Wdl::Draw
            {
                board.play(moves[0].mv);
            }
            assert_eq!(is_mate(&board), wdl != Wdl::Draw, "{start} ends at {board}");
        }
    }

    #[test]
    fn values_agree_with_those_after_each_move() {
        let Some(tables) = tables() else { return };
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        let mut seen = [0; 5];
        for _ in 0..3000 {
            let board = random_position(&mut random);
            let legal = legal_moves(&board);
            let Some(ranked) = tables.root_moves(&board) else {
                assert!(legal.is_empty(), "{board}");
                continue;
            };
            let wdl = tables.wdl(&board).unwrap();
            seen[wdl as usize] += 1;
            assert_eq!(ranked.len(), legal.len(), "{board}");
            assert_eq!(ranked[0].wdl, wdl, "{board}");
            assert!(ranked.is_sorted_by_key(|root_move| Reverse(root_move.wdl)), "{board}");
            for root_move in &ranked {
                assert_eq!(root_move.wdl, -tables.wdl(&after(&board, root_move.mv)).unwrap(), "{board} {root_move:?}");
                assert_eq!(root_move.wdl.cmp(&Wdl::Draw), root_move.dtz.cmp(&0), "{board} {root_move:?}");
            }
        }
        assert!(seen.iter().filter(|&&count| count > 100).count() >= 3, "{seen:?}");
    }

    #[test]
    fn values_agree_with_en_passant_rights() {
        let Some(tables) = tables() else { return };
        // Random positions have no en passant right, so make some by double steps.
        let mut random = Random(0xda94_2042_e4dd_58b5);
        let mut captures = 0;
        for _ in 0..40_000 {
            let before = random_position(&mut random);
            if before.pieces(Piece::Pawn).len() < 2 {
                continue;
            }
            for board in legal_moves(&before).into_iter().map(|mv| after(&before, mv)) {
                let Some(ranked) = board.en_passant().and_then(|_| tables.root_moves(&board)) else { continue };
                captures += ranked.iter().filter(|ranked| after(&board, ranked.mv).occupied().len() == 3).count();
                assert_eq!(Some(ranked[0].wdl), tables.wdl(&board), "{board}");
            }
        }
        assert!(captures > 10, "{captures}");
    }
}
