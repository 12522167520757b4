//! Comments that begin with a semicolon and end with their line. pgn-reader skips them, so they are put into braces
//! before it reads them.

use std::borrow::Cow;

/// The text of a PGN file with every comment in braces.
pub(super) fn in_braces(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.contains(&b';') {
        return Cow::Borrowed(bytes);
    }
    let mut text = Vec::with_capacity(bytes.len() + 64);
    let mut in_comment = false;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        // Tags, and lines that are not for readers of PGN.
        if !in_comment && matches!(line.first(), Some(b'[' | b'%')) {
            text.extend_from_slice(line);
        } else {
            in_comment = add_line(&mut text, line, in_comment);
        }
    }
    Cow::Owned(text)
}

/// Adds a line of movetext. `in_comment` says whether it begins inside of braces; returns whether it ends there.
fn add_line(text: &mut Vec<u8>, line: &[u8], mut in_comment: bool) -> bool {
    for (place, &byte) in line.iter().enumerate() {
        match byte {
            b';' if !in_comment => {
                text.push(b'{');
                let rest = line[place + 1..].trim_ascii_end();
                // A brace would close the comment too early.
                text.extend(rest.iter().map(|&byte| if byte == b'}' { b')' } else { byte }));
                text.extend_from_slice(b"}\n");
                return false;
            }
            b'{' => in_comment = true,
            b'}' => in_comment = false,
            _ => {}
        }
        text.push(byte);
    }
    in_comment
}

#[cfg(test)]
mod tests {
    use super::*;

    fn braced(text: &str) -> String {
        String::from_utf8(in_braces(text.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn the_rest_of_a_line_becomes_a_comment() {
        assert_eq!(braced("1. e4 ; good} move \r\n1... e5 *"), "1. e4 { good) move}\n1... e5 *");
        assert_eq!(braced("1. e4 ; end"), "1. e4 { end}\n");
    }

    #[test]
    fn other_semicolons_stay() {
        for text in ["[White \"a; b\"]\n", "1. e4 {a; b\n; c} e5\n", "% a; b\n", "1. e4 e5\n"] {
            assert_eq!(braced(text), text);
        }
    }
}
