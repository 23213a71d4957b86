//! A request as reviews of webhooks and expressions tell it, besides its objects.

use serde_json::{Value, json};

use crate::admission::{Attributes, Operation};
use crate::catalog::kinds::Kind;
use crate::cluster::{DryRun, ResolvedTarget};

/// What a review tells of the request, besides the objects.
pub(in crate::admission) fn request(attributes: &Attributes<'_>, kind: &Kind, object: Option<&Value>) -> Value {
    let target = attributes.target;
    let asked = ResolvedTarget { kind: kind.clone().into(), ..target.clone() };
    let name = target.name.clone().or_else(|| Some(named(object?).to_owned())).unwrap_or_default();
    let namespace = if target.kind.is("", "namespaces") { Some(&name) } else { target.namespace.as_ref() };
    let mut request = json!({
        "kind": kind_of(&asked),
        "resource": resource_of(&asked),
        "requestKind": kind_of(target),
        "requestResource": resource_of(target),
        "operation": attributes.operation.as_str(),
        "userInfo": attributes.user.info(),
        "dryRun": attributes.dry_run == DryRun::All,
        "options": options(attributes),
    });
    for (field, value) in [
        ("name", Some(&name)),
        ("namespace", namespace),
        ("subResource", target.subresource.as_ref()),
        ("requestSubResource", target.subresource.as_ref()),
    ] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            request[field] = value.as_str().into();
        }
    }
    request
}

/// A patch is shown as the create or update that it is.
fn options(attributes: &Attributes<'_>) -> Value {
    let kind = match attributes.operation {
        Operation::Create => "CreateOptions",
        Operation::Update => "UpdateOptions",
        Operation::Delete => "DeleteOptions",
    };
    let mut options = attributes.options.as_object().cloned().unwrap_or_default();
    options.insert("kind".to_owned(), kind.into());
    options.insert("apiVersion".to_owned(), "meta.k8s.io/v1".into());
    options.remove("force");
    options.into()
}

fn named(object: &Value) -> &str {
    object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
}

fn kind_of(target: &ResolvedTarget) -> Value {
    let (api_version, kind) = target.body_type();
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    json!({"group": group, "version": version, "kind": kind})
}

fn resource_of(target: &ResolvedTarget) -> Value {
    let Kind { group, version, plural, .. } = &*target.kind;
    json!({"group": group, "version": version, "resource": plural})
}
