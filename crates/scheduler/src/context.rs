//! What a strand sees of the processor it runs on.

use crate::coroutine::Coroutine;
use crate::doorbell::Doorbell;
use crate::protocol::{SplitPoint, StrandControl};
use corosensei::Yielder;
use std::cell::Cell;
use std::sync::Arc;

/// What an application works with.
pub trait ApplicationTypes: Sized {
    /// What a strand works with: its frames and the like. Made once and used by one strand after another.
    type StrandState: Send;
    /// What a helper needs to begin at a split point: the path that leads there.
    type SplitPath: Send + Sync;
    /// What changes at a split point.
    type SplitState: Send;
    /// A piece of work that another rank does, or that is done for one.
    type RemoteTask: Send;
    /// What came of it.
    type RemoteResult: Send;
}

/// A split point of an application.
pub type SplitPointOf<A> =
    Arc<SplitPoint<<A as ApplicationTypes>::SplitPath, <A as ApplicationTypes>::SplitState, SuspendedStrand<A>>>;
/// What others may touch of a strand of an application.
pub(crate) type ControlOf<A> =
    Arc<StrandControl<<A as ApplicationTypes>::SplitPath, <A as ApplicationTypes>::SplitState, SuspendedStrand<A>>>;

/// What a processor asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inquiry {
    /// A split point.
    SplitPoint,
    /// What the strand would share; it shares nothing yet.
    Offer,
    /// The frame at this ply, which the strand has offered.
    Offered(usize),
}

/// What a strand would share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkOffer {
    /// Of several offers the one with the highest priority is taken.
    pub priority: i64,
    /// The frame's ply.
    pub ply: usize,
}

/// A processor asks for work.
#[derive(Debug)]
pub struct WorkRequest {
    pub(crate) processor: usize,
    /// What it asks for.
    pub inquiry: Inquiry,
    /// Only frames at least this far from the root are wanted.
    pub floor: usize,
    /// Only frames at least this deep are wanted.
    pub grain: i32,
    /// Only work of about this many nodes or more is wanted; zero for requests of this rank's own processors.
    pub least: u64,
    /// How often the processor has been refused since it last had work.
    pub denials: u32,
    /// How often this strand has deferred the request.
    pub delays: u32,
    /// How often it may be deferred.
    pub patience: u32,
}

impl WorkRequest {
    /// Does another rank ask?
    pub fn is_remote(&self) -> bool {
        self.least > 0
    }
}

/// Why a strand gives its processor back.
pub(crate) enum Pause<A: ApplicationTypes> {
    /// Its virtual time is up, or a more urgent strand waits.
    Tick,
    /// It waits at its split point for its helpers.
    Park(SplitPointOf<A>),
    /// It gives this task to another rank and waits for the result.
    Away(A::RemoteTask),
}

/// What a machine does for the strands that run on it.
pub(crate) trait Machine<A: ApplicationTypes> {
    /// `nodes` were counted since the last call. True if the strand has to pause.
    fn tick(&self, processor: usize, nodes: u64) -> bool;
    /// Time since the run began: ticks, or nanoseconds.
    fn now(&self) -> u64;
    /// The time with work of all processors so far, where the machine knows; `processor` runs the strand that asks.
    fn busy(&self, _processor: usize) -> u64 {
        0
    }
    /// A node's time goes by without work.
    fn linger(&self);
    /// A message goes from `processor` to `home`, or comes from there. True if the strand has to pause meanwhile.
    fn cross(&self, _processor: usize, _home: usize) -> bool {
        false
    }
    /// The strand on `processor` asks for the table entry of `key`, and waits for it.
    fn look_up(&self, _processor: usize, _key: u64) {}
    /// The strand on `processor` stores the table entry of `key`.
    fn put(&self, _processor: usize, _key: u64) {}
    /// The next request for work at this processor.
    fn request(&self, processor: usize) -> Option<WorkRequest>;
    /// The request can't be answered now, but perhaps at one of the next nodes.
    fn defer(&self, processor: usize, request: WorkRequest);
    /// The answer to a request.
    fn answer(&self, processor: usize, request: WorkRequest, split: Option<&SplitPointOf<A>>);
    /// The answer to the request for an offer.
    fn offer(&self, processor: usize, request: WorkRequest, offer: Option<WorkOffer>);
    /// The request for an offer is not even looked at: no time is spent on it.
    fn ignore(&self, processor: usize, request: WorkRequest);
    /// A frame was shared.
    fn note_split(&self, processor: usize, split: &SplitPointOf<A>);
    /// Makes every running strand look up at its next node.
    fn poke_all(&self);
    /// After how many nodes a strand looks up unasked.
    fn interval(&self) -> u64;
    /// Do processors sleep because they found no work?
    fn has_sleepers(&self) -> bool {
        false
    }
    /// Is there a board?
    fn has_board(&self) -> bool {
        false
    }
    /// Do processors wait at the board?
    fn wants_split(&self) -> bool {
        false
    }
    /// There is something to do again at a split point.
    fn note_work(&self, _split: &SplitPointOf<A>) {}
    /// A strand on this processor has work to give: wakes one of those that sleep.
    fn wake_helper(&self, _processor: usize) {}
    /// Where this machine is one of several ranks: the doorbell that other ranks ring.
    fn doorbell(&self) -> Option<Doorbell> {
        None
    }
    /// Does this processor only stand for one of another rank?
    fn is_remote(&self, _processor: usize) -> bool {
        false
    }
    /// The result of what a remote helper gave away.
    fn take_result(&self, _processor: usize) -> Option<A::RemoteResult> {
        None
    }
    /// A task of another rank is done, or was cut.
    fn remote_task_done(&self, _name: u64, _result: Option<A::RemoteResult>) {}
}

/// What a strand sees of the processor it runs on.
pub struct ProcessorContext<'m, A: ApplicationTypes> {
    pub(crate) control: ControlOf<A>,
    pub(crate) machine: &'m dyn Machine<A>,
    pub(crate) yielder: &'m Yielder<usize, Pause<A>>,
    pub(crate) index: Cell<usize>,
}

impl<A: ApplicationTypes> ProcessorContext<'_, A> {
    /// What others may touch of this strand.
    pub fn control(&self) -> &ControlOf<A> {
        &self.control
    }

    /// The number of the processor. It may change whenever the strand is suspended.
    pub fn index(&self) -> usize {
        self.index.get()
    }

    /// Tells of nodes searched since the last call. On a virtual machine others may run now.
    pub fn tick(&self, nodes: u64) {
        if self.machine.tick(self.index.get(), nodes) {
            self.pause(Pause::Tick);
        }
    }

    /// Time since the run began: ticks of a virtual machine, nanoseconds on threads.
    pub fn now(&self) -> u64 {
        self.machine.now()
    }

    /// The time with work of all processors of a virtual machine so far; zero on threads.
    pub fn busy(&self) -> u64 {
        self.machine.busy(self.index.get())
    }

    /// Lets a node's time go by, waiting for another strand. The caller looks up afterwards.
    pub fn linger(&self) {
        self.machine.linger();
    }

    /// A message goes to the processor `home`, or comes from there: time goes by if that is on another host, or reached
    /// over a network.
    pub fn cross(&self, home: usize) {
        if self.machine.cross(self.index.get(), home) {
            self.pause(Pause::Tick);
        }
    }

    /// The table entry of `key` is wanted: time goes by if it lies on another processor.
    pub fn look_up(&self, key: u64) {
        self.machine.look_up(self.index.get(), key);
    }

    /// The table entry of `key` is stored: the processor it lies on has to do so.
    pub fn put(&self, key: u64) {
        self.machine.put(self.index.get(), key);
    }

    /// After how many nodes to look up unasked.
    pub fn interval(&self) -> u64 {
        self.machine.interval()
    }

    /// The doorbell that other ranks ring, if there are any.
    pub fn doorbell(&self) -> Option<Doorbell> {
        self.machine.doorbell()
    }

    /// Makes every strand look up at its next node.
    pub fn poke_all(&self) {
        self.machine.poke_all();
    }

    /// Do processors sleep because they found no work?
    pub fn has_sleepers(&self) -> bool {
        self.machine.has_sleepers()
    }

    /// Is there a board, where idle processors look for split points?
    pub fn has_board(&self) -> bool {
        self.machine.has_board()
    }

    /// Do processors wait there, so that a frame is to be shared unasked?
    pub fn wants_split(&self) -> bool {
        self.machine.wants_split()
    }

    /// There is something to do again at a split point.
    pub fn note_work(&self, split: &SplitPointOf<A>) {
        self.machine.note_work(split);
    }

    /// This strand has work to give: wakes a processor that sleeps.
    pub fn wake_helper(&self) {
        self.machine.wake_helper(self.index.get());
    }

    /// The next request for work.
    pub fn request(&self) -> Option<WorkRequest> {
        self.machine.request(self.index.get())
    }

    /// Keeps a request for one of the next nodes.
    pub fn defer(&self, request: WorkRequest) {
        self.machine.defer(self.index.get(), request);
    }

    /// Answers a request with a split point, or refuses it.
    pub fn answer(&self, request: WorkRequest, split: Option<&SplitPointOf<A>>) {
        self.machine.answer(self.index.get(), request, split);
    }

    /// Answers a request for an offer.
    pub fn offer(&self, request: WorkRequest, offer: Option<WorkOffer>) {
        self.machine.offer(self.index.get(), request, offer);
    }

    /// Does not even look at a request for an offer.
    pub fn ignore(&self, request: WorkRequest) {
        self.machine.ignore(self.index.get(), request);
    }

    /// Shares the frame at `ply`.
    pub fn share(&self, ply: usize, path: A::SplitPath, state: A::SplitState) -> SplitPointOf<A> {
        let split = SplitPoint::share(&self.control, ply, path, state);
        self.machine.note_split(self.index.get(), &split);
        split
    }

    /// Waits until all helpers have left this strand's own split point. The processor does something else meanwhile,
    /// and the strand may go on on another one.
    pub fn wait(&self, split: &SplitPointOf<A>) {
        if !split.is_deserted() {
            self.pause(Pause::Park(Arc::clone(split)));
        }
    }

    /// Does this strand only stand for one of another rank? Then it gives its work away.
    pub fn is_remote(&self) -> bool {
        self.machine.is_remote(self.index.get())
    }

    /// A remote helper's strand gives its work away and waits for the result; none if the work is of no use any more, or
    /// if the rank that had it is lost.
    pub fn send_away(&self, task: A::RemoteTask) -> Option<A::RemoteResult> {
        self.pause(Pause::Away(task));
        self.machine.take_result(self.index.get())
    }

    fn pause(&self, why: Pause<A>) {
        self.index.set(self.yielder.suspend(why));
    }
}

/// A suspended strand: its coroutine, and everything it owns.
pub struct SuspendedStrand<A: ApplicationTypes> {
    pub(crate) coroutine: Coroutine<usize, Pause<A>, Box<A::StrandState>>,
    pub(crate) control: ControlOf<A>,
    /// The split point it helps at; none for a first strand.
    pub(crate) at: Option<SplitPointOf<A>>,
    /// Is it the first strand of a processor?
    pub(crate) first: bool,
    /// The only processor that may carry the parked strand on, if there is one.
    pub(crate) home: Option<usize>,
    /// The ply of the split point it waits at.
    pub(crate) parked_at: usize,
}

// What lies on the stack of a suspended strand is the application's `start`, `help` or `run_remote_task` up to a call that
// suspends, and `ProcessorContext` itself: states, paths and tasks are `Send` (bounds of `Application`), the context holds an
// `Arc` of atomics and locks, a reference to a machine that all processors share, and the yielder of this very coroutine.
// SAFETY: a coroutine may be resumed by another thread than the one that suspended it if nothing on its stack is bound to a
// thread. The contract of the unsafe trait `Application` says so of the application's part.
unsafe impl<A: ApplicationTypes> Send for SuspendedStrand<A> {}
