//! JSON for people: each field on a line of its own, nothing else changed.

use bytes::Bytes;

/// Rewrites JSON that has no spaces between its tokens; what is in texts stays.
pub(super) fn indented(json: &[u8]) -> Bytes {
    let mut printed = Vec::with_capacity(json.len() * 2);
    let (mut depth, mut is_text, mut is_escaped) = (0, false, false);
    for (at, byte) in json.iter().copied().enumerate() {
        if is_text {
            printed.push(byte);
            is_text = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            continue;
        }
        let is_empty = |open: u8| at > 0 && json[at - 1] == open;
        match byte {
            b'{' | b'[' => {
                printed.push(byte);
                depth += 1;
                if !matches!(json.get(at + 1), Some(b'}' | b']')) {
                    begin_line(&mut printed, depth);
                }
            }
            b'}' | b']' => {
                depth -= 1;
                if !is_empty(b'{') && !is_empty(b'[') {
                    begin_line(&mut printed, depth);
                }
                printed.push(byte);
            }
            b',' => {
                printed.push(byte);
                begin_line(&mut printed, depth);
            }
            b':' => printed.extend_from_slice(b": "),
            b'\n' => {}
            _ => {
                is_text = byte == b'"';
                printed.push(byte);
            }
        }
    }
    printed.into()
}

fn begin_line(printed: &mut Vec<u8>, depth: usize) {
    printed.push(b'\n');
    printed.extend(std::iter::repeat_n(b' ', 2 * depth));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn it_is_what_serde_prints() {
        let table = [
            json!({"a": [], "b": {}, "c": [1, {"d": "x, {y}: \\\" \\"}], "e": null}),
            json!([]),
            json!("text"),
            json!({"a": {"b": {"c": [[[]]]}}}),
        ];
        for value in table {
            let printed = indented(value.to_string().as_bytes());
            assert_eq!(printed, serde_json::to_string_pretty(&value).unwrap().as_bytes());
            assert_eq!(serde_json::from_slice::<Value>(&printed).unwrap(), value);
        }
    }
}
