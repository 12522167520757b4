//! How an idle processor asks a busy one for work, and gets an answer.
//!
//! Every processor has one [`RequestSlot`]. It is closed while no strand runs there. An idle processor writes its number
//! into an open slot and makes the strand look up; the strand takes the number out at its next node and puts its answer
//! into the asking processor's [`AnswerBox`].
//!
//! # Why every request is answered
//!
//! A number gets into a slot only if the slot is open and empty: one compare-and-swap. It gets out only by the slot's own
//! processor: [`RequestSlot::take`] while a strand runs there, or [`RequestSlot::close`] when none does any more; both hand
//! the number to code that answers. After `close` no number gets in. So a processor that has asked may wait for the answer
//! without a time limit.

use crate::sync::{AtomicBool, AtomicUsize, Mutex, Ordering, lock};

/// No strand runs here.
const CLOSED: usize = 0;
/// A strand runs here, and no processor asks.
const EMPTY: usize = 1;
/// Larger words: the asking processor plus this.
const FIRST: usize = 2;

/// Where at most one processor asks another one for work.
pub struct RequestSlot {
    word: AtomicUsize,
}

impl Default for RequestSlot {
    fn default() -> Self {
        RequestSlot { word: AtomicUsize::new(CLOSED) }
    }
}

impl RequestSlot {
    /// A strand runs here from now on.
    pub fn open(&self) {
        self.word.store(EMPTY, Ordering::Release);
    }

    /// No strand runs here any more; the processor that has to be refused, if one has asked.
    pub fn close(&self) -> Option<usize> {
        self.word.swap(CLOSED, Ordering::AcqRel).checked_sub(FIRST)
    }

    /// Does a strand run here?
    pub fn is_open(&self) -> bool {
        self.word.load(Ordering::Acquire) != CLOSED
    }

    /// A processor asks. False if no strand runs here or another processor asks already.
    pub fn ask(&self, processor: usize) -> bool {
        self.word.compare_exchange(EMPTY, processor + FIRST, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Takes the request out. Only for the processor the slot belongs to.
    #[inline]
    pub fn take(&self) -> Option<usize> {
        let processor = self.word.load(Ordering::Acquire).checked_sub(FIRST)?;
        self.word.store(EMPTY, Ordering::Release);
        Some(processor)
    }

    /// Keeps a request for later. False if another processor asks meanwhile: then this one has to be refused.
    pub fn put_back(&self, processor: usize) -> bool {
        self.ask(processor)
    }
}

/// The answer to a request.
#[derive(Debug, PartialEq, Eq)]
pub enum WorkAnswer<T> {
    /// Work.
    Given(T),
    /// There is none.
    Refused,
}

/// Where a processor finds the answer to its request.
pub struct AnswerBox<T> {
    is_there: AtomicBool,
    answer: Mutex<Option<WorkAnswer<T>>>,
}

impl<T> Default for AnswerBox<T> {
    fn default() -> Self {
        AnswerBox { is_there: AtomicBool::new(false), answer: Mutex::new(None) }
    }
}

impl<T> AnswerBox<T> {
    /// Puts the answer in. Whoever waits for it has to be woken afterwards.
    pub fn put(&self, answer: WorkAnswer<T>) {
        *lock(&self.answer) = Some(answer);
        self.is_there.store(true, Ordering::Release);
    }

    /// Is the answer there?
    pub fn is_there(&self) -> bool {
        self.is_there.load(Ordering::Acquire)
    }

    /// Takes the answer out, if it is there.
    pub fn take(&self) -> Option<WorkAnswer<T>> {
        if !self.is_there() {
            return None;
        }
        self.is_there.store(false, Ordering::Relaxed);
        lock(&self.answer).take()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_closed_slot_takes_no_request() {
        let slot = RequestSlot::default();
        assert!(!slot.ask(3) && slot.take().is_none());
        slot.open();
        assert!(slot.ask(0) && !slot.ask(4));
        assert_eq!((slot.take(), slot.take()), (Some(0), None));
        assert!(slot.put_back(0) && !slot.put_back(4));
        assert_eq!(slot.close(), Some(0));
        assert!(!slot.is_open() && !slot.ask(5) && slot.close().is_none());
    }

    #[test]
    fn an_answer_is_taken_once() {
        let answer = AnswerBox::default();
        assert_eq!(answer.take(), None);
        answer.put(WorkAnswer::Given(7));
        assert_eq!((answer.take(), answer.take()), (Some(WorkAnswer::Given(7)), None));
    }
}
