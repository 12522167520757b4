//! Reads openings from a file of positions or games.

use super::openings::{Opening, from_epd};
use crate::analysis::pgn_game::PgnGame;
use crate::analysis::reader;
use jamboree_io::read_input;
use std::path::Path;

/// The largest file of openings, in bytes.
const LARGEST: u64 = 1 << 30;

/// The openings of a file: the first `plies` moves of the games of a PGN file, or the positions of an EPD or FEN file,
/// one a line. What can't be used is reported through `warn`.
///
/// # Errors
/// If the file can't be read, or has nothing to play from.
pub fn read_openings(path: &Path, plies: usize, warn: &mut dyn FnMut(String)) -> Result<Vec<Opening>, String> {
    let name = path.display();
    let bytes = read_input(path, LARGEST)
        .map_err(|error| format!("{error}; give an EPD, FEN or PGN file of openings, or leave --openings out"))?;
    let openings = if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn")) {
        let first = |game: PgnGame| Opening {
            start: game.start,
            moves: game.moves.iter().take(plies).map(|played| played.mv).collect(),
        };
        reader::read(&bytes, warn).into_iter().map(first).collect()
    } else {
        from_epd(&String::from_utf8_lossy(&bytes), warn)
    };
    if openings.is_empty() {
        return Err(format!("'{name}' has no opening: give an EPD or FEN file with a position a line, or a PGN file"));
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(name: &str, text: &str) -> Result<Vec<Opening>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_openings(&path, 3, &mut |_| {})
    }

    #[test]
    fn games_and_positions_are_read() {
        let games = read_text("o.pgn", "1. e4 e5 2. Nf3 Nc6 *\n\n[Event \"x\"]\n\n1. d4 *\n").unwrap();
        assert_eq!(games.iter().map(|opening| opening.moves.len()).collect::<Vec<_>>(), [3, 1]);
        let positions = read_text("o.epd", "4k3/8/8/8/8/8/8/4KR2 w - -\n").unwrap();
        assert_eq!(positions[0].start.to_string(), "4k3/8/8/8/8/8/8/4KR2 w - - 0 1");
    }

    #[test]
    fn a_file_without_openings_is_told() {
        assert!(read_text("empty.epd", "").is_err_and(|message| message.contains("has no opening")));
        assert!(read_text("empty.pgn", "hello").is_err_and(|message| message.contains("has no opening")));
        assert!(
            read_openings(Path::new("/no/such.epd"), 1, &mut |_| {})
                .is_err_and(|message| message.contains("cannot read"))
        );
    }
}
