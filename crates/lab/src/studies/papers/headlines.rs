//! The figures for which the papers are known, in one table: published, ours, and whether they agree within 15 %.
//! `data/headlines.toml` names them.

use super::plans::Size;
use super::reasons::reasons;
use super::sheet::{NOT_UNDERSTOOD, PaperPair};
use crate::report::{ReportTable, significant};
use serde::Deserialize;
use std::fmt::Write;
use std::sync::LazyLock;

/// Within what share of the published figure ours agrees with it.
const AGREES: f64 = 0.15;

/// All of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Headlines {
    headline: Vec<Headline>,
}

/// A figure that a paper is known for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Headline {
    /// The name of its pair in `papers.csv`: id and quantity.
    pair: [String; 2],
    /// What it is, in words.
    says: String,
}

static HEADLINES: LazyLock<Headlines> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../data/headlines.toml")).expect("built in, read by the tests")
});

const COLUMNS: [&str; 7] = ["id", "figure", "published", "ours", "95 % interval", "within 15 %", "why not"];

/// One row of cells for each that was measured.
fn rows(pairs: &[PaperPair], size: Size) -> Vec<[String; 7]> {
    let mut rows = Vec::new();
    for Headline { pair: [id, quantity], says } in &HEADLINES.headline {
        let Some(pair) = pairs.iter().find(|pair| pair.id == *id && pair.quantity == *quantity) else { continue };
        let interval = pair.low.zip(pair.high);
        let (agrees, why) = match pair.is_within(AGREES) {
            Some(true) => ("yes", ""),
            Some(false) => ("no", reasons().why(id, quantity, size).unwrap_or(NOT_UNDERSTOOD)),
            None => ("", ""),
        };
        rows.push([
            id.clone(),
            says.clone(),
            pair.published.clone(),
            significant(pair.ours),
            interval.map_or_else(String::new, |(low, high)| format!("{} to {}", significant(low), significant(high))),
            agrees.to_owned(),
            why.to_owned(),
        ]);
    }
    rows
}

/// The table on the page.
pub(super) fn table(pairs: &[PaperPair], size: Size) -> ReportTable {
    let mut table = ReportTable::new(COLUMNS).title("What the papers are known for");
    for row in rows(pairs, size) {
        let link = format!("#{}", row[0]);
        table.push(row);
        table.link_last(link);
    }
    table.note("A figure agrees if ours lies within 15 % of it, or of the nearer end of the range that was published.")
}

/// The same table as Markdown, for the documentation.
pub(super) fn markdown(pairs: &[PaperPair], size: Size) -> String {
    let mut text = String::new();
    let mut line = |cells: &[&str]| {
        let _ = writeln!(text, "| {} |", cells.join(" | ").replace('*', "\\*"));
    };
    line(&COLUMNS[1..]);
    line(&["---"; COLUMNS.len() - 1]);
    for row in rows(pairs, size) {
        line(&row.each_ref().map(String::as_str)[1..]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::published;

    #[test]
    fn headlines_are_about_what_was_published() {
        for Headline { pair: [id, _], says } in &HEADLINES.headline {
            assert!(published().table(id).is_some() || published().value(id).is_some(), "{id}");
            assert!(!says.is_empty());
        }
    }

    #[test]
    fn one_that_does_not_agree_says_why() {
        let pair = |id: &str, quantity: &str, ratio| PaperPair {
            id: id.into(),
            quantity: quantity.into(),
            published: "2.0".into(),
            ours: 1.0,
            low: Some(0.5),
            high: Some(1.5),
            ratio: Some(ratio),
            why: String::new(),
        };
        let pairs = [pair("dts-3", "2 processors", 0.86), pair("dts-3", "4 processors", 0.8), pair("x", "y", 1.0)];
        let text = markdown(&pairs, Size::Quick);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines[2].ends_with("| 2.0 | 1.00 | 0.500 to 1.50 | yes |  |"), "{text}");
        assert!(lines[3].contains("| no | ") && !lines[3].ends_with("|  |"), "{text}");
    }
}
