//! Starting a build in place of this program.

use std::path::Path;
use std::process::Command;

/// Becomes this build, with the same arguments; returns only what went wrong.
#[cfg(unix)]
pub(crate) fn replace_by(build: &Path) -> String {
    use std::os::unix::process::CommandExt;
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_else(|| build.into());
    let error = Command::new(build).arg0(name).args(words).exec();
    explain(build, &error)
}

/// Runs this build, with the same arguments, and ends as it ends; returns only what went wrong.
#[cfg(not(unix))]
pub(crate) fn replace_by(build: &Path) -> String {
    match Command::new(build).args(std::env::args_os().skip(1)).status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => explain(build, &error),
    }
}

fn explain(build: &Path, error: &std::io::Error) -> String {
    format!("can't start '{}' ({error}); unpack the whole archive again", build.display())
}
