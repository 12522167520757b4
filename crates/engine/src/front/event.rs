//! What the front reacts to.

use chess::Move;
use std::time::Instant;

/// Something that the front has to react to.
pub(super) enum FrontEvent {
    /// A line of the user interface, and when it was read.
    Heard(Instant, String),
    /// The user interface will say nothing more.
    InputEnded,
    /// The front was told by a signal to end.
    Leave,
    /// A line of a job.
    Job { generation: u64, line: String },
    /// A job will say nothing more.
    JobGone { generation: u64 },
    /// The front's own search found something.
    Own { search: u64, found: Found },
    /// The front's own engine has something to say that belongs to no search.
    OwnText(String),
}

/// What the own search found.
pub(super) enum Found {
    /// A better line: its first two moves, and how to show it.
    Line(OwnMove, String),
    /// Its answer; it has ended.
    Answer(OwnMove),
}

/// A move to play, and the reply to expect.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OwnMove {
    /// The move; none where there is no legal one.
    pub(super) best: Option<Move>,
    /// The reply.
    pub(super) ponder: Option<Move>,
}
