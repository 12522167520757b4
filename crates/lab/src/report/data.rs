//! Numbers for other programs: CSV and JSON.

use serde::Serialize;

/// Lines of CSV. A cell with a comma, a quote or a line break is quoted.
pub fn csv(lines: impl Iterator<Item = Vec<String>>) -> String {
    let cell = |cell: String| {
        if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
    };
    lines.map(|line| line.into_iter().map(cell).collect::<Vec<_>>().join(",") + "\n").collect()
}

/// A JSON array with each item on a line of its own.
pub fn json_lines<T: Serialize>(items: &[T]) -> String {
    let lines: Vec<_> = items.iter().filter_map(|item| serde_json::to_string(item).ok()).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_what_must_be_quoted_is() {
        let line = ["a", "b,c", "say \"d\"", ""].map(str::to_owned).to_vec();
        assert_eq!(super::csv(std::iter::once(line)), "a,\"b,c\",\"say \"\"d\"\"\",\n");
        assert_eq!(super::json_lines(&[1, 2]), "[\n1,\n2\n]\n");
    }
}
