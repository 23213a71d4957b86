//! Whether a value fits its schema well enough to be merged.
//!
//! Out: what is wrong, in the words of kube-apiserver's merge: unknown fields, values of the wrong kind, list items
//! without their keys, and items that stand twice.

use std::collections::BTreeSet;

use pintle_core::field_set::{FieldPath, PathElement};
use serde_json::Value;

use super::items;
use crate::codec::typed::go_errors;

use super::schema::{List, Map, Scalar, Schema, Shape};

/// What is wrong with a value, or nothing.
pub(crate) fn check(schema: Schema<'_>, value: &Value) -> Result<(), String> {
    let mut checker = Checker { path: FieldPath::default(), errors: Vec::new() };
    checker.value(schema, value);
    match &checker.errors[..] {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("errors:\n  {}", many.join("\n  "))),
    }
}

struct Checker {
    path: FieldPath,
    errors: Vec<String>,
}

impl Checker {
    fn error(&mut self, what: &str) {
        let at = self.path.to_string();
        self.errors.push(if at.is_empty() { what.to_owned() } else { format!("{at}: {what}") });
    }

    fn inside(&mut self, element: PathElement, check: impl FnOnce(&mut Checker)) {
        self.path.0.push(element);
        check(self);
        self.path.0.pop();
    }

    fn value(&mut self, schema: Schema<'_>, value: &Value) {
        match (schema.shape(value), value) {
            (_, Value::Null) => {}
            (Shape::Scalar(expected), _) => self.scalar(expected, value),
            (Shape::List(list), Value::Array(items)) => self.items(&list, items),
            (Shape::List(_), _) => self.error(&format!("expected list, got &{{{}}}", go(value))),
            (Shape::Map(map), Value::Object(fields)) => self.fields(&map, fields),
            (Shape::Map(_), _) => self.error(&format!("expected map, got &{{{}}}", go(value))),
        }
    }

    fn scalar(&mut self, expected: Scalar, value: &Value) {
        let (fits, name) = match expected {
            Scalar::Text => (value.is_string(), "string"),
            Scalar::Number => (value.is_number(), "numeric (int or float)"),
            Scalar::Truth => (value.is_boolean(), "boolean"),
            Scalar::Any => (!value.is_array() && !value.is_object(), "any scalar"),
        };
        match expected {
            _ if fits => {}
            Scalar::Text => {
                self.error(&format!("expected {name}, got &value.valueUnstructured{{Value:{}}}", go_syntax(value)));
            }
            Scalar::Number => self.error(&format!("expected {name}, got {}", go_errors::dynamic(value))),
            _ => self.error(&format!("expected {name}, got &{{{}}}", go(value))),
        }
    }

    fn fields(&mut self, map: &Map<'_>, fields: &serde_json::Map<String, Value>) {
        for (name, value) in fields {
            if let Some(child) = map.child(name) {
                self.inside(PathElement::field(name), |checker| checker.value(child.schema, value));
            }
        }
        // One unknown field ends the check of the map it is in. Which one, and after what else, is random in kube-apiserver.
        if let Some(name) = fields.keys().find(|name| map.child(name).is_none()) {
            self.inside(PathElement::field(name), |checker| checker.error("field not declared in schema"));
        }
    }

    fn items(&mut self, list: &List<'_>, items: &[Value]) {
        let mut seen = BTreeSet::new();
        for (place, item) in items.iter().enumerate() {
            let at = PathElement::Index(i64::try_from(place).unwrap_or(i64::MAX));
            if list.relation.is_atomic() {
                self.inside(at, |checker| checker.value(list.items, item));
                continue;
            }
            match items::element(list, item) {
                Err(why) => return self.error(&format!("element {place}: {why}")),
                Ok(element) => {
                    if !seen.insert(element.clone()) {
                        return self.error(&format!("duplicate entries for key {element}"));
                    }
                    self.inside(element, |checker| checker.value(list.items, item));
                }
            }
        }
    }
}

/// A value as Go prints it.
fn go(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go).collect::<Vec<_>>().join(" ")),
        Value::Object(fields) => {
            let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{name}:{}", go(value))).collect();
            format!("map[{}]", pairs.join(" "))
        }
        other => other.to_string(),
    }
}

/// A value as Go would have it in a program.
fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", items.iter().map(go_syntax).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let pairs: Vec<String> =
                fields.iter().map(|(name, value)| format!("{name:?}:{}", go_syntax(value))).collect();
            format!("map[string]interface {{}}{{{}}}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_wire::facts;
    use serde_json::json;

    #[test]
    fn what_does_not_fit_is_refused_in_the_servers_words() {
        let table = [
            (json!({"nope": 1}), ".nope: field not declared in schema"),
            (json!({"data": {"k": 1}}), ".data.k: expected string, got &value.valueUnstructured{Value:1}"),
            (json!({"data": ["k"]}), ".data: expected map, got &{[k]}"),
            (json!({"metadata": {"finalizers": {"k": "v"}}}), ".metadata.finalizers: expected list, got &{map[k:v]}"),
            (json!({"immutable": 3}), ".immutable: expected boolean, got &{3}"),
            (
                json!({"metadata": {"generateName": ["x"]}}),
                ".metadata.generateName: expected string, got &value.valueUnstructured{Value:[]interface {}{\"x\"}}",
            ),
            (
                json!({"metadata": {"finalizers": ["a", "a"]}}),
                ".metadata.finalizers: duplicate entries for key [=\"a\"]",
            ),
            (
                json!({"metadata": {"finalizers": [{"a": "b"}]}}),
                ".metadata.finalizers: element 0: associative list without keys has an element that's a map type",
            ),
        ];
        let schema = Schema::Type(facts::kind_of("v1", "ConfigMap").unwrap());
        for (value, expected) in table {
            assert_eq!(check(schema, &value), Err(expected.to_owned()), "{value}");
        }
        assert_eq!(check(schema, &json!({"data": {"k": "v"}, "metadata": {"labels": null}})), Ok(()));
    }
}
