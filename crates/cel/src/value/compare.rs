//! Order: numbers by value whatever their type, text and bytes by their bytes.

use std::cmp::Ordering;

use super::{EvaluationError, Value, fail};

/// Which of two values comes first.
pub(crate) fn compare(one: &Value<'_>, other: &Value<'_>) -> Result<Ordering, EvaluationError> {
    Ok(match (one, other) {
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (Value::Int(one), Value::Int(other)) => one.cmp(other),
        (Value::Uint(one), Value::Uint(other)) => one.cmp(other),
        (Value::Double(one), Value::Double(other)) => return ordered(one.partial_cmp(other)),
        (Value::Int(one), Value::Uint(other)) => i128::from(*one).cmp(&i128::from(*other)),
        (Value::Uint(one), Value::Int(other)) => i128::from(*one).cmp(&i128::from(*other)),
        // As in cel-go, a whole number is compared as the double that is nearest to it.
        (Value::Int(one), Value::Double(other)) => return ordered((*one as f64).partial_cmp(other)),
        (Value::Uint(one), Value::Double(other)) => return ordered((*one as f64).partial_cmp(other)),
        (Value::Double(one), Value::Int(other)) => return ordered(one.partial_cmp(&(*other as f64))),
        (Value::Double(one), Value::Uint(other)) => return ordered(one.partial_cmp(&(*other as f64))),
        (Value::String(one), Value::String(other)) => (**one).cmp(&**other),
        (Value::Bytes(one), Value::Bytes(other)) => one.cmp(other),
        (Value::Timestamp(one), Value::Timestamp(other)) => one.cmp(other),
        (Value::Duration(one), Value::Duration(other)) => one.cmp(other),
        _ => return Err(EvaluationError::NoSuchOverload),
    })
}

fn ordered(found: Option<Ordering>) -> Result<Ordering, EvaluationError> {
    found.map_or_else(|| fail("NaN values cannot be ordered"), Ok)
}
