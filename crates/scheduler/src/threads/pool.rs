//! Threads that live as long as the engine, with stacks for strands.
//!
//! Threads are started once and sleep between runs. A run is published; threads join it as they are woken, by the strands of
//! the run when they have work to give (`sleep.rs`). A thread that is not needed is not woken, so a short search on many
//! threads costs no more than on one. The run ends when all threads that joined it have left.

use crate::sleep::Sleepers;
use crate::strand::new_stack;
use corosensei::stack::DefaultStack;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::Arc;
use std::thread::JoinHandle;

/// The work of a run, for the processor of this number. The lifetime is that of the run: see [`ThreadPool::run`].
type Work = dyn Fn(usize) + Sync;

/// A pool of threads. The thread that calls [`ThreadPool::run`] is processor 0.
pub(super) struct ThreadPool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// Held during a run.
    in_use: Mutex<()>,
}

struct Shared {
    sleepers: Sleepers,
    /// Stacks that no strand uses.
    stacks: Mutex<Vec<DefaultStack>>,
    published: Mutex<Published>,
    /// Notified when the last thread leaves a run.
    all_left: Condvar,
}

struct Published {
    work: Option<WorkPointer>,
    /// Counts the runs, so that a thread joins each at most once.
    run: u64,
    /// Threads inside the run.
    joined: usize,
    shuts_down: bool,
}

#[derive(Clone, Copy)]
struct WorkPointer(*const Work);

// SAFETY: the work is `Sync`, and the pointer is followed only while the run that published it has not ended.
unsafe impl Send for WorkPointer {}

impl ThreadPool {
    /// A pool for this many processors, the caller of [`ThreadPool::run`] included. If the system gives fewer threads, those do
    /// all the work.
    pub(super) fn new(processors: usize) -> ThreadPool {
        let shared = Arc::new(Shared {
            sleepers: Sleepers::new(processors),
            stacks: Mutex::default(),
            published: Mutex::new(Published { work: None, run: 0, joined: 0, shuts_down: false }),
            all_left: Condvar::new(),
        });
        let spawn = |processor: usize| {
            let shared = Arc::clone(&shared);
            // A thread's own stack only holds its loop; strands have stacks of their own.
            let builder = std::thread::Builder::new().name(format!("processor {processor}")).stack_size(256 * 1024);
            builder.spawn(move || shared.serve(processor)).ok()
        };
        let threads = (1..processors).map_while(spawn).collect();
        ThreadPool { shared, threads, in_use: Mutex::new(()) }
    }

    /// The right to make a run on this pool, for as long as the guard lives. None if another run is under way.
    pub(super) fn reserve(&self) -> Option<MutexGuard<'_, ()>> {
        self.in_use.try_lock()
    }

    pub(super) fn sleepers(&self) -> &Sleepers {
        &self.shared.sleepers
    }

    /// Does the work as processor 0, and lets threads join that are woken meanwhile; `everywhere` wakes all of them.
    pub(super) fn run(&self, everywhere: bool, work: &(dyn Fn(usize) + Sync)) {
        /// Takes the run back, also when the work panics.
        struct Unpublish<'p>(&'p Shared);
        impl Drop for Unpublish<'_> {
            fn drop(&mut self) {
                let mut published = self.0.published.lock();
                published.work = None;
                while published.joined > 0 {
                    self.0.all_left.wait(&mut published);
                }
            }
        }
        let pointer: *const (dyn Fn(usize) + Sync) = work;
        // SAFETY: only the lifetime changes. `Unpublish` takes the pointer back and waits for every thread that has it before this
        // function returns, so it is not followed after the borrow has ended.
        let pointer = unsafe { std::mem::transmute::<*const (dyn Fn(usize) + Sync), *const Work>(pointer) };
        {
            let mut published = self.shared.published.lock();
            published.work = Some(WorkPointer(pointer));
            published.run += 1;
        }
        let unpublish = Unpublish(&self.shared);
        if everywhere {
            (1..=self.threads.len()).for_each(|processor| self.shared.sleepers.wake(processor));
        }
        work(0);
        drop(unpublish);
    }

    /// A stack for a strand. None if the system has no memory for one.
    pub(super) fn take_stack(&self) -> Option<DefaultStack> {
        let kept = self.shared.stacks.lock().pop();
        kept.or_else(new_stack)
    }

    /// A stack that no strand uses any more.
    pub(super) fn keep_stack(&self, stack: DefaultStack) {
        self.shared.stacks.lock().push(stack);
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.shared.published.lock().shuts_down = true;
        (1..=self.threads.len()).for_each(|processor| self.shared.sleepers.wake(processor));
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// The life of a thread: it sleeps, joins a run when it is woken, and ends with the pool.
    fn serve(&self, processor: usize) {
        let mut last_run = 0;
        loop {
            let work = {
                let mut published = self.published.lock();
                if published.shuts_down {
                    return;
                }
                let is_new = published.run != last_run;
                last_run = published.run;
                let work = published.work.filter(|_| is_new);
                published.joined += usize::from(work.is_some());
                work
            };
            let Some(WorkPointer(work)) = work else {
                self.sleepers.sleep(processor, || self.published.lock().shuts_down);
                continue;
            };
            // SAFETY: this thread was counted in `joined` while the work was published, so `run` has not returned.
            let work = unsafe { &*work };
            work(processor);
            let mut published = self.published.lock();
            published.joined -= 1;
            if published.joined == 0 {
                self.all_left.notify_all();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_run_waits_for_all_who_joined_it() {
        let pool = ThreadPool::new(4);
        for round in 0..200 {
            let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
            pool.run(round % 2 == 0, &|_| {
                begun.fetch_add(1, Ordering::SeqCst);
                pool.sleepers().wake_one(0);
                std::thread::yield_now();
                ended.fetch_add(1, Ordering::SeqCst);
            });
            assert_eq!(begun.load(Ordering::SeqCst), ended.load(Ordering::SeqCst));
        }
    }

    #[test]
    fn threads_that_are_not_woken_do_not_join() {
        let pool = ThreadPool::new(64);
        // Let all of them fall asleep for the first time.
        while pool.shared.sleepers_asleep() < 63 {
            std::thread::yield_now();
        }
        let joined = AtomicUsize::new(0);
        pool.run(false, &|_| {
            joined.fetch_add(1, Ordering::SeqCst);
        });
        assert_eq!(joined.load(Ordering::SeqCst), 1);
    }

    impl Shared {
        fn sleepers_asleep(&self) -> usize {
            self.sleepers.count_asleep()
        }
    }
}
