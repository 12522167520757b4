//! The program `jamboree` of a release: starts the best build beside it that this CPU can run.
//!
//! An archive has one build for each level of x86-64 (the psABI's x86-64-v2, -v3 and -v4), named after its level. The starter
//! is built for the oldest CPU. It replaces itself by the build (exec), so input, output, signals and exit code are those of
//! the build.

mod level;
mod start;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = own_path().and_then(|own| choose(&own, level::supported(), &|path| path.is_file()));
    let problem = match result {
        Ok(build) => start::replace_by(&build),
        Err(problem) => problem,
    };
    // If this fails, there is no other place to tell it.
    let _ = writeln!(std::io::stderr(), "jamboree: {problem}");
    ExitCode::FAILURE
}

/// Where this program is; links are followed, since the builds are beside the program and not beside a link to it. Where the
/// system can't tell, as in a chroot without /proc, it is as the caller named it.
fn own_path() -> Result<PathBuf, String> {
    let named = || std::env::args_os().next().map(PathBuf::from).filter(|path| path.components().count() > 1);
    let path = std::env::current_exe().ok().or_else(named).and_then(|path| path.canonicalize().ok());
    path.ok_or_else(|| {
        "the system does not tell where this program is; start it with its whole path, or one of the builds beside it"
            .into()
    })
}

/// The path of the best build that exists: `supported` are the levels that the CPU has, best first.
fn choose(own: &Path, supported: &[&str], exists: &dyn Fn(&Path) -> bool) -> Result<PathBuf, String> {
    if supported.is_empty() {
        return Err("this CPU is older than x86-64-v2 (it lacks SSE 4.2 or POPCNT), which every build here needs; \
                    build from source on this computer: cargo build --release"
            .into());
    }
    let beside = |level: &&str| own.with_file_name(format!("jamboree-{level}{}", std::env::consts::EXE_SUFFIX));
    supported.iter().map(beside).find(|path| exists(path)).ok_or_else(|| {
        let folder = own.parent().unwrap_or(Path::new("."));
        format!(
            "no build for this CPU ({}) in '{}'; unpack the whole archive there",
            supported.join(", "),
            folder.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "/opt/jamboree/jamboree";

    #[test]
    fn the_best_build_that_is_there_is_chosen() {
        let has = |path: &Path| !path.ends_with("jamboree-x86-64-v4");
        let chosen = choose(Path::new(OWN), &["x86-64-v4", "x86-64-v3", "x86-64-v2"], &has).unwrap();
        assert_eq!(chosen, Path::new("/opt/jamboree/jamboree-x86-64-v3"));
        let chosen = choose(Path::new(OWN), &["x86-64-v2"], &|_| true).unwrap();
        assert_eq!(chosen, Path::new("/opt/jamboree/jamboree-x86-64-v2"));
    }

    #[test]
    fn what_is_missing_is_told_in_one_line() {
        let old = choose(Path::new(OWN), &[], &|_| true).unwrap_err();
        let lost = choose(Path::new(OWN), &["x86-64-v2"], &|_| false).unwrap_err();
        assert!(old.contains("POPCNT") && old.contains("cargo build"), "{old}");
        assert!(lost.contains("'/opt/jamboree'") && lost.contains("unpack"), "{lost}");
        assert!(!old.contains('\n') && !lost.contains('\n'));
    }
}
