//! Whether a value fits its schema well enough to be merged.
//!
//! Out: what is wrong, in the words of kube-apiserver's merge: unknown fields, values of the wrong kind, list items
//! without their keys, and items that stand twice where that is not allowed.

use std::collections::BTreeSet;

use serde_json::Value;

use super::items;
use super::path::{Element, Path};
use super::schema::{List, Map, Scalar, Schema, Shape};

/// Whether one item may stand twice in a list of items that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplicates {
    Allowed,
    Refused,
}

/// What is wrong with a value, or nothing.
pub(crate) fn check(schema: Schema<'_>, value: &Value, duplicates: Duplicates) -> Result<(), String> {
    let mut checker = Checker { duplicates, path: Path::default(), errors: Vec::new() };
    checker.value(schema, value);
    match &checker.errors[..] {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("errors:\n  {}", many.join("\n  "))),
    }
}

struct Checker {
    duplicates: Duplicates,
    path: Path,
    errors: Vec<String>,
}

impl Checker {
    fn error(&mut self, what: &str) {
        let at = self.path.to_string();
        self.errors.push(if at.is_empty() { what.to_owned() } else { format!("{at}: {what}") });
    }

    fn inside(&mut self, element: Element, check: impl FnOnce(&mut Checker)) {
        self.path.0.push(element);
        check(self);
        self.path.0.pop();
    }

    fn value(&mut self, schema: Schema<'_>, value: &Value) {
        match (schema.shape(value), value) {
            (_, Value::Null) => {}
            (Shape::Scalar(expected), _) => self.scalar(expected, value),
            (Shape::List(list), Value::Array(items)) => self.items(&list, items),
            (Shape::List(_), _) => self.error(&format!("expected list, got {}", printed(value))),
            (Shape::Map(map), Value::Object(fields)) => self.fields(&map, fields),
            (Shape::Map(_), _) => self.error(&format!("expected map, got {}", printed(value))),
        }
    }

    fn scalar(&mut self, expected: Scalar, value: &Value) {
        let (fits, name) = match expected {
            Scalar::Text => (value.is_string(), "string"),
            Scalar::Number => (value.is_number(), "numeric (int or float)"),
            Scalar::Truth => (value.is_boolean(), "boolean"),
            Scalar::Any => (!value.is_array() && !value.is_object(), "any scalar"),
        };
        if !fits {
            self.error(&format!("expected {name}, got {}", printed(value)));
        }
    }

    fn fields(&mut self, map: &Map<'_>, fields: &serde_json::Map<String, Value>) {
        for (name, value) in fields {
            self.inside(Element::field(name), |checker| match map.child(name) {
                Some(child) => checker.value(child.schema, value),
                None => checker.error("field not declared in schema"),
            });
        }
    }

    fn items(&mut self, list: &List<'_>, items: &[Value]) {
        let mut seen = BTreeSet::new();
        for (place, item) in items.iter().enumerate() {
            let at = Element::Index(i64::try_from(place).unwrap_or(i64::MAX));
            if list.relation.is_atomic() {
                self.inside(at, |checker| checker.value(list.items, item));
                continue;
            }
            match items::element(list, item) {
                Err(why) => self.inside(at, |checker| checker.error(&format!("element {place}: {why}"))),
                Ok(element) => {
                    if !seen.insert(element.clone()) && self.duplicates == Duplicates::Refused {
                        self.error(&format!("duplicate entries for key {element}"));
                    }
                    self.inside(element, |checker| checker.value(list.items, item));
                }
            }
        }
    }
}

/// A value as the real server prints it in such messages.
fn printed(value: &Value) -> String {
    format!("&{{{value}}}")
}
