//! What there is to say about an option: its name, its type, which processes follow it, what it changes.

use super::values::Options;
use crate::engine_core::{Applied, EngineCore};
use crate::rank_group::RankScope;

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
