//! Published values beside ours.

use crate::published::published;
use crate::report::{Page, ReportTable, significant};
use serde::Serialize;

/// A published value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Said {
    /// A number.
    Number(f64),
    /// A range; either end may be missing.
    Between(Option<f64>, Option<f64>),
    /// Missing in our copy of the paper.
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

    /// Our value over the published one; over the nearer end of a range, and one inside a range.
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

/// One quantity, published and measured.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Entry {
    id: String,
    quantity: String,
    published: String,
    ours: f64,
    ratio: Option<f64>,
}

/// The page, and every pair of numbers on it.
pub(super) struct Sheet {
    pub(super) page: Page,
    entries: Vec<Entry>,
}

impl Sheet {
    pub(super) fn new(title: &str) -> Sheet {
        Sheet { page: Page::new(title), entries: Vec::new() }
    }

    /// Begins a paper.
    pub(super) fn paper(&mut self, id: &str, title: &str) {
        self.page.section(title);
        if let Some(paper) = published().paper(id) {
            self.page.text(&paper.citation);
        }
    }

    /// Begins a published table or figure: its title, its place in the paper, and notes.
    fn caption(id: &str) -> (String, String) {
        let tables = published().table(id).map(|table| (&table.title, &table.place, &table.unit, &table.note));
        let values = || published().value(id).map(|value| (&value.title, &value.place, &value.unit, &value.note));
        let Some((title, place, unit, note)) = tables.or_else(values) else { return (id.to_owned(), String::new()) };
        let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
        (format!("{}: {title}{unit}", capital(place)), note.clone())
    }

    /// Keeps a pair of numbers; its cells.
    fn pair(&mut self, id: &str, quantity: &str, said: Said, ours: f64) -> [String; 3] {
        let (published, ratio) = (said.show(), said.ratio(ours));
        let shown = ratio.map_or_else(String::new, |ratio| format!("\u{d7}{}", significant(ratio)));
        let cells = [published.clone(), significant(ours), shown];
        self.entries.push(Entry { id: id.to_owned(), quantity: quantity.to_owned(), published, ours, ratio });
        cells
    }

    /// A table of single quantities: what, published, ours, ratio.
    pub(super) fn compare(&mut self, id: &str, rows: &[(String, Said, f64)], difference: &str) {
        let (title, note) = Sheet::caption(id);
        let mut table = ReportTable::new(["", "published", "ours", "ours / published"]).title(title);
        for (quantity, said, ours) in rows {
            let [published, ours, ratio] = self.pair(id, quantity, *said, *ours);
            table.push([quantity.clone(), published, ours, ratio]);
        }
        self.page.table(table.note(joined(&note, difference)));
    }

    /// A table with one row for each position and one group of columns for each head: published, ours, ratio.
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
        let mut table = ReportTable::new(columns).title(title);
        for (name, cells) in rows {
            let mut row = vec![name.clone()];
            for (head, (said, ours)) in heads.iter().zip(cells) {
                row.extend(self.pair(id, &format!("{name}, {head}"), *said, *ours));
            }
            if name == "mean" || name == "sum" { table.push_strong(row) } else { table.push(row) }
        }
        self.page.table(table.note(joined(&note, difference)));
    }

    /// All pairs of numbers on the page.
    pub(super) fn pairs(&self) -> &[Entry] {
        &self.entries
    }
}

fn joined(published: &str, ours: &str) -> String {
    let both: Vec<String> = [("Of the paper: ", published), ("Ours: ", ours)]
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(whose, text)| format!("{whose}{text}"))
        .collect();
    both.join(" ")
}

fn capital(text: &str) -> String {
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
    fn every_pair_is_written() {
        let mut sheet = Sheet::new("t");
        sheet.compare("dts-1", &[("4".into(), Said::Number(3.0), 2.4)], "");
        let csv = crate::report::csv(sheet.pairs());
        assert!(csv.contains("dts-1,4,3.00,2.4,0.7999"), "{csv}");
    }
}
