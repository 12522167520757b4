//! A build that meets a CPU for which it was not built: one line, instead of the bare end by SIGILL.
//!
//! The program can't ask the CPU first, since the code that asks is built with the same instructions, and so is what the standard
//! library does before `main`. So a signal handler tells, and the loader installs it. Both functions here only call the system, for
//! which no compiler uses a new instruction. Linux only: elsewhere the program ends as the system ends it.

/// What is said.
const MESSAGE: &str = concat!(
    "jamboree: this CPU lacks an instruction that this build uses (it is for ",
    env!("JAMBOREE_CPU"),
    "); start the 'jamboree' of a release, which picks a build that fits, or build from source on this computer\n"
);

/// The loader calls what is listed in this section before anything of the program runs.
// SAFETY: the section holds addresses of functions without arguments or result, as this one is.
#[used]
#[unsafe(link_section = ".init_array")]
static INSTALL: extern "C" fn() = install;

/// From now on an instruction that the CPU lacks ends the program with one line that says so.
extern "C" fn install() {
    // SAFETY: the handler has the type that signal expects, and does only what is allowed in one: see `end`.
    unsafe {
        libc::signal(libc::SIGILL, end as *const () as libc::sighandler_t);
    }
}

extern "C" fn end(_: libc::c_int) {
    // SAFETY: write and _exit may be called in a signal handler; the message is constant and as long as said.
    unsafe {
        libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
        libc::_exit(1);
    }
}
