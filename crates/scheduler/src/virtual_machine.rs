//! Any number of processors inside one thread, in virtual time.
//!
//! Every processor has a clock. The machine always resumes the processor whose clock is lowest, so whatever a strand
//! sees was done at an earlier or equal virtual time. Nothing depends on real time: the same seed gives the same run, to
//! the node.

use crate::strand::{Back, Machine, Spare, Task, Vessel};
use crate::{Account, Accounts, Application, Costs, Request, SplitOf, Waiting};
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
}

/// What a processor is about.
enum Desk<A: Application> {
    /// Runs this strand; taken out while it runs.
    Working(Option<Vessel<A>>),
    /// Has nothing to do and will ask somebody.
    Idle,
    /// Has asked and waits for the answer, since then.
    Asking(u64),
    /// Has been given a split point.
    Given(SplitOf<A>),
    /// Holds on for the helpers of its parked strand, since then.
    Holding(u64),
}

struct Processor<A: Application> {
    desk: Desk<A>,
    clock: u64,
    /// Who asks, and how often it was put off.
    asked_by: Vec<(usize, u32)>,
    /// The plies of the split points at which strands of this processor wait, where only it may carry them on.
    held: Vec<usize>,
    /// Those that may go on, and since when.
    returned: Vec<(u64, Vessel<A>)>,
    account: Account,
}

/// The state of a run. Single-threaded; cells because strands reach it from inside the run.
struct World<'a, A: Application> {
    application: &'a A,
    costs: &'a Costs,
    processors: RefCell<Vec<Processor<A>>>,
    queue: RefCell<BinaryHeap<Reverse<(u64, usize)>>>,
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
            asked_by: Vec::new(),
            held: Vec::new(),
            returned: Vec::new(),
            account: Account::default(),
        };
        let world = World {
            application,
            costs: &self.costs,
            processors: RefCell::new((0..self.processors).map(processor).collect()),
            queue: RefCell::new((0..self.processors).map(|index| Reverse((0, index))).collect()),
            horizon: Cell::new(0),
            // Of all entries, so many lie on another processor.
            probe: self.costs.probe * (self.processors as u64 - 1) / self.processors as u64,
            clock: Cell::new(0),
            pending: Cell::new(false),
            lingered: Cell::new(0),
        };
        let mut run = Run {
            world: &world,
            spares: Vec::new(),
            strays: Vec::new(),
            busy: Busy::new(self.processors),
            strands: 0,
            random: self.seed,
        };
        run.finish()
    }
}

/// The loop over all processors.
struct Run<'w, 'a, A: Application> {
    world: &'w World<'a, A>,
    spares: Vec<Spare<A>>,
    /// Strands that are to be brought home at the end.
    strays: Vec<Vessel<A>>,
    busy: Busy,
    strands: usize,
    random: u64,
}

/// Which processors have a strand, so that who looks for one finds it at once.
struct Busy {
    processors: Vec<usize>,
    /// Where a processor is in that list.
    places: Vec<usize>,
}

impl Busy {
    fn new(count: usize) -> Busy {
        Busy { processors: Vec::with_capacity(count), places: vec![0; count] }
    }

    fn add(&mut self, processor: usize) {
        self.places[processor] = self.processors.len();
        self.processors.push(processor);
    }

    fn remove(&mut self, processor: usize) {
        let place = self.places[processor];
        self.processors.swap_remove(place);
        if let Some(&moved) = self.processors.get(place) {
            self.places[moved] = place;
        }
    }
}

impl<A: Application> Processor<A> {
    /// Books time without work: a processor with a strand that waits for it waits, one without looks for work.
    fn idles(&mut self, time: u64) {
        let account = if self.held.is_empty() { &mut self.account.looking } else { &mut self.account.waiting };
        *account += time;
    }
}

impl<A: Application> Run<'_, '_, A> {
    fn finish(&mut self) -> Accounts {
        let count = self.world.processors.borrow().len();
        let first = if self.world.application.starts_everywhere() { count } else { 1 };
        for index in 0..first {
            let vessel = self.man(Task::Start);
            self.world.processors.borrow_mut()[index].desk = Desk::Working(Some(vessel));
            self.busy.add(index);
        }
        loop {
            let next = self.world.queue.borrow_mut().pop();
            let Some(Reverse((_, index))) = next else { unreachable!("a strand is always running") };
            if self.step(index) {
                break;
            }
        }
        let time = self.world.clock.get();
        self.close_accounts(time);
        self.come_home();
        for spare in self.spares.drain(..) {
            self.world.application.retire(spare.into_body());
        }
        let processors = self.world.processors.borrow().iter().map(|processor| processor.account).collect();
        Accounts { time, processors, strands: self.strands }
    }

    /// The run is over: who was without work was so until now.
    fn close_accounts(&self, time: u64) {
        for processor in self.world.processors.borrow_mut().iter_mut() {
            let since = match processor.desk {
                Desk::Idle => processor.clock,
                Desk::Asking(since) | Desk::Holding(since) => since,
                Desk::Working(_) | Desk::Given(_) => continue,
            };
            processor.idles(time.saturating_sub(since));
        }
    }

    /// One turn of a processor. True if the run is over.
    fn step(&mut self, index: usize) -> bool {
        let desk = std::mem::replace(&mut self.world.processors.borrow_mut()[index].desk, Desk::Idle);
        match desk {
            Desk::Working(Some(vessel)) => return self.work(index, vessel),
            Desk::Given(_) | Desk::Idle if self.go_on_with_own(index) => {}
            Desk::Given(split) => self.help(index, split),
            Desk::Idle => self.ask(index),
            desk @ (Desk::Asking(_) | Desk::Holding(_)) => self.world.processors.borrow_mut()[index].desk = desk,
            Desk::Working(None) => unreachable!("only while it runs"),
        }
        false
    }

    fn work(&mut self, index: usize, vessel: Vessel<A>) -> bool {
        let world = self.world;
        {
            let mut processors = world.processors.borrow_mut();
            processors[index].desk = Desk::Working(None);
            world.clock.set(processors[index].clock);
            world.pending.set(!processors[index].asked_by.is_empty());
        }
        world.horizon.set(world.queue.borrow().peek().map_or(u64::MAX, |&Reverse((time, _))| time));
        let before = world.clock.get();
        let served = world.processors.borrow()[index].account.served();
        let back = vessel.resume(index);
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
            Back::Paused(vessel) => Some(vessel),
            Back::Away(..) => unreachable!("a virtual machine has no guests"),
            Back::Parked(vessel, split) => {
                let waiting = world.application.waiting();
                let left = split.park(vessel.at_home((waiting != Waiting::Carry).then_some(index), split.ply));
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
            Back::Finished { spare, at, first } => {
                over = first && index_of_first(index, world.application.starts_everywhere());
                let carried = at.and_then(|split| split.leave(spare.handle()));
                self.spares.push(spare);
                carried.and_then(|vessel| self.carry_on(index, clock, vessel))
            }
        };
        match next {
            Some(vessel) => world.processors.borrow_mut()[index].desk = Desk::Working(Some(vessel)),
            None => {
                world.processors.borrow_mut()[index].desk = Desk::Idle;
                self.busy.remove(index);
                self.refuse_all(index);
            }
        }
        world.queue.borrow_mut().push(Reverse((clock, index)));
        over
    }

    /// The last helper has left: its processor carries the owner on, unless another one is holding for it.
    fn carry_on(&mut self, index: usize, now: u64, vessel: Vessel<A>) -> Option<Vessel<A>> {
        let world = self.world;
        let mut processors = world.processors.borrow_mut();
        let Some(home) = vessel.home else {
            processors[index].account.carried += 1;
            return Some(vessel);
        };
        let holder = &mut processors[home];
        holder.returned.push((now + world.costs.message, vessel));
        if let Desk::Holding(since) = holder.desk {
            holder.clock = now.max(since) + world.costs.message;
            holder.account.waiting += holder.clock - since;
            holder.desk = Desk::Idle;
            world.queue.borrow_mut().push(Reverse((holder.clock, home)));
        }
        None
    }

    /// A strand that only this processor may carry on is ready.
    fn go_on_with_own(&mut self, index: usize) -> bool {
        let world = self.world;
        let mut processors = world.processors.borrow_mut();
        let processor = &mut processors[index];
        let Some((since, vessel)) = processor.returned.pop() else { return false };
        let ply = vessel.parked_at;
        if let Some(place) = processor.held.iter().position(|&held| held == ply) {
            processor.held.swap_remove(place);
        }
        let late = since.saturating_sub(processor.clock);
        processor.account.waiting += late;
        processor.clock += late;
        processor.desk = Desk::Working(Some(vessel));
        self.busy.add(index);
        world.queue.borrow_mut().push(Reverse((processor.clock, index)));
        true
    }

    fn help(&mut self, index: usize, split: SplitOf<A>) {
        let world = self.world;
        let spare = self.spare();
        spare.handle().begin();
        let joined = split.join(spare.handle(), |state| world.application.wanted(state)).is_some();
        let mut processors = world.processors.borrow_mut();
        let processor = &mut processors[index];
        if joined {
            processor.clock += world.costs.start;
            processor.account.sharing += world.costs.start;
            processor.account.steals += 1;
            // SAFETY: `World` and the application outlive the run, and `come_home` finishes every strand before it ends.
            let vessel = unsafe { spare.man(world.application, world, Task::Help(split)) };
            processor.desk = Desk::Working(Some(vessel));
            self.busy.add(index);
        } else {
            self.spares.push(spare);
            processor.desk = Desk::Idle;
            processor.clock += 1;
            processor.idles(1);
        }
        world.queue.borrow_mut().push(Reverse((processor.clock, index)));
    }

    /// An idle processor asks another one.
    fn ask(&mut self, index: usize) {
        let world = self.world;
        let mut processors = world.processors.borrow_mut();
        let random = self.next_random();
        let now = processors[index].clock;
        let busy = &self.busy.processors;
        let victim = if busy.is_empty() { None } else { Some(busy[random as usize % busy.len()]) };
        if let Some(victim) = victim {
            processors[index].account.requests += 1;
            processors[index].desk = Desk::Asking(now);
            processors[victim].asked_by.push((index, 0));
        } else {
            processors[index].clock += 1;
            processors[index].idles(1);
            world.queue.borrow_mut().push(Reverse((now + 1, index)));
        }
    }

    /// The strand that was asked has gone: its processor has nothing to give.
    fn refuse_all(&mut self, index: usize) {
        let world = self.world;
        let asked_by = std::mem::take(&mut world.processors.borrow_mut()[index].asked_by);
        for (processor, delays) in asked_by {
            Machine::<A>::answer(world, index, Request { processor, floor: 0, grain: 0, delays }, None);
        }
    }

    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.random;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn spare(&mut self) -> Spare<A> {
        self.spares.pop().unwrap_or_else(|| {
            self.strands += 1;
            Spare::new(self.world.application)
        })
    }

    fn man(&mut self, task: Task<A>) -> Vessel<A> {
        let spare = self.spare();
        spare.handle().begin();
        // SAFETY: as in `help`.
        unsafe { spare.man(self.world.application, self.world, task) }
    }

    /// The run is over: whatever still runs is cut and comes home.
    fn come_home(&mut self) {
        let count = self.world.processors.borrow().len();
        for index in 0..count {
            let mut processors = self.world.processors.borrow_mut();
            let processor = &mut processors[index];
            for (_, vessel) in processor.returned.drain(..) {
                vessel.handle.cut_all();
                self.strays.push(vessel);
            }
            if let Desk::Working(Some(vessel)) = &processor.desk {
                vessel.handle.cut_all();
            }
        }
        for index in 0..count {
            loop {
                let desk = std::mem::replace(&mut self.world.processors.borrow_mut()[index].desk, Desk::Idle);
                let running = if let Desk::Working(vessel) = desk { vessel } else { None };
                let Some(mut vessel) = running.or_else(|| self.strays.pop()) else { break };
                let mut next = None;
                loop {
                    match vessel.resume(index) {
                        Back::Paused(again) => vessel = again,
                        Back::Away(..) => unreachable!("a virtual machine has no guests"),
                        Back::Parked(again, split) => match split.park(again) {
                            Some(again) => vessel = again,
                            None => break,
                        },
                        Back::Finished { spare, at, .. } => {
                            next = at.and_then(|split| split.leave(spare.handle()));
                            self.spares.push(spare);
                            break;
                        }
                    }
                }
                if let Some(vessel) = next {
                    self.world.processors.borrow_mut()[index].desk = Desk::Working(Some(vessel));
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

    fn request(&self, processor: usize) -> Option<Request> {
        if !self.pending.get() {
            return None;
        }
        let mut processors = self.processors.borrow_mut();
        let asked_by = &mut processors[processor].asked_by;
        let asker = asked_by.pop();
        self.pending.set(!asked_by.is_empty());
        let (processor, delays) = asker?;
        let floor = processors[processor].held.iter().copied().max().unwrap_or(0);
        Some(Request { processor, floor, grain: 0, delays })
    }

    fn put_off(&self, processor: usize, request: Request) {
        self.processors.borrow_mut()[processor].asked_by.push((request.processor, request.delays + 1));
        self.pending.set(true);
    }

    fn answer(&self, processor: usize, request: Request, split: Option<&SplitOf<A>>) {
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
        let Desk::Asking(since) = asker.desk else { unreachable!("only who asks is answered") };
        let arrival = now.max(since) + self.costs.message;
        asker.idles(arrival - since);
        asker.clock = arrival;
        asker.desk = split.map_or(Desk::Idle, |split| Desk::Given(Arc::clone(split)));
        self.queue.borrow_mut().push(Reverse((arrival, request.processor)));
        self.horizon.set(self.horizon.get().min(arrival));
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
