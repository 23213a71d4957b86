//! Equality: numbers by value whatever their type, lists and maps by what is in them.
//!
//! Values of different types are not equal, which is no error, but for those that know only their like. Items that cannot be
//! compared do not make lists and maps different that an expression made, as in cel-go. Lists of a schema that are sets or maps are compared without
//! their order.

use super::{EvaluationError, Kubernetes, List, Map, Value};
use crate::schema::ListType;

/// Whether two values are equal.
pub(crate) fn equal(one: &Value<'_>, other: &Value<'_>) -> Result<bool, EvaluationError> {
    Ok(match (one, other) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Int(one), Value::Int(other)) => one == other,
        (Value::Uint(one), Value::Uint(other)) => one == other,
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), Value::Int(_) | Value::Uint(_) | Value::Double(_)) => {
            super::compare(one, other).is_ok_and(std::cmp::Ordering::is_eq)
        }
        (Value::String(one), Value::String(other)) => **one == **other,
        (Value::Bytes(one), Value::Bytes(other)) => one == other,
        (Value::Timestamp(one), Value::Timestamp(other)) => one == other,
        (Value::Duration(one), Value::Duration(other)) => one == other,
        (Value::Type(one), Value::Type(other)) => one == other,
        (Value::List(one), Value::List(other)) => lists(one, other)?,
        (Value::Map(one), Value::Map(other)) => maps(one, other)?,
        (Value::Unreadable(why), _) | (_, Value::Unreadable(why)) => return Err((**why).clone()),
        (Value::Optional(one), Value::Optional(other)) => match (one, other) {
            (Some(one), Some(other)) => equal(one, other)?,
            (None, None) => true,
            _ => false,
        },
        (Value::Kubernetes(one), Value::Kubernetes(other)) => kubernetes(one, other)?,
        (Value::Unknown(one), Value::Unknown(other)) => one == other,
        (_, Value::Null) => false,
        // These types of Kubernetes refuse to be compared with anything else.
        (Value::Kubernetes(_), _) => return Err(EvaluationError::NoSuchOverload),
        (Value::List(List::Json { schema: Some(_), .. }) | Value::Map(Map::Json { schema: Some(_), .. }), _) => {
            return Err(EvaluationError::NoSuchOverload);
        }
        _ => false,
    })
}

fn lists(one: &List<'_>, other: &List<'_>) -> Result<bool, EvaluationError> {
    if one.len() != other.len() {
        return Ok(false);
    }
    if let List::Json { schema: Some(schema), .. } = one {
        match &schema.list_type {
            ListType::Set => return contain_the_same(one, other),
            ListType::Map(keys) => return same_by_keys(one, other, keys),
            ListType::Atomic => {}
        }
    }
    let is_typed = matches!(one, List::Json { schema: Some(_), .. });
    for (one, other) in one.iter().zip(other.iter()) {
        if differ(&one?, &other?, is_typed)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether two parts are surely not equal. What cannot be compared fails a whole that has a schema, and no other.
fn differ(one: &Value<'_>, other: &Value<'_>, is_typed: bool) -> Result<bool, EvaluationError> {
    match equal(one, other) {
        Ok(is_equal) => Ok(!is_equal),
        Err(error) if is_typed => Err(error),
        Err(_) => Ok(false),
    }
}

/// Whether two values are surely equal.
pub(crate) fn is_equal(one: &Value<'_>, other: &Value<'_>) -> bool {
    matches!(equal(one, other), Ok(true))
}

/// Sets: every item of one is in the other.
fn contain_the_same(one: &List<'_>, other: &List<'_>) -> Result<bool, EvaluationError> {
    let others = other.to_vec()?;
    for item in one.iter() {
        let item = item?;
        if !contains(&others, &item) {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn contains(items: &[Value<'_>], wanted: &Value<'_>) -> bool {
    items.iter().any(|item| is_equal(wanted, item))
}

/// Lists that are maps: the items of the same keys are equal.
fn same_by_keys(one: &List<'_>, other: &List<'_>, keys: &[String]) -> Result<bool, EvaluationError> {
    let own = one.to_vec()?;
    for item in other.iter() {
        let item = item?;
        let mut found = false;
        for own in &own {
            if has_same_keys(own, &item, keys)? {
                found = equal(own, &item)?;
                break;
            }
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn has_same_keys(one: &Value<'_>, other: &Value<'_>, keys: &[String]) -> Result<bool, EvaluationError> {
    let (Value::Map(one), Value::Map(other)) = (one, other) else { return Ok(false) };
    for key in keys {
        let same = match (one.field(key), other.field(key)) {
            (Some(one), Some(other)) => equal(&one?, &other?)?,
            (None, None) => true,
            _ => false,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

fn maps(one: &Map<'_>, other: &Map<'_>) -> Result<bool, EvaluationError> {
    if one.len() != other.len() {
        return Ok(false);
    }
    if let Map::Json { fields, schema: Some(schema) } = one {
        let mut unknown = fields.iter().filter(|(name, _)| !schema.knows(name));
        // What the schema does not know is compared as it stands, and with nothing that an expression made.
        match other {
            Map::Json { fields: others, .. } if unknown.any(|(name, value)| others.get(name) != Some(value)) => {
                return Ok(false);
            }
            Map::Owned(_) if unknown.next().is_some() => return Err(EvaluationError::NoSuchOverload),
            _ => {}
        }
    }
    let is_typed = matches!(one, Map::Json { schema: Some(_), .. });
    for key in one.keys() {
        let is_other = match (one.get(&key), other.get(&key)) {
            (Some(one), Some(other)) => differ(&one?, &other?, is_typed)?,
            (one, other) => one.is_some() || other.is_some(),
        };
        if is_other {
            return Ok(false);
        }
    }
    Ok(true)
}

fn kubernetes(one: &Kubernetes<'_>, other: &Kubernetes<'_>) -> Result<bool, EvaluationError> {
    Ok(match (one, other) {
        (Kubernetes::Url(one), Kubernetes::Url(other)) => one == other,
        (Kubernetes::Ip(one), Kubernetes::Ip(other)) => one == other,
        (Kubernetes::Cidr(one), Kubernetes::Cidr(other)) => one == other,
        // With a sum on the right, Kubernetes knows no such overload.
        (Kubernetes::Quantity(one) | Kubernetes::QuantitySum(one), Kubernetes::Quantity(other)) => one == other,
        (Kubernetes::Semver(one), Kubernetes::Semver(other)) => one.compare(other).is_eq(),
        (Kubernetes::Format(one), Kubernetes::Format(other)) => one.name == other.name,
        _ => return Err(EvaluationError::NoSuchOverload),
    })
}
