//! Checks that a message above the limit does not end an MPI job: `mpirun -n 2 oversized`. The second rank
//! sends one past the transport, which would refuse it, and then one as it should be.

use jamboree_cluster::{Job, Link, MAX_MESSAGE_BYTES, Message};
use mpi::ffi;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let job = match Job::join() {
        Ok(job) => job,
        Err(error) => {
            eprintln!("oversized: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut link = Link::new(Box::new(job.transport()));
    if link.rank() > 0 {
        // Never freed: a message that is refused is never received, and MPI keeps reading from it.
        let bytes: &'static [u8] = vec![7_u8; 2 * MAX_MESSAGE_BYTES].leak();
        // SAFETY: the constant is initialised by MPI's library before any of our code runs.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the bytes are never freed, and `request` lives across the call. No other thread calls MPI.
        let sent = unsafe {
            let (from, count, world) = (bytes.as_ptr().cast(), bytes.len() as i32, ffi::RSMPI_COMM_WORLD);
            ffi::MPI_Isend(from, count, ffi::RSMPI_UINT8_T, 0, jamboree_cluster::MPI_TAG, world, &raw mut request)
        };
        link.send(0, &Message::Ping);
        return if sent == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let since = Instant::now();
    let mut left = link.others().count();
    while left > 0 && since.elapsed() < Duration::from_secs(20) {
        match link.receive() {
            Some((_, Message::Ping)) => left -= 1,
            Some(_) => {}
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    let refused = link.traffic.messages.malformed;
    println!("{refused} messages above {MAX_MESSAGE_BYTES} bytes refused, {left} ranks not heard after theirs");
    if left == 0 && refused == link.others().count() as u64 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
