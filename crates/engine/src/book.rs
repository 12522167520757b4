//! The opening book: moves by position from a file in the Polyglot format.
//!
//! A Polyglot book is a sorted array of 16-byte big-endian entries: position key, move, weight and a learning
//! field that we ignore. The format is described at <http://hgm.nubati.net/book_format.html>.
//! The key is computed from the board directly, with the Polyglot numbers that shakmaty carries.

use jamboree_io::ReadError;
use std::{
    error::Error,
    fmt,
    path::{Path, PathBuf},
};

use cozy_chess::{Board, Color, File, Move, Piece, Rank, Square};
use shakmaty::{
    CastlingSide,
    zobrist::{Zobrist64, ZobristValue},
};

/// Size of one entry in the file.
const ENTRY_BYTES: usize = 16;
/// Largest book in bytes: 64 million entries.
const LARGEST: u64 = 1 << 30;

/// An opening book, held in memory and immutable: any number of threads may read it.
#[derive(Clone, Debug)]
pub struct Book {
    /// Sorted by key, as in the file.
    entries: Vec<Entry>,
}

/// One entry of the file, without the learning field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    key: u64,
    raw_move: u16,
    weight: u16,
}

/// A legal move that the book knows for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move; castling is king takes own rook.
    pub mv: Move,
    /// How often the book wants it, relative to its other moves; 0 means known, but not to be played.
    pub weight: u16,
}

impl Book {
    /// Reads and checks a whole book file.
    ///
    /// # Errors
    ///
    /// When the file can't be read, or is not a sorted array of 16-byte entries.
    pub fn open(path: impl AsRef<Path>) -> Result<Book, BookError> {
        let path = path.as_ref();
        let bytes = jamboree_io::read_file(path, LARGEST).map_err(BookError::Unreadable)?;
        Book::parse(&bytes, path)
    }

    /// Checks the bytes of a book; `path` is for the error message.
    ///
    /// # Errors
    ///
    /// When they are not a sorted array of 16-byte entries.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Book, BookError> {
        if bytes.is_empty() {
            return Err(BookError::Empty { path: path.to_owned() });
        }
        let (chunks, rest) = bytes.as_chunks::<ENTRY_BYTES>();
        if !rest.is_empty() {
            return Err(BookError::PartialEntry { path: path.to_owned(), size_bytes: bytes.len() });
        }
        let entries: Vec<Entry> = chunks.iter().map(Entry::parse).collect();
        if let Some(index) = entries.windows(2).position(|pair| pair[0].key > pair[1].key) {
            return Err(BookError::Unsorted { path: path.to_owned(), entry: index + 1 });
        }
        Ok(Book { entries })
    }

    /// The number of entries in the book, over all positions; never 0.
    pub fn entry_count(&self) -> usize {
        self.entries.len()
    }

    /// The book's legal moves in this position, heaviest first; empty when the position is not in the book.
    ///
    /// Entries that are no legal move here are skipped; several entries for one move count as one, weights added.
    pub fn moves(&self, board: &Board) -> Vec<BookMove> {
        let key = polyglot_key(board);
        let first = self.entries.partition_point(|entry| entry.key < key);
        let mut moves: Vec<BookMove> = Vec::new();
        for entry in self.entries[first..].iter().take_while(|entry| entry.key == key) {
            let Some(mv) = legal_move(board, entry.raw_move) else { continue };
            match moves.iter_mut().find(|known| known.mv == mv) {
                Some(known) => known.weight = known.weight.saturating_add(entry.weight),
                None => moves.push(BookMove { mv, weight: entry.weight }),
            }
        }
        moves.sort_by_key(|known| std::cmp::Reverse(known.weight));
        moves
    }

    /// One of the book's moves, each with a probability proportional to its weight, given a random number that is
    /// uniform over all of `u64`.
    ///
    /// A move of weight 0 is picked only if all have weight 0; then all are equally likely.
    pub fn pick(&self, board: &Board, random: u64) -> Option<Move> {
        let moves = self.moves(board);
        let total: u64 = moves.iter().map(|known| u64::from(known.weight)).sum();
        if total == 0 {
            let count = u64::try_from(moves.len()).ok().filter(|&count| count > 0)?;
            let index = usize::try_from(random % count).ok()?;
            return moves.get(index).map(|known| known.mv);
        }
        let mut ticket = random % total;
        for known in &moves {
            let weight = u64::from(known.weight);
            if ticket < weight {
                return Some(known.mv);
            }
            ticket -= weight;
        }
        None // Not reached: the tickets are below the sum of the weights.
    }
}

impl Entry {
    fn parse(bytes: &[u8; ENTRY_BYTES]) -> Entry {
        let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, w0, w1, _, _, _, _] = *bytes;
        Entry {
            key: u64::from_be_bytes([k0, k1, k2, k3, k4, k5, k6, k7]),
            raw_move: u16::from_be_bytes([m0, m1]),
            weight: u16::from_be_bytes([w0, w1]),
        }
    }
}

/// The Polyglot key of a position.
///
/// The en passant file counts only if a pawn stands ready to capture, whether or not that capture is legal.
pub fn polyglot_key(board: &Board) -> u64 {
    let mut key = Zobrist64::default();
    for color in Color::ALL {
        for piece in Piece::ALL {
            for square in board.colored_pieces(color, piece) {
                let square = shakmaty::Square::new(square as u32);
                key ^= Zobrist64::zobrist_for_piece(square, to_role(piece).of(to_color(color)));
            }
        }
        let rights = board.castle_rights(color);
        for (right, side) in [(rights.short, CastlingSide::KingSide), (rights.long, CastlingSide::QueenSide)] {
            if right.is_some() {
                key ^= Zobrist64::zobrist_for_castling_right(to_color(color), side);
            }
        }
    }
    if let Some(file) = board.en_passant().filter(|&file| a_pawn_attacks_en_passant(board, file)) {
        key ^= Zobrist64::zobrist_for_en_passant_file(shakmaty::File::new(file as u32));
    }
    if board.side_to_move() == Color::White {
        key ^= Zobrist64::zobrist_for_white_turn();
    }
    key.0
}

/// Whether a pawn of the side to move stands beside the pawn that just made a double step on `file`.
fn a_pawn_attacks_en_passant(board: &Board, file: File) -> bool {
    let us = board.side_to_move();
    let beside = file.adjacent() & Rank::Fifth.relative_to(us).bitboard();
    !(beside & board.colored_pieces(us, Piece::Pawn)).is_empty()
}

fn to_color(color: Color) -> shakmaty::Color {
    match color {
        Color::White => shakmaty::Color::White,
        Color::Black => shakmaty::Color::Black,
    }
}

fn to_role(piece: Piece) -> shakmaty::Role {
    match piece {
        Piece::Pawn => shakmaty::Role::Pawn,
        Piece::Knight => shakmaty::Role::Knight,
        Piece::Bishop => shakmaty::Role::Bishop,
        Piece::Rook => shakmaty::Role::Rook,
        Piece::Queen => shakmaty::Role::Queen,
        Piece::King => shakmaty::Role::King,
    }
}

/// Decodes a move of the file (3 bits each, from the lowest: to file, to rank, from file, from rank, promotion);
/// `None` if it is no legal move here.
fn legal_move(board: &Board, raw: u16) -> Option<Move> {
    let from = Square::try_index(usize::from((raw >> 6) & 0x3f))?;
    let to = Square::try_index(usize::from(raw & 0x3f))?;
    let promotion = match (raw >> 12) & 7 {
        0 => None,
        1 => Some(Piece::Knight),
        2 => Some(Piece::Bishop),
        3 => Some(Piece::Rook),
        4 => Some(Piece::Queen),
        _ => return None,
    };
    let mv = Move { from, to, promotion };
    if board.is_legal(mv) { Some(mv) } else { castling_by_king_target(board, mv) }
}

/// Reads a move such as e1g1, which names where the king lands, as castling; `None` if it isn't, or isn't legal.
fn castling_by_king_target(board: &Board, mv: Move) -> Option<Move> {
    let us = board.side_to_move();
    let back_rank = Rank::First.relative_to(us);
    let rights = board.castle_rights(us);
    if mv.from != board.king(us) || mv.to.rank() != back_rank {
        return None;
    }
    let rook_file = match mv.to.file() {
        File::G => rights.short?,
        File::C => rights.long?,
        _ => return None,
    };
    let castling = Move { to: Square::new(rook_file, back_rank), ..mv };
    board.is_legal(castling).then_some(castling)
}

/// Why a book can't be used.
#[derive(Debug)]
pub enum BookError {
    /// The file does not exist or can't be read.
    Unreadable(ReadError),
    /// The file has no bytes.
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file's size is not a multiple of the entry size.
    PartialEntry {
        /// The file.
        path: PathBuf,
        /// Its size.
        size_bytes: usize,
    },
    /// The keys are not in ascending order, so they can't be searched.
    Unsorted {
        /// The file.
        path: PathBuf,
        /// The index of the first entry, from 0, whose key is smaller than the one before.
        entry: usize,
    },
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookError::Unreadable(error) => write!(f, "{error}; give the path of a Polyglot .bin file"),
            BookError::Empty { path } => {
                write!(f, "the book {} is empty; give the path of a Polyglot .bin file", path.display())
            }
            BookError::PartialEntry { path, size_bytes } => write!(
                f,
                "the book {} has {size_bytes} bytes, not a multiple of {ENTRY_BYTES}: it is cut off or not a Polyglot \
                 book; copy it again or give another .bin file",
                path.display()
            ),
            BookError::Unsorted { path, entry } => write!(
                f,
                "the book {} is not sorted (entry {entry} has a smaller key than the one before): it is damaged or \
                 not a Polyglot book; make it again or give another .bin file",
                path.display()
            ),
        }
    }
}

impl Error for BookError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            BookError::Unreadable(source) => Some(source),
            _ => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CASTLING_FEN: &str = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";

    fn board(fen: &str) -> Board {
        fen.parse().unwrap()
    }

    fn mv(text: &str) -> Move {
        text.parse().unwrap()
    }

    fn after(moves: &[&str]) -> Board {
        let mut board = Board::default();
        moves.iter().for_each(|text| board.play(mv(text)));
        board
    }

    /// A move as the file holds it; the text may be any from-to pair.
    fn raw(text: &str) -> u16 {
        let mv = mv(text);
        let promotion = mv.promotion.map_or(0, |piece| piece as u16);
        (promotion << 12) | ((mv.from as u16) << 6) | mv.to as u16
    }

    fn entry_bytes(key: u64, raw_move: u16, weight: u16) -> Vec<u8> {
        [&key.to_be_bytes()[..], &raw_move.to_be_bytes(), &weight.to_be_bytes(), &[0xab; 4]].concat()
    }

    fn parse(bytes: &[u8]) -> Result<Book, BookError> {
        Book::parse(bytes, Path::new("test.bin"))
    }

    fn book_for(board: &Board, moves: &[(&str, u16)]) -> Book {
        let key = polyglot_key(board);
        parse(&moves.iter().flat_map(|&(text, weight)| entry_bytes(key, raw(text), weight)).collect::<Vec<_>>())
            .unwrap()
    }

    fn listed(book: &Book, board: &Board) -> Vec<(String, u16)> {
        book.moves(board).iter().map(|known| (known.mv.to_string(), known.weight)).collect()
    }

    #[test]
    fn published_keys() {
        // The test positions of the format's description, and one where no pawn can capture en passant.
        let cases: [(&[&str], u64); 9] = [
            (&[], 0x463b_9618_1691_fc9c),
            (&["e2e4"], 0x823c_9b50_fd11_4196),
            (&["e2e4", "d7d5"], 0x0756_b944_61c5_0fb0),
            (&["e2e4", "d7d5", "e4e5"], 0x662f_afb9_65db_29d4),
            (&["e2e4", "d7d5", "e4e5", "f7f5"], 0x22a4_8b5a_8e47_ff78),
            (&["e2e4", "d7d5", "e4e5", "f7f5", "e1e2"], 0x652a_607c_a3f2_42c1),
            (&["e2e4", "d7d5", "e4e5", "f7f5", "e1e2", "e8f7"], 0x00fd_d303_c946_bdd9),
            (&["a2a4", "b7b5", "h2h4", "b5b4", "c2c4"], 0x3c81_23ea_7b06_7637),
            (&["a2a4", "b7b5", "h2h4", "b5b4", "c2c4", "b4c3", "a1a3"], 0x5c3f_9b82_9b27_9560),
        ];
        for (moves, key) in cases {
            assert_eq!(polyglot_key(&after(moves)), key, "{moves:?}");
        }
    }

    #[test]
    fn en_passant_counts_even_when_the_pawn_is_pinned() {
        let pinned = board("4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
        let without = board("4r1k1/8/8/3pP3/8/8/8/4K3 w - - 0 1");
        assert!(!pinned.is_legal(mv("e5d6")), "the test wants an illegal capture");
        assert_ne!(polyglot_key(&pinned), polyglot_key(&without));
        // A pawn on the far file of the neighbouring rank is not beside the h pawn.
        let wrapped = board("6k1/8/P7/7p/8/8/8/4K3 w - h6 0 1");
        let plain = board("6k1/8/P7/7p/8/8/8/4K3 w - - 0 1");
        assert_eq!(polyglot_key(&wrapped), polyglot_key(&plain));
    }

    #[test]
    fn moves_are_legal_and_sorted_by_weight() {
        let start = Board::default();
        let book = book_for(&start, &[("d2d4", 3), ("e2e4", 7), ("e2e5", 9), ("c2c4", 0), ("d2d4", 2)]);
        assert_eq!(book.entry_count(), 5);
        assert_eq!(listed(&book, &start), [("e2e4".into(), 7), ("d2d4".into(), 5), ("c2c4".into(), 0)]);
        assert_eq!(book.moves(&after(&["e2e4"])), []);
    }

    #[test]
    fn a_position_between_others_is_found() {
        let boards = [after(&[]), after(&["e2e4"]), after(&["e2e4", "d7d5"])];
        let replies = ["g1f3", "c7c5", "e4d5"];
        let mut entries: Vec<_> =
            boards.iter().zip(replies).map(|(board, reply)| (polyglot_key(board), raw(reply))).collect();
        entries.sort();
        let bytes: Vec<u8> = entries.iter().flat_map(|&(key, raw)| entry_bytes(key, raw, 1)).collect();
        let book = parse(&bytes).unwrap();
        for (board, reply) in boards.iter().zip(replies) {
            assert_eq!(book.pick(board, 5), Some(mv(reply)));
        }
        assert_eq!(book.pick(&after(&["a2a3"]), 5), None);
    }

    #[test]
    fn both_ways_to_write_castling() {
        let white = board(CASTLING_FEN);
        let book = book_for(&white, &[("e1g1", 4), ("e1h1", 3), ("e1c1", 2)]);
        assert_eq!(listed(&book, &white), [("e1h1".into(), 7), ("e1a1".into(), 2)]);
        let black = board(&CASTLING_FEN.replace(" w ", " b "));
        let book = book_for(&black, &[("e8c8", 4), ("e8h8", 3)]);
        assert_eq!(listed(&book, &black), [("e8a8".into(), 4), ("e8h8".into(), 3)]);
        let no_rights = board(&CASTLING_FEN.replace("KQkq", "-"));
        assert_eq!(book_for(&no_rights, &[("e1g1", 1), ("e1h1", 1)]).moves(&no_rights), []);
        let rook_move = board("7k/8/8/8/8/8/8/K3R3 w - - 0 1");
        assert_eq!(listed(&book_for(&rook_move, &[("e1g1", 1)]), &rook_move), [("e1g1".into(), 1)]);
    }

    #[test]
    fn promotions() {
        let board = board("8/P6k/8/8/8/8/8/K7 w - - 0 1");
        let book = book_for(&board, &[("a7a8q", 4), ("a7a8r", 3), ("a7a8b", 2), ("a7a8n", 1), ("a7a8", 9)]);
        let moves: Vec<String> = book.moves(&board).iter().map(|known| known.mv.to_string()).collect();
        assert_eq!(moves, ["a7a8q", "a7a8r", "a7a8b", "a7a8n"]);
    }

    #[test]
    fn picks_follow_the_weights() {
        let start = Board::default();
        let book = book_for(&start, &[("d2d4", 1), ("e2e4", 3), ("c2c4", 0)]);
        let picks: Vec<String> = (0..4).map(|random| book.pick(&start, random).unwrap().to_string()).collect();
        assert_eq!(picks, ["e2e4", "e2e4", "e2e4", "d2d4"]);
        assert!(book.pick(&start, u64::MAX).is_some());
        let zeros = book_for(&start, &[("d2d4", 0), ("e2e4", 0)]);
        assert_eq!(zeros.pick(&start, 0), Some(mv("d2d4")));
        assert_eq!(zeros.pick(&start, 3), Some(mv("e2e4")));
    }

    #[test]
    fn bad_files_are_one_line_errors_that_name_the_file() {
        let descending = [entry_bytes(1, 0, 0), entry_bytes(2, 0, 0), entry_bytes(1, 0, 0)].concat();
        let errors = [
            (Book::open("/nonexistent/book.bin").unwrap_err(), "/nonexistent/book.bin"),
            (parse(&[]).unwrap_err(), "empty"),
            (parse(&[7; 17]).unwrap_err(), "17 bytes"),
            (parse(&descending).unwrap_err(), "entry 2"),
        ];
        for (error, expected) in errors {
            let text = error.to_string();
            assert!(text.contains(expected), "{text}");
            assert!(text.contains(".bin") && !text.contains('\n') && !text.contains("  "), "{text}");
        }
    }

    #[test]
    fn opens_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.bin");
        let start = Board::default();
        std::fs::write(&path, entry_bytes(polyglot_key(&start), raw("g1f3"), 1)).unwrap();
        let book = Book::open(&path);
        assert_eq!(book.unwrap().pick(&start, 77), Some(mv("g1f3")));
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_error_or_a_book(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            if let Ok(book) = parse(&bytes) {
                prop_assert_eq!(book.entry_count() * ENTRY_BYTES, bytes.len());
                prop_assert_eq!(book.pick(&Board::default(), 1), None);
            }
        }

        #[test]
        fn whatever_the_entries_say_the_moves_are_legal(
            entries in prop::collection::vec(any::<(u16, u16)>(), 1..200),
            walk in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
            castling in any::<bool>(),
            random in any::<u64>(),
        ) {
            let mut board = if castling { board(CASTLING_FEN) } else { Board::default() };
            for step in walk {
                let mut legal = Vec::new();
                board.generate_moves(|moves| { legal.extend(moves); false });
                if legal.is_empty() { break }
                board.play(*step.get(&legal));
            }
            let key = polyglot_key(&board);
            let bytes: Vec<u8> = entries.iter().flat_map(|&(raw, weight)| entry_bytes(key, raw, weight)).collect();
            let book = parse(&bytes).unwrap();
            let moves = book.moves(&board);
            prop_assert!(moves.iter().all(|known| board.is_legal(known.mv)));
            prop_assert!(moves.is_sorted_by(|a, b| a.weight >= b.weight));
            prop_assert_eq!(book.pick(&board, random).is_some(), !moves.is_empty());
        }
    }
}
