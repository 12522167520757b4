//! What others may touch of a processor on a thread.

use crate::context::{ControlOf, SplitPointOf, SuspendedStrand};
use crate::request::{AnswerBox, OfferBox, RequestSlot};
use crate::{Application, Inquiry, WorkOffer};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// What others may touch of a processor. On cache lines of its own.
#[repr(align(128))]
pub(super) struct ProcessorCell<A: Application> {
    /// Where others ask for work.
    pub(super) slot: RequestSlot,
    /// The strand that runs here.
    current: Mutex<Option<ControlOf<A>>>,
    /// The answer to this processor's own request, and what the request asks for.
    pub(super) answer: AnswerBox<SplitPointOf<A>>,
    pub(super) wish: Wish,
    /// What the processors offer that this one has asked all at once, and which of them does.
    pub(super) offers: OfferBox<(WorkOffer, usize)>,
    /// Strands that only this processor may carry on, and that may go on.
    returned: Mutex<Vec<SuspendedStrand<A>>>,
    has_returned: AtomicBool,
    /// Has a thread joined the run as this processor?
    pub(super) has_joined: AtomicBool,
    pub(super) counts: CellCounts,
}

/// What a request asks for.
#[derive(Default)]
pub(super) struct Wish {
    /// An [`Inquiry`] as a number.
    inquiry: AtomicUsize,
    /// Only frames at least this far from the root.
    pub(super) floor: AtomicUsize,
    /// Only work of about this many nodes or more.
    pub(super) least: AtomicU64,
    /// How often the asking processor has been refused since it last had work.
    pub(super) denials: AtomicU32,
    /// How often the strand that was asked has deferred the request.
    pub(super) delays: AtomicU32,
}

/// What is counted while strands run here.
#[derive(Default)]
pub(super) struct CellCounts {
    pub(super) splits: AtomicU64,
    pub(super) denials: AtomicU64,
    /// When the request that is being answered was taken, and the time spent on answers so far.
    pub(super) taken: AtomicU64,
    pub(super) answering: AtomicU64,
}

impl Wish {
    pub(super) fn set_inquiry(&self, inquiry: Inquiry) {
        let number = match inquiry {
            Inquiry::SplitPoint => 0,
            Inquiry::Offer => 1,
            Inquiry::Offered(ply) => 2 + ply,
        };
        self.inquiry.store(number, Ordering::Relaxed);
    }

    pub(super) fn inquiry(&self) -> Inquiry {
        match self.inquiry.load(Ordering::Relaxed) {
            0 => Inquiry::SplitPoint,
            1 => Inquiry::Offer,
            ply => Inquiry::Offered(ply - 2),
        }
    }
}

impl<A: Application> Default for ProcessorCell<A> {
    fn default() -> Self {
        ProcessorCell {
            slot: RequestSlot::default(),
            current: Mutex::new(None),
            answer: AnswerBox::default(),
            wish: Wish::default(),
            offers: OfferBox::default(),
            returned: Mutex::new(Vec::new()),
            has_returned: AtomicBool::new(false),
            has_joined: AtomicBool::new(false),
            counts: CellCounts::default(),
        }
    }
}

impl<A: Application> ProcessorCell<A> {
    /// A strand begins to run here. It looks up at its first node: what was asked before is seen then.
    pub(super) fn enter(&self, control: &ControlOf<A>) {
        control.poke();
        *self.current.lock() = Some(Arc::clone(control));
    }

    /// The strand does not run any more.
    pub(super) fn leave(&self) {
        *self.current.lock() = None;
    }

    /// Makes the strand that runs here look up at its next node.
    pub(super) fn poke(&self) {
        if let Some(control) = &*self.current.lock() {
            control.poke();
        }
    }

    /// Does a strand wait that only this processor may carry on?
    pub(super) fn has_returned(&self) -> bool {
        self.has_returned.load(Ordering::Acquire)
    }

    /// A strand may go on that only this processor may carry on.
    pub(super) fn put_returned(&self, strand: SuspendedStrand<A>) {
        let mut returned = self.returned.lock();
        returned.push(strand);
        self.has_returned.store(true, Ordering::Release);
    }

    pub(super) fn take_returned(&self) -> Option<SuspendedStrand<A>> {
        if !self.has_returned() {
            return None;
        }
        let mut returned = self.returned.lock();
        let strand = returned.pop();
        self.has_returned.store(!returned.is_empty(), Ordering::Release);
        strand
    }
}
