//! The front process of a cluster: it stands between a user interface and a *job*, any command that speaks UCI (for
//! example `mpirun -n 64 jamboree cluster`), and answers in time whatever happens to the job.
//!
//! The front owns the line to the user interface. Commands go to the job, the job's lines go back; besides, the front
//! searches every position a little by itself, so that it has a sensible legal move at hand. A job that dies, hangs or
//! plays nonsense is killed and started again, and is told all settings again.
//!
//! One thread does everything: it takes events from one channel, and wakes up when something is due.
//!
//! | file | what it is |
//! |---|---|
//! | `session` | the loop and its state |
//! | `commands` | what the user interface says |
//! | `job_output` | what the job says |
//! | `pending_go` | one `go`: its question, its deadline, the move at hand |
//! | `supervisor` | starts the job, sets it up, asks it, starts it again |
//! | `job` | the process of the job |
//! | `replay` | the settings that a new job must be told |
//! | `own_search` | the front's own search |
//! | `deadline` | the latest moment for an answer; a `go` with the time used taken off |
//! | `system` | process groups and signals |
//! | `command_line` | a command line split into words |

mod command_line;
mod commands;
mod deadline;
mod job;
mod job_output;
mod own_search;
mod pending_go;
mod replay;
mod session;
mod supervisor;
mod system;
#[cfg(test)]
mod tests;

use crate::EngineCore;
use crate::uci::LONGEST_LINE;
use crate::uci::output::Output;
use jamboree_io::{LineError, LineReader};
use session::FrontSession;
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

pub use command_line::split;

/// Settings of the front.
#[derive(Clone, Debug)]
pub struct FrontSettings {
    /// The job: a program and its arguments.
    pub job: Vec<String>,
    /// The option `Move Overhead` at the start, for the job and the front; none for the engine's own.
    pub overhead: Option<Duration>,
}

/// Something that the front has to react to.
enum FrontEvent {
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
    Own { search: u64, found: own_search::Found },
    /// The front's own engine has something to say that belongs to no search.
    OwnText(String),
}

/// Number of events that may wait; a process that floods the front is blocked then.
const MAILBOX: usize = 4096;

/// Speaks UCI between `input` and standard output until `quit`, the end of the input or a signal to end. `core` is the
/// front's own engine: one thread and a small table are enough.
///
/// # Errors
/// If standard output can't be written to, unless its reader has gone.
pub fn run(settings: &FrontSettings, core: EngineCore, input: impl Read + Send + 'static) -> io::Result<()> {
    let (events, mailbox) = sync_channel(MAILBOX);
    let told = events.clone();
    system::when_told_to_end(move || drop(told.send(FrontEvent::Leave)));
    let output = Arc::new(Output::default());
    serve(settings, core, input, Arc::clone(&output), events, mailbox);
    output.failure()
}

/// The same, with the mailbox and the output given.
fn serve(
    settings: &FrontSettings,
    core: EngineCore,
    input: impl Read + Send + 'static,
    output: Arc<Output>,
    events: SyncSender<FrontEvent>,
    mailbox: Receiver<FrontEvent>,
) {
    let heard = events.clone();
    std::thread::spawn(move || {
        read_lines(input, |line| heard.send(FrontEvent::Heard(Instant::now(), line)).is_ok());
        let _ = heard.send(FrontEvent::InputEnded);
    });
    FrontSession::new(settings, core, output, events).run(mailbox);
}

/// Hands on every line until the input ends or `take` refuses one. Lines that are too long are left out, and bytes that
/// are no text are replaced.
fn read_lines(input: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut lines = LineReader::new(BufReader::new(input), LONGEST_LINE);
    loop {
        let goes_on = match lines.next_bytes() {
            Some(Ok(bytes)) => take(String::from_utf8_lossy(bytes).trim_end_matches('\0').to_string()),
            Some(Err(LineError::TooLong { .. })) => true,
            Some(Err(LineError::Unreadable { .. })) | None => false,
        };
        if !goes_on {
            return;
        }
    }
}
