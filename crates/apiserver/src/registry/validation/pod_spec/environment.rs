//! Variables of a container, and the fields of its pod that they, and files, can show.

use serde_json::Value;

use crate::registry::validation::field::Field;
use crate::registry::validation::qualified_names;
use crate::registry::validation::rules::{self, Rule, Rules};
use crate::response::status::FieldError;

/// What is wrong with the variables of a container.
pub(super) fn errors(container: &Field<'_>) -> Vec<FieldError> {
    let single = container.field("env").items().flat_map(|variable| of_variable(&variable));
    let from = container.field("envFrom");
    single.chain(from.items().flat_map(|source| of_source(&source, &from.path))).collect()
}

fn of_variable(variable: &Field<'_>) -> Vec<FieldError> {
    let (name, from) = (variable.field("name"), variable.field("valueFrom"));
    let mut errors: Vec<FieldError> = name.required().into_iter().collect();
    errors.extend(unprintable(&name));
    if from.value.is_null() {
        return errors;
    }
    let said: Vec<&Source> = SOURCES.iter().filter(|(kind, _)| !from.field(kind).value.is_null()).collect();
    errors.extend(said.iter().flat_map(|(kind, check)| check(&from.field(kind))));
    let why = match said.len() {
        0 => "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        _ if !variable.field("value").is_empty() => "may not be specified when `value` is not empty",
        1 => return errors,
        _ => "may not have more than one field specified at a time",
    };
    errors.push(FieldError::invalid_text(&from.path, "", why));
    errors
}

fn unprintable(name: &Field<'_>) -> Option<FieldError> {
    let is_printable = name.text().bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'=');
    let why = "a valid environment variable name must consist only of printable ASCII characters other than '='";
    (!is_printable).then(|| name.wrong_text(why))
}

/// All keys of a ConfigMap or Secret as variables.
fn of_source(source: &Field<'_>, list: &str) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = unprintable(&source.field("prefix")).into_iter().collect();
    let said: Vec<Field<'_>> = ["configMapRef", "secretRef"].iter().map(|kind| source.field(kind)).collect();
    let said: Vec<&Field<'_>> = said.iter().filter(|reference| !reference.value.is_null()).collect();
    errors.extend(said.iter().flat_map(|reference| rules::errors(reference, NAMED)));
    let why = match said.len() {
        0 => "must specify one of: `configMapRef` or `secretRef`",
        1 => return errors,
        _ => "may not have more than one field specified at a time",
    };
    errors.push(FieldError::invalid_text(list, "", why));
    errors
}

type Source = (&'static str, fn(&Field<'_>) -> Vec<FieldError>);

/// Where the value of a variable can come from.
const SOURCES: &[Source] = &[
    ("fieldRef", |reference| pod_field(reference, VARIABLE_FIELDS)),
    ("resourceFieldRef", |reference| resource_field(reference, false)),
    ("configMapKeyRef", key_reference),
    ("secretKeyRef", key_reference),
];

fn key_reference(reference: &Field<'_>) -> Vec<FieldError> {
    let name = reference.field("name");
    let wrong = crate::registry::validation::names::subdomain(name.text());
    let mut errors: Vec<FieldError> = wrong.iter().map(|why| name.wrong_text(why)).collect();
    errors.extend(rules::errors(reference, KEY));
    errors
}

/// A field of the pod, named by a path that is one of these or a key of its labels or annotations.
pub(super) fn pod_field(reference: &Field<'_>, known: &[&str]) -> Vec<FieldError> {
    let (path, version) = (reference.field("fieldPath"), reference.field("apiVersion"));
    if path.is_empty() {
        return path.required().into_iter().collect();
    }
    let unknown = |why: String| vec![path.wrong_text(&format!("error converting fieldPath: {why}"))];
    if !matches!(version.text(), "" | "v1") {
        return unknown(format!("unsupported pod version: {}", version.text()));
    }
    if let Some((map, key)) = subscript(path.text()) {
        let key = match map {
            "metadata.annotations" => key.to_lowercase(),
            "metadata.labels" => key.to_owned(),
            _ => return unknown(format!("field label does not support subscript: {}", path.text())),
        };
        let wrong = qualified_names::key(&key);
        return wrong.iter().map(|why| FieldError::invalid_text(&reference.path, &key, why)).collect();
    }
    if !CONVERTIBLE.contains(&path.text()) {
        return unknown(format!("field label not supported: {}", path.text()));
    }
    let is_known = known.contains(&path.text());
    if is_known { Vec::new() } else { vec![FieldError::not_supported(&path.path, path.text(), known)] }
}

/// `metadata.labels['key']` as the map and the key.
fn subscript(path: &str) -> Option<(&str, &str)> {
    path.strip_suffix("']")?.split_once("['")
}

/// An amount of a container.
pub(super) fn resource_field(reference: &Field<'_>, needs_container: bool) -> Vec<FieldError> {
    let (resource, divisor) = (reference.field("resource"), reference.field("divisor"));
    if needs_container && reference.field("containerName").is_empty() {
        return vec![FieldError::required(&reference.field("containerName").path, "")];
    }
    if resource.is_empty() {
        return resource.required().into_iter().collect();
    }
    let is_pages = ["limits.hugepages-", "requests.hugepages-"].iter().any(|known| resource.text().starts_with(known));
    if !is_pages && !RESOURCES.contains(&resource.text()) {
        return vec![FieldError::not_supported(&resource.path, resource.text(), RESOURCES)];
    }
    let (allowed, why): (&[&str], &str) = if resource.text().ends_with(".cpu") {
        (&["1m", "1"], "only divisor's values 1m and 1 are supported with the cpu resource")
    } else {
        (
            BYTES,
            "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the local ephemeral storage resource",
        )
    };
    let text = match divisor.value {
        Value::String(text) => text.as_str(),
        _ => "0",
    };
    // Of memory another sentence is said, which no manifest was seen to earn.
    let is_fine = text == "0" || allowed.contains(&text) || resource.text().ends_with(".memory");
    if is_fine { Vec::new() } else { vec![FieldError::invalid_text(&divisor.path, resource.text(), why)] }
}

const NAMED: Rules = &[("name", Rule::Required), ("name", Rule::Subdomain)];

const KEY: Rules = &[("key", Rule::Required), ("key", Rule::ConfigKey)];

/// Fields that a path can name at all.
const CONVERTIBLE: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "metadata.labels",
    "metadata.annotations",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "status.phase",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
    "spec.hostNetwork",
    "status.nominatedNodeName",
];

/// What a variable can show.
const VARIABLE_FIELDS: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

const RESOURCES: &[&str] = &[
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

const BYTES: &[&str] = &["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
