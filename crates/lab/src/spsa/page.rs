//! The results of a tuning: a table, a page, and data for other programs.

use super::State;
use crate::experiment::{Folder, LabError};
use crate::report::{Axis, Origin, Page, Plot, ReportTable, Series, fixed, percent};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// The largest number of points that are drawn.
const POINTS: usize = 500;

/// Writes the course of the values as CSV and JSON, and the page. `rules` sets the present values.
///
/// # Errors
/// If something can't be written.
pub fn write(state: &State, rules: &str, folder: &Folder, origin: Origin) -> Result<(), LabError> {
    let row = |(pair, values): (usize, &Vec<f64>)| {
        let named = state.settings().parameters.iter().zip(values);
        let cells = named.map(|(tuned, &value)| (tuned.name.clone(), Value::from(value)));
        Map::from_iter([("pair".to_owned(), Value::from(pair))].into_iter().chain(cells))
    };
    let rows: Vec<Map<String, Value>> = thinned(state).map(row).collect();
    folder.write_data("course", &rows)?;
    page(state, rules, origin).write(folder)
}

/// A limited number of pairs with the values after them, the first and the last included.
fn thinned(state: &State) -> impl Iterator<Item = (usize, &Vec<f64>)> {
    let course = state.course();
    let (last, every) = (course.len() - 1, course.len().div_ceil(POINTS));
    course.iter().enumerate().filter(move |&(pair, _)| pair.is_multiple_of(every) || pair == last)
}

/// A line for each parameter: start, end, range.
pub fn table(state: &State) -> String {
    let mut text = format!("{:<28} {:>8} {:>10} {:>16}\n", "parameter", "start", "end", "range");
    for (tuned, value) in state.settings().parameters.iter().zip(state.values()) {
        let range = format!("{} to {}", tuned.low, tuned.high);
        let _ = writeln!(text, "{:<28} {:>8} {:>10.1} {:>16}", tuned.name, tuned.start, value, range);
    }
    text
}

fn page(state: &State, rules: &str, origin: Origin) -> Page {
    let settings = state.settings();
    let mut page = Page::new("Tuning by SPSA");
    page.text(&format!(
        "{} of {} pairs of games. In each, every parameter of one engine is a step above or below the present value, \
         and that of the other engine a step to the other side; then all values move a little towards the better \
         engine. The first engines have {} of the points, which should be about a half, because directions are random.",
        state.played(),
        settings.pairs,
        percent(state.first_share())
    ));
    let head = ["parameter", "start", "now", "moved, in steps", "step", "least", "most"];
    let mut rows = ReportTable::new(head).title("Values").note(format!("To use them: --rules {rules}"));
    for (tuned, &value) in settings.parameters.iter().zip(state.values()) {
        let moved = (value - f64::from(tuned.start)) / f64::from(tuned.step);
        rows.push([
            tuned.name.clone(),
            tuned.start.to_string(),
            fixed(value, 1),
            fixed(moved, 2),
            tuned.step.to_string(),
            tuned.low.to_string(),
            tuned.high.to_string(),
        ]);
    }
    page.section("Values").table(rows);
    page.section("Course");
    for (index, tuned) in settings.parameters.iter().enumerate() {
        let points: Vec<(f64, f64)> = thinned(state).map(|(pair, values)| (pair as f64, values[index])).collect();
        let start = f64::from(tuned.start);
        let ends = vec![(0.0, start), (state.played() as f64, start)];
        page.plot(
            &Plot::new(&tuned.name, Axis::linear("pairs"), Axis::narrow("value"))
                .with(Series::steps("", points))
                .with(Series::reference("", ends)),
        );
    }
    page.how_it_was_made(&origin.fact("seed", settings.seed.to_string()).fact("rate", settings.rate.to_string()));
    page
}

#[cfg(test)]
mod tests {
    use super::super::{SpsaSettings, Tuned};
    use super::*;

    #[test]
    fn every_parameter_is_on_the_page_at_any_time() {
        let tuned = |name: &str, start| Tuned { name: name.into(), start, low: 0, high: 100, step: 2 };
        let parameters = vec![tuned("null_depth", 3), tuned("razor_margin.0", 40)];
        let mut state = State::new(SpsaSettings { parameters, pairs: 2000, rate: 0.5, seed: 1 });
        for pair in 0..=2000 {
            if pair > 0 {
                state.learn(pair, (pair % 5) as u8);
            }
            if [0, 1, 700, 2000].contains(&pair) {
                let html = page(&state, "modern,null_depth=4", Origin::default()).html();
                assert!(html.matches("<svg").count() == 2 && html.contains("razor_margin.0") && !html.contains("NaN"));
                assert!(html.contains("null_depth=4"));
                assert_eq!(table(&state).lines().count(), 3);
                let last = thinned(&state).last().unwrap();
                assert_eq!((last.0, last.1.as_slice()), (pair as usize, state.values()));
                assert!(thinned(&state).count() <= POINTS + 1);
            }
        }
    }
}
