//! What was published beside what we measured.

use super::plans::Size;
use super::reasons::reasons;
use crate::published::published;
use crate::report::{Page, ReportTable, significant};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// What a paper says of a quantity.
#[derive(Clone, Copy, Debug)]
pub(super) enum Said {
    /// This much.
    Number(f64),
    /// Something between these, as far as they are given.
    Between(Option<f64>, Option<f64>),
    /// Nothing that our copy shows.
    Nothing,
}

impl From<Option<f64>> for Said {
    fn from(number: Option<f64>) -> Said {
        number.map_or(Said::Nothing, Said::Number)
    }
}

impl Said {
    /// The single figure of this name.
    pub(super) fn of(id: &str) -> Said {
        let Some(value) = published().value(id) else { return Said::Nothing };
        match value.value {
            Some(number) => Said::Number(number),
            None => Said::Between(value.at_least, value.at_most),
        }
    }

    /// A cell of a published table.
    pub(super) fn cell(table: &str, row: &str, column: &str) -> Said {
        Said::from(published().table(table).and_then(|table| table.number(row, column)))
    }

    /// The ends of a range in a published table.
    pub(super) fn range(table: &str, row: &str, from: &str, to: &str) -> Said {
        let Some(table) = published().table(table) else { return Said::Nothing };
        match (table.number(row, from), table.number(row, to)) {
            (Some(a), Some(b)) if a == b => Said::Number(a),
            (a, b) => Said::Between(a, b),
        }
    }

    fn show(self) -> String {
        match self {
            Said::Number(number) => significant(number),
            Said::Between(Some(low), Some(high)) => format!("{} to {}", significant(low), significant(high)),
            Said::Between(Some(low), None) => format!("> {}", significant(low)),
            Said::Between(None, Some(high)) => format!("< {}", significant(high)),
            Said::Between(None, None) | Said::Nothing => String::new(),
        }
    }

    /// Ours relative to what was said; relative to the nearer end of a range, and one inside of it.
    fn ratio(self, ours: f64) -> Option<f64> {
        let (low, high) = match self {
            Said::Number(number) => (Some(number), Some(number)),
            Said::Between(low, high) => (low, high),
            Said::Nothing => (None, None),
        };
        match (low, high) {
            (None, None) => None,
            (Some(low), _) if ours < low => (low != 0.0).then(|| ours / low),
            (_, Some(high)) if ours > high => (high != 0.0).then(|| ours / high),
            _ => Some(1.0),
        }
    }
}

/// Within what a ratio counts as reproduced.
const REPRODUCED: std::ops::RangeInclusive<f64> = 0.75..=1.25;

/// What stands where no reason is known.
pub(super) const NOT_UNDERSTOOD: &str = "not understood";

/// One quantity, published and measured, as `papers.csv` and `papers.json` have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaperPair {
    /// The published table or figure.
    pub id: String,
    /// Which of its numbers.
    pub quantity: String,
    /// What was published.
    pub published: String,
    /// What we measured.
    pub ours: f64,
    /// Its 95 % interval, low end.
    pub low: Option<f64>,
    /// And high end.
    pub high: Option<f64>,
    /// Ours over published.
    pub ratio: Option<f64>,
    /// Why the ratio is not near one.
    pub why: String,
}

impl PaperPair {
    /// Is the ratio near enough to one? None: nothing was published to compare with.
    pub fn is_reproduced(&self) -> Option<bool> {
        self.ratio.map(|ratio| REPRODUCED.contains(&ratio))
    }

    /// Does the ratio differ from one by no more than this?
    pub fn is_within(&self, most: f64) -> Option<bool> {
        self.ratio.map(|ratio| (ratio - 1.0).abs() <= most)
    }
}

/// A quantity to be compared.
#[derive(Clone, Debug)]
pub(super) struct Row {
    id: String,
    quantity: String,
    said: Said,
    ours: f64,
    interval: Option<(f64, f64)>,
}

impl Row {
    pub(super) fn new(id: &str, quantity: impl Into<String>, said: Said, ours: f64) -> Row {
        Row { id: id.to_owned(), quantity: quantity.into(), said, ours, interval: None }
    }

    /// The single figure of this name.
    pub(super) fn of(id: &str, quantity: impl Into<String>, ours: f64) -> Row {
        Row::new(id, quantity, Said::of(id), ours)
    }

    /// With a 95 % interval.
    pub(super) fn between(mut self, interval: (f64, f64)) -> Row {
        self.interval = Some(interval);
        self
    }
}

/// The page, and every pair of numbers on it.
pub(super) struct Sheet {
    pub(super) page: Page,
    size: Size,
    /// In what the searches of the next paper differ from those of the size.
    pub(super) difference: String,
    pairs: Vec<PaperPair>,
    /// Published tables and figures that have an address on the page.
    anchored: HashSet<String>,
}

impl Sheet {
    pub(super) fn new(size: Size) -> Sheet {
        Sheet { page: Page::new(""), size, difference: String::new(), pairs: Vec::new(), anchored: HashSet::new() }
    }

    /// A paper begins.
    pub(super) fn paper(&mut self, id: &str, title: &str) {
        self.page.section(title);
        if let Some(paper) = published().paper(id) {
            self.page.text(&paper.citation);
        }
        if !self.difference.is_empty() {
            self.page.text(&format!("Instead of the searches of the {} size: {}.", self.size.name(), self.difference));
        }
    }

    /// A published table or figure: its title, where it stands, and what has to be known about it.
    fn caption(id: &str) -> (String, String) {
        let tables = published().table(id).map(|table| (&table.title, &table.place, &table.unit, &table.note));
        let values = || published().value(id).map(|value| (&value.title, &value.place, &value.unit, &value.note));
        let Some((title, place, unit, note)) = tables.or_else(values) else { return (id.to_owned(), String::new()) };
        let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
        (format!("{}: {title}{unit}", capital(place)), note.clone())
    }

    /// An empty table under the caption of `id`, which leads to it from the index.
    fn table(&mut self, id: &str, title: String, columns: Vec<String>, ids: &[String]) -> ReportTable {
        let table = ReportTable::new(columns).title(title);
        let ids = std::iter::once(id.to_owned()).chain(ids.iter().cloned());
        table.anchors(ids.filter(|id| self.anchored.insert(id.clone())).collect())
    }

    /// Keeps a pair of numbers.
    fn keep(&mut self, row: &Row) -> PaperPair {
        let Row { id, quantity, said, ours, interval } = row;
        let ratio = said.ratio(*ours);
        let is_far = ratio.is_some_and(|ratio| !REPRODUCED.contains(&ratio));
        let why = if is_far { reasons().why(id, quantity, self.size).unwrap_or(NOT_UNDERSTOOD) } else { "" };
        let pair = PaperPair {
            id: id.clone(),
            quantity: quantity.clone(),
            published: said.show(),
            ours: *ours,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            ratio,
            why: why.to_owned(),
        };
        self.pairs.push(pair.clone());
        pair
    }

    /// A table of single quantities: what, published, ours, ratio, and why it is not near one. The caption is that of `id`.
    pub(super) fn compare(&mut self, id: &str, rows: &[Row], difference: &str) {
        let (title, note) = Sheet::caption(id);
        let pairs: Vec<PaperPair> = rows.iter().map(|row| self.keep(row)).collect();
        let has_intervals = pairs.iter().any(|pair| pair.low.is_some());
        let has_reasons = pairs.iter().any(|pair| !pair.why.is_empty());
        let mut columns = vec!["", "published", "ours"];
        columns.extend(has_intervals.then_some("95 % interval"));
        columns.push("ours / published");
        columns.extend(has_reasons.then_some("why"));
        let ids: Vec<String> = pairs.iter().map(|pair| pair.id.clone()).collect();
        let mut table = self.table(id, title, columns.into_iter().map(str::to_owned).collect(), &ids);
        for pair in pairs {
            let interval = pair.low.zip(pair.high);
            let interval = interval.map(|(low, high)| format!("{} to {}", significant(low), significant(high)));
            let mut cells = vec![pair.quantity.clone(), pair.published.clone(), significant(pair.ours)];
            cells.extend(has_intervals.then(|| interval.unwrap_or_default()));
            cells.push(shown(pair.ratio));
            cells.extend(has_reasons.then(|| pair.why.clone()));
            table.push(cells);
        }
        self.page.table(table.note(joined(&note, difference)));
    }

    /// A table with one row for each position and one group of columns for each head: published, ours, ratio. Reasons of
    /// ratios far from one stand below.
    pub(super) fn compare_grid(
        &mut self,
        id: &str,
        heads: &[String],
        rows: &[(String, Vec<(Said, f64)>)],
        difference: &str,
    ) {
        let (title, note) = Sheet::caption(id);
        let mut columns = vec![String::new()];
        for head in heads {
            columns.extend([format!("{head}, published"), "ours".into(), "ratio".into()]);
        }
        let mut table = self.table(id, title, columns, &[]);
        let mut reasons: Vec<(String, usize)> = Vec::new();
        let mut compared = 0;
        for (name, cells) in rows {
            let mut row = vec![name.clone()];
            for (head, (said, ours)) in heads.iter().zip(cells) {
                let pair = self.keep(&Row::new(id, format!("{name}, {head}"), *said, *ours));
                compared += usize::from(pair.ratio.is_some());
                let far = if pair.why.is_empty() { "" } else { " *" };
                row.extend([pair.published, significant(pair.ours), format!("{}{far}", shown(pair.ratio))]);
                match reasons.iter_mut().find(|(why, _)| *why == pair.why) {
                    _ if pair.why.is_empty() => {}
                    Some((_, count)) => *count += 1,
                    None => reasons.push((pair.why, 1)),
                }
            }
            if name == "mean" || name == "sum" { table.push_strong(row) } else { table.push(row) }
        }
        let far: usize = reasons.iter().map(|(_, count)| count).sum();
        let list: Vec<String> = reasons.iter().map(|(why, count)| format!("{why} ({count})")).collect();
        let marked = if far == 0 {
            String::new()
        } else {
            format!("* Outside 0.75 to 1.25, {far} of {compared}: {}.", list.join("; "))
        };
        let note = [joined(&note, difference), marked].join(" ");
        self.page.table(table.note(note.trim()));
    }

    /// All pairs of numbers on the page.
    pub(super) fn pairs(&self) -> &[PaperPair] {
        &self.pairs
    }
}

fn shown(ratio: Option<f64>) -> String {
    ratio.map_or_else(String::new, |ratio| format!("\u{d7}{}", significant(ratio)))
}

fn joined(published: &str, ours: &str) -> String {
    let both: Vec<String> = [("Of the paper: ", published), ("Ours: ", ours)]
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(whose, text)| format!("{whose}{text}"))
        .collect();
    both.join(" ")
}

/// So many processors, in words.
pub(super) fn counted(processors: usize) -> String {
    if processors == 1 { "1 processor".to_owned() } else { format!("{processors} processors") }
}

pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_against_the_nearer_end() {
        assert_eq!(Said::Number(2.0).ratio(3.0), Some(1.5));
        let range = Said::Between(Some(2.0), Some(4.0));
        assert_eq!([1.0, 3.0, 8.0].map(|ours| range.ratio(ours)), [Some(0.5), Some(1.0), Some(2.0)]);
        assert_eq!((Said::Nothing.ratio(1.0), Said::Between(None, Some(1.0)).ratio(2.0)), (None, Some(2.0)));
    }

    #[test]
    fn every_pair_is_written_and_one_far_off_has_a_reason() {
        let mut sheet = Sheet::new(Size::Quick);
        let rows = [
            Row::new("dts-1", "4", Said::Number(3.0), 2.4).between((2.0, 3.0)),
            Row::new("dts-1", "no such thing", Said::Number(1.0), 2.0),
        ];
        sheet.compare("dts-1", &rows, "");
        let csv = crate::report::csv(sheet.pairs());
        assert!(csv.contains("dts-1,4,3.00,2.4,2.0,3.0,0.7999"), "{csv}");
        assert_eq!(sheet.pairs().iter().map(|pair| pair.why.is_empty()).collect::<Vec<_>>(), [true, false]);
        assert_eq!(sheet.pairs().iter().map(PaperPair::is_reproduced).collect::<Vec<_>>(), [Some(true), Some(false)]);
    }
}
