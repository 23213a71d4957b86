//! What operations take in their paths and queries.

use std::borrow::Cow;

use pintle_wire::facts::{Shape, Type};
use serde::Serialize as DeriveSerialize;
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::catalog::kinds::Kind;

/// Something that an operation takes.
#[derive(Clone, PartialEq)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    kind: &'static str,
    place: Place,
    description: Cow<'static, str>,
}

/// Where a parameter stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Path,
    Query,
}

impl Serialize for Parameter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = match self.place {
            Place::Path => "path",
            Place::Query => "query",
        };
        let is_required = self.place == Place::Path;
        let mut parameter = serializer.serialize_struct("Parameter", 4 + usize::from(is_required))?;
        parameter.serialize_field("description", &self.description)?;
        parameter.serialize_field("in", place)?;
        parameter.serialize_field("name", self.name)?;
        if is_required {
            parameter.serialize_field("required", &true)?;
        }
        parameter.serialize_field("schema", &Schema { kind: self.kind, unique_items: true })?;
        parameter.end()
    }
}

#[derive(DeriveSerialize)]
struct Schema {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "uniqueItems")]
    unique_items: bool,
}

/// What every operation of a path takes.
pub(super) fn of_path(kind: &Kind, names: &[&'static str]) -> Vec<Parameter> {
    let namespace = kind.namespaced.then_some("namespace");
    names.iter().copied().chain(namespace).map(path_parameter).collect()
}

fn path_parameter(name: &'static str) -> Parameter {
    let description = match name {
        "path" => "what follows the path of the object",
        "namespace" => "the namespace of the object",
        _ => "the name of the object",
    };
    Parameter { name, kind: "string", place: Place::Path, description: description.into() }
}

/// The fields of a type as options.
pub(super) fn of_type(options: &'static Type) -> Vec<Parameter> {
    let simple = options.fields().iter().filter(|field| !matches!(field.name(), "apiVersion" | "kind"));
    let typed = simple.filter_map(|field| {
        let kind = match field.kind().shape() {
            Shape::String => "string",
            Shape::Bool => "boolean",
            Shape::Int32 | Shape::Int64 => "integer",
            _ => return None,
        };
        let description = format!("the option {}", field.name()).into();
        Some(Parameter { name: field.name(), kind, place: Place::Query, description })
    });
    typed.collect()
}

/// Takes out of several lists what is in all of them.
pub(super) fn hoist<'a>(lists: impl Iterator<Item = &'a mut Vec<Parameter>>) -> Vec<Parameter> {
    let mut lists: Vec<_> = lists.collect();
    let Some((first, others)) = lists.split_first() else { return Vec::new() };
    let is_in_all = |parameter: &&Parameter| others.iter().all(|list| list.contains(parameter));
    let shared: Vec<Parameter> = first.iter().filter(is_in_all).cloned().collect();
    lists.iter_mut().for_each(|list| list.retain(|parameter| !shared.contains(parameter)));
    shared
}

/// An option that many operations take.
pub(super) fn query(name: &'static str) -> Parameter {
    let (kind, description) = match name {
        "allowWatchBookmarks" => ("boolean", "whether a watch also sends bookmarks"),
        "continue" => ("string", "where the page before ended"),
        "dryRun" => ("string", "All: everything is done but storing"),
        "fieldManager" => ("string", "who is written down as having set what is set"),
        "fieldSelector" => ("string", "which objects, by their fields"),
        "fieldValidation" => ("string", "what becomes of unknown fields: Ignore, Warn or Strict"),
        "force" => ("boolean", "whether fields are taken from those who manage them"),
        "ignoreStoreReadErrorWithClusterBreakingPotential" => ("boolean", "whether an object goes that cannot be read"),
        "gracePeriodSeconds" => ("integer", "how long the object may take to end"),
        "labelSelector" => ("string", "which objects, by their labels"),
        "limit" => ("integer", "how many objects a page has at most"),
        "orphanDependents" => ("boolean", "whether what the object owns stays; propagationPolicy says it better"),
        "pretty" => ("string", "whether the answer is indented"),
        "propagationPolicy" => ("string", "what becomes of what the object owns: Orphan, Background or Foreground"),
        "resourceVersion" => ("string", "how new the answer has to be"),
        "resourceVersionMatch" => ("string", "whether it may be newer"),
        "sendInitialEvents" => ("boolean", "whether a watch begins with what is there"),
        "shardSelector" => ("string", "which part of the objects, by a hash"),
        "timeoutSeconds" => ("integer", "how long a watch goes on at most"),
        _ => ("boolean", "whether changes are sent as they happen"),
    };
    Parameter { name, kind, place: Place::Query, description: description.into() }
}

pub(super) const LIST_OPTIONS: &[&str] = &[
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
    "watch",
];

/// Of the options of lists and of deletes those that apply to both at once.
pub(super) const DELETE_COLLECTION_OPTIONS: &[&str] = &[
    "continue",
    "dryRun",
    "fieldSelector",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "labelSelector",
    "limit",
    "orphanDependents",
    "propagationPolicy",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
];
