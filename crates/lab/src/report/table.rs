//! Tables of a report.

use super::html::escape;
use std::fmt::Write;

/// A column: its head, and the cell of a row.
pub type Column<T> = (&'static str, fn(&T) -> String);

/// A table. Columns of numbers are aligned to the right.
#[derive(Clone, Debug, Default)]
pub struct ReportTable {
    title: String,
    columns: Vec<String>,
    rows: Vec<(Vec<String>, bool)>,
    note: String,
}

impl ReportTable {
    /// An empty table with these columns.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> ReportTable {
        ReportTable { columns: columns.into_iter().map(Into::into).collect(), ..ReportTable::default() }
    }

    /// A table of these rows, column by column.
    pub fn of<'r, T: 'r>(rows: impl IntoIterator<Item = &'r T>, columns: &[Column<T>]) -> ReportTable {
        let mut table = ReportTable::new(columns.iter().map(|(head, _)| *head));
        for row in rows {
            table.push(columns.iter().map(|(_, cell)| cell(row)));
        }
        table
    }

    /// What stands above it.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> ReportTable {
        self.title = title.into();
        self
    }

    /// One more row.
    #[must_use]
    pub fn row<S: Into<String>>(mut self, cells: impl IntoIterator<Item = S>) -> ReportTable {
        self.push(cells);
        self
    }

    /// Sets the text below it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> ReportTable {
        self.note = note.into();
        self
    }

    /// One more row.
    pub fn push<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push((cells.into_iter().map(Into::into).collect(), false));
    }

    /// Adds a row that sums up the others.
    pub fn push_strong<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push((cells.into_iter().map(Into::into).collect(), true));
    }

    /// Has a column only numbers, or nothing?
    fn is_of_numbers(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|(row, _)| row.get(column)).filter(|cell| !cell.is_empty());
        cells.all(|cell| {
            let rest = cell.trim_start_matches(['-', '\u{2212}', '+', '\u{d7}', '<', '>', '\u{b1}', '[', '~']);
            rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit())
        })
    }

    pub(super) fn html(&self) -> String {
        let mut html = String::from("<figure class=\"table\">");
        if !self.title.is_empty() {
            let _ = write!(html, "<figcaption>{}</figcaption>", escape(&self.title));
        }
        let class = |column| if self.is_of_numbers(column) { " class=\"n\"" } else { "" };
        html.push_str("<div class=\"scroll\"><table><thead><tr>");
        for (column, name) in self.columns.iter().enumerate() {
            let _ = write!(html, "<th{}>{}</th>", class(column), escape(name));
        }
        html.push_str("</tr></thead><tbody>\n");
        for (row, is_strong) in &self.rows {
            html.push_str(if *is_strong { "<tr class=\"strong\">" } else { "<tr>" });
            for (column, cell) in row.iter().enumerate() {
                let _ = write!(html, "<td{}>{}</td>", class(column), escape(cell));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody></table></div>");
        if !self.note.is_empty() {
            let _ = write!(html, "<p class=\"note\">{}</p>", escape(&self.note));
        }
        html.push_str("</figure>\n");
        html
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_and_text_is_escaped() {
        let mut table = ReportTable::new(["who", "speed & up"]).row(["a<b", "1.5"]).row(["c", "\u{2212}2 %"]).note("n");
        table.push_strong(["mean", "0"]);
        let html = table.html();
        assert!(html.contains("<td>a&lt;b</td><td class=\"n\">1.5</td>"), "{html}");
        assert!(html.contains("<th class=\"n\">speed &amp; up</th>"), "{html}");
        assert!(html.contains("<tr class=\"strong\"><td>mean</td>"), "{html}");
    }
}
