//! Traces of searches as files for trace viewers such as ui.perfetto.dev: one track for each processor, one above them for the
//! searches, slices for what a processor did, arrows from who gave work to who took it, marks where a split point was cut off.
//!
//! All searches of a file follow each other on one time axis. A tick of a virtual machine is shown as a nanosecond.

mod chrome;
mod format;
mod perfetto;

use chrome::Chrome;
use format::{Arrow, Details, Format, Mark, TrackSlice};
use jamboree_io::{OutputFile, WriteError};
use perfetto::Perfetto;
use search::{Occupation, RecorderLimits, Trace};
use std::fmt::Debug;
use std::io;
use std::path::Path;

/// The largest number of events in a file: viewers hold all of them in memory.
pub const LARGEST: usize = 2_000_000;

/// A file of traces that is being written.
pub struct TraceFile {
    out: OutputFile,
    format: Box<dyn Format>,
    /// Events that may still be recorded, and how exact.
    limits: RecorderLimits,
    /// When the next search begins.
    time: u64,
    /// Tracks that have a name.
    tracks: usize,
    arrows: u64,
    is_truncated: bool,
}

impl TraceFile {
    /// Begins a file: Chrome's format if its name ends with `.json`, else Perfetto's. What alternates for less than `resolution` ticks
    /// is put together.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn create(path: &Path, resolution: u64) -> Result<TraceFile, WriteError> {
        let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        let format: Box<dyn Format> = if is_json { Box::new(Chrome) } else { Box::new(Perfetto) };
        let mut out = OutputFile::create(path)?;
        format
            .begin(&mut out)
            .and_then(|()| format.track(&mut out, 0, "searches"))
            .map_err(|error| named(path, error))?;
        let limits = RecorderLimits { events: LARGEST, resolution };
        Ok(TraceFile { out, format, limits, time: 0, tracks: 1, arrows: 0, is_truncated: false })
    }

    /// How much the next search may record.
    pub fn limits(&self) -> RecorderLimits {
        self.limits
    }

    /// Is something missing because there were too many events?
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Adds a search, if the file is not full.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn add<M: Debug>(&mut self, name: &str, trace: &Trace<M>) -> Result<(), WriteError> {
        if self.limits.events == 0 {
            self.is_truncated = true;
            return Ok(());
        }
        self.write(name, trace).map_err(|error| named(self.out.path(), error))?;
        let slices: usize = trace.processors.iter().map(Vec::len).sum();
        let events = slices + trace.steals.len() + trace.splits.len();
        self.limits.events = self.limits.events.saturating_sub(events);
        let end = trace.processors.iter().filter_map(|slices| Some(slices.last()?.to)).max();
        self.time += trace.time.max(end.unwrap_or(0));
        self.is_truncated |= trace.truncated;
        Ok(())
    }

    /// Ends the file and puts it in its place.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.format.end(&mut self.out).map_err(|error| named(self.out.path(), error))?;
        self.out.commit()
    }

    fn write<M: Debug>(&mut self, name: &str, trace: &Trace<M>) -> io::Result<()> {
        for track in self.tracks..=trace.processors.len() {
            self.format.track(&mut self.out, track, &format!("processor {}", track - 1))?;
            self.tracks += 1;
        }
        let start = self.time;
        let details = vec![("split points", trace.splits.len().to_string())];
        self.slice(TrackSlice { track: 0, name, from: start, to: start + trace.time, details })?;
        for (processor, slices) in trace.processors.iter().enumerate() {
            for slice in slices {
                let shown = slice.split.filter(|_| slice.occupation == Occupation::Working);
                let details = shown.map_or_else(Vec::new, |split| describe(trace, split));
                let (from, to) = (start + slice.from, start + slice.to);
                let name = slice.occupation.name();
                self.slice(TrackSlice { track: processor + 1, name, from, to, details })?;
            }
        }
        for steal in &trace.steals {
            let (time, arrow) = (start + steal.time, self.arrows);
            self.arrows += 1;
            let give = (steal.from, "gives", Arrow::Begins(arrow));
            for (processor, name, arrow) in [give, (steal.to, "helps", Arrow::Ends(arrow))] {
                let details = describe(trace, steal.split);
                self.mark(Mark { track: processor + 1, name, time, details, arrow: Some(arrow) })?;
            }
        }
        for (time, split) in trace.cuts() {
            let track = trace.splits[split].processor + 1;
            let details = describe(trace, split);
            self.mark(Mark { track, name: "cut", time: start + time, details, arrow: None })?;
        }
        Ok(())
    }

    fn slice(&mut self, slice: TrackSlice<'_>) -> io::Result<()> {
        self.format.slice(&mut self.out, &slice)
    }

    fn mark(&mut self, mark: Mark<'_>) -> io::Result<()> {
        self.format.mark(&mut self.out, &mark)
    }
}

/// A split point: its number, the move that leads there, the depth left.
fn describe<M: Debug>(trace: &Trace<M>, split: usize) -> Details {
    let mut details = vec![("split", split.to_string())];
    if let Some(record) = trace.splits.get(split) {
        details.extend(record.last_move().map(|mv| ("move", format!("{mv:?}"))));
        details.push(("depth", record.depth.to_string()));
    }
    details
}

/// What went wrong, with the name of the file.
fn named(path: &Path, error: io::Error) -> WriteError {
    match error.downcast::<WriteError>() {
        Ok(error) => error,
        Err(source) => WriteError::Unwritable { path: path.to_owned(), source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{EngineCore, GoLimits, SearchRequest, Signals};
    use search::{Costs, Hosts, Machine, VirtualMachine};
    use serde_json::Value;
    use std::collections::BTreeMap;

    /// The times of all processors by what they did, from a file of two searches; and from the accounts.
    fn sums(name: &str, read: impl Fn(&[u8]) -> Vec<(String, u64, u64)>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let mut engine = EngineCore::with(chess::RuleSet::modern(), 1).unwrap();
        let (costs, hosts) = (Costs::startech(), Hosts::one());
        engine.set_machine(Machine::Virtual(VirtualMachine { processors: 4, costs, seed: 1, hosts }));
        let mut file = TraceFile::create(&path, 0).unwrap();
        let mut expected = BTreeMap::new();
        let (mut steals, mut cuts) = (0, 0);
        for depth in [4, 6] {
            engine.record_trace(Some(file.limits()));
            let limits = GoLimits { depth: Some(depth), ..GoLimits::default() };
            let answer =
                engine.search(&SearchRequest::new(chess::Position::default(), limits), &Signals::new(), &mut |_| {});
            file.add("one", &answer.trace.unwrap()).unwrap();
            let total = answer.accounts.total();
            for occupation in Occupation::ALL {
                *expected.entry(occupation.name().to_owned()).or_insert(0) += total.time_of(occupation);
            }
            *expected.entry("one".to_owned()).or_insert(0) += answer.accounts.time;
            steals += total.steals;
            cuts += answer.work.cuts;
        }
        assert!(!file.is_truncated() && file.limits().events < LARGEST && steals > 0);
        file.finish().unwrap();
        let (mut found, mut counts) = (BTreeMap::new(), BTreeMap::new());
        for (name, from, to) in read(&std::fs::read(&path).unwrap()) {
            *found.entry(name.clone()).or_insert(0) += to - from;
            *counts.entry(name).or_insert(0) += 1;
        }
        let mut count = |name: &str| {
            found.remove(name);
            counts.get(name).copied().unwrap_or(0)
        };
        assert_eq!([count("gives"), count("helps"), count("cut")], [steals, steals, cuts]);
        expected.retain(|_, time| *time > 0);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_json_file_says_what_the_accounts_say() {
        sums("trace.json", |bytes| {
            let file: Value = serde_json::from_slice(bytes).unwrap();
            let events = file["traceEvents"].as_array().unwrap();
            let time = |value: &Value| (value.as_f64().unwrap() * 1000.0).round() as u64;
            let read = |event: &Value| {
                let name = event["name"].as_str().unwrap().to_owned();
                match event["ph"].as_str().unwrap() {
                    "X" => Some((name, time(&event["ts"]), time(&event["ts"]) + time(&event["dur"]))),
                    "i" => Some((name, 0, 0)),
                    _ => None,
                }
            };
            events.iter().filter_map(read).collect()
        });
    }

    #[test]
    fn a_perfetto_file_says_what_the_accounts_say() {
        sums("trace.pftrace", |bytes| {
            let mut open: BTreeMap<u64, (String, u64)> = BTreeMap::new();
            let mut found = Vec::new();
            for event in perfetto::tests::events(bytes) {
                match event.kind {
                    1 => assert!(open.insert(event.track, (event.name, event.time)).is_none()),
                    2 => {
                        let (name, from) = open.remove(&event.track).unwrap();
                        found.push((name, from, event.time));
                    }
                    _ => found.push((event.name, 0, 0)),
                }
            }
            found
        });
    }

    #[test]
    fn what_can_not_be_written_is_told() {
        let error = TraceFile::create(Path::new("/none/trace.json"), 0).err().unwrap();
        assert_eq!(error.to_string(), "cannot write '/none/trace.json': there is no folder '/none'");
    }
}
