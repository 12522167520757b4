//! The index of everything that was published, with a mark for each.

use super::reasons::reasons;
use super::sheet::{PaperPair, capital};
use crate::published::published;
use crate::report::ReportTable;

/// What became of a published table, figure or claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// All ratios are near one.
    Reproduced,
    /// Some are not.
    Differs,
    /// Nothing of it can be measured.
    Cannot(String),
    /// Ours is set to it.
    TakenOver,
    /// Its rows are measured, but nothing was published that they could be compared with.
    Shown,
    /// It should have rows and has none.
    Missing,
}

/// A line of the index.
pub(super) struct Line {
    pub(super) id: String,
    pub(super) paper: String,
    place: String,
    title: String,
    how: String,
    pub(super) verdict: Verdict,
    /// Ratios near one, and all.
    counts: (usize, usize),
    why: Vec<String>,
}

/// One line for each published id of these papers, in their order.
pub(super) fn lines(pairs: &[PaperPair], papers: &[&str]) -> Vec<Line> {
    let all = published();
    let tables = all.tables.iter().map(|table| (&table.id, &table.paper, &table.place, &table.title));
    let values = all.values.iter().map(|value| (&value.id, &value.paper, &value.place, &value.title));
    let mut lines: Vec<Line> = tables
        .chain(values)
        .filter(|(_, paper, ..)| papers.contains(&paper.as_str()))
        .map(|(id, paper, place, title)| line(pairs, id, paper, place, title))
        .collect();
    lines.sort_by_key(|line| papers.iter().position(|paper| *paper == line.paper));
    lines
}

fn line(pairs: &[PaperPair], id: &str, paper: &str, place: &str, title: &str) -> Line {
    let about = reasons().about(id);
    let mine: Vec<&PaperPair> = pairs.iter().filter(|pair| pair.id == id).collect();
    let judged: Vec<bool> = mine.iter().filter_map(|pair| pair.is_reproduced()).collect();
    let near = judged.iter().filter(|near| **near).count();
    let cannot = about.map(|about| about.cannot.as_str()).filter(|text| !text.is_empty());
    let verdict = match cannot {
        Some(text) => Verdict::Cannot(text.to_owned()),
        None if mine.is_empty() => Verdict::Missing,
        None if reasons().is_taken_over(id) => Verdict::TakenOver,
        None if judged.is_empty() => Verdict::Shown,
        None if near == judged.len() => Verdict::Reproduced,
        None => Verdict::Differs,
    };
    let mut why: Vec<String> = Vec::new();
    for pair in mine.iter().filter(|pair| !pair.why.is_empty()) {
        if !why.contains(&pair.why) {
            why.push(pair.why.clone());
        }
    }
    Line {
        id: id.to_owned(),
        paper: paper.to_owned(),
        place: place.to_owned(),
        title: title.to_owned(),
        how: about.map_or_else(String::new, |about| about.how.clone()),
        verdict,
        counts: (near, judged.len()),
        why,
    }
}

impl Line {
    fn mark(&self) -> String {
        match &self.verdict {
            Verdict::Reproduced => "reproduced".to_owned(),
            Verdict::Differs => format!("differs because: {}", self.why.join("; ")),
            Verdict::Cannot(why) => format!("cannot be reproduced because {why}"),
            Verdict::TakenOver => "taken over from the paper: no evidence".to_owned(),
            Verdict::Shown => "measured; nothing was printed to compare with".to_owned(),
            Verdict::Missing => "not measured".to_owned(),
        }
    }
}

/// How many ratios are near one, in one sentence, without figures that ours are set to.
pub fn summary(pairs: &[PaperPair]) -> String {
    let pairs: Vec<&PaperPair> =
        pairs.iter().filter(|pair| pair.ratio.is_some() && !reasons().is_taken_over(&pair.id)).collect();
    let within = |most: f64| pairs.iter().filter(|pair| pair.is_within(most) == Some(true)).count();
    let compared = pairs.len();
    format!(
        "Of {compared} pairs of a published number and ours, {} are within 10 % of each other and {} within 25 %.",
        within(0.1),
        within(0.25)
    )
}

/// The index as a table.
pub(super) fn table(lines: &[Line]) -> ReportTable {
    let mut table = ReportTable::new(["id", "where", "what", "within 25 %", "mark", "how it was measured"])
        .title("Everything that was published, with what became of it");
    for line in lines {
        let (near, all) = line.counts;
        let counts = if all == 0 { String::new() } else { format!("{near} of {all}") };
        let place = capital(&line.place);
        table.push([line.id.clone(), place, line.title.clone(), counts, line.mark(), line.how.clone()]);
        if !matches!(line.verdict, Verdict::Cannot(_) | Verdict::Missing) {
            table.link_last(format!("#{}", line.id));
        }
    }
    table.note("Reproduced: every ratio of ours to what was published lies between 0.75 and 1.25.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(id: &str, ratio: Option<f64>, why: &str) -> PaperPair {
        let (published, quantity) = (String::new(), String::new());
        PaperPair { id: id.into(), quantity, published, ours: 1.0, low: None, high: None, ratio, why: why.into() }
    }

    #[test]
    fn marks_follow_from_ratios() {
        let verdict = |ratios: &[Option<f64>]| {
            let pairs: Vec<_> = ratios.iter().map(|&ratio| pair("dts-1", ratio, "")).collect();
            lines(&pairs, &["dts"]).into_iter().find(|line| line.id == "dts-1").unwrap().verdict
        };
        assert_eq!(verdict(&[Some(0.8), Some(1.2)]), Verdict::Reproduced);
        assert_eq!(verdict(&[Some(0.8), Some(1.3)]), Verdict::Differs);
        assert_eq!(verdict(&[None]), Verdict::Shown);
        assert_eq!(verdict(&[]), Verdict::Missing);
    }

    #[test]
    fn the_sentence_counts() {
        let pairs =
            [pair("a", Some(1.05), ""), pair("a", Some(0.8), ""), pair("a", Some(2.0), "x"), pair("a", None, "")];
        let expected = "Of 3 pairs of a published number and ours, 1 are within 10 % of each other and 2 within 25 %.";
        assert_eq!(summary(&pairs), expected);
    }
}
