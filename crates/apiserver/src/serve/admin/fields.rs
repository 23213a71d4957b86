//! JSON objects, read strictly: each field by name and type, and none left over.
//!
//! In: a body. Out: values; or a refusal that names the field, what it is and what it should be. An empty body is an object
//! without fields.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::response::status::{Answer, FieldError, Refusal, bad_request, invalid};

/// An object whose fields are taken one by one.
pub(in super::super) struct Fields {
    /// What a refusal says was wrong.
    kind: &'static str,
    /// Where it stands in the body; empty for the body itself.
    path: String,
    left: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Fields {
    /// The fields of a body.
    pub(in super::super) fn read(kind: &'static str, body: &[u8]) -> Answer<Fields> {
        let body = if body.trim_ascii().is_empty() { b"{}" } else { body };
        let value = serde_json::from_slice(body)
            .map_err(|error| bad_request(format!("the body is not JSON: {error}; send a {kind} as an object")))?;
        match value {
            Value::Object(left) => Ok(Fields { kind, path: String::new(), left, known: Vec::new() }),
            other => Err(bad_request(format!("the body is {}; send a {kind} as an object", of_type(&other)))),
        }
    }

    pub(in super::super) fn text(&mut self, name: &'static str) -> Answer<Option<String>> {
        self.take(name, "a string", |value| value.as_str().map(str::to_owned))
    }

    pub(super) fn flag(&mut self, name: &'static str) -> Answer<Option<bool>> {
        self.take(name, "true or false", Value::as_bool)
    }

    pub(super) fn number(&mut self, name: &'static str) -> Answer<Option<u64>> {
        self.take(name, "a whole number from 0", Value::as_u64)
    }

    pub(super) fn count(&mut self, name: &'static str) -> Answer<Option<usize>> {
        self.take(name, "a whole number from 0", |value| value.as_u64().and_then(|number| number.try_into().ok()))
    }

    pub(super) fn code(&mut self, name: &'static str) -> Answer<Option<u16>> {
        let read = |value: &Value| value.as_u64().filter(|code| (400..600).contains(code));
        self.take(name, "a code of HTTP from 400 to 599", |value| read(value).and_then(|code| code.try_into().ok()))
    }

    pub(super) fn chance(&mut self, name: &'static str) -> Answer<Option<f64>> {
        self.take(name, "a number from 0 to 1", |value| value.as_f64().filter(|chance| (0.0..=1.0).contains(chance)))
    }

    pub(in super::super) fn seconds(&mut self, name: &'static str) -> Answer<Option<Duration>> {
        let read = |value: &Value| value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        self.take(name, "a number of seconds from 0, such as 0.5", read)
    }

    pub(super) fn signed_seconds(&mut self, name: &'static str) -> Answer<Option<jiff::SignedDuration>> {
        let read =
            |value: &Value| value.as_f64().and_then(|seconds| jiff::SignedDuration::try_from_secs_f64(seconds).ok());
        self.take(name, "a number of seconds, such as 3600 or -0.5", read)
    }

    pub(super) fn timestamp(&mut self, name: &'static str) -> Answer<Option<jiff::Timestamp>> {
        let read = |value: &Value| value.as_str().and_then(|text| text.parse().ok());
        self.take(name, "a time, such as \"2030-01-01T00:00:00Z\"", read)
    }

    /// The object in a field.
    pub(super) fn object(&mut self, name: &'static str) -> Answer<Option<Fields>> {
        let left = self.take(name, "an object", |value| value.as_object().cloned())?;
        Ok(left.map(|left| Fields { kind: self.kind, path: self.at(name), left, known: Vec::new() }))
    }

    /// What must be there.
    pub(super) fn required<T>(&self, name: &str, value: Option<T>, why: &str) -> Answer<T> {
        value.ok_or_else(|| self.wrong(FieldError::required(&self.at(name), why)))
    }

    /// Refuses the value of a field.
    pub(super) fn none_of(&self, name: &str, value: &str, known: &[&str]) -> Refusal {
        self.wrong(FieldError::not_supported(&self.at(name), value, known))
    }

    /// Refuses what does not go together.
    pub(super) fn forbidden(&self, name: &str, why: &str) -> Refusal {
        self.wrong(FieldError::forbidden(&self.at(name), why))
    }

    /// Refuses fields that were not asked for.
    pub(in super::super) fn finish(self) -> Answer<()> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(unknown) => {
                let known = if self.known.is_empty() { "none".to_owned() } else { self.known.join(", ") };
                Err(self.forbidden(unknown, &format!("there is no such field here; those that there are: {known}")))
            }
        }
    }

    fn take<T>(
        &mut self,
        name: &'static str,
        wanted: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Answer<Option<T>> {
        self.known.push(name);
        match self.left.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match read(&value) {
                Some(read) => Ok(Some(read)),
                None => {
                    let why = format!("must be {wanted}");
                    Err(self.wrong(FieldError::invalid(&self.at(name), &value.to_string(), &why)))
                }
            },
        }
    }

    fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn wrong(&self, error: FieldError) -> Refusal {
        invalid(self.kind, "", "", &[error])
    }
}

fn of_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
