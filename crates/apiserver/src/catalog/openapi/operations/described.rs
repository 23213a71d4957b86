//! How operations are written in a document of OpenAPI v3, each printed straight from what it is made of: a server with
//! many definitions has thousands of them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize as DeriveSerialize;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::parameters::{self, Parameter};

/// What can be done at one path.
pub(super) struct PathItem<'a> {
    /// By method.
    operations: BTreeMap<&'static str, Operation<'a>>,
    /// What all of them take.
    parameters: Vec<Parameter>,
}

impl<'a> PathItem<'a> {
    /// Operations by method, with what all of them take beside their own.
    pub(super) fn new(mut operations: BTreeMap<&'static str, Operation<'a>>, taken: Vec<Parameter>) -> Self {
        let mut parameters = parameters::hoist(operations.values_mut().map(|operation| &mut operation.parameters));
        parameters.extend(taken);
        parameters.sort_by_key(|parameter| parameter.name);
        Self { operations, parameters }
    }

    /// One operation.
    pub(super) fn of(method: &'static str, operation: Operation<'a>) -> Self {
        Self { operations: [(method, operation)].into(), parameters: Vec::new() }
    }

    /// Adds the names of the schemas that it refers to.
    pub(super) fn add_references(&self, found: &mut BTreeSet<String>) {
        for operation in self.operations.values() {
            let contents =
                [&operation.responses.content].into_iter().chain(operation.body.as_ref().map(|it| &it.content));
            for content in contents {
                if let Schema::Type(name) = &content.schema
                    && !found.contains(&**name)
                {
                    found.insert(name.to_string());
                }
            }
        }
    }
}

impl Serialize for PathItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut item = serializer.serialize_map(None)?;
        for (method, operation) in &self.operations {
            item.serialize_entry(method, operation)?;
        }
        if !self.parameters.is_empty() {
            item.serialize_entry("parameters", &self.parameters)?;
        }
        item.end()
    }
}

/// One of them.
#[derive(DeriveSerialize)]
pub(super) struct Operation<'a> {
    pub(super) description: String,
    #[serde(rename = "operationId", skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parameters: Vec<Parameter>,
    #[serde(rename = "requestBody", skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Body<'a>>,
    pub(super) responses: Responses<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tags: Vec<String>,
    #[serde(rename = "x-kubernetes-action", skip_serializing_if = "Option::is_none")]
    pub(super) action: Option<&'static str>,
    #[serde(rename = "x-kubernetes-group-version-kind", skip_serializing_if = "Option::is_none")]
    pub(super) of: Option<GroupVersionKind<'a>>,
}

impl<'a> Operation<'a> {
    /// One that answers with some content under these codes.
    pub(super) fn answering(description: String, codes: &'static [&'static str], content: Content<'a>) -> Self {
        let responses = Responses { codes, content };
        Self {
            description,
            id: None,
            parameters: Vec::new(),
            body: None,
            responses,
            tags: Vec::new(),
            action: None,
            of: None,
        }
    }
}

/// The type of what an operation is about.
#[derive(DeriveSerialize)]
pub(super) struct GroupVersionKind<'a> {
    pub(super) group: &'a str,
    pub(super) kind: &'a str,
    pub(super) version: &'a str,
}

/// What is sent to an operation.
#[derive(DeriveSerialize)]
pub(super) struct Body<'a> {
    pub(super) content: Content<'a>,
    #[serde(rename = "required", skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_required: bool,
}

/// What comes back: under each code the same, but for a refusal.
pub(super) struct Responses<'a> {
    codes: &'static [&'static str],
    content: Content<'a>,
}

impl Serialize for Responses<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.codes.iter().map(|code| {
            let (description, is_refusal) = match *code {
                "201" => ("Created", false),
                "202" => ("Accepted", false),
                "401" => ("Unauthorized", true),
                _ => ("OK", false),
            };
            (code, Response { content: (!is_refusal).then_some(&self.content), description })
        }))
    }
}

#[derive(DeriveSerialize)]
struct Response<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a Content<'a>>,
    description: &'static str,
}

/// Something of one schema in several media types.
pub(super) struct Content<'a> {
    pub(super) schema: Schema<'a>,
    pub(super) types: Vec<&'static str>,
}

impl Serialize for Content<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.types.iter().map(|name| (name, OfSchema { schema: &self.schema })))
    }
}

#[derive(DeriveSerialize)]
struct OfSchema<'a> {
    schema: &'a Schema<'a>,
}

/// The schema of what is sent or comes back.
pub(super) enum Schema<'a> {
    /// A type of the document, by name.
    Type(Cow<'a, str>),
    Object,
    Text,
}

impl Serialize for Schema<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut schema = serializer.serialize_map(Some(1))?;
        match self {
            Schema::Type(name) => schema.serialize_entry("$ref", &Reference(name))?,
            Schema::Object => schema.serialize_entry("type", "object")?,
            Schema::Text => schema.serialize_entry("type", "string")?,
        }
        schema.end()
    }
}

struct Reference<'a>(&'a str);

impl Serialize for Reference<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("#/components/schemas/{}", self.0))
    }
}
