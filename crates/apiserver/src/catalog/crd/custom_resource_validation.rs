//! A custom resource checked against its schema, in the words of kube-apiserver.
//!
//! In: an object that has been brought into shape. Out: every wrong field, in the order of their names. Rules written in
//! CEL are in `validation_rules.rs`. Items that may stand only once are looked for apart, whatever else is wrong.
//!
//! What a write leaves as it was may stay wrong: the errors of a value and of all below it do not count if the value is the one
//! that was there. Fields have been there under their name, items of a map under their keys, and other items nowhere.

mod format;
mod number;

use serde_json::{Map, Value};

use super::structural::{Additional, Structural};
use crate::registry::validation::metadata;
use crate::response::status::FieldError;

/// What is wrong with an object, given what it was `before`, if it was.
pub(crate) fn errors(schema: &Structural, before: Option<&Value>, object: &Value) -> Vec<FieldError> {
    let mut checker = Checker::default();
    checker.value(schema, "", before, object);
    checker.all_errors()
}

/// What is wrong with the status of an object, given that of `before`; nothing else is looked at.
pub(crate) fn status_errors(schema: &Structural, before: Option<&Value>, object: &Value) -> Vec<FieldError> {
    let (Some(schema), Some(status)) = (schema.properties.get("status"), object.get("status")) else {
        return Vec::new();
    };
    let mut checker = Checker::default();
    checker.value(schema, "", before.and_then(|before| before.get("status")), status);
    // What is said begins at the status, and only the field names the whole path.
    checker.all_errors().into_iter().map(|error| error.at("status")).collect()
}

/// The items of an object that may stand only once and stand twice.
pub(crate) fn duplicates(schema: &Structural, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    unique(schema, "", object, &mut errors);
    errors
}

/// Those of its status.
pub(crate) fn status_duplicates(schema: &Structural, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let (Some(schema), Some(status)) = (schema.properties.get("status"), object.get("status")) {
        unique(schema, "status", status, &mut errors);
    }
    errors
}

/// What is wrong with a value that stands nowhere yet, such as a default.
pub(super) fn part_errors(schema: &Structural, value: &Value) -> Vec<FieldError> {
    errors(schema, None, value)
}

#[derive(Default)]
struct Checker {
    errors: Vec<FieldError>,
    /// What is wrong with the metadata of embedded objects, which may not stay wrong.
    embedded: Vec<FieldError>,
    /// How many values were looked at.
    seen: usize,
}

/// What an alternative says of a value.
struct Verdict {
    errors: Vec<FieldError>,
    seen: usize,
}

impl Checker {
    /// Checks a value. An alternative has no `before`: what it says counts where the alternatives are stated.
    fn value(&mut self, schema: &Structural, path: &str, before: Option<&Value>, value: &Value) {
        let known = self.errors.len();
        self.check(schema, path, before, value);
        if self.errors.len() > known && before == Some(value) {
            self.errors.truncate(known);
        }
    }

    fn check(&mut self, schema: &Structural, path: &str, before: Option<&Value>, value: &Value) {
        self.seen += 1;
        if value.is_null() && schema.nullable {
            return;
        }
        if !self.kind(schema, path, value) {
            return;
        }
        if let Some(allowed) = &schema.allowed
            && !allowed.iter().any(|one| pintle_core::field_set::is_same_value(one, value))
        {
            let texts: Vec<String> = allowed.iter().map(plain).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            self.errors.push(FieldError::none_of(path, &value.to_string(), &texts));
        }
        match value {
            Value::String(text) => self.text(schema, path, text),
            Value::Number(found) => {
                self.errors.extend(number::errors(schema, path, found));
            }
            Value::Array(items) => self.items(schema, path, before, items),
            Value::Object(fields) => self.fields(schema, path, before, fields),
            Value::Bool(_) | Value::Null => {}
        }
        self.combinations(schema, path, value);
    }

    /// The type; says whether there is any point in looking further.
    fn kind(&mut self, schema: &Structural, path: &str, value: &Value) -> bool {
        let found = type_of(value);
        let expected = if schema.int_or_string { "integer,string" } else { &schema.kind };
        let fits = expected.is_empty()
            || expected.split(',').any(|one| one == found || (one == "number" && found == "integer"));
        if !fits {
            let why = format!("{path} in body must be of type {expected}: {found:?}");
            self.errors.push(FieldError::wrong_type(path, &format!("{found:?}"), &why));
            if found == "number" && expected == "integer" {
                let why = format!("Checked value must be of type integer (default format) in {path}");
                self.errors.push(FieldError::invalid("<nil>", "\"\"", &why));
            }
        }
        fits
    }

    fn text(&mut self, schema: &Structural, path: &str, text: &str) {
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(most) = schema.max_length.filter(|most| length > *most) {
            self.errors.push(FieldError::too_long(path, usize::try_from(most).unwrap_or_default()));
        }
        if let Some(least) = schema.min_length.filter(|least| length < *least) {
            self.invalid(path, &format!("{text:?}"), &format!("should be at least {least} chars long"));
        }
        if !schema.pattern.matches(text) {
            self.invalid(path, &format!("{text:?}"), &format!("should match '{}'", schema.pattern.text));
        }
        if !format::fits(&schema.format, text) {
            let why = format!("{path} in body must be of type {}: {text:?}", schema.format);
            self.errors.push(FieldError::wrong_type(path, &format!("{text:?}"), &why));
        }
    }

    fn items(&mut self, list: &Structural, path: &str, before: Option<&Value>, items: &[Value]) {
        let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
        if let Some(schema) = &list.items {
            for (place, item) in items.iter().enumerate() {
                let (path, before) =
                    (format!("{path}[{place}]"), before.and_then(|before| item_before(list, before, item)));
                if schema.embedded_resource {
                    self.embedded(schema, &path, before, item);
                } else {
                    self.value(schema, &path, before, item);
                }
            }
        }
        if let Some(least) = list.min_items.filter(|least| count < *least) {
            self.invalid(path, &count.to_string(), &format!("should have at least {least} items"));
        }
        if let Some(most) = list.max_items.filter(|most| count > *most) {
            self.errors.push(FieldError::too_many(path, count, most));
        }
    }

    fn fields(&mut self, schema: &Structural, path: &str, before: Option<&Value>, fields: &Map<String, Value>) {
        let count = i64::try_from(fields.len()).unwrap_or(i64::MAX);
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        if let Some(least) = schema.min_properties.filter(|least| count < *least) {
            self.invalid(path, &count.to_string(), &format!("should have at least {least} properties"));
        }
        if let Some(most) = schema.max_properties.filter(|most| count > *most) {
            self.errors.push(FieldError::too_many(path, count, most));
        }
        for name in schema.required.iter().filter(|name| !fields.contains_key(*name)) {
            self.errors.push(FieldError::required(&below(name), ""));
        }
        let additional = schema.additional_properties.as_ref().and_then(Additional::schema);
        for (name, value) in fields {
            let before = before.and_then(|before| before.get(name));
            match schema.property(name).or(additional) {
                Some(property) if property.embedded_resource => self.embedded(property, &below(name), before, value),
                Some(property) => self.value(property, &below(name), before, value),
                None => {}
            }
        }
    }

    fn embedded(&mut self, schema: &Structural, path: &str, before: Option<&Value>, value: &Value) {
        self.value(schema, path, before, value);
        for name in ["apiVersion", "kind"] {
            if value.is_object() && value.get(name).and_then(Value::as_str).unwrap_or_default().is_empty() {
                self.embedded.push(FieldError::required(&format!("{path}.{name}"), ""));
            }
        }
        let of_metadata = |field: &str| value.get("metadata").and_then(|metadata| metadata.get(field));
        self.embedded.extend(metadata::labels(&format!("{path}.metadata.labels"), of_metadata("labels")));
        self.embedded
            .extend(metadata::annotations_at(&format!("{path}.metadata.annotations"), of_metadata("annotations")));
    }

    fn combinations(&mut self, schema: &Structural, path: &str, value: &Value) {
        let verdict = |schema: &Structural| {
            let mut inner = Checker::default();
            inner.value(schema, path, None, value);
            let seen = inner.seen;
            Verdict { errors: inner.all_errors(), seen }
        };
        self.alternatives(schema, path, verdict);
        let all: Vec<Verdict> = schema.all_of.iter().map(verdict).collect();
        if all.iter().any(|verdict| !verdict.errors.is_empty()) {
            let none = if all.iter().any(|verdict| verdict.errors.is_empty()) { "" } else { ". None validated" };
            self.errors.extend(all.into_iter().flat_map(|verdict| verdict.errors));
            self.at_large(path, &format!("must validate all the schemas (allOf){none}"));
        }
        if schema.not.as_deref().is_some_and(|not| verdict(not).errors.is_empty()) {
            self.at_large(path, "must not validate the schema (not)");
        }
    }

    fn alternatives(&mut self, schema: &Structural, path: &str, verdict: impl Fn(&Structural) -> Verdict) {
        let any: Vec<Verdict> = schema.any_of.iter().map(&verdict).collect();
        if !any.is_empty() && any.iter().all(|verdict| !verdict.errors.is_empty()) {
            self.at_large(path, "must validate at least one schema (anyOf)");
            self.errors.extend(nearest(any));
        }
        let one: Vec<Verdict> = schema.one_of.iter().map(&verdict).collect();
        match one.iter().filter(|verdict| verdict.errors.is_empty()).count() {
            _ if one.is_empty() => {}
            1 => {}
            0 => {
                self.at_large(path, "must validate one and only one schema (oneOf). Found none valid");
                self.errors.extend(nearest(one));
            }
            valid => {
                let why = format!("must validate one and only one schema (oneOf). Found {valid} valid alternatives");
                self.at_large(path, &why);
            }
        }
    }

    fn invalid(&mut self, path: &str, value: &str, why: &str) {
        self.errors.push(FieldError::invalid(path, value, &format!("{path} in body {why}")));
    }

    /// Everything that is wrong.
    fn all_errors(mut self) -> Vec<FieldError> {
        self.errors.append(&mut self.embedded);
        self.errors
    }

    /// An error of which kube-apiserver does not say where it is, but in its sentence.
    fn at_large(&mut self, path: &str, why: &str) {
        self.errors.push(FieldError::invalid("<nil>", "\"\"", &format!("\"{path}\" {why}")));
    }
}

/// The errors of the alternative that says most about the value: the first of those that looked at most of it.
fn nearest(alternatives: Vec<Verdict>) -> Vec<FieldError> {
    let most = alternatives.iter().map(|verdict| verdict.seen).max();
    alternatives
        .into_iter()
        .find(|verdict| Some(verdict.seen) == most)
        .map(|verdict| verdict.errors)
        .unwrap_or_default()
}

/// The item that was there under the keys of this one.
fn item_before<'a>(list: &Structural, before: &'a Value, item: &Value) -> Option<&'a Value> {
    let own = key(list, item).filter(|_| list.list_type == "map")?;
    before.as_array()?.iter().find(|other| key(list, other).as_ref() == Some(&own))
}

/// Items that stand twice in a set, or under the same keys.
fn unique(schema: &Structural, path: &str, value: &Value, errors: &mut Vec<FieldError>) {
    match value {
        Value::Array(items) => {
            let mut seen: Vec<Value> = Vec::new();
            for (place, item) in items.iter().enumerate() {
                let path = format!("{path}[{place}]");
                if let Some(key) = key(schema, item) {
                    if seen.contains(&key) {
                        errors.push(FieldError::duplicate(&path, &key.to_string()));
                    } else {
                        seen.push(key);
                    }
                }
                if let Some(schema) = &schema.items {
                    unique(schema, &path, item, errors);
                }
            }
        }
        Value::Object(fields) => {
            let additional = schema.additional_properties.as_ref().and_then(Additional::schema);
            for (name, value) in fields {
                if let Some(property) = schema.property(name).or(additional) {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    unique(property, &path, value, errors);
                }
            }
        }
        _ => {}
    }
}

/// What may not come twice: the item of a set, the keys of an item of a map.
fn key(schema: &Structural, item: &Value) -> Option<Value> {
    match schema.list_type.as_str() {
        "set" => Some(item.clone()),
        "map" => {
            let pairs = schema.list_map_keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
            Some(Value::Object(pairs.collect()))
        }
        _ => None,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() || number::is_whole(number) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
