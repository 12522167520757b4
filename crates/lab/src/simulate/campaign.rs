//! Many cases on several cores, watched: a case that fails, panics or does not end is found.

use super::case::Case;
use super::check::check;
use super::claims::Failure;
use super::draw::draw;
use super::panics;
use super::tally::Tally;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Where cases come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The cases of a seed, from this number on.
    Drawn {
        /// The seed.
        seed: u64,
        /// The first number.
        first: u64,
    },
    /// The same case, again and again.
    One(Box<Case>),
}

impl Source {
    fn case(&self, place: u64) -> Case {
        match self {
            Source::Drawn { seed, first } => draw(*seed, first + place),
            Source::One(case) => (**case).clone(),
        }
    }
}

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Where cases come from.
    pub source: Source,
    /// How many cases; `u64::MAX` for as many as there is time for.
    pub searches: u64,
    /// After this time no case is begun.
    pub time: Option<Duration>,
    /// Cases that run at the same time.
    pub jobs: usize,
    /// A case that takes longer than this does not end.
    pub patience: Duration,
}

/// A case that fails.
#[derive(Clone, Debug)]
pub struct Found {
    /// The case.
    pub case: Case,
    /// What does not hold.
    pub failure: Failure,
}

/// What a job tells the campaign.
enum Event {
    /// A case fails.
    Failed(Box<Found>),
    /// The thread of this name panicked.
    Panicked(Option<String>, String),
    /// The job has no more cases.
    Ended,
}

/// What jobs share.
struct Shared {
    campaign: Campaign,
    started: Instant,
    next: AtomicU64,
    tally: Mutex<Tally>,
    /// Job by job, its case and when that began.
    running: Vec<Mutex<Option<(Case, Instant)>>>,
}

/// The name of the thread of a job.
fn job_name(job: usize) -> String {
    format!("simulate-{job}")
}

/// Room for searches that run on the stack of their job.
const STACK: usize = 8 << 20;
/// How often the campaign looks at its jobs.
const LOOK: Duration = Duration::from_millis(200);

/// Runs the cases of a campaign. What was done, and the first case that fails, if one does. Jobs that do not end are left
/// behind: then the program should end.
///
/// # Errors
/// If the system has no thread for a job.
pub fn run(campaign: &Campaign, progress: &mut dyn FnMut(&Tally)) -> io::Result<(Tally, Option<Found>)> {
    let jobs = campaign.jobs.max(1);
    let shared = Arc::new(Shared {
        campaign: campaign.clone(),
        started: Instant::now(),
        next: AtomicU64::new(0),
        tally: Mutex::default(),
        running: (0..jobs).map(|_| Mutex::default()).collect(),
    });
    let (sender, events) = channel();
    let teller = Mutex::new(sender.clone());
    panics::tell(move |thread, message| {
        // A campaign that is over does not listen any more.
        let _ = teller.lock().send(Event::Panicked(thread, message));
    });
    for job in 0..jobs {
        let (shared, sender) = (Arc::clone(&shared), sender.clone());
        std::thread::Builder::new().name(job_name(job)).stack_size(STACK).spawn(move || work(&shared, job, &sender))?;
    }
    let found = watch(&shared, &events, progress);
    // No job begins another case.
    shared.next.store(u64::MAX / 2, Ordering::Relaxed);
    let tally = shared.tally.lock().clone();
    Ok((tally, found))
}

/// The life of a job.
fn work(shared: &Shared, job: usize, sender: &Sender<Event>) {
    let Campaign { source, searches, time, .. } = &shared.campaign;
    loop {
        let place = shared.next.fetch_add(1, Ordering::Relaxed);
        if place >= *searches || place >= u64::MAX / 2 || time.is_some_and(|time| shared.started.elapsed() >= time) {
            break;
        }
        let case = source.case(place);
        *shared.running[job].lock() = Some((case.clone(), Instant::now()));
        let checked = check(&case);
        *shared.running[job].lock() = None;
        match checked {
            Ok(claims) => shared.tally.lock().add(&case, &claims),
            Err(failure) => {
                let _ = sender.send(Event::Failed(Box::new(Found { case, failure })));
                break;
            }
        }
    }
    let _ = sender.send(Event::Ended);
}

/// Waits for the jobs; the first case that fails.
fn watch(shared: &Shared, events: &Receiver<Event>, progress: &mut dyn FnMut(&Tally)) -> Option<Found> {
    let mut left = shared.running.len();
    while left > 0 {
        match events.recv_timeout(LOOK) {
            Ok(Event::Failed(found)) => return Some(*found),
            Ok(Event::Panicked(thread, message)) => {
                let found = panicked(shared, thread.as_deref(), message);
                if found.is_some() {
                    return found;
                }
            }
            Ok(Event::Ended) => left -= 1,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
        progress(&shared.tally.lock());
        let overdue = overdue(shared);
        if overdue.is_some() {
            return overdue;
        }
    }
    None
}

/// The case whose thread panicked; where a case has threads of its own, the first of the cases that run.
fn panicked(shared: &Shared, thread: Option<&str>, message: String) -> Option<Found> {
    let cases: Vec<Option<Case>> =
        shared.running.iter().map(|slot| slot.lock().as_ref().map(|(case, _)| case.clone())).collect();
    let own = (0..cases.len()).find(|&job| thread == Some(&job_name(job))).and_then(|job| cases[job].clone());
    let with_threads = || cases.iter().flatten().find(|case| !case.is_deterministic()).cloned();
    let case = own.or_else(with_threads)?;
    Some(Found { case, failure: Failure::new(panics::CLAIM, message) })
}

/// A case that does not end.
fn overdue(shared: &Shared) -> Option<Found> {
    let patience = shared.campaign.patience;
    let case = shared.running.iter().find_map(|slot| {
        let slot = slot.lock();
        slot.as_ref().filter(|(_, since)| since.elapsed() > patience).map(|(case, _)| case.clone())
    })?;
    let message = format!("it has not ended after {} s", patience.as_secs());
    Some(Found { case, failure: Failure::new("every search ends", message) })
}
