//! Calls of the operating system: end a whole tree of processes, receive signals.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// The environment variable that marks every process of a job. Process groups are not enough: mpirun gives every rank
/// a group of its own.
const MARK: &str = "JAMBOREE_JOB";

/// The command will lead a process group of its own, carry the mark, and be told to end when we die.
pub(super) fn make_leader(command: &mut Command, mark: &str) {
    command.env(MARK, mark).process_group(0);
    // SAFETY: between fork and exec the closure calls only functions that are safe there: sigemptyset, sigprocmask and
    // prctl. It touches no memory but its own stack.
    unsafe { command.pre_exec(prepare_child) };
}

/// In the child: no signal is blocked, and the end of our process is its end, too.
fn prepare_child() -> std::io::Result<()> {
    let mut none = std::mem::MaybeUninit::uninit();
    // SAFETY: sigemptyset makes a valid set of the memory it is given, which sigprocmask then reads.
    unsafe {
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
    }
    // mpirun ends its ranks on all machines when it is asked to end; killed at once it could not.
    #[cfg(target_os = "linux")]
    // SAFETY: this call of prctl takes two numbers and touches no memory.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
    }
    Ok(())
}

/// Kills the process group of `leader`, and every process on this machine with the mark.
pub(super) fn kill_all(leader: u32, mark: &str) {
    kill(-(leader as libc::pid_t));
    // Processes that were started meanwhile are found the second time.
    for _ in 0..2 {
        marked(mark).into_iter().for_each(kill);
    }
}

fn kill(process: libc::pid_t) {
    // 0 and -1 would be ourselves and everyone.
    if process.unsigned_abs() > 1 {
        // SAFETY: kill takes two numbers and touches no memory.
        unsafe { libc::kill(process, libc::SIGKILL) };
    }
}

/// The processes with the mark. Where there is no /proc, none are found, and the process group has to do.
fn marked(mark: &str) -> Vec<libc::pid_t> {
    let wanted = format!("{MARK}={mark}");
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let processes = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<libc::pid_t>().ok());
    let carries = |process: &libc::pid_t| {
        let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    processes.filter(carries).collect()
}

/// Calls `then` when the process is told to end (SIGTERM, SIGINT, SIGHUP), instead of ending it. Threads that are started
/// afterwards leave these signals to it, too; so it must be called before any is.
pub(super) fn when_told_to_end(then: impl FnOnce() + Send + 'static) {
    let mut signals = std::mem::MaybeUninit::uninit();
    // SAFETY: sigemptyset makes a valid set of the memory it is given; sigaddset and pthread_sigmask only use that.
    let signals = unsafe {
        libc::sigemptyset(signals.as_mut_ptr());
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
            libc::sigaddset(signals.as_mut_ptr(), signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, signals.as_ptr(), std::ptr::null_mut());
        signals.assume_init()
    };
    std::thread::spawn(move || {
        let mut signal = 0;
        // SAFETY: both pointers are to valid variables of this thread.
        if unsafe { libc::sigwait(&raw const signals, &raw mut signal) } == 0 {
            then();
        }
    });
}
