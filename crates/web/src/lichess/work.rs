//! What Lichess and an engine say to each other.

use engine::{GoLimits, TimeControl};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The longest time of an analysis: a day.
const LONGEST_MILLISECONDS: u64 = 86_400_000;
/// The largest depth to search to.
const DEEPEST: u64 = 200;

/// What Lichess is told about the engine.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Registration {
    pub(super) name: String,
    pub(super) max_threads: usize,
    /// In MiB.
    pub(super) max_hash: usize,
    pub(super) variants: Vec<&'static str>,
    pub(super) provider_secret: String,
}

/// An engine that the user has registered.
#[derive(Debug, Deserialize)]
pub(super) struct Registered {
    pub(super) id: String,
    pub(super) name: String,
}

/// A request for work.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WorkRequest<'a> {
    pub(super) provider_secret: &'a str,
}

/// Work, with the number under which it is answered.
#[derive(Debug, Deserialize)]
pub(super) struct Job {
    pub(super) id: String,
    pub(super) work: Work,
}

/// A position to analyse.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Work {
    /// What belongs together: the table is kept while it stays the same.
    pub(super) session_id: String,
    pub(super) threads: u64,
    /// In MiB.
    pub(super) hash: u64,
    pub(super) multi_pv: u64,
    variant: String,
    pub(super) initial_fen: String,
    pub(super) moves: Vec<String>,
    infinite: Option<bool>,
    /// Milliseconds.
    movetime: Option<u64>,
    depth: Option<u64>,
    nodes: Option<u64>,
}

impl Work {
    /// Is it chess, from any position? Chess960 is part of that.
    pub(super) fn is_chess(&self) -> bool {
        let variant = self.variant.to_ascii_lowercase();
        ["chess", "standard", "chess960", "fromposition"].contains(&variant.as_str())
    }

    /// How long to search; without a limit until Lichess ends it.
    pub(super) fn limits(&self) -> GoLimits {
        let time = |ms: u64| TimeControl::PerMove(Duration::from_millis(ms.clamp(1, LONGEST_MILLISECONDS)));
        let is_limited = self.movetime.is_some() || self.depth.is_some() || self.nodes.is_some();
        GoLimits {
            depth: self.depth.map(|depth| depth.clamp(1, DEEPEST) as i32),
            nodes: self.nodes.map(|nodes| nodes.max(1)),
            time: self.movetime.map_or(TimeControl::Unlimited, time),
            infinite: self.infinite == Some(true) || !is_limited,
            ..GoLimits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn work(limit: &str, value: &Value) -> Work {
        let work = json!({"sessionId": "s", "threads": 4, "hash": 128, "multiPv": 1, "variant": "chess",
            "initialFen": "8/8/8/8/8/8/8/8 w - - 0 1", "moves": ["e2e4"], limit: value, "unknown": {}});
        serde_json::from_value(work).unwrap()
    }

    #[test]
    fn the_limits_are_those_of_the_request() {
        let limits = |limit, value: Value| work(limit, &value).limits();
        assert_eq!(limits("movetime", json!(500)).time, TimeControl::PerMove(Duration::from_millis(500)));
        assert_eq!(limits("depth", json!(20)).depth, Some(20));
        assert_eq!(limits("depth", json!(u64::MAX)).depth, Some(200));
        assert_eq!(limits("nodes", json!(7)).nodes, Some(7));
        assert!(!limits("nodes", json!(7)).infinite);
        for (limit, value) in [("infinite", json!(true)), ("infinite", json!(false)), ("movetime", Value::Null)] {
            assert!(limits(limit, value).infinite);
        }
    }

    #[test]
    fn only_chess_is_chess() {
        for (variant, is_chess) in [("Standard", true), ("chess960", true), ("fromPosition", true), ("atomic", false)] {
            assert_eq!(work("variant", &json!(variant)).is_chess(), is_chess, "{variant}");
        }
    }
}
