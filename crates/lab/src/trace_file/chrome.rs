//! Chrome's JSON trace format: the "Trace Event Format" document of the Catapult project, object form. Times are microseconds
//! with three digits after the point, so nothing is lost of a nanosecond.

use super::format::{Arrow, Details, Format, Mark, TrackSlice};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Writes Chrome's format.
pub(super) struct Chrome;

/// Microseconds as JSON.
struct Microseconds(u64);

impl std::fmt::Display for Microseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

fn details(details: &Details) -> Value {
    Value::Object(details.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<Map<_, _>>())
}

impl Format for Chrome {
    fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        let process = json!({"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "jamboree"}});
        write!(out, "{process}")
    }

    fn track(&self, out: &mut dyn Write, track: usize, name: &str) -> io::Result<()> {
        let event =
            |kind: &str, args: Value| json!({"ph": "M", "pid": 1, "tid": track + 1, "name": kind, "args": args});
        write!(out, ",\n{}", event("thread_name", json!({"name": name})))?;
        write!(out, ",\n{}", event("thread_sort_index", json!({"sort_index": track})))
    }

    fn slice(&self, out: &mut dyn Write, slice: &TrackSlice<'_>) -> io::Result<()> {
        let (tid, name) = (slice.track + 1, json!(slice.name));
        let (from, length) = (Microseconds(slice.from), Microseconds(slice.to - slice.from));
        write!(out, ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{tid},\"ts\":{from},\"dur\":{length},\"name\":{name}")?;
        write!(out, ",\"args\":{}}}", details(&slice.details))
    }

    fn mark(&self, out: &mut dyn Write, mark: &Mark<'_>) -> io::Result<()> {
        let (tid, time, name) = (mark.track + 1, Microseconds(mark.time), json!(mark.name));
        let place = format!("\"pid\":1,\"tid\":{tid},\"ts\":{time}");
        write!(out, ",\n{{\"ph\":\"i\",\"s\":\"t\",{place},\"name\":{name},\"args\":{}}}", details(&mark.details))?;
        match mark.arrow {
            Some(Arrow::Begins(id)) => {
                write!(out, ",\n{{\"ph\":\"s\",\"id\":{id},{place},\"cat\":\"steal\",\"name\":\"steal\"}}")
            }
            Some(Arrow::Ends(id)) => {
                write!(out, ",\n{{\"ph\":\"f\",\"bp\":\"e\",\"id\":{id},{place},\"cat\":\"steal\",\"name\":\"steal\"}}")
            }
            None => Ok(()),
        }
    }

    fn end(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n]}}")
    }
}
