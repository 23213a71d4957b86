//! What evaluation costs, in the units of Kubernetes: one is about 50 ns.
//!
//! `cost/estimate.rs` says before what an expression can cost at most, this file what a call did cost. Text counts a tenth
//! per character, a regular expression a quarter per character of its pattern.

mod estimate;
mod range;

pub(crate) use estimate::estimate;
pub use range::CostEstimate;
pub(crate) use range::Size;

use crate::value::{Evaluated, Kubernetes, Value};

/// A name.
pub(crate) const IDENT: u64 = 1;
/// A call that does not depend on the size of anything.
pub(crate) const CALL: u64 = 1;
/// A list that is made.
pub(crate) const LIST: u64 = 10;
/// A map that is made.
pub(crate) const MAP: u64 = 30;
/// A message that is made.
pub(crate) const STRUCT: u64 = 40;
/// A question to the authorizer: two fit into an evaluation.
const AUTHORIZATION: u64 = 350_000;

const PER_CHARACTER: f64 = 0.1;
const PER_PATTERN_CHARACTER: f64 = 0.25;

/// What a call cost.
pub(crate) fn of_call(
    function: &str,
    overload: Option<&str>,
    arguments: &[Evaluated<'_>],
    result: &Evaluated<'_>,
) -> u64 {
    by_list(overload, arguments, result)
        .or_else(|| by_function(function, overload, arguments, result))
        .unwrap_or_else(|| by_overload(overload, arguments))
}

/// The size of a value; what has none counts as one.
fn size(value: Option<&Evaluated<'_>>) -> u64 {
    let Some(Ok(value)) = value else { return 1 };
    let value = match value {
        Value::Optional(Some(value)) => value,
        other => other,
    };
    value.length().map_or(1, |length| length as u64)
}

fn traversal(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

/// Lists and sets, which are compared with each other.
fn by_list(overload: Option<&str>, arguments: &[Evaluated<'_>], result: &Evaluated<'_>) -> Option<u64> {
    let made = |factor: f64, size: u64| Some((size as f64 * factor) as u64 + CALL + LIST);
    match overload? {
        "list_slice" | "lists_range" | "list_reverse" => made(1.0, size(Some(result))),
        "list_flatten" => made(1.0, size(arguments.first())),
        "list_flatten_int" => {
            let depth = match arguments.get(1) {
                Some(Ok(Value::Int(depth))) if *depth >= 0 => *depth as f64,
                _ => 1.0,
            };
            made(depth, size(arguments.first()))
        }
        "list_distinct" => compared(arguments.first()),
        "list_sets_contains_list" | "list_sets_intersects_list" => {
            Some(CALL.saturating_add(size(arguments.first()).saturating_mul(size(arguments.get(1)))))
        }
        "list_sets_equivalent_list" => {
            let pairs = size(arguments.first()).saturating_mul(size(arguments.get(1)));
            Some(CALL.saturating_add(pairs.saturating_mul(2)))
        }
        sort if sort.ends_with("_sort") => compared(arguments.first()),
        sort if sort.ends_with("_sortByAssociatedKeys") => compared(arguments.get(1)),
        _ => None,
    }
}

/// A list compared with itself.
fn compared(list: Option<&Evaluated<'_>>) -> Option<u64> {
    let count = size(list);
    let first = match list {
        Some(Ok(Value::List(list))) => list.get(0),
        _ => None,
    };
    let factor = match first {
        Some(Ok(Value::String(_) | Value::Bytes(_))) => 2.0 + PER_CHARACTER,
        _ => 2.0,
    };
    Some((count.saturating_mul(count) as f64 * factor) as u64 + CALL + LIST)
}

fn by_function(
    function: &str,
    overload: Option<&str>,
    arguments: &[Evaluated<'_>],
    result: &Evaluated<'_>,
) -> Option<u64> {
    let first = || size(arguments.first());
    let second = || size(arguments.get(1));
    Some(match function {
        "check" => AUTHORIZATION,
        "serviceAccount" | "path" | "group" | "resource" | "subresource" | "namespace" | "name" | "allowed"
        | "reason" | "error" | "errored" => CALL,
        "fieldSelector" | "labelSelector" => selector(second()),
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
            arguments.first().map_or(0, |list| list.as_ref().map_or(1, all_of))
        }
        "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR" | "quantity"
        | "isQuantity" | "semver" | "isSemver" => traversal(first(), PER_CHARACTER),
        "ip" if overload == Some("cidr_ip") => CALL,
        "ip" => traversal(first(), PER_CHARACTER),
        "replace" | "split" | "ip.isCanonical" => traversal(first(), 2.0 * PER_CHARACTER),
        "join" => traversal(size(Some(result)), 2.0 * PER_CHARACTER),
        "find" | "findAll" => pattern(first(), second()),
        "containsIP" | "containsCIDR" => network(function, overload, first(), second()),
        "validate" => match arguments.first() {
            Some(Ok(Value::Kubernetes(Kubernetes::Format(format)))) => pattern(second(), format.pattern_length),
            _ => return None,
        },
        name if is_one_call(name) => CALL,
        "_==_" if matches!(arguments.first(), Some(Ok(Value::Kubernetes(_)))) => CALL,
        _ => return None,
    })
}

fn pattern(text: u64, pattern: u64) -> u64 {
    let text = ((1.0 + text as f64) * PER_CHARACTER).ceil() as u64;
    text.saturating_mul(traversal(pattern, PER_PATTERN_CHARACTER))
}

/// A selector of so many characters is read into requirements, each of which takes at least two.
fn selector(length: u64) -> u64 {
    let requirements = traversal(length, 0.5);
    LIST + traversal(length, PER_CHARACTER) + traversal(requirements, (LIST + STRUCT) as f64)
}

fn network(function: &str, overload: Option<&str>, own: u64, other: u64) -> u64 {
    let mut cost = traversal(own + own, PER_CHARACTER);
    if function == "containsCIDR" {
        cost += traversal(own, PER_CHARACTER) + 1;
    }
    if matches!(overload, Some("cidr_contains_ip_string" | "cidr_contains_cidr_string")) {
        cost += traversal(other, PER_CHARACTER);
    }
    cost
}

/// What it costs to look at everything in a value.
fn all_of(value: &Value<'_>) -> u64 {
    match value {
        Value::String(text) => (text.len() as f64 * PER_CHARACTER) as u64,
        Value::Bytes(bytes) => (bytes.len() as f64 * PER_CHARACTER) as u64,
        Value::List(list) => list.iter().map(|item| item.as_ref().map_or(1, all_of)).sum(),
        Value::Map(map) => {
            let entry =
                |key: Value<'_>| all_of(&key) + map.get(&key).map_or(0, |value| value.as_ref().map_or(1, all_of));
            map.keys().into_iter().map(entry).sum()
        }
        _ => 1,
    }
}

fn by_overload(overload: Option<&str>, arguments: &[Evaluated<'_>]) -> u64 {
    let first = || size(arguments.first());
    let second = || size(arguments.get(1));
    match overload.unwrap_or_default() {
        "starts_with_string" | "ends_with_string" => traversal(second(), PER_CHARACTER),
        "string_to_bytes" | "bytes_to_string" | "strings_quote" | "string_format" => traversal(first(), PER_CHARACTER),
        "in_list" => second(),
        "equals"
        | "not_equals"
        | "less_string"
        | "greater_string"
        | "less_equals_string"
        | "greater_equals_string"
        | "less_bytes"
        | "greater_bytes"
        | "less_equals_bytes"
        | "greater_equals_bytes" => traversal(first().min(second()), PER_CHARACTER),
        "add_string" | "add_bytes" => traversal(first() + second(), PER_CHARACTER),
        "matches" | "matches_string" => pattern(first(), second()),
        "contains_string" => traversal(first(), PER_CHARACTER).saturating_mul(traversal(second(), PER_CHARACTER)),
        _ => CALL,
    }
}

/// Whether a function of Kubernetes costs one call, whatever it is given.
pub(crate) fn is_one_call(function: &str) -> bool {
    matches!(
        function,
        "masked"
            | "prefixLength"
            | "family"
            | "isUnspecified"
            | "isLoopback"
            | "isLinkLocalMulticast"
            | "isLinkLocalUnicast"
            | "isGlobalUnicast"
            | "format.named"
            | "sign"
            | "asInteger"
            | "isInteger"
            | "asApproximateFloat"
            | "isGreaterThan"
            | "isLessThan"
            | "compareTo"
            | "add"
            | "sub"
            | "major"
            | "minor"
            | "patch"
            | "getScheme"
            | "getHostname"
            | "getHost"
            | "getPort"
            | "getEscapedPath"
            | "getQuery"
    )
}
