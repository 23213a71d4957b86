//! Values as text: for messages, and in one exact form for tests and logs.

use std::fmt;

use super::{Kubernetes, Value};
use crate::library::time;

impl Value<'_> {
    /// As Go prints it within a message, for the values that get there.
    pub(crate) fn plain(&self) -> String {
        match self {
            Value::String(text) => text.to_string(),
            Value::Uint(number) => number.to_string(),
            Value::Double(number) => go_double(*number, 21),
            other => other.to_string(),
        }
    }
}

/// A double as `string()` says it.
pub(crate) fn double(number: f64) -> String {
    go_double(number, 6)
}

/// A double with as few digits as it takes; Go writes an exponent from so many digits before the point on.
fn go_double(number: f64, exponent_min: i32) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    if number == 0.0 {
        return if number.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..exponent_min).contains(&exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Uint(number) => write!(f, "{number}u"),
            Value::Double(number) => write!(f, "double({})", double(*number)),
            Value::String(text) => write!(f, "{}", serde_json::Value::from(&**text)),
            Value::Bytes(bytes) => {
                f.write_str("b\"")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str("\"")
            }
            Value::Timestamp(moment) => write!(f, "timestamp({})", moment.in_utc()),
            Value::Duration(nanoseconds) => write!(f, "duration({})", time::go_duration(*nanoseconds)),
            Value::List(list) => {
                let shown: Vec<String> = list.iter().map(|item| shown(&item)).collect();
                write!(f, "[{}]", shown.join(", "))
            }
            Value::Map(map) => {
                let pair = |key: Value<'_>| {
                    let value = map.get(&key).map_or_else(|| "?".to_owned(), |value| shown(&value));
                    format!("{key}: {value}")
                };
                let mut shown: Vec<String> = map.keys().into_iter().map(pair).collect();
                shown.sort();
                write!(f, "{{{}}}", shown.join(", "))
            }
            Value::Type(name) => write!(f, "type({name})"),
            Value::Optional(None) => f.write_str("optional.none"),
            Value::Optional(Some(value)) => write!(f, "optional.of({value})"),
            Value::Kubernetes(value) => write!(f, "{value}"),
            Value::Unknown(_) => f.write_str("unknown?"),
            Value::Unreadable(why) => why.fmt(f),
        }
    }
}

fn shown(item: &super::Evaluated<'_>) -> String {
    match item {
        Ok(value) => value.to_string(),
        Err(error) => format!("<{error}>"),
    }
}

impl fmt::Display for Kubernetes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kubernetes::Url(url) => write!(f, "url({url})"),
            Kubernetes::Ip(address) => write!(f, "ip({address})"),
            Kubernetes::Cidr(network) => write!(f, "cidr({network})"),
            Kubernetes::Quantity(quantity) | Kubernetes::QuantitySum(quantity) => write!(f, "quantity({quantity})"),
            Kubernetes::Semver(version) => write!(f, "semver({version})"),
            Kubernetes::Format(format) => write!(f, "format({})", format.name),
            other => write!(f, "{}?", other.type_name()),
        }
    }
}
