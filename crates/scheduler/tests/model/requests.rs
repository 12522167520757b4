//! Requests for work: each is answered, whatever happens to the strand that was asked.

use crate::check;
use crate::split_points::{SplitPoint, Token, close_complete, join, share, work};
use jamboree_scheduler::{AnswerBox, OfferBox, RequestSlot, Sleepers, WorkAnswer};
use loom::sync::Arc;
use loom::sync::atomic::AtomicUsize;
use loom::sync::atomic::Ordering::Relaxed;
use loom::thread;

/// Two processors that ask a third one.
struct Machine {
    slot: RequestSlot,
    answers: [AnswerBox<Arc<SplitPoint>>; 2],
    sleepers: Sleepers,
}

impl Machine {
    fn new() -> Arc<Machine> {
        let machine = Machine { slot: RequestSlot::default(), answers: Default::default(), sleepers: Sleepers::new(3) };
        machine.slot.open();
        Arc::new(machine)
    }

    /// Asks, and waits for the answer if the request was accepted.
    fn ask(&self, asker: usize) -> Option<WorkAnswer<Arc<SplitPoint>>> {
        if !self.slot.ask(asker) {
            return None;
        }
        self.sleepers.wait_until(asker, || self.answers[asker].is_there());
        self.answers[asker].take()
    }

    fn answer(&self, asker: usize, answer: WorkAnswer<Arc<SplitPoint>>) {
        self.answers[asker].put(answer);
        self.sleepers.wake(asker);
    }

    /// The strand has ended: the last request is refused.
    fn close(&self) {
        if let Some(asker) = self.slot.close() {
            self.answer(asker, WorkAnswer::Refused);
        }
    }
}

/// A request that comes while the strand ends is refused or not accepted; no processor waits for ever.
#[test]
fn every_request_is_answered() {
    check(Some(3), || {
        let machine = Machine::new();
        let askers = [0, 1].map(|asker| {
            let machine = Arc::clone(&machine);
            thread::spawn(move || assert!(!matches!(machine.ask(asker), Some(WorkAnswer::Given(_)))))
        });
        // One look of the strand, then it ends.
        if let Some(asker) = machine.slot.take() {
            machine.answer(asker, WorkAnswer::Refused);
        }
        machine.close();
        askers.into_iter().for_each(|asker| asker.join().unwrap());
        assert!(!machine.slot.is_open());
    });
}

/// A request that is deferred is answered later, or at once if another one has come in between.
#[test]
fn a_deferred_request_is_answered() {
    check(Some(3), || {
        let machine = Machine::new();
        let askers = [0, 1].map(|asker| {
            let machine = Arc::clone(&machine);
            thread::spawn(move || machine.ask(asker))
        });
        for _ in 0..2 {
            if let Some(asker) = machine.slot.take()
                && !machine.slot.put_back(asker)
            {
                machine.answer(asker, WorkAnswer::Refused);
            }
        }
        machine.close();
        askers.into_iter().for_each(|asker| {
            asker.join().unwrap();
        });
    });
}

/// From a sleeping processor to a carried owner: the strand wakes it, it asks, the strand shares a frame and answers, it
/// joins, both take moves, and the last one to leave carries the owner on.
#[test]
fn a_woken_processor_asks_helps_and_carries_on() {
    check(Some(2), || {
        let machine = Machine::new();
        let carried = Arc::new(AtomicUsize::new(0));
        let helper = {
            let (machine, carried) = (Arc::clone(&machine), Arc::clone(&carried));
            thread::spawn(move || {
                machine.sleepers.sleep(0, || false);
                let Some(WorkAnswer::Given(split)) = machine.ask(0) else { return };
                let control = Arc::default();
                if !join(&split, &control) {
                    return;
                }
                work(&split, None);
                if let Some(Token) = split.leave(&control) {
                    close_complete(&split);
                    carried.fetch_add(1, Relaxed);
                }
            })
        };
        // The strand's first look: it has work to give, and wakes a processor that sleeps.
        while !machine.sleepers.wake_one(2) {
            thread::yield_now();
        }
        let owner = Arc::default();
        let split = share(&owner, 0, 2);
        // Its second look: it answers if it is asked.
        if let Some(asker) = machine.slot.take() {
            machine.answer(asker, WorkAnswer::Given(Arc::clone(&split)));
        }
        work(&split, None);
        if split.is_deserted() || split.park(Token).is_some() {
            close_complete(&split);
            carried.fetch_add(1, Relaxed);
        }
        machine.close();
        helper.join().unwrap();
        assert_eq!(carried.load(Relaxed), 1);
    });
}

/// A processor asks two others at once. One looks up and then ends, the other one ends at once: each answers what it was
/// asked, the asking processor gets all answers and waits for none that does not come.
#[test]
fn a_processor_that_asks_all_gets_all_answers() {
    check(Some(3), || {
        let slots: Arc<[RequestSlot; 2]> = Arc::default();
        let offers: Arc<OfferBox<usize>> = Arc::default();
        let sleepers = Arc::new(Sleepers::new(1));
        slots.iter().for_each(RequestSlot::open);
        let answering = [true, false].into_iter().enumerate().map(|(index, looks_up)| {
            let (slots, offers, sleepers) = (Arc::clone(&slots), Arc::clone(&offers), Arc::clone(&sleepers));
            thread::spawn(move || {
                let put = |offer| {
                    if offers.put(offer) {
                        sleepers.wake(0);
                    }
                };
                let mut answers = 0;
                if looks_up && slots[index].take().is_some() {
                    put(Some(index));
                    answers += 1;
                }
                if slots[index].close().is_some() {
                    put(None);
                }
                answers
            })
        });
        let answering: Vec<_> = answering.collect();
        offers.expect();
        for slot in slots.iter() {
            offers.expect();
            if !slot.ask(0) {
                offers.put(None);
            }
        }
        offers.put(None);
        sleepers.wait_until(0, || offers.is_complete());
        let found = offers.take().len();
        let given: usize = answering.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(found, given);
    });
}
