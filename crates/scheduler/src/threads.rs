//! Real threads: one processor each.
//!
//! An idle processor writes its name into the one request slot of a victim, pokes the strand that runs there, and waits
//! for the answer. The victim takes the name out of the slot at its next node, or when it has nothing to run any more, and
//! answers into the asker's mail. So every request that was taken is answered, and a processor whose slot is taken knows
//! who waits for it.

use crate::doorbell::Doorbell;
use crate::remote::{Counter, MessagePump, Office};
use crate::strand::{ControlOf, Machine, StrandReturn, StrandSlot, StrandTask, SuspendedStrand};
use crate::{Account, Accounts, Application, SplitPointOf, Waiting, WorkRequest};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// A machine of real threads.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// How many processors.
    pub processors: usize,
    /// Frames less deep than this are not worth being shared.
    pub grain: i32,
}

/// Nodes between two looks at the outside world, unasked: well under a millisecond.
const INTERVAL: u64 = 1024;
/// How often an idle processor looks for its answer before it goes to sleep, if there is a core for everyone.
const SPINS: usize = 2_000;
/// After so many refusals an idle processor that has a core of its own takes a nap; where cores are scarce, sooner.
const ROOMY_PATIENCE: usize = 200;
/// And later where an answer may come from another machine.
const LONG_PATIENCE: usize = 2000;
/// An idle processor that was refused by everyone sleeps this long at first, and at most that long.
const NAPS: [Duration; 2] = [Duration::from_micros(20), Duration::from_micros(500)];
/// And at most that long where there are other machines to listen to.
const ATTENTIVE: Duration = Duration::from_micros(50);
/// A busy machine that is one of several looks for messages after so many nodes; and where a bell says that there are some.
const LISTENING: [u64; 2] = [32, 128];
/// But not sooner than after so many times what it costs to look in vain, and within these bounds, in nanoseconds.
const LOOKS: u64 = 30;
const ROUND: [u64; 2] = [20_000, 100_000];

/// The answer to a request.
pub(crate) enum Mail<A: Application> {
    None,
    Given(SplitPointOf<A>),
    Refused,
}

/// What others may touch of a processor. On its own cache lines.
#[repr(align(128))]
pub(crate) struct Desk<A: Application> {
    /// Who asks for work: the processor's number plus one.
    asked_by: AtomicUsize,
    /// How often the request was put off.
    delays: AtomicU32,
    /// Does a strand run here?
    busy: AtomicBool,
    /// The strand that runs here.
    current: Mutex<Option<ControlOf<A>>>,
    mail: Mutex<Mail<A>>,
    /// Is there mail? So that who waits for it need not hold the lock all the time.
    has_mail: AtomicBool,
    /// Strands that only this processor may carry on, come back; and whether there are any.
    returned: Mutex<Vec<SuspendedStrand<A>>>,
    has_returned: AtomicBool,
    /// Only frames at least this far from the root are wanted here.
    floor: AtomicUsize,
    /// Only work of about so many nodes is wanted here.
    least: AtomicU64,
    /// The reply to what a guest gave away.
    reply: Mutex<Option<A::RemoteResult>>,
    thread: OnceLock<Thread>,
    splits: AtomicU64,
    denials: AtomicU64,
    /// When the request that is being answered was taken, and the time spent on answers so far.
    taken: AtomicU64,
    answering: AtomicU64,
}

impl<A: Application> Default for Desk<A> {
    fn default() -> Self {
        Desk {
            asked_by: AtomicUsize::new(0),
            delays: AtomicU32::new(0),
            busy: AtomicBool::new(false),
            current: Mutex::new(None),
            mail: Mutex::new(Mail::None),
            has_mail: AtomicBool::new(false),
            returned: Mutex::new(Vec::new()),
            has_returned: AtomicBool::new(false),
            floor: AtomicUsize::new(0),
            least: AtomicU64::new(0),
            reply: Mutex::new(None),
            thread: OnceLock::new(),
            splits: AtomicU64::new(0),
            denials: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            answering: AtomicU64::new(0),
        }
    }
}

impl<A: Application> Desk<A> {
    /// Whoever calls is woken when there is something for this desk.
    pub(crate) fn belongs_to_this_thread(&self) {
        let _ = self.thread.set(std::thread::current());
    }

    /// Wakes the processor if it sleeps.
    fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }
}

/// A run: all processors, and whether it is over.
pub(crate) struct Hall<'a, A: Application> {
    pub(crate) application: &'a A,
    /// How many processors.
    pub(crate) processors: usize,
    /// The processors' desks, then those of remote_helpers.
    desks: Vec<Desk<A>>,
    pub(crate) counter: Counter<A>,
    /// The porter, where this machine is one of several, and when he made his last round.
    office: Option<Mutex<Office<'a, A>>>,
    last_round: AtomicU64,
    /// What a round costs that finds nothing, in nanoseconds.
    vain_round: AtomicU64,
    bell: Doorbell,
    /// Processors that have nothing to do, and the time that all had nothing to do so far, in nanoseconds.
    pub(crate) idle: AtomicUsize,
    idled: AtomicU64,
    /// The time strands waited for the porter's rounds.
    served: AtomicU64,
    over: AtomicBool,
    started: Instant,
    /// Is there a core for every processor?
    roomy: bool,
    /// Strands that were made.
    strands: AtomicUsize,
    /// Processors that sleep because everyone refused them.
    asleep: AtomicUsize,
}

impl Threads {
    /// A search this deep takes longer than sharing it, by far: some tens of microseconds against one or two.
    pub const GRAIN: i32 = 4;

    /// So many processors.
    pub fn new(processors: usize) -> Threads {
        Threads { processors, grain: Threads::GRAIN }
    }

    /// Runs the application to its end, on this thread and others.
    pub fn run<A: Application>(&self, application: &A) -> Accounts {
        self.run_with(application, None)
    }

    /// As [`Threads::run`], where this machine is one of several: the porter carries things to and from the others.
    pub fn run_with<'a, A: Application>(
        &self,
        application: &'a A,
        porter: Option<&'a mut dyn MessagePump<A::RemoteTask, A::RemoteResult>>,
    ) -> Accounts {
        let office = porter.map(Office::new);
        let remote_helpers = office.as_ref().map_or(0, Office::remote_helpers);
        let bell = office.as_ref().and_then(Office::doorbell).unwrap_or_else(Doorbell::silent);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let hall = Hall {
            application,
            processors: self.processors,
            desks: (0..self.processors + remote_helpers).map(|_| Desk::default()).collect(),
            counter: Counter::new(office.is_some()),
            office: office.map(Mutex::new),
            last_round: AtomicU64::new(0),
            vain_round: AtomicU64::new(0),
            bell,
            idle: AtomicUsize::new(0),
            idled: AtomicU64::new(0),
            served: AtomicU64::new(0),
            over: AtomicBool::new(false),
            started: Instant::now(),
            roomy: self.processors <= cores,
            strands: AtomicUsize::new(0),
            asleep: AtomicUsize::new(0),
        };
        let mut processors = vec![Account::default(); self.processors];
        std::thread::scope(|scope| {
            let (own, others) = processors.split_first_mut().unwrap_or_else(|| unreachable!("at least one processor"));
            for (index, account) in others.iter_mut().enumerate() {
                let hall = &hall;
                // A processor's own stack only holds its loop; strands have stacks of their own.
                let builder = std::thread::Builder::new().stack_size(256 * 1024);
                let spawned = builder.spawn_scoped(scope, move || Processor::new(hall, index + 1).run(account));
                if spawned.is_err() {
                    // The system gives no more threads: those that there are do all the work.
                    break;
                }
            }
            Processor::new(&hall, 0).run(own);
        });
        for (account, desk) in processors.iter_mut().zip(&hall.desks) {
            account.splits += desk.splits.load(Ordering::Relaxed);
            account.denials += desk.denials.load(Ordering::Relaxed);
            account.answering += desk.answering.load(Ordering::Relaxed);
            // A strand answers while it runs.
            account.working = account.working.saturating_sub(account.answering);
        }
        let time = hall.started.elapsed().as_nanos() as u64;
        for account in &mut processors {
            // Before its thread ran, and after its last look, a processor had no work either.
            account.looking += time.saturating_sub(account.time());
        }
        Accounts { time, processors, strands: hall.strands.load(Ordering::Relaxed) }
    }
}

/// One processor, on its own thread.
struct Processor<'h, 'a, A: Application> {
    hall: &'h Hall<'a, A>,
    index: usize,
    slots: Vec<StrandSlot<A>>,
    /// The plies of the split points at which strands of this processor wait, where only it may carry them on.
    held: Vec<usize>,
    random: u64,
}

impl<'h, 'a, A: Application> Processor<'h, 'a, A> {
    fn new(hall: &'h Hall<'a, A>, index: usize) -> Self {
        let random = 0x9e37_79b9_7f4a_7c15 ^ (index as u64 + 1).wrapping_mul(0xd6e8_feb8_6659_fd93);
        Processor { hall, index, slots: Vec::new(), held: Vec::new(), random }
    }

    fn desk(&self) -> &'h Desk<A> {
        &self.hall.desks[self.index]
    }

    /// Runs strands until the run is over.
    fn run(mut self, account: &mut Account) {
        self.desk().belongs_to_this_thread();
        let mut since = Instant::now();
        let mut current = None;
        let application = self.hall.application;
        if application.starts_here() && (self.index == 0 || application.starts_everywhere()) {
            let slot = self.slot();
            slot.control().begin();
            current = Some(self.start(slot, StrandTask::Start));
        }
        loop {
            match current.take() {
                Some(strand) => {
                    current = self.work(strand, account);
                    account.working += lap(&mut since);
                }
                None if self.held.is_empty() && self.hall.is_over() && self.hall.counter.is_done() => break,
                None => {
                    let waits = !self.held.is_empty();
                    self.hall.idle.fetch_add(1, Ordering::Relaxed);
                    current = self.look_for_work(account);
                    self.hall.idle.fetch_sub(1, Ordering::Relaxed);
                    let spent = lap(&mut since);
                    self.hall.idled.fetch_add(spent, Ordering::Relaxed);
                    *(if waits { &mut account.waiting } else { &mut account.looking }) += spent;
                }
            }
        }
        self.refuse_request();
        for slot in self.slots {
            self.hall.application.retire(slot.into_strand_state());
        }
    }

    /// Runs a strand until it ends or has to wait; the one to run after it.
    fn work(&mut self, strand: SuspendedStrand<A>, account: &mut Account) -> Option<SuspendedStrand<A>> {
        let desk = self.desk();
        // Whatever was asked while nobody ran here is seen at the strand's first node.
        strand.control.poke();
        *lock(&desk.current) = Some(Arc::clone(&strand.control));
        desk.busy.store(true, Ordering::Release);
        let back = strand.resume(self.index);
        *lock(&desk.current) = None;
        let next = match back {
            StrandReturn::Paused(strand) => Some(self.hall.counter.exchange(strand)),
            StrandReturn::Away(..) => unreachable!("only remote_helpers give their work away"),
            StrandReturn::Parked(strand, split) => {
                let waiting = self.hall.application.waiting();
                let left = split.park(strand.at_home((waiting != Waiting::Carry).then_some(self.index), split.ply));
                if left.is_none() && waiting != Waiting::Carry {
                    self.hold(split.ply);
                }
                left
            }
            StrandReturn::Finished { slot, at, first } => {
                if first && self.index_of_first() {
                    self.hall.end();
                }
                let carried = at.and_then(|split| split.leave(slot.control()));
                self.slots.push(slot);
                carried.and_then(|strand| self.carry_on(strand, account))
            }
        };
        if next.is_none() {
            desk.busy.store(false, Ordering::Release);
            self.refuse_request();
        }
        next
    }

    /// Is a first strand that ended here the one the run waits for? First strands may have moved, where there is only
    /// one it is the one.
    fn index_of_first(&self) -> bool {
        !self.hall.application.starts_everywhere() || self.index == 0
    }

    /// The last helper has left: this processor carries the owner on, unless another one is holding for it.
    fn carry_on(&self, strand: SuspendedStrand<A>, account: &mut Account) -> Option<SuspendedStrand<A>> {
        let carried = self.hall.send_home(strand);
        account.carried += u64::from(carried.is_some());
        carried
    }

    /// A strand is parked that only this processor may carry on.
    fn hold(&mut self, ply: usize) {
        self.held.push(ply);
        self.set_floor();
    }

    fn set_floor(&self) {
        let floor = self.held.iter().copied().max().unwrap_or(0);
        self.desk().floor.store(floor, Ordering::Relaxed);
    }

    /// A strand that only this processor may carry on, if one is ready.
    fn go_on_with_own(&mut self) -> Option<SuspendedStrand<A>> {
        let desk = self.desk();
        if !desk.has_returned.load(Ordering::Acquire) {
            return None;
        }
        let mut returned = lock(&desk.returned);
        let strand = returned.pop();
        desk.has_returned.store(!returned.is_empty(), Ordering::Release);
        drop(returned);
        if let Some(strand) = &strand
            && let Some(place) = self.held.iter().position(|&held| held == strand.parked_at)
        {
            self.held.swap_remove(place);
            self.set_floor();
        }
        strand
    }

    /// Asks others until one gives something to do, a strand of its own is ready, or the run is over.
    fn look_for_work(&mut self, account: &mut Account) -> Option<SuspendedStrand<A>> {
        let count = self.hall.processors;
        let mut refusals = 0;
        let mut nap = NAPS[0];
        let longest = if self.hall.office.is_some() { ATTENTIVE } else { NAPS[1] };
        let patience = match (&self.hall.office, self.hall.roomy) {
            (Some(_), true) => LONG_PATIENCE,
            (None, true) => ROOMY_PATIENCE,
            _ => 2 * count,
        };
        let holds = !self.held.is_empty() && self.hall.application.waiting() == Waiting::Hold;
        while !self.held.is_empty() || !self.hall.is_over() || !self.hall.counter.is_done() {
            self.refuse_request();
            self.hall.make_round();
            let waits_for_me = self.go_on_with_own().or_else(|| self.hall.counter.next_strand());
            if let Some(strand) = waits_for_me.or_else(|| self.next_errand()) {
                return Some(strand);
            }
            if self.hall.is_over() {
                self.hall.close_office();
            }
            if holds || self.hall.is_over() {
                std::thread::park_timeout(longest);
                continue;
            }
            let random = self.next_random() as usize % count;
            let is_busy = |&victim: &usize| self.hall.desks[victim].busy.load(Ordering::Acquire);
            // The first busy one from a random place on; this one is not.
            if let Some(victim) = (random..count).chain(0..random).find(is_busy) {
                account.requests += 1;
                if let Some(split) = self.ask(victim)
                    && let Some(strand) = self.join(split)
                {
                    account.steals += 1;
                    // Where there is work for one there may be more.
                    self.hall.wake_one(self.index);
                    return Some(strand);
                }
            }
            refusals += 1;
            if refusals % patience == 0 {
                self.hall.asleep.fetch_add(1, Ordering::Relaxed);
                std::thread::park_timeout(nap);
                self.hall.asleep.fetch_sub(1, Ordering::Relaxed);
                nap = (nap * 2).min(longest);
            } else {
                std::hint::spin_loop();
            }
        }
        None
    }

    /// A strand that does an errand from outside.
    fn next_errand(&mut self) -> Option<SuspendedStrand<A>> {
        if !self.hall.counter.has_errands() {
            return None;
        }
        let slot = self.slot();
        slot.control().begin();
        let Some((name, errand)) = self.hall.counter.next_errand(slot.control()) else {
            self.slots.push(slot);
            return None;
        };
        Some(self.start(slot, StrandTask::Remote(name, errand)))
    }

    /// Asks one processor and waits for its answer.
    fn ask(&self, victim: usize) -> Option<SplitPointOf<A>> {
        let desk = &self.hall.desks[victim];
        self.desk().has_mail.store(false, Ordering::Relaxed);
        let name = self.index + 1;
        if desk.asked_by.compare_exchange(0, name, Ordering::SeqCst, Ordering::Relaxed).is_err() {
            return None;
        }
        if let Some(control) = &*lock(&desk.current) {
            control.poke();
        }
        let mut spins = if self.hall.roomy { SPINS } else { 0 };
        loop {
            if self.desk().has_mail.load(Ordering::Acquire) {
                return match std::mem::replace(&mut *lock(&self.desk().mail), Mail::None) {
                    Mail::Given(split) => Some(split),
                    Mail::Refused | Mail::None => None,
                };
            }
            let gone = self.hall.over.load(Ordering::Acquire) || !desk.busy.load(Ordering::Acquire);
            if gone && desk.asked_by.compare_exchange(name, 0, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
                return None;
            }
            if spins > 0 {
                spins -= 1;
                std::hint::spin_loop();
            } else {
                std::thread::park_timeout(NAPS[1]);
            }
        }
    }

    fn join(&mut self, split: SplitPointOf<A>) -> Option<SuspendedStrand<A>> {
        let slot = self.slot();
        // A cut may come as soon as the helper is known at the split point: it must find a strand that has begun.
        slot.control().begin();
        if split.join(slot.control(), |state| self.hall.application.has_work(state)).is_none() {
            self.slots.push(slot);
            return None;
        }
        Some(self.start(slot, StrandTask::Help(split)))
    }

    fn refuse_request(&self) {
        if let Some(request) = self.hall.request(self.index) {
            self.hall.answer(self.index, request, None);
        }
    }

    fn slot(&mut self) -> StrandSlot<A> {
        self.slots.pop().unwrap_or_else(|| {
            self.hall.strands.fetch_add(1, Ordering::Relaxed);
            StrandSlot::new(self.hall.application)
        })
    }

    fn start(&self, slot: StrandSlot<A>, task: StrandTask<A>) -> SuspendedStrand<A> {
        // SAFETY: the hall and the application outlive all threads of the run, and a thread ends only when it has no
        // strand; a parked strand is carried on by the last helper of its split point before that helper's thread ends.
        unsafe { slot.start(self.hall.application, self.hall, task) }
    }

    fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}

impl<A: Application> Hall<'_, A> {
    /// The run is over.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Release);
        self.poke_everyone();
        self.wake_all();
    }

    /// A strand lets the porter make a round, if it is time for one.
    fn attend(&self) {
        let is_due = || self.now().saturating_sub(self.last_round.load(Ordering::Relaxed)) >= self.pause();
        if self.office.is_some() && (self.bell.is_rung() || is_due()) {
            self.serve();
        }
    }

    /// A strand lets the porter make a round.
    fn serve(&self) {
        let since = self.now();
        let was_in_vain = self.make_round() == Some(false);
        let spent = self.now().saturating_sub(since);
        self.served.fetch_add(spent, Ordering::Relaxed);
        if was_in_vain {
            let before = self.vain_round.load(Ordering::Relaxed);
            self.vain_round.store((15 * before + spent.min(ROUND[1])) / 16, Ordering::Relaxed);
        }
    }

    /// How long after the porter's last round the next one is due, if nothing else happens.
    fn pause(&self) -> u64 {
        let affordable = (LOOKS * self.vain_round.load(Ordering::Relaxed)).clamp(ROUND[0], ROUND[1]);
        if self.bell.is_complete { ROUND[1] } else { affordable }
    }

    /// Lets the porter make a round, if he is not about one; was there something?
    fn make_round(&self) -> Option<bool> {
        let office = self.office.as_ref().filter(|_| !self.counter.is_closed())?;
        let mut office = office.try_lock().ok()?;
        self.last_round.store(self.now(), Ordering::Relaxed);
        self.bell.hear();
        Some(office.round(self))
    }

    /// Of all time of the processors so far, how much they had nothing to do, and how much they let the porter work.
    pub(crate) fn lost_time(&self) -> [f64; 2] {
        let all = (self.now() * self.processors as u64).max(1) as f64;
        [&self.idled, &self.served].map(|time| time.load(Ordering::Relaxed) as f64 / all)
    }

    /// The run is over: the porter says so, and his remote_helpers leave.
    fn close_office(&self) {
        if let Some(office) = &self.office
            && let Ok(mut office) = office.try_lock()
            && !self.counter.is_closed()
        {
            office.close(self);
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    pub(crate) fn wake_all(&self) {
        self.desks.iter().for_each(Desk::wake);
    }

    /// Makes every running strand look up at its next node.
    pub(crate) fn poke_everyone(&self) {
        for desk in &self.desks {
            if let Some(control) = &*lock(&desk.current) {
                control.poke();
            }
        }
    }

    /// Wakes everyone who has nothing to do; false if there is nobody.
    pub(crate) fn wake_idle(&self) -> bool {
        let mut found = false;
        for desk in self.desks[..self.processors].iter().filter(|desk| !desk.busy.load(Ordering::Acquire)) {
            desk.wake();
            found = true;
        }
        found
    }

    /// Sends a strand to the only processor that may carry it on; given back if any may.
    pub(crate) fn send_home(&self, strand: SuspendedStrand<A>) -> Option<SuspendedStrand<A>> {
        let Some(home) = strand.home else { return Some(strand) };
        let desk = &self.desks[home];
        lock(&desk.returned).push(strand);
        desk.has_returned.store(true, Ordering::Release);
        desk.wake();
        None
    }

    pub(crate) fn remote_desk(&self, guest: usize) -> &Desk<A> {
        &self.desks[self.processors + guest]
    }

    /// Asks a busy processor, from a random place on, in a guest's name; the one that was asked.
    pub(crate) fn ask_for_guest(&self, guest: usize, random: usize, least: u64) -> Option<usize> {
        let desk = self.remote_desk(guest);
        desk.has_mail.store(false, Ordering::Relaxed);
        desk.least.store(least, Ordering::Relaxed);
        let start = random % self.processors;
        let is_busy = |&victim: &usize| self.desks[victim].busy.load(Ordering::Acquire);
        let victim = (start..self.processors).chain(0..start).find(is_busy)?;
        let name = self.processors + guest + 1;
        self.desks[victim].asked_by.compare_exchange(0, name, Ordering::SeqCst, Ordering::Relaxed).ok()?;
        if let Some(control) = &*lock(&self.desks[victim].current) {
            control.poke();
        }
        Some(victim)
    }

    /// The answer to a guest who has asked that processor, if it is there.
    pub(crate) fn mail_for_guest(&self, guest: usize, victim: usize) -> Option<Mail<A>> {
        let desk = self.remote_desk(guest);
        if desk.has_mail.load(Ordering::Acquire) {
            return Some(std::mem::replace(&mut *lock(&desk.mail), Mail::None));
        }
        let name = self.processors + guest + 1;
        let victim = &self.desks[victim];
        let gone = self.is_over() || !victim.busy.load(Ordering::Acquire);
        let taken_back = || victim.asked_by.compare_exchange(name, 0, Ordering::SeqCst, Ordering::Relaxed).is_ok();
        (gone && taken_back()).then_some(Mail::Refused)
    }

    pub(crate) fn leave_reply(&self, guest: usize, reply: Option<A::RemoteResult>) {
        *lock(&self.remote_desk(guest).reply) = reply;
    }

    /// Wakes some processor that sleeps, other than this one.
    fn wake_one(&self, index: usize) {
        if self.asleep.load(Ordering::Relaxed) > 0 {
            let count = self.processors;
            let idle = (1..count)
                .map(|step| (index + step) % count)
                .find(|&other| !self.desks[other].busy.load(Ordering::Relaxed));
            if let Some(other) = idle {
                self.desks[other].wake();
            }
        }
    }
}

impl<A: Application> Machine<A> for Hall<'_, A> {
    fn tick(&self, processor: usize, _nodes: u64) -> bool {
        self.attend();
        self.counter.has_urgent() && processor < self.processors
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn linger(&self) {
        std::thread::yield_now();
    }

    fn request(&self, processor: usize) -> Option<WorkRequest> {
        let asked_by = &self.desks[processor].asked_by;
        if asked_by.load(Ordering::Acquire) == 0 {
            return None;
        }
        match asked_by.swap(0, Ordering::SeqCst) {
            0 => None,
            name => {
                self.desks[processor].taken.store(self.now(), Ordering::Relaxed);
                let delays = self.desks[processor].delays.swap(0, Ordering::Relaxed);
                let floor = self.desks[name - 1].floor.load(Ordering::Relaxed);
                let least = self.desks[name - 1].least.load(Ordering::Relaxed);
                Some(WorkRequest { processor: name - 1, floor, grain: i32::MIN, least, delays })
            }
        }
    }

    fn put_off(&self, processor: usize, request: WorkRequest) {
        let desk = &self.desks[processor];
        desk.delays.store(request.delays + 1, Ordering::Relaxed);
        let name = request.processor + 1;
        if desk.asked_by.compare_exchange(0, name, Ordering::SeqCst, Ordering::Relaxed).is_err() {
            // Somebody else asks already: one is enough.
            self.answer(processor, request, None);
        }
    }

    fn answer(&self, processor: usize, request: WorkRequest, split: Option<&SplitPointOf<A>>) {
        if split.is_none() {
            self.desks[processor].denials.fetch_add(1, Ordering::Relaxed);
        }
        let desk = &self.desks[processor];
        let spent = self.now().saturating_sub(desk.taken.load(Ordering::Relaxed));
        desk.answering.fetch_add(spent, Ordering::Relaxed);
        let asker = &self.desks[request.processor];
        *lock(&asker.mail) = split.map_or(Mail::Refused, |split| Mail::Given(Arc::clone(split)));
        asker.has_mail.store(true, Ordering::Release);
        asker.wake();
        if self.is_remote(request.processor) {
            // Nobody but the porter sees a guest's mail: another machine waits for it.
            self.serve();
        }
    }

    fn count_split(&self, processor: usize) {
        self.desks[processor].splits.fetch_add(1, Ordering::Relaxed);
    }

    fn poke_all(&self) {
        self.poke_everyone();
    }

    fn bell(&self) -> Doorbell {
        self.bell
    }

    fn interval(&self) -> u64 {
        if self.office.is_some() { LISTENING[usize::from(self.bell.is_complete)] } else { INTERVAL }
    }

    fn is_remote(&self, processor: usize) -> bool {
        processor >= self.processors
    }

    fn take_reply(&self, processor: usize) -> Option<A::RemoteResult> {
        lock(&self.desks[processor].reply).take()
    }

    fn remote_task_done(&self, name: u64, reply: Option<A::RemoteResult>) {
        self.counter.remote_task_done(name, reply);
    }
}

fn lap(since: &mut Instant) -> u64 {
    let now = Instant::now();
    let passed = now.duration_since(*since);
    *since = now;
    passed.as_nanos() as u64
}

/// A lock whose holder panicked is as good as any: the panic itself ends the program.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
