//! The published tables and figures of the papers, as data.
//! `data/published.toml` describes its format, and notes what is missing in our copies of the papers.

use serde::Deserialize;
use std::fmt;
use std::sync::LazyLock;

/// Everything that was published.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The papers.
    #[serde(rename = "paper")]
    pub papers: Vec<Paper>,
    /// Their tables, and their figures with more than one number.
    #[serde(rename = "table")]
    pub tables: Vec<PublishedTable>,
    /// Single figures.
    #[serde(rename = "value")]
    pub values: Vec<PublishedValue>,
}

/// A paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// Its short name.
    pub id: String,
    /// Authors, title, place and year.
    pub citation: String,
}

/// A table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTable {
    /// Its name here.
    pub id: String,
    /// The short name of its paper.
    pub paper: String,
    /// Its place in the paper.
    #[serde(rename = "where")]
    pub place: String,
    /// What it shows.
    pub title: String,
    /// The unit of all its numbers, unless the columns give one.
    #[serde(default)]
    pub unit: String,
    /// What a reader should know about it.
    #[serde(default)]
    pub note: String,
    /// The heads of its columns; the first column names the row.
    pub columns: Vec<String>,
    /// Its rows, each as long as there are columns.
    pub rows: Vec<Vec<PublishedCell>>,
    /// Sums and means printed below it: rows of the same shape.
    #[serde(default)]
    pub summary: Vec<Vec<PublishedCell>>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum PublishedCell {
    /// A whole number.
    Integer(i64),
    /// A number with decimals.
    Real(f64),
    /// A name; empty if the paper prints nothing here or our copy has lost it.
    Text(String),
}

/// A single figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedValue {
    /// Its name here.
    pub id: String,
    /// The short name of its paper.
    pub paper: String,
    /// Its place in the paper.
    #[serde(rename = "where")]
    pub place: String,
    /// What it is.
    pub title: String,
    /// Its unit.
    #[serde(default)]
    pub unit: String,
    /// What a reader should know about it.
    #[serde(default)]
    pub note: String,
    /// The figure, if there is one.
    pub value: Option<f64>,
    /// It is not less than this.
    pub at_least: Option<f64>,
    /// It is not more than this.
    pub at_most: Option<f64>,
    /// How it is computed.
    pub formula: Option<String>,
}

static PUBLISHED: LazyLock<Published> =
    LazyLock::new(|| toml::from_str(include_str!("../data/published.toml")).expect("built in, read by the tests"));

/// Everything that was published.
pub fn published() -> &'static Published {
    &PUBLISHED
}

impl Published {
    /// The paper of this short name.
    pub fn paper(&self, id: &str) -> Option<&Paper> {
        self.papers.iter().find(|paper| paper.id == id)
    }

    /// The table of this name.
    pub fn table(&self, id: &str) -> Option<&PublishedTable> {
        self.tables.iter().find(|table| table.id == id)
    }

    /// The single figure of this name.
    pub fn value(&self, id: &str) -> Option<&PublishedValue> {
        self.values.iter().find(|value| value.id == id)
    }
}

impl PublishedTable {
    /// The index of the column with this head.
    pub fn column(&self, head: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == head)
    }

    /// The row, or else the line of the summary, of this name.
    pub fn row(&self, name: &str) -> Option<&[PublishedCell]> {
        let is_named = |row: &&Vec<PublishedCell>| row.first().is_some_and(|cell| cell.to_string() == name);
        self.rows.iter().chain(&self.summary).find(is_named).map(Vec::as_slice)
    }

    /// The number in this row and column. None: there is no such row or column, or no number there.
    pub fn number(&self, row: &str, column: &str) -> Option<f64> {
        self.row(row)?.get(self.column(column)?)?.number()
    }

    /// The numbers of a column, row by row, without the summary.
    pub fn numbers(&self, column: &str) -> Vec<Option<f64>> {
        let Some(index) = self.column(column) else { return Vec::new() };
        self.rows.iter().map(|row| row.get(index).and_then(PublishedCell::number)).collect()
    }
}

impl PublishedCell {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            PublishedCell::Integer(number) => Some(*number as f64),
            PublishedCell::Real(number) => Some(*number),
            PublishedCell::Text(_) => None,
        }
    }
}

impl fmt::Display for PublishedCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PublishedCell::Integer(number) => number.fmt(f),
            // 2.0 stays 2.0.
            PublishedCell::Real(number) => f.pad(&format!("{number:?}")),
            PublishedCell::Text(text) => text.fmt(f),
        }
    }
}

impl fmt::Display for PublishedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = match (self.value, self.at_least, self.at_most) {
            (Some(value), ..) => value.to_string(),
            (None, Some(low), Some(high)) => format!("{low} to {high}"),
            (None, Some(low), None) => format!("at least {low}"),
            (None, None, Some(high)) => format!("at most {high}"),
            (None, None, None) => self.formula.clone().unwrap_or_default(),
        };
        f.pad(format!("{number} {}", self.unit).trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate;
    use crate::suite::Builtin;
    use std::collections::HashSet;

    fn table(id: &str) -> &'static PublishedTable {
        published().table(id).unwrap_or_else(|| panic!("no table {id}"))
    }

    /// A column without gaps.
    fn column(id: &str, head: &str) -> Vec<f64> {
        let numbers: Vec<f64> = table(id).numbers(head).into_iter().flatten().collect();
        assert_eq!(numbers.len(), table(id).rows.len(), "{id}, {head}");
        numbers
    }

    fn sum(id: &str, head: &str) -> f64 {
        column(id, head).iter().sum()
    }

    #[track_caller]
    fn assert_near(found: f64, printed: f64, tolerance: f64) {
        assert!((found - printed).abs() <= tolerance, "{found} is not {printed}");
    }

    const PROCESSORS: [&str; 5] = ["1", "2", "4", "8", "16"];

    #[test]
    fn ids_are_unique_and_papers_known() {
        let all = published();
        let tables = all.tables.iter().map(|table| (&table.id, &table.paper));
        let values = all.values.iter().map(|value| (&value.id, &value.paper));
        let mut seen = HashSet::new();
        for (id, paper) in tables.chain(values) {
            assert!(seen.insert(id), "{id} twice");
            assert!(all.paper(paper).is_some(), "{id}: unknown paper {paper}");
            assert!(id.starts_with(&format!("{paper}-")), "{id} is not named after {paper}");
        }
    }

    #[test]
    fn tables_are_rectangular_and_their_rows_have_names() {
        for table in &published().tables {
            assert!(!table.rows.is_empty(), "{}", table.id);
            let heads: HashSet<_> = table.columns.iter().collect();
            assert_eq!(heads.len(), table.columns.len(), "{}: a column twice", table.id);
            for row in table.rows.iter().chain(&table.summary) {
                assert_eq!(row.len(), table.columns.len(), "{}: {row:?}", table.id);
                assert_ne!(row[0].to_string(), "", "{}", table.id);
            }
        }
    }

    #[test]
    fn values_say_something_that_can_be() {
        for value in &published().values {
            let says = value.value.is_some() || value.at_least.is_some() || value.at_most.is_some();
            assert!(says || value.formula.is_some(), "{}", value.id);
            let range = value.at_least.zip(value.at_most);
            assert!(range.is_none_or(|(low, high)| low <= high), "{}", value.id);
            assert_ne!(value.to_string(), "", "{}", value.id);
        }
    }

    #[test]
    fn cells_and_values_are_shown_as_printed() {
        assert_eq!(PublishedCell::Integer(87_735_974).to_string(), "87735974");
        assert_eq!(format!("{:>5}", PublishedCell::Real(2.0)), "  2.0");
        let show = |id| published().value(id).map(ToString::to_string);
        assert_eq!(show("startech-eq2-c1").as_deref(), Some("1.02"));
        assert_eq!(show("cray-blitz-extra-nodes").as_deref(), Some("at most 1 %"));
        assert_eq!(show("dts-idle").as_deref(), Some("0.01 to 0.1 seconds"));
        assert_eq!(show("startech-theorem-1-parallelism").as_deref(), Some("(d/2)^(h/2)"));
    }

    #[test]
    fn lookup_by_names() {
        assert_eq!(table("dts-6").number("24", "16"), Some(14.4));
        assert_eq!(table("dts-6").number("mean", "16"), Some(11.1));
        assert_eq!(table("dts-2").number("16", "speedup"), None);
        assert_eq!(table("dts-6").number("25", "16"), None);
        assert_eq!(table("dts-6").numbers("32"), []);
        assert!(published().table("dts-7").is_none());
    }

    #[test]
    fn dts_has_a_row_for_every_position_of_the_suite() {
        for id in ["dts-4", "dts-5", "dts-6"] {
            assert_eq!(table(id).rows.len(), Builtin::Dts.suite().records.len());
        }
        assert_eq!(table("zugzwang-5").rows.len(), Builtin::BratkoKopec.suite().records.len());
    }

    #[test]
    fn dts_means_are_those_of_the_rows() {
        for head in PROCESSORS {
            let printed = table("dts-6").number("mean", head).expect("printed");
            assert_near(sum("dts-6", head) / 24.0, printed, 0.0501);
            assert_eq!(table("dts-3").number(head, "speedup"), Some(printed));
        }
    }

    /// The author computed times from speedups, and so the two tables check each other, to the second.
    #[test]
    fn dts_times_follow_from_the_speedups() {
        let alone = column("dts-4", "1");
        for head in PROCESSORS {
            let (times, speedups) = (column("dts-4", head), column("dts-6", head));
            for ((alone, time), speedup) in alone.iter().zip(times).zip(speedups) {
                // Sixteen processors were measured, one computed; the others were computed from one.
                let (computed, given) = if head == "16" { (time * speedup, *alone) } else { (alone / speedup, time) };
                assert!((-0.01..=1.01).contains(&(computed - given)), "{head} processors: {computed}, {given}");
            }
        }
    }

    /// Every processor searched as many nodes a second as one alone, or a little more: one alone was disturbed by
    /// others.
    #[test]
    fn dts_nodes_follow_from_the_times() {
        let rates =
            |head| column("dts-5", head).into_iter().zip(column("dts-4", head)).map(|(nodes, time)| nodes / time);
        for head in PROCESSORS {
            let processors: f64 = head.parse().expect("a number");
            for (alone, rate) in rates("1").zip(rates(head)) {
                assert_near(rate / processors / alone, 1.01, 0.015);
            }
        }
    }

    #[test]
    fn cray_blitz_speedups_are_ratios_of_times() {
        // Speedups are rounded to one decimal in figure 1, to two in figure 2, which has a misprint.
        for (id, rounding, misprints) in [("cray-blitz-1", 0.05, 0), ("cray-blitz-2", 0.005, 1)] {
            let (times, speedups) = (column(id, "seconds"), table(id).numbers("speedup"));
            let mut alone = 0.0;
            let mut wrong = 0;
            for (time, speedup) in times.into_iter().zip(speedups) {
                let Some(speedup) = speedup else {
                    alone = time;
                    continue;
                };
                // Times are rounded to seconds.
                let (low, high) = ((alone - 0.5) / (time + 0.5), (alone + 0.5) / (time - 0.5));
                wrong += i32::from(!(low - rounding..=high + rounding).contains(&speedup));
            }
            assert_eq!(wrong, misprints, "{id}");
        }
    }

    #[test]
    fn startech_ratings_are_equation_1() {
        for id in ["startech-4", "startech-5"] {
            for (seconds, rating) in column(id, "seconds, best 20").into_iter().zip(column(id, "rating")) {
                assert!((-0.51..1.0).contains(&(rate::estimate(seconds) - rating)), "{seconds} s, {rating}");
            }
        }
        let of = |id| published().value(id).and_then(|value| value.value);
        assert_eq!(of("startech-eq1-constant"), Some(rate::estimate(1.0)));
        assert_eq!(of("startech-eq1-slope"), Some(rate::estimate(1.0) - rate::estimate(10.0)));
    }

    #[test]
    fn startech_gets_better_with_every_processor_and_entry() {
        assert!(column("startech-4", "positions visited").is_sorted_by(|a, b| a >= b));
        for head in ["seconds, best 20", "seconds, all 25"] {
            assert!(column("startech-5", head).is_sorted_by(|a, b| a > b));
        }
        let all = column("startech-5", "seconds, all 25");
        assert_near(all[0] / all[9], 56.5, 0.05);
    }

    #[test]
    fn startech_shares_add_up() {
        assert_near(sum("startech-8", "share"), 100.0, 0.15);
        let work = table("startech-9").number("chess work", "share").expect("printed");
        assert_near(sum("startech-9", "share"), work, 0.15);
        assert_eq!(table("startech-8").number("chess work", "share"), Some(work));
        let waiting = ["waiting for the global table", "waiting for a child", "child waiting for its parent's abort"];
        let shares = waiting.iter().filter_map(|row| table("startech-8").number(row, "share")).sum();
        assert_near(
            shares,
            published().value("startech-waiting").and_then(|value| value.value).expect("printed"),
            0.01,
        );
    }

    #[test]
    fn zugzwang_rows_agree_with_themselves() {
        let table = table("zugzwang-5");
        let at =
            |row: &[PublishedCell], head| table.column(head).and_then(|index| row[index].number()).expect("a number");
        for row in table.rows.iter().chain(&table.summary[1..]) {
            // Means are of times rounded down to seconds.
            let tolerance = if row[0].to_string().starts_with("mean") { 0.1 } else { 0.0051 };
            assert_near(at(row, "seconds, 1") / at(row, "seconds, 64"), at(row, "speedup"), tolerance);
            assert_near((at(row, "nodes, 64") / at(row, "nodes, 1") - 1.0) * 100.0, at(row, "overhead, %"), 0.0051);
        }
    }

    #[test]
    fn zugzwang_sums_and_means_are_those_of_the_rows() {
        let table = table("zugzwang-5");
        let printed = |row, head| table.number(row, head).expect("printed");
        for (head, tolerance) in [("nodes, 1", 3.0), ("seconds, 1", 11.0), ("nodes, 64", 45.0), ("seconds, 64", 0.0)] {
            let sum = sum("zugzwang-5", head);
            assert_near(sum, printed("sum", head), tolerance);
            assert_near(sum / 24.0, printed("mean", head), 2.0);
            let replaced = sum - printed("B05", head) + printed("B05 to 6 plies", head);
            assert_near(replaced / 24.0, printed("mean, B05 to 6 plies", head), 1.0);
        }
        assert_near(sum("zugzwang-5", "seconds, 1") / sum("zugzwang-5", "seconds, 64"), 34.77, 0.0051);
        let right = table.rows.iter().filter(|row| row[1].to_string().ends_with('!')).count();
        assert_eq!(right.to_string(), table.row("sum").expect("printed")[1].to_string());
        let depth_7 = self::table("zugzwang-speedup").number("7", "64");
        assert_eq!(depth_7, table.number("mean", "speedup"));
        assert_eq!(depth_7, self::table("zugzwang-4").number("depths 1 to 7", "speedup"));
    }

    #[test]
    fn zugzwang_delays_are_ratios_of_rates() {
        let (rates, delays) = (column("zugzwang-3", "nodes a second"), column("zugzwang-3", "delay, %"));
        for (run, alone) in [(1, 0), (2, 0), (4, 3)] {
            assert_near((1.0 - rates[run] / rates[alone]) * 100.0, delays[run], 0.0051);
        }
    }

    #[test]
    fn zugzwang_times_agree_with_its_speedups() {
        let (times, speedups) = (table("zugzwang-times"), table("zugzwang-speedup"));
        for processors in ["16", "64"] {
            let time = |row| times.number(row, "seconds").expect("printed");
            let printed = speedups.number("7", processors).expect("printed");
            assert_near(time("1") / time(processors), printed, 0.03);
        }
    }
}
