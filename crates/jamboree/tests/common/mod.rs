//! What the tests of several commands have in common.

use std::path::PathBuf;
use tempfile::TempDir;

/// A folder that goes away with the test.
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
