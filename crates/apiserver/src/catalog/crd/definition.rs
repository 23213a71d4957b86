//! One definition: checked before it is stored, and read back as the kinds it makes.
//!
//! In: a CustomResourceDefinition as JSON. Out: defaults for what it leaves out, what is wrong with it (by `definition_validation`), and one
//! [`Kind`] per served version, the preferred one first.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::conversion_webhook::ConversionWebhook;
use super::definition_validation;
use super::stated_schema::StatedSchema;
use super::structural::Structural;
use super::validation_rules::ValidationRules;
use crate::catalog::kinds::{GET_PATCH_UPDATE, Kind, Origin, Storage, Subresource, owned};
use crate::codec::object::Object;
use crate::registry::custom_resource::CustomResource;
use crate::registry::subresources::scale::ScalePaths;
use crate::response::status::FieldError;
use crate::storage::entry::Entry;
use crate::storage::store::Resource;

/// A definition that can be served.
#[derive(Clone)]
pub(crate) struct Definition {
    pub(crate) resource: Resource,
    /// One per served version, by version priority.
    pub(crate) kinds: Vec<Arc<Kind>>,
    /// The kind at its storage version, which need not be served.
    pub(crate) stored: Arc<Kind>,
    pub(crate) is_terminating: bool,
    /// The schema of every version, by apiVersion.
    pub(crate) schemas: Vec<(String, Arc<Structural>)>,
    /// What it states, by a hash of it.
    spec: [u8; 32],
    /// A stored state that states it.
    entry: Arc<Entry>,
    /// The schema of every version as the stored state has it, by version.
    stated_schemas: Arc<BTreeMap<String, StatedSchema>>,
}

impl PartialEq for Definition {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec && self.resource == other.resource
    }
}

impl Definition {
    /// Whether this is made of a stored state.
    pub(super) fn is_of(&self, entry: &Arc<Entry>) -> bool {
        Arc::ptr_eq(&self.entry, entry)
    }

    /// What it states, by a hash of it.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        self.spec
    }

    /// The schema that it states for a version, as text.
    pub(crate) fn stated_schema(&self, version: &str) -> Option<&StatedSchema> {
        self.stated_schemas.get(version)
    }

    /// Reads a stored definition that is established, under the names it has been given.
    pub(crate) fn of_accepted(mut object: Object, entry: &Arc<Entry>) -> Option<Definition> {
        if !definition_validation::is_established(&object) {
            return None;
        }
        let accepted = super::accepted_names(&object);
        let mut spec = object.remove("spec")?;
        if accepted.get("plural").is_some_and(|plural| plural != "") {
            spec["names"] = accepted;
        }
        object.set("spec", spec);
        Definition::read(&object, entry)
    }

    /// Reads a stored definition.
    pub(crate) fn read(object: &Object, entry: &Arc<Entry>) -> Option<Definition> {
        let value = object.get("spec")?;
        let stated = without_nulls(value);
        let spec = Spec::deserialize(&*stated).ok()?;
        // Schemas are large: each is read once, and shared by everything that asks for it.
        let conversion = ConversionWebhook::read(value.get("conversion")).map(Arc::new);
        let kind = |(place, version): (usize, &'_ Version)| {
            let schema = Arc::new(schema(&stated["versions"][place]));
            Arc::new(kind(&spec, version, schema, entry.revision, &conversion))
        };
        let kinds = spec.versions.iter().enumerate().map(|(place, version)| (version, kind((place, version))));
        let mut kinds: Vec<(&Version, Arc<Kind>)> = kinds.collect();
        let stored = kinds.iter().find(|(version, _)| version.storage).map(|(_, kind)| Arc::clone(kind))?;
        let schema = |(_, kind): &(&Version, Arc<Kind>)| Some((kind.api_version(), Arc::clone(kind.schema.as_ref()?)));
        let schemas = kinds.iter().filter_map(schema).collect();
        kinds.retain(|(version, _)| version.served);
        kinds.sort_by_key(|(version, _)| Reverse(priority(&version.name)));
        Some(Definition {
            resource: Resource::new(&spec.group, &spec.names.plural),
            kinds: kinds.into_iter().map(|(_, kind)| kind).collect(),
            stored,
            is_terminating: object.is_deleting(),
            schemas,
            spec: fingerprint(entry, &value["names"])?,
            entry: Arc::clone(entry),
            stated_schemas: Arc::new(StatedSchema::all(entry)),
        })
    }
}

/// A hash of what an entry states, under the names it has been given.
fn fingerprint(entry: &Entry, names: &Value) -> Option<[u8; 32]> {
    let Whole { spec } = serde_json::from_slice(entry.body_bytes()).ok()?;
    Some(Sha256::new().chain_update(spec.get()).chain_update(names.to_string()).finalize().into())
}

/// What is asked of a definition before it is read as a whole.
pub(super) struct Outline {
    pub(super) resource: Resource,
    /// The version in which its objects are stored.
    pub(super) stored_version: String,
    /// The names it wants.
    pub(super) names: Value,
}

impl Outline {
    pub(super) fn of(object: &Object) -> Option<Outline> {
        let spec = object.get("spec")?;
        let names = spec.get("names").cloned().unwrap_or_default();
        let versions = spec.get("versions")?.as_array()?;
        let stored = versions.iter().find(|version| version["storage"] == true)?;
        Some(Outline {
            resource: Resource::new(spec.get("group")?.as_str()?, names.get("plural")?.as_str()?),
            stored_version: stored["name"].as_str()?.to_owned(),
            names,
        })
    }
}

/// Fills in what a definition may leave out: names and the conversion.
pub(crate) fn fill_in(object: &mut Object) {
    let Some(value) = object.get("spec").filter(|spec| spec.is_object()) else { return };
    let Ok(spec) = Spec::read(value) else { return };
    object.change_field("spec", |value| fill_in_spec(value, &spec));
}

/// Notes in which version the objects of a definition are stored.
pub(crate) fn note_stored_version(object: &mut Object) {
    let Some(Ok(spec)) = object.get("spec").filter(|spec| spec.is_object()).map(Spec::read) else { return };
    if let Some(version) = spec.versions.iter().find(|version| version.storage) {
        let status = super::status(object);
        object.set("status", with_stored_version(status, &version.name));
    }
}

fn fill_in_spec(value: &mut Map<String, Value>, spec: &Spec) {
    if let Some(names) = value.get_mut("names").and_then(Value::as_object_mut).filter(|_| !spec.names.kind.is_empty()) {
        default(names, "singular", spec.names.kind.to_lowercase());
        default(names, "listKind", format!("{}List", spec.names.kind));
    }
    if value.get("conversion").is_none_or(Value::is_null) {
        value.insert("conversion".to_owned(), json!({"strategy": "None"}));
    }
    let conversion = value.get_mut("conversion").and_then(|stated| stated.pointer_mut("/webhook/clientConfig/service"));
    let service = conversion.and_then(Value::as_object_mut);
    if let Some(service) = service.filter(|service| service.get("port").is_none_or(Value::is_null)) {
        service.insert("port".to_owned(), HTTPS_PORT.into());
    }
}

/// The status of a definition whose objects are stored in this version from now on.
pub(super) fn with_stored_version(mut status: Value, version: &str) -> Value {
    let mut stored = status.get("storedVersions").and_then(Value::as_array).cloned().unwrap_or_default();
    if !stored.iter().any(|known| known == version) {
        stored.push(version.into());
    }
    status["storedVersions"] = stored.into();
    status
}

/// What is wrong with a definition.
pub(crate) fn errors(before: Option<&Object>, object: &Object) -> Vec<FieldError> {
    match (object.get("spec").map(Spec::read), before) {
        (Some(Ok(spec)), None) => definition_validation::of_new(object, &spec),
        (Some(Ok(spec)), Some(before)) => definition_validation::of_change(before, object, &spec),
        (Some(Err(error)), _) => vec![FieldError::invalid("spec", "null", &error.to_string())],
        (None, _) => vec![FieldError::required("spec", "")],
    }
}

/// Where a webhook's service listens unless it is said.
const HTTPS_PORT: u16 = 443;

fn default(names: &mut Map<String, Value>, field: &str, value: String) {
    if names.get(field).and_then(Value::as_str).unwrap_or_default().is_empty() {
        names.insert(field.to_owned(), value.into());
    }
}

fn kind(
    spec: &Spec,
    version: &Version,
    schema: Arc<Structural>,
    since: u64,
    conversion: &Option<Arc<ConversionWebhook>>,
) -> Kind {
    let names = &spec.names;
    let list_kind = if names.list_kind.is_empty() { format!("{}List", names.kind) } else { names.list_kind.clone() };
    let singular = if names.singular.is_empty() { names.kind.to_lowercase() } else { names.singular.clone() };
    let mut subresources = Vec::new();
    if version.subresources.status.is_some() {
        subresources.push(subresource("status", "", &names.kind));
    }
    if version.subresources.scale.is_some() {
        subresources.push(subresource("scale", "autoscaling/v1", "Scale"));
    }
    Kind {
        group: spec.group.clone(),
        version: version.name.clone(),
        plural: names.plural.clone(),
        singular,
        kind: names.kind.clone(),
        list_kind,
        namespaced: spec.scope == "Namespaced",
        short_names: names.short_names.clone(),
        categories: names.categories.clone(),
        verbs: owned(VERBS),
        subresources,
        origin: Origin::Custom,
        stored_as: Resource::new(&spec.group, &names.plural),
        strategy: &CustomResource,
        storage: Storage {
            needs_version: true,
            has_generation: true,
            version: spec.versions.iter().find(|version| version.storage).map(|version| version.name.clone()),
            ..Storage::default()
        },
        scale: version.subresources.scale.as_ref().map(ScalePaths::of_definition),
        schema: Some(schema),
        since,
        printer_columns: version.printer_columns.clone(),
        selectable_fields: version.selectable_fields.iter().map(SelectableField::label).collect(),
        conversion: conversion.clone(),
        deprecation: deprecation(spec, version),
    }
}

/// The warning that clients get when they use a deprecated version.
fn deprecation(spec: &Spec, version: &Version) -> Option<String> {
    let own = version.deprecation_warning.clone().filter(|_| version.deprecated);
    if own.is_some() || !version.deprecated {
        return own;
    }
    let name = |version: &str| format!("{}/{version} {}", spec.group, spec.names.kind);
    let newer = spec.versions.iter().filter(|other| other.served && !other.deprecated);
    let newer = newer.filter(|other| priority(&other.name) > priority(&version.name));
    let instead = newer.max_by_key(|other| priority(&other.name));
    let instead = instead.map(|other| format!("; use {}", name(&other.name))).unwrap_or_default();
    Some(format!("{} is deprecated{instead}", name(&version.name)))
}

/// The schema that a version states; without one everything is free.
fn schema(version: &Value) -> Structural {
    let stated = version.get("schema").and_then(|schema| schema.get("openAPIV3Schema"));
    let read = stated.and_then(|schema| {
        let rules = ValidationRules::of(schema);
        Structural::read(schema).ok().map(|read| Structural { rules, ..read })
    });
    read.unwrap_or_else(|| Structural { preserve_unknown_fields: true, ..Structural::default() })
}

fn subresource(name: &str, group_version: &str, kind: &str) -> Subresource {
    Subresource {
        name: name.to_owned(),
        group_version: group_version.to_owned(),
        kind: kind.to_owned(),
        verbs: owned(GET_PATCH_UPDATE),
    }
}

/// Kubernetes' order of versions, greatest first: v2, v1, v2beta1, v1beta2, v1alpha1, and then all other names.
pub(crate) fn priority(version: &str) -> (u8, u64, u64, Reverse<String>) {
    let other = (0, 0, 0, Reverse(version.to_owned()));
    let Some(rest) = version.strip_prefix('v') else {
        return other;
    };
    let (major, rest) = rest.split_at(rest.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(rest.len()));
    let (Ok(major), stage) = (major.parse(), rest) else {
        return other;
    };
    let minor = |word: &str| stage.strip_prefix(word).and_then(|minor| minor.parse().ok());
    match (stage, minor("beta"), minor("alpha")) {
        ("", ..) => (3, major, 0, Reverse(String::new())),
        (_, Some(beta), _) => (2, major, beta, Reverse(String::new())),
        (_, _, Some(alpha)) => (1, major, alpha, Reverse(String::new())),
        _ => other,
    }
}

/// The part of a definition that is understood here.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Spec {
    pub(super) group: String,
    pub(super) names: Names,
    pub(super) scope: String,
    pub(super) versions: Vec<Version>,
}

impl Spec {
    /// Reads a spec; a field that is null counts as absent, as it does to every server written in Go.
    pub(super) fn read(value: &Value) -> serde_json::Result<Spec> {
        Spec::deserialize(&*without_nulls(value))
    }
}

/// The value without fields that are null. Hardly any definition has one, and then it is not copied.
fn without_nulls(value: &Value) -> Cow<'_, Value> {
    if has_nulls(value) { Cow::Owned(copied_without_nulls(value)) } else { Cow::Borrowed(value) }
}

fn has_nulls(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.values().any(|value| value.is_null() || has_nulls(value)),
        Value::Array(items) => items.iter().any(has_nulls),
        _ => false,
    }
}

fn copied_without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), copied_without_nulls(value)))
            .collect(),
        Value::Array(items) => items.iter().map(copied_without_nulls).collect(),
        other => other.clone(),
    }
}

/// A stored definition, of which only the spec is looked at.
#[derive(Deserialize)]
struct Whole<'a> {
    #[serde(borrow)]
    spec: &'a RawValue,
}

/// What the objects are called.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Names {
    pub(super) plural: String,
    pub(super) singular: String,
    pub(super) kind: String,
    pub(super) list_kind: String,
    pub(super) short_names: Vec<String>,
    pub(super) categories: Vec<String>,
}

/// One version.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Version {
    pub(super) name: String,
    pub(super) served: bool,
    pub(super) storage: bool,
    pub(super) deprecated: bool,
    #[serde(rename = "deprecationWarning")]
    pub(super) deprecation_warning: Option<String>,
    pub(super) subresources: Subresources,
    #[serde(rename = "additionalPrinterColumns")]
    pub(super) printer_columns: Vec<Value>,
    #[serde(rename = "selectableFields")]
    pub(super) selectable_fields: Vec<SelectableField>,
}

/// A field by which objects can be selected.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SelectableField {
    pub(super) json_path: String,
}

impl SelectableField {
    /// The field as selectors name it.
    fn label(&self) -> String {
        self.json_path.trim_start_matches('.').to_owned()
    }
}

/// Which subresources a version has.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Subresources {
    pub(super) status: Option<Value>,
    pub(super) scale: Option<Value>,
}

/// Every verb, in the order in which discovery lists those of custom resources.
const VERBS: &[&str] = &["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_copied_to_be_read_only_where_it_has_nulls() {
        let clean = json!({"versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object"}}}]});
        assert!(matches!(without_nulls(&clean), Cow::Borrowed(_)));
        let mut nulls = clean.clone();
        nulls["versions"][0]["subresources"] = Value::Null;
        assert_eq!(*without_nulls(&nulls), clean);
    }

    #[test]
    fn versions_are_served_in_kubernetes_order() {
        let mut versions = ["foo10", "v1alpha1", "v10", "v2beta1", "foo1", "v1", "v11alpha2", "v3beta1", "v1beta2"];
        versions.sort_by_key(|version| Reverse(priority(version)));
        assert_eq!(versions, ["v10", "v1", "v3beta1", "v2beta1", "v1beta2", "v11alpha2", "v1alpha1", "foo1", "foo10"]);
    }
}
