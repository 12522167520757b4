//! The process of a job: it is started, written to, read from, and killed with everything it started.

use super::event::FrontEvent;
use super::lines::read_lines;
use super::system;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::time::{Duration, Instant};

/// A running job.
pub(super) struct Job {
    /// The number of this job. What it says carries the number, so that lines of a dead job can be told apart.
    pub(super) generation: u64,
    child: Child,
    input: Sender<String>,
    mark: String,
}

/// Settings for Open MPI: a rank uses all cores of its host, and there may be more ranks than cores. Other
/// implementations ignore them.
const RANKS: [(&str, &str); 2] =
    [("OMPI_MCA_rmaps_base_oversubscribe", "1"), ("OMPI_MCA_hwloc_base_binding_policy", "none")];

impl Job {
    /// Starts a job. Its lines come as events.
    pub(super) fn start(command: &[String], generation: u64, events: &SyncSender<FrontEvent>) -> io::Result<Job> {
        let [program, arguments @ ..] = command else { return Err(io::Error::other("no program was named")) };
        // No two jobs on this machine have the same mark.
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        let mark = format!("{}.{generation}.{}", std::process::id(), now.as_nanos());
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let unset = RANKS.iter().filter(|(name, _)| std::env::var_os(name).is_none());
        command.envs(unset.copied());
        system::make_leader(&mut command, &mark);
        let mut child = command.spawn()?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("it can't be talked to"));
        };
        // A job that does not read must not block the front, so another thread writes.
        let (input, to_write) = channel::<String>();
        std::thread::spawn(move || to_write.iter().try_for_each(|text| stdin.write_all(text.as_bytes())));
        let events = events.clone();
        std::thread::spawn(move || {
            read_lines(stdout, |line| events.send(FrontEvent::Job { generation, line }).is_ok());
            let _ = events.send(FrontEvent::JobGone { generation });
        });
        Ok(Job { generation, child, input, mark })
    }

    /// Writes a line, or several with line ends between them.
    pub(super) fn say(&self, line: &str) {
        let _ = self.input.send(format!("{line}\n"));
    }

    /// How the process ended, if it has.
    pub(super) fn ending(&mut self) -> Option<String> {
        self.child.try_wait().ok().flatten().map(|status| status.to_string())
    }

    /// Kills everything of the job, without waiting.
    pub(super) fn kill(mut self) {
        std::thread::spawn(move || self.kill_now());
    }

    /// Asks the job to end, and kills what is left after this time.
    pub(super) fn dismiss(mut self, patience: Duration) {
        self.say("quit");
        let end = Instant::now() + patience;
        while Instant::now() < end && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.kill_now();
    }

    fn kill_now(&mut self) {
        system::kill_all(self.child.id(), &self.mark);
        let _ = self.child.wait();
    }
}
