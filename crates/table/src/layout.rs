//! Which entries a table has and how many: as usual, or as the papers' programs had them.

use std::fmt;
use std::str::FromStr;

/// What an entry consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryFormat {
    /// The whole key, a score and what it says, a move, a depth (Zugzwang section 2).
    Zugzwang,
    /// The whole key, a lower and an upper bound, a move, a depth (StarTech figure 3).
    StarTech,
    /// One 64-bit word: 16 bits of score, 16 of move, 9 of depth and kind of score, 23 of the key (*Socrates section 5.1).
    Socrates,
}

impl EntryFormat {
    const NAMES: [(&'static str, EntryFormat); 3] =
        [("zugzwang", EntryFormat::Zugzwang), ("startech", EntryFormat::StarTech), ("socrates", EntryFormat::Socrates)];

    /// 64-bit words of an entry.
    pub(crate) fn words(self) -> usize {
        if self == EntryFormat::Socrates { 1 } else { 2 }
    }
}

/// A table by the number of its entries, one for each index. Written `startech:2^16`, `zugzwang:20000/processor` or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableLayout {
    /// What an entry consists of.
    pub format: EntryFormat,
    /// The number of entries; zero for no table.
    pub entries: usize,
    /// Is it the number of entries for each processor?
    pub for_each: bool,
}

impl TableLayout {
    /// The number of entries on a machine with this many processors.
    pub fn total(&self, processors: usize) -> usize {
        if self.for_each { self.entries.saturating_mul(processors) } else { self.entries }
    }
}

impl fmt::Display for TableLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.entries == 0 {
            return f.write_str("none");
        }
        let name = EntryFormat::NAMES.iter().find(|(_, format)| *format == self.format).map_or("", |(name, _)| name);
        let power = self.entries.is_power_of_two().then(|| format!("2^{}", self.entries.trailing_zeros()));
        let entries = power.unwrap_or_else(|| self.entries.to_string());
        write!(f, "{name}:{entries}{}", if self.for_each { "/processor" } else { "" })
    }
}

impl FromStr for TableLayout {
    type Err = String;

    fn from_str(text: &str) -> Result<TableLayout, String> {
        let explain = || {
            format!(
                "'{text}' is no table: write for example startech:2^16, socrates:2^21/processor, zugzwang:20000/processor or none"
            )
        };
        if text == "none" {
            return Ok(TableLayout { format: EntryFormat::Zugzwang, entries: 0, for_each: false });
        }
        let (name, size) = text.split_once(':').ok_or_else(explain)?;
        let (_, format) = EntryFormat::NAMES.iter().find(|(known, _)| *known == name).ok_or_else(explain)?;
        let (number, for_each) = size.strip_suffix("/processor").map_or((size, false), |number| (number, true));
        let entries = match number.strip_prefix("2^") {
            Some(power) => power.parse().ok().filter(|&power: &u32| power < usize::BITS).map(|power| 1 << power),
            None => number.parse().ok().filter(|&entries| entries > 0),
        };
        Ok(TableLayout { format: *format, entries: entries.ok_or_else(explain)?, for_each })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in ["startech:2^16", "socrates:2^21/processor", "zugzwang:20000/processor", "zugzwang:12345", "none"] {
            assert_eq!(text.parse::<TableLayout>().unwrap().to_string(), text);
        }
        let layout: TableLayout = "zugzwang:20000/processor".parse().unwrap();
        assert_eq!((layout.total(1), layout.total(64)), (20_000, 1_280_000));
        assert_eq!("none".parse::<TableLayout>().unwrap().total(64), 0);
        for text in
            ["", "64", "startech", "startech:", "startech:2^64", "startech:-1", "hitech:2^10", "startech:0", "none:5"]
        {
            let message = text.parse::<TableLayout>().unwrap_err();
            assert!(
                message.starts_with(&format!("'{text}' is no table: write for example startech:2^16")),
                "{message}"
            );
        }
    }
}
