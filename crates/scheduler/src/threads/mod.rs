//! Real threads: one processor each.
//!
//! | file | what |
//! |---|---|
//! | `pool.rs` | threads that live as long as the engine |
//! | `cell.rs` | what others may touch of a processor |
//! | `run.rs` | one run: what all its processors share |
//! | `bridge.rs` | the bridge to other ranks, where there are any |
//! | `machine.rs` | the machine as its strands see it |
//! | `worker.rs` | the driver of one processor |

mod bridge;
mod cell;
mod help;
mod machine;
mod pool;
mod run;
mod worker;

use crate::remote::MessagePump;
use crate::{Account, Accounts, Application, Occupation, Recorder};
use bridge::Bridge;
use machine::ThreadMachine;
use parking_lot::Mutex;
use pool::ThreadPool;
use run::ThreadRun;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use worker::Worker;

/// A machine of real threads. They are started by the first run and live as long as the machine; a clone is the same
/// machine.
#[derive(Clone)]
pub struct Threads {
    processors: usize,
    grain: i32,
    pool: Arc<OnceLock<ThreadPool>>,
}

impl std::fmt::Debug for Threads {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Threads({})", self.processors)
    }
}

impl Threads {
    /// A search this deep takes longer than sharing it, by far: some tens of microseconds against one or two.
    pub const GRAIN: i32 = 4;

    /// A machine with this many processors; at least one.
    pub fn new(processors: usize) -> Threads {
        Threads { processors: processors.max(1), grain: Threads::GRAIN, pool: Arc::default() }
    }

    /// The same machine; frames less deep than this are not worth being shared.
    #[must_use]
    pub fn with_grain(self, grain: i32) -> Threads {
        Threads { grain, ..self }
    }

    /// How many processors.
    pub fn processors(&self) -> usize {
        self.processors
    }

    /// Frames less deep than this are not worth being shared.
    pub fn grain(&self) -> i32 {
        self.grain
    }

    /// Starts the threads now, so that the first run does not have to.
    pub fn prepare(&self) {
        self.pool.get_or_init(|| ThreadPool::new(self.processors));
    }

    /// Runs the application to its end, on this thread and others.
    pub fn run<A: Application>(&self, application: &A) -> Accounts {
        self.run_with(application, None, None)
    }

    /// As [`Threads::run`]. Where this machine is one of several ranks, the pump exchanges messages with the others. The
    /// recorder, if there is one, keeps what each processor of this machine did.
    ///
    /// # Panics
    /// If a strand of the application panics.
    pub fn run_with<'a, A: Application>(
        &self,
        application: &'a A,
        pump: Option<&'a mut dyn MessagePump<A::RemoteTask, A::RemoteResult>>,
        recorder: Option<&'a Recorder>,
    ) -> Accounts {
        let pool = self.pool.get_or_init(|| ThreadPool::new(self.processors));
        let pump = pump.map(|pump| -> &mut dyn MessagePump<_, _> { pump });
        match pool.reserve() {
            Some(_reserved) => run_on(pool, self.processors, application, pump, recorder),
            None => {
                // Another run is under way on this machine's threads.
                let own = ThreadPool::new(self.processors);
                run_on(&own, self.processors, application, pump, recorder)
            }
        }
    }
}

fn run_on<'a, A: Application>(
    pool: &'a ThreadPool,
    processors: usize,
    application: &'a A,
    pump: Option<&'a mut dyn MessagePump<A::RemoteTask, A::RemoteResult>>,
    recorder: Option<&'a Recorder>,
) -> Accounts {
    let remote_helpers = pump.as_ref().map(|pump| pump.remote_helpers());
    let mut run = ThreadRun::new(application, processors, pool.sleepers(), remote_helpers);
    run.recorder = recorder;
    let machine = ThreadMachine { run, bridge: pump.map(Bridge::new) };
    let accounts: Vec<_> = (0..processors).map(|_| Mutex::new(Account::default())).collect();
    // Ranks poll for messages from the beginning; elsewhere strands wake whom they have work for.
    let everywhere = application.starts_everywhere() || machine.bridge.is_some();
    pool.run(everywhere, &|processor| {
        *accounts[processor].lock() = Worker::new(&machine, pool, processor).run(processor);
    });
    let run = &machine.run;
    if let Some(panic) = run.take_panic() {
        std::panic::resume_unwind(panic);
    }
    let mut accounts: Vec<_> = accounts.into_iter().map(Mutex::into_inner).collect();
    let time = run.now();
    for (account, cell) in accounts.iter_mut().zip(&run.cells) {
        account.splits += cell.counts.splits.load(Ordering::Relaxed);
        account.denials += cell.counts.denials.load(Ordering::Relaxed);
        account.answering += cell.counts.answering.load(Ordering::Relaxed);
        // A strand answers while it runs.
        account.working = account.working.saturating_sub(account.answering);
        // Before its thread joined, and after it left, a processor had no work either.
        account.looking += time.saturating_sub(account.time());
    }
    if let Some(recorder) = recorder {
        (0..processors).for_each(|processor| recorder.did(processor, Occupation::Looking, time));
    }
    Accounts { time, processors: accounts, strands: run.strands.load(Ordering::Relaxed) }
}
