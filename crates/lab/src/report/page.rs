//! One page of a report: HTML without external resources. Its pictures are drawn already; a script makes them interactive.

use super::html::escape;
use super::plot::{SCRIPT, STYLE as PICTURE_STYLE};
use super::terms::{TERMS, explained};
use super::{Origin, Picture, Plot, ReportTable};
use std::fmt::Write;

/// A page, filled from top to bottom.
#[derive(Clone, Debug, Default)]
pub struct Page {
    title: String,
    body: String,
    sections: Vec<String>,
    has_pictures: bool,
}

const STYLE: &str = "\
:root{color-scheme:light dark;--text:#1c2430;--back:#fff;--faint:#55606e;--line:#edf0f4;--rule:#8793a3;--link:#0b5cad;\
--hover:#f5f8fb}\
@media(prefers-color-scheme:dark){:root{--text:#dde3ea;--back:#14181d;--faint:#9aa6b4;--line:#2a313a;--rule:#5d6a7a;\
--link:#7db8f0;--hover:#1d242c}svg{filter:brightness(1.25)}}\
body{font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;color:var(--text);background:var(--back);\
max-width:1240px;margin:2rem auto;padding:0 1.2rem}a{color:var(--link)}\
h1{font-size:1.7rem;margin:0 0 .4rem}h2{font-size:1.25rem;margin:2.4rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--line)}\
h3{font-size:1.05rem;margin:1.6rem 0 .4rem}p,dl{max-width:52rem;margin:.5rem 0}h1,p,.facts td:last-child{overflow-wrap:anywhere}\
dt{font-weight:600}dd{margin:0 0 .4rem 1.2rem}abbr{text-decoration:underline dotted;text-underline-offset:.2em;cursor:help}\
nav{font-size:.9rem;margin:.6rem 0 1.2rem}nav a{margin-right:1.1rem;text-decoration:none}\
figure{margin:1.1rem 0}figcaption{font-weight:600;margin-bottom:.3rem}\
.scroll{overflow:auto;max-height:80vh;max-width:100%}table{border-collapse:separate;border-spacing:0;font-size:.87rem;\
font-variant-numeric:tabular-nums}\
th,td{padding:.22rem .6rem;text-align:left;white-space:nowrap}th{border-bottom:1.5px solid var(--rule);font-weight:600;\
vertical-align:bottom;white-space:normal;position:sticky;top:0;background:var(--back);z-index:1}\
td{border-bottom:1px solid var(--line);vertical-align:top}td:first-child{position:sticky;left:0;background:var(--back)}\
th:first-child{left:0;z-index:2}.n{text-align:right}tr.strong td{font-weight:600;\
border-top:1px solid var(--rule)}tbody tr:hover td{background:var(--hover)}.note{font-size:.85rem;color:var(--faint)}\
td.t{white-space:normal;min-width:8rem;max-width:26rem}\
svg{max-width:100%;height:auto}.picture{display:inline-block;vertical-align:top;margin-right:.6rem;max-width:100%}\
.facts td{white-space:normal;vertical-align:top}.facts td:first-child{color:var(--faint)}";

/// The name of a section in addresses.
fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

impl Page {
    /// An empty page.
    pub fn new(title: impl Into<String>) -> Page {
        Page { title: title.into(), ..Page::default() }
    }

    /// Begins a section.
    pub fn section(&mut self, title: &str) -> &mut Page {
        self.sections.push(title.to_owned());
        let _ = writeln!(self.body, "<h2 id=\"{}\">{}</h2>", slug(title), escape(title));
        self
    }

    /// Begins a part of a section.
    pub fn subsection(&mut self, title: &str) -> &mut Page {
        let _ = writeln!(self.body, "<h3>{}</h3>", escape(title));
        self
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: &str) -> &mut Page {
        let _ = writeln!(self.body, "<p>{}</p>", explained(text));
        self
    }

    /// Links to files that lie beside the page, with what is in them.
    pub fn files(&mut self, files: &[(&str, &str)]) -> &mut Page {
        let link = |(name, what): &(&str, &str)| {
            format!("<a href=\"{}\">{}</a> ({})", escape(name), escape(name), escape(what))
        };
        let links: Vec<String> = files.iter().map(link).collect();
        let _ = writeln!(self.body, "<p>{}</p>", links.join(", "));
        self
    }

    /// All sections of another page, after those of this one.
    pub fn append(&mut self, other: &Page) -> &mut Page {
        self.body.push_str(&other.body);
        self.sections.extend(other.sections.iter().cloned());
        self.has_pictures |= other.has_pictures;
        self
    }

    /// What the words mean that are explained where they are used.
    pub fn glossary(&mut self) -> &mut Page {
        self.section("Glossary");
        self.body.push_str("<dl>\n");
        for (term, meaning) in TERMS {
            let _ = writeln!(self.body, "<dt>{}</dt><dd>{}</dd>", escape(term), escape(meaning));
        }
        self.body.push_str("</dl>\n");
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
        if !picture.data.is_empty() {
            let _ = write!(self.body, "<script type=\"application/json\">{}</script>", picture.data);
        }
        if !picture.note.is_empty() {
            let _ = write!(self.body, "<p class=\"note\">{}</p>", explained(&picture.note));
        }
        self.body.push_str("</figure>\n");
        self.has_pictures = true;
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
        let links = self.sections.iter();
        let links: String = links.map(|name| format!("<a href=\"#{}\">{}</a>", slug(name), escape(name))).collect();
        let (style, script) = match self.has_pictures {
            true => (PICTURE_STYLE, format!("<script>\n{SCRIPT}</script>\n")),
            false => ("", String::new()),
        };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{title}</title>\
             <style>{STYLE}{style}</style></head><body>\n<h1>{title}</h1>\n<nav>{links}</nav>\n{}{script}</body></html>\n",
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
    use super::super::{Axis, Series};
    use super::*;

    #[test]
    fn a_page_needs_nothing_from_outside() {
        let mut page = Page::new("A & B");
        page.section("One").text("x < y").how_it_was_made(&Origin::here("v1"));
        let html = page.html();
        assert!(html.contains("<title>A &amp; B</title>") && html.contains("x &lt; y"));
        assert!(html.contains("href=\"#one\"") && html.contains("<h2 id=\"one\">") && html.contains(">v1</td>"));
        assert!(!html.contains("http") && !html.contains("src="), "{html}");
    }

    #[test]
    fn a_page_has_one_script_and_the_data_of_each_plot() {
        let plot = || Plot::new("t", Axis::linear("x"), Axis::linear("y")).with(Series::line("a", vec![(1.0, 2.5)]));
        let (mut front, mut back) = (Page::new("t"), Page::new(""));
        back.plot(&plot()).plot(&plot());
        front.append(&back);
        let html = front.html();
        assert_eq!((html.matches("<script>").count(), html.matches("<script type=").count()), (1, 2));
        let data = html.split("application/json\">").nth(2).and_then(|rest| rest.split("</script>").next()).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(data).unwrap()["series"][0]["y"][0], 2.5);
        assert!(!html.contains("src=") && !SCRIPT.contains("</") && !SCRIPT.contains("http"), "nothing from outside");
        assert_eq!(html, front.html());
        assert!(!Page::new("t").text("no picture").html().contains("<script"));
    }

    #[test]
    fn what_is_appended_is_found_and_words_are_explained() {
        let (mut front, mut back) = (Page::new("t"), Page::new(""));
        back.section("Table 1").text("a strand");
        front.section("Index").files(&[("a.csv", "all")]).append(&back).glossary();
        let html = front.html();
        assert!(html.contains("<a href=\"#table-1\">") && html.contains("<h2 id=\"table-1\">"), "{html}");
        assert!(html.contains("<a href=\"a.csv\">") && html.contains("<dt>strand</dt>"), "{html}");
        assert!(html.contains("prefers-color-scheme:dark"));
    }
}
