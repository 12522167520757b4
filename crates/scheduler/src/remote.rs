//! The lobby: where the threads of one machine meet those of others.
//!
//! A machine that is one of several has a *porter* who carries things between it and the others and sees no more of it than
//! its [`RemoteBridge`]. He has no thread of his own: whoever looks up, or has nothing to do, lets him make a *round*
//! (`Hall::make_round`), and whoever is busy does when the [`Doorbell`] is rung. A thread of his own that sleeps between its
//! rounds was measured too: on two cores with two busy ranks an errand then was 0.6 to 1.1 ms on its way, against errands
//! that took 0.5 to 2 ms. Work crosses the border in both directions, as *errands*:
//!
//! - **Out.** For another machine that asks, the porter invites a *guest*: a processor without a thread of its own, which
//!   asks a busy processor as any idle one would, joins the split point it is given and takes a piece of work there. But
//!   where a helper would search, the guest's strand gives the piece away as an errand ([`ProcessorContext::send_away`](crate::ProcessorContext))
//!   and is suspended until the reply comes. So the rest of the machine can't tell a guest from a helper, and everything
//!   that is true of helpers (cut, recalled, the last to leave) is true of remote_helpers.
//! - **In.** An errand from outside is done by the next processor that has nothing to do, as a strand of its own, and
//!   shared among the other processors as ever; the reply goes back through the porter.
//!
//! A guest that leaves a split point last can't carry its owner on: it has no thread. The owner then waits in the lobby as
//! *urgent*; who is idle takes it, and if nobody is, whoever looks up first sets its own strand aside for it. Strands set
//! aside are taken up before anything new is begun. So a strand that others wait for is delayed by one look at most, and
//! no strand is forgotten: urgent ones, then those set aside, then errands, then requests.

use crate::doorbell::Doorbell;
use crate::strand::{ControlOf, StrandReturn, StrandSlot, StrandTask, SuspendedStrand};
use crate::threads::{Hall, Mail, lock};
use crate::{Application, SplitPointOf};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Carries things between a machine and others.
pub trait MessagePump<E, R>: Send {
    /// How many remote_helpers there may be at the same time.
    fn remote_helpers(&self) -> usize;
    /// The bell that is rung when something has come, where there is one.
    fn doorbell(&self) -> Option<Doorbell> {
        None
    }
    /// A round: whatever has come is taken in, whatever is ready goes out. Called often. True if there was something.
    fn poll_messages(&mut self, lobby: &mut dyn RemoteBridge<E, R>) -> bool;
    /// The run is over.
    fn finish(&mut self, lobby: &mut dyn RemoteBridge<E, R>);
}

/// Something that happened to a guest.
#[derive(Debug)]
pub enum RemoteEvent<E> {
    /// It has taken this piece of work, for the one it was invited for.
    Task(E),
    /// What it has taken is bounded by this from now on.
    BoundRaised(i32),
    /// What it had taken is of no use any more.
    Cut,
    /// It has left: there is nothing to do for it here.
    Left,
}

/// What a porter sees of its machine.
pub trait RemoteBridge<E, R> {
    /// Is the run over?
    fn is_over(&self) -> bool;
    /// Another machine says that the run is over.
    fn end(&mut self);
    /// How many processors have nothing to do.
    fn idle(&self) -> usize;
    /// Of all time of the processors so far, which part they had nothing to do, and which part they let the porter work.
    fn lost_time(&self) -> [f64; 2];
    /// How many errands from outside wait, and how many are being done.
    fn remote_tasks(&self) -> [usize; 2];
    /// Nodes visited here so far.
    fn nodes(&self) -> u64;
    /// So many more nodes were visited elsewhere.
    fn add_nodes(&mut self, nodes: u64);
    /// An errand from outside.
    fn add_task(&mut self, name: u64, errand: E);
    /// An errand from outside is not to be begun any more. True if it had not been.
    fn revoke_task(&mut self, name: u64) -> bool;
    /// An errand from outside is of no use any more, though it has been begun.
    fn cut_task(&mut self, name: u64);
    /// An errand from outside that has been begun is bounded by this from now on.
    fn raise_bound(&mut self, name: u64, bound: i32);
    /// An errand that is done, and what came of it; nothing if it could not be done.
    fn next_result(&mut self) -> Option<(u64, Option<R>)>;
    /// Somebody outside asks for work: a guest asks in its place, for at least about so many nodes. None if there is
    /// nobody to ask.
    fn request_work(&mut self, least: u64) -> Option<usize>;
    /// What happened to a guest.
    fn next_event(&mut self) -> Option<(usize, RemoteEvent<E>)>;
    /// What came of a guest's errand; nothing if whoever had it is lost or could not do it: then somebody here will.
    fn finish_remote_work(&mut self, guest: usize, reply: Option<R>);
}

/// Errands that came from outside.
pub(crate) struct Errands<A: Application> {
    waiting: VecDeque<(u64, A::RemoteTask)>,
    running: Vec<(u64, ControlOf<A>)>,
    replies: VecDeque<(u64, Option<A::RemoteResult>)>,
}

/// What processors leave for each other and for the porter.
pub(crate) struct Counter<A: Application> {
    /// Strands that others wait for, and strands that were set aside for them.
    urgent: Mutex<Vec<SuspendedStrand<A>>>,
    aside: Mutex<Vec<SuspendedStrand<A>>>,
    has_urgent: AtomicBool,
    has_aside: AtomicBool,
    errands: Mutex<Errands<A>>,
    has_errands: AtomicBool,
    /// Is everything of the porter's out of the way?
    is_closed: AtomicBool,
}

impl<A: Application> Counter<A> {
    /// A counter; closed from the beginning where there is no porter.
    pub(crate) fn new(has_porter: bool) -> Self {
        let errands = Errands { waiting: VecDeque::new(), running: Vec::new(), replies: VecDeque::new() };
        Counter {
            urgent: Mutex::default(),
            aside: Mutex::default(),
            has_urgent: AtomicBool::new(false),
            has_aside: AtomicBool::new(false),
            errands: Mutex::new(errands),
            has_errands: AtomicBool::new(false),
            is_closed: AtomicBool::new(!has_porter),
        }
    }

    /// Does a strand wait that others wait for?
    #[inline]
    pub(crate) fn has_urgent(&self) -> bool {
        self.has_urgent.load(Ordering::Relaxed)
    }

    /// Nothing is left here, and nothing more will come.
    pub(crate) fn is_done(&self) -> bool {
        self.is_closed.load(Ordering::Acquire) && lock(&self.urgent).is_empty() && lock(&self.aside).is_empty()
    }

    /// A strand that may go on: one that others wait for, or one that was set aside for such a one.
    pub(crate) fn next_strand(&self) -> Option<SuspendedStrand<A>> {
        let take = |queue: &Mutex<Vec<SuspendedStrand<A>>>, flag: &AtomicBool| {
            if !flag.load(Ordering::Acquire) {
                return None;
            }
            let mut queue = lock(queue);
            let strand = queue.pop();
            flag.store(!queue.is_empty(), Ordering::Release);
            strand
        };
        take(&self.urgent, &self.has_urgent).or_else(|| take(&self.aside, &self.has_aside))
    }

    /// A strand that pauses is set aside if an urgent one waits; that one then.
    pub(crate) fn exchange(&self, strand: SuspendedStrand<A>) -> SuspendedStrand<A> {
        let mut urgent = lock(&self.urgent);
        let Some(next) = urgent.pop() else { return strand };
        self.has_urgent.store(!urgent.is_empty(), Ordering::Release);
        drop(urgent);
        let mut aside = lock(&self.aside);
        aside.push(strand);
        self.has_aside.store(true, Ordering::Release);
        next
    }

    /// Does an errand from outside wait?
    pub(crate) fn has_errands(&self) -> bool {
        self.has_errands.load(Ordering::Acquire)
    }

    /// Takes an errand from outside; `control` is that of the strand that will do it.
    pub(crate) fn next_errand(&self, control: &ControlOf<A>) -> Option<(u64, A::RemoteTask)> {
        let mut errands = lock(&self.errands);
        let (name, errand) = errands.waiting.pop_front()?;
        self.has_errands.store(!errands.waiting.is_empty(), Ordering::Release);
        errands.running.push((name, Arc::clone(control)));
        Some((name, errand))
    }

    /// An errand is done, or was cut.
    pub(crate) fn remote_task_done(&self, name: u64, reply: Option<A::RemoteResult>) {
        let mut errands = lock(&self.errands);
        errands.running.retain(|(other, _)| *other != name);
        errands.replies.push_back((name, reply));
    }

    /// Is everything of the porter's out of the way?
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }
}

/// Where a guest is.
enum Guest<A: Application> {
    /// Nobody is here.
    Nobody,
    /// It has asked that processor.
    Asking(usize),
    /// It waits for the reply to its errand, which is bounded by this.
    Away(SuspendedStrand<A>, i32),
}

/// The porter and his remote_helpers. Whoever holds the lock around it makes a round.
pub(crate) struct Office<'a, A: Application> {
    porter: &'a mut dyn MessagePump<A::RemoteTask, A::RemoteResult>,
    room: Room<A>,
}

/// Where remote_helpers wait.
struct Room<A: Application> {
    remote_helpers: Vec<Guest<A>>,
    events: VecDeque<(usize, RemoteEvent<A::RemoteTask>)>,
    slots: Vec<StrandSlot<A>>,
    random: u64,
}

impl<'a, A: Application> Office<'a, A> {
    pub(crate) fn new(porter: &'a mut dyn MessagePump<A::RemoteTask, A::RemoteResult>) -> Self {
        let remote_helpers = (0..porter.remote_helpers()).map(|_| Guest::Nobody).collect();
        let room = Room { remote_helpers, events: VecDeque::new(), slots: Vec::new(), random: 0x9e37_79b9_7f4a_7c15 };
        Office { porter, room }
    }

    /// How many remote_helpers there may be.
    pub(crate) fn remote_helpers(&self) -> usize {
        self.room.remote_helpers.len()
    }

    /// The bell that is rung when something has come.
    pub(crate) fn doorbell(&self) -> Option<Doorbell> {
        self.porter.doorbell()
    }

    /// One round.
    pub(crate) fn round(&mut self, hall: &Hall<'a, A>) -> bool {
        self.porter.poll_messages(&mut Reception { hall, room: &mut self.room })
    }

    /// The run is over: everybody leaves.
    pub(crate) fn close(&mut self, hall: &Hall<'a, A>) {
        let mut reception = Reception { hall, room: &mut self.room };
        self.porter.finish(&mut reception);
        reception.close();
    }
}

/// The lobby of a machine of threads.
struct Reception<'h, 'a, A: Application> {
    hall: &'h Hall<'a, A>,
    room: &'h mut Room<A>,
}

impl<A: Application> Reception<'_, '_, A> {
    /// Everybody leaves: the run is over.
    fn close(&mut self) {
        lock(&self.hall.counter.errands).waiting.clear();
        self.hall.counter.has_errands.store(false, Ordering::Release);
        while self.room.remote_helpers.iter().any(|guest| !matches!(guest, Guest::Nobody)) {
            for guest in 0..self.room.remote_helpers.len() {
                self.look_after(guest);
            }
            std::thread::yield_now();
        }
        for slot in self.room.slots.drain(..) {
            self.hall.application.retire(slot.into_strand_state());
        }
        self.hall.counter.is_closed.store(true, Ordering::Release);
        self.hall.wake_all();
    }

    /// Sees what a guest is about.
    fn look_after(&mut self, guest: usize) {
        match std::mem::replace(&mut self.room.remote_helpers[guest], Guest::Nobody) {
            Guest::Nobody => {}
            Guest::Asking(victim) => self.look_for_mail(guest, victim),
            Guest::Away(strand, bound) => {
                // Cut, recalled, or the run is over: it may not wait any longer.
                if self.hall.is_over() || strand.control.keep() != usize::MAX {
                    self.room.events.push_back((guest, RemoteEvent::Cut));
                    self.resume(guest, strand);
                    return;
                }
                let now = self.bound(&strand);
                if now > bound {
                    self.room.events.push_back((guest, RemoteEvent::BoundRaised(now)));
                }
                self.room.remote_helpers[guest] = Guest::Away(strand, now);
            }
        }
    }

    /// What bounds the work at the split point that a guest has joined.
    fn bound(&self, strand: &SuspendedStrand<A>) -> i32 {
        strand.at.as_ref().map_or(0, |split| split.with(|at| self.hall.application.bound(at.state)))
    }

    fn look_for_mail(&mut self, guest: usize, victim: usize) {
        let split = match self.hall.mail_for_guest(guest, victim) {
            None => {
                self.room.remote_helpers[guest] = Guest::Asking(victim);
                return;
            }
            Some(Mail::Given(split)) => split,
            Some(_) => {
                self.room.events.push_back((guest, RemoteEvent::Left));
                return;
            }
        };
        match self.join(split) {
            Some(strand) => self.resume(guest, strand),
            None => self.room.events.push_back((guest, RemoteEvent::Left)),
        }
    }

    fn join(&mut self, split: SplitPointOf<A>) -> Option<SuspendedStrand<A>> {
        let hall = self.hall;
        let slot = self.room.slots.pop().unwrap_or_else(|| StrandSlot::new(hall.application));
        slot.control().begin();
        if split.join(slot.control(), |state| hall.application.has_work(state)).is_none() {
            self.room.slots.push(slot);
            return None;
        }
        // SAFETY: as for the strands of processors: the hall and the application outlive the run, and the run ends only
        // when no guest is left (`close`).
        Some(unsafe { slot.start(hall.application, hall, StrandTask::Help(split)) })
    }

    /// Lets a guest's strand run to its next errand, or to its end.
    fn resume(&mut self, guest: usize, strand: SuspendedStrand<A>) {
        match strand.resume(self.hall.processors + guest) {
            StrandReturn::Away(strand, errand) => {
                let bound = self.bound(&strand);
                self.room.remote_helpers[guest] = Guest::Away(strand, bound);
                self.room.events.push_back((guest, RemoteEvent::Task(errand)));
            }
            StrandReturn::Finished { slot, at, .. } => {
                let owner = at.and_then(|split| split.leave(slot.control()));
                self.room.slots.push(slot);
                if let Some(owner) = owner {
                    self.hand_over(owner);
                }
                self.room.events.push_back((guest, RemoteEvent::Left));
            }
            StrandReturn::Paused(_) | StrandReturn::Parked(..) => {
                unreachable!("a guest searches nothing, so it shares nothing")
            }
        }
    }

    /// The last to leave was a guest: some processor has to carry the owner on.
    fn hand_over(&self, owner: SuspendedStrand<A>) {
        let Some(owner) = self.hall.send_home(owner) else { return };
        let counter = &self.hall.counter;
        lock(&counter.urgent).push(owner);
        counter.has_urgent.store(true, Ordering::Release);
        if !self.hall.wake_idle() {
            self.hall.poke_everyone();
        }
    }
}

impl<A: Application> RemoteBridge<A::RemoteTask, A::RemoteResult> for Reception<'_, '_, A> {
    fn is_over(&self) -> bool {
        self.hall.is_over()
    }

    fn end(&mut self) {
        self.hall.application.stop();
        self.hall.end();
    }

    fn idle(&self) -> usize {
        self.hall.idle.load(Ordering::Relaxed)
    }

    fn lost_time(&self) -> [f64; 2] {
        self.hall.lost_time()
    }

    fn remote_tasks(&self) -> [usize; 2] {
        let errands = lock(&self.hall.counter.errands);
        [errands.waiting.len(), errands.running.len()]
    }

    fn nodes(&self) -> u64 {
        self.hall.application.progress()
    }

    fn add_nodes(&mut self, nodes: u64) {
        self.hall.application.count(nodes);
    }

    fn add_task(&mut self, name: u64, errand: A::RemoteTask) {
        let counter = &self.hall.counter;
        lock(&counter.errands).waiting.push_back((name, errand));
        counter.has_errands.store(true, Ordering::Release);
        self.hall.wake_idle();
    }

    fn revoke_task(&mut self, name: u64) -> bool {
        let errands = &mut *lock(&self.hall.counter.errands);
        let before = errands.waiting.len();
        errands.waiting.retain(|(other, _)| *other != name);
        self.hall.counter.has_errands.store(!errands.waiting.is_empty(), Ordering::Release);
        errands.waiting.len() < before
    }

    fn cut_task(&mut self, name: u64) {
        let errands = &mut *lock(&self.hall.counter.errands);
        // Under the lock: a strand that is done takes itself off the list first, so no other is cut in its place.
        if let Some((_, control)) = errands.running.iter().find(|(other, _)| *other == name) {
            control.cut_all();
        }
    }

    fn raise_bound(&mut self, name: u64, bound: i32) {
        let errands = &mut *lock(&self.hall.counter.errands);
        if let Some((_, control)) = errands.running.iter().find(|(other, _)| *other == name) {
            for split in control.shared_frames() {
                split.with(|at| self.hall.application.raise(at.state, bound));
            }
        }
    }

    fn next_result(&mut self) -> Option<(u64, Option<A::RemoteResult>)> {
        lock(&self.hall.counter.errands).replies.pop_front()
    }

    fn request_work(&mut self, least: u64) -> Option<usize> {
        // Whose end has not been heard of yet is not forgotten either.
        let is_free = |guest: usize| !self.room.events.iter().any(|(other, _)| *other == guest);
        let mut free = (0..self.room.remote_helpers.len())
            .filter(|&guest| matches!(self.room.remote_helpers[guest], Guest::Nobody));
        let guest = free.find(|&guest| is_free(guest))?;
        self.room.random =
            self.room.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let victim = self.hall.ask_for_guest(guest, (self.room.random >> 33) as usize, least)?;
        self.room.remote_helpers[guest] = Guest::Asking(victim);
        Some(guest)
    }

    fn next_event(&mut self) -> Option<(usize, RemoteEvent<A::RemoteTask>)> {
        if self.room.events.is_empty() {
            for guest in 0..self.room.remote_helpers.len() {
                self.look_after(guest);
            }
        }
        self.room.events.pop_front()
    }

    fn finish_remote_work(&mut self, guest: usize, reply: Option<A::RemoteResult>) {
        match std::mem::replace(&mut self.room.remote_helpers[guest], Guest::Nobody) {
            Guest::Away(strand, _) => {
                self.hall.leave_reply(guest, reply);
                self.resume(guest, strand);
            }
            other => self.room.remote_helpers[guest] = other,
        }
    }
}
