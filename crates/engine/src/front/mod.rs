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
//! | `event` | what the loop reacts to |
//! | `commands` | what the user interface says |
//! | `job_output` | what the job says |
//! | `pending_go` | one `go`: its question, its deadline, the move at hand |
//! | `supervisor` | starts the job, sets it up, asks it, starts it again |
//! | `job` | the process of the job |
//! | `replay` | the settings that a new job must be told |
//! | `own_search` | the front's own search |
//! | `deadline` | the latest moment for an answer; a `go` with the time used taken off |
//! | `lines` | the lines of the user interface and of the job |
//! | `system` | process groups and signals |
//! | `command_line` | a command line split into words |

mod command_line;
mod commands;
mod deadline;
mod event;
mod job;
mod job_output;
mod lines;
mod own_search;
mod pending_go;
mod replay;
mod session;
mod supervisor;
mod system;
#[cfg(test)]
mod tests;

use crate::EngineCore;
use crate::uci::output::Output;
use event::FrontEvent;
use lines::read_lines;
use session::FrontSession;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

pub use command_line::split;
pub use session::FrontSettings;

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
    let output = Arc::new(Output::to(Box::new(std::io::stdout())));
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
