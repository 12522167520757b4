//! Durations on the command line: `1s`, `500ms`, `2.5s`, `2m`, `1h`; a number alone is seconds.

use std::time::Duration;

/// The longest time, in seconds: a thousand hours.
const LONGEST: f64 = 3_600_000.0;
/// The shortest time, in seconds: no search ends sooner.
const SHORTEST: f64 = 0.001;

/// Reads a duration; for clap's `value_parser`.
///
/// # Errors
/// A line that says what is wrong and what to write instead.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    const EXAMPLES: &str = "write for example 500ms, 2.5s, 2m or 1h; a number alone is seconds";
    let lower = text.trim().to_ascii_lowercase();
    let digits = lower.trim_end_matches(|symbol: char| symbol.is_ascii_alphabetic());
    let unit = match &lower[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(EXAMPLES.to_owned()),
    };
    let digits = digits.trim_end();
    // `f64` would also read signs, `1e3`, `inf` and `nan`.
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number = digits.parse::<f64>().ok().filter(|_| plain).ok_or(EXAMPLES)?;
    let seconds = number * unit;
    if seconds < SHORTEST {
        Err("too short: the least is 1ms".to_owned())
    } else if seconds > LONGEST {
        Err("too long: the most is 1000h".to_owned())
    } else {
        Ok(Duration::from_secs_f64(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_fractions_are_read() {
        for (text, ms) in [
            ("1s", 1000),
            ("500ms", 500),
            ("2.5s", 2500),
            ("2m", 120_000),
            ("3", 3000),
            ("0.25", 250),
            (".5s", 500),
            ("1h", 3_600_000),
            ("1000h", 3_600_000_000),
            (" 10 S ", 10_000),
            ("1ms", 1),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(ms)), "{text}");
        }
    }

    #[test]
    fn anything_else_is_explained() {
        for text in
            ["", "s", "ms", ".", "abc", "-1s", "+1s", "1e3", "inf", "nan", "1 2s", "1..5s", "1d", "5 µs", "é", "1s1s"]
        {
            assert!(parse(text).is_err_and(|message| message.contains("500ms")), "{text}");
        }
        assert!(parse("0").is_err_and(|message| message.contains("least")));
        assert!(parse("0.5ms").is_err_and(|message| message.contains("least")));
        assert!(parse(&"9".repeat(400)).is_err_and(|message| message.contains("most")));
    }
}
