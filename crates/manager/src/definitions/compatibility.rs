//! What a new definition does to objects that were stored under the old one. Pure.
//!
//! In: two definitions of one resource. Out: every place where an object that was accepted before would lose something, or could
//! not be written again. Rules and alternatives (`x-kubernetes-validations`, `oneOf`, …) are not understood: that they differ is
//! reported, what they mean is for the reader.

use std::collections::BTreeSet;
use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Map, Value, json};

/// One thing that stored objects or their clients would not survive.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Break {
    /// The version of the resource, empty where all are concerned.
    pub version: String,
    /// The field, such as `.spec.items[].size`; empty where the version as a whole is concerned.
    pub path: String,
    /// What happens.
    pub what: String,
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [self.version.as_str(), self.path.as_str()];
        let place: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let colon = if place.is_empty() { "" } else { ": " };
        write!(f, "{}{colon}{}", place.join(" "), self.what)
    }
}

/// What would break if `new` replaced `old`, by version and field.
pub fn breaks(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Vec<Break> {
    let mut found = Found::default();
    if old.spec.scope != new.spec.scope {
        found.add("", format!("the scope changes from {} to {}", old.spec.scope, new.spec.scope));
    }
    for version in &old.spec.versions {
        found.version.clone_from(&version.name);
        let schema = |schema: &Option<_>| json!(schema).get("openAPIV3Schema").cloned().unwrap_or_default();
        let Some(same) = new.spec.versions.iter().find(|new| new.name == version.name) else {
            if version.served {
                found.add("", "the version is served and would be removed: its clients fail".to_owned());
            }
            // Objects of that version are read as another one; where nothing converts them, by its schema.
            let converts = new.spec.conversion.as_ref().is_some_and(|conversion| conversion.strategy == "Webhook");
            if let Some(storage) = new.spec.versions.iter().find(|new| new.storage && !converts) {
                found.compare("", &schema(&version.schema), &schema(&storage.schema));
            }
            continue;
        };
        if version.served && !same.served {
            found.add("", "the version is served and would not be any more: its clients fail".to_owned());
        }
        found.compare("", &schema(&version.schema), &schema(&same.schema));
    }
    found.all
}

#[derive(Default)]
struct Found {
    version: String,
    all: Vec<Break>,
}

impl Found {
    fn add(&mut self, path: &str, what: String) {
        self.all.push(Break { version: self.version.clone(), path: path.to_owned(), what });
    }

    /// Compares two schemas of one place.
    fn compare(&mut self, path: &str, old: &Value, new: &Value) {
        if old == new || takes_anything(new) {
            return;
        }
        if self.compare_types(path, old, new) {
            return;
        }
        self.compare_values(path, old, new);
        self.compare_properties(path, old, new);
        if old["items"].is_object() && new["items"].is_object() {
            self.compare(&format!("{path}[]"), &old["items"], &new["items"]);
        }
        if old["additionalProperties"].is_object() && new["additionalProperties"].is_object() {
            self.compare(&format!("{path}.*"), &old["additionalProperties"], &new["additionalProperties"]);
        }
    }

    /// Whether the types differ so much that nothing else is worth comparing.
    fn compare_types(&mut self, path: &str, old: &Value, new: &Value) -> bool {
        let is_int_or_string = |schema: &Value| schema["x-kubernetes-int-or-string"] == true;
        let (was, is) = (type_of(old), type_of(new));
        let fits = was == is
            || (was == "integer" && is == "number")
            || (is_int_or_string(new) && (was == "integer" || was == "string" || is_int_or_string(old)));
        if !fits {
            self.add(path, format!("the type changes from {was} to {is}"));
        }
        if old["nullable"] == true && new["nullable"] != true {
            self.add(path, "null is not accepted any more".to_owned());
        }
        !fits
    }

    fn compare_values(&mut self, path: &str, old: &Value, new: &Value) {
        if let Some(allowed) = new["enum"].as_array() {
            match old["enum"].as_array() {
                None => self.add(path, format!("only {} are accepted from now on", list(allowed))),
                Some(before) => {
                    let gone: Vec<_> = before.iter().filter(|value| !allowed.contains(value)).cloned().collect();
                    if !gone.is_empty() {
                        self.add(path, format!("{} is not accepted any more", list(&gone)));
                    }
                }
            }
        }
        for (word, tightens) in BOUNDS {
            let (was, Some(is)) = (old[word].as_f64(), new[word].as_f64()) else { continue };
            let is_tighter = match (was, tightens) {
                (None, _) => true,
                (Some(was), Tightens::Up) => is > was,
                (Some(was), Tightens::Down) => is < was,
            };
            if is_tighter {
                let before = was.map(|was| format!(", was {was}")).unwrap_or_default();
                self.add(path, format!("{word} is {is}{before}"));
            }
        }
        for word in CHECKS {
            if new[word] != Value::Null && new[word] != false && new[word] != old[word] {
                self.add(path, format!("{word} {} is checked from now on", new[word]));
            }
        }
        for word in RULES {
            if new[word] != Value::Null && new[word] != old[word] {
                self.add(path, format!("{word} differs, and may refuse what was accepted"));
            }
        }
    }

    fn compare_properties(&mut self, path: &str, old: &Value, new: &Value) {
        let empty = Map::new();
        let (was, is) =
            (old["properties"].as_object().unwrap_or(&empty), new["properties"].as_object().unwrap_or(&empty));
        for (name, schema) in was {
            let path = format!("{path}.{name}");
            match is.get(name) {
                Some(new) => self.compare(&path, schema, new),
                None if keeps_unknown(new) => {}
                None => self.add(&path, "the field is removed: stored values are dropped".to_owned()),
            }
        }
        if keeps_unknown(old) && !keeps_unknown(new) {
            self.add(path, "fields without a schema are dropped from now on".to_owned());
        }
        let names = |schema: &Value| -> BTreeSet<String> {
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let has_default = |name: &str| is.get(name).is_some_and(|schema| !schema["default"].is_null());
        for name in names(new).difference(&names(old)).filter(|name| !has_default(name)) {
            self.add(&format!("{path}.{name}"), "the field is required from now on, and has no default".to_owned());
        }
    }
}

/// Whether every value is accepted and kept.
fn takes_anything(schema: &Value) -> bool {
    let words = schema.as_object().map_or(0, Map::len);
    words == 0 || (words == 1 && keeps_unknown(schema))
}

fn keeps_unknown(schema: &Value) -> bool {
    schema["x-kubernetes-preserve-unknown-fields"] == true || schema["additionalProperties"] != Value::Null
}

fn type_of(schema: &Value) -> &str {
    let named = schema["type"].as_str();
    named.unwrap_or(if schema["x-kubernetes-int-or-string"] == true { "integer or string" } else { "anything" })
}

fn list(values: &[Value]) -> String {
    values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
}

/// Which way a bound refuses more.
#[derive(Clone, Copy)]
enum Tightens {
    Up,
    Down,
}

const BOUNDS: [(&str, Tightens); 8] = [
    ("minimum", Tightens::Up),
    ("maximum", Tightens::Down),
    ("minLength", Tightens::Up),
    ("maxLength", Tightens::Down),
    ("minItems", Tightens::Up),
    ("maxItems", Tightens::Down),
    ("minProperties", Tightens::Up),
    ("maxProperties", Tightens::Down),
];

/// What refuses more when it is new or another.
const CHECKS: [&str; 8] = [
    "pattern",
    "format",
    "multipleOf",
    "uniqueItems",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
];

/// What is not understood here.
const RULES: [&str; 5] = ["x-kubernetes-validations", "allOf", "anyOf", "oneOf", "not"];

#[cfg(test)]
mod tests;
