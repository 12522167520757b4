//! The folder of a race: its laps in a journal, and a page of the repeats that are complete.

use super::race::{Lap, Laps, Race};
use super::race_page::page;
use crate::experiment::{Folder, LabError};
use crate::report::Origin;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The first line of a race in its journal.
#[derive(Serialize, Deserialize)]
struct Head {
    race: Value,
}

/// A lap as the data beside the page has it.
#[derive(Serialize)]
struct LapRow<'a> {
    position: String,
    fen: &'a str,
    repeat: usize,
    engine: &'a str,
    seconds: f64,
    nodes: f64,
}

/// What distinguishes a race from others. The number of repeats may change.
fn identity(race: &Race<'_>) -> Value {
    let positions: Vec<&str> = race.suite.records.iter().map(|record| record.fen.as_str()).collect();
    json!({ "engines": race.engines, "positions": positions, "depth": race.depth })
}

/// The laps that a folder has of this race.
///
/// # Errors
/// If the folder has something else, or can't be written.
fn known(race: &Race<'_>, folder: &Folder) -> Result<Laps, LabError> {
    let other = || {
        LabError::Settings(format!(
            "'{}' has another experiment: give the same engines, positions and depth, or choose another folder",
            folder.path().display()
        ))
    };
    let mut laps = Laps::new(race);
    let notes = folder.notes();
    let Some((first, rest)) = notes.split_first() else {
        folder.note(&Head { race: identity(race) })?;
        return Ok(laps);
    };
    let head: Head = serde_json::from_value(first.clone()).map_err(|_| other())?;
    if head.race != identity(race) {
        return Err(other());
    }
    for note in rest {
        laps.add(serde_json::from_value::<Lap>(note.clone()).map_err(|_| other())?);
    }
    Ok(laps)
}

/// Runs the laps that the folder does not have yet, and keeps them there. The page is written after each repeat. `progress`
/// gets the number of complete rounds.
///
/// # Errors
/// If an engine can't be used, or the folder has another experiment or can't be written: one line for the user.
pub fn race_in_folder(
    race: &Race<'_>,
    folder: &Folder,
    origin: &Origin,
    progress: &mut dyn FnMut(usize),
) -> Result<Laps, String> {
    let mut laps = known(race, folder).map_err(|error| error.to_string())?;
    let mut written = 0;
    race.run(&mut laps, &mut |lap, laps| {
        let kept = lap.map_or(Ok(()), |lap| folder.note(lap));
        progress(laps.complete_rounds());
        let is_new = std::mem::replace(&mut written, laps.repeats()) < laps.repeats();
        let wrote = kept.and_then(|()| if is_new { write(race, laps, folder, origin) } else { Ok(()) });
        wrote.map_err(|error| error.to_string())
    })?;
    Ok(laps)
}

/// Writes the laps as CSV and JSON, and the page.
fn write(race: &Race<'_>, laps: &Laps, folder: &Folder, origin: &Origin) -> Result<(), LabError> {
    let positions = race.suite.records.len();
    let row = |lap: Lap| LapRow {
        position: race.position_name(lap.round % positions),
        fen: &race.suite.records[lap.round % positions].fen,
        repeat: lap.round / positions,
        engine: &race.engines[lap.engine].name,
        seconds: lap.seconds,
        nodes: lap.nodes,
    };
    folder.write_data("laps", &laps.all().into_iter().map(row).collect::<Vec<_>>())?;
    page(race, laps, origin).write(folder)
}

#[cfg(test)]
mod tests {
    use super::super::race::tests::{engines, suite, two};
    use super::*;

    #[test]
    fn a_race_goes_on_and_has_its_page_after_each_repeat() {
        let scratch = tempfile::tempdir().unwrap();
        let (engines, suite) = (engines(), suite());
        let race = two(&engines, &suite);
        let folder = Folder::open(scratch.path(), "v").unwrap();
        let mut known = known(&race, &folder).unwrap();
        let stopped = race.run(&mut known, &mut |lap, laps| {
            lap.map_or(Ok(()), |lap| folder.note(lap)).map_err(|error| error.to_string())?;
            if laps.complete_rounds() == 3 { Err("stop".into()) } else { Ok(()) }
        });
        assert_eq!(stopped, Err("stop".into()));
        let page = scratch.path().join("index.html");
        assert!(!page.exists());
        let mut told = Vec::new();
        let laps = race_in_folder(&race, &folder, &Origin::default(), &mut |rounds| told.push(rounds)).unwrap();
        assert_eq!(told, [3, 3, 4], "only the last round is run");
        assert_eq!(laps.repeats(), 2);
        let html = std::fs::read_to_string(&page).unwrap();
        assert!(html.contains("Time to depth 9") && !html.contains("NaN"), "{html}");
        let rows = std::fs::read_to_string(scratch.path().join("laps.csv")).unwrap();
        assert_eq!(rows.lines().count(), 9);
        // Nothing is left to run, and the page is the same.
        race_in_folder(&race, &folder, &Origin::default(), &mut |_| {}).unwrap();
        assert_eq!(std::fs::read_to_string(&page).unwrap(), html);
        let deeper = Race { depth: 10, ..race };
        let refused = race_in_folder(&deeper, &folder, &Origin::default(), &mut |_| {});
        assert!(refused.unwrap_err().contains("has another experiment"));
    }
}
