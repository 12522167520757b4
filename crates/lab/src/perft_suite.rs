//! Perft suites: positions with known numbers of paths at each depth, with which our numbers are compared.
//!
//! Two layouts of a line are read: ours, `FEN | 20 400 8902` with the counts from depth 1 on, and the common
//! `FEN ;D1 20 ;D2 400`, in which depths may be left out. `#` starts a comment line.

use crate::suite::LARGEST_SUITE;
use chess::{Position, perft};
use jamboree_io::{ReadError, read_input};
use std::error::Error;
use std::fmt;
use std::path::Path;

/// Every perft suite that is part of the binary: its name and its text.
const BUILTINS: [(&str, &str); 2] = [
    ("standard", include_str!("../data/perft-standard.txt")),
    ("chess960", include_str!("../data/perft-chess960.txt")),
];

/// The largest depth. No published count is deeper, and a count that deep would take for ever.
const DEEPEST: u32 = 20;

/// The lines of a perft suite.
#[derive(Clone, Debug, Default)]
pub struct PerftSuite {
    /// The usable lines.
    pub lines: Vec<PerftLine>,
    /// The lines that could not be read. They do not stop a run.
    pub rejected: Vec<PerftLineError>,
}

/// A position and its known counts.
#[derive(Clone, Debug)]
pub struct PerftLine {
    /// The line's number in the file, from 1.
    pub number: usize,
    /// The position as it is written in the file.
    pub fen: String,
    /// The position.
    pub position: Position,
    /// Depth and number of paths, in the order of the line. Never empty.
    pub counts: Vec<(u32, u64)>,
}

/// Why a line could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerftLineError {
    /// The line's number in the file, from 1.
    pub line: usize,
    /// What was expected and what was found.
    pub message: String,
}

impl fmt::Display for PerftLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// One count, compared with ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// The depth.
    pub depth: u32,
    /// The count of the suite.
    pub expected: u64,
    /// Our count.
    pub found: u64,
}

impl Check {
    /// Are both the same?
    pub fn is_right(&self) -> bool {
        self.expected == self.found
    }
}

impl PerftLine {
    /// Counts the paths of every depth for which the suite has a count of at most `max_nodes`.
    pub fn check(&self, max_nodes: u64) -> impl Iterator<Item = Check> {
        let small = self.counts.iter().filter(move |&&(_, expected)| expected <= max_nodes);
        small.map(|&(depth, expected)| Check { depth, expected, found: perft(self.position.board(), depth) })
    }
}

/// Why a perft suite could not be loaded.
#[derive(Debug)]
pub enum PerftSuiteError {
    /// Neither a built-in suite nor a file has this name.
    Unknown(String),
    /// The file is there but cannot be read.
    Unreadable(ReadError),
}

impl fmt::Display for PerftSuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PerftSuiteError::Unknown(name) => {
                let names = BUILTINS.map(|(name, _)| name).join(" or ");
                write!(f, "no perft suite or file is called '{name}': give the path of a file, or {names}")
            }
            PerftSuiteError::Unreadable(error) => error.fmt(f),
        }
    }
}

impl Error for PerftSuiteError {}

/// Loads a built-in suite by name (`standard`, `chess960`), or else a file by path.
///
/// # Errors
/// If there is no such suite or file, or the file cannot be read.
pub fn load(name_or_path: &str) -> Result<PerftSuite, PerftSuiteError> {
    if let Some((_, text)) = BUILTINS.iter().find(|(name, _)| name.eq_ignore_ascii_case(name_or_path)) {
        return Ok(read(text));
    }
    let bytes = read_input(Path::new(name_or_path), LARGEST_SUITE).map_err(|error| match error {
        ReadError::Missing(_) => PerftSuiteError::Unknown(name_or_path.to_owned()),
        error => PerftSuiteError::Unreadable(error),
    })?;
    Ok(read(&String::from_utf8_lossy(&bytes)))
}

/// Reads every line that is neither blank nor a `#` comment.
pub fn read(text: &str) -> PerftSuite {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut suite = PerftSuite::default();
    for (index, line) in text.lines().enumerate() {
        let (number, line) = (index + 1, line.trim());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match read_line(number, line) {
            Ok(line) => suite.lines.push(line),
            Err(message) => suite.rejected.push(PerftLineError { line: number, message }),
        }
    }
    suite
}

fn read_line(number: usize, line: &str) -> Result<PerftLine, String> {
    let (fen, counts) = match line.split_once('|') {
        Some((fen, counts)) => {
            (fen, (1..).zip(counts.split_whitespace()).map(read_count).collect::<Result<Vec<_>, _>>()?)
        }
        None => {
            let (fen, counts) = line.split_once(';').unwrap_or((line, ""));
            let parts = counts.split(';').map(str::trim).filter(|part| !part.is_empty());
            (fen, parts.map(read_depth_and_count).collect::<Result<Vec<_>, _>>()?)
        }
    };
    let fen = fen.trim().to_owned();
    let position = fen.parse::<Position>().map_err(|error| printable(&error.to_string()))?;
    if counts.is_empty() {
        return Err("no counts: write 'FEN | 20 400 8902' or 'FEN ;D1 20 ;D2 400 ;D3 8902'".to_owned());
    }
    Ok(PerftLine { number, fen, position, counts })
}

/// A count; its depth is its position in the line.
fn read_count((depth, text): (u32, &str)) -> Result<(u32, u64), String> {
    let count = text.parse().map_err(|_| format!("expected a count of paths, found '{}'", printable(text)))?;
    checked(depth, count)
}

/// `D3 8902`.
fn read_depth_and_count(part: &str) -> Result<(u32, u64), String> {
    let parsed = part.strip_prefix(['D', 'd']).and_then(|rest| {
        let (depth, count) = rest.split_once(char::is_whitespace)?;
        Some((depth.parse().ok()?, count.trim().parse().ok()?))
    });
    let (depth, count) =
        parsed.ok_or_else(|| format!("expected a depth and a count such as 'D3 8902', found '{}'", printable(part)))?;
    checked(depth, count)
}

fn checked(depth: u32, count: u64) -> Result<(u32, u64), String> {
    if depth > DEEPEST {
        return Err(format!("depth {depth} is too deep to count: the most is {DEEPEST}"));
    }
    Ok((depth, count))
}

/// Text from the file inside a message, so that the message stays one readable line.
fn printable(text: &str) -> String {
    text.chars().take(200).map(|symbol| if symbol.is_control() { '?' } else { symbol }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn both_layouts_are_read() {
        let suite = read(&format!("# head\n\n{START} | 20 400\r\n{START} ;D1 20 ;D3 8902;\n{START};D2 400"));
        assert_eq!(suite.rejected, []);
        let counts: Vec<_> = suite.lines.iter().map(|line| (line.number, line.counts.clone())).collect();
        assert_eq!(counts, [(3, vec![(1, 20), (2, 400)]), (4, vec![(1, 20), (3, 8902)]), (5, vec![(2, 400)])]);
        assert!(suite.lines.iter().all(|line| line.fen == START));
    }

    #[test]
    fn bad_lines_are_explained_and_the_rest_is_read() {
        let bad = [
            (START.to_owned(), "no counts"),
            (format!("{START} |"), "no counts"),
            (format!("{START} | 20 x"), "expected a count of paths, found 'x'"),
            (format!("{START} ;D1"), "found 'D1'"),
            (format!("{START} ;20"), "found '20'"),
            (format!("{START} ;D1 20 ;D77 5"), "depth 77 is too deep"),
            (format!("{START} ;D1 -5"), "found 'D1 -5'"),
            ("8/8 w - - | 1".to_owned(), "bad FEN"),
            ("nonsense".to_owned(), "bad FEN"),
        ];
        for (line, expected) in bad {
            let suite = read(&format!("{line}\n{START} | 20"));
            assert_eq!((suite.lines.len(), suite.rejected.len()), (1, 1), "{line}");
            let message = suite.rejected[0].to_string();
            assert!(message.starts_with("line 1: ") && message.contains(expected), "{message}");
        }
    }

    #[test]
    fn a_wrong_count_is_seen() {
        let suite = read(&format!("{START} | 20 401 8902 197281"));
        let checks: Vec<Check> = suite.lines[0].check(10_000).collect();
        assert_eq!(checks.iter().map(Check::is_right).collect::<Vec<_>>(), [true, false, true]);
        assert_eq!(checks[1], Check { depth: 2, expected: 401, found: 400 });
    }

    #[test]
    fn the_builtin_counts_are_ours() {
        for ((name, _), positions) in BUILTINS.into_iter().zip([127, 960]) {
            let suite = load(name).expect("built in");
            assert_eq!(suite.rejected, []);
            assert_eq!(suite.lines.len(), positions);
            for line in &suite.lines {
                assert_eq!(line.check(20_000).find(|check| !check.is_right()), None, "{}", line.fen);
            }
        }
    }

    #[test]
    fn an_unknown_name_lists_the_builtins() {
        let message = load("no-such-suite").expect_err("unknown").to_string();
        assert!(message.contains("'no-such-suite'") && message.contains("standard or chess960"), "{message}");
        assert!(matches!(load("/"), Err(PerftSuiteError::Unreadable(..))));
    }

    fn nearly_a_line() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just(START.to_owned()),
            Just(" | ".to_owned()),
            Just(" ;D".to_owned()),
            Just("\n".to_owned()),
            "[0-9 ]{1,24}",
            "\\PC{0,4}",
        ];
        prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in prop_oneof![any::<String>(), nearly_a_line()]) {
            let suite = read(&text);
            prop_assert!(suite.lines.iter().all(|line| !line.counts.is_empty()));
            prop_assert!(suite.rejected.iter().all(|error| error.to_string().lines().count() == 1));
        }
    }
}
