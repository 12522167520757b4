//! Sleep and wake. Loom reports a deadlock where a wake-up is lost.

use crate::check;
use jamboree_scheduler::Sleepers;
use loom::sync::Arc;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use loom::sync::atomic::{AtomicBool, AtomicUsize};
use loom::thread;

/// A processor falls asleep while an event happens: it sees the event, or it is woken.
#[test]
fn an_event_is_seen_or_wakes() {
    check(None, || {
        let sleepers = Arc::new(Sleepers::new(1));
        let event = Arc::new(AtomicBool::new(false));
        let sleeper = {
            let (sleepers, event) = (Arc::clone(&sleepers), Arc::clone(&event));
            thread::spawn(move || {
                while !event.load(Acquire) {
                    sleepers.sleep(0, || event.load(Acquire));
                }
            })
        };
        event.store(true, Release);
        sleepers.wake_one(0);
        sleeper.join().unwrap();
        assert!(!sleepers.any());
    });
}

/// A strand that may go on on one processor only: the processor sees it, or is woken.
#[test]
fn a_strand_that_comes_back_wakes_its_processor() {
    check(None, || {
        let sleepers = Arc::new(Sleepers::new(1));
        let returned = Arc::new(AtomicUsize::new(0));
        let processor = {
            let (sleepers, returned) = (Arc::clone(&sleepers), Arc::clone(&returned));
            thread::spawn(move || {
                while returned.load(Acquire) == 0 {
                    sleepers.sleep(0, || returned.load(Acquire) > 0);
                }
            })
        };
        returned.fetch_add(1, Release);
        sleepers.wake(0);
        processor.join().unwrap();
    });
}

/// Two pieces of work for two sleeping processors: no piece is left while a processor sleeps.
#[test]
fn two_events_wake_two_processors() {
    check(Some(2), || {
        let sleepers = Arc::new(Sleepers::new(2));
        let work = Arc::new(AtomicUsize::new(0));
        let take = |work: &AtomicUsize| work.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok();
        let threads = [0, 1].map(|processor| {
            let (sleepers, work) = (Arc::clone(&sleepers), Arc::clone(&work));
            thread::spawn(move || {
                while !take(&work) {
                    sleepers.sleep(processor, || work.load(Relaxed) > 0);
                }
            })
        });
        for _ in 0..2 {
            work.fetch_add(1, Release);
            sleepers.wake_one(0);
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(work.load(Relaxed), 0);
        assert!(!sleepers.any());
    });
}

/// A processor that was given work wakes the next one, as `Worker::find_work` does.
#[test]
fn a_processor_with_work_wakes_the_next() {
    check(Some(2), || {
        let sleepers = Arc::new(Sleepers::new(3));
        let work = Arc::new(AtomicUsize::new(0));
        let threads = [0, 1].map(|processor| {
            let (sleepers, work) = (Arc::clone(&sleepers), Arc::clone(&work));
            thread::spawn(move || {
                while work.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err() {
                    sleepers.sleep(processor, || work.load(Relaxed) > 0);
                }
                sleepers.wake_one(processor);
            })
        });
        // All the work comes at once, and one processor is woken.
        work.fetch_add(2, Release);
        sleepers.wake_one(2);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}
