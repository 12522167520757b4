//! The lines of the user interface and of the job.

use crate::uci::LONGEST_LINE;
use jamboree_io::{LineError, LineReader};
use std::io::{BufReader, Read};

/// Hands on every line until the input ends or `take` refuses one. Lines that are too long are left out, and bytes that
/// are no text are replaced.
pub(super) fn read_lines(input: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut lines = LineReader::new(BufReader::new(input), LONGEST_LINE);
    loop {
        let goes_on = match lines.next_bytes() {
            Some(Ok(bytes)) => take(String::from_utf8_lossy(bytes).trim_end_matches('\0').to_string()),
            Some(Err(LineError::TooLong { .. })) => true,
            Some(Err(LineError::Unreadable { .. })) | None => false,
        };
        if !goes_on {
            return;
        }
    }
}
