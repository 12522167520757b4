//! What a match is: who plays, how, and how many games.

use super::contender::Contender;
use super::game::MatchRules;
use super::openings::Openings;
use super::sprt::Sprt;
use crate::report::Origin;
use serde_json::json;
use std::path::PathBuf;

/// A match.
pub struct MatchSettings {
    /// The engine whose strength is measured.
    pub a: Contender,
    /// The engine it is compared with.
    pub b: Contender,
    /// How many games, at most; two for each opening.
    pub games: usize,
    /// Where they begin.
    pub openings: Openings,
    /// How they are played.
    pub rules: MatchRules,
    /// How many are played at the same time.
    pub concurrency: usize,
    /// When to stop early.
    pub sprt: Option<Sprt>,
    /// The folder that keeps the games.
    pub out: Option<PathBuf>,
    /// How its page says that it was made.
    pub origin: Origin,
    /// The fastchess that is to play the games; none if we do.
    pub fastchess: Option<PathBuf>,
}

impl MatchSettings {
    /// What A and B are called, never the same.
    pub(super) fn names(&self) -> [String; 2] {
        let [a, b] = [&self.a, &self.b].map(|contender| contender.name().to_owned());
        if a == b { [format!("{a} (A)"), format!("{b} (B)")] } else { [a, b] }
    }
}

/// What tells a match from others in its folder. How many games, how many at a time and when to stop may change.
pub(super) fn identity(settings: &MatchSettings, played_by: &str) -> serde_json::Value {
    let rules = &settings.rules;
    json!({
        "a": settings.a,
        "b": settings.b,
        "limit": rules.limit.to_string(),
        "margin_ms": rules.margin.as_millis() as u64,
        "draw": rules.draw,
        "resign": rules.resign,
        "openings": settings.openings.description(),
        "played_by": played_by,
    })
}
