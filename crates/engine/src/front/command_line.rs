//! A command line split into words, as a shell splits one that has only words and quotes.

/// Splits a command line: words are parted by blanks; `'...'` and `"..."` keep blanks, a backslash keeps the next
/// character (but not between single quotes).
///
/// # Errors
/// If a quote is not closed, the line ends with a backslash, or there is no word.
pub fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    // None between words: an empty pair of quotes is a word, too.
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\\', None | Some('"')) => {
                let Some(next) = characters.next() else { return Err(format!("'{line}' ends with a backslash")) };
                word.get_or_insert_default().push(next);
            }
            (_, Some(_)) => word.get_or_insert_default().push(character),
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (blank, None) if blank.is_whitespace() => words.extend(word.take()),
            (_, None) => word.get_or_insert_default().push(character),
        }
    }
    if let Some(open) = quote {
        return Err(format!("a quote {open} is not closed in: {line}"));
    }
    words.extend(word);
    if words.is_empty() { Err("the command line of the job is empty".to_string()) } else { Ok(words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_quotes() {
        let words = split(r#" mpirun -n  4 'a b'c "d \" 'e" f\ g '' "#).unwrap();
        assert_eq!(words, ["mpirun", "-n", "4", "a bc", "d \" 'e", "f g", ""]);
        for bad in ["", "  ", "a 'b", "a \"b", "a\\"] {
            assert!(split(bad).is_err(), "{bad}");
        }
    }
}
