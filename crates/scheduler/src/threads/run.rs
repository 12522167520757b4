//! One run on threads: what all its processors share.

use super::cell::ProcessorCell;
use super::help::HelpCalls;
use crate::context::SuspendedStrand;
use crate::processor::Seen;
use crate::remote::RemoteQueues;
use crate::sleep::Sleepers;
use crate::{Application, Inquiry, Occupation, Recorder};
use parking_lot::Mutex;
use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::time::Instant;

/// A run: all processors, and whether it is over.
pub(super) struct ThreadRun<'a, A: Application> {
    pub(super) application: &'a A,
    /// How many processors.
    pub(super) processors: usize,
    /// The processors' cells, then those of remote helpers.
    pub(super) cells: Vec<ProcessorCell<A>>,
    pub(super) sleepers: &'a Sleepers,
    /// Where this machine is one of several ranks.
    pub(super) queues: Option<RemoteQueues<A>>,
    over: AtomicBool,
    started: Instant,
    /// Is there a core for every processor?
    pub(super) is_roomy: bool,
    /// Strands that were made.
    pub(super) strands: AtomicUsize,
    /// Processors that have nothing to do, and the time that all had nothing to do so far, in nanoseconds.
    pub(super) idle: AtomicUsize,
    pub(super) idle_time: AtomicU64,
    pub(super) help: HelpCalls<A>,
    /// Keeps what each processor did, if that is wanted.
    pub(super) recorder: Option<&'a Recorder>,
    /// The first panic of a strand.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl<'a, A: Application> ThreadRun<'a, A> {
    pub(super) fn new(
        application: &'a A,
        processors: usize,
        sleepers: &'a Sleepers,
        remote_helpers: Option<usize>,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let cells = processors + remote_helpers.unwrap_or(0);
        ThreadRun {
            application,
            processors,
            cells: (0..cells).map(|_| ProcessorCell::default()).collect(),
            sleepers,
            queues: remote_helpers.map(RemoteQueues::new),
            over: AtomicBool::new(false),
            started: Instant::now(),
            is_roomy: processors <= cores,
            strands: AtomicUsize::new(0),
            idle: AtomicUsize::new(0),
            idle_time: AtomicU64::new(0),
            help: HelpCalls::default(),
            recorder: None,
            panic: Mutex::new(None),
        }
    }

    /// Nanoseconds since the run began.
    pub(super) fn now(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    /// The processor did this until now, as far as it is not known yet what it did.
    pub(super) fn record(&self, processor: usize, occupation: Occupation, now: Instant) {
        if let Some(recorder) = self.recorder {
            recorder.did(processor, occupation, now.duration_since(self.started).as_nanos() as u64);
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// The run is over: strands that still run look up, and processors that sleep wake.
    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Release);
        self.poke_all();
        self.wake_all();
    }

    /// Keeps the first panic; the run is to be given up.
    pub(super) fn keep_panic(&self, panic: Box<dyn Any + Send>) {
        self.panic.lock().get_or_insert(panic);
        self.poke_all();
    }

    pub(super) fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        self.panic.lock().take()
    }

    /// What an idle processor sees.
    pub(super) fn seen_by(&self, processor: usize) -> Seen {
        let (queues, is_over) = (self.queues.as_ref(), self.is_over());
        Seen {
            has_strand: self.cells[processor].has_returned() || queues.is_some_and(RemoteQueues::has_ready),
            has_remote_task: queues.is_some_and(RemoteQueues::has_task),
            is_over,
            is_drained: is_over && queues.is_none_or(RemoteQueues::is_drained),
            help: None,
        }
    }

    /// Is there an event that a processor which is about to sleep has to see? While the run goes on its end is one; then
    /// only strands are, and that nothing is left.
    pub(super) fn has_event_for(&self, processor: usize, knows_end: bool) -> bool {
        let seen = self.seen_by(processor);
        seen.has_strand || if knows_end { seen.is_drained } else { seen.is_over || seen.has_remote_task }
    }

    /// Makes every running strand look up at its next node.
    pub(super) fn poke_all(&self) {
        self.cells.iter().for_each(ProcessorCell::poke);
    }

    /// Wakes every processor of the run. (See `sleep.rs`: a thread that joins now sees what was written before the fence.)
    pub(super) fn wake_all(&self) {
        fence(Ordering::SeqCst);
        for processor in (0..self.processors).filter(|&index| self.cells[index].has_joined.load(Ordering::Relaxed)) {
            self.sleepers.wake(processor);
        }
    }

    /// The strand may go on on that processor only.
    pub(super) fn send_to_processor(&self, processor: usize, strand: SuspendedStrand<A>) {
        self.cells[processor].put_returned(strand);
        self.sleepers.wake(processor);
    }

    /// A busy processor, the first from this one on.
    pub(super) fn busy_from(&self, start: usize) -> Option<usize> {
        let start = start % self.processors;
        (start..self.processors).chain(0..start).find(|&processor| self.cells[processor].slot.is_open())
    }

    /// Asks a processor for work in the name of `asker`. False if it can't be asked now.
    pub(super) fn ask(&self, victim: usize, asker: usize, inquiry: Inquiry, floor: usize, least: u64) -> bool {
        let wish = &self.cells[asker].wish;
        wish.set_inquiry(inquiry);
        wish.floor.store(floor, Ordering::Relaxed);
        wish.least.store(least, Ordering::Relaxed);
        wish.delays.store(0, Ordering::Relaxed);
        let asked = self.cells[victim].slot.ask(asker);
        if asked {
            self.cells[victim].poke();
        }
        asked
    }
}
