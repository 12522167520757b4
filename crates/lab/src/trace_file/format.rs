//! What a trace file consists of, whatever its format.

use std::io::{self, Write};

/// What an event says besides its name.
pub(super) type Details = Vec<(&'static str, String)>;

/// One end of an arrow.
#[derive(Clone, Copy)]
pub(super) enum Arrow {
    Begins(u64),
    Ends(u64),
}

/// A slice of a track.
pub(super) struct TrackSlice<'a> {
    pub(super) track: usize,
    pub(super) name: &'a str,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) details: Details,
}

/// A mark on a track.
pub(super) struct Mark<'a> {
    pub(super) track: usize,
    pub(super) name: &'a str,
    pub(super) time: u64,
    pub(super) details: Details,
    pub(super) arrow: Option<Arrow>,
}

/// How a file is written.
pub(super) trait Format: Send {
    fn begin(&self, out: &mut dyn Write) -> io::Result<()>;
    /// Before the first event of a track.
    fn track(&self, out: &mut dyn Write, track: usize, name: &str) -> io::Result<()>;
    fn slice(&self, out: &mut dyn Write, slice: &TrackSlice<'_>) -> io::Result<()>;
    fn mark(&self, out: &mut dyn Write, mark: &Mark<'_>) -> io::Result<()>;
    fn end(&self, out: &mut dyn Write) -> io::Result<()>;
}
