//! A value together with its path, and the checks that many kinds share: each returns the error it finds there.

use serde_json::Value;

use crate::codec::object::Object;
use crate::registry::validation::names;
use crate::registry::validation::path::Path;
use crate::response::status::FieldError;

/// A place in an object; null where there is nothing.
#[derive(Clone)]
pub(crate) struct Field<'a> {
    pub(crate) path: Path<'a>,
    pub(crate) value: &'a Value,
}

impl<'a> Field<'a> {
    /// A top-level field of an object.
    pub(crate) fn of(object: &'a Object, field: &'a str) -> Field<'a> {
        Field { path: Path::of(field), value: object.get(field).unwrap_or(&Value::Null) }
    }

    /// A field of the struct that stands here.
    pub(crate) fn field(&self, name: &'a str) -> Field<'a> {
        Field { path: self.path.field(name), value: self.value.get(name).unwrap_or(&Value::Null) }
    }

    /// The items of the list that stands here.
    pub(crate) fn items(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        let path = self.path.clone();
        let items = super::items(Some(self.value)).iter().enumerate();
        items.map(move |(index, value)| Field { path: path.item(index), value })
    }

    /// Whether nothing is here, or nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        match self.value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// The text here, empty where there is none.
    pub(crate) fn text(&self) -> &'a str {
        self.value.as_str().unwrap_or_default()
    }

    /// The text here is not allowed.
    pub(crate) fn wrong_text(&self, why: &str) -> FieldError {
        FieldError::invalid_text(&self.path, self.text(), why)
    }

    /// The value here is not allowed.
    pub(crate) fn wrong(&self, why: &str) -> FieldError {
        FieldError::invalid(&self.path, &self.value.to_string(), why)
    }

    /// The field may not be set.
    pub(crate) fn forbidden(&self, why: &str) -> FieldError {
        FieldError::forbidden(&self.path, why)
    }

    /// Something has to be here.
    pub(crate) fn required(&self) -> Option<FieldError> {
        self.required_because("")
    }

    /// Something has to be here, with the reason.
    pub(crate) fn required_because(&self, why: &str) -> Option<FieldError> {
        self.is_empty().then(|| FieldError::required(&self.path, why))
    }

    /// A text, if there is one, is one of these.
    pub(crate) fn one_of(&self, known: &[&str]) -> Option<FieldError> {
        let is_known = self.is_empty() || known.contains(&self.text());
        (!is_known).then(|| FieldError::not_supported(&self.path, self.text(), known))
    }

    /// A number, if there is one, is not below zero.
    pub(crate) fn not_negative(&self) -> Option<FieldError> {
        let is_negative = self.value.as_i64().is_some_and(|number| number < 0);
        is_negative.then(|| self.wrong("must be greater than or equal to 0"))
    }

    /// No number in these fields is below zero.
    pub(crate) fn none_negative(&self, fields: &[&'a str]) -> Vec<FieldError> {
        fields.iter().filter_map(|field| self.field(field).not_negative()).collect()
    }

    /// What is here, if anything, is a number that is not below zero, or a percentage.
    pub(crate) fn count_or_percentage(&self) -> Option<FieldError> {
        let Some(text) = self.value.as_str() else { return self.not_negative() };
        let digits = text.strip_suffix('%').unwrap_or_default();
        let is_share = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let why = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', \
                   regex used for validation is '[0-9]+%')";
        (!is_share).then(|| self.wrong_text(why))
    }

    /// A percentage, if there is one, is not of more than all.
    pub(crate) fn at_most_all(&self) -> Option<FieldError> {
        let share = self.text().strip_suffix('%').and_then(|digits| digits.parse::<u64>().ok());
        share.is_some_and(|share| share > 100).then(|| self.wrong_text("must not be greater than 100%"))
    }

    /// Whether a number or percentage is zero, or nothing is here.
    pub(crate) fn is_zero_or_none(&self) -> bool {
        match self.value {
            Value::Number(number) => number.as_i64() == Some(0),
            Value::String(text) => text.trim_end_matches('%').parse::<i64>().is_ok_and(|number| number == 0),
            _ => true,
        }
    }

    /// A number, if there is one, is in a range.
    pub(crate) fn between(&self, least: i64, most: i64) -> Option<FieldError> {
        let is_outside = self.value.as_i64().is_some_and(|number| !(least..=most).contains(&number));
        is_outside.then(|| self.wrong(&format!("must be between {least} and {most}, inclusive")))
    }

    /// A text, if there is one, is a DNS label.
    pub(crate) fn label(&self) -> Vec<FieldError> {
        self.named(names::label)
    }

    /// A text, if there is one, is a DNS subdomain.
    pub(crate) fn subdomain(&self) -> Vec<FieldError> {
        self.named(names::subdomain)
    }

    /// A text, if there is one, obeys a rule of names.
    pub(crate) fn named(&self, rule: impl Fn(&str) -> Vec<String>) -> Vec<FieldError> {
        if self.text().is_empty() {
            return Vec::new();
        }
        rule(self.text()).iter().map(|why| self.wrong_text(why)).collect()
    }
}
