//! JSON as Go prints its types: fields in the order that the type has them, and signs of HTML escaped.

use serde_json::Value;

/// A value whose fields have no order but that of their names.
pub(crate) fn text(value: &Value) -> String {
    let mut printed = String::new();
    for sign in value.to_string().chars() {
        match sign {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => printed.push_str(&format!("\\u{:04x}", u32::from(sign))),
            _ => printed.push(sign),
        }
    }
    printed
}

/// Turns numbers such as `1.0` and `1e3` into whole ones, as which Go prints them.
pub(crate) fn write_whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let found = number.as_f64().unwrap_or_default();
            // Up to here each whole number has a double of its own.
            if found.fract() == 0.0 && found.abs() <= DOUBLE_EXACT_MAX {
                #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
                let whole = found as i64;
                *value = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(write_whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(write_whole_numbers),
        _ => {}
    }
}

/// 2^53.
const DOUBLE_EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// Those fields of a value that are there, in this order.
pub(crate) fn fields(value: &Value, order: &[&'static str]) -> String {
    object(order.iter().map(|name| (*name, value.get(*name).map(text))))
}

/// An object of fields that are printed already, without those that are not there.
pub(crate) fn object(fields: impl IntoIterator<Item = (&'static str, Option<String>)>) -> String {
    let there = fields.into_iter().filter_map(|(name, value)| value.map(|value| format!("\"{name}\":{value}")));
    format!("{{{}}}", there.collect::<Vec<_>>().join(","))
}

/// A list of items that are printed already.
pub(crate) fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_stand_in_their_order_and_signs_of_html_are_escaped() {
        let value = json!({"b": "<a & b>", "c": [1], "a": null});
        assert_eq!(fields(&value, &["c", "b", "d"]), "{\"c\":[1],\"b\":\"\\u003ca \\u0026 b\\u003e\"}");
        assert_eq!(list([object([("x", None), ("y", Some("1".to_owned()))])].into_iter()), "[{\"y\":1}]");
    }
}
