//! Any number of processors inside one thread, in virtual time.
//!
//! Every processor has a clock. The machine always resumes the processor whose clock is lowest, so whatever a strand
//! sees was done at an earlier or equal virtual time. Nothing depends on real time: the same seed gives the same run, to
//! the node. With several hosts the processors are divided among them: see `hosts.rs`.

use crate::strand::{Machine, StrandReturn, StrandSlot, StrandTask, SuspendedStrand};
use crate::{Account, Accounts, Application, Costs, Hosts, SplitPointOf, Waiting, WorkRequest};
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// A machine of virtual processors.
#[derive(Clone, Debug)]
pub struct VirtualMachine {
    /// How many processors.
    pub processors: usize,
    /// What things cost.
    pub costs: Costs,
    /// Decides whom an idle processor asks.
    pub seed: u64,
    /// The hosts its processors are divided among.
    pub hosts: Hosts,
}

/// So many refusals in a row, and an idle processor asks another rank.
const REFUSALS: u32 = 4;

/// What a processor is about.
enum Desk<A: Application> {
    /// Runs this strand; taken out while it runs.
    Working(Option<SuspendedStrand<A>>),
    /// Has nothing to do and will ask somebody.
    Idle,
    /// Has asked another rank, and the request is on its way there.
    Calling { since: u64, rank: usize },
    /// Has asked and waits for the answer.
    Asking { since: u64, victim: usize },
    /// Has been given a split point.
    Given(SplitPointOf<A>),
    /// Holds on for the helpers of its parked strand, since then.
    Holding(u64),
}

struct Processor<A: Application> {
    desk: Desk<A>,
    clock: u64,
    /// What stands in the queue under an earlier turn is void.
    turn: u32,
    /// How often it was refused in a row, on its own rank.
    refusals: u32,
    /// Who asks, and how often it was put off.
    asked_by: Vec<(usize, u32)>,
    /// The plies of the split points at which strands of this processor wait, where only it may carry them on.
    held: Vec<usize>,
    /// Those that may go on, and since when.
    returned: Vec<(u64, SuspendedStrand<A>)>,
    account: Account,
}

/// The state of a run. Single-threaded; cells because strands reach it from inside the run.
struct World<'a, A: Application> {
    application: &'a A,
    costs: &'a Costs,
    hosts: &'a Hosts,
    /// How many processors a rank has.
    each: usize,
    processors: RefCell<Vec<Processor<A>>>,
    /// When which processor wants to run, in which of its turns.
    queue: RefCell<BinaryHeap<Reverse<(u64, usize, u32)>>>,
    /// When the next of the other processors wants to run: the running strand may go on until then.
    horizon: Cell<u64>,
    /// Waiting for the table at each node.
    probe: u64,
    clock: Cell<u64>,
    pending: Cell<bool>,
    /// Time the running strand has spent waiting for another one's result.
    lingered: Cell<u64>,
}

impl VirtualMachine {
    /// Runs the application to its end.
    pub fn run<A: Application>(&self, application: &A) -> Accounts {
        let processor = |_| Processor {
            desk: Desk::Idle,
            clock: 0,
            turn: 0,
            refusals: 0,
            asked_by: Vec::new(),
            held: Vec::new(),
            returned: Vec::new(),
            account: Account::default(),
        };
        let world = World {
            application,
            costs: &self.costs,
            hosts: &self.hosts,
            each: self.hosts.processors_each(self.processors),
            processors: RefCell::new((0..self.processors).map(processor).collect()),
            queue: RefCell::new((0..self.processors).map(|index| Reverse((0, index, 0))).collect()),
            horizon: Cell::new(0),
            // Of all entries, so many lie on another processor.
            probe: self.costs.probe * (self.processors as u64 - 1) / self.processors as u64,
            clock: Cell::new(0),
            pending: Cell::new(false),
            lingered: Cell::new(0),
        };
        let mut run = Run {
            world: &world,
            slots: Vec::new(),
            strays: Vec::new(),
            stock: (0..self.hosts.count.max(1)).map(|_| Vec::new()).collect(),
            busy: Busy::new(self.processors, world.each),
            strands: 0,
            random: self.seed,
        };
        run.finish()
    }
}

/// The loop over all processors.
struct Run<'w, 'a, A: Application> {
    world: &'w World<'a, A>,
    slots: Vec<StrandSlot<A>>,
    /// Strands that are to be brought home at the end.
    strays: Vec<SuspendedStrand<A>>,
    /// Rank by rank, strands that may go on there as soon as there is a processor.
    stock: Vec<Vec<SuspendedStrand<A>>>,
    busy: Busy,
    strands: usize,
    random: u64,
}

/// Which processors of each rank have a strand, so that who looks for one finds it at once.
struct Busy {
    ranks: Vec<Vec<usize>>,
    /// Where a processor is in its rank's list.
    places: Vec<usize>,
    /// How many processors a rank has.
    each: usize,
}

impl Busy {
    fn new(count: usize, each: usize) -> Busy {
        Busy { ranks: vec![Vec::new(); count.div_ceil(each)], places: vec![0; count], each }
    }

    /// One of those of a rank.
    fn draw(&self, rank: usize, random: u64) -> Option<usize> {
        let busy = self.ranks.get(rank).filter(|busy| !busy.is_empty())?;
        Some(busy[random as usize % busy.len()])
    }

    fn add(&mut self, processor: usize) {
        let rank = &mut self.ranks[processor / self.each];
        self.places[processor] = rank.len();
        rank.push(processor);
    }

    fn remove(&mut self, processor: usize) {
        let place = self.places[processor];
        let rank = &mut self.ranks[processor / self.each];
        rank.swap_remove(place);
        if let Some(&moved) = rank.get(place) {
            self.places[moved] = place;
        }
    }
}

impl<A: Application> Processor<A> {
    /// Books time without work: a processor with a strand that waits for it waits, one without looks for work.
    fn idles(&mut self, time: u64) {
        *self.idle_account() += time;
    }

    /// Takes back what was booked for a time that has not come.
    fn unbook(&mut self, time: u64) {
        let account = self.idle_account();
        *account = account.saturating_sub(time);
    }

    fn idle_account(&mut self) -> &mut u64 {
        if self.held.is_empty() { &mut self.account.looking } else { &mut self.account.waiting }
    }
}

impl<A: Application> World<'_, A> {
    fn rank(&self, processor: usize) -> usize {
        processor / self.each
    }

    /// The processor wants to run when its clock says so.
    fn schedule(&self, index: usize, processor: &Processor<A>) {
        self.queue.borrow_mut().push(Reverse((processor.clock, index, processor.turn)));
    }

    /// Who has asked gets the answer after so much time, counted from `now`.
    fn reply(&self, index: usize, asker: &mut Processor<A>, now: u64, message: u64, split: Option<&SplitPointOf<A>>) {
        let (Desk::Asking { since, .. } | Desk::Calling { since, .. }) = asker.desk else {
            unreachable!("only who asks is answered")
        };
        asker.clock = now.max(since) + message;
        asker.idles(asker.clock - since);
        asker.desk = split.map_or(Desk::Idle, |split| Desk::Given(Arc::clone(split)));
        self.schedule(index, asker);
        self.horizon.set(self.horizon.get().min(asker.clock));
    }
}

impl<A: Application> Run<'_, '_, A> {
    fn finish(&mut self) -> Accounts {
        let count = self.world.processors.borrow().len();
        let first = if self.world.application.starts_everywhere() { count } else { 1 };
        for index in 0..first {
            let strand = self.start(StrandTask::Start);
            self.world.processors.borrow_mut()[index].desk = Desk::Working(Some(strand));
            self.busy.add(index);
        }
        loop {
            let next = self.world.queue.borrow_mut().pop();
            let Some(Reverse((_, index, turn))) = next else { unreachable!("a strand is always running") };
            let is_void = self.world.processors.borrow()[index].turn != turn;
            if !is_void && self.step(index) {
                break;
            }
        }
        let time = self.world.clock.get();
        self.close_accounts(time);
        self.come_home();
        for slot in self.slots.drain(..) {
            self.world.application.retire(slot.into_strand_state());
        }
        let processors = self.world.processors.borrow().iter().map(|processor| processor.account).collect();
        Accounts { time, processors, strands: self.strands }
    }

    /// The run is over: who was without work was so until now.
    fn close_accounts(&self, time: u64) {
        for processor in self.world.processors.borrow_mut().iter_mut() {
            let late = processor.clock.saturating_sub(time);
            match processor.desk {
                Desk::Idle | Desk::Given(_) if late > 0 => processor.unbook(late),
                Desk::Idle => processor.idles(time - processor.clock),
                Desk::Calling { since, .. } | Desk::Asking { since, .. } | Desk::Holding(since) => {
                    processor.idles(time.saturating_sub(since));
                }
                Desk::Working(_) => processor.account.network -= processor.account.network.min(late),
                Desk::Given(_) => {}
            }
        }
    }

    /// One turn of a processor. True if the run is over.
    fn step(&mut self, index: usize) -> bool {
        let desk = std::mem::replace(&mut self.world.processors.borrow_mut()[index].desk, Desk::Idle);
        match desk {
            Desk::Working(Some(strand)) => return self.work(index, strand),
            Desk::Given(_) | Desk::Idle if self.go_on_with_own(index) => {}
            Desk::Given(split) => self.help(index, split),
            Desk::Idle => self.ask(index),
            Desk::Calling { since, rank } => self.arrive(index, since, rank),
            desk @ (Desk::Asking { .. } | Desk::Holding(_)) => self.world.processors.borrow_mut()[index].desk = desk,
            Desk::Working(None) => unreachable!("only while it runs"),
        }
        false
    }

    fn work(&mut self, index: usize, strand: SuspendedStrand<A>) -> bool {
        let world = self.world;
        {
            let mut processors = world.processors.borrow_mut();
            processors[index].desk = Desk::Working(None);
            world.clock.set(processors[index].clock);
            world.pending.set(!processors[index].asked_by.is_empty());
        }
        world.horizon.set(world.queue.borrow().peek().map_or(u64::MAX, |&Reverse((time, ..))| time));
        let before = world.clock.get();
        let served = world.processors.borrow()[index].account.served();
        let back = strand.resume(index);
        let clock = world.clock.get();
        {
            let mut processors = world.processors.borrow_mut();
            processors[index].clock = clock;
            let account = &mut processors[index].account;
            let passed = clock - before - (account.served() - served);
            let lingered = world.lingered.take();
            let table = lingered + (passed - lingered) * world.probe / (world.costs.node + world.probe);
            account.working += passed - table;
            account.table += table;
        }
        let mut over = false;
        let next = match back {
            StrandReturn::Paused(strand) => Some(strand),
            StrandReturn::Away(..) => unreachable!("a virtual machine has no remote_helpers"),
            StrandReturn::Parked(strand, split) => {
                let waiting = world.application.waiting();
                let has_home = waiting != Waiting::Carry || world.hosts.count > 1;
                let left = split.park(strand.at_home(has_home.then_some(index), split.ply));
                if left.is_none() && waiting != Waiting::Carry {
                    world.processors.borrow_mut()[index].held.push(split.ply);
                }
                if left.is_none() && waiting == Waiting::Hold {
                    world.processors.borrow_mut()[index].desk = Desk::Holding(clock);
                    self.busy.remove(index);
                    self.refuse_all(index);
                    return false;
                }
                left
            }
            StrandReturn::Finished { slot, at, first } => {
                over = first && index_of_first(index, world.application.starts_everywhere());
                let carried = at.and_then(|split| split.leave(slot.control()));
                self.slots.push(slot);
                carried.and_then(|strand| self.carry_on(index, clock, strand))
            }
        };
        match next {
            Some(strand) => world.processors.borrow_mut()[index].desk = Desk::Working(Some(strand)),
            None => {
                world.processors.borrow_mut()[index].desk = Desk::Idle;
                self.busy.remove(index);
                self.refuse_all(index);
            }
        }
        world.schedule(index, &world.processors.borrow()[index]);
        over
    }

    /// The last helper has left: its processor carries the owner on, unless another one is holding for it.
    fn carry_on(&mut self, index: usize, now: u64, strand: SuspendedStrand<A>) -> Option<SuspendedStrand<A>> {
        let world = self.world;
        let mut processors = world.processors.borrow_mut();
        let carries = world.application.waiting() == Waiting::Carry;
        let home = strand.home.filter(|&home| !carries || world.rank(home) != world.rank(index));
        let Some(home) = home else {
            processors[index].account.carried += 1;
            return Some(strand);
        };
        if carries {
            drop(processors);
            self.go_home(world.rank(home), now, strand);
            return None;
        }
        let holder = &mut processors[home];
        holder.returned.push((now + world.costs.message, strand));
        if let Desk::Holding(since) = holder.desk {
            holder.clock = now.max(since) + world.costs.message;
            holder.account.waiting += holder.clock - since;
            holder.desk = Desk::Idle;
            world.schedule(home, holder);
        }
        None
    }

    /// A strand may go on on its own rank: at once if a processor there has nothing to do, whomever it has asked.
    fn go_home(&mut self, rank: usize, now: u64, strand: SuspendedStrand<A>) {
        let world = self.world;
        let mut processors = world.processors.borrow_mut();
        let own = rank * world.each..((rank + 1) * world.each).min(processors.len());
        let is_free =
            |index: &usize| matches!(processors[*index].desk, Desk::Idle | Desk::Calling { .. } | Desk::Asking { .. });
        let Some(index) = own.clone().find(is_free) else {
            self.stock[rank].push(strand);
            return;
        };
        match processors[index].desk {
            Desk::Asking { since, victim } => {
                processors[victim].asked_by.retain(|&(asker, _)| asker != index);
                processors[index].idles(now.saturating_sub(since));
            }
            Desk::Calling { since, .. } => processors[index].idles(now.saturating_sub(since)),
            // A refusal that is still on its way was booked to its arrival.
            _ => {
                let (clock, processor) = (processors[index].clock, &mut processors[index]);
                processor.unbook(clock.saturating_sub(now));
                processor.idles(now.saturating_sub(clock));
            }
        }
        let processor = &mut processors[index];
        processor.turn += 1;
        processor.clock = now;
        processor.desk = Desk::Working(Some(strand));
        self.busy.add(index);
        world.schedule(index, processor);
    }

    /// A strand that only this processor, or this rank, may carry on is ready.
    fn go_on_with_own(&mut self, index: usize) -> bool {
        let world = self.world;
        let mut processors = world.processors.borrow_mut();
        let processor = &mut processors[index];
        let stock = &mut self.stock[world.rank(index)];
        let from_stock = || {
            // The one nearest to the root: most depends on it.
            let (place, _) = stock.iter().enumerate().min_by_key(|(_, strand)| strand.parked_at)?;
            Some((0, stock.swap_remove(place)))
        };
        let Some((since, strand)) = processor.returned.pop().or_else(from_stock) else { return false };
        let ply = strand.parked_at;
        if let Some(place) = processor.held.iter().position(|&held| held == ply) {
            processor.held.swap_remove(place);
        }
        let late = since.saturating_sub(processor.clock);
        processor.account.waiting += late;
        processor.clock += late;
        processor.desk = Desk::Working(Some(strand));
        self.busy.add(index);
        world.schedule(index, processor);
        true
    }

    fn help(&mut self, index: usize, split: SplitPointOf<A>) {
        let world = self.world;
        let slot = self.slot();
        slot.control().begin();
        let joined = split.join(slot.control(), |state| world.application.has_work(state)).is_some();
        let mut processors = world.processors.borrow_mut();
        let processor = &mut processors[index];
        if joined {
            processor.clock += world.costs.start;
            processor.account.sharing += world.costs.start;
            processor.account.steals += 1;
            processor.refusals = 0;
            // SAFETY: `World` and the application outlive the run, and `come_home` finishes every strand before it ends.
            let strand = unsafe { slot.start(world.application, world, StrandTask::Help(split)) };
            processor.desk = Desk::Working(Some(strand));
            self.busy.add(index);
        } else {
            self.slots.push(slot);
            processor.desk = Desk::Idle;
            processor.clock += 1;
            processor.idles(1);
        }
        world.schedule(index, processor);
    }

    /// An idle processor asks another one.
    fn ask(&mut self, index: usize) {
        let world = self.world;
        let mut processors = world.processors.borrow_mut();
        let random = self.next_random();
        let rank = world.rank(index);
        let since = processors[index].clock;
        let victim = self.busy.draw(rank, random);
        if world.hosts.count > 1 && (victim.is_none() || processors[index].refusals >= REFUSALS) {
            let other = self.next_random() as usize % (world.hosts.count - 1);
            let processor = &mut processors[index];
            processor.refusals = 0;
            processor.account.requests += 1;
            processor.desk = Desk::Calling { since, rank: other + usize::from(other >= rank) };
            processor.clock += world.hosts.message(false);
            world.schedule(index, processor);
        } else if let Some(victim) = victim {
            processors[index].account.requests += 1;
            processors[index].desk = Desk::Asking { since, victim };
            processors[victim].asked_by.push((index, 0));
        } else {
            processors[index].clock += 1;
            processors[index].idles(1);
            world.schedule(index, &processors[index]);
        }
    }

    /// A request arrives at another rank: one of the strands there is asked, if there is one.
    fn arrive(&mut self, index: usize, since: u64, rank: usize) {
        let world = self.world;
        let random = self.next_random();
        let mut processors = world.processors.borrow_mut();
        if let Some(victim) = self.busy.draw(rank, random) {
            processors[index].desk = Desk::Asking { since, victim };
            processors[victim].asked_by.push((index, 0));
        } else {
            let asker = &mut processors[index];
            asker.desk = Desk::Calling { since, rank };
            world.reply(index, asker, asker.clock, world.hosts.message(false), None);
        }
    }

    /// The strand that was asked has gone: its processor has nothing to give.
    fn refuse_all(&mut self, index: usize) {
        let world = self.world;
        let asked_by = std::mem::take(&mut world.processors.borrow_mut()[index].asked_by);
        for (processor, delays) in asked_by {
            Machine::<A>::answer(world, index, WorkRequest { processor, floor: 0, grain: 0, least: 0, delays }, None);
        }
    }

    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.random;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn slot(&mut self) -> StrandSlot<A> {
        self.slots.pop().unwrap_or_else(|| {
            self.strands += 1;
            StrandSlot::new(self.world.application)
        })
    }

    fn start(&mut self, task: StrandTask<A>) -> SuspendedStrand<A> {
        let slot = self.slot();
        slot.control().begin();
        // SAFETY: as in `help`.
        unsafe { slot.start(self.world.application, self.world, task) }
    }

    /// The run is over: whatever still runs is cut and comes home.
    fn come_home(&mut self) {
        let count = self.world.processors.borrow().len();
        for strand in self.stock.iter_mut().flat_map(|stock| stock.drain(..)) {
            strand.control.cut_all();
            self.strays.push(strand);
        }
        for index in 0..count {
            let mut processors = self.world.processors.borrow_mut();
            let processor = &mut processors[index];
            for (_, strand) in processor.returned.drain(..) {
                strand.control.cut_all();
                self.strays.push(strand);
            }
            if let Desk::Working(Some(strand)) = &processor.desk {
                strand.control.cut_all();
            }
        }
        for index in 0..count {
            loop {
                let desk = std::mem::replace(&mut self.world.processors.borrow_mut()[index].desk, Desk::Idle);
                let running = if let Desk::Working(strand) = desk { strand } else { None };
                let Some(mut strand) = running.or_else(|| self.strays.pop()) else { break };
                let mut next = None;
                loop {
                    match strand.resume(index) {
                        StrandReturn::Paused(again) => strand = again,
                        StrandReturn::Away(..) => unreachable!("a virtual machine has no remote_helpers"),
                        StrandReturn::Parked(again, split) => match split.park(again) {
                            Some(again) => strand = again,
                            None => break,
                        },
                        StrandReturn::Finished { slot, at, .. } => {
                            next = at.and_then(|split| split.leave(slot.control()));
                            self.slots.push(slot);
                            break;
                        }
                    }
                }
                if let Some(strand) = next {
                    self.world.processors.borrow_mut()[index].desk = Desk::Working(Some(strand));
                }
            }
        }
    }
}

/// Is the strand that ended the one the run waits for?
fn index_of_first(index: usize, everywhere: bool) -> bool {
    !everywhere || index == 0
}

impl<A: Application> Machine<A> for World<'_, A> {
    fn tick(&self, _processor: usize, nodes: u64) -> bool {
        let clock = self.clock.get() + nodes * (self.costs.node + self.probe);
        self.clock.set(clock);
        clock > self.horizon.get()
    }

    fn now(&self) -> u64 {
        self.clock.get()
    }

    fn linger(&self) {
        self.clock.set(self.clock.get() + self.costs.node);
        self.lingered.set(self.lingered.get() + self.costs.node);
    }

    fn cross(&self, processor: usize, home: usize) -> bool {
        if self.rank(processor) == self.rank(home) {
            return false;
        }
        let message = self.hosts.message(false);
        self.processors.borrow_mut()[processor].account.network += message;
        self.clock.set(self.clock.get() + message);
        self.clock.get() > self.horizon.get()
    }

    fn request(&self, processor: usize) -> Option<WorkRequest> {
        if !self.pending.get() {
            return None;
        }
        let mut processors = self.processors.borrow_mut();
        let asked_by = &mut processors[processor].asked_by;
        let asker = asked_by.pop();
        self.pending.set(!asked_by.is_empty());
        let (asker, delays) = asker?;
        let floor = processors[asker].held.iter().copied().max().unwrap_or(0);
        let grain = if self.rank(asker) == self.rank(processor) { i32::MIN } else { self.hosts.grain };
        Some(WorkRequest { processor: asker, floor, grain, least: 0, delays })
    }

    fn put_off(&self, processor: usize, request: WorkRequest) {
        self.processors.borrow_mut()[processor].asked_by.push((request.processor, request.delays + 1));
        self.pending.set(true);
    }

    fn answer(&self, processor: usize, request: WorkRequest, split: Option<&SplitPointOf<A>>) {
        let mut processors = self.processors.borrow_mut();
        let now = if matches!(processors[processor].desk, Desk::Working(None)) {
            self.clock.set(self.clock.get() + self.costs.answer);
            processors[processor].account.answering += self.costs.answer;
            self.clock.get()
        } else {
            processors[processor].clock
        };
        processors[processor].account.denials += u64::from(split.is_none());
        let asker = &mut processors[request.processor];
        let is_near = self.rank(processor) == self.rank(request.processor);
        let message = if is_near { self.costs.message } else { self.hosts.message(split.is_some()) };
        asker.refusals += u32::from(is_near && split.is_none());
        self.reply(request.processor, asker, now, message, split);
    }

    fn count_split(&self, processor: usize) {
        let account = &mut self.processors.borrow_mut()[processor].account;
        account.splits += 1;
        account.sharing += self.costs.split;
        self.clock.set(self.clock.get() + self.costs.split);
    }

    fn poke_all(&self) {
        // Virtual strands look up at every node.
    }

    fn interval(&self) -> u64 {
        0
    }
}
