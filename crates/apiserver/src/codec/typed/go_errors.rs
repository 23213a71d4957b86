//! The words in which Go's JSON decoder complains.

use serde_json::Value;

/// What is said of a body that is not JSON.
pub(crate) fn syntax(error: &serde_json::Error, body: &[u8]) -> String {
    format!("couldn't get version/kind; json parse error: {}", syntax_error(error, body))
}

/// What it says of bytes that are not JSON.
pub(crate) fn syntax_error(error: &serde_json::Error, body: &[u8]) -> String {
    if error.is_eof() {
        return "unexpected end of JSON input".to_owned();
    }
    let place = place(error, body);
    let sign = body.get(place).copied().map(char::from).unwrap_or_default();
    let text = error.to_string();
    let what = if text.starts_with("trailing characters") {
        "after top-level value"
    } else if text.starts_with("key must be a string") || text.starts_with("trailing comma") {
        "looking for beginning of object key string"
    } else if text.starts_with("expected `:`") {
        "after object key"
    } else if text.starts_with("expected `,` or `}`") {
        "after object key:value pair"
    } else if text.starts_with("expected `,` or `]`") {
        "after array element"
    } else {
        "looking for beginning of value"
    };
    format!("invalid character {} {what}", quoted(sign))
}

/// A sign in quotes: what cannot be printed by its number.
fn quoted(sign: char) -> String {
    match sign {
        sign if sign.is_control() && !matches!(sign, '\n' | '\r' | '\t') => match u32::from(sign) {
            number @ ..0x80 => format!("'\\x{number:02x}'"),
            number => format!("'\\u{number:04x}'"),
        },
        sign => format!("{sign:?}"),
    }
}

/// The place in a body that an error is about.
fn place(error: &serde_json::Error, body: &[u8]) -> usize {
    let lines = body.split(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
    let before: usize = lines.map(|line| line.len() + 1).sum();
    before + error.column().saturating_sub(1)
}

/// What it says of JSON that is not an object.
pub(crate) fn no_object(value: &Value) -> String {
    let found = type_name(value);
    format!(
        "json: cannot unmarshal {found} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; \
         Kind string \"json:\\\"kind,omitempty\\\"\" }}"
    )
}

/// What it calls a JSON value.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::String(_) => "string",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::Null => "null",
    }
}

/// What Go calls the type of a JSON value that was read without one.
pub(crate) fn dynamic(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
        Value::String(_) => "string",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::Null => "<nil>",
    }
}

/// A value as Go prints it for people.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(" ")),
        Value::Object(fields) => {
            let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{name}:{}", plain(value))).collect();
            format!("map[{}]", pairs.join(" "))
        }
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        other => other.to_string(),
    }
}

/// The beginning of a body, as text where it looks like an object, else as hexadecimal digits.
pub(crate) fn summary(body: &[u8]) -> String {
    let shown = &body[..body.len().min(SUMMARY_BYTES)];
    let more = if body.len() > SUMMARY_BYTES { " ..." } else { "" };
    match body.first() {
        None => "<empty>".to_owned(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(shown)),
        Some(_) => format!("{}{more}", crate::response::shared_text::hexadecimal(shown)),
    }
}

/// kube-apiserver shows no more of a body that it could not read.
const SUMMARY_BYTES: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_cannot_be_printed_is_shown_by_its_number() {
        let body: &[u8] = &[0x9e, b'x'];
        let error = serde_json::from_slice::<Value>(body).unwrap_err();
        assert_eq!(syntax_error(&error, body), "invalid character '\\u009e' looking for beginning of value");
    }

    #[test]
    fn syntax_errors_are_said_as_go_does() {
        let table: [(&str, &str); 4] = [
            ("{\"metadata\":", "unexpected end of JSON input"),
            ("{} x", "invalid character 'x' after top-level value"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\":tr}", "invalid character '}' looking for beginning of value"),
        ];
        for (body, expected) in table {
            let error = serde_json::from_str::<Value>(body).unwrap_err();
            assert!(syntax(&error, body.as_bytes()).ends_with(expected), "{body}: {}", syntax(&error, body.as_bytes()));
        }
        assert_eq!(summary(b"[]"), "5b5d");
        assert_eq!(summary(b""), "<empty>");
    }
}
