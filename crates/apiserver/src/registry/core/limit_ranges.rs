//! LimitRanges: the smallest and the greatest, and what is given unasked. The plugin LimitRanger acts on them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::codec::typed::quantity::Quantity;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::response::status::FieldError;

/// The strategy of LimitRanges.
#[derive(Debug)]
pub(super) struct LimitRanges;

impl Strategy for LimitRanges {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }
}

/// What a limit says of one type of thing.
fn errors(object: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for limit in Field::of(object, "spec").field("limits").items() {
        let kind = limit.field("type");
        errors.extend(kind.required());
        if seen.contains(&kind.text()) {
            errors.push(FieldError::duplicate(&kind.path, &kind.value.to_string()));
        }
        seen.push(kind.text());
        errors.extend(bounds(&limit));
        if kind.text() == "Pod" {
            for field in ["default", "defaultRequest"] {
                let spot = limit.field(field);
                if !spot.is_empty() {
                    errors.push(spot.forbidden("may not be specified when `type` is 'Pod'"));
                }
            }
        }
    }
    errors
}

/// Smallest, greatest and what is given unasked fit each other, for each resource.
fn bounds(limit: &Field<'_>) -> Vec<FieldError> {
    let named = |field: &'static str| limit.field(field).value.as_object().into_iter().flatten();
    let all = ["max", "min", "default", "defaultRequest"].into_iter().flat_map(named);
    let names: BTreeSet<&String> = all.map(|(name, _)| name).collect();
    let mut errors = Vec::new();
    for name in names {
        let amount = |field: &'static str| limit.field(field).value.get(name.as_str()).and_then(Value::as_str);
        for (less, of_less, more, of_more, at, shown) in BOUNDS {
            let (Some(one), Some(other), Some(value)) = (amount(less), amount(more), amount(shown)) else { continue };
            if Quantity::parse(one) > Quantity::parse(other) {
                let why = format!("{of_less} value {one} is greater than {of_more} value {other}");
                errors.push(FieldError::invalid_text(&format!("{}.{at}[{name}]", limit.path), value, &why));
            }
        }
    }
    errors
}

/// What may not be greater than what, both with their words; at which field the error is reported, and with which value.
const BOUNDS: &[(&str, &str, &str, &str, &str, &str)] = &[
    ("min", "min", "max", "max", "min", "min"),
    ("min", "min", "defaultRequest", "default request", "defaultRequest", "defaultRequest"),
    ("defaultRequest", "default request", "max", "max", "defaultRequest", "defaultRequest"),
    ("defaultRequest", "default request", "default", "default limit", "defaultRequest", "defaultRequest"),
    ("min", "min", "default", "default", "default", "min"),
    ("default", "default", "max", "max", "default", "max"),
];
