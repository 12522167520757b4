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
//!
//! A processor may ask all others at once what they would share ([`OfferBox`]), choose the best offer, and ask for that. The
//! same holds for each of these requests, so all answers come.

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

/// Where a processor that asks several others at once finds what they offer.
///
/// A processor that is about to be asked is expected before it can answer, and the asking processor expects itself until it
/// has asked all. So the number of answers that are still to come reaches zero once, when the last of them is there.
pub struct OfferBox<T> {
    expected: AtomicUsize,
    offers: Mutex<Vec<T>>,
}

impl<T> Default for OfferBox<T> {
    fn default() -> Self {
        OfferBox { expected: AtomicUsize::new(0), offers: Mutex::new(Vec::new()) }
    }
}

impl<T> OfferBox<T> {
    /// One more answer is expected: that of a processor that is about to be asked, or the asking processor's own word that
    /// it has asked all.
    pub fn expect(&self) {
        self.expected.fetch_add(1, Ordering::Relaxed);
    }

    /// An expected answer. True if it was the last: whoever waits has to be woken.
    pub fn put(&self, offer: Option<T>) -> bool {
        if let Some(offer) = offer {
            lock(&self.offers).push(offer);
        }
        self.expected.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Are all answers there?
    pub fn is_complete(&self) -> bool {
        self.expected.load(Ordering::Acquire) == 0
    }

    /// Takes the offers out.
    pub fn take(&self) -> Vec<T> {
        std::mem::take(&mut *lock(&self.offers))
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
    fn offers_are_complete_when_all_who_were_asked_have_answered() {
        let offers = OfferBox::default();
        (0..3).for_each(|_| offers.expect());
        assert!(!offers.put(Some(7)) && !offers.put(None) && !offers.is_complete());
        assert!(offers.put(Some(9)) && offers.is_complete());
        assert_eq!((offers.take(), offers.take()), (vec![7, 9], vec![]));
    }

    #[test]
    fn an_answer_is_taken_once() {
        let answer = AnswerBox::default();
        assert_eq!(answer.take(), None);
        answer.put(WorkAnswer::Given(7));
        assert_eq!((answer.take(), answer.take()), (Some(WorkAnswer::Given(7)), None));
    }
}
