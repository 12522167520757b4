//! Files of positions and games.

use std::io;
use std::path::Path;

/// The largest file of positions or games, in bytes.
const LARGEST: u64 = 1 << 30;

/// Reads a file; `-` is standard input.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    jamboree_io::read_input(path, LARGEST)
}
