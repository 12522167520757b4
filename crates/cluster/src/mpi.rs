//! Ranks of an MPI job: the only file that names MPI.
//!
//! Two-sided messages only. MPI is initialised for calls by one thread at a time (`MPI_THREAD_SERIALIZED`): whoever
//! lets the porter make his round during a search, the engine's thread between searches.

use crate::Transport;
use mpi::environment::Universe;
use mpi::ffi;
use mpi::traits::{AsRaw, Communicator, CommunicatorCollectives};
use scheduler::Doorbell;
use std::collections::VecDeque;
use std::os::raw::{c_int, c_void};
use std::sync::atomic::{AtomicU8, Ordering};

/// All messages carry this tag.
const TAG: c_int = 7;
/// So many messages wait to be sent to one rank at most: one that takes none is stopped, or dead.
const BACKLOG: usize = 20_000;
/// No message is longer. The longest are table entries and histories, of which each has a limit of its own.
const LONGEST: usize = 1 << 20;

/// This process' part of an MPI job. To be kept until the end of the program, by the thread that made it: dropping it ends
/// MPI.
pub struct Job {
    universe: Universe,
}

impl Job {
    /// Joins the MPI job this process was started in. To be called before the program has other threads.
    ///
    /// # Errors
    /// One line that says why not.
    pub fn join() -> Result<Job, String> {
        // Open MPI gives its core away at every look for messages if it was told that there may be more ranks than cores
        // (--oversubscribe). A search looks some ten thousand times a second: two ranks on two cores then had half the nodes
        // a second. Ranks don't read this.
        // SAFETY: by the contract of this function no other thread reads or writes the environment now.
        unsafe { std::env::set_var("OMPI_MCA_mpi_yield_when_idle", "0") };
        let wanted = mpi::Threading::Serialized;
        match mpi::initialize_with_threading(wanted) {
            Some((universe, given)) if given >= wanted => Ok(Job { universe }),
            Some((_, given)) => Err(format!("this MPI lets only {given:?} threads call it, Serialized is needed")),
            None => Err("MPI can't be initialised twice".to_string()),
        }
    }

    /// The transport between the ranks of the job. There is one, and all ranks make theirs at the same time.
    pub fn transport(&self) -> Mpi {
        let world = self.universe.world();
        let (rank, ranks) = (world.rank() as usize, world.size() as usize);
        let mut transport = Mpi {
            world: world.as_raw(),
            rank,
            ranks,
            bells: hang_bells(&world),
            // SAFETY: the constant is initialised by MPI's library before any of our code runs.
            expected: Expected { bytes: vec![0; LONGEST].into(), request: unsafe { ffi::RSMPI_REQUEST_NULL } },
            pending: VecDeque::new(),
            backlog: vec![0; ranks],
        };
        transport.expect();
        transport
    }
}

/// The bells of all ranks as far as they are on this host, in memory that its processes share; nowhere if this MPI has none.
fn hang_bells(world: &impl Communicator) -> Vec<Option<Doorbell>> {
    /// Two cache lines each: a processor that reads one often fetches the next one too.
    const ROOM: ffi::MPI_Aint = 128;
    let host = world.split_shared(world.rank());
    let mut members = vec![0_i32; host.size() as usize];
    host.all_gather_into(&world.rank(), &mut members[..]);
    let is_complete = host.size() == world.size();
    let mut bells = vec![None; world.size() as usize];
    let mut own: *mut c_void = std::ptr::null_mut();
    // SAFETY: the pointers are to locals that live across the calls. The window is never freed, so its memory is there
    // until MPI ends with the process (`Job`), and nobody uses it but as an atomic number of one byte.
    unsafe {
        let mut window = ffi::RSMPI_WIN_NULL;
        ffi::MPI_Comm_set_errhandler(host.as_raw(), ffi::RSMPI_ERRORS_RETURN);
        let (info, place) = (ffi::RSMPI_INFO_NULL, (&raw mut own).cast());
        if ffi::MPI_Win_allocate_shared(ROOM, 1, info, host.as_raw(), place, &raw mut window) != 0 || own.is_null() {
            return bells;
        }
        AtomicU8::from_ptr(own.cast()).store(0, Ordering::Relaxed);
        host.barrier();
        for (member, &rank) in members.iter().enumerate() {
            let (mut size, mut unit, mut at): (_, _, *mut c_void) = (0, 0, std::ptr::null_mut());
            let place = (&raw mut at).cast();
            ffi::MPI_Win_shared_query(window, member as c_int, &raw mut size, &raw mut unit, place);
            if !at.is_null() {
                bells[rank as usize] = Some(Doorbell::new(AtomicU8::from_ptr(at.cast()), is_complete));
            }
        }
    }
    bells
}

/// A message on its way.
struct Pending {
    to: usize,
    /// MPI reads from here until the request is complete.
    bytes: Box<[u8]>,
    request: ffi::MPI_Request,
}

/// The next message from anyone.
struct Expected {
    /// MPI writes here until the request is complete.
    bytes: Box<[u8]>,
    request: ffi::MPI_Request,
}

/// The transport of an MPI job.
pub struct Mpi {
    world: ffi::MPI_Comm,
    rank: usize,
    ranks: usize,
    /// What to ring after a message was sent, where the other rank is on this host.
    bells: Vec<Option<Doorbell>>,
    /// Always under way: to ask whether it has come is cheaper than to look for messages that nobody expects.
    expected: Expected,
    pending: VecDeque<Pending>,
    backlog: Vec<usize>,
}

// SAFETY: MPI allows calls from any thread as long as no two are made at the same time (`Job::join` makes sure of the level
// Serialized). There is one `Mpi` in the process, every call needs `&mut` to it, and `Job` is only dropped, by the thread
// that made it, after everything else has ended. The handles are plain values that belong to no thread.
unsafe impl Send for Mpi {}

impl Mpi {
    /// Begins to receive the next message.
    fn expect(&mut self) {
        let Expected { bytes, request } = &mut self.expected;
        // SAFETY: `bytes` is on the heap and is not touched or freed before the request is complete; the last request is.
        unsafe {
            let (to, any) = (bytes.as_mut_ptr().cast::<c_void>(), ffi::RSMPI_ANY_SOURCE);
            ffi::MPI_Irecv(to, LONGEST as c_int, ffi::RSMPI_UINT8_T, any, TAG, self.world, request);
        }
    }

    /// Forgets the messages that have left.
    fn clear_away(&mut self) {
        for _ in 0..self.pending.len() {
            let Some(mut parcel) = self.pending.pop_front() else { break };
            let mut done: c_int = 0;
            // SAFETY: the request was made by `MPI_Isend` and not freed yet; `done` lives across the call.
            unsafe { ffi::MPI_Test(&raw mut parcel.request, &raw mut done, ffi::RSMPI_STATUS_IGNORE) };
            if done == 0 {
                self.pending.push_back(parcel);
            } else {
                self.backlog[parcel.to] -= 1;
            }
        }
    }
}

impl Transport for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn send(&mut self, to: usize, message: &[u8]) -> bool {
        if self.pending.len() > 8 {
            self.clear_away();
        }
        if message.len() > LONGEST || self.backlog[to] >= BACKLOG {
            return false;
        }
        let count = message.len() as c_int;
        let bytes: Box<[u8]> = message.into();
        // SAFETY: the constant is initialised by MPI's library before any of our code runs.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: `bytes` is on the heap, is not touched, and is kept in `pending` until the request is complete.
        let sent = unsafe {
            let from = bytes.as_ptr().cast::<c_void>();
            ffi::MPI_Isend(from, count, ffi::RSMPI_UINT8_T, to as c_int, TAG, self.world, &raw mut request)
        };
        if sent == 0 {
            self.backlog[to] += 1;
            self.pending.push_back(Pending { to, bytes, request });
            if let Some(bell) = &self.bells[to] {
                bell.ring();
            }
        }
        sent == 0
    }

    fn bell(&self) -> Option<Doorbell> {
        self.bells[self.rank]
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        // SAFETY: a status is plain numbers, for which zero is a value.
        let mut status: ffi::MPI_Status = unsafe { std::mem::zeroed() };
        let (mut is_there, mut count): (c_int, c_int) = (0, 0);
        // SAFETY: all pointers are to locals, or to the request of `expect`, that live across the calls.
        unsafe {
            ffi::MPI_Test(&raw mut self.expected.request, &raw mut is_there, &raw mut status);
            if is_there == 0 {
                return None;
            }
            ffi::MPI_Get_count(&raw const status, ffi::RSMPI_UINT8_T, &raw mut count);
        }
        let bytes = self.expected.bytes[..count.clamp(0, LONGEST as c_int) as usize].to_vec();
        self.expect();
        Some((status.MPI_SOURCE as usize, bytes))
    }
}

impl Drop for Mpi {
    /// What was said last should still be heard: a moment for it.
    fn drop(&mut self) {
        let since = std::time::Instant::now();
        while !self.pending.is_empty() && since.elapsed() < std::time::Duration::from_millis(500) {
            self.clear_away();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        // SAFETY: the request is under way; what it writes to is never freed.
        unsafe {
            ffi::MPI_Cancel(&raw mut self.expected.request);
            ffi::MPI_Request_free(&raw mut self.expected.request);
        }
        Box::leak(std::mem::take(&mut self.expected.bytes));
        // MPI may still read from what did not leave.
        for parcel in self.pending.drain(..) {
            Box::leak(parcel.bytes);
        }
    }
}
