//! Helpers for the tests of several commands.

#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod process;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder that is removed at the end of the test.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    /// A new, empty folder.
    pub(crate) fn new(name: &str) -> Scratch {
        let prefix = format!("jamboree-test-{name}-");
        Scratch(tempfile::Builder::new().prefix(&prefix).tempdir().expect("the temporary folder can be written"))
    }

    /// The path of a file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Random numbers that differ from run to run. The seed is printed; set `JAMBOREE_SEED` to it to repeat a failure.
pub(crate) fn random() -> Xoshiro256PlusPlus {
    let clock = || std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64);
    let seed = std::env::var("JAMBOREE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(clock);
    println!("JAMBOREE_SEED={seed}");
    Xoshiro256PlusPlus::seed_from_u64(seed)
}
