//! Lines of a journal with a checksum.
//!
//! A line is a JSON object whose last field, `check`, is the CRC-32 of the object without it. A changed byte anywhere
//! in the line is found when the line is read.

/// What comes before and after the eight digits of the check.
const BEFORE: &str = ",\"check\":\"";
const AFTER: &str = "\"}";
const DIGITS: usize = 8;

/// A JSON object with its check, and a line feed.
pub(crate) fn seal(object: &str) -> String {
    let open = object.strip_suffix('}').unwrap_or(object);
    format!("{open}{BEFORE}{:08x}{AFTER}\n", crc32fast::hash(object.as_bytes()))
}

/// The JSON object of a line without its line feed; `None` if the line has no check or is damaged.
pub(crate) fn unseal(line: &str) -> Option<String> {
    let open = line.strip_suffix(AFTER)?;
    let (rest, digits) = open.split_at_checked(open.len().checked_sub(DIGITS)?)?;
    let object = format!("{}}}", rest.strip_suffix(BEFORE)?);
    // Upper-case digits are not what was written.
    (digits == format!("{:08x}", crc32fast::hash(object.as_bytes()))).then_some(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_is_found() {
        let object = r#"{"row":{"nodes":12345,"name":"é"}}"#;
        let line = seal(object);
        assert!(serde_json::from_str::<serde_json::Value>(&line).is_ok_and(|value| value["check"].is_string()));
        let line = line.trim_end();
        assert_eq!(unseal(line).as_deref(), Some(object));
        for place in 0..line.len() {
            for changed in [b'0', b'}', b'x', b'"'] {
                let mut bytes = line.as_bytes().to_vec();
                if std::mem::replace(&mut bytes[place], changed) != changed {
                    assert_eq!(unseal(&String::from_utf8_lossy(&bytes)), None, "{place}");
                }
            }
            assert_eq!(unseal(&String::from_utf8_lossy(&line.as_bytes()[..place])), None, "cut at {place}");
        }
        assert_eq!(unseal(object), None);
    }

    #[test]
    fn a_line_too_short_for_a_checksum_is_refused() {
        for short in ["", "\"}", "}0.1.0\"}", "01234567\"}"] {
            assert_eq!(unseal(short), None, "{short}");
        }
    }
}
