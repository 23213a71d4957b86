//! Values that may be missing. `or()`, `orValue()`, `?.` and `[?]` are evaluated where their operands are.

use crate::functions::Library;
use crate::value::{Evaluated, EvaluationError, Value, fail};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        optional_of: optional.of(V) -> optional(V)
        optional_ofNonZeroValue: optional.ofNonZeroValue(V) -> optional(V)
        optional_none: optional.none() -> optional(V)
        optional_value: optional(V)::value() -> V
        optional_hasValue: optional(V)::hasValue() -> bool
        optional_or_optional: optional(V)::or(optional(V)) -> optional(V)
        optional_orValue_value: optional(V)::orValue(V) -> V
        list_optindex_optional_int: _[?_](list(V), int) -> optional(V)
        optional_list_optindex_optional_int: _[?_](optional(list(V)), int) -> optional(V)
        map_optindex_optional_value: _[?_](map(K, V), K) -> optional(V)
        optional_map_optindex_optional_value: _[?_](optional(map(K, V)), K) -> optional(V)
        optional_list_index_int: _[_](optional(list(V)), int) -> optional(V)
        optional_map_index_value: _[_](optional(map(K, V)), K) -> optional(V)
        list_last: list(V)::last() -> optional(V)
        list_first: list(V)::first() -> optional(V)
        optional_unwrap: optional.unwrap(list(optional(V))) -> list(V)
        optional_unwrapOpt: list(optional(V))::unwrapOpt() -> list(V)
        select_optional_field: _?._(dyn, string) -> optional(V)
    ",
    implementations: &[
        ("optional.of", |arguments| Ok(Value::optional(arguments[0].clone()))),
        ("optional.ofNonZeroValue", |arguments| match is_zero(&arguments[0]) {
            true => Ok(Value::Optional(None)),
            false => Ok(Value::optional(arguments[0].clone())),
        }),
        ("optional.none", |_| Ok(Value::Optional(None))),
        ("value", |arguments| match &arguments[0] {
            Value::Optional(Some(value)) => value.taken_out(),
            Value::Optional(None) => fail("optional.none() dereference"),
            _ => Err(EvaluationError::NoSuchOverload),
        }),
        ("hasValue", |arguments| match &arguments[0] {
            Value::Optional(value) => Ok(Value::Bool(value.is_some())),
            _ => Err(EvaluationError::NoSuchOverload),
        }),
        ("or", elsewhere),
        ("orValue", elsewhere),
        ("_[?_]", elsewhere),
        ("_?._", elsewhere),
        ("last", |arguments| at(&arguments[0], |length| length.checked_sub(1))),
        ("first", |arguments| at(&arguments[0], |_| Some(0))),
        ("optional.unwrap", unwrap),
        ("unwrapOpt", unwrap),
    ],
};

/// The evaluator does these itself.
fn elsewhere<'v>(_: &[Value<'v>]) -> Evaluated<'v> {
    Err(EvaluationError::NoSuchOverload)
}

fn is_zero(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Int(number) => *number == 0,
        Value::Uint(number) => *number == 0,
        Value::Double(number) => *number == 0.0,
        Value::Duration(length) => *length == 0,
        Value::Optional(value) => value.is_none(),
        other => other.length() == Some(0),
    }
}

fn at<'v>(list: &Value<'v>, place: fn(usize) -> Option<usize>) -> Evaluated<'v> {
    let Value::List(list) = list else { return Err(EvaluationError::NoSuchOverload) };
    match place(list.len()).and_then(|place| list.get(place)) {
        Some(item) => item.map(Value::optional),
        None => Ok(Value::Optional(None)),
    }
}

fn unwrap<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let Value::List(list) = &arguments[0] else { return Err(EvaluationError::NoSuchOverload) };
    let mut items = Vec::new();
    for item in list.iter() {
        match item? {
            Value::Optional(Some(value)) => items.push(value.taken_out()?),
            Value::Optional(None) => {}
            other => return fail(format!("value {} is not optional", other.plain())),
        }
    }
    Ok(Value::list(items))
}
