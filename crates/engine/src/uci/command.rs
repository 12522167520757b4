//! Reading UCI: a line of text becomes a command, or an error that says what is wrong.

use crate::{Clock, GameRecord, GoLimits, TimeControl};
use chess::parse_move;
use std::fmt;
use std::time::Duration;

/// A command of the user interface.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Tell name and options.
    Uci,
    /// Answer when everything before is done.
    IsReady,
    /// Another game begins.
    NewGame,
    /// Set an option.
    SetOption {
        /// Its name.
        name: String,
        /// Its value, if one was given.
        value: Option<String>,
    },
    /// Set up a position.
    Position {
        /// The FEN; none for the start position.
        fen: Option<String>,
        /// The moves played from it.
        moves: Vec<String>,
    },
    /// Search.
    Go(Go),
    /// Stop searching.
    Stop,
    /// The expected move was played.
    PonderHit,
    /// End the program.
    Quit,
    /// Show the board (not in the standard).
    Display,
    /// Show the evaluation of the board (not in the standard).
    Evaluate,
    /// Run the benchmark (not in the standard).
    Bench,
    /// List the commands (not in the standard).
    Help,
    /// A command of the standard without effect here.
    Ignored,
}

/// How to search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Go {
    /// Only these moves.
    pub only: Vec<String>,
    /// On the opponent's time.
    pub ponder: bool,
    /// Until stopped.
    pub infinite: bool,
    /// To this depth.
    pub depth: Option<i32>,
    /// This many nodes.
    pub nodes: Option<u64>,
    /// For a mate in this many moves.
    pub mate: Option<u32>,
    /// Exactly this long.
    pub move_time: Option<Duration>,
    /// Clocks, White first.
    pub time: [Option<Duration>; 2],
    /// Increments, White first.
    pub increment: [Duration; 2],
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// Count paths instead of searching.
    pub perft: Option<u32>,
}

impl Go {
    /// The limits of a search of this position. Moves that are not legal are told, and not searched.
    pub(crate) fn limits(&self, game: Option<&GameRecord>, complain: &mut dyn FnMut(&dyn fmt::Display)) -> GoLimits {
        let mut only = Vec::new();
        if let Some(game) = game {
            for text in &self.only {
                match parse_move(&game.position, text) {
                    Ok(mv) => only.push(mv),
                    Err(error) => complain(&format!("searchmoves: {error}")),
                }
            }
        }
        let time = self.time_control(game.map_or(0, GameRecord::side));
        let Go { depth, nodes, mate, infinite, .. } = *self;
        GoLimits { depth, nodes, mate, time, infinite, only, ..GoLimits::default() }
    }

    /// The time control of the side that is number `side` (0: White).
    pub fn time_control(&self, side: usize) -> TimeControl {
        if let Some(time) = self.move_time {
            return TimeControl::PerMove(time);
        }
        match self.time[side] {
            Some(remaining) => {
                TimeControl::Game(Clock { remaining, increment: self.increment[side], moves_to_go: self.moves_to_go })
            }
            None => TimeControl::Unlimited,
        }
    }
}

/// Why a line is no command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// The line begins with nothing we know.
    Unknown(String),
    /// A word needs a number after it.
    NeedsNumber {
        /// The word.
        word: String,
        /// What came instead.
        found: String,
    },
    /// The command is not complete, or in the wrong form.
    Form(&'static str),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::Unknown(word) => write!(f, "unknown command '{word}'; 'help' lists the commands"),
            CommandError::NeedsNumber { word, found } => write!(f, "'{word}' needs a number after it, not '{found}'"),
            CommandError::Form(form) => write!(f, "expected '{form}'"),
        }
    }
}

impl std::error::Error for CommandError {}

impl CommandError {
    /// Was a position meant to be set up?
    pub(crate) fn is_of_position(&self) -> bool {
        matches!(self, CommandError::Form(POSITION_FORM))
    }
}

const POSITION_FORM: &str = "position startpos|fen <fen> [moves <moves>]";

/// Reads a line; none if it is empty. Words before the first one we know are passed over, as the standard asks.
///
/// # Errors
/// If there is no known word, or what follows it is malformed.
pub fn parse(line: &str) -> Result<Option<Command>, CommandError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    for (index, word) in words.iter().enumerate() {
        let rest = &words[index + 1..];
        let command = match *word {
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "ucinewgame" => Command::NewGame,
            "setoption" => set_option(rest)?,
            "position" => position(rest)?,
            "go" => Command::Go(go(rest)?),
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "quit" => Command::Quit,
            "d" => Command::Display,
            "eval" => Command::Evaluate,
            "bench" => Command::Bench,
            "help" | "--help" => Command::Help,
            "debug" | "register" => Command::Ignored,
            _ => continue,
        };
        return Ok(Some(command));
    }
    match words.first() {
        Some(word) => Err(CommandError::Unknown(word.chars().take(40).collect())),
        None => Ok(None),
    }
}

/// `name <words> [value <words>]`; names and values may have spaces.
fn set_option(words: &[&str]) -> Result<Command, CommandError> {
    let form = CommandError::Form("setoption name <name> [value <value>]");
    let Some(("name", rest)) = words.split_first().map(|(first, rest)| (*first, rest)) else { return Err(form) };
    let split = rest.iter().position(|&word| word == "value").unwrap_or(rest.len());
    if split == 0 {
        return Err(form);
    }
    let value = rest.get(split + 1..).map(|words| words.join(" "));
    Ok(Command::SetOption { name: rest[..split].join(" "), value })
}

/// `startpos | fen <fields>`, then `moves <moves>`.
fn position(words: &[&str]) -> Result<Command, CommandError> {
    let split = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let moves = words.get(split + 1..).unwrap_or(&[]).iter().map(|&word| word.to_string()).collect();
    match words[..split] {
        ["startpos"] => Ok(Command::Position { fen: None, moves }),
        ["fen", ref fields @ ..] if !fields.is_empty() => Ok(Command::Position { fen: Some(fields.join(" ")), moves }),
        _ => Err(CommandError::Form(POSITION_FORM)),
    }
}

/// A number of any size, forced into range: absurd clocks are as good as very large or empty ones.
fn number(word: &str, found: Option<&&str>) -> Result<u64, CommandError> {
    let text = found.copied().unwrap_or("nothing");
    let negative = text.strip_prefix('-').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let digits = text.strip_prefix('+').unwrap_or(text);
    if negative && text.len() > 1 {
        return Ok(0);
    }
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let found = text.chars().take(40).collect();
        return Err(CommandError::NeedsNumber { word: word.to_string(), found });
    }
    Ok(digits.parse().unwrap_or(u64::MAX))
}

/// No time control is longer than this: a hundred years.
const LONGEST_MS: u64 = 100 * 365 * 24 * 3600 * 1000;

fn go(words: &[&str]) -> Result<Go, CommandError> {
    let mut go = Go::default();
    let mut index = 0;
    while index < words.len() {
        let word = words[index];
        let after = words.get(index + 1);
        let value = || number(word, after);
        let time = || value().map(|ms| Duration::from_millis(ms.min(LONGEST_MS)));
        let small = || value().map(|number| number.min(u64::from(u16::MAX)) as u32);
        index += 2;
        match word {
            "wtime" => go.time[0] = Some(time()?),
            "btime" => go.time[1] = Some(time()?),
            "winc" => go.increment[0] = time()?,
            "binc" => go.increment[1] = time()?,
            "movestogo" => go.moves_to_go = Some(small()?),
            "movetime" => go.move_time = Some(time()?),
            "depth" => go.depth = Some(small()? as i32),
            "nodes" => go.nodes = Some(value()?),
            "mate" => go.mate = Some(small()?),
            "perft" => go.perft = Some(small()?),
            "infinite" | "ponder" | "searchmoves" => {
                index -= 1;
                match word {
                    "infinite" => go.infinite = true,
                    "ponder" => go.ponder = true,
                    _ => {
                        let moves = words[index..].iter().take_while(|word| looks_like_move(word));
                        go.only = moves.map(|&word| word.to_string()).collect();
                        index += go.only.len();
                    }
                }
            }
            // The standard asks to pass over what is not known.
            _ => index -= 1,
        }
    }
    Ok(go)
}

/// Two squares and perhaps a piece.
fn looks_like_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    (4..=5).contains(&bytes.len()) && bytes[1].is_ascii_digit() && bytes[3].is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn command(line: &str) -> Command {
        parse(line).unwrap().unwrap()
    }

    #[test]
    fn clock_fields_come_in_any_order() {
        let ms = Duration::from_millis;
        let first = command("go wtime 1000 btime 2000 winc 10 binc 20 movestogo 5");
        assert_eq!(first, command("go movestogo 5 binc 20 btime 2000 winc 10 wtime 1000"));
        let Command::Go(go) = first else { panic!() };
        let clock = Clock { remaining: ms(2000), increment: ms(20), moves_to_go: Some(5) };
        assert_eq!(go.time_control(1), TimeControl::Game(clock));
    }

    #[test]
    fn options_have_names_and_values_with_spaces() {
        let expected = Command::SetOption { name: "Debug Log File".into(), value: Some("a b.txt".into()) };
        assert_eq!(command("setoption name Debug Log File value a b.txt"), expected);
        assert_eq!(command("setoption name Clear Hash"), Command::SetOption { name: "Clear Hash".into(), value: None });
        assert!(parse("setoption").is_err() && parse("setoption name").is_err());
    }

    #[test]
    fn absurd_numbers_are_forced_into_range() {
        let Command::Go(go) = command("go wtime -500 btime 99999999999999999999999 depth 4000000000") else { panic!() };
        assert_eq!(go.time[0], Some(Duration::ZERO));
        assert_eq!(go.depth, Some(65535));
        assert!(parse("go depth").is_err() && parse("go depth x").is_err() && parse("go wtime -").is_err());
    }

    #[test]
    fn search_moves_end_where_the_next_word_begins() {
        let Command::Go(go) = command("go searchmoves e2e4 a7a8q depth 3 infinite") else { panic!() };
        assert_eq!((go.only.len(), go.depth, go.infinite), (2, Some(3), true));
    }

    #[test]
    fn words_before_a_command_are_passed_over() {
        assert_eq!(command("joho debug on"), Command::Ignored);
        assert_eq!(parse("   \t "), Ok(None));
        assert!(parse("xyzzy").is_err());
    }

    proptest! {
        #[test]
        fn no_line_makes_the_reader_panic(line in ".*") {
            let _ = parse(&line);
        }

        #[test]
        fn no_nonsense_of_known_words_makes_the_reader_panic(words in proptest::collection::vec(
            proptest::sample::select(vec!["go", "position", "fen", "startpos", "moves", "e2e4", "wtime", "-1", "depth",
                "99999999999999999999", "searchmoves", "setoption", "name", "value", "Hash", "infinite", "ponder", "é"]),
            0..12)) {
            let _ = parse(&words.join(" "));
        }
    }
}
