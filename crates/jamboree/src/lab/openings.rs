//! Openings from a file of positions or games.

use crate::analyze::reader;
use lab::arena::{Opening, openings};
use std::path::Path;

/// The openings of a file: the first `plies` moves of the games of a PGN file, or the positions of an EPD or FEN file,
/// one a line. What can't be used is told on standard error.
///
/// # Errors
/// If the file can't be read, or has nothing to play from.
pub(super) fn read(path: &Path, plies: usize) -> Result<Vec<Opening>, String> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|error| {
        format!("cannot read the openings '{name}': {error}; give an EPD, FEN or PGN file, or leave --openings out")
    })?;
    let mut warn = |warning: String| eprintln!("{name}: {warning}");
    let openings = if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn")) {
        let first = |game: reader::Record| Opening {
            start: game.start,
            moves: game.moves.iter().take(plies).map(|played| played.mv).collect(),
        };
        reader::read(&bytes, &mut warn).into_iter().map(first).collect()
    } else {
        openings::from_epd(&String::from_utf8_lossy(&bytes), &mut warn)
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
        let path = std::env::temp_dir().join(format!("jamboree-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let openings = read(&path, 3);
        std::fs::remove_file(&path).unwrap();
        openings
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
        assert!(read(Path::new("/no/such.epd"), 1).is_err_and(|message| message.contains("cannot read")));
    }
}
