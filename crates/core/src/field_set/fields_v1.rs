//! The JSON of a set, `fieldsV1`: parsed and printed here and nowhere else.
//!
//! `{"f:spec":{"f:ports":{"k:{\"port\":80}":{".":{},"f:name":{}}}}}`: a key is a path element by its prefix (`f:` a
//! field, `k:` an item by keys, `v:` a set's item, `i:` an index), `.` says that the path so far is in the set itself,
//! and an empty object is in the set and has nothing below it. What is printed is parsed as the same set.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::ordered_value::OrderedValue;
use super::path::PathElement;
use super::{FieldSet, Node};

/// Why a JSON value is not a set of fields. It shows no content: keys and values of items may be secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseFieldSetError {
    /// A set of fields is a JSON object on each level.
    #[error("fieldsV1 has something other than an object of path elements")]
    NotAnObject,
    /// A path element is `f:NAME`, `k:{JSON}`, `v:JSON` or `i:NUMBER`.
    #[error("fieldsV1 has a malformed path element; it must be f:NAME, k:{{JSON}}, v:JSON or i:NUMBER")]
    PathElement,
    /// The element has a prefix that is not known here.
    #[error("fieldsV1 has a path element of an unknown kind; known are f:, k:, v: and i:")]
    UnknownElement,
}

impl FieldSet {
    /// The set that the JSON of a `fieldsV1` means. As Kubernetes does, it passes over elements with an unknown prefix,
    /// which a later version may write.
    ///
    /// # Errors
    /// If it is not an object of path elements.
    pub fn parse(fields_v1: &Value) -> Result<FieldSet, ParseFieldSetError> {
        parse(fields_v1, Unknown::Skip)
    }

    /// As [`parse`](Self::parse), for callers that must not miss a field: an element with an unknown prefix is an error.
    ///
    /// # Errors
    /// If it is not an object of known path elements.
    pub fn parse_strict(fields_v1: &Value) -> Result<FieldSet, ParseFieldSetError> {
        parse(fields_v1, Unknown::Refuse)
    }

    /// The set as the JSON of a `fieldsV1`.
    pub fn print(&self) -> Value {
        let fields = self.nodes().map(|(element, node)| {
            let mut below = node.below.print();
            if node.is_member
                && !node.below.is_empty()
                && let Value::Object(map) = &mut below
            {
                map.insert(".".to_owned(), Value::Object(Map::new()));
            }
            (print_element(element), below)
        });
        Value::Object(fields.collect())
    }
}

/// What to do with an element whose prefix is not known.
#[derive(Clone, Copy)]
enum Unknown {
    Skip,
    Refuse,
}

fn parse(value: &Value, unknown: Unknown) -> Result<FieldSet, ParseFieldSetError> {
    let Value::Object(fields) = value else { return Err(ParseFieldSetError::NotAnObject) };
    let mut set = FieldSet::default();
    for (text, below) in fields {
        if text == "." {
            continue;
        }
        let element = match (parse_element(text), unknown) {
            (Err(ParseFieldSetError::UnknownElement), Unknown::Skip) => continue,
            (element, _) => element?,
        };
        let is_leaf = below.as_object().is_some_and(Map::is_empty);
        let is_member = is_leaf || below.get(".").is_some();
        set.put(element, Node { is_member, below: parse(below, unknown)? });
    }
    Ok(set)
}

fn parse_element(text: &str) -> Result<PathElement, ParseFieldSetError> {
    let malformed = || ParseFieldSetError::PathElement;
    let (prefix, rest) = text.split_once(':').ok_or_else(malformed)?;
    let json = || serde_json::from_str::<Value>(rest).map_err(|_| malformed());
    Ok(match prefix {
        "f" => PathElement::Field(rest.to_owned()),
        "v" => PathElement::Value(OrderedValue(json()?)),
        "i" => PathElement::Index(rest.parse().map_err(|_| malformed())?),
        "k" => match json()? {
            Value::Object(keys) if !keys.is_empty() => {
                let mut keys: Vec<_> = keys.into_iter().map(|(name, value)| (name, OrderedValue(value))).collect();
                keys.sort_by(|a, b| a.0.cmp(&b.0));
                PathElement::Key(keys)
            }
            _ => return Err(malformed()),
        },
        _ => return Err(ParseFieldSetError::UnknownElement),
    })
}

fn print_element(element: &PathElement) -> String {
    match element {
        PathElement::Field(name) => ["f:", name].concat(),
        PathElement::Key(keys) => {
            let keys: BTreeMap<&str, &Value> = keys.iter().map(|(name, value)| (name.as_str(), &value.0)).collect();
            ["k:", &print_json(&keys)].concat()
        }
        PathElement::Value(value) => ["v:", &print_json(&value.0)].concat(),
        PathElement::Index(index) => format!("i:{index}"),
    }
}

fn print_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a JSON value always prints")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeded::Walk;
    use serde_json::json;

    #[test]
    fn every_kind_of_element_is_parsed_as_it_was_printed() {
        let text = json!({
            "f:metadata": {"f:labels": {".": {}, "f:app": {}}, "f:finalizers": {"v:\"a/b\"": {}}},
            "f:spec": {
                "f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}},
                "f:args": {"i:0": {}, "v:1": {}, "v:true": {}},
            },
        });
        let set = FieldSet::parse(&text).unwrap();
        assert_eq!(set.print(), text);
        assert_eq!(set.paths().len(), 8);
    }

    #[test]
    fn a_random_set_is_parsed_as_it_was_printed() {
        let mut random = Walk::new(7);
        for _ in 0..500 {
            let mut set = FieldSet::default();
            for _ in 0..random.below(6) {
                let path: Vec<PathElement> = (0..=random.below(3)).map(|_| element(&mut random)).collect();
                set.insert(&path);
            }
            assert_eq!(FieldSet::parse_strict(&set.print()), Ok(set));
        }
    }

    fn element(random: &mut Walk) -> PathElement {
        let scalar = |random: &mut Walk| {
            let scalars = [json!("a\"b"), json!(1), json!(-2.5), json!(true), json!("")];
            OrderedValue(random.one_of(&scalars))
        };
        match random.below(4) {
            0 => PathElement::Field(random.perhaps(|random| random.text(4)).unwrap_or_else(|| ".".to_owned())),
            1 => PathElement::Key(vec![("k".to_owned(), scalar(random)), ("l".to_owned(), scalar(random))]),
            2 => PathElement::Value(scalar(random)),
            _ => PathElement::Index(i64::try_from(random.below(3)).unwrap()),
        }
    }

    #[test]
    fn what_is_not_a_set_of_fields_is_an_error() {
        for wrong in [json!("f:a"), json!({"a": {}}), json!({"v:x": {}}), json!({"k:1": {}}), json!({"i:x": {}})] {
            assert!(FieldSet::parse(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_element_of_a_later_kubernetes_is_passed_over_unless_nothing_may_be_missed() {
        let later = json!({"f:a": {"z:new": {}}, "z:new": {}, "f:b": {}});
        assert_eq!(FieldSet::parse(&later), Ok(FieldSet::of_fields(&[&["b"]])));
        assert_eq!(FieldSet::parse_strict(&later), Err(ParseFieldSetError::UnknownElement));
    }
}
