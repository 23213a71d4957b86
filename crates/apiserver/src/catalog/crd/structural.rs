//! The schema of a custom resource, as its definition states it.
//!
//! In: `openAPIV3Schema`. Out: one tree of everything that merging, pruning, defaulting and validation ask for. Reading
//! is lenient: what a schema may not say is found by the check of the definition, before it gets here.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::bytes::Regex;
use serde::{Deserialize, Deserializer};
use serde_json::{Number, Value};

use crate::catalog::crd::go_regexp;

use super::validation_rules::ValidationRules;

/// The schema of one place.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Structural {
    /// `type`; empty where none is stated.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) format: String,
    pub(crate) title: String,
    pub(crate) nullable: bool,
    #[serde(deserialize_with = "stated")]
    pub(crate) default: Option<Value>,
    #[serde(rename = "enum")]
    pub(crate) allowed: Option<Vec<Value>>,
    pub(crate) pattern: Pattern,
    pub(crate) minimum: Option<Number>,
    pub(crate) maximum: Option<Number>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) exclusive_maximum: bool,
    pub(crate) multiple_of: Option<Number>,
    pub(crate) min_length: Option<i64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) min_items: Option<i64>,
    pub(crate) max_items: Option<i64>,
    pub(crate) min_properties: Option<i64>,
    pub(crate) max_properties: Option<i64>,
    pub(crate) unique_items: bool,
    pub(crate) required: Vec<String>,
    /// Boxed, because a map makes room for several values at once, and a schema is large.
    pub(crate) properties: BTreeMap<String, Box<Structural>>,
    pub(crate) additional_properties: Option<Additional>,
    pub(crate) items: Option<Box<Structural>>,
    pub(crate) all_of: Vec<Structural>,
    pub(crate) any_of: Vec<Structural>,
    pub(crate) one_of: Vec<Structural>,
    pub(crate) not: Option<Box<Structural>>,
    #[serde(rename = "x-kubernetes-preserve-unknown-fields")]
    pub(crate) preserve_unknown_fields: bool,
    #[serde(rename = "x-kubernetes-int-or-string")]
    pub(crate) int_or_string: bool,
    #[serde(rename = "x-kubernetes-embedded-resource")]
    pub(crate) embedded_resource: bool,
    #[serde(rename = "x-kubernetes-list-type")]
    pub(crate) list_type: String,
    #[serde(rename = "x-kubernetes-list-map-keys")]
    pub(crate) list_map_keys: Vec<String>,
    #[serde(rename = "x-kubernetes-map-type")]
    pub(crate) map_type: String,
    /// Its rules in CEL, and those of everything below; only where the whole schema of a version begins.
    #[serde(skip)]
    pub(crate) rules: ValidationRules,
}

/// A regular expression, compiled when it is first needed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Pattern {
    pub(crate) text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Whether a text matches; everything matches no pattern at all, and one that cannot be read.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let compiled = self.compiled.get_or_init(|| go_regexp::compile(&self.text).ok());
        compiled.as_ref().is_none_or(|pattern| pattern.is_match(text.as_bytes()))
    }
}

impl From<String> for Pattern {
    fn from(text: String) -> Pattern {
        Pattern { text, compiled: OnceLock::new() }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// `additionalProperties`: what other keys may hold.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Additional {
    /// Whether there may be any.
    Allowed(bool),
    /// What each of them is.
    Of(Box<Structural>),
}

impl Additional {
    /// The schema of other keys, where one is stated.
    pub(crate) fn schema(&self) -> Option<&Structural> {
        match self {
            Additional::Of(schema) => Some(schema),
            Additional::Allowed(_) => None,
        }
    }
}

impl Structural {
    /// The schema of a key that is stated.
    pub(crate) fn property(&self, name: &str) -> Option<&Structural> {
        self.properties.get(name).map(|property| &**property)
    }

    /// Reads `openAPIV3Schema`, in which a field that is null counts as absent; but a default may be null.
    pub(crate) fn read(schema: &Value) -> serde_json::Result<Structural> {
        Structural::deserialize(schema)
    }
}

/// A value that may be null and is there all the same.
fn stated<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}
