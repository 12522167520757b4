//! Ranks of an MPI job: the only file that names MPI.
//!
//! Two-sided messages only. MPI is initialised for calls by one thread at a time (`MPI_THREAD_SERIALIZED`): the thread
//! that polls messages during a search, the engine's thread between searches.

use crate::leftovers::{Register, clean};
use crate::{MAX_MESSAGE_BYTES, Transport};
use mpi::environment::Universe;
use mpi::ffi;
use mpi::traits::{AsRaw, Communicator, CommunicatorCollectives};
use scheduler::Doorbell;
use std::collections::VecDeque;
use std::os::raw::{c_int, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

/// All messages carry this tag.
pub const MPI_TAG: c_int = 7;
/// Where MPI has most files of shared memory, and where the registers of these files are: gone after a restart of the host.
const SHARED_FOLDER: &str = "/dev/shm";
/// Maximum number of messages that wait to be sent to one rank. A rank that takes none is stopped or dead.
const BACKLOG: usize = 20_000;
/// Maximum number of messages that are being received at the same time.
const MAX_ARRIVING: usize = 256;

/// This process in an MPI job. The thread that made it keeps it until the end of the program: dropping it ends MPI.
pub struct Job {
    universe: Universe,
}

impl Job {
    /// Joins the MPI job this process was started in. To be called before the program has other threads.
    ///
    /// # Errors
    /// One line that says why it failed.
    pub fn join() -> Result<Job, String> {
        clean(Path::new(SHARED_FOLDER));
        // Open MPI yields its core at every poll for messages if it was told that there may be more ranks than cores
        // (--oversubscribe). A search polls about ten thousand times a second: two ranks on two cores then had half the
        // nodes a second. Other MPI libraries ignore the variable. SAFETY: by the contract of this function no other
        // thread reads or writes the environment now.
        unsafe { std::env::set_var("OMPI_MCA_mpi_yield_when_idle", "0") };
        let wanted = mpi::Threading::Serialized;
        match mpi::initialize_with_threading(wanted) {
            Some((universe, given)) if given >= wanted => Ok(Job { universe }),
            Some((_, given)) => Err(format!("this MPI lets only {given:?} threads call it, Serialized is needed")),
            None => Err("MPI can't be initialised twice".to_string()),
        }
    }

    /// The name and the version of the MPI.
    pub fn library() -> String {
        // Open MPI adds its package and its date behind commas, MPICH how it was built in more lines.
        let text = mpi::environment::library_version().unwrap_or_default();
        text.split([',', '\n']).next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The transport between the ranks of the job. There is one, and all ranks make theirs at the same time.
    pub fn transport(&self) -> Mpi {
        let world = self.universe.world();
        let (rank, ranks) = (world.rank() as usize, world.size() as usize);
        // The default error handler ends the job at the first message that is too long.
        // SAFETY: the communicator is valid as long as the universe.
        unsafe { ffi::MPI_Comm_set_errhandler(world.as_raw(), ffi::RSMPI_ERRORS_RETURN) };
        let doorbells = make_doorbells(&world);
        Mpi {
            world: world.as_raw(),
            rank,
            ranks,
            doorbells,
            arriving: VecDeque::new(),
            pending: VecDeque::new(),
            backlog: vec![0; ranks],
            _register: Register::new(Path::new(SHARED_FOLDER)),
        }
    }
}

/// The doorbells of the ranks on this host, in memory that its processes share; none if this MPI has no shared memory.
fn make_doorbells(world: &impl Communicator) -> Vec<Option<Doorbell>> {
    /// Two cache lines each, because a CPU that reads a line often fetches the next one too.
    const ROOM: ffi::MPI_Aint = 128;
    let host = world.split_shared(world.rank());
    let mut members = vec![0_i32; host.size() as usize];
    host.all_gather_into(&world.rank(), &mut members[..]);
    let is_complete = host.size() == world.size();
    let mut doorbells = vec![None; world.size() as usize];
    let mut own: *mut c_void = std::ptr::null_mut();
    // SAFETY: the pointers are to locals that live across the calls. The window is never freed, so its memory is there
    // until MPI ends with the process (`Job`), and it is only used as an atomic byte.
    unsafe {
        let mut window = ffi::RSMPI_WIN_NULL;
        ffi::MPI_Comm_set_errhandler(host.as_raw(), ffi::RSMPI_ERRORS_RETURN);
        let (info, place) = (ffi::RSMPI_INFO_NULL, (&raw mut own).cast());
        if ffi::MPI_Win_allocate_shared(ROOM, 1, info, host.as_raw(), place, &raw mut window) != 0 || own.is_null() {
            return doorbells;
        }
        AtomicU8::from_ptr(own.cast()).store(0, Ordering::Relaxed);
        host.barrier();
        for (member, &rank) in members.iter().enumerate() {
            let (mut size, mut unit, mut at): (_, _, *mut c_void) = (0, 0, std::ptr::null_mut());
            let place = (&raw mut at).cast();
            ffi::MPI_Win_shared_query(window, member as c_int, &raw mut size, &raw mut unit, place);
            if !at.is_null() {
                doorbells[rank as usize] = Some(Doorbell::new(AtomicU8::from_ptr(at.cast()), is_complete));
            }
        }
    }
    doorbells
}

/// A message that is being sent.
struct Pending {
    to: usize,
    /// MPI reads from here until the request is complete.
    bytes: Box<[u8]>,
    request: ffi::MPI_Request,
}

/// A message that is being received.
struct Arriving {
    from: usize,
    /// MPI writes here until the request is complete.
    bytes: Box<[u8]>,
    request: ffi::MPI_Request,
}

/// The transport of an MPI job.
pub struct Mpi {
    world: ffi::MPI_Comm,
    rank: usize,
    ranks: usize,
    /// For each rank on this host, the doorbell to ring after sending it a message.
    doorbells: Vec<Option<Doorbell>>,
    /// Messages that are being received: long ones take more than one poll.
    arriving: VecDeque<Arriving>,
    pending: VecDeque<Pending>,
    backlog: Vec<usize>,
    /// What to remove if this process is killed.
    _register: Option<Register>,
}

// SAFETY: MPI allows calls from any thread as long as no two are made at the same time (`Job::join` makes sure of the
// level Serialized). There is one `Mpi` in the process, every call needs `&mut` to it, and `Job` is only dropped, by
// the thread that made it, after everything else has ended. The handles are plain values that belong to no thread.
unsafe impl Send for Mpi {}

impl Mpi {
    /// Begins to receive the next message that has come; its sender alone if the message is too long. The length is
    /// looked at before anything is received: into a buffer that is too small, Open MPI 4.1 writes beyond its end.
    fn begin_to_receive(&mut self) -> Option<Result<(), usize>> {
        // SAFETY: a status is plain numbers, for which zero is a value.
        let mut status: ffi::MPI_Status = unsafe { std::mem::zeroed() };
        let (mut is_there, mut count): (c_int, c_int) = (0, 0);
        // SAFETY: the constants are initialised by MPI's library before any of our code runs.
        let (mut message, mut request) = unsafe { (ffi::RSMPI_MESSAGE_NULL, ffi::RSMPI_REQUEST_NULL) };
        // SAFETY: all pointers are to locals that live across the calls.
        unsafe {
            let any = ffi::RSMPI_ANY_SOURCE;
            let (there, found) = (&raw mut is_there, &raw mut message);
            let failed = ffi::MPI_Improbe(any, MPI_TAG, self.world, there, found, &raw mut status) != 0;
            if failed || is_there == 0 {
                return None;
            }
            ffi::MPI_Get_count(&raw const status, ffi::RSMPI_UINT8_T, &raw mut count);
        }
        let from = status.MPI_SOURCE as usize;
        if !(0..=MAX_MESSAGE_BYTES as c_int).contains(&count) {
            // The message is taken from the queue and never received: MPI has only its beginning, and the sender keeps
            // the rest.
            return Some(Err(from));
        }
        let mut bytes: Box<[u8]> = vec![0; count as usize].into();
        // SAFETY: `bytes` is on the heap and is not touched or freed before the request is complete.
        let failed = unsafe {
            let to = bytes.as_mut_ptr().cast::<c_void>();
            ffi::MPI_Imrecv(to, count, ffi::RSMPI_UINT8_T, &raw mut message, &raw mut request) != 0
        };
        if failed {
            return Some(Err(from));
        }
        self.arriving.push_back(Arriving { from, bytes, request });
        Some(Ok(()))
    }

    /// The first message that is complete and is not behind another one of its sender.
    fn take_arrived(&mut self) -> Option<(usize, Vec<u8>)> {
        for place in 0..self.arriving.len() {
            let from = self.arriving[place].from;
            if self.arriving.iter().take(place).any(|earlier| earlier.from == from) {
                continue;
            }
            let mut done: c_int = 0;
            let request = &raw mut self.arriving[place].request;
            // SAFETY: the request was made by `MPI_Imrecv` and not freed yet; `done` lives across the call.
            let failed = unsafe { ffi::MPI_Test(request, &raw mut done, ffi::RSMPI_STATUS_IGNORE) } != 0;
            if failed || done != 0 {
                let arrived = self.arriving.remove(place)?;
                return Some((from, if failed { Vec::new() } else { arrived.bytes.into_vec() }));
            }
        }
        None
    }

    /// Forgets the messages that have been sent.
    fn forget_sent(&mut self) {
        for _ in 0..self.pending.len() {
            let Some(mut pending) = self.pending.pop_front() else { break };
            let mut done: c_int = 0;
            // SAFETY: the request was made by `MPI_Isend` and not freed yet; `done` lives across the call.
            unsafe { ffi::MPI_Test(&raw mut pending.request, &raw mut done, ffi::RSMPI_STATUS_IGNORE) };
            if done == 0 {
                self.pending.push_back(pending);
            } else {
                self.backlog[pending.to] -= 1;
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
            self.forget_sent();
        }
        if message.len() > MAX_MESSAGE_BYTES || self.backlog[to] >= BACKLOG {
            return false;
        }
        let count = message.len() as c_int;
        let bytes: Box<[u8]> = message.into();
        // SAFETY: the constant is initialised by MPI's library before any of our code runs.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: `bytes` is on the heap, is not touched, and is kept in `pending` until the request is complete.
        let sent = unsafe {
            let from = bytes.as_ptr().cast::<c_void>();
            ffi::MPI_Isend(from, count, ffi::RSMPI_UINT8_T, to as c_int, MPI_TAG, self.world, &raw mut request)
        };
        if sent == 0 {
            self.backlog[to] += 1;
            self.pending.push_back(Pending { to, bytes, request });
            if let Some(doorbell) = &self.doorbells[to] {
                doorbell.ring();
            }
        }
        sent == 0
    }

    fn doorbell(&self) -> Option<Doorbell> {
        self.doorbells[self.rank]
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        loop {
            if let Some(arrived) = self.take_arrived() {
                return Some(arrived);
            }
            if self.arriving.len() >= MAX_ARRIVING {
                return None;
            }
            if let Err(from) = self.begin_to_receive()? {
                return Some((from, Vec::new()));
            }
        }
    }
}

impl Drop for Mpi {
    /// Waits a moment until the last messages have been sent.
    fn drop(&mut self) {
        let since = std::time::Instant::now();
        while !self.pending.is_empty() && since.elapsed() < std::time::Duration::from_millis(500) {
            self.forget_sent();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        // MPI may still write to buffers of messages that have not arrived completely.
        for arriving in self.arriving.drain(..) {
            Box::leak(arriving.bytes);
        }
        // MPI may still read from buffers of messages that were not sent.
        for pending in self.pending.drain(..) {
            Box::leak(pending.bytes);
        }
    }
}
