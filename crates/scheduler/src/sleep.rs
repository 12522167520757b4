//! How processors sleep and are woken.
//!
//! # What a sleeping processor waits for
//!
//! A processor sleeps when it has no strand and asking for work was in vain. Two kinds of things may give it work again:
//!
//! - *Events*, which happen once: the run is over; a strand may go on that only this processor may carry on; a strand may go
//!   on that any processor may carry on; a task of another rank has come; the answer to a request is there. Whoever
//!   causes an event wakes the processor, or one of those that sleep.
//! - *Work*, which grows without any event while strands search. Every running strand counts nodes and looks up after
//!   some of them; if processors sleep then and the strand has a frame to share, it wakes one of them
//!   (`ProcessorContext::wake_helper`). A processor that was given work wakes the next one. So work that lasts longer than
//!   the interval between two looks does not go unnoticed, and an idle machine does not poll.
//!
//! # Why no wake-up is lost
//!
//! A processor says that it sleeps, and *then* looks for events once more ([`Sleepers::sleep`]). Whoever causes an event writes
//! the event, and *then* looks for sleeping processors ([`Sleepers::wake_one`]). Each side has a sequentially consistent fence
//! between its write and its read. So at least one of them sees what the other has written: either the processor sees the
//! event and stays awake, or the other side sees the processor asleep and raises its signal. A signal that is raised
//! before the processor waits for it stays raised, so it does not matter which comes first.
//!
//! A processor may be woken in vain (the event went to another one): it looks, finds nothing and sleeps again. Every wait
//! is inside a loop that checks its condition.
//!
//! A waker claims the processor it wakes (`is_asleep` goes from true to false once), so two events wake two processors. The
//! number of processors that sleep is raised before `is_asleep` is set and lowered after it is taken back, so it is never too
//! small: a waker that finds it zero misses no processor. (The model checker found the other order to lose a wake-up.)
//!
//! # What is not covered
//!
//! Messages of other ranks arrive without waking a thread: MPI has to be asked. A processor of a rank therefore sleeps for
//! a bounded time only ([`Sleepers::sleep_at_most`]).

use crate::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, Ordering, fence, lock, wait};

/// A signal for one thread. Raised before the wait or during it: either way the wait ends.
#[derive(Default)]
struct WakeSignal {
    raised: Mutex<bool>,
    condition: Condvar,
}

impl WakeSignal {
    fn raise(&self) {
        *lock(&self.raised) = true;
        self.condition.notify_one();
    }

    fn wait(&self) {
        let mut raised = lock(&self.raised);
        while !*raised {
            raised = wait(&self.condition, raised);
        }
        *raised = false;
    }

    #[cfg(not(loom))]
    fn wait_at_most(&self, time: std::time::Duration) {
        let mut raised = lock(&self.raised);
        if !*raised {
            self.condition.wait_for(&mut raised, time);
        }
        *raised = false;
    }
}

/// One processor as others see it sleep. On cache lines of its own.
#[repr(align(128))]
#[derive(Default)]
struct SleepCell {
    is_asleep: AtomicBool,
    signal: WakeSignal,
}

/// The processors of a machine, asleep or awake.
pub struct Sleepers {
    cells: Box<[SleepCell]>,
    /// Processors that sleep.
    count: AtomicUsize,
}

impl Sleepers {
    /// This many processors, all awake.
    pub fn new(processors: usize) -> Sleepers {
        Sleepers { cells: (0..processors).map(|_| SleepCell::default()).collect(), count: AtomicUsize::new(0) }
    }

    /// Processors that sleep.
    #[cfg(all(test, not(loom)))]
    pub(crate) fn count_asleep(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Does any processor sleep?
    #[inline]
    pub fn any(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// The processor sleeps until it is woken, unless `stays_awake` finds an event now.
    pub fn sleep(&self, processor: usize, stays_awake: impl FnOnce() -> bool) {
        self.sleep_by(processor, stays_awake, WakeSignal::wait);
    }

    /// As [`Sleepers::sleep`], for a bounded time.
    #[cfg(not(loom))]
    pub fn sleep_at_most(&self, time: std::time::Duration, processor: usize, stays_awake: impl FnOnce() -> bool) {
        self.sleep_by(processor, stays_awake, |signal| signal.wait_at_most(time));
    }

    fn sleep_by(&self, processor: usize, stays_awake: impl FnOnce() -> bool, wait: impl FnOnce(&WakeSignal)) {
        let cell = &self.cells[processor];
        // The count comes first: it is never less than the processors that can be claimed, so no waker stops looking early.
        self.count.fetch_add(1, Ordering::Relaxed);
        cell.is_asleep.swap(true, Ordering::AcqRel);
        fence(Ordering::SeqCst);
        if !stays_awake() {
            wait(&cell.signal);
        }
        // A waker that claimed this processor has counted it as awake already.
        self.claim(cell);
    }

    /// The processor waits for something that is announced by [`Sleepers::wake`] alone; others don't choose it meanwhile.
    pub fn wait_until(&self, processor: usize, is_there: impl Fn() -> bool) {
        while !is_there() {
            self.cells[processor].signal.wait();
        }
    }

    /// Wakes this processor, asleep or about to sleep.
    pub fn wake(&self, processor: usize) {
        self.claim(&self.cells[processor]);
        self.cells[processor].signal.raise();
    }

    /// Wakes one of the processors that sleep, the first one after this. False if none sleeps. What it is to see has been
    /// written before.
    pub fn wake_one(&self, after: usize) -> bool {
        fence(Ordering::SeqCst);
        if !self.any() {
            return false;
        }
        let count = self.cells.len();
        let cells = (1..=count).map(|step| &self.cells[(after + step) % count]);
        let woken = cells.into_iter().find(|cell| cell.is_asleep.load(Ordering::Relaxed) && self.claim(cell));
        if let Some(cell) = woken {
            cell.signal.raise();
        }
        woken.is_some()
    }

    /// Counts a processor that sleeps as awake. False if it did not sleep.
    fn claim(&self, cell: &SleepCell) -> bool {
        let claimed = cell.is_asleep.swap(false, Ordering::AcqRel);
        if claimed {
            self.count.fetch_sub(1, Ordering::Relaxed);
        }
        claimed
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn a_processor_that_sees_an_event_stays_awake() {
        let sleepers = Sleepers::new(2);
        sleepers.sleep(0, || true);
        assert!(!sleepers.any() && !sleepers.wake_one(1));
    }

    #[test]
    fn a_signal_raised_before_the_wait_ends_it() {
        let sleepers = Sleepers::new(1);
        sleepers.wake(0);
        sleepers.sleep(0, || false);
        assert!(!sleepers.any());
    }

    #[test]
    fn each_wake_up_wakes_another_processor() {
        let sleepers = Arc::new(Sleepers::new(3));
        let threads = [0, 1, 2].map(|processor| {
            let sleepers = Arc::clone(&sleepers);
            std::thread::spawn(move || sleepers.sleep(processor, || false))
        });
        let mut woken = 0;
        while woken < 3 {
            woken += usize::from(sleepers.wake_one(0));
            std::thread::yield_now();
        }
        threads.into_iter().for_each(|thread| thread.join().expect("it woke"));
        assert!(!sleepers.any());
    }

    #[test]
    fn a_bounded_sleep_ends_by_itself() {
        let sleepers = Sleepers::new(1);
        sleepers.sleep_at_most(Duration::from_micros(50), 0, || false);
        assert!(!sleepers.any());
    }
}
