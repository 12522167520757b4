//! Reading EPD, the one-position-per-line format of test suites.
//!
//! A line is four FEN fields (pieces, side to move, castling, en passant square) and then operations, each an opcode
//! with operands and closed by `;`. The reader follows the EPD part of the PGN standard (section 16.2) and is
//! as lenient as real files require: the last `;` may be missing, the two FEN move counters may follow the fourth
//! field, empty operations are skipped, and `#` starts a comment line.
//!
//! Only syntax is checked here. Whether the position is legal, and what a move means in it, is decided by code that has
//! a board: moves stay strings.

use std::error::Error;
use std::fmt;

/// One position of a suite with everything its line says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpdRecord {
    /// The position as a full six-field FEN. The counters come from `hmvc` and `fmvn`, else from the two numbers
    /// after the fourth field, else they are `0 1`.
    pub fen: String,
    /// What the suite calls the position (`id`).
    pub id: Option<String>,
    /// The moves that solve the position (`bm`), in SAN as written.
    pub best: Vec<String>,
    /// The moves that fail the position (`am`), in SAN as written.
    pub avoid: Vec<String>,
    /// The move played or predicted (`pm`), in SAN as written.
    pub played: Vec<String>,
    /// All operations in the order of the line, those above included: opcode and operands, quotes removed.
    pub operations: Vec<(String, Vec<String>)>,
}

/// Why a line is not an EPD record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpdError {
    /// The line's number in the text, from 1; comments and blank lines count.
    pub line: usize,
    /// What was expected and what was found.
    pub message: String,
}

impl fmt::Display for EpdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl Error for EpdError {}

/// Reads every line that is neither blank nor a `#` comment; a bad line does not stop the others from being read.
///
/// ```
/// # use jamboree_lab::epd;
/// let records = epd::read("# two kings\n4k3/8/8/8/8/8/8/4K3 w - - bm Kd2 Kf2; id \"kings\";\n");
/// let record = records[0].as_ref().expect("a valid line");
/// assert_eq!(record.fen, "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
/// assert_eq!(record.best, ["Kd2", "Kf2"]);
/// ```
pub fn read(text: &str) -> Vec<Result<EpdRecord, EpdError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| read_line(line).map_err(|message| EpdError { line: number, message }))
        .collect()
}

/// Errors inside a line are messages; [`read`] adds the line number.
type Parsed<T> = Result<T, String>;

fn read_line(line: &str) -> Parsed<EpdRecord> {
    let mut scanner = Scanner { rest: line };
    let position = read_position(&mut scanner)?;
    let (mut halfmoves, mut fullmove) = read_counters(&mut scanner);
    let operations = read_operations(&mut scanner)?;

    let mut record =
        EpdRecord { fen: String::new(), id: None, best: vec![], avoid: vec![], played: vec![], operations: vec![] };
    for (opcode, operands) in &operations {
        match opcode.as_str() {
            "bm" => record.best.extend_from_slice(moves(opcode, operands)?),
            "am" => record.avoid.extend_from_slice(moves(opcode, operands)?),
            "pm" => record.played.extend_from_slice(moves(opcode, operands)?),
            "hmvc" => halfmoves = number(opcode, operands)?,
            "fmvn" => fullmove = number(opcode, operands)?,
            "id" => record.id = Some(operands.join(" ")).filter(|id| !id.is_empty()),
            _ => {}
        }
    }
    // Many tools write move number 0 for "unknown"; FEN counts from 1.
    record.fen = format!("{position} {halfmoves} {}", fullmove.max(1));
    record.operations = operations;
    Ok(record)
}

/// The four position fields, checked and joined by single spaces.
fn read_position(scanner: &mut Scanner) -> Parsed<String> {
    let mut fields = [""; 4];
    for (found, field) in fields.iter_mut().enumerate() {
        *field = scanner.word().ok_or_else(|| {
            format!("expected four fields before the operations ('pieces side castling ep'), found {found}")
        })?;
    }
    let [pieces, side, castling, en_passant] = fields;
    check_pieces(pieces)?;
    if !matches!(side, "w" | "b") {
        return Err(format!("the side to move must be 'w' or 'b', found {}", Quoted(side)));
    }
    if !is_castling(castling) {
        return Err(format!(
            "the castling field must be '-' or letters such as 'KQkq' or 'HAha', found {}",
            Quoted(castling)
        ));
    }
    if !matches!(en_passant.as_bytes(), b"-" | [b'a'..=b'h', b'3' | b'6']) {
        return Err(format!("the en passant field must be '-' or a square such as 'e3', found {}", Quoted(en_passant)));
    }
    Ok(fields.join(" "))
}

fn check_pieces(pieces: &str) -> Parsed<()> {
    let ranks = pieces.split('/').count();
    if ranks != 8 {
        return Err(format!(
            "the pieces field must have 8 ranks separated by '/', found {ranks} in {}",
            Quoted(pieces)
        ));
    }
    for (rank, text) in (1..=8).rev().zip(pieces.split('/')) {
        let mut squares: usize = 0;
        for symbol in text.chars() {
            squares += match symbol {
                'p' | 'n' | 'b' | 'r' | 'q' | 'k' | 'P' | 'N' | 'B' | 'R' | 'Q' | 'K' => 1,
                '1'..='8' => symbol as usize - '0' as usize,
                _ => return Err(format!("rank {rank} may hold only 'pnbrqkPNBRQK' and '1'-'8', found {symbol:?}")),
            };
        }
        if squares != 8 {
            return Err(format!("rank {rank} must describe 8 squares, found {squares} in {}", Quoted(text)));
        }
    }
    Ok(())
}

/// `-`, or up to four different letters: KQkq, or rook files (Chess960).
fn is_castling(field: &str) -> bool {
    let letters = field.as_bytes();
    field == "-"
        || (letters.len() <= 4
            && letters.iter().enumerate().all(|(index, letter)| {
                matches!(letter, b'K' | b'Q' | b'k' | b'q' | b'A'..=b'H' | b'a'..=b'h')
                    && !letters[..index].contains(letter)
            }))
}

/// The halfmove clock and fullmove number of a line that has a full FEN; `0 1` and nothing consumed otherwise.
fn read_counters(scanner: &mut Scanner) -> (u32, u32) {
    let mut ahead = Scanner { rest: scanner.rest };
    let mut counter = || ahead.word().and_then(whole_number);
    match (counter(), counter()) {
        (Some(halfmoves), Some(fullmove)) => {
            *scanner = ahead;
            (halfmoves, fullmove)
        }
        _ => (0, 1),
    }
}

fn read_operations(scanner: &mut Scanner) -> Parsed<Vec<(String, Vec<String>)>> {
    let mut operations = Vec::new();
    while !scanner.at_end() {
        if scanner.end_of_operation() {
            continue;
        }
        let opcode = scanner.word().unwrap_or_default();
        if !is_opcode(opcode) {
            return Err(format!("expected an operation such as 'bm Nf3;', found {}", Quoted(opcode)));
        }
        let mut operands = Vec::new();
        while !scanner.at_end() && !scanner.end_of_operation() {
            operands.push(scanner.operand(opcode)?.to_owned());
        }
        operations.push((opcode.to_owned(), operands));
    }
    Ok(operations)
}

/// A letter, then letters, digits and underscores; at most 15 characters (PGN standard 16.2.4).
fn is_opcode(word: &str) -> bool {
    word.len() <= 15
        && word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn moves<'a>(opcode: &str, operands: &'a [String]) -> Parsed<&'a [String]> {
    if operands.iter().all(|text| text.is_empty()) {
        return Err(format!("'{opcode}' names no move: write '{opcode} Nf3;' or remove it"));
    }
    Ok(operands)
}

fn number(opcode: &str, operands: &[String]) -> Parsed<u32> {
    match operands {
        [text] => whole_number(text),
        _ => None,
    }
    .ok_or_else(|| format!("'{opcode}' needs one whole number, found {}", Quoted(&operands.join(" "))))
}

/// Digits only: `parse` alone would also take a leading `+`.
fn whole_number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The part of a line that is still to be read.
struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest.is_empty()
    }

    /// Consumes a `;` if it comes next.
    fn end_of_operation(&mut self) -> bool {
        self.skip_blanks();
        match self.rest.strip_prefix(';') {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The characters up to a blank or `;`, if there are any.
    fn word(&mut self) -> Option<&'a str> {
        self.skip_blanks();
        let end = self.rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// A word, or a quoted text in which blanks and `;` have no meaning. EPD has no escape for a quote.
    fn operand(&mut self, opcode: &str) -> Parsed<&'a str> {
        self.skip_blanks();
        let Some(quoted) = self.rest.strip_prefix('"') else {
            return Ok(self.word().unwrap_or_default());
        };
        let (text, rest) = quoted.split_once('"').ok_or_else(|| {
            format!("the quoted text of '{opcode}' does not end: add a closing '\"' after {}", Quoted(quoted))
        })?;
        self.rest = rest;
        Ok(text)
    }
}

/// Text from the file inside a message: quoted, shortened, and without control characters, so that a message stays
/// one readable line whatever the file holds.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN_CHARS_MAX: usize = 40;
        let mut characters = self.0.chars();
        f.write_str("'")?;
        for character in characters.by_ref().take(SHOWN_CHARS_MAX) {
            match character {
                '\'' | '"' => write!(f, "{character}")?,
                _ => write!(f, "{}", character.escape_debug())?,
            }
        }
        f.write_str(if characters.next().is_some() { "...'" } else { "'" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KINGS: &str = "4k3/8/8/8/8/8/8/4K3 w - -";

    fn one(line: &str) -> EpdRecord {
        let mut records = read(line);
        assert_eq!(records.len(), 1, "{line}");
        records.remove(0).expect("a valid line")
    }

    fn message(line: &str) -> String {
        let mut records = read(line);
        assert_eq!(records.len(), 1, "{line}");
        records.remove(0).expect_err("an invalid line").to_string()
    }

    #[test]
    fn moves_id_and_operations_are_read() {
        let record = one(&format!("{KINGS} bm Kd2 Kf2; am Ke2; pm Kd1; id \"A.1\"; acd 12;"));
        assert_eq!(record.fen, format!("{KINGS} 0 1"));
        assert_eq!(record.id.as_deref(), Some("A.1"));
        assert_eq!(record.best, ["Kd2", "Kf2"]);
        assert_eq!(record.avoid, ["Ke2"]);
        assert_eq!(record.played, ["Kd1"]);
        let opcodes: Vec<&str> = record.operations.iter().map(|(opcode, _)| opcode.as_str()).collect();
        assert_eq!(opcodes, ["bm", "am", "pm", "id", "acd"]);
        assert_eq!(record.operations[4].1, ["12"]);
    }

    #[test]
    fn a_position_alone_is_a_record() {
        let record = one(KINGS);
        assert_eq!((record.id, record.operations.len()), (None, 0));
    }

    #[test]
    fn quotes_protect_blanks_and_semicolons() {
        let record = one(&format!("{KINGS} id \"a; b  c\";c0 \"#1; bm e4;\" plain; c1 \"\";"));
        assert_eq!(record.id.as_deref(), Some("a; b  c"));
        assert_eq!(record.operations[1], ("c0".to_owned(), vec!["#1; bm e4;".to_owned(), "plain".to_owned()]));
        assert_eq!(record.operations[2].1, [""]);
        assert!(record.best.is_empty());
    }

    #[test]
    fn counters_come_from_opcodes_or_from_the_fen() {
        assert_eq!(one(&format!("{KINGS} hmvc 7; fmvn 31;")).fen, format!("{KINGS} 7 31"));
        assert_eq!(one(&format!("{KINGS} 3 20 bm Kd2;")).fen, format!("{KINGS} 3 20"));
        assert_eq!(one(&format!("{KINGS} 3 20; bm Kd2;")).best, ["Kd2"]);
        assert_eq!(one(&format!("{KINGS} 3 20")).fen, format!("{KINGS} 3 20"));
        assert_eq!(one(&format!("{KINGS} 3 0")).fen, format!("{KINGS} 3 1"));
        assert_eq!(one(&format!("{KINGS} 3 20 fmvn 9;")).fen, format!("{KINGS} 3 9"));
    }

    #[test]
    fn perft_lines_are_epd_too() {
        let record = one(&format!("{KINGS} 0 1 ;D1 5 ;D2 25"));
        assert_eq!(record.operations[1], ("D2".to_owned(), vec!["25".to_owned()]));
    }

    #[test]
    fn layout_is_forgiven() {
        let text = "\u{feff}# head\r\n\r\n4k3/8/8/8/8/8/8/4K3\tw  -\t- ;; bm\tKd2  Kf2;id \"x\"\r\n  # tail\r\n";
        let record = one(text);
        assert_eq!(record.fen, format!("{KINGS} 0 1"));
        assert_eq!(record.best, ["Kd2", "Kf2"]);
        assert_eq!(record.id.as_deref(), Some("x"));
    }

    #[test]
    fn chess960_castling_and_en_passant_are_accepted() {
        one("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - bm e4;");
        one("4k3/8/8/8/4P3/8/8/4K3 b - e3");
    }

    #[test]
    fn a_bad_line_does_not_hide_the_next() {
        let records = read(&format!("junk\n\n# note\n{KINGS}\n"));
        assert_eq!(records.len(), 2);
        assert!(records[0].is_err() && records[1].is_ok());
    }

    #[test]
    fn messages_say_what_was_expected() {
        let cases = [
            (
                "\n\n8/8 w; bm e4;",
                "line 3: expected four fields before the operations ('pieces side castling ep'), found 2",
            ),
            ("8/8 w - -", "line 1: the pieces field must have 8 ranks separated by '/', found 2 in '8/8'"),
            ("8/8/8/8/8/8/7/8 w - -", "line 1: rank 2 must describe 8 squares, found 7 in '7'"),
            ("8/8/8/8/8/8/9/8 w - -", "line 1: rank 2 may hold only 'pnbrqkPNBRQK' and '1'-'8', found '9'"),
            ("8/8/8/8/8/8/8/8 x - -", "line 1: the side to move must be 'w' or 'b', found 'x'"),
            (
                "8/8/8/8/8/8/8/8 w bm e4;",
                "line 1: the castling field must be '-' or letters such as 'KQkq' or 'HAha', found 'bm'",
            ),
            (
                "8/8/8/8/8/8/8/8 w KK -",
                "line 1: the castling field must be '-' or letters such as 'KQkq' or 'HAha', found 'KK'",
            ),
            ("8/8/8/8/8/8/8/8 w - e4", "line 1: the en passant field must be '-' or a square such as 'e3', found 'e4'"),
            ("8/8/8/8/8/8/8/8 w - - 0 bm e4;", "line 1: expected an operation such as 'bm Nf3;', found '0'"),
            ("8/8/8/8/8/8/8/8 w - - bm;", "line 1: 'bm' names no move: write 'bm Nf3;' or remove it"),
            ("8/8/8/8/8/8/8/8 w - - hmvc -1;", "line 1: 'hmvc' needs one whole number, found '-1'"),
            (
                "8/8/8/8/8/8/8/8 w - - id \"a;",
                "line 1: the quoted text of 'id' does not end: add a closing '\"' after 'a;'",
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(message(line), expected);
        }
    }

    #[test]
    fn messages_stay_short_and_on_one_line() {
        let text = message(&format!("{}\u{7}\0é w - -", "♔/".repeat(1000)));
        assert!(text.len() < 300 && !text.contains(char::is_control), "{text}");
    }

    /// Text that looks enough like EPD to get past the first field.
    fn nearly_epd() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just(KINGS.to_owned()),
            Just(" ".to_owned()),
            Just("\n".to_owned()),
            Just("\r\n".to_owned()),
            Just(";".to_owned()),
            Just("\"".to_owned()),
            Just("bm Kd2".to_owned()),
            Just("hmvc ".to_owned()),
            Just("#".to_owned()),
            "[0-9]{1,12}",
            "\\PC{0,4}",
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    fn check_one_result_per_line(text: &str) -> Result<(), TestCaseError> {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let wanted = body.split('\n').filter(|line| !line.trim().is_empty() && !line.trim().starts_with('#')).count();
        let records = read(text);
        prop_assert_eq!(records.len(), wanted);
        for record in records {
            match record {
                Ok(record) => prop_assert_eq!(record.fen.split(' ').count(), 6),
                Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn any_text_gives_one_result_per_line(text in any::<String>()) {
            check_one_result_per_line(&text)?;
        }

        #[test]
        fn nearly_epd_text_gives_one_result_per_line(text in nearly_epd()) {
            check_one_result_per_line(&text)?;
        }

        #[test]
        fn what_is_written_is_read(
            id in "[^\"\\pC]{1,20}",
            moves in prop::collection::vec("[A-Za-z0-9+#=-]{1,7}", 1..5),
        ) {
            let record = one(&format!("{KINGS} bm {}; id \"{id}\";", moves.join(" ")));
            prop_assert_eq!(record.best, moves);
            prop_assert_eq!(record.id, Some(id));
        }
    }
}
