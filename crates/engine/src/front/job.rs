//! The process of a job: started, talked to, listened to, killed with everything it started.

use super::{Event, lines, system};
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::time::{Duration, Instant};

/// A running job.
pub(super) struct Job {
    /// How many jobs there were before it. What it says carries this number, so that the words of a dead job are known.
    pub(super) generation: u64,
    child: Child,
    input: Sender<String>,
    mark: String,
}

/// What Open MPI has to be told: a rank uses all cores of its host, and there may be more ranks than cores. Others don't
/// read it.
const RANKS: [(&str, &str); 2] =
    [("OMPI_MCA_rmaps_base_oversubscribe", "1"), ("OMPI_MCA_hwloc_base_binding_policy", "none")];

impl Job {
    /// Starts a job. Its words come as events.
    pub(super) fn start(command: &[String], generation: u64, events: &SyncSender<Event>) -> io::Result<Job> {
        let [program, arguments @ ..] = command else { return Err(io::Error::other("no program was named")) };
        // No two jobs have the same, whoever started them.
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
        // A job that does not read must not hold us up, so a thread of its own writes.
        let (input, to_write) = channel::<String>();
        std::thread::spawn(move || to_write.iter().try_for_each(|text| stdin.write_all(text.as_bytes())));
        let events = events.clone();
        std::thread::spawn(move || {
            lines::each(stdout, |line| events.send(Event::Job { generation, line }).is_ok());
            let _ = events.send(Event::JobGone { generation });
        });
        Ok(Job { generation, child, input, mark })
    }

    /// Says a line, or several with line ends between them. Whether it is heard, the answer will show.
    pub(super) fn say(&self, line: &str) {
        let _ = self.input.send(format!("{line}\n"));
    }

    /// How it ended, if it has.
    pub(super) fn ending(&mut self) -> Option<String> {
        self.child.try_wait().ok().flatten().map(|status| status.to_string())
    }

    /// Kills everything of it, without holding anyone up.
    pub(super) fn kill(mut self) {
        std::thread::spawn(move || self.kill_now());
    }

    /// Asks it to leave, and kills what is still there after this time.
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
