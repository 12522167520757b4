//! Positions as they are given on the command line and in files.

use crate::Failure;
use chess::{FenError, Notation, Position, parse_san};
use game::Game;
use shakmaty::fen::Fen;
use shakmaty::{Color, Setup};

/// A position and how it came about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Start {
    /// The position.
    pub(crate) position: Position,
    /// Keys of the positions before it, oldest first.
    pub(crate) history: Vec<u64>,
}

/// Reads `FEN`, `startpos`, and either of them followed by `moves` and moves (SAN or UCI). What UCI puts before a
/// position (`position fen`) is passed over.
///
/// # Errors
/// If the position or a move makes no sense.
pub(crate) fn read(text: &str) -> Result<Start, Failure> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let moves = words.iter().position(|&word| word == "moves").map(|at| words.split_off(at)).unwrap_or_default();
    let leading = words.iter().take_while(|word| ["position", "fen"].contains(word)).count();
    let position = match &words[leading..] {
        ["startpos"] => Position::default(),
        fields => read_fen(&fields.join(" "))?,
    };
    let mut start = Start { position, history: Vec::new() };
    for word in moves.iter().skip(1) {
        // Pasted moves often have their numbers with them.
        let bare = word.trim_start_matches(|symbol: char| symbol.is_ascii_digit()).trim_start_matches('.');
        let word = if word.contains('.') { bare } else { word };
        if word.is_empty() {
            continue;
        }
        let mv = parse_san(&start.position, word)?;
        start.history.push(start.position.key());
        start.position = start.position.play(mv);
    }
    Ok(start)
}

/// Reads a FEN in any of its dialects. In X-FEN, which most programs write for Chess960, `KQkq` stand for the outermost
/// rooks wherever they are.
///
/// # Errors
/// If it is no FEN, or no legal position.
pub(crate) fn read_fen(text: &str) -> Result<Position, FenError> {
    let tidy = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match name_rooks(&tidy).and_then(|named| named.parse().ok()) {
        Some(position) => Ok(position),
        None => tidy.parse(),
    }
}

/// The FEN with castling rights named by the files of the rooks; none if there is nothing to name.
fn name_rooks(fen: &str) -> Option<String> {
    let setup: Setup = Fen::from_ascii(fen.as_bytes()).ok()?.into_setup();
    let mut letters = String::new();
    for color in Color::ALL {
        let home = color.backrank();
        let rooks = setup.board.rooks() & setup.board.by_color(color) & setup.castling_rights & home;
        if setup.board.king_of(color).is_some_and(|king| king.rank() == home) {
            letters.extend(rooks.into_iter().map(|rook| color.fold_wb(rook.file().upper_char(), rook.file().char())));
        }
    }
    if letters.is_empty() {
        return None;
    }
    let mut fields: Vec<&str> = fen.split(' ').collect();
    *fields.get_mut(2)? = &letters;
    Some(fields.join(" "))
}

/// Is castling possible here that ordinary chess does not know?
fn is_chess960(position: &Position) -> bool {
    let board = position.board();
    let us = board.side_to_move();
    [us, !us].into_iter().any(|color| {
        let rights = board.castle_rights(color);
        let some = rights.short.is_some() || rights.long.is_some();
        let king = board.king(color).file() as usize;
        let elsewhere = |rook: Option<usize>, usual| rook.is_some_and(|file| file != usual);
        let rooks =
            elsewhere(rights.short.map(|file| file as usize), 7) || elsewhere(rights.long.map(|file| file as usize), 0);
        some && (king != 4 || rooks)
    })
}

/// How castling is written in this position.
pub(crate) fn notation(position: &Position) -> Notation {
    if is_chess960(position) { Notation::Chess960 } else { Notation::Standard }
}

/// The position as FEN; Shredder-FEN where ordinary FEN would lose the castling rights.
pub(crate) fn show(position: &Position) -> String {
    match notation(position) {
        Notation::Standard => format!("{}", position.board()),
        Notation::Chess960 => format!("{:#}", position.board()),
    }
}

/// Is White to move?
pub(crate) fn white_to_move(position: &Position) -> bool {
    // White is the first of the two colours.
    position.board().side_to_move() as usize == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_give_a_position_is_read() {
        let after = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        for text in [
            "startpos moves e4 e5",
            "position startpos moves e2e4 e7e5",
            "startpos moves 1.e4 e5",
            "startpos moves 1. e4 e5",
            "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e4 e5",
            after,
        ] {
            assert_eq!(read(text).unwrap().position.key(), after.parse::<Position>().unwrap().key(), "{text}");
        }
        assert_eq!(read("startpos moves Nf3 Nf6 Ng1 Ng8").unwrap().history.len(), 4);
    }

    #[test]
    fn nonsense_is_refused_in_one_line() {
        for text in ["", "hello", "startpos moves e5", "startpos e4", "moves e4", "8/8/8/8/8/8/8/8 w - - 0 1"] {
            let message = read(text).unwrap_err().to_string();
            assert!(!message.contains('\n') && !message.is_empty(), "{message}");
        }
    }

    #[test]
    fn castling_of_chess960_survives() {
        for fen in [
            "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w KQkq - 0 1",
            "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w FDfd - 0 1",
        ] {
            let position = read_fen(fen).unwrap();
            assert_eq!(show(&position), "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w FDfd - 0 1");
            assert_eq!(notation(&position), Notation::Chess960);
        }
    }

    #[test]
    fn ordinary_chess_stays_ordinary() {
        for fen in ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "4k2r/8/8/8/8/8/8/R3K3 b Qk - 3 9"] {
            let position = read_fen(fen).unwrap();
            assert_eq!((show(&position).as_str(), notation(&position)), (fen, Notation::Standard));
        }
        // Rights that nobody can have are dropped, the others stay.
        assert_eq!(show(&read_fen("r3k2r/8/8/8/4K3/8/8/8 w KQkq - 0 1").unwrap()), "r3k2r/8/8/8/4K3/8/8/8 w kq - 0 1");
    }
}
