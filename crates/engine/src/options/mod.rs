//! What can be set, what it may be set to, and what it is set to.
//!
//! [`table`] lists the options: name, type, which processes follow it, what it does. It is the only place to change for a
//! new option; UCI, the ranks of a cluster and the front read it.

mod table;

use crate::EngineCore;
use crate::strength::MAX_ELO;
use std::fmt;
use std::time::Duration;

pub(crate) use table::{EMBEDDED, LOG_FILE, TABLE};

/// The options that are plain values. Resources behind an option (table, book, endgame tables) belong to the engine.
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
    /// Do endgame tables call a win that takes too long a draw?
    pub fifty_move_rule: bool,
    /// Endgame tables of more pieces are not asked.
    pub probe_limit: usize,
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
            fifty_move_rule: true,
            probe_limit: 7,
        }
    }
}

impl Options {
    /// How moves are written.
    pub fn notation(&self) -> chess::Notation {
        if self.chess960 { chess::Notation::Chess960 } else { chess::Notation::Standard }
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

/// What setting an option came to: what was loaded, if anything, or why it was refused.
pub(crate) type Applied = Result<Option<String>, String>;

/// What an option changes.
#[derive(Clone, Copy)]
pub(crate) enum Effect<T> {
    /// A plain value.
    Value(fn(&mut Options, T)),
    /// Something of the engine, which may be refused.
    Engine(fn(&mut EngineCore, T) -> Applied),
    /// Nothing of the engine: it concerns the protocol or the user interface.
    Outside,
}

/// What an option takes, and what it changes.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A whole number.
    Number {
        /// The least.
        least: u64,
        /// The largest.
        most: u64,
        /// The one at the start.
        default: u64,
        /// What it changes.
        effect: Effect<u64>,
    },
    /// True or false.
    Switch {
        /// The value at the start.
        default: bool,
        /// What it changes.
        effect: Effect<bool>,
    },
    /// Any text. `<empty>` stands for the empty one.
    Text {
        /// The text at the start.
        default: &'static str,
        /// What it changes.
        set: fn(&mut EngineCore, &str) -> Applied,
    },
    /// One of several words.
    Choice {
        /// The word at the start.
        default: &'static str,
        /// All of them.
        of: &'static [&'static str],
        /// What it changes.
        set: fn(&mut EngineCore, &str) -> Applied,
    },
    /// No value: something is done.
    Button(fn(&mut EngineCore) -> Applied),
}

/// How the ranks of a cluster follow an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RankScope {
    /// It concerns the first rank only.
    First,
    /// Every rank is told the same value.
    Each,
    /// The value is that of all ranks together, each is told its part.
    Divided,
}

/// One option.
pub(crate) struct OptionEntry {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) ranks: RankScope,
    /// Does the front's own small search follow it, too?
    pub(crate) front: bool,
    /// What it does, for `help`.
    pub(crate) about: &'static str,
}

impl OptionEntry {
    /// The option as UCI announces it.
    pub(crate) fn announcement(&self) -> String {
        let kind = match self.kind {
            Kind::Number { least, most, default, .. } => format!("spin default {default} min {least} max {most}"),
            Kind::Switch { default, .. } => format!("check default {default}"),
            Kind::Text { default, .. } => format!("string default {default}"),
            Kind::Choice { default, of, .. } => format!("combo default {default} var {}", of.join(" var ")),
            Kind::Button(_) => "button".to_string(),
        };
        format!("option name {} type {kind}", self.name)
    }
}

/// A value that fits its option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Number(u64),
    Switch(bool),
    Text(String),
    None,
}

/// An option and a value that fits it.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) entry: &'static OptionEntry,
    pub(crate) value: Value,
}

impl Setting {
    /// Finds an option by name, in any case, and checks the value.
    pub(crate) fn parse(name: &str, value: Option<&str>) -> Result<Setting, OptionError> {
        let found = TABLE.iter().find(|entry| entry.name.eq_ignore_ascii_case(name.trim()));
        let Some(entry) = found else { return Err(OptionError::Unknown(name.trim().chars().take(50).collect())) };
        let text = value.unwrap_or("").trim();
        let name = entry.name;
        let bad = |takes: String| OptionError::BadValue { name, value: text.chars().take(100).collect(), takes };
        let value = match entry.kind {
            Kind::Number { least, most, .. } => match text.parse::<u64>() {
                Ok(number) if (least..=most).contains(&number) => Value::Number(number),
                _ => return Err(bad(format!("a whole number from {least} to {most}"))),
            },
            Kind::Switch { .. } => match text.to_ascii_lowercase().as_str() {
                "true" | "on" | "1" => Value::Switch(true),
                "false" | "off" | "0" => Value::Switch(false),
                _ => return Err(bad("true or false".to_string())),
            },
            Kind::Text { .. } => Value::Text(if text == "<empty>" { String::new() } else { text.to_string() }),
            Kind::Choice { of, .. } => match of.iter().find(|choice| choice.eq_ignore_ascii_case(text)) {
                Some(choice) => Value::Text((*choice).to_string()),
                None => return Err(bad(format!("one of {}", of.join(", ")))),
            },
            Kind::Button(_) => Value::None,
        };
        Ok(Setting { entry, value })
    }

    /// Sets the option, if it is a plain value.
    pub(crate) fn apply_value(&self, options: &mut Options) {
        match (self.entry.kind, &self.value) {
            (Kind::Number { effect: Effect::Value(set), .. }, Value::Number(number)) => set(options, *number),
            (Kind::Switch { effect: Effect::Value(set), .. }, Value::Switch(on)) => set(options, *on),
            _ => {}
        }
    }

    /// Sets the option. What was loaded, if anything.
    pub(crate) fn apply(&self, core: &mut EngineCore) -> Result<Option<String>, OptionError> {
        self.apply_value(&mut core.options);
        let applied = match (self.entry.kind, &self.value) {
            (Kind::Number { effect: Effect::Engine(set), .. }, Value::Number(number)) => set(core, *number),
            (Kind::Switch { effect: Effect::Engine(set), .. }, Value::Switch(on)) => set(core, *on),
            (Kind::Text { set, .. } | Kind::Choice { set, .. }, Value::Text(text)) => set(core, text),
            (Kind::Button(press), _) => press(core),
            _ => Ok(None),
        };
        applied.map_err(|reason| OptionError::Refused { name: self.entry.name, reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_values_are_checked() {
        let setting = Setting::parse(" hash ", Some("16")).unwrap();
        assert_eq!((setting.entry.name, setting.value), ("Hash", Value::Number(16)));
        assert_eq!(Setting::parse("evalfile", Some("<empty>")).unwrap().value, Value::Text(String::new()));
        assert!(matches!(Setting::parse("Threads", Some("0")), Err(OptionError::BadValue { .. })));
        assert!(matches!(Setting::parse("Nonsense", None), Err(OptionError::Unknown(_))));
    }

    #[test]
    fn every_default_is_accepted_and_no_name_occurs_twice() {
        let mut core = EngineCore::new().unwrap();
        let before = core.options().clone();
        for entry in &TABLE {
            let default = match entry.kind {
                Kind::Number { default, .. } => Some(default.to_string()),
                Kind::Switch { default, .. } => Some(default.to_string()),
                Kind::Text { default, .. } | Kind::Choice { default, .. } => Some(default.to_string()),
                Kind::Button(_) => None,
            };
            core.set_option(entry.name, default.as_deref()).unwrap();
            assert_eq!(TABLE.iter().filter(|other| other.name.eq_ignore_ascii_case(entry.name)).count(), 1);
        }
        assert_eq!(core.options(), &before, "the defaults of the table and of Options differ");
    }
}
