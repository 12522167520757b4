//! Reading lines: of bounded length, since the other side may be out of its mind, and whatever their bytes are.

use std::io::{BufRead, BufReader, Read};

/// Longer lines are cut. No honest one is near it: a game of a thousand moves takes ten thousand bytes.
const LONGEST: u64 = 1 << 20;

/// Hands on every line until the input ends or `take` says that it is enough.
pub(super) fn each(input: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut input = BufReader::new(input);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match input.by_ref().take(LONGEST).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&bytes);
        if !take(line.trim_end_matches(['\n', '\r', '\0']).to_string()) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_are_cut_and_need_not_be_text() {
        let mut input = b"one\r\n\n\xff\xfe two\n".to_vec();
        input.resize(input.len() + LONGEST as usize + 3, b'x');
        let mut lines = Vec::new();
        each(input.as_slice(), |line| {
            lines.push(line);
            true
        });
        assert_eq!((lines[0].as_str(), lines[1].as_str()), ("one", ""));
        assert!(lines[2].ends_with(" two"));
        assert_eq!((lines[3].len() as u64, lines[4].as_str()), (LONGEST, "xxx"));
    }
}
