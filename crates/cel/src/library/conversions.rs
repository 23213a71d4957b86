//! Conversions between types, `type()` and `dyn()`.

use std::sync::Arc;

use super::time;
use crate::functions::Library;
use crate::value::{Evaluated, EvaluationError, Kubernetes, Text, Value, fail, show_double};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        type: type(A) -> type(A)
        bool_to_bool: bool(bool) -> bool
        string_to_bool: bool(string) -> bool
        bytes_to_bytes: bytes(bytes) -> bytes
        string_to_bytes: bytes(string) -> bytes
        double_to_double: double(double) -> double
        int64_to_double: double(int) -> double
        string_to_double: double(string) -> double
        uint64_to_double: double(uint) -> double
        duration_to_duration: duration(duration) -> duration
        string_to_duration: duration(string) -> duration
        to_dyn: dyn(A) -> dyn
        int64_to_int64: int(int) -> int
        double_to_int64: int(double) -> int
        duration_to_int64: int(duration) -> int
        string_to_int64: int(string) -> int
        timestamp_to_int64: int(timestamp) -> int
        uint64_to_int64: int(uint) -> int
        string_to_string: string(string) -> string
        bool_to_string: string(bool) -> string
        bytes_to_string: string(bytes) -> string
        double_to_string: string(double) -> string
        duration_to_string: string(duration) -> string
        int64_to_string: string(int) -> string
        timestamp_to_string: string(timestamp) -> string
        uint64_to_string: string(uint) -> string
        cidr_to_string: string(CIDR) -> string
        ip_to_string: string(IP) -> string
        timestamp_to_timestamp: timestamp(timestamp) -> timestamp
        int64_to_timestamp: timestamp(int) -> timestamp
        string_to_timestamp: timestamp(string) -> timestamp
        uint64_to_uint64: uint(uint) -> uint
        double_to_uint64: uint(double) -> uint
        int64_to_uint64: uint(int) -> uint
        string_to_uint64: uint(string) -> uint
    ",
    implementations: &[
        ("type", |arguments| Ok(Value::Type(Arc::from(arguments[0].type_name())))),
        ("dyn", |arguments| Ok(arguments[0].clone())),
        ("bool", bool),
        ("bytes", bytes),
        ("double", double),
        ("duration", duration),
        ("int", int),
        ("string", string),
        ("timestamp", timestamp),
        ("uint", uint),
    ],
};

fn failed<'v>(value: &Value<'_>, target: &str) -> Evaluated<'v> {
    fail(format!("type conversion error from '{}' to '{target}'", value.type_name()))
}

fn bool<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    match &arguments[0] {
        Value::Bool(value) => Ok(Value::Bool(*value)),
        Value::String(text) => match &**text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
            _ => failed(&arguments[0], "bool"),
        },
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn bytes<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    match &arguments[0] {
        value @ Value::Bytes(_) => Ok(value.clone()),
        Value::String(text) => Ok(Value::Bytes(text.as_bytes().into())),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn double<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    match &arguments[0] {
        Value::Double(number) => Ok(Value::Double(*number)),
        Value::Int(number) => Ok(Value::Double(*number as f64)),
        Value::Uint(number) => Ok(Value::Double(*number as f64)),
        Value::String(text) => match go_double(text) {
            Some(number) => Ok(Value::Double(number)),
            None => failed(&arguments[0], "double"),
        },
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

/// A double as Go reads it: a number that is too large is none, infinity can be asked for.
fn go_double(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    let is_named = text.bytes().any(|byte| matches!(byte, b'i' | b'I'));
    (number.is_finite() || number.is_nan() || is_named).then_some(number)
}

fn duration<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    match &arguments[0] {
        Value::Duration(length) => Ok(Value::Duration(*length)),
        Value::String(text) => match time::parse_duration(text) {
            Ok(length) => Ok(Value::Duration(length)),
            Err(_) => failed(&arguments[0], "google.protobuf.Duration"),
        },
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn timestamp<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    match &arguments[0] {
        Value::Timestamp(moment) => Ok(Value::Timestamp(*moment)),
        Value::Int(seconds) => match time::from_seconds(*seconds) {
            Ok(moment) => Ok(Value::Timestamp(moment)),
            Err(_) => fail("timestamp overflow"),
        },
        Value::String(text) => match time::parse_timestamp(text) {
            Ok(moment) => Ok(Value::Timestamp(moment)),
            Err(_) => failed(&arguments[0], "google.protobuf.Timestamp"),
        },
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn int<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let fitting = |number: Option<i64>| number.map(Value::Int).map_or_else(|| fail("integer overflow"), Ok);
    match &arguments[0] {
        Value::Int(number) => Ok(Value::Int(*number)),
        Value::Uint(number) => fitting(i64::try_from(*number).ok()),
        Value::Double(number) => {
            let fits = *number > i64::MIN as f64 && *number < i64::MAX as f64;
            fitting(fits.then_some(*number as i64))
        }
        Value::Timestamp(moment) => Ok(Value::Int(moment.as_seconds())),
        Value::Duration(length) => Ok(Value::Int(*length)),
        Value::String(text) => text.parse().map(Value::Int).or_else(|_| failed(&arguments[0], "int")),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn uint<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let fitting = |number: Option<u64>| number.map(Value::Uint).map_or_else(|| fail("unsigned integer overflow"), Ok);
    match &arguments[0] {
        Value::Uint(number) => Ok(Value::Uint(*number)),
        Value::Int(number) => fitting(u64::try_from(*number).ok()),
        Value::Double(number) => fitting((*number >= 0.0 && *number < u64::MAX as f64).then_some(*number as u64)),
        Value::String(text) => {
            let number = if text.starts_with('+') { Err(()) } else { text.parse().map_err(drop) };
            number.map(Value::Uint).or_else(|()| failed(&arguments[0], "uint"))
        }
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn string<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let text = match &arguments[0] {
        value @ Value::String(_) => return Ok(value.clone()),
        Value::Bool(value) => value.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Double(number) => show_double(*number),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => return fail("invalid UTF-8 in bytes, cannot convert to string"),
        },
        Value::Timestamp(moment) => moment.to_string(),
        Value::Duration(length) => time::seconds(*length),
        Value::Kubernetes(Kubernetes::Ip(address)) => address.to_string(),
        Value::Kubernetes(Kubernetes::Cidr(network)) => network.to_string(),
        _ => return Err(EvaluationError::NoSuchOverload),
    };
    Ok(Value::String(Text::from(text)))
}
