//! JSON for people: keys sorted, and on one line what fits on one.

use serde_json::Value;

pub(super) fn print(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value, 0);
    text
}

fn write(text: &mut String, value: &Value, indent: usize) {
    let column = text.len() - text.rfind('\n').map_or(0, |newline| newline + 1);
    let mut line = String::new();
    if write_line(&mut line, value, WIDTH.saturating_sub(column)) {
        text.push_str(&line);
        return;
    }
    match value {
        Value::Object(map) if !map.is_empty() => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            write_items(text, ['{', '}'], indent, entries, |text, (key, value)| {
                text.push_str(&format!("{}: ", Value::from(key.as_str())));
                write(text, value, indent + 1);
            });
        }
        Value::Array(values) if !values.is_empty() => {
            write_items(text, ['[', ']'], indent, values, |text, value| write(text, value, indent + 1));
        }
        _ => text.push_str(&value.to_string()),
    }
}

fn write_items<T>(
    text: &mut String,
    [open, close]: [char; 2],
    indent: usize,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    text.push(open);
    for (index, item) in items.into_iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&"  ".repeat(indent + 1));
        write(text, item);
    }
    text.push('\n');
    text.push_str(&"  ".repeat(indent));
    text.push(close);
}

/// Writes a value on one line until that is too long, which a large one is after a few of its keys; whether it fits.
fn write_line(line: &mut String, value: &Value, width: usize) -> bool {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            line.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                line.push_str(if index == 0 { "" } else { ", " });
                line.push_str(&format!("{}: ", Value::from(key.as_str())));
                if !write_line(line, value, width) {
                    return false;
                }
            }
            line.push('}');
        }
        Value::Array(values) => {
            line.push('[');
            for (index, value) in values.iter().enumerate() {
                line.push_str(if index == 0 { "" } else { ", " });
                if !write_line(line, value, width) {
                    return false;
                }
            }
            line.push(']');
        }
        other => line.push_str(&other.to_string()),
    }
    line.len() <= width
}

/// The metadata of an object in a list still fits.
const WIDTH: usize = 130;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_fits_stands_on_one_line_and_keys_are_sorted() {
        let value = json!({"z": [1, 2], "a": {"y": null, "b": "\"q\""}});
        assert_eq!(print(&value), r#"{"a": {"b": "\"q\"", "y": null}, "z": [1, 2]}"#);
        let long = "x".repeat(120);
        let value = json!({"z": [1, 2], "a": {"long": long, "short": {}}});
        let text =
            format!("{{\n  \"a\": {{\n    \"long\": \"{long}\",\n    \"short\": {{}}\n  }},\n  \"z\": [1, 2]\n}}");
        assert_eq!(print(&value), text);
    }
}
