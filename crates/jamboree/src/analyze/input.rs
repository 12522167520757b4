//! Reading a file, or standard input, as a whole.

use std::io::Read;
use std::path::Path;
use std::{fs, io};

/// The bytes of a file; `-` is standard input.
///
/// # Errors
/// A line that names the file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    bytes.map_err(|error| format!("cannot read '{}': {error}", path.display()))
}

/// Text of any age: UTF-8, or else Latin-1, which older files are written in. Control characters become spaces.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    };
    text.chars().map(|symbol| if symbol.is_control() { ' ' } else { symbol }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_are_read() {
        assert_eq!(decode("Müller".as_bytes()), "Müller");
        assert_eq!(decode(b"M\xfcller\0"), "Müller ");
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = read(Path::new("/no/such/file.pgn")).unwrap_err();
        assert!(message.starts_with("cannot read '/no/such/file.pgn': "), "{message}");
    }
}
