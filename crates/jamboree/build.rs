//! Tells the program from which commit and for which CPU it was built, as far as that is known.

use std::env::var;
use std::path::Path;
use std::process::Command;

/// What the levels of x86-64 have over the one below, as the compiler names it.
const LEVELS: [(&str, &[&str]); 3] = [
    ("x86-64-v2", &["cmpxchg16b", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"]),
    ("x86-64-v3", &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe"]),
    ("x86-64-v4", &["avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"]),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let commit = told_commit().or_else(packaged_commit).or_else(checked_out_commit);
    let version = env!("CARGO_PKG_VERSION");
    let exact = commit.as_ref().map_or_else(|| version.to_owned(), |commit| format!("{version} ({commit})"));
    println!("cargo:rustc-env=JAMBOREE_VERSION={exact}");
    println!("cargo:rustc-env=JAMBOREE_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    println!("cargo:rustc-env=JAMBOREE_CPU={}", cpu());
}

/// The commit that a packager tells, who builds from an archive of the sources.
fn told_commit() -> Option<String> {
    println!("cargo:rerun-if-env-changed=JAMBOREE_COMMIT");
    var("JAMBOREE_COMMIT").ok().filter(|commit| !commit.is_empty())
}

/// The commit that `cargo package` wrote beside the sources.
fn packaged_commit() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let commit = text.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
    Some(commit.get(..10)?.to_owned())
}

/// The commit of the checkout that this file belongs to. A copy of the sources inside another repository is not one.
fn checked_out_commit() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    // git writes to this file whenever a commit is made or checked out.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo:rerun-if-changed={log}");
    }
    git(&["describe", "--always", "--tags"])
}

/// The first line that git answers, if it is there and succeeds.
fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.lines().next()?.trim().to_owned())
}

/// The instruction set of the build: a level of x86-64, or the CPU of the computer that builds.
fn cpu() -> String {
    let features = var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |wanted: &&str| features.split(',').any(|feature| feature == *wanted);
    let reached = LEVELS.iter().take_while(|(_, needs)| needs.iter().all(has)).last();
    let architecture = var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let level = match reached {
        Some((level, _)) => level,
        None if architecture == "x86_64" => "x86-64",
        None => &architecture,
    };
    let flags = var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    if flags.split('\x1f').any(|flag| flag.ends_with("target-cpu=native")) {
        return format!("{level} and more (target-cpu=native)");
    }
    level.to_owned()
}
