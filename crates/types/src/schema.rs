//! One node of an OpenAPI v3 schema, and where in an object it is.

use serde_json::{Map, Value};

/// A node of a schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema<'a>(&'a Map<String, Value>);

/// `additionalProperties`.
pub(crate) enum Values<'a> {
    /// Anything.
    Any,
    /// What this schema describes.
    Of(Schema<'a>),
}

impl<'a> Schema<'a> {
    pub(crate) fn new(node: &'a Map<String, Value>) -> Self {
        Self(node)
    }

    fn of(value: &'a Value) -> Option<Self> {
        value.as_object().map(Self)
    }

    pub(crate) fn text(self, keyword: &str) -> Option<&'a str> {
        self.0.get(keyword).and_then(Value::as_str)
    }

    pub(crate) fn is(self, keyword: &str) -> bool {
        self.0.get(keyword) == Some(&Value::Bool(true))
    }

    pub(crate) fn description(self) -> Option<&'a str> {
        self.text("description")
    }

    /// The default that the server fills in; `null` is none.
    pub(crate) fn default(self) -> Option<&'a Value> {
        self.0.get("default").filter(|default| !default.is_null())
    }

    /// The named properties, by name.
    pub(crate) fn properties(self) -> impl Iterator<Item = (&'a str, Schema<'a>)> {
        let properties = self.0.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().filter_map(|(name, schema)| Some((name.as_str(), Self::of(schema)?)))
    }

    pub(crate) fn property(self, name: &str) -> Option<Schema<'a>> {
        Self::of(self.0.get("properties")?.get(name)?)
    }

    pub(crate) fn has_properties(self) -> bool {
        self.properties().next().is_some()
    }

    pub(crate) fn requires(self, name: &str) -> bool {
        let required = self.0.get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|one| one == name))
    }

    pub(crate) fn items(self) -> Option<Schema<'a>> {
        Self::of(self.0.get("items")?)
    }

    /// The values beside the named properties. `false` says no more than its absence: the server prunes them.
    pub(crate) fn additional_properties(self) -> Option<Values<'a>> {
        match self.0.get("additionalProperties")? {
            Value::Bool(true) => Some(Values::Any),
            Value::Object(node) => Some(Values::Of(Schema(node))),
            _ => None,
        }
    }

    pub(crate) fn preserves_unknown_fields(self) -> bool {
        self.is("x-kubernetes-preserve-unknown-fields")
    }

    pub(crate) fn is_nullable(self) -> bool {
        self.is("nullable") || self.choices().is_some_and(|choices| choices.contains(&Value::Null))
    }

    /// The strings that are allowed, if only these are.
    pub(crate) fn names(self) -> Option<Vec<&'a str>> {
        let choices = self.choices()?.iter().filter(|choice| !choice.is_null());
        let names: Option<Vec<_>> = choices.map(Value::as_str).collect();
        names.filter(|names| !names.is_empty())
    }

    fn choices(self) -> Option<&'a Vec<Value>> {
        self.0.get("enum")?.as_array()
    }
}

/// A place in an object: its path, and the names on the way to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    path: String,
    words: Vec<String>,
}

impl Place {
    /// The place of a property.
    pub(crate) fn property(&self, name: &str) -> Self {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        let mut words = self.words.clone();
        words.push(name.to_owned());
        Self { path, words }
    }

    /// The place of the items of a list.
    pub(crate) fn items(&self) -> Self {
        Self { path: format!("{}[*]", self.path), words: self.words.clone() }
    }

    /// The place of the values of a map.
    pub(crate) fn values(&self) -> Self {
        Self { path: format!("{}.*", self.path), words: self.words.clone() }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The names of the properties on the way, outermost first.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }
}
