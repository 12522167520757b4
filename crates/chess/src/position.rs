//! A chess position as the search sees it: cozy-chess's board, its key, and how far back a repetition can lie.

use crate::{Move, evaluation, zobrist};
use cozy_chess::{BitBoard, Board, Color, File, Piece, Rank, Square, get_king_moves, get_pawn_attacks};
use game::{Ending, Game, Score};
use std::fmt;
use std::str::FromStr;

/// A chess position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    board: Board,
    key: u64,
    /// Plies since the last move that cannot be taken back, passing included.
    reversible: u8,
}

/// Why a position could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenError {
    fen: String,
    reason: &'static str,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: String = self.fen.chars().take(100).collect();
        write!(f, "bad FEN '{shown}': {}", self.reason)
    }
}

impl std::error::Error for FenError {}

/// Castling rights of any dialect as files: `K` and `Q` mean the outermost rook on that side of the king (X-FEN), `A`
/// to `H` name its file (Shredder-FEN). Rights whose king or rook is not in place are dropped.
fn castling_files(pieces: &Board, castling: &str) -> Option<String> {
    let mut files = String::new();
    for letter in castling.chars().filter(|&letter| letter != '-') {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let rank = Rank::First.relative_to(color);
        let king = pieces.king(color);
        let rooks = pieces.colored_pieces(color, Piece::Rook) & rank.bitboard();
        let rook = match letter.to_ascii_lowercase() {
            'k' => rooks.iter().last().filter(|rook| rook.file() > king.file()),
            'q' => rooks.iter().next().filter(|rook| rook.file() < king.file()),
            file @ 'a'..='h' => rooks.iter().find(|rook| rook.file() as u8 == file as u8 - b'a'),
            _ => return None,
        };
        if let Some(rook) = rook.filter(|_| king.rank() == rank) {
            let file = (b'a' + rook.file() as u8) as char;
            files.push(if color == Color::White { file.to_ascii_uppercase() } else { file });
        }
    }
    Some(if files.is_empty() { "-".to_string() } else { files })
}

impl FromStr for Position {
    type Err = FenError;

    /// Reads a FEN, X-FEN or Shredder-FEN; the move counters may be missing.
    fn from_str(fen: &str) -> Result<Position, FenError> {
        let error = |reason| FenError { fen: fen.trim().to_string(), reason };
        let fields: Vec<&str> = fen.split_whitespace().collect();
        if !fen.is_ascii() || !(4..=6).contains(&fields.len()) {
            return Err(error("expected 'pieces side castling en-passant [halfmoves [moves]]'"));
        }
        // Counters that are too large for the board are replaced by the largest it can hold.
        let counter = |index: usize, least: u32, most: u32| match fields.get(index) {
            Some(field) => field.parse::<u32>().map(|count| count.clamp(least, most)),
            None => Ok(least),
        };
        let (Ok(clock), Ok(number)) = (counter(4, 0, 100), counter(5, 1, u16::MAX.into())) else {
            return Err(error("the move counters must be whole numbers"));
        };
        let build = |castling: &str, en_passant: &str| {
            Board::from_fen(&format!("{} {} {castling} {en_passant} {clock} {number}", fields[0], fields[1]), true)
        };
        let pieces = build("-", "-").map_err(|reason| error(explain(reason)))?;
        // The board library leaves out ranks that are missing, and lets kings touch.
        if fields[0].split('/').count() != Rank::NUM {
            return Err(error("a board has eight ranks"));
        }
        if get_king_moves(pieces.king(Color::White)).has(pieces.king(Color::Black)) {
            return Err(error("the kings stand side by side"));
        }
        let Some(castling) = castling_files(&pieces, fields[2]) else {
            return Err(error("castling rights are '-' or some of KQkq or file letters"));
        };
        if fields[3] != "-" && fields[3].parse::<Square>().is_err() {
            return Err(error("the en passant field is '-' or a square"));
        }
        // Some programs name an en passant square that no pawn could have passed.
        let board = build(&castling, fields[3]).or_else(|_| build(&castling, "-"));
        board.map(Position::new).map_err(|reason| error(explain(reason)))
    }
}

fn explain(reason: cozy_chess::FenParseError) -> &'static str {
    use cozy_chess::FenParseError::{
        InvalidBoard, InvalidCastlingRights, InvalidEnPassant, InvalidFullmoveNumber, InvalidHalfMoveClock,
        InvalidSideToMove, MissingField, TooManyFields,
    };
    match reason {
        InvalidBoard => "not a legal position (one king a side, no pawn on the edge, the side that moved not in check)",
        InvalidSideToMove => "the side to move must be 'w' or 'b', and the other side must not be in check",
        InvalidCastlingRights => "the castling rights do not fit the kings and rooks",
        InvalidEnPassant => "the en passant square does not fit the pawns",
        InvalidHalfMoveClock | InvalidFullmoveNumber => "the move counters must be whole numbers",
        MissingField => "a field is missing: 'pieces side castling en-passant halfmoves moves'",
        TooManyFields => "too many fields: 'pieces side castling en-passant halfmoves moves'",
    }
}

/// The position as FEN; Shredder-FEN where ordinary FEN would lose the castling rights.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.castles_ordinarily() { write!(f, "{}", self.board) } else { write!(f, "{:#}", self.board) }
    }
}

impl Default for Position {
    fn default() -> Position {
        Position::new(Board::default())
    }
}

impl Position {
    /// Does ordinary chess know every castling that is still allowed: a king on the e-file, rooks in the corners?
    pub(crate) fn castles_ordinarily(&self) -> bool {
        let board = &self.board;
        let ordinary = |color| {
            let rights = board.castle_rights(color);
            let king_at_home = rights.short.or(rights.long).is_none() || board.king(color).file() == File::E;
            king_at_home
                && rights.short.is_none_or(|file| file == File::H)
                && rights.long.is_none_or(|file| file == File::A)
        };
        Color::ALL.into_iter().all(ordinary)
    }

    /// A position from a board of cozy-chess.
    pub fn new(board: Board) -> Position {
        let (key, reversible) = (key_of(&board), board.halfmove_clock());
        Position { board, key, reversible }
    }

    /// The board.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Whether White is to move.
    pub fn is_white_to_move(&self) -> bool {
        self.board.side_to_move() == Color::White
    }

    /// Is the side to move in check?
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    /// The square an en passant capture would go to, whether or not a pawn is there to make it.
    #[inline]
    pub(crate) fn en_passant(&self) -> Option<Square> {
        en_passant_square(&self.board)
    }

    /// Does the move capture something?
    #[inline]
    pub fn is_capture(&self, mv: Move) -> bool {
        self.victim(mv).is_some()
    }

    /// What the move captures.
    #[inline]
    pub fn victim(&self, mv: Move) -> Option<Piece> {
        let (board, to) = (&self.board, mv.target());
        if board.colors(!board.side_to_move()).has(to) {
            board.piece_on(to)
        } else if self.en_passant() == Some(to) && board.pieces(Piece::Pawn).has(mv.source()) {
            Some(Piece::Pawn)
        } else {
            None
        }
    }

    /// A capture or a promotion to queen: too much changes for a static evaluation.
    #[inline]
    pub fn is_noisy(&self, mv: Move) -> bool {
        mv.promotion() == Some(Piece::Queen) || self.is_capture(mv)
    }

    /// The piece that a legal move moves.
    #[inline]
    pub fn mover(&self, mv: Move) -> Piece {
        self.board.piece_on(mv.source()).unwrap_or(Piece::King)
    }

    /// Has the side to move anything but king and pawns?
    pub(crate) fn has_pieces(&self) -> bool {
        let board = &self.board;
        let light = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
        !(board.colors(board.side_to_move()) & !light).is_empty()
    }

    /// Is there a legal move?
    pub fn has_moves(&self) -> bool {
        self.board.generate_moves(|_| true)
    }

    /// Neither side could mate even with help: bare kings, one minor piece, or bishops on one colour only.
    pub fn is_dead(&self) -> bool {
        let board = &self.board;
        let heavy = board.pieces(Piece::Pawn) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
        if !heavy.is_empty() {
            return false;
        }
        let (knights, bishops) = (board.pieces(Piece::Knight), board.pieces(Piece::Bishop));
        match (knights | bishops).len() {
            0 | 1 => true,
            _ => {
                knights.is_empty()
                    && (bishops.is_subset(BitBoard::DARK_SQUARES) || bishops.is_subset(BitBoard::LIGHT_SQUARES))
            }
        }
    }
}

/// The square an en passant capture would go to.
fn en_passant_square(board: &Board) -> Option<Square> {
    let rank = Rank::Sixth.relative_to(board.side_to_move());
    board.en_passant().map(|file| Square::new(file, rank))
}

/// The key of the board. Ignores an en passant right that no pawn can use, as the rules of repetition do.
#[inline]
fn key_of(board: &Board) -> u64 {
    match en_passant_square(board) {
        Some(square) => {
            let us: Color = board.side_to_move();
            if (get_pawn_attacks(square, !us) & board.colored_pieces(us, Piece::Pawn)).is_empty() {
                board.hash_without_ep()
            } else {
                board.hash()
            }
        }
        None => board.hash_without_ep(),
    }
}

impl Game for Position {
    type Move = Move;

    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    #[inline]
    fn foretold_key(&self, mv: Move) -> Option<u64> {
        Some(zobrist::after(&self.board, self.key, mv))
    }

    fn moves(&self, out: &mut Vec<Move>) {
        self.board.generate_moves(|piece_moves| {
            out.extend(piece_moves.into_iter().map(Move::from));
            false
        });
    }

    #[inline]
    fn play(&self, mv: Move) -> Position {
        let mut board = self.board.clone();
        board.play_unchecked(mv.into());
        let key = key_of(&board);
        let reversible = if board.halfmove_clock() == 0 { 0 } else { self.reversible.saturating_add(1) };
        Position { board, key, reversible }
    }

    fn evaluate(&self) -> Score {
        evaluation::evaluate(&self.board)
    }

    fn stuck(&self) -> Ending {
        if self.in_check() { Ending::Lost } else { Ending::Drawn }
    }

    #[inline]
    fn ending(&self) -> Option<Ending> {
        // Mate on the hundredth ply takes precedence over the fifty-move rule.
        if self.board.halfmove_clock() >= 100 && (!self.in_check() || self.has_moves()) || self.is_dead() {
            return Some(Ending::Drawn);
        }
        None
    }

    fn pass(&self) -> Option<Position> {
        let board = self.board.null_move()?;
        let key = key_of(&board);
        Some(Position { board, key, reversible: 0 })
    }

    #[inline]
    fn reversible_plies(&self) -> usize {
        usize::from(self.reversible)
    }

    #[inline]
    fn pack(mv: Move) -> u32 {
        u32::from(mv.bits())
    }

    #[inline]
    fn unpack(&self, bits: u32) -> Option<Move> {
        u16::try_from(bits).ok().and_then(Move::from_bits).filter(|&mv| self.board.is_legal(mv.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_dialect_of_castling_is_read() {
        for (fen, files) in [
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "HAha"),
            ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "HAha"),
            ("qnrkrnbb/pppppppp/8/8/8/8/PPPPPPPP/QNRKRNBB w KQkq - 0 1", "ECec"),
            ("1k6/8/8/8/8/8/8/R2KR2R w K - 0 1", "H"),
            ("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", "-"),
        ] {
            let position: Position = fen.parse().unwrap();
            let shown = format!("{:#}", position.board());
            assert_eq!(shown.split(' ').nth(2), Some(files), "{fen}");
        }
    }

    #[test]
    fn unusable_positions_are_refused_with_a_reason() {
        for fen in [
            "",
            "startpos",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq z9 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w XYZ - 0 1",
            "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
            "kk6/8/8/8/8/8/8/K7 w - - 0 1",
            "4k3/8/8/8/8/8/8/P3K3 w - - 0 1",
            "9/8/8/8/8/8/8/4K2k w - - 0 1",
            "8/8/8/3PkK2/8/8/8/8 w - - 0 1",
            "8/8/8/8/8/8/4k3/3K4 b - - 0 1",
            "8/4k3/8/4K3 w - - 0 1",
        ] {
            let error = fen.parse::<Position>().unwrap_err().to_string();
            assert!(error.starts_with("bad FEN") && !error.contains('\n'), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(fen in ".{0,100}") {
            let _ = fen.parse::<Position>();
        }

        #[test]
        fn no_near_fen_makes_the_reader_panic(
            fen in "[pnbrqkPNBRQK1-9/]{1,40}( [wb-]( [KQkqA-Ha-h-]{1,6}( [a-h-][1-9]?( [0-9]{1,12}( [0-9]{1,12})?)?)?)?)?"
        ) {
            let _ = fen.parse::<Position>();
        }

        #[test]
        fn no_sixteen_bits_are_played_unless_legal(bits: u16) {
            let position = Position::default();
            if let Some(mv) = position.unpack(u32::from(bits)) {
                let mut moves = Vec::new();
                position.moves(&mut moves);
                prop_assert!(moves.contains(&mv));
            }
        }
    }
}
