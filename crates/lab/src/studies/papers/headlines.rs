//! The figures for which the papers are known, in one table: published, ours, and whether they agree within 15 %.
//! `data/headlines.toml` names them.

use super::plans::Size;
use super::reasons::reasons;
use super::sheet::{NOT_UNDERSTOOD, PaperPair, capital};
use crate::report::{Page, ReportTable, significant};
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

const COLUMNS: [&str; 6] = ["id", "figure", "published", "ours", "95 % interval", "within 15 %"];

/// One row of cells for each that was measured, and the reasons to which they refer by number.
fn rows(pairs: &[PaperPair], size: Size) -> (Vec<[String; 6]>, Vec<&'static str>) {
    let (mut rows, mut whys) = (Vec::new(), Vec::new());
    for Headline { pair: [id, quantity], says } in &HEADLINES.headline {
        let Some(pair) = pairs.iter().find(|pair| pair.id == *id && pair.quantity == *quantity) else { continue };
        let interval = pair.low.zip(pair.high);
        let agrees = match pair.is_within(AGREES) {
            Some(true) => "yes".to_owned(),
            Some(false) => {
                let why = reasons().why(id, quantity, size).unwrap_or(NOT_UNDERSTOOD);
                let place = whys.iter().position(|known| *known == why).unwrap_or_else(|| {
                    whys.push(why);
                    whys.len() - 1
                });
                format!("no ({})", place + 1)
            }
            None => String::new(),
        };
        rows.push([
            id.clone(),
            says.clone(),
            pair.published.clone(),
            significant(pair.ours),
            interval.map_or_else(String::new, |(low, high)| format!("{} to {}", significant(low), significant(high))),
            agrees,
        ]);
    }
    (rows, whys)
}

/// The table on the page, and below it why figures do not agree.
pub(super) fn write(page: &mut Page, pairs: &[PaperPair], size: Size) {
    let (rows, whys) = rows(pairs, size);
    let mut table = ReportTable::new(COLUMNS).title("What the papers are known for");
    for row in rows {
        let link = format!("#{}", row[0]);
        table.push(row);
        table.link_last(link);
    }
    page.table(
        table.note("A figure agrees if ours lies within 15 % of it, or of the nearer end of the range that was published. Why others do not:"),
    );
    for (place, why) in whys.iter().enumerate() {
        page.text(&format!("({}) {}.", place + 1, capital(why)));
    }
}

/// The same as Markdown, for the documentation.
pub(super) fn markdown(pairs: &[PaperPair], size: Size) -> String {
    let (rows, whys) = rows(pairs, size);
    let mut lines = vec![COLUMNS[1..].join(" | "), ["---"; COLUMNS.len() - 1].join(" | ")];
    lines.extend(rows.iter().map(|row| row[1..].join(" | ")));
    let mut text: String = lines.iter().map(|line| format!("| {line} |\n")).collect();
    text.push('\n');
    for (place, why) in whys.iter().enumerate() {
        let _ = writeln!(text, "{}. {}.", place + 1, capital(why));
    }
    text.replace('*', "\\*")
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
        assert_eq!(lines.len(), 6, "{text}");
        assert!(lines[2].ends_with("| 2.0 | 1.00 | 0.500 to 1.50 | yes |"), "{text}");
        assert!(lines[3].ends_with("| no (1) |") && lines[5] == "1. Not understood.", "{text}");
    }
}
