//! Files of positions and games.

use jamboree_io::ReadError;
use std::path::Path;

/// The largest file of positions or games, in bytes.
const LARGEST: u64 = 1 << 30;

/// Reads a file; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    jamboree_io::read_input(path, LARGEST)
}
