//! A place in an object: field names, keys of list items, values of set items, indexes.
//!
//! Prints as Kubernetes' error messages do (`.spec.containers[name="web"].image`). Elements have Kubernetes' order:
//! fields, then keys, then values, then indexes, so that everything made of them comes out the same way each time.

use std::fmt;

use super::ordered_value::OrderedValue;

/// One step from a value to one inside it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathElement {
    /// `f:name`: a field of an object or a key of a map.
    Field(String),
    /// `k:{"name":"web"}`: the list item whose keys have these values, in the order of their names.
    Key(Vec<(String, OrderedValue)>),
    /// `v:"web"`: the item of a set that has this value.
    Value(OrderedValue),
    /// `i:0`: the item at this index.
    Index(i64),
}

impl PathElement {
    /// The element of a field.
    pub fn field(name: &str) -> PathElement {
        PathElement::Field(name.to_owned())
    }
}

impl fmt::Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathElement::Field(name) => write!(f, ".{name}"),
            PathElement::Key(keys) => {
                let pairs: Vec<String> = keys.iter().map(|(name, value)| format!("{name}={value}")).collect();
                write!(f, "[{}]", pairs.join(","))
            }
            PathElement::Value(value) => write!(f, "[={value}]"),
            PathElement::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// The elements from the root of an object to a value inside it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldPath(pub Vec<PathElement>);

impl FieldPath {
    /// A path of field names alone.
    pub fn of_fields(names: &[&str]) -> FieldPath {
        FieldPath(names.iter().map(|name| PathElement::field(name)).collect())
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|element| write!(f, "{element}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn paths_print_as_in_error_messages() {
        let key = |pairs: &[(&str, Value)]| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), OrderedValue(value.clone())));
            PathElement::Key(pairs.collect())
        };
        let ports = key(&[("containerPort", json!(80)), ("protocol", json!("TCP"))]);
        let mut path = FieldPath::of_fields(&["spec", "ports"]);
        path.0.extend([ports, PathElement::field("name")]);
        assert_eq!(path.to_string(), ".spec.ports[containerPort=80,protocol=\"TCP\"].name");
        let item = FieldPath(vec![PathElement::field("finalizers"), PathElement::Value(OrderedValue(json!("a/b")))]);
        assert_eq!(item.to_string(), ".finalizers[=\"a/b\"]");
        assert_eq!(FieldPath(vec![PathElement::Index(3)]).to_string(), "[3]");
    }
}
