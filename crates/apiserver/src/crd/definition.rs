//! One definition: checked before it is stored, and read back as the kinds it makes.
//!
//! In: a CustomResourceDefinition as JSON. Out: refusals with kube-apiserver's sentences, defaults for the names left
//! out, and one [`Kind`] per served version, the preferred one first.

use std::cmp::Reverse;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::kinds::{EVERY, GET_PATCH_UPDATE, Kind, Origin, Part, owned};
use crate::object::Object;
use crate::status::{Answer, FieldError, bad_request, invalid, not_implemented};
use crate::store::Resource;

/// A definition that can be served.
pub(crate) struct Definition {
    pub(crate) resource: Resource,
    /// One per served version, by version priority.
    pub(crate) kinds: Vec<Arc<Kind>>,
    /// The kind at its storage version, which need not be served.
    pub(crate) stored: Arc<Kind>,
    pub(crate) is_terminating: bool,
    spec: Value,
}

impl PartialEq for Definition {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec && self.resource == other.resource
    }
}

impl Definition {
    pub(crate) fn group(&self) -> &str {
        &self.resource.group
    }

    /// Reads a stored definition.
    pub(crate) fn read(object: &Object) -> Option<Definition> {
        let value = object.get("spec")?.clone();
        let spec: Spec = serde_json::from_value(value.clone()).ok()?;
        let mut served: Vec<&Version> = spec.versions.iter().filter(|version| version.served).collect();
        served.sort_by_key(|version| Reverse(priority(&version.name)));
        Some(Definition {
            resource: Resource::new(&spec.group, &spec.names.plural),
            kinds: served
                .into_iter()
                .map(|version| Arc::new(kind(&spec, version)))
                .collect(),
            stored: Arc::new(kind(&spec, spec.versions.iter().find(|version| version.storage)?)),
            is_terminating: object.is_deleting(),
            spec: value,
        })
    }
}

/// Checks a definition and fills in the names it may leave out.
pub(crate) fn prepare(kind: &Kind, object: &mut Object) -> Answer<()> {
    let mut value = object.get("spec").cloned().unwrap_or_default();
    let undecodable = |why: &str| {
        bad_request(format!(
            "CustomResourceDefinition in version \"v1\" cannot be read: {why}"
        ))
    };
    if !value.get("names").is_some_and(Value::is_object) {
        return Err(undecodable("spec and spec.names must be objects"));
    }
    let spec: Spec = serde_json::from_value(value.clone()).map_err(|error| undecodable(&error.to_string()))?;
    let errors = errors(object, &spec);
    if !errors.is_empty() {
        return Err(invalid(&kind.kind, &kind.group, object.name(), &errors));
    }
    if spec.conversion.strategy == "Webhook" {
        return Err(not_implemented(
            "conversion by webhook (spec.conversion.strategy: Webhook)",
        ));
    }
    let names = value["names"].as_object_mut().expect("names were an object just now");
    default(names, "singular", spec.names.kind.to_lowercase());
    default(names, "listKind", format!("{}List", spec.names.kind));
    if value.get("conversion").is_none() {
        value["conversion"] = json!({"strategy": "None"});
    }
    object.set("spec", value);
    Ok(())
}

fn default(names: &mut Map<String, Value>, field: &str, value: String) {
    if names.get(field).and_then(Value::as_str).unwrap_or_default().is_empty() {
        names.insert(field.to_owned(), value.into());
    }
}

fn errors(object: &Object, spec: &Spec) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let required = [
        ("spec.group", &spec.group),
        ("spec.names.plural", &spec.names.plural),
        ("spec.names.kind", &spec.names.kind),
    ];
    errors.extend(
        required
            .iter()
            .filter(|(_, value)| value.is_empty())
            .map(|(field, _)| FieldError::required(field, "")),
    );
    let expected = format!("{}.{}", spec.names.plural, spec.group);
    if errors.is_empty() && object.name() != expected {
        let why = "must be spec.names.plural+\".\"+spec.group";
        errors.push(FieldError::invalid(
            "metadata.name",
            &format!("\"{}\"", object.name()),
            why,
        ));
    }
    match spec.scope.as_str() {
        "Cluster" | "Namespaced" => {}
        "" => errors.push(FieldError::required("spec.scope", "")),
        other => errors.push(FieldError::not_supported(
            "spec.scope",
            other,
            &["Cluster", "Namespaced"],
        )),
    }
    errors.extend(version_errors(spec));
    errors.extend(approval_error(object, spec));
    errors
}

fn version_errors(spec: &Spec) -> Vec<FieldError> {
    let names: Vec<&str> = spec.versions.iter().map(|version| version.name.as_str()).collect();
    let storage = spec.versions.iter().filter(|version| version.storage).count();
    let mut errors = Vec::new();
    if storage != 1 {
        let why = "must have exactly one version marked as storage version";
        errors.push(FieldError::invalid("spec.versions", &json!(names).to_string(), why));
    }
    for (index, version) in spec.versions.iter().enumerate() {
        if version
            .schema
            .as_ref()
            .and_then(|schema| schema.get("openAPIV3Schema"))
            .is_none()
        {
            let field = format!("spec.versions[{index}].schema.openAPIV3Schema");
            errors.push(FieldError::required(&field, "schemas are required"));
        }
    }
    errors
}

/// Kubernetes' own groups are kept for what its reviewers have seen.
fn approval_error(object: &Object, spec: &Spec) -> Option<FieldError> {
    let is_protected = [".k8s.io", ".kubernetes.io"]
        .iter()
        .any(|suffix| spec.group.ends_with(suffix))
        || matches!(spec.group.as_str(), "k8s.io" | "kubernetes.io");
    let approved = object
        .metadata()
        .get("annotations")
        .and_then(|all| all.get(APPROVED))
        .is_some();
    (is_protected && !approved).then(|| {
        let why = format!(
            "protected groups must have approval annotation \"{APPROVED}\", see \
             https://github.com/kubernetes/enhancements/pull/1111"
        );
        FieldError::required(&format!("metadata.annotations[{APPROVED}]"), &why)
    })
}

fn kind(spec: &Spec, version: &Version) -> Kind {
    let names = &spec.names;
    let list_kind = if names.list_kind.is_empty() {
        format!("{}List", names.kind)
    } else {
        names.list_kind.clone()
    };
    let singular = if names.singular.is_empty() {
        names.kind.to_lowercase()
    } else {
        names.singular.clone()
    };
    let mut subresources = Vec::new();
    if version.subresources.scale.is_some() {
        subresources.push(part("scale", "autoscaling/v1", "Scale"));
    }
    if version.subresources.status.is_some() {
        subresources.push(part("status", "", &names.kind));
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
        verbs: owned(EVERY),
        subresources,
        origin: Origin::Custom,
    }
}

fn part(name: &str, group_version: &str, kind: &str) -> Part {
    Part {
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

#[derive(Deserialize, Default)]
#[serde(default)]
struct Spec {
    group: String,
    names: Names,
    scope: String,
    versions: Vec<Version>,
    conversion: Conversion,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Names {
    plural: String,
    singular: String,
    kind: String,
    list_kind: String,
    short_names: Vec<String>,
    categories: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Version {
    name: String,
    served: bool,
    storage: bool,
    schema: Option<Value>,
    subresources: Subresources,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Subresources {
    status: Option<Value>,
    scale: Option<Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Conversion {
    strategy: String,
}

const APPROVED: &str = "api-approved.kubernetes.io";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_served_in_kubernetes_order() {
        let mut versions = [
            "foo10",
            "v1alpha1",
            "v10",
            "v2beta1",
            "foo1",
            "v1",
            "v11alpha2",
            "v3beta1",
            "v1beta2",
        ];
        versions.sort_by_key(|version| Reverse(priority(version)));
        assert_eq!(
            versions,
            [
                "v10",
                "v1",
                "v3beta1",
                "v2beta1",
                "v1beta2",
                "v11alpha2",
                "v1alpha1",
                "foo1",
                "foo10"
            ]
        );
    }
}
