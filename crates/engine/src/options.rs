//! What can be set, what it may be set to, and what it is set to.

use crate::strength::{MAX_ELO, MIN_ELO};
use std::fmt;
use std::time::Duration;
use table::Table;

/// Everything that can be set. Resources behind an option (table, book, tables) belong to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// How many lines to show.
    pub lines: usize,
    /// Time lost between the engine and the clock on every move.
    pub overhead: Duration,
    /// Is castling written as king takes rook?
    pub chess960: bool,
    /// Are chances shown beside scores?
    pub show_wdl: bool,
    /// Is the strength limited?
    pub limit_strength: bool,
    /// To what rating.
    pub elo: u32,
    /// Is the opening book used?
    pub own_book: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hash_mib: 64,
            lines: 1,
            overhead: Duration::from_millis(20),
            chess960: false,
            show_wdl: false,
            limit_strength: false,
            elo: MAX_ELO,
            own_book: false,
        }
    }
}

/// An option that was not accepted. The old value stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// There is no such option.
    Unknown(String),
    /// The value is not what the option takes.
    BadValue {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
        /// What it takes.
        takes: String,
    },
    /// The value is fine, but what it stands for can't be had.
    Refused {
        /// The option.
        name: &'static str,
        /// Why.
        reason: String,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown(name) => write!(f, "no option '{name}'; 'uci' lists them"),
            OptionError::BadValue { name, value, takes } => write!(f, "option {name} takes {takes}, not '{value}'"),
            OptionError::Refused { name, reason } => write!(f, "option {name} unchanged: {reason}"),
        }
    }
}

impl std::error::Error for OptionError {}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Number { least: u64, most: u64, default: u64 },
    Switch { default: bool },
    Text { default: &'static str },
    Choice { default: &'static str, of: &'static [&'static str] },
    Nothing,
}

/// The value of `EvalFile` that stands for the network that is built in.
pub(crate) const EMBEDDED: &str = "<embedded>";

/// Every option, as it is announced.
pub(crate) const LIST: [(&str, Takes); 20] = [
    ("Hash", Takes::Number { least: Table::MIN_MIB as u64, most: 1 << 25, default: 64 }),
    ("Threads", Takes::Number { least: 1, most: 1024, default: 1 }),
    ("Algorithm", Takes::Choice { default: search::algorithms::DEFAULT, of: search::algorithms::NAMES }),
    ("MultiPV", Takes::Number { least: 1, most: 256, default: 1 }),
    ("Ponder", Takes::Switch { default: false }),
    ("Move Overhead", Takes::Number { least: 0, most: 10_000, default: 20 }),
    ("Clear Hash", Takes::Nothing),
    ("UCI_Chess960", Takes::Switch { default: false }),
    ("UCI_ShowWDL", Takes::Switch { default: false }),
    ("UCI_LimitStrength", Takes::Switch { default: false }),
    ("UCI_Elo", Takes::Number { least: MIN_ELO as u64, most: MAX_ELO as u64, default: MAX_ELO as u64 }),
    ("UCI_AnalyseMode", Takes::Switch { default: false }),
    (
        "UCI_EngineAbout",
        Takes::Text { default: "Jamboree, a parallel chess program and the laboratory that explains it" },
    ),
    ("SyzygyPath", Takes::Text { default: "<empty>" }),
    ("SyzygyProbeDepth", Takes::Number { least: 1, most: 100, default: 1 }),
    ("OwnBook", Takes::Switch { default: false }),
    ("BookFile", Takes::Text { default: "<empty>" }),
    ("Debug Log File", Takes::Text { default: "<empty>" }),
    ("EvalFile", Takes::Text { default: EMBEDDED }),
    ("Rules", Takes::Text { default: "modern" }),
];

impl Takes {
    /// How UCI describes it.
    pub(crate) fn describe(self) -> String {
        match self {
            Takes::Number { least, most, default } => format!("type spin default {default} min {least} max {most}"),
            Takes::Switch { default } => format!("type check default {default}"),
            Takes::Text { default } => format!("type string default {default}"),
            Takes::Choice { default, of } => format!("type combo default {default} var {}", of.join(" var ")),
            Takes::Nothing => "type button".to_string(),
        }
    }
}

/// A value that fits its option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Number(u64),
    Switch(bool),
    Text(String),
    Nothing,
}

/// Finds an option by name, in any case, and checks the value.
pub(crate) fn check(name: &str, value: Option<&str>) -> Result<(&'static str, Value), OptionError> {
    let found = LIST.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
    let Some((name, takes)) = found else { return Err(OptionError::Unknown(name.trim().chars().take(50).collect())) };
    let text = value.unwrap_or("").trim();
    let bad = |takes: String| Err(OptionError::BadValue { name, value: text.chars().take(100).collect(), takes });
    match takes {
        Takes::Number { least, most, .. } => match text.parse::<u64>() {
            Ok(number) if (least..=most).contains(&number) => Ok((name, Value::Number(number))),
            _ => bad(format!("a whole number from {least} to {most}")),
        },
        Takes::Switch { .. } => match text.to_ascii_lowercase().as_str() {
            "true" | "on" | "1" => Ok((name, Value::Switch(true))),
            "false" | "off" | "0" => Ok((name, Value::Switch(false))),
            _ => bad("true or false".to_string()),
        },
        Takes::Text { .. } => Ok((name, Value::Text(if text == "<empty>" { String::new() } else { text.to_string() }))),
        Takes::Choice { of, .. } => match of.iter().find(|choice| choice.eq_ignore_ascii_case(text)) {
            Some(choice) => Ok((name, Value::Text((*choice).to_string()))),
            None => bad(format!("one of {}", of.join(", "))),
        },
        Takes::Nothing => Ok((name, Value::Nothing)),
    }
}
