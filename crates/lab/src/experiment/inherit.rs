//! Goes on with an experiment that another version of the program began, if both make the same searches.

use super::folder::Folder;
use super::{LabError, Measurement, Run, perform};
use std::collections::HashMap;
use std::path::Path;

/// Opens a folder as [`Folder::open`] does. Where another version of the program wrote the rows, the smallest search of every
/// algorithm by every set of rules on every machine is made again; the rows stay if all come out the same to the last number.
/// `tell` is given that version and the number of those searches before they are made.
///
/// # Errors
/// As [`Folder::open`]; and if a search comes out differently, or none can be made again.
pub fn inherit(path: &Path, version: &str, tell: &dyn Fn(&str, usize)) -> Result<Folder, LabError> {
    Folder::open_if(path, version, &|folder, theirs| {
        let rows = folder.rows();
        let samples = samples(&rows);
        if samples.is_empty() && !rows.is_empty() || !folder.notes().is_empty() {
            return Err(LabError::Version { path: path.to_owned(), theirs: theirs.to_owned() });
        }
        tell(theirs, samples.len());
        for row in samples {
            if perform(&row.run)? != *row {
                let Run { id, algorithm, processors, .. } = &row.run;
                let search = format!("{id} by {algorithm} on {processors}");
                return Err(LabError::OtherSearch { path: path.to_owned(), theirs: theirs.to_owned(), search });
            }
        }
        Ok(())
    })
}

/// The smallest search of each kind, among those that can be made by themselves.
fn samples(rows: &[Measurement]) -> Vec<&Measurement> {
    let mut least: HashMap<[&str; 4], &Measurement> = HashMap::new();
    for row in rows.iter().filter(|row| stands_alone(&row.run)) {
        let Run { algorithm, rules, profile, table, .. } = &row.run;
        let sample = least.entry([algorithm, rules, profile, table]).or_insert(row);
        if (row.nodes, &row.run.id, row.run.processors) < (sample.nodes, &sample.run.id, sample.run.processors) {
            *sample = row;
        }
    }
    let mut samples: Vec<_> = least.into_values().collect();
    samples.sort_by_key(|row| row.nodes);
    samples
}

/// Can the search be made without others before it? In a game only the first can.
fn stands_alone(run: &Run) -> bool {
    let is_first = || {
        let suite = crate::suite::load(&run.suite).ok();
        suite.is_some_and(|suite| suite.records.first().is_some_and(|first| first.fen == run.fen))
    };
    !run.kept || is_first()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tests::{Scratch, small_plan};
    use crate::experiment::{Course, Plan};
    use std::cell::RefCell;

    /// A folder with the searches of a small plan.
    fn filled(scratch: &Scratch, plan: &Plan) {
        plan.perform(&Folder::open(scratch.path(), "v1").unwrap(), 2, &|_| {}).unwrap();
    }

    #[test]
    fn a_later_version_goes_on_if_it_makes_the_same_searches() {
        for course in [Course::Apart, Course::Game] {
            let scratch = Scratch::new("same");
            let plan = Plan { course, ..small_plan() };
            filled(&scratch, &plan);
            assert!(matches!(Folder::open(scratch.path(), "v2"), Err(LabError::Version { .. })));
            let told = RefCell::new(Vec::new());
            let tell = |theirs: &str, count| told.borrow_mut().push((theirs.to_owned(), count));
            let folder = inherit(scratch.path(), "v2", &tell).unwrap();
            assert_eq!(*told.borrow(), [("v1".to_owned(), 3)], "serial, jubilee and ybw");
            assert_eq!(folder.versions(), ["v1", "v2"]);
            assert!(plan.left(&folder).is_empty());
            drop(folder);
            // Nothing is made again by the version that went on.
            assert_eq!(Folder::open(scratch.path(), "v2").unwrap().versions(), ["v1", "v2"]);
        }
    }

    #[test]
    fn rows_of_another_search_are_refused_and_stay() {
        let scratch = Scratch::new("other");
        filled(&scratch, &small_plan());
        let folder = Folder::open(scratch.path(), "v1").unwrap();
        let other = Measurement { nodes: 1, ..folder.rows().swap_remove(0) };
        folder.keep(&other).unwrap();
        drop(folder);
        let journal = || std::fs::read(scratch.path().join("journal.jsonl")).unwrap();
        let before = journal();
        let Err(error) = inherit(scratch.path(), "v2", &|_, _| {}) else { panic!("inherited") };
        assert!(error.to_string().contains(&format!("search of {} by", other.run.id)), "{error}");
        assert_eq!(journal(), before);
    }
}
