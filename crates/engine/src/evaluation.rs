//! The static evaluation of a position, explained piece by piece.

use crate::EngineCore;
use chess::Position;
use cozy_chess::{BoardBuilder, Color, File, Piece, Rank, Square};
use game::{Game, Score};
use std::fmt;

/// The evaluation of a position, and what each piece is worth in it.
#[derive(Clone, Debug)]
pub struct EvaluationReport {
    position: Position,
    /// The evaluation in hundredths of a pawn, seen by White.
    pub total: Score,
    /// For each piece but the kings: by how much the evaluation falls without it, in hundredths of a pawn, seen by White;
    /// none where the position would not be legal without it.
    pub pieces: Vec<(Square, Option<i32>)>,
    /// What computes the evaluation.
    pub by: &'static str,
}

impl EvaluationReport {
    /// Evaluates the position, and the position without each of its pieces.
    pub(crate) fn new(core: &EngineCore, position: &Position) -> EvaluationReport {
        let white = |position: &Position| {
            let score = core.evaluate(position);
            if position.board().side_to_move() == Color::White { score } else { -score }
        };
        let total = white(position);
        let board = position.board();
        let kings = board.pieces(Piece::King);
        let value = |square: Square| Some(total - white(&without(position, square)?));
        let pieces = (board.occupied() & !kings).into_iter().map(|square| (square, value(square))).collect();
        EvaluationReport { position: position.clone(), total, pieces, by: core.evaluation_name() }
    }
}

/// The position without the piece on a square; none if it is not legal then. Rights that need the piece go with it.
fn without(position: &Position, square: Square) -> Option<Position> {
    let mut builder = BoardBuilder::from_board(position.board());
    builder.board[square as usize] = None;
    builder.en_passant = None;
    let rank = square.rank();
    for color in Color::ALL {
        let rights = &mut builder.castle_rights[color as usize];
        if rank == Rank::First.relative_to(color) {
            let lost = |file: &File| *file == square.file();
            (rights.short, rights.long) =
                (rights.short.filter(|file| !lost(file)), rights.long.filter(|file| !lost(file)));
        }
    }
    Some(Position::new(builder.build().ok()?))
}

/// A board with the value of each piece below it, and the total.
impl fmt::Display for EvaluationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = self.position.board();
        let line = format!("+{}", "-------+".repeat(8));
        writeln!(
            f,
            "What each piece is worth in pawns, seen by White: the evaluation with it less the one without it.\n"
        )?;
        writeln!(f, " {line}")?;
        for rank in Rank::ALL.into_iter().rev() {
            let squares = File::ALL.map(|file| Square::new(file, rank));
            let names = squares.map(|square| format!("   {}   |", letter(&self.position, square)));
            let values = squares.map(|square| match self.pieces.iter().find(|(at, _)| *at == square) {
                Some((_, Some(value))) => format!("{:^+7.2}|", f64::from(*value) / 100.0),
                Some((_, None)) => "  ???  |".to_string(),
                None => "       |".to_string(),
            });
            writeln!(f, " |{} {}\n |{}\n {line}", names.concat(), rank as usize + 1, values.concat())?;
        }
        writeln!(f, "     a       b       c       d       e       f       g       h\n")?;
        let total = f64::from(self.total.value()) / 100.0;
        let own = if board.side_to_move() == Color::White { self.total } else { -self.total };
        writeln!(f, "evaluation by {}: {total:+.2} pawns for White", self.by)?;
        write!(f, "info string static evaluation {} cp for the side to move", own.value())
    }
}

/// The letter of the piece on a square, capital for White; a blank where there is none.
pub(crate) fn letter(position: &Position, square: Square) -> char {
    let board = position.board();
    match (board.piece_on(square), board.color_on(square)) {
        (Some(piece), Some(Color::White)) => char::from(piece).to_ascii_uppercase(),
        (Some(piece), _) => char::from(piece),
        (None, _) => ' ',
    }
}

/// Does the side to move stand in check, and from where?
pub(crate) fn checkers(position: &Position) -> String {
    let squares = position.board().checkers().into_iter().map(|square| square.to_string());
    squares.collect::<Vec<_>>().join(" ")
}

/// The position drawn with letters, its FEN, its key and the pieces that give check.
pub fn draw(position: &Position) -> String {
    let line = "+---+---+---+---+---+---+---+---+";
    let mut text = format!(" {line}\n");
    for rank in Rank::ALL.into_iter().rev() {
        let pieces = File::ALL.map(|file| format!(" {} |", letter(position, Square::new(file, rank))));
        text.push_str(&format!(" |{} {}\n {line}\n", pieces.concat(), rank as usize + 1));
    }
    text.push_str("   a   b   c   d   e   f   g   h\n\n");
    text.push_str(&format!("Fen: {position}\nKey: {:016X}\nCheckers: {}", position.key(), checkers(position)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queen_is_worth_much_and_a_pinned_piece_has_no_value() {
        let core = EngineCore::with(chess::RuleSet::modern(), 1).unwrap();
        let position: Position = "4r2k/8/8/8/8/8/q3N2P/4K2R b K - 0 1".parse().unwrap();
        let report = EvaluationReport::new(&core, &position);
        let value = |square: Square| report.pieces.iter().find(|(at, _)| *at == square).unwrap().1;
        assert!(value(Square::A2).unwrap() < -300, "{report}");
        assert!(value(Square::H1).unwrap() > 100, "{report}");
        assert_eq!(report.pieces.len(), 5);
        let shown = report.to_string();
        let own = core.evaluate(&position).value();
        assert!(shown.ends_with(&format!("static evaluation {own} cp for the side to move")), "{shown}");
        // Without the knight Black, to move, would give check already.
        assert_eq!(value(Square::E2), None, "{report}");
    }

    #[test]
    fn a_board_is_drawn_with_fen_key_and_checkers() {
        let text = draw(&"4k3/8/8/8/8/8/4r3/4K3 w - - 0 1".parse().unwrap());
        assert!(text.contains(" |   |   |   |   | r |   |   |   | 2\n"), "{text}");
        assert!(
            text.contains("\nFen: 4k3/8/8/8/8/8/4r3/4K3 w - - 0 1\nKey: ") && text.ends_with("Checkers: e2"),
            "{text}"
        );
    }
}
