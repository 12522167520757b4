//! The option `--trace FILE` of commands that search.

use crate::Failure;
use jamboree_io::note;
use lab::trace_file::{LARGEST, TraceFile};
use std::path::Path;

/// What the option does.
pub(crate) const TRACE_HELP: &str = "Write what each processor did when to this file, for ui.perfetto.dev: one track a \
    processor, the searches one after the other, arrows from who gave work to who took it. Chrome's format if the name ends \
    with .json, else Perfetto's, which is smaller";

/// Times of a virtual machine that alternate for less than this many nodes are put together.
const RESOLUTION: u64 = 16;

/// Begins the file; `node` is what a node costs on virtual processors. It is refused before the work if it can't be written.
pub(crate) fn open_trace(path: &Path, node: u64) -> Result<TraceFile, Failure> {
    Ok(TraceFile::create(path, RESOLUTION * node)?)
}

/// Ends the file, and tells if something is missing.
pub(crate) fn close_trace(traces: TraceFile) -> Result<(), Failure> {
    if traces.is_truncated() {
        note!("jamboree: the trace ends after {LARGEST} events: search fewer positions, or less deep");
    }
    Ok(traces.finish()?)
}
