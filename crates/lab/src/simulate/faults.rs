//! What goes wrong between the ranks of a cluster inside this process, in one word.

use cluster::NetworkConditions;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The ranks of a cluster, and what goes wrong between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankFaults {
    /// How many ranks.
    pub ranks: u64,
    /// Delay of every message, in microseconds.
    pub delay: u64,
    /// The most that a message is delayed besides, in microseconds; so messages overtake each other.
    pub jitter: u64,
    /// Of a thousand messages, those followed by a damaged copy.
    pub damaged: u64,
    /// Of a thousand messages, those that arrive twice.
    pub repeated: u64,
    /// Of a thousand messages, those that the transport refuses.
    pub refused: u64,
    /// Of a thousand messages, those that are lost.
    pub lost: u64,
    /// The last rank stops when it has sent and looked for messages this often; zero: it does not.
    pub stops: u64,
}

impl RankFaults {
    /// No faults.
    pub const NONE: RankFaults =
        RankFaults { ranks: 2, delay: 0, jitter: 0, damaged: 0, repeated: 0, refused: 0, lost: 0, stops: 0 };
    /// The names of all numbers.
    pub(super) const NAMES: [&str; 8] = ["ranks", "delay", "jitter", "damaged", "repeated", "refused", "lost", "stops"];

    /// The number of this name.
    pub(super) fn number(&mut self, name: &str) -> Option<&mut u64> {
        Some(match name {
            "ranks" => &mut self.ranks,
            "delay" => &mut self.delay,
            "jitter" => &mut self.jitter,
            "damaged" => &mut self.damaged,
            "repeated" => &mut self.repeated,
            "refused" => &mut self.refused,
            "lost" => &mut self.lost,
            "stops" => &mut self.stops,
            _ => return None,
        })
    }

    /// The faults that are there, by name.
    pub(super) fn present(&self) -> impl Iterator<Item = &'static str> {
        let mut own = self.clone();
        Self::NAMES.into_iter().skip(1).filter(move |name| own.number(name).is_some_and(|number| *number > 0))
    }

    /// What happens to messages.
    pub(super) fn conditions(&self, seed: u64) -> NetworkConditions {
        NetworkConditions {
            delay: Duration::from_micros(self.delay),
            jitter: Duration::from_micros(self.jitter),
            damaged: self.damaged as u32,
            repeated: self.repeated as u32,
            refused: self.refused as u32,
            lost: self.lost as u32,
            seed,
        }
    }

    /// Says why there can be no such ranks, if so.
    pub(super) fn check(&self) -> Result<(), String> {
        let shares = [self.damaged, self.repeated, self.refused, self.lost];
        if !(2..=16).contains(&self.ranks) {
            return Err(format!("{} ranks: there are 2 to 16", self.ranks));
        }
        if shares.iter().any(|&share| share > 500) || self.delay > 100_000 || self.jitter > 100_000 {
            return Err(format!("'{self}': at most 500 of 1000 messages are faulty, and none is delayed by 0.1 s"));
        }
        Ok(())
    }
}

impl fmt::Display for RankFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ranks={}", self.ranks)?;
        let mut own = self.clone();
        for name in self.present() {
            write!(f, ",{name}={}", own.number(name).map_or(0, |number| *number))?;
        }
        Ok(())
    }
}

impl FromStr for RankFaults {
    type Err = String;

    fn from_str(text: &str) -> Result<RankFaults, String> {
        let mut faults = RankFaults::NONE;
        for word in text.split(',') {
            let explain = || format!("'{word}' says nothing about ranks: write for example ranks=3,jitter=300,lost=50");
            let (name, value) = word.split_once('=').ok_or_else(explain)?;
            *faults.number(name).ok_or_else(explain)? = value.parse().map_err(|_| explain())?;
        }
        Ok(faults)
    }
}
