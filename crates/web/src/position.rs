//! A game as the page shows it: legal moves, notation, how it ended.

use chess::{Move, Notation, Position, parse_move, san};
use engine::GameRecord;
use game::Game as _;
use lab::analysis::study::GameOver;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The longest game that is read.
const MOST_MOVES: usize = 1_000;

/// A game: where it starts and what was played.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Game {
    /// A FEN; none for the usual start.
    pub(crate) start: Option<String>,
    /// Moves as UCI writes them.
    pub(crate) moves: Vec<String>,
    /// Is castling written as king takes rook?
    pub(crate) chess960: bool,
}

/// How a game ended.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(crate) struct Over {
    pub(crate) result: &'static str,
    pub(crate) reason: &'static str,
}

/// What the board looks like.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) fen: String,
    pub(crate) turn: &'static str,
    /// Targets by the square the piece comes from; those of a promotion end with the new piece's letter.
    pub(crate) legal: BTreeMap<String, Vec<String>>,
    /// The moves so far in algebraic notation.
    pub(crate) san: Vec<String>,
    /// The pieces before the first move and after each move, as a FEN writes them.
    pub(crate) fens: Vec<String>,
    /// The square of a king in check.
    pub(crate) check: Option<String>,
    pub(crate) over: Option<Over>,
}

/// The positions of a game and the moves between them.
pub(crate) struct Line {
    pub(crate) positions: Vec<Position>,
    pub(crate) moves: Vec<Move>,
    pub(crate) notation: Notation,
}

impl Line {
    /// # Errors
    /// If the start or a move can't be read, or the game is too long: one line for the user.
    pub(crate) fn of(game: &Game) -> Result<Line, String> {
        if game.moves.len() > MOST_MOVES {
            return Err(format!("the game has more than {MOST_MOVES} moves: begin from a later position"));
        }
        let start = match game.start.as_deref() {
            Some(fen) => fen.parse().map_err(|error| format!("the position is refused: {error}"))?,
            None => Position::default(),
        };
        let mut line = Line {
            notation: if game.chess960 { Notation::Chess960 } else { Notation::of(&start) },
            positions: vec![start],
            moves: Vec::new(),
        };
        for text in &game.moves {
            let mv = parse_move(line.last(), text).map_err(|error| error.to_string())?;
            line.positions.push(line.last().play(mv));
            line.moves.push(mv);
        }
        Ok(line)
    }

    /// The position after all moves.
    pub(crate) fn last(&self) -> &Position {
        &self.positions[self.positions.len() - 1]
    }

    /// What the engine searches.
    pub(crate) fn record(&self) -> GameRecord {
        let history = self.positions[..self.moves.len()].iter().map(Position::key).collect();
        GameRecord { position: self.last().clone(), history }
    }

    /// The moves in algebraic notation.
    pub(crate) fn san(&self) -> Vec<String> {
        self.positions.iter().zip(&self.moves).map(|(position, &mv)| san(position, mv)).collect()
    }

    /// What the page shows.
    pub(crate) fn shown(&self) -> Shown {
        let position = self.last();
        let over = self.over();
        let king = position.board().king(position.board().side_to_move());
        Shown {
            fen: position.to_string(),
            turn: if position.is_white_to_move() { "white" } else { "black" },
            legal: if over.is_some() { BTreeMap::new() } else { legal(position, self.notation) },
            san: self.san(),
            fens: self.positions.iter().map(pieces).collect(),
            check: position.in_check().then(|| king.to_string()),
            over,
        }
    }

    /// How the game ended, if it did.
    pub(crate) fn over(&self) -> Option<Over> {
        let position = self.last();
        let draw = |reason| Some(Over { result: "1/2-1/2", reason });
        if let Some(over) = GameOver::of(position) {
            let result = match over {
                GameOver::Checkmate if position.is_white_to_move() => "0-1",
                GameOver::Checkmate => "1-0",
                GameOver::Stalemate | GameOver::Dead => "1/2-1/2",
            };
            return Some(Over { result, reason: over.name() });
        }
        let repeated = self.positions.iter().filter(|before| before.key() == position.key()).count();
        match position.board().halfmove_clock() >= 100 {
            true => draw("fifty moves without a capture or a pawn move"),
            false if repeated >= 3 => draw("the same position three times"),
            false => None,
        }
    }
}

/// The pieces as a FEN writes them.
fn pieces(position: &Position) -> String {
    let fen = position.to_string();
    fen.split(' ').next().unwrap_or_default().to_string()
}

fn legal(position: &Position, notation: Notation) -> BTreeMap<String, Vec<String>> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mut by_source: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for mv in moves {
        let shown = notation.show(position, mv);
        let (from, to) = shown.split_at(2);
        by_source.entry(from.to_string()).or_default().push(to.to_string());
    }
    by_source
}

/// Does the position allow castling that ordinary chess does not have? Then castling is written as king takes rook.
pub(crate) fn is_chess960(position: &Position) -> bool {
    Notation::of(position) == Notation::Chess960
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(start: Option<&str>, moves: &str) -> Line {
        let moves = moves.split_whitespace().map(str::to_string).collect();
        Line::of(&Game { start: start.map(str::to_string), moves, chess960: false }).unwrap()
    }

    #[test]
    fn a_board_has_legal_moves_and_notation() {
        let shown = line(None, "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6").shown();
        assert_eq!(shown.san, ["e4", "e5", "Nf3", "Nc6", "Bc4", "Nf6"]);
        assert!(shown.legal["e1"].contains(&"g1".to_string()), "{:?}", shown.legal["e1"]);
        assert_eq!((shown.turn, shown.fens.len(), shown.check), ("white", 7, None));
        let promotes = line(Some("8/P6k/8/8/8/8/8/K7 w - - 0 1"), "").shown();
        assert_eq!(promotes.legal["a7"].len(), 4);
    }

    #[test]
    fn the_end_of_a_game_is_told() {
        let mate = line(None, "f2f3 e7e5 g2g4 d8h4").shown();
        assert_eq!(mate.over, Some(Over { result: "0-1", reason: "checkmate" }));
        assert!(mate.legal.is_empty() && mate.check.as_deref() == Some("e1"));
        let again = line(None, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8").over();
        assert_eq!(again.map(|over| over.reason), Some("the same position three times"));
    }

    #[test]
    fn what_can_not_be_read_is_refused_in_one_line() {
        for (start, moves) in
            [(Some("rubbish"), vec![]), (None, vec!["e2e5".to_string()]), (None, vec![String::new(); 1001])]
        {
            let game = Game { start: start.map(str::to_string), moves, chess960: false };
            let message = Line::of(&game).err().unwrap();
            assert!(!message.contains('\n') && message.len() > 10, "{message}");
        }
    }
}
