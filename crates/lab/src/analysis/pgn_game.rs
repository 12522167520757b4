//! A game of a PGN file.

use chess::{Move, Position};
use game::Game;

/// The main line of a game and everything that stands with it.
#[derive(Clone, Debug, Default)]
pub struct PgnGame {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Tag pairs in the order of the file.
    pub tags: Vec<(String, String)>,
    /// Where it starts.
    pub start: Position,
    /// Comments before the first move.
    pub comments: Vec<String>,
    /// The moves.
    pub moves: Vec<PgnMove>,
    /// The termination in the movetext.
    pub outcome: Option<&'static str>,
    /// Why the moves end sooner than in the file.
    pub cut: Option<String>,
}

/// A move that was played.
#[derive(Clone, Debug)]
pub struct PgnMove {
    /// The move.
    pub mv: Move,
    /// Numeric annotation glyphs.
    pub nags: Vec<u8>,
    /// Comments after it.
    pub comments: Vec<String>,
    /// The variations after it, and the comments behind them, in the order of the file.
    pub variations: Vec<Token>,
}

/// A piece of a variation as it stands in the file. Its moves are not checked, so that nothing of it is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A variation begins: other moves in place of the one before.
    Open,
    /// The variation ends.
    Close,
    /// A move in algebraic notation.
    Move(String),
    /// A numeric annotation glyph.
    Nag(u8),
    /// A comment.
    Comment(String),
}

impl PgnMove {
    /// A move without annotations.
    pub fn new(mv: Move) -> PgnMove {
        PgnMove { mv, nags: Vec::new(), comments: Vec::new(), variations: Vec::new() }
    }
}

impl PgnGame {
    /// The value of a tag; the first if there are several.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// What to call the game in a message.
    pub fn name(&self) -> String {
        match (self.tag("White"), self.tag("Black")) {
            (Some(white), Some(black)) => format!("game {} ({white} - {black})", self.number),
            _ => format!("game {}", self.number),
        }
    }

    /// Every position of the main line, the last included.
    pub fn positions(&self) -> Vec<Position> {
        let mut positions = vec![self.start.clone()];
        let mut position = self.start.clone();
        for played in &self.moves {
            position = position.play(played.mv);
            positions.push(position.clone());
        }
        positions
    }

    /// The result in the movetext, or else in the tag.
    pub fn result(&self) -> &'static str {
        let told = self.tag("Result").and_then(|value| RESULTS.into_iter().find(|&known| known == value));
        self.outcome.or(told).unwrap_or("*")
    }
}

/// The terminations of a game.
pub const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// Where a game with these tags starts.
///
/// # Errors
/// If it is a variant of chess, or the position can't be read.
pub fn start(tags: &[(String, String)]) -> Result<Position, String> {
    let tag = |name: &str| tags.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value);
    if let Some(variant) = tag("Variant") {
        let plain: String = variant.chars().filter(char::is_ascii_alphanumeric).collect();
        let known = ["", "chess", "standard", "normal", "fromposition", "chess960", "fischerandom", "fischerrandom"];
        if !known.contains(&plain.to_ascii_lowercase().as_str()) {
            return Err(format!("the variant '{variant}' is not chess"));
        }
    }
    match tag("FEN") {
        Some(text) => text.parse::<Position>().map_err(|error| error.to_string()),
        None => Ok(Position::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn games_start_where_their_tags_say() {
        assert_eq!(start(&[]), Ok(Position::default()));
        let fen = "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w KQkq - 0 1";
        let shuffled = start(&tags(&[("Variant", "Chess 960"), ("SetUp", "1"), ("FEN", fen)])).unwrap();
        assert_eq!(chess::Notation::of(&shuffled), chess::Notation::Chess960);
        assert!(start(&tags(&[("Variant", "Atomic")])).is_err_and(|message| message.contains("Atomic")));
        assert!(start(&tags(&[("FEN", "junk")])).is_err_and(|message| message.contains("bad FEN")));
    }

    #[test]
    fn the_movetext_knows_the_result_best() {
        let mut game = PgnGame { tags: tags(&[("Result", "1-0")]), ..PgnGame::default() };
        assert_eq!(game.result(), "1-0");
        game.outcome = Some("1/2-1/2");
        assert_eq!(game.result(), "1/2-1/2");
        game = PgnGame { tags: tags(&[("Result", "White won")]), ..PgnGame::default() };
        assert_eq!(game.result(), "*");
    }
}
