//! Operators: arithmetic, comparison, membership, indexing, `size()`.
//!
//! Logic (`&&`, `||`, `!`, `? :`) is evaluated where its operands are, and only declared here. Numbers never wrap: what does
//! not fit is an error.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::functions::Library;
use crate::schema::ListType;
use crate::value::{Evaluated, EvaluationError, List, Text, Value, compare, equal, fail, is_equal};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        conditional: _?_:_(bool, A, A) -> A
        logical_and: _&&_(bool, bool) -> bool
        logical_or: _||_(bool, bool) -> bool
        logical_not: !_(bool) -> bool
        not_strictly_false: @not_strictly_false(bool) -> bool
        equals: _==_(A, A) -> bool
        not_equals: _!=_(A, A) -> bool
        add_bytes: _+_(bytes, bytes) -> bytes
        add_double: _+_(double, double) -> double
        add_duration_duration: _+_(duration, duration) -> duration
        add_duration_timestamp: _+_(duration, timestamp) -> timestamp
        add_timestamp_duration: _+_(timestamp, duration) -> timestamp
        add_int64: _+_(int, int) -> int
        add_list: _+_(list(A), list(A)) -> list(A)
        add_string: _+_(string, string) -> string
        add_uint64: _+_(uint, uint) -> uint
        divide_double: _/_(double, double) -> double
        divide_int64: _/_(int, int) -> int
        divide_uint64: _/_(uint, uint) -> uint
        modulo_int64: _%_(int, int) -> int
        modulo_uint64: _%_(uint, uint) -> uint
        multiply_double: _*_(double, double) -> double
        multiply_int64: _*_(int, int) -> int
        multiply_uint64: _*_(uint, uint) -> uint
        negate_double: -_(double) -> double
        negate_int64: -_(int) -> int
        subtract_double: _-_(double, double) -> double
        subtract_duration_duration: _-_(duration, duration) -> duration
        subtract_int64: _-_(int, int) -> int
        subtract_timestamp_duration: _-_(timestamp, duration) -> timestamp
        subtract_timestamp_timestamp: _-_(timestamp, timestamp) -> duration
        subtract_uint64: _-_(uint, uint) -> uint
        less_bool: _<_(bool, bool) -> bool
        less_int64: _<_(int, int) -> bool
        less_int64_double: _<_(int, double) -> bool
        less_int64_uint64: _<_(int, uint) -> bool
        less_uint64: _<_(uint, uint) -> bool
        less_uint64_double: _<_(uint, double) -> bool
        less_uint64_int64: _<_(uint, int) -> bool
        less_double: _<_(double, double) -> bool
        less_double_int64: _<_(double, int) -> bool
        less_double_uint64: _<_(double, uint) -> bool
        less_string: _<_(string, string) -> bool
        less_bytes: _<_(bytes, bytes) -> bool
        less_timestamp: _<_(timestamp, timestamp) -> bool
        less_duration: _<_(duration, duration) -> bool
        less_equals_bool: _<=_(bool, bool) -> bool
        less_equals_int64: _<=_(int, int) -> bool
        less_equals_int64_double: _<=_(int, double) -> bool
        less_equals_int64_uint64: _<=_(int, uint) -> bool
        less_equals_uint64: _<=_(uint, uint) -> bool
        less_equals_uint64_double: _<=_(uint, double) -> bool
        less_equals_uint64_int64: _<=_(uint, int) -> bool
        less_equals_double: _<=_(double, double) -> bool
        less_equals_double_int64: _<=_(double, int) -> bool
        less_equals_double_uint64: _<=_(double, uint) -> bool
        less_equals_string: _<=_(string, string) -> bool
        less_equals_bytes: _<=_(bytes, bytes) -> bool
        less_equals_timestamp: _<=_(timestamp, timestamp) -> bool
        less_equals_duration: _<=_(duration, duration) -> bool
        greater_bool: _>_(bool, bool) -> bool
        greater_int64: _>_(int, int) -> bool
        greater_int64_double: _>_(int, double) -> bool
        greater_int64_uint64: _>_(int, uint) -> bool
        greater_uint64: _>_(uint, uint) -> bool
        greater_uint64_double: _>_(uint, double) -> bool
        greater_uint64_int64: _>_(uint, int) -> bool
        greater_double: _>_(double, double) -> bool
        greater_double_int64: _>_(double, int) -> bool
        greater_double_uint64: _>_(double, uint) -> bool
        greater_string: _>_(string, string) -> bool
        greater_bytes: _>_(bytes, bytes) -> bool
        greater_timestamp: _>_(timestamp, timestamp) -> bool
        greater_duration: _>_(duration, duration) -> bool
        greater_equals_bool: _>=_(bool, bool) -> bool
        greater_equals_int64: _>=_(int, int) -> bool
        greater_equals_int64_double: _>=_(int, double) -> bool
        greater_equals_int64_uint64: _>=_(int, uint) -> bool
        greater_equals_uint64: _>=_(uint, uint) -> bool
        greater_equals_uint64_double: _>=_(uint, double) -> bool
        greater_equals_uint64_int64: _>=_(uint, int) -> bool
        greater_equals_double: _>=_(double, double) -> bool
        greater_equals_double_int64: _>=_(double, int) -> bool
        greater_equals_double_uint64: _>=_(double, uint) -> bool
        greater_equals_string: _>=_(string, string) -> bool
        greater_equals_bytes: _>=_(bytes, bytes) -> bool
        greater_equals_timestamp: _>=_(timestamp, timestamp) -> bool
        greater_equals_duration: _>=_(duration, duration) -> bool
        index_list: _[_](list(A), int) -> A
        index_map: _[_](map(A, B), A) -> B
        in_list: @in(A, list(A)) -> bool
        in_map: @in(A, map(A, B)) -> bool
        size_bytes: size(bytes) -> int
        bytes_size: bytes::size() -> int
        size_list: size(list(A)) -> int
        list_size: list(A)::size() -> int
        size_map: size(map(A, B)) -> int
        map_size: map(A, B)::size() -> int
        size_string: size(string) -> int
        string_size: string::size() -> int
        cel_map_insert_entry: cel.@mapInsert(map(K, V), map(K, V)) -> map(K, V)
        cel_map_insert_key_value: cel.@mapInsert(map(K, V), K, V) -> map(K, V)
    ",
    implementations: &[
        ("_?_:_", elsewhere),
        ("_&&_", elsewhere),
        ("_||_", elsewhere),
        ("!_", not),
        ("@not_strictly_false", elsewhere),
        ("_==_", equals),
        // What cannot be compared is not equal.
        ("_!=_", |arguments| Ok(Value::Bool(!is_equal(&arguments[0], &arguments[1])))),
        ("_+_", add),
        ("_-_", subtract),
        ("_*_", multiply),
        ("_/_", divide),
        ("_%_", modulo),
        ("-_", negate),
        ("_<_", |arguments| ordered("_<_", arguments, Ordering::is_lt)),
        ("_<=_", |arguments| ordered("_<=_", arguments, Ordering::is_le)),
        ("_>_", |arguments| ordered("_>_", arguments, Ordering::is_gt)),
        ("_>=_", |arguments| ordered("_>=_", arguments, Ordering::is_ge)),
        ("_[_]", |arguments| index(&arguments[0], &arguments[1])),
        ("@in", is_in),
        ("size", size),
        ("cel.@mapInsert", elsewhere),
    ],
};

/// The evaluator does these itself.
fn elsewhere<'v>(_: &[Value<'v>]) -> Evaluated<'v> {
    Err(EvaluationError::NoSuchOverload)
}

fn not<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    negated(&arguments[0])
}

fn negated<'v>(value: &Value<'_>) -> Evaluated<'v> {
    match value {
        Value::Bool(value) => Ok(Value::Bool(!value)),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn equals<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    equal(&arguments[0], &arguments[1]).map(Value::Bool)
}

/// A type that an operator does not know at all is named with it, a second operand that does not fit is not.
fn unfit<T>(
    operator: &str,
    first: &Value<'_>,
    is_known: impl FnOnce(&Value<'_>) -> bool,
) -> Result<T, EvaluationError> {
    match is_known(first) {
        true => Err(EvaluationError::NoSuchOverload),
        false => fail(format!("no such overload: {operator}")),
    }
}

const INT_OVERFLOW: EvaluationError = EvaluationError::Failed(std::borrow::Cow::Borrowed("integer overflow"));
const UINT_OVERFLOW: EvaluationError = EvaluationError::Failed(std::borrow::Cow::Borrowed("unsigned integer overflow"));
const DURATION_OVERFLOW: EvaluationError = EvaluationError::Failed(std::borrow::Cow::Borrowed("duration overflow"));

fn int<'v>(result: Option<i64>) -> Evaluated<'v> {
    result.map(Value::Int).ok_or(INT_OVERFLOW)
}

fn uint<'v>(result: Option<u64>) -> Evaluated<'v> {
    result.map(Value::Uint).ok_or(UINT_OVERFLOW)
}

fn duration<'v>(result: Option<i64>) -> Evaluated<'v> {
    result.map(Value::Duration).ok_or(DURATION_OVERFLOW)
}

pub(super) fn add<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    match (&arguments[0], &arguments[1]) {
        (Value::Int(one), Value::Int(other)) => int(one.checked_add(*other)),
        (Value::Uint(one), Value::Uint(other)) => uint(one.checked_add(*other)),
        (Value::Double(one), Value::Double(other)) => Ok(Value::Double(one + other)),
        (Value::String(one), Value::String(other)) => Ok(Value::String(Text::from(format!("{}{}", &**one, &**other)))),
        (Value::Bytes(one), Value::Bytes(other)) => Ok(Value::Bytes([&**one, &**other].concat().into())),
        (Value::Duration(one), Value::Duration(other)) => duration(one.checked_add(*other)),
        (Value::Timestamp(moment), Value::Duration(length)) | (Value::Duration(length), Value::Timestamp(moment)) => {
            super::time::moved(*moment, *length)
        }
        (Value::List(one), Value::List(other)) => joined(one, other),
        (first, _) => unfit("_+_", first, |first| {
            matches!(
                first,
                Value::Int(_)
                    | Value::Uint(_)
                    | Value::Double(_)
                    | Value::String(_)
                    | Value::Bytes(_)
                    | Value::Duration(_)
                    | Value::Timestamp(_)
                    | Value::List(_)
            )
        }),
    }
}

/// Two lists as one. A set takes what it does not have yet; a list with keys replaces what has the same.
fn joined<'v>(one: &List<'v>, other: &List<'v>) -> Evaluated<'v> {
    let mut items = one.to_vec()?;
    let list_type = match one {
        List::Json { schema: Some(schema), .. } => &schema.list_type,
        _ => &ListType::Atomic,
    };
    for item in other.iter() {
        let item = item?;
        let mut place = None;
        for (at, own) in items.iter().enumerate() {
            let is_same = match list_type {
                ListType::Atomic => false,
                ListType::Set => equal(own, &item)?,
                ListType::Map(keys) => crate::value::has_same_keys(own, &item, keys)?,
            };
            if is_same {
                place = Some(at);
                break;
            }
        }
        match place {
            Some(place) => items[place] = item,
            None => items.push(item),
        }
    }
    Ok(Value::List(List::Owned(Arc::new(items))))
}

fn subtract<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    match (&arguments[0], &arguments[1]) {
        (Value::Int(one), Value::Int(other)) => int(one.checked_sub(*other)),
        (Value::Uint(one), Value::Uint(other)) => uint(one.checked_sub(*other)),
        (Value::Double(one), Value::Double(other)) => Ok(Value::Double(one - other)),
        (Value::Duration(one), Value::Duration(other)) => duration(one.checked_sub(*other)),
        (Value::Timestamp(moment), Value::Duration(length)) => {
            super::time::moved(*moment, length.checked_neg().ok_or(DURATION_OVERFLOW)?)
        }
        (Value::Timestamp(one), Value::Timestamp(other)) => {
            let nanoseconds = one.as_nanoseconds() - other.as_nanoseconds();
            duration(i64::try_from(nanoseconds).ok())
        }
        (first, _) => unfit("_-_", first, |first| {
            matches!(
                first,
                Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::Duration(_) | Value::Timestamp(_)
            )
        }),
    }
}

fn multiply<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    match (&arguments[0], &arguments[1]) {
        (Value::Int(one), Value::Int(other)) => int(one.checked_mul(*other)),
        (Value::Uint(one), Value::Uint(other)) => uint(one.checked_mul(*other)),
        (Value::Double(one), Value::Double(other)) => Ok(Value::Double(one * other)),
        (first, _) => unfit("_*_", first, is_number),
    }
}

fn divide<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    match (&arguments[0], &arguments[1]) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => fail("division by zero"),
        (Value::Int(one), Value::Int(other)) => int(one.checked_div(*other)),
        (Value::Uint(one), Value::Uint(other)) => uint(one.checked_div(*other)),
        (Value::Double(one), Value::Double(other)) => Ok(Value::Double(one / other)),
        (first, _) => unfit("_/_", first, is_number),
    }
}

fn modulo<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    match (&arguments[0], &arguments[1]) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => fail("modulus by zero"),
        (Value::Int(one), Value::Int(other)) => int(one.checked_rem(*other)),
        (Value::Uint(one), Value::Uint(other)) => uint(one.checked_rem(*other)),
        (first, _) => unfit("_%_", first, |first| matches!(first, Value::Int(_) | Value::Uint(_))),
    }
}

fn negate<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    match &arguments[0] {
        Value::Int(number) => int(number.checked_neg()),
        Value::Double(number) => Ok(Value::Double(-number)),
        Value::Duration(length) => duration(length.checked_neg()),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn is_number(value: &Value<'_>) -> bool {
    matches!(value, Value::Int(_) | Value::Uint(_) | Value::Double(_))
}

fn ordered<'v>(operator: &str, arguments: &[Value<'v>], holds: fn(Ordering) -> bool) -> Evaluated<'v> {
    match compare(&arguments[0], &arguments[1]) {
        Ok(order) => Ok(Value::Bool(holds(order))),
        Err(EvaluationError::NoSuchOverload) => unfit(operator, &arguments[0], |first| {
            is_number(first)
                || matches!(
                    first,
                    Value::Bool(_) | Value::String(_) | Value::Bytes(_) | Value::Timestamp(_) | Value::Duration(_)
                )
        }),
        Err(error) => Err(error),
    }
}

/// The item at an index, or the value of a key.
pub(crate) fn index<'v>(container: &Value<'v>, key: &Value<'v>) -> Evaluated<'v> {
    match container {
        Value::List(list) => {
            let place = list_index(key)?;
            let found = usize::try_from(place).ok().and_then(|place| list.get(place));
            found.unwrap_or_else(|| fail(format!("index out of bounds: {place}")))
        }
        Value::Map(map) => map.get(key).unwrap_or_else(|| fail(format!("no such key: {}", key.plain()))),
        Value::Optional(Some(inner)) => index(inner, key).map(Value::optional),
        Value::Optional(None) => Ok(Value::Optional(None)),
        _ => fail(format!("no such key: {}", key.plain())),
    }
}

fn list_index(key: &Value<'_>) -> Result<i64, EvaluationError> {
    let unsupported = || fail(format!("unsupported index value {} in list", key.plain()));
    match key {
        Value::Int(place) => Ok(*place),
        Value::Uint(place) => i64::try_from(*place).or_else(|_| unsupported()),
        Value::Double(place) if place.fract() == 0.0 && place.abs() < 9e15 => Ok(*place as i64),
        Value::Double(_) => unsupported(),
        other => fail(format!("unsupported index type '{}' in list", other.type_name())),
    }
}

fn is_in<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let wanted = &arguments[0];
    match &arguments[1] {
        Value::List(list) => {
            let mut failed = None;
            for item in list.iter() {
                match item {
                    Ok(item) if is_equal(wanted, &item) => return Ok(Value::Bool(true)),
                    Ok(_) => {}
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
            failed.map_or(Ok(Value::Bool(false)), Err)
        }
        Value::Map(map) => match map.get(wanted) {
            Some(Err(error)) => Err(error),
            found => Ok(Value::Bool(found.is_some())),
        },
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn size<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let sized = matches!(&arguments[0], Value::String(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_));
    match arguments[0].length().filter(|_| sized) {
        Some(length) => int(i64::try_from(length).ok()),
        None => fail("no such overload: size"),
    }
}
