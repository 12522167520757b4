//! Tables of a report.

use super::html::escape;
use super::terms::explained;
use std::fmt::Write;

/// A column: its head, and the cell of a row.
pub type Column<T> = (&'static str, fn(&T) -> String);

/// A table. Columns of numbers are aligned to the right.
#[derive(Clone, Debug, Default)]
pub struct ReportTable {
    title: String,
    columns: Vec<String>,
    rows: Vec<TableRow>,
    note: String,
    anchors: Vec<String>,
}

/// A row of cells.
#[derive(Clone, Debug, Default)]
struct TableRow {
    cells: Vec<String>,
    /// Does it sum up the others?
    is_strong: bool,
    /// Where its first cell leads.
    link: String,
}

/// A cell with more letters than this is broken into lines.
const LONG: usize = 40;

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

    /// Its names in addresses.
    #[must_use]
    pub fn anchors(mut self, names: Vec<String>) -> ReportTable {
        self.anchors = names;
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
        self.rows.push(TableRow { cells: cells.into_iter().map(Into::into).collect(), ..TableRow::default() });
    }

    /// The first cell of the last row leads to another place on the page.
    pub fn link_last(&mut self, address: impl Into<String>) {
        if let Some(row) = self.rows.last_mut() {
            row.link = address.into();
        }
    }

    /// Adds a row that sums up the others.
    pub fn push_strong<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.push(cells);
        if let Some(row) = self.rows.last_mut() {
            row.is_strong = true;
        }
    }

    /// Has a column only numbers, or nothing?
    fn is_of_numbers(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.cells.get(column)).filter(|cell| !cell.is_empty());
        cells.all(|cell| {
            let rest = cell.trim_start_matches(['-', '\u{2212}', '+', '\u{d7}', '<', '>', '\u{b1}', '[', '~']);
            rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit())
        })
    }

    /// Has a column cells that must be broken into lines?
    fn is_of_text(&self, column: usize) -> bool {
        self.rows.iter().filter_map(|row| row.cells.get(column)).any(|cell| cell.chars().count() > LONG)
    }

    pub(super) fn html(&self) -> String {
        let mut html = String::from("<figure class=\"table\">");
        for name in &self.anchors {
            let _ = write!(html, "<a id=\"{}\"></a>", escape(name));
        }
        if !self.title.is_empty() {
            let _ = write!(html, "<figcaption>{}</figcaption>", explained(&self.title));
        }
        let class = |column| match (self.is_of_numbers(column), self.is_of_text(column)) {
            (true, _) => " class=\"n\"",
            (false, true) => " class=\"t\"",
            (false, false) => "",
        };
        let classes: Vec<&str> = (0..self.columns.len()).map(class).collect();
        html.push_str("<div class=\"scroll\"><table><thead><tr>");
        for (name, class) in self.columns.iter().zip(&classes) {
            let _ = write!(html, "<th{class}>{}</th>", explained(name));
        }
        html.push_str("</tr></thead><tbody>\n");
        for TableRow { cells, is_strong, link } in &self.rows {
            html.push_str(if *is_strong { "<tr class=\"strong\">" } else { "<tr>" });
            for (column, cell) in cells.iter().enumerate() {
                let class = classes.get(column).copied().unwrap_or_default();
                let text = match column {
                    0 if !link.is_empty() => format!("<a href=\"{}\">{}</a>", escape(link), escape(cell)),
                    0 => explained(cell),
                    _ => escape(cell),
                };
                let _ = write!(html, "<td{class}>{text}</td>");
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody></table></div>");
        if !self.note.is_empty() {
            let _ = write!(html, "<p class=\"note\">{}</p>", explained(&self.note));
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

    #[test]
    fn rows_lead_to_tables_and_long_cells_are_broken() {
        let mut table = ReportTable::new(["id", "W/C"]).anchors(vec!["here".into()]);
        table.push(["a", &"word ".repeat(20)]);
        table.link_last("#there");
        let html = table.html();
        assert!(html.contains("<figure class=\"table\"><a id=\"here\"></a>"), "{html}");
        assert!(html.contains("<td><a href=\"#there\">a</a></td><td class=\"t\">word"), "{html}");
        assert!(html.contains("<abbr title=\"") && html.contains(">W/C</abbr>"), "{html}");
    }
}
