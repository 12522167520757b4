//! Setting an option.

use super::entry::{Effect, Kind, OptionEntry};
use super::table::TABLE;
use super::values::Options;
use crate::engine_core::EngineCore;
use crate::rank_group::RankScope;
use std::fmt;

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

impl EngineCore {
    /// Sets an option by its UCI name. Says what was loaded, where the option names a file or a folder. On an error
    /// everything stays as it was, here and on the other ranks of a cluster.
    ///
    /// # Errors
    /// If there is no such option, the value does not fit, or what it stands for can't be had.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<Option<String>, OptionError> {
        let setting = Setting::parse(name, value)?;
        let ranks = self.ranks.as_ref().filter(|ranks| ranks.leads());
        let shares = match (ranks, &setting.value, setting.entry.ranks) {
            (Some(ranks), Value::Number(total), RankScope::Divided) => Some(ranks.divide(*total)),
            _ => None,
        };
        let own = shares.as_ref().map(|shares| Setting { value: Value::Number(shares[0]), ..setting.clone() });
        let note = own.as_ref().unwrap_or(&setting).apply(self)?;
        // Only now: what the first rank refuses no other rank may have.
        if let Some(ranks) = &mut self.ranks {
            ranks.tell_option(setting.entry.name, setting.entry.ranks, value, shares.as_deref());
        }
        Ok(note)
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
            assert_eq!(TABLE.iter().filter(|other| other.name.eq_ignore_ascii_case(entry.name)).count(), 1);
            let default = match entry.kind {
                Kind::Number { default, .. } => Some(default.to_string()),
                Kind::Switch { default, .. } => Some(default.to_string()),
                Kind::Text { default, .. } | Kind::Choice { default, .. } => Some(default.to_string()),
                Kind::Button(_) => continue,
            };
            core.set_option(entry.name, default.as_deref()).unwrap();
        }
        assert_eq!(core.options(), &before, "the defaults of the table and of Options differ");
    }
}
