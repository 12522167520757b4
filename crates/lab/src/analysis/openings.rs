//! The names of openings, by the position they lead to: a game that comes there by other moves has the same opening.

use super::pgn_game::PgnGame;
use chess::{Position, parse_san};
use game::Game;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Lines of code, name and moves; `data/openings.tsv` says where they come from.
const DATA: &str = include_str!("../../data/openings.tsv");

/// An opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Opening {
    /// Its code in the Encyclopaedia of Chess Openings.
    pub eco: &'static str,
    /// Its name.
    pub name: &'static str,
}

static OPENINGS: LazyLock<HashMap<u64, Opening>> = LazyLock::new(|| {
    let lines = DATA.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(read).map(|(opening, position)| (position.key(), opening)).collect()
});

impl Opening {
    /// The opening of a game: that of the last position with a name. None for a game that begins elsewhere.
    pub fn of(game: &PgnGame) -> Option<Opening> {
        if game.start != Position::default() {
            return None;
        }
        game.positions().iter().rev().find_map(|position| OPENINGS.get(&position.key()).copied())
    }
}

/// The opening of a line, and the position after its moves.
fn read(line: &'static str) -> Option<(Opening, Position)> {
    let mut fields = line.split('\t');
    let opening = Opening { eco: fields.next()?, name: fields.next()? };
    let mut position = Position::default();
    for word in fields.next()?.split(' ') {
        position = position.play(parse_san(&position, word).ok()?);
    }
    Some((opening, position))
}

#[cfg(test)]
mod tests {
    use super::super::reader::tests::read_text;
    use super::*;

    #[test]
    fn every_line_is_an_opening_of_its_own() {
        let lines: Vec<_> = DATA.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.len() >= 300, "{}", lines.len());
        let mut seen: HashMap<u64, &str> = HashMap::new();
        for line in lines {
            let (opening, position) = read(line).unwrap_or_else(|| panic!("not an opening: {line}"));
            let code = opening.eco.as_bytes();
            assert!(matches!(code, [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']), "{line}");
            assert!(!opening.name.is_empty() && line.split('\t').count() == 3, "{line}");
            if let Some(other) = seen.insert(position.key(), line) {
                panic!("the same position twice: {other} and {line}");
            }
        }
    }

    fn named(text: &str) -> Option<(&'static str, &'static str)> {
        Opening::of(&read_text(text).0[0]).map(|opening| (opening.eco, opening.name))
    }

    #[test]
    fn the_last_known_position_counts() {
        assert_eq!(named("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 h5 *"), named("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 *"));
        assert_eq!(named("1. e4 c5 *"), Some(("B20", "Sicilian Defence")));
        assert_eq!(named("[White \"a\"]\n\n*"), None);
    }

    #[test]
    fn another_order_of_moves_is_the_same_opening() {
        assert_eq!(named("1. c4 e6 2. Nc3 d5 3. d4 Nf6 *"), named("1. d4 d5 2. c4 e6 3. Nc3 Nf6 *"));
        assert!(named("1. c4 e6 2. Nc3 d5 3. d4 Nf6 *").is_some_and(|(code, _)| code == "D35"));
    }

    #[test]
    fn a_game_from_elsewhere_has_none() {
        assert_eq!(named("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *"), None);
    }
}
