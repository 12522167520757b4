//! Games as text.

use crate::message::ReadGame;
use crate::position::{Game, Line, is_chess960};
use crate::progress::written;
use chess::{Notation, Position};
use lab::analysis::pgn_game::{PgnGame, PgnMove, RESULTS};
use lab::analysis::{annotate, reader};
use std::collections::BTreeMap;

/// The first game of a text.
///
/// # Errors
/// If it has none: one line for the user.
pub(crate) fn read(text: &str) -> Result<ReadGame, String> {
    let mut warnings = Vec::new();
    let games = reader::read(text.as_bytes(), &mut |warning| warnings.push(warning));
    let Some(game) = games.first() else {
        return Err(warnings.pop().unwrap_or_else(|| "the text holds no game: paste a PGN with moves".into()));
    };
    // From the usual start nothing but the tag tells the variant.
    let chess960 = is_chess960(&game.start) || game.tag("Variant").is_some_and(names_chess960);
    let notation = if chess960 { Notation::Chess960 } else { Notation::Standard };
    let line: Vec<_> = game.moves.iter().map(|played| played.mv).collect();
    let (moves, san) = written(&game.start, &line, notation);
    let start = (game.start != Position::default()).then(|| game.start.to_string());
    let tags: BTreeMap<String, String> = game.tags.iter().cloned().collect();
    Ok(ReadGame { start, chess960, moves, san, tags, games: games.len() })
}

/// Does the value of the tag `Variant` mean Chess960?
fn names_chess960(variant: &str) -> bool {
    let plain: String = variant.chars().filter(char::is_ascii_alphanumeric).collect();
    ["chess960", "fischerandom", "fischerrandom"].contains(&plain.to_ascii_lowercase().as_str())
}

/// A game as text.
///
/// # Errors
/// If the game can't be read: one line for the user.
pub(crate) fn write(game: &Game, tags: &BTreeMap<String, String>) -> Result<String, String> {
    let line = Line::of(game)?;
    let told = tags.get("Result").and_then(|told| RESULTS.into_iter().find(|known| known == told));
    let outcome = line.over().map(|over| over.result).or(told);
    let one_line =
        |text: &String| text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect::<String>();
    let is_name = |name: &str| !name.is_empty() && name.len() <= 40 && name.chars().all(|c| c.is_ascii_alphanumeric());
    let mut tags: Vec<(String, String)> = tags
        .iter()
        .filter(|(name, _)| is_name(name) && !["Result", "FEN", "SetUp", "Variant"].contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), one_line(value)))
        .collect();
    let start = line.positions[0].clone();
    let is_chess960 = line.notation == Notation::Chess960;
    let mut tag = |name: &str, value: &str| tags.push((name.to_string(), value.to_string()));
    if is_chess960 {
        tag("Variant", "Chess960");
    }
    if is_chess960 || start != Position::default() {
        tag("SetUp", "1");
        tag("FEN", &start.to_string());
    }
    let moves = line.moves.iter().map(|&mv| PgnMove::new(mv)).collect();
    let game = PgnGame { tags, start, moves, outcome, ..PgnGame::default() };
    Ok(annotate::write(&game, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1"].map(str::to_string).to_vec();
        let tags = BTreeMap::from([("White".to_string(), "A \"B\"\nC".to_string()), ("bad name".into(), "x".into())]);
        let text = write(&Game { start: None, moves: moves.clone(), chess960: false }, &tags).unwrap();
        let game = read(&text).unwrap();
        assert_eq!((game.moves, game.start, game.games), (moves, None, 1));
        assert_eq!(game.tags["White"], "A \"B\" C");
        assert!(!game.tags.contains_key("bad name"));
    }

    /// A position of Chess960, and the usual start, which is one of them too.
    #[test]
    fn games_of_chess960_are_written_and_read() {
        let shuffled = "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w KQkq - 0 1";
        for (start, moves) in [
            (Some(shuffled), vec!["g1f3", "g8f6", "e1f1"]),
            (None, vec!["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1h1"]),
        ] {
            let moves: Vec<String> = moves.into_iter().map(str::to_string).collect();
            let game = Game { start: start.map(str::to_string), moves: moves.clone(), chess960: true };
            let lies = BTreeMap::from([("Variant".to_string(), "Atomic".to_string())]);
            let text = write(&game, &lies).unwrap();
            let fen = Line::of(&game).unwrap().positions[0].to_string();
            for tag in ["[Variant \"Chess960\"]", "[SetUp \"1\"]", &format!("[FEN \"{fen}\"]")] {
                assert!(text.contains(tag), "{text}");
            }
            let game = read(&text).unwrap();
            assert_eq!((game.chess960, game.moves, game.start.is_some()), (true, moves, start.is_some()), "{text}");
        }
        assert!(!read("1. e4 e5 *").unwrap().chess960);
    }

    #[test]
    fn a_text_without_a_game_is_refused() {
        assert!(read("").is_err() && read("no game here 12").is_err());
    }
}
