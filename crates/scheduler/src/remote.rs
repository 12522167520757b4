//! How the ranks of a cluster work for each other, as the scheduler sees it.
//!
//! A machine that is one of several ranks has a [`MessagePump`]: the code that exchanges messages with the other ranks. It
//! sees of its machine only a [`RemoteBridge`]. It has no thread of its own: a strand that looks up, or a processor that has
//! nothing to do, lets it poll for messages. (A thread of its own was measured: on two cores with two busy ranks it was
//! scheduled too late, and a task took 0.6 to 1.1 ms on its way, against 0.5 to 2 ms of work.) Work goes both ways, as
//! remote tasks:
//!
//! - **Out.** When another rank asks for work, a *remote helper* asks a busy processor in its place: a helper without a thread
//!   of its own. It joins the split point it is given and takes work there as any helper does, but its strand gives the
//!   work away ([`ProcessorContext::send_away`](crate::ProcessorContext::send_away)) and is suspended until the result
//!   comes. The rest of the machine can't tell it from a local helper, and everything that holds for helpers (cut,
//!   recalled, the last to leave) holds for it.
//! - **In.** A task of another rank is done by the next processor that has nothing to do, as a strand of its own, and shared
//!   among the other processors as usual. The result goes back through the message pump.
//!
//! A remote helper that leaves a split point last can't carry its owner on: it has no thread. The owner then waits as
//! *urgent*. An idle processor takes it; if all are busy, the first strand that looks up is *set aside* for it. Strands
//! set aside go on before anything new is begun. So a strand that others wait for is delayed by one look at most, and none
//! is forgotten: first urgent strands, then those set aside, then remote tasks, then requests.

use crate::Application;
use crate::context::{ControlOf, SuspendedStrand};
use crate::doorbell::Doorbell;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exchanges messages with the other ranks. `T` is a task, `R` its result.
pub trait MessagePump<T, R>: Send {
    /// How many remote helpers there may be at the same time.
    fn remote_helpers(&self) -> usize;
    /// The doorbell that other ranks ring when they have sent something, where there is one.
    fn doorbell(&self) -> Option<Doorbell> {
        None
    }
    /// Takes in what has come, and sends what is ready. Called often. True if there was anything.
    fn poll_messages(&mut self, bridge: &mut dyn RemoteBridge<T, R>) -> bool;
    /// The run is over.
    fn finish(&mut self, bridge: &mut dyn RemoteBridge<T, R>);
}

/// What happened to a remote helper.
#[derive(Debug)]
pub enum RemoteEvent<T> {
    /// It has taken this work, for the rank it was asked for.
    Task(T),
    /// The work it has taken has this bound from now on.
    BoundRaised(i32),
    /// The work it has taken is of no use any more.
    Cut,
    /// It has left: there is nothing to do for it.
    Left,
}

/// What the message pump of a rank sees of its machine.
pub trait RemoteBridge<T, R> {
    /// Is the run over?
    fn is_over(&self) -> bool;
    /// Another rank says that the run is over.
    fn end(&mut self);
    /// Processors that have nothing to do.
    fn idle(&self) -> usize;
    /// Of all processor time so far: the share without work, and the share spent polling while a strand waited.
    fn lost_time(&self) -> [f64; 2];
    /// Tasks of other ranks: how many wait, and how many are being done.
    fn remote_tasks(&self) -> [usize; 2];
    /// Nodes visited here so far.
    fn nodes(&self) -> u64;
    /// Other ranks have visited this many more nodes.
    fn add_nodes(&mut self, nodes: u64);
    /// A task of another rank has come.
    fn add_task(&mut self, name: u64, task: T);
    /// A task of another rank is not to be begun any more. True if it had not been.
    fn revoke_task(&mut self, name: u64) -> bool;
    /// A task of another rank is of no use any more, though it has been begun.
    fn cut_task(&mut self, name: u64);
    /// A task of another rank that has been begun has this bound from now on.
    fn raise_bound(&mut self, name: u64, bound: i32);
    /// A task that is done, and its result; none if it could not be done.
    fn next_result(&mut self) -> Option<(u64, Option<R>)>;
    /// Another rank asks for work of at least about this many nodes: the remote helper that asks in its place. None if no
    /// processor can be asked.
    fn request_work(&mut self, least: u64) -> Option<usize>;
    /// What happened to a remote helper.
    fn next_event(&mut self) -> Option<(usize, RemoteEvent<T>)>;
    /// The result of a remote helper's task; none if the rank that had it is lost or could not do it: then a processor of
    /// this machine will.
    fn finish_remote_work(&mut self, helper: usize, result: Option<R>);
}

/// What the processors of a rank leave for each other and for the message pump. Each flag is written under its queue's lock,
/// and says without a lock whether the queue has anything.
pub(crate) struct RemoteQueues<A: Application> {
    /// Strands that others wait for, and strands that were set aside for them.
    ready: Mutex<ReadyStrands<A>>,
    has_urgent: AtomicBool,
    has_ready: AtomicBool,
    tasks: Mutex<RemoteTasks<A>>,
    has_task: AtomicBool,
    /// The results that remote helpers wait for.
    results: Box<[Mutex<Option<A::RemoteResult>>]>,
    /// Has the message pump finished, and has every remote helper left?
    is_closed: AtomicBool,
}

struct ReadyStrands<A: Application> {
    urgent: Vec<SuspendedStrand<A>>,
    set_aside: Vec<SuspendedStrand<A>>,
}

/// Tasks of other ranks.
struct RemoteTasks<A: Application> {
    waiting: VecDeque<(u64, A::RemoteTask)>,
    running: Vec<(u64, ControlOf<A>)>,
    results: VecDeque<(u64, Option<A::RemoteResult>)>,
}

impl<A: Application> RemoteQueues<A> {
    pub(crate) fn new(remote_helpers: usize) -> Self {
        RemoteQueues {
            ready: Mutex::new(ReadyStrands { urgent: Vec::new(), set_aside: Vec::new() }),
            has_urgent: AtomicBool::new(false),
            has_ready: AtomicBool::new(false),
            tasks: Mutex::new(RemoteTasks { waiting: VecDeque::new(), running: Vec::new(), results: VecDeque::new() }),
            has_task: AtomicBool::new(false),
            results: (0..remote_helpers).map(|_| Mutex::default()).collect(),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Does a strand wait that others wait for?
    #[inline]
    pub(crate) fn has_urgent(&self) -> bool {
        self.has_urgent.load(Ordering::Relaxed)
    }

    /// Does a strand wait for a processor?
    pub(crate) fn has_ready(&self) -> bool {
        self.has_ready.load(Ordering::Acquire)
    }

    /// Nothing is left here, and nothing more will come.
    pub(crate) fn is_drained(&self) -> bool {
        self.is_closed() && !self.has_ready()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
    }

    fn change_ready<T>(&self, change: impl FnOnce(&mut ReadyStrands<A>) -> T) -> T {
        let mut ready = self.ready.lock();
        let result = change(&mut ready);
        self.has_urgent.store(!ready.urgent.is_empty(), Ordering::Release);
        self.has_ready.store(!ready.urgent.is_empty() || !ready.set_aside.is_empty(), Ordering::Release);
        result
    }

    /// A strand that others wait for needs a processor.
    pub(crate) fn add_urgent(&self, strand: SuspendedStrand<A>) {
        self.change_ready(|ready| ready.urgent.push(strand));
    }

    /// A strand that may go on: one that others wait for, or one that was set aside for such a one.
    pub(crate) fn next_strand(&self) -> Option<SuspendedStrand<A>> {
        if !self.has_ready() {
            return None;
        }
        self.change_ready(|ready| ready.urgent.pop().or_else(|| ready.set_aside.pop()))
    }

    /// Sets a strand that pauses aside if an urgent one waits; the one to go on with.
    pub(crate) fn exchange(&self, strand: SuspendedStrand<A>) -> SuspendedStrand<A> {
        self.change_ready(|ready| match ready.urgent.pop() {
            Some(urgent) => {
                ready.set_aside.push(strand);
                urgent
            }
            None => strand,
        })
    }

    fn change_tasks<T>(&self, change: impl FnOnce(&mut RemoteTasks<A>) -> T) -> T {
        let mut tasks = self.tasks.lock();
        let result = change(&mut tasks);
        self.has_task.store(!tasks.waiting.is_empty(), Ordering::Release);
        result
    }

    /// Does a task of another rank wait?
    pub(crate) fn has_task(&self) -> bool {
        self.has_task.load(Ordering::Acquire)
    }

    /// How many tasks of other ranks wait, and how many are being done.
    pub(crate) fn count_tasks(&self) -> [usize; 2] {
        let tasks = self.tasks.lock();
        [tasks.waiting.len(), tasks.running.len()]
    }

    pub(crate) fn add_task(&self, name: u64, task: A::RemoteTask) {
        self.change_tasks(|tasks| tasks.waiting.push_back((name, task)));
    }

    /// Takes a task of another rank; `control` is that of the strand that will do it.
    pub(crate) fn next_task(&self, control: &ControlOf<A>) -> Option<(u64, A::RemoteTask)> {
        self.change_tasks(|tasks| {
            let (name, task) = tasks.waiting.pop_front()?;
            tasks.running.push((name, Arc::clone(control)));
            Some((name, task))
        })
    }

    /// Forgets a task that has not been begun. False if it has been.
    pub(crate) fn revoke_task(&self, name: u64) -> bool {
        self.change_tasks(|tasks| {
            let before = tasks.waiting.len();
            tasks.waiting.retain(|(other, _)| *other != name);
            tasks.waiting.len() < before
        })
    }

    /// Forgets all tasks that have not been begun.
    pub(crate) fn revoke_all_tasks(&self) {
        self.change_tasks(|tasks| tasks.waiting.clear());
    }

    /// A task is done, or was cut.
    pub(crate) fn task_done(&self, name: u64, result: Option<A::RemoteResult>) {
        self.change_tasks(|tasks| {
            tasks.running.retain(|(other, _)| *other != name);
            tasks.results.push_back((name, result));
        });
    }

    /// The next task that is done.
    pub(crate) fn next_result(&self) -> Option<(u64, Option<A::RemoteResult>)> {
        self.tasks.lock().results.pop_front()
    }

    /// Acts on the strand that does a task, if it is being done. Under the lock: a strand that is done takes itself off the
    /// list first, so the control is never that of another strand.
    pub(crate) fn with_running(&self, name: u64, act: impl FnOnce(&ControlOf<A>)) {
        let tasks = self.tasks.lock();
        if let Some((_, control)) = tasks.running.iter().find(|(other, _)| *other == name) {
            act(control);
        }
    }

    pub(crate) fn put_result(&self, helper: usize, result: Option<A::RemoteResult>) {
        *self.results[helper].lock() = result;
    }

    pub(crate) fn take_result(&self, helper: usize) -> Option<A::RemoteResult> {
        self.results[helper].lock().take()
    }
}
