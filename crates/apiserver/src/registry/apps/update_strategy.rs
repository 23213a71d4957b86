//! Update strategies in refusals, which show them as kube-apiserver has them in memory: by Go's names of their fields.

use serde_json::Value;

use crate::registry::validation::field::Field;
use crate::response::status::FieldError;

/// A strategy that is none of these.
pub(super) fn unknown(strategy: &Field<'_>, known: &[&str]) -> FieldError {
    FieldError::none_of(&strategy.path, &shown(strategy, ["maxUnavailable", "maxSurge"]), known)
}

/// A strategy whose rolling updates have these fields.
pub(super) fn shown(strategy: &Field<'_>, fields: [&str; 2]) -> String {
    let rolling = rolling(&strategy.field("rollingUpdate"), fields);
    format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", strategy.field("type").value)
}

/// How a rolling update goes, in these fields.
pub(super) fn rolling(rolling: &Field<'_>, fields: [&str; 2]) -> String {
    if rolling.value.is_null() {
        return Value::Null.to_string();
    }
    let shown = fields.map(|name| {
        let (first, rest) = name.split_at(1);
        let value = match (name, rolling.field(name).value) {
            // A number, not a pointer to one.
            ("partition", Value::Null) => "0".to_owned(),
            (_, value) => value.to_string(),
        };
        format!("\"{}{rest}\":{value}", first.to_uppercase())
    });
    format!("{{{}}}", shown.join(","))
}
