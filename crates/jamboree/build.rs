//! Tells the program from which commit it was built, if that is known.

use std::process::Command;

fn main() {
    // git writes to this file whenever a commit is made or checked out.
    println!("cargo:rerun-if-changed=../../.git/logs/HEAD");
    let described = Command::new("git").args(["describe", "--always", "--tags"]).output();
    if let Ok(output) = described
        && output.status.success()
        && let Ok(commit) = String::from_utf8(output.stdout)
    {
        println!("cargo:rustc-env=JAMBOREE_COMMIT={} ({})", env!("CARGO_PKG_VERSION"), commit.trim());
    }
}
