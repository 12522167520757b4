//! The front process of a cluster: it stands between a user interface and a *job*, any command that speaks UCI (for
//! example `mpirun -n 64 jamboree cluster`), and answers in time whatever happens to the job.
//!
//! The front owns the line to the user interface. Commands go to the job, the job's words go back; beside that the front
//! searches every position a little by itself, so that it has a sensible legal move in hand. A job that dies, hangs or
//! plays nonsense is killed and started again, and what was set before is told to it again.
//!
//! One thread does everything in turn: it takes events from one channel, and wakes up when something is due.
//!
//! | file | what it is |
//! |---|---|
//! | `session` | the loop, and everything it remembers |
//! | `commands` | what the user interface says |
//! | `answers` | what the job says |
//! | `turn` | one `go`: who thinks about it, until when, what is in hand |
//! | `keeper` | the life of the job: started, introduced, ready, thinking, late, down |
//! | `job` | the process itself |
//! | `memory` | what a new job must be told |
//! | `thinker` | the front's own search |
//! | `deadline` | the latest moment for an answer; a `go` with the time used taken off |
//! | `lines` | reading lines of bounded length |
//! | `system` | process groups, priorities, signals |
//! | `words` | a command line split into words |

mod answers;
mod commands;
mod deadline;
mod job;
mod keeper;
mod lines;
mod memory;
mod session;
mod system;
#[cfg(test)]
mod tests;
mod thinker;
mod turn;
mod words;

use crate::EngineCore;
use crate::uci::log::Output;
use session::Session;
use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

pub use words::split;

/// What the front needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The job: a program and its arguments.
    pub job: Vec<String>,
    /// The option `Move Overhead` at the start, for the job and the front; none for the engine's own.
    pub overhead: Option<Duration>,
}

/// Something happened.
enum Event {
    /// The user interface said this, then.
    Heard(Instant, String),
    /// The user interface will say nothing more.
    InputEnded,
    /// The front was told by a signal to end.
    Leave,
    /// A job said this.
    Job { generation: u64, line: String },
    /// A job will say nothing more.
    JobGone { generation: u64 },
    /// The front's own search found something.
    Own { search: u64, found: thinker::Found },
}

/// So many events may wait. Whoever floods us has to wait then.
const MAILBOX: usize = 4096;

/// Speaks UCI between `input` and standard output until `quit`, the end of the input or a signal to end. `engine` is the
/// front's own: one thread and a small table are enough.
pub fn run(settings: &Settings, engine: EngineCore, input: impl Read + Send + 'static) {
    let (events, mailbox) = sync_channel(MAILBOX);
    let told = events.clone();
    system::when_told_to_end(move || drop(told.send(Event::Leave)));
    serve(settings, engine, input, Output::default(), events, &mailbox);
}

/// The same, with the mailbox and the output given.
fn serve(
    settings: &Settings,
    engine: EngineCore,
    input: impl Read + Send + 'static,
    output: Output,
    events: SyncSender<Event>,
    mailbox: &Receiver<Event>,
) {
    let heard = events.clone();
    std::thread::spawn(move || {
        lines::each(input, |line| heard.send(Event::Heard(Instant::now(), line)).is_ok());
        let _ = heard.send(Event::InputEnded);
    });
    let mut session = Session::new(settings, engine, Arc::new(output), events);
    session.run(mailbox);
}
