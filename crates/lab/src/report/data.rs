//! Data for other programs: CSV and JSON.

use serde::Serialize;
use serde_json::Value;

/// Items as CSV, with a column for each field. Nested fields are flattened, lists are left out.
pub fn csv<T: Serialize>(items: &[T]) -> String {
    let mut text = String::new();
    for (index, item) in items.iter().enumerate() {
        let mut fields = Vec::new();
        if let Ok(value) = serde_json::to_value(item) {
            flatten("", &value, &mut fields);
        }
        if index == 0 {
            push_line(&mut text, fields.iter().map(|(name, _)| name.as_str()));
        }
        push_line(&mut text, fields.iter().map(|(_, cell)| cell.as_str()));
    }
    text
}

/// A JSON array with each item on a line of its own.
pub fn json<T: Serialize>(items: &[T]) -> String {
    let lines: Vec<_> = items.iter().filter_map(|item| serde_json::to_string(item).ok()).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

fn flatten(name: &str, value: &Value, fields: &mut Vec<(String, String)>) {
    match value {
        Value::Object(inner) => inner.iter().for_each(|(name, value)| flatten(name, value, fields)),
        Value::String(text) => fields.push((name.to_owned(), text.clone())),
        Value::Array(_) => {}
        Value::Null => fields.push((name.to_owned(), String::new())),
        other => fields.push((name.to_owned(), other.to_string())),
    }
}

/// A line; a cell with a comma, a quote or a line break is quoted.
fn push_line<'a>(text: &mut String, cells: impl Iterator<Item = &'a str>) {
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            text.push(',');
        }
        if cell.contains([',', '"', '\n', '\r']) {
            text.push_str(&format!("\"{}\"", cell.replace('"', "\"\"")));
        } else {
            text.push_str(cell);
        }
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Outer {
        name: &'static str,
        inner: Inner,
        last: Option<u8>,
    }

    #[derive(Serialize)]
    struct Inner {
        share: f64,
        count: u64,
    }

    #[test]
    fn fields_of_fields_are_columns_and_only_what_must_be_quoted_is() {
        let items = [
            Outer { name: "a", inner: Inner { share: 0.5, count: 1 }, last: Some(3) },
            Outer { name: "say \"b\", c", inner: Inner { share: 1.0, count: 2 }, last: None },
        ];
        assert_eq!(csv(&items), "name,share,count,last\na,0.5,1,3\n\"say \"\"b\"\", c\",1.0,2,\n");
        assert_eq!(json(&[1, 2]), "[\n1,\n2\n]\n");
    }
}
