//! Numbers as text for reports.

/// With thousands separated by narrow no-break spaces: `1 234 567`.
pub fn thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    if value <= -0.5 { format!("\u{2212}{text}") } else { text }
}

/// With `places` digits after the point.
pub fn fixed(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    text.strip_prefix('-').map_or(text.clone(), |rest| format!("\u{2212}{rest}"))
}

/// A share as a percentage with one place.
pub fn percent(share: f64) -> String {
    format!("{} %", fixed(100.0 * share, 1))
}

/// With three significant digits: `0.0123`, `1.23`, `123`, `12 300`.
pub fn significant(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size == 0.0 => "0".into(),
        _ if size >= 100.0 => thousands(value),
        _ if size >= 10.0 => fixed(value, 1),
        _ if size >= 1.0 => fixed(value, 2),
        _ if size >= 0.1 => fixed(value, 3),
        _ => fixed(value, 4),
    }
}

/// Short, for an axis: `2`, `0.5`, `40k`, `1.5M`.
pub fn short(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if size >= 1e9 => (value / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let text = format!("{scaled:.6}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.')).replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(thousands(1_234_567.0), "1\u{202f}234\u{202f}567");
        assert_eq!((thousands(999.0), thousands(-1000.0)), ("999".into(), "\u{2212}1\u{202f}000".into()));
        assert_eq!((percent(-0.1234), fixed(1.0, 2)), ("\u{2212}12.3 %".into(), "1.00".into()));
        let shown = [0.0, 0.5, 2.0, 512.0, 40_000.0, 1_500_000.0].map(short);
        assert_eq!(shown, ["0", "0.5", "2", "512", "40k", "1.5M"]);
        assert_eq!([0.01234, 1.234, 12.34, 123.4].map(significant), ["0.0123", "1.23", "12.3", "123"]);
    }
}
