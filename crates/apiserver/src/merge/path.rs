//! A place in an object: field names, keys of list items, values of set items, indexes.
//!
//! Out: text as error messages print it (`.spec.containers[name="web"].image`). Elements have Kubernetes' order: fields,
//! then keys, then values, then indexes, so that everything made of them comes out the same way each time.

use std::cmp::Ordering;
use std::fmt;

use serde_json::Value;

/// One step from a value to one inside it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    /// A field of an object or a key of a map.
    Field(String),
    /// The list item whose keys have these values, in the order of their names.
    Key(Vec<(String, Scalar)>),
    /// The item of a set that has this value.
    Value(Scalar),
    /// The item at this place.
    Index(i64),
}

impl Element {
    /// The element of a field.
    pub(crate) fn field(name: &str) -> Element {
        Element::Field(name.to_owned())
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Field(name) => write!(f, ".{name}"),
            Element::Key(keys) => {
                let pairs: Vec<String> = keys.iter().map(|(name, value)| format!("{name}={value}")).collect();
                write!(f, "[{}]", pairs.join(","))
            }
            Element::Value(value) => write!(f, "[={value}]"),
            Element::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// A way from the root to a value.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path(pub(crate) Vec<Element>);

impl Path {
    /// A path of field names alone.
    #[cfg(test)]
    pub(crate) fn fields(names: &[&str]) -> Path {
        Path(names.iter().map(|name| Element::field(name)).collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|element| write!(f, "{element}"))
    }
}

/// A JSON value with an order: numbers, texts, truths, lists, maps, null; whole numbers equal the same fractions.
#[derive(Debug, Clone)]
pub(crate) struct Scalar(pub(crate) Value);

impl Scalar {
    fn rank(&self) -> u8 {
        match self.0 {
            Value::Number(_) => 0,
            Value::String(_) => 1,
            Value::Bool(_) => 2,
            Value::Array(_) => 3,
            Value::Object(_) => 4,
            Value::Null => 5,
        }
    }
}

impl Ord for Scalar {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
                (Some(a), Some(b)) => a.cmp(&b),
                _ => a.as_f64().unwrap_or_default().total_cmp(&b.as_f64().unwrap_or_default()),
            },
            (Value::String(a), Value::String(b)) => a.cmp(b),
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => {
                self.0.to_string().cmp(&other.0.to_string())
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Scalar {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Scalar {}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Whether two JSON values are equal to Kubernetes, for which `1` and `1.0` are.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => Scalar(a.clone()) == Scalar(b.clone()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_print_as_in_error_messages() {
        let key = |pairs: &[(&str, Value)]| {
            Element::Key(pairs.iter().map(|(name, value)| ((*name).to_owned(), Scalar(value.clone()))).collect())
        };
        let ports = key(&[("containerPort", json!(80)), ("protocol", json!("TCP"))]);
        let path = Path(vec![Element::field("spec"), Element::field("ports"), ports, Element::field("name")]);
        assert_eq!(path.to_string(), ".spec.ports[containerPort=80,protocol=\"TCP\"].name");
        let item = Path(vec![Element::field("finalizers"), Element::Value(Scalar(json!("a/b")))]);
        assert_eq!(item.to_string(), ".finalizers[=\"a/b\"]");
        assert_eq!(Path(vec![Element::Index(3)]).to_string(), "[3]");
    }

    #[test]
    fn numbers_are_compared_as_numbers_everywhere() {
        assert!(same(&json!({"a": [1, {"b": 2.0}]}), &json!({"a": [1.0, {"b": 2}]})));
        assert!(!same(&json!({"a": 1}), &json!({"a": "1"})));
        assert!(Scalar(json!(2)) < Scalar(json!(10)) && Scalar(json!(10)) < Scalar(json!("1")));
    }
}
