//! Quantities: `quantity("1.5Gi")`.

use crate::functions::Library;
use crate::quantity::Quantity;
use crate::value::{Evaluated, EvaluationError, Kubernetes, Value, fail};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        string_to_quantity: quantity(string) -> Quantity
        is_quantity_string: isQuantity(string) -> bool
        quantity_sign: sign(Quantity) -> int
        quantity_is_greater_than: Quantity::isGreaterThan(Quantity) -> bool
        quantity_is_less_than: Quantity::isLessThan(Quantity) -> bool
        quantity_compare_to: Quantity::compareTo(Quantity) -> int
        quantity_get_float: Quantity::asApproximateFloat() -> double
        quantity_get_int: Quantity::asInteger() -> int
        quantity_is_integer: Quantity::isInteger() -> bool
        quantity_add: Quantity::add(Quantity) -> Quantity
        quantity_add_int: Quantity::add(int) -> Quantity
        quantity_sub: Quantity::sub(Quantity) -> Quantity
        quantity_sub_int: Quantity::sub(int) -> Quantity
    ",
    implementations: &[
        ("quantity", parse),
        ("isQuantity", |arguments| match &arguments[0] {
            Value::String(text) => Ok(Value::Bool(Quantity::parse(text).is_some())),
            _ => Err(EvaluationError::NoSuchOverload),
        }),
        ("sign", |arguments| {
            let number = one(&arguments[0])?;
            Ok(Value::Int(number.cmp(&Quantity::ZERO) as i64))
        }),
        ("isGreaterThan", |arguments| compared(arguments, |order| Value::Bool(order > 0))),
        ("isLessThan", |arguments| compared(arguments, |order| Value::Bool(order < 0))),
        ("compareTo", |arguments| compared(arguments, Value::Int)),
        ("asApproximateFloat", |arguments| Ok(Value::Double(one(&arguments[0])?.to_f64()))),
        ("asInteger", |arguments| match one(&arguments[0])?.to_whole() {
            Some(number) => Ok(Value::Int(number)),
            None => fail("cannot convert value to integer"),
        }),
        ("isInteger", |arguments| Ok(Value::Bool(one(&arguments[0])?.to_whole().is_some()))),
        ("add", |arguments| computed(arguments, |one, other| one + other)),
        ("sub", |arguments| computed(arguments, |one, other| one - other)),
    ],
};

fn parse<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let Value::String(text) = &arguments[0] else { return Err(EvaluationError::NoSuchOverload) };
    match Quantity::parse(text) {
        Some(found) => Ok(Value::Kubernetes(Kubernetes::Quantity(found))),
        None => fail("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    }
}

fn one(value: &Value<'_>) -> Result<Quantity, EvaluationError> {
    match value {
        Value::Kubernetes(Kubernetes::Quantity(found) | Kubernetes::QuantitySum(found)) => Ok(*found),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn compared<'v>(arguments: &[Value<'v>], result: fn(i64) -> Value<'v>) -> Evaluated<'v> {
    Ok(result(one(&arguments[0])?.cmp(&one(&arguments[1])?) as i64))
}

fn computed<'v>(arguments: &[Value<'v>], compute: fn(Quantity, Quantity) -> Quantity) -> Evaluated<'v> {
    let other = match &arguments[1] {
        Value::Int(number) => Quantity::count(*number),
        other => one(other)?,
    };
    Ok(Value::Kubernetes(Kubernetes::QuantitySum(compute(one(&arguments[0])?, other))))
}
