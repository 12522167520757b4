//! One page of a report: HTML without external resources.

use super::html::escape;
use super::{Origin, Picture, Plot, ReportTable};
use std::fmt::Write;

/// A page, filled from top to bottom.
#[derive(Clone, Debug, Default)]
pub struct Page {
    title: String,
    body: String,
    sections: Vec<String>,
}

const STYLE: &str = "\
:root{color-scheme:light}\
body{font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;color:#1c2430;background:#fff;\
max-width:1240px;margin:2rem auto;padding:0 1.2rem}\
h1{font-size:1.7rem;margin:0 0 .4rem}h2{font-size:1.25rem;margin:2.4rem 0 .6rem;padding-top:.6rem;border-top:1px solid #dfe4ea}\
h3{font-size:1.05rem;margin:1.6rem 0 .4rem}p{max-width:52rem;margin:.5rem 0}\
nav{font-size:.9rem;margin:.6rem 0 1.2rem}nav a{margin-right:1.1rem;color:#0b5cad;text-decoration:none}\
figure{margin:1.1rem 0}figcaption{font-weight:600;margin-bottom:.3rem}\
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.87rem;font-variant-numeric:tabular-nums}\
th,td{padding:.22rem .6rem;text-align:left;white-space:nowrap}th{border-bottom:1.5px solid #8793a3;font-weight:600;\
vertical-align:bottom;white-space:normal}td{border-bottom:1px solid #edf0f4}.n{text-align:right}tr.strong td{font-weight:600;\
border-top:1px solid #8793a3}tbody tr:hover{background:#f5f8fb}.note{font-size:.85rem;color:#55606e}\
svg{max-width:100%;height:auto}.picture{display:inline-block;vertical-align:top;margin-right:.6rem}.facts td{white-space:normal;vertical-align:top}.facts td:first-child{color:#55606e}";

impl Page {
    /// An empty page.
    pub fn new(title: impl Into<String>) -> Page {
        Page { title: title.into(), ..Page::default() }
    }

    /// Begins a section.
    pub fn section(&mut self, title: &str) -> &mut Page {
        self.sections.push(title.to_owned());
        let _ = writeln!(self.body, "<h2 id=\"s{}\">{}</h2>", self.sections.len(), escape(title));
        self
    }

    /// Begins a part of a section.
    pub fn subsection(&mut self, title: &str) -> &mut Page {
        let _ = writeln!(self.body, "<h3>{}</h3>", escape(title));
        self
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: &str) -> &mut Page {
        let _ = writeln!(self.body, "<p>{}</p>", escape(text));
        self
    }

    /// Adds a table.
    pub fn table(&mut self, table: ReportTable) -> &mut Page {
        self.body.push_str(&table.html());
        self
    }

    /// Adds a plot.
    pub fn plot(&mut self, plot: &Plot) -> &mut Page {
        self.picture(&plot.picture())
    }

    /// Adds a picture.
    pub fn picture(&mut self, picture: &Picture) -> &mut Page {
        let _ = write!(
            self.body,
            "<figure class=\"picture\"><figcaption>{}</figcaption>{}",
            escape(&picture.title),
            picture.svg
        );
        if !picture.note.is_empty() {
            let _ = write!(self.body, "<p class=\"note\">{}</p>", escape(&picture.note));
        }
        self.body.push_str("</figure>\n");
        self
    }

    /// The end of every page: how it was made.
    pub fn how_it_was_made(&mut self, origin: &Origin) -> &mut Page {
        self.section("How it was made");
        let _ = write!(self.body, "<div class=\"facts\">{}</div>", origin.table().html());
        self
    }

    /// The page as HTML.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let links = self.sections.iter().enumerate();
        let links: String =
            links.map(|(index, name)| format!("<a href=\"#s{}\">{}</a>", index + 1, escape(name))).collect();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{title}</title>\
             <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n<nav>{links}</nav>\n{}</body></html>\n",
            self.body
        )
    }

    /// Writes the page as `index.html` into the folder of an experiment.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write(&self, folder: &crate::experiment::Folder) -> Result<(), crate::experiment::LabError> {
        folder.write("index.html", &self.html())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_needs_nothing_from_outside() {
        let mut page = Page::new("A & B");
        page.section("One").text("x < y").how_it_was_made(&Origin::here("v1"));
        let html = page.html();
        assert!(html.contains("<title>A &amp; B</title>") && html.contains("x &lt; y"));
        assert!(html.contains("href=\"#s1\"") && html.contains("<td>v1</td>"));
        assert!(!html.contains("http") && !html.contains("src="), "{html}");
    }
}
