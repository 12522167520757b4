//! Answers of the opening book and of the endgame tables.

use chess::{Notation, Position, san};
use engine::EngineCore;
use engine::book::Book;
use engine::tablebase::{TableValue, Tablebases};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// An opening book and endgame tables, each if there is one. All engines of the server share them.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    book: Option<Arc<Book>>,
    tables: Option<Arc<Tablebases>>,
}

/// A move of the book.
#[derive(Debug, Serialize)]
pub(crate) struct FromBook {
    #[serde(rename = "move")]
    mv: String,
    san: String,
    /// How often the book plays it, in percent; 0 if it is known but not played.
    percent: f64,
}

/// A move with its exact value for the side that makes it.
#[derive(Debug, Serialize)]
pub(crate) struct FromTables {
    #[serde(rename = "move")]
    mv: String,
    san: String,
    value: &'static str,
    /// Half-moves to the next capture, pawn move or mate, this move included; negative for the side that loses.
    dtz: i32,
}

/// What the endgame tables say about a position.
#[derive(Debug, Serialize)]
pub(crate) struct Verdict {
    /// The exact value for the side to move.
    value: &'static str,
    /// As that of the best move; none where the distances are not in the tables.
    dtz: Option<i32>,
    /// All legal moves, best first; none where the distances are not in the tables.
    moves: Vec<FromTables>,
}

/// What book and tables say about a position.
#[derive(Debug, Serialize)]
pub(crate) struct Found {
    book: Vec<FromBook>,
    tables: Option<Verdict>,
}

impl Lookup {
    /// Reads a Polyglot book and finds the Syzygy tables in a list of folders.
    ///
    /// # Errors
    /// If the book or the tables can't be used: one line for the user.
    pub fn open(book: Option<&Path>, syzygy: Option<&str>) -> Result<Lookup, String> {
        let book = book.map(Book::open).transpose().map_err(|error| error.to_string())?;
        let tables = syzygy.map(Tablebases::open).transpose().map_err(|error| error.to_string())?;
        Ok(Lookup { book: book.map(Arc::new), tables: tables.map(Arc::new) })
    }

    /// Gives book and tables to an engine.
    pub(crate) fn equip(&self, core: &mut EngineCore) {
        core.use_book(self.book.clone());
        core.use_tablebases(self.tables.clone());
    }

    pub(crate) fn has_book(&self) -> bool {
        self.book.is_some()
    }

    /// The number of pieces of the largest table, kings included; 0 without tables.
    pub(crate) fn largest_table(&self) -> usize {
        self.tables.as_ref().map_or(0, |tables| tables.largest())
    }

    /// What is known about a position.
    pub(crate) fn find(&self, position: &Position, notation: Notation) -> Found {
        Found { book: self.book_moves(position, notation), tables: self.verdict(position, notation) }
    }

    fn book_moves(&self, position: &Position, notation: Notation) -> Vec<FromBook> {
        let moves = self.book.as_ref().map_or(Vec::new(), |book| book.moves(position.board()));
        let total: u32 = moves.iter().map(|known| u32::from(known.weight)).sum();
        let share = |weight: u16| match total {
            // Without weights all are played equally often.
            0 => 100.0 / moves.len() as f64,
            total => 100.0 * f64::from(weight) / f64::from(total),
        };
        let shown = |known: &engine::book::BookMove| FromBook {
            mv: notation.show(position, known.mv.into()),
            san: san(position, known.mv.into()),
            percent: (share(known.weight) * 10.0).round() / 10.0,
        };
        moves.iter().map(shown).collect()
    }

    fn verdict(&self, position: &Position, notation: Notation) -> Option<Verdict> {
        let tables = self.tables.as_ref()?;
        let Some(ranked) = tables.root_moves(position.board()) else {
            return Some(Verdict { value: name(tables.wdl(position.board())?), dtz: None, moves: Vec::new() });
        };
        let shown = |known: &engine::tablebase::TableMove| FromTables {
            mv: notation.show(position, known.mv.into()),
            san: san(position, known.mv.into()),
            value: name(known.wdl),
            dtz: known.dtz,
        };
        let best = ranked.first()?;
        Some(Verdict { value: name(best.wdl), dtz: Some(best.dtz), moves: ranked.iter().map(shown).collect() })
    }
}

/// A value as the page reads it.
fn name(value: TableValue) -> &'static str {
    match value {
        TableValue::Win => "win",
        TableValue::CursedWin => "cursed_win",
        TableValue::Draw => "draw",
        TableValue::BlessedLoss => "blessed_loss",
        TableValue::Loss => "loss",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::book::polyglot_key;

    /// A book for the usual start: each move as its two squares (a1 is 0, h8 is 63) with a weight.
    fn book(moves: &[(u16, u16, u16)]) -> Lookup {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.bin");
        let key = polyglot_key(Position::default().board()).to_be_bytes();
        let entry = |&(from, to, weight): &(u16, u16, u16)| {
            [&key[..], &(from << 6 | to).to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
        };
        std::fs::write(&path, moves.iter().flat_map(entry).collect::<Vec<u8>>()).unwrap();
        Lookup::open(Some(&path), None).unwrap()
    }

    fn shares(lookup: &Lookup) -> Vec<(String, f64)> {
        let found = lookup.find(&Position::default(), Notation::Standard);
        assert!(found.tables.is_none());
        found.book.into_iter().map(|known| (known.san, known.percent)).collect()
    }

    #[test]
    fn the_moves_of_a_book_have_their_share() {
        let weighted = book(&[(12, 28, 2), (11, 27, 1), (6, 21, 0)]);
        assert_eq!(shares(&weighted), [("e4".to_string(), 66.7), ("d4".into(), 33.3), ("Nf3".into(), 0.0)]);
        assert_eq!(shares(&book(&[(12, 28, 0), (11, 27, 0)])), [("e4".to_string(), 50.0), ("d4".into(), 50.0)]);
        assert_eq!(shares(&Lookup::default()), []);
    }

    #[test]
    fn a_wrong_path_is_told_in_one_line() {
        let missing = Path::new("/nonexistent/book.bin");
        for error in [
            Lookup::open(Some(missing), None).unwrap_err(),
            Lookup::open(None, Some("/nonexistent/tables")).unwrap_err(),
        ] {
            assert!(error.contains("/nonexistent/") && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    #[ignore = "needs JAMBOREE_SYZYGY"]
    fn tables_value_the_position_and_each_move() {
        let folder = std::env::var("JAMBOREE_SYZYGY").unwrap();
        let lookup = Lookup::open(None, Some(&folder)).unwrap();
        let verdict = |fen: &str| lookup.find(&fen.parse().unwrap(), Notation::Standard).tables;
        let mate = verdict("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1").unwrap();
        assert_eq!((mate.value, mate.dtz, mate.moves[0].san.as_str()), ("win", Some(1), "Qg7#"));
        assert!(mate.moves.iter().any(|known| (known.san.as_str(), known.value) == ("Qg6", "draw")));
        let lost = verdict("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1").unwrap();
        assert_eq!((lost.value, lost.moves.len()), ("loss", 1));
        assert!(lost.dtz.is_some_and(|dtz| dtz < 0), "{lost:?}");
        assert!(verdict(&Position::default().to_string()).is_none());
    }
}
