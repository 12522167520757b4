//! Supervises the job: it is started, set up, asked, and started again after a failure.

use super::event::FrontEvent;
use super::job::Job;
use super::replay::Replay;
use std::collections::VecDeque;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// Pauses before another start: after the first failure, the second, and so on; the last one for all others.
const PAUSES_MS: [u64; 6] = [200, 500, 1_000, 2_000, 5_000, 10_000];
/// The first start may take this long. Later ones may take four times as long as the slowest that succeeded, and twice as
/// long after each failure.
const FIRST_PATIENCE: Duration = Duration::from_secs(10);
const MOST_PATIENCE: Duration = Duration::from_secs(120);

/// The state of the job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    /// There is none; the next start is due then.
    Down(Instant),
    /// It was started and has not said `uciok`.
    Coming,
    /// It was told the settings and has not said `readyok`.
    Preparing,
    /// It waits for a question.
    Ready,
    /// It was asked. `heard` is true once it has come to the question: answers before that belong to an earlier one.
    Searching { heard: bool },
    /// The front has answered in its place. If it does not answer by then, it hangs.
    Late(Instant),
}

/// Why the job was asked whether it is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Has it done everything a new job must do?
    Start,
    /// Has it come to the question that follows?
    Question,
    /// The user interface wants to know.
    User,
    /// Is it alive?
    Probe,
}

/// Keeps a job running.
pub(super) struct JobSupervisor {
    command: Vec<String>,
    events: SyncSender<FrontEvent>,
    job: Option<Job>,
    generation: u64,
    phase: Phase,
    asked: VecDeque<Ask>,
    failures: usize,
    started: Instant,
    slowest: Duration,
    /// Since when there has been no job that is ready.
    missing_since: Instant,
}

impl JobSupervisor {
    /// A supervisor whose job is to be started at once.
    pub(super) fn new(command: Vec<String>, events: SyncSender<FrontEvent>) -> JobSupervisor {
        let now = Instant::now();
        JobSupervisor {
            command,
            events,
            job: None,
            generation: 0,
            phase: Phase::Down(now),
            asked: VecDeque::new(),
            failures: 0,
            started: now,
            slowest: Duration::ZERO,
            missing_since: now,
        }
    }

    /// The state of the job.
    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// Is this the present job?
    pub(super) fn is_current(&self, generation: u64) -> bool {
        self.job.as_ref().is_some_and(|job| job.generation == generation)
    }

    /// Can it be told anything? Before `uciok` it can't; it will be told everything then.
    pub(super) fn listens(&self) -> bool {
        !matches!(self.phase, Phase::Down(_) | Phase::Coming)
    }

    /// Starts a job; on failure, when it cannot even be started, the next attempt is planned.
    pub(super) fn start(&mut self) -> Result<(), String> {
        self.generation += 1;
        self.started = Instant::now();
        match Job::start(&self.command, self.generation, &self.events) {
            Ok(job) => {
                job.say("uci");
                self.job = Some(job);
                self.phase = Phase::Coming;
                Ok(())
            }
            Err(error) => {
                self.plan();
                Err(format!("'{}' can't be started: {error}", self.command.join(" ")))
            }
        }
    }

    /// The job has said `uciok`: it is told the settings, and asked whether it is ready.
    pub(super) fn prepare(&mut self, replay: &Replay) {
        self.phase = Phase::Preparing;
        replay.lines().for_each(|line| self.say(line));
        self.ask(Ask::Start);
    }

    /// The job is ready. Gives the time without a job, if it is not the first.
    pub(super) fn mark_ready(&mut self) -> Option<Duration> {
        self.phase = Phase::Ready;
        self.slowest = self.slowest.max(self.started.elapsed());
        (self.generation > 1).then(|| self.missing_since.elapsed())
    }

    /// Asks the job a question.
    pub(super) fn question(&mut self, position: &str, go: &str) {
        self.asked.push_back(Ask::Question);
        self.say(&format!("{position}\nisready\n{go}"));
        self.phase = Phase::Searching { heard: false };
    }

    /// The job has given a good answer.
    pub(super) fn mark_answered(&mut self) {
        self.failures = 0;
        self.phase = Phase::Ready;
    }

    /// The job's answer came too late, but it came.
    pub(super) fn mark_late_answer(&mut self) {
        self.phase = Phase::Ready;
    }

    /// The job has come to the question.
    pub(super) fn mark_at_question(&mut self) {
        if let Phase::Searching { heard } = &mut self.phase {
            *heard = true;
        }
    }

    /// The job has to answer the old question by then, though the answer is not needed any more.
    pub(super) fn expect_late(&mut self, until: Instant) {
        self.say("stop");
        self.phase = Phase::Late(until);
    }

    /// Says something to the job, if there is one.
    pub(super) fn say(&self, line: &str) {
        if let Some(job) = &self.job {
            job.say(line);
        }
    }

    /// Asks whether the job is ready.
    pub(super) fn ask(&mut self, why: Ask) {
        self.asked.push_back(why);
        self.say("isready");
    }

    /// The job says it is ready: why was it asked?
    pub(super) fn asked(&mut self) -> Option<Ask> {
        self.asked.pop_front()
    }

    /// How the job ended, if it did.
    pub(super) fn ending(&mut self) -> Option<String> {
        self.job.as_mut()?.ending()
    }

    /// Kills the job and plans the next start.
    pub(super) fn give_up(&mut self) {
        if let Some(job) = self.job.take() {
            job.kill();
        }
        self.asked.clear();
        self.plan();
    }

    fn plan(&mut self) {
        let now = Instant::now();
        if !matches!(self.phase, Phase::Down(_) | Phase::Coming | Phase::Preparing) {
            self.missing_since = now;
        }
        let pause = PAUSES_MS[self.failures.min(PAUSES_MS.len() - 1)];
        self.failures += 1;
        self.phase = Phase::Down(now + Duration::from_millis(pause));
    }

    /// When something is due: a start, or the end of the time that a job has for a step.
    pub(super) fn due(&self) -> Option<Instant> {
        match self.phase {
            Phase::Down(until) | Phase::Late(until) => Some(until),
            Phase::Coming | Phase::Preparing => {
                let usual = FIRST_PATIENCE.max(self.slowest * 4);
                Some(self.started + usual.saturating_mul(1 << self.failures.min(10)).min(MOST_PATIENCE))
            }
            Phase::Ready | Phase::Searching { .. } => None,
        }
    }

    /// Asks the job to end, and kills what is left after this time.
    pub(super) fn dismiss(&mut self, patience: Duration) {
        if let Some(job) = self.job.take() {
            job.dismiss(patience);
        }
    }
}
