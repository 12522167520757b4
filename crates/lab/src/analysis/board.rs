//! Draws the board in the terminal.

use std::ffi::OsStr;
use std::io::IsTerminal;

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Coloured squares with figurines, for a terminal.
    Colour,
    /// Letters as in FEN, for everything else.
    Plain,
}

impl Style {
    /// The style for standard output.
    pub fn of_stdout() -> Style {
        let variable = |name| std::env::var_os(name);
        let dumb = variable("TERM").is_some_and(|term| term == "dumb");
        Style::choose(std::io::stdout().is_terminal() && !dumb, variable("NO_COLOR").as_deref())
    }

    /// Colour on a terminal, unless the user has turned it off; see <https://no-color.org>.
    fn choose(is_terminal: bool, no_color: Option<&OsStr>) -> Style {
        let objects = no_color.is_some_and(|value| !value.is_empty());
        if is_terminal && !objects { Style::Colour } else { Style::Plain }
    }
}

const FILES: &str = "a b c d e f g h";
const LIGHT: &str = "\x1b[48;5;180m";
const DARK: &str = "\x1b[48;5;137m";
const WHITE_PIECE: &str = "\x1b[38;5;231m";
const BLACK_PIECE: &str = "\x1b[38;5;16m";
const RESET: &str = "\x1b[0m";

/// Draws the board of a FEN, White below.
pub fn draw(fen: &str, style: Style) -> String {
    let mut text = String::new();
    for (row, line) in squares(fen).iter().enumerate() {
        text.push_str(&format!("  {} ", 8 - row));
        match style {
            Style::Colour => line.iter().enumerate().for_each(|(column, &piece)| {
                let square = if (row + column) % 2 == 0 { LIGHT } else { DARK };
                let ink = if piece.is_ascii_uppercase() { WHITE_PIECE } else { BLACK_PIECE };
                text.push_str(&format!("{square}{ink} {} ", figurine(piece)));
            }),
            Style::Plain => line.iter().for_each(|piece| text.extend([' ', *piece])),
        }
        text.push_str(if style == Style::Colour { RESET } else { "" });
        text.push('\n');
    }
    let files = if style == Style::Colour { FILES.replace(' ', "  ") } else { FILES.to_string() };
    text.push_str(&format!("     {files}\n"));
    text
}

/// The pieces of a FEN, eighth rank first; a dot where there is none.
fn squares(fen: &str) -> Vec<Vec<char>> {
    let placement = fen.split_whitespace().next().unwrap_or_default();
    let row = |rank: &str| {
        rank.chars()
            .flat_map(|symbol| match symbol.to_digit(9) {
                Some(empty) => vec!['.'; empty as usize],
                None => vec![symbol],
            })
            .collect()
    };
    placement.split('/').map(row).collect()
}

/// The same figurine for both colours, which differ only in their ink.
fn figurine(piece: char) -> char {
    match piece.to_ascii_lowercase() {
        'k' => '♚',
        'q' => '♛',
        'r' => '♜',
        'b' => '♝',
        'n' => '♞',
        'p' => '♟',
        _ => ' ',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEN: &str = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4";

    #[test]
    fn plain_letters_make_a_board() {
        let expected = "  8  r . b q k b . r
  7  p p p p . p p p
  6  . . n . . n . .
  5  . . . . p . . .
  4  . . B . P . . .
  3  . . . . . N . .
  2  P P P P . P P P
  1  R N B Q K . . R
     a b c d e f g h
";
        assert_eq!(draw(FEN, Style::Plain), expected);
    }

    #[test]
    fn a1_is_dark_and_every_line_ends_without_colour() {
        let text = draw(FEN, Style::Colour);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[7].starts_with(&format!("  1 {DARK}{WHITE_PIECE} ♜ {LIGHT}")), "{}", lines[7]);
        assert!(lines[..8].iter().all(|line| line.ends_with(RESET)));
        assert_eq!(text.matches(LIGHT).count(), 32);
        assert_eq!(text.matches(DARK).count(), 32);
        assert_eq!(text.matches('♟').count(), 16);
    }

    #[test]
    fn colour_is_for_terminals_of_users_who_want_it() {
        assert_eq!(Style::choose(true, None), Style::Colour);
        assert_eq!(Style::choose(true, Some(OsStr::new(""))), Style::Colour);
        assert_eq!(Style::choose(true, Some(OsStr::new("1"))), Style::Plain);
        assert_eq!(Style::choose(false, None), Style::Plain);
    }
}
