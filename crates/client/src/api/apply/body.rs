//! What an apply sends: whose object it is, and only what is set.
//!
//! [`completed`] adds `apiVersion` and `kind` to a body that lacks them and changes nothing else. [`set_fields`] makes a
//! body of a Rust object: what the type had to fill in is left out, because an apply owns every field it sends.
//!
//! - `null`s go: a field is given up by not sending it.
//! - Of built-in kinds, a field that its Rust type cannot leave out (`selector`, `template`, `containers`) goes where it
//!   is empty or zero: it counts as not set. A field that is an `Option` stays if it is `Some`, whatever it holds.
//! - `metadata.managedFields` and `metadata.resourceVersion` go: a server refuses the first, and the second would make
//!   the apply fail when another client has written.

use pintle_core::TypeMeta;
use pintle_wire::facts::{self, Field, Holds, Shape, Type};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `apiVersion` and `kind`, if a body says them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said<'a> {
    #[serde(borrow, default)]
    api_version: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow, default)]
    kind: Option<std::borrow::Cow<'a, str>>,
}

/// The body of an apply with `apiVersion` and `kind`. One that has them, or is not JSON object, is not touched.
pub(crate) fn completed(body: Vec<u8>, types: &TypeMeta) -> Vec<u8> {
    let Ok(said) = serde_json::from_slice::<Said<'_>>(&body) else { return body };
    let is_said = |word: Option<std::borrow::Cow<'_, str>>| word.is_some_and(|word| !word.is_empty());
    if is_said(said.api_version) && is_said(said.kind) {
        return body;
    }
    let Ok(Value::Object(mut object)) = serde_json::from_slice(&body) else { return body };
    name_kind(&mut object, types);
    serde_json::to_vec(&object).unwrap_or(body)
}

/// A Rust object as the body of an apply, and the version it was read at, if it was read.
pub(super) fn set_fields(
    object: &impl Serialize,
    types: &TypeMeta,
) -> Result<(Map<String, Value>, Option<String>), serde_json::Error> {
    let Value::Object(mut object) = serde_json::to_value(object)? else {
        return Err(serde::ser::Error::custom("an apply sends an object with fields"));
    };
    name_kind(&mut object, types);
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    let version = metadata.and_then(|metadata| {
        metadata.remove("managedFields");
        metadata.remove("resourceVersion")
    });
    prune(&mut object, facts::kind_of(&types.api_version, &types.kind));
    Ok((object, version.as_ref().and_then(Value::as_str).map(str::to_owned)))
}

fn name_kind(object: &mut Map<String, Value>, types: &TypeMeta) {
    for (word, value) in [("apiVersion", &types.api_version), ("kind", &types.kind)] {
        let is_said = object.get(word).and_then(Value::as_str).is_some_and(|said| !said.is_empty());
        if !is_said {
            object.insert(word.to_owned(), Value::String(value.clone()));
        }
    }
}

/// Leaves out what is not set in an object of this type; of one whose type is not known only `null`s.
fn prune(object: &mut Map<String, Value>, kind: Option<&'static Type>) {
    object.retain(|name, value| {
        let field = kind.and_then(|kind| kind.field(name));
        prune_value(value, field);
        !value.is_null() && !field.is_some_and(|field| is_filled_in(field, value))
    });
}

fn prune_value(value: &mut Value, field: Option<&'static Field>) {
    let kind = field.map(Field::kind);
    // What is kept as it came may well hold a `null`.
    if kind.is_some_and(|kind| matches!(kind.shape(), Shape::Any | Shape::Raw)) {
        return;
    }
    match value {
        Value::Object(entries) if field.is_some_and(|field| field.holds() == Holds::Map) => {
            entries.values_mut().filter_map(Value::as_object_mut).for_each(|entry| prune(entry, kind));
        }
        Value::Object(object) => prune(object, kind),
        Value::Array(items) => items.iter_mut().filter_map(Value::as_object_mut).for_each(|item| prune(item, kind)),
        _ => {}
    }
}

/// Whether a Rust type may have had to fill this in: a field that is always written, with nothing in it.
fn is_filled_in(field: &Field, value: &Value) -> bool {
    let is_always_written = field.is_required() || (!field.omits_empty() && !field.is_pointer());
    let is_empty = match value {
        Value::Null => true,
        Value::Bool(is_set) => !is_set,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(object) => object.is_empty(),
    };
    is_always_written && is_empty
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
    use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec};
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ManagedFieldsEntry, ObjectMeta};
    use serde_json::json;

    use super::*;

    fn types(api_version: &str, kind: &str) -> TypeMeta {
        TypeMeta { api_version: api_version.into(), kind: kind.into() }
    }

    fn sent(object: &impl Serialize, api_version: &str, kind: &str) -> Value {
        set_fields(object, &types(api_version, kind)).unwrap().0.into()
    }

    #[test]
    fn a_body_gets_the_words_it_lacks_and_keeps_its_bytes_otherwise() {
        let complete = |body: &str| String::from_utf8(completed(body.into(), &types("v1", "ConfigMap"))).unwrap();
        assert_eq!(complete(r#"{"data":{}}"#), r#"{"apiVersion":"v1","data":{},"kind":"ConfigMap"}"#);
        assert_eq!(complete(r#"{"kind":"Other"}"#), r#"{"apiVersion":"v1","kind":"Other"}"#);
        assert_eq!(complete(r#"{"apiVersion":"","kind":null}"#), r#"{"apiVersion":"v1","kind":"ConfigMap"}"#);
        for whole in [r#"{ "kind":"A", "apiVersion" : "b" , "z":1,"a":2}"#, "[]", "kind: ConfigMap", ""] {
            assert_eq!(complete(whole), whole);
        }
    }

    #[test]
    fn what_a_rust_type_cannot_leave_out_is_not_sent_unless_it_is_set() {
        let mut deployment = Deployment {
            metadata: ObjectMeta { name: Some("web".into()), ..ObjectMeta::default() },
            spec: DeploymentSpec { replicas: Some(0), ..DeploymentSpec::default() },
            ..Deployment::default()
        };
        let head = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" } });
        let mut expected = head.clone();
        expected["spec"] = json!({ "replicas": 0 });
        assert_eq!(sent(&deployment, "apps/v1", "Deployment"), expected);

        let container = Container { name: "app".into(), image: Some(String::new()), ..Container::default() };
        deployment.spec = DeploymentSpec {
            selector: LabelSelector {
                match_labels: Some([("a".into(), String::new())].into()),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta::default()),
                spec: Some(PodSpec { containers: vec![container], ..PodSpec::default() }),
            },
            ..DeploymentSpec::default()
        };
        expected["spec"] = json!({
            "selector": { "matchLabels": { "a": "" } },
            "template": { "metadata": {}, "spec": { "containers": [{ "name": "app", "image": "" }] } }
        });
        assert_eq!(sent(&deployment, "apps/v1", "Deployment"), expected, "an Option that is Some is sent");
    }

    #[test]
    fn of_a_custom_kind_all_but_the_nulls_is_sent() {
        let object = json!({
            "metadata": { "name": "a", "creationTimestamp": null },
            "spec": { "title": "", "words": null, "parts": [{ "a": null, "b": 0 }, null], "tags": [], "is": false }
        });
        let expected = json!({
            "apiVersion": "example.com/v1", "kind": "Document", "metadata": { "name": "a" },
            "spec": { "title": "", "parts": [{ "b": 0 }, null], "tags": [], "is": false }
        });
        assert_eq!(sent(&object, "example.com/v1", "Document"), expected);
    }

    #[test]
    fn the_version_is_noted_and_not_sent() {
        let metadata = ObjectMeta {
            name: Some("a".into()),
            resource_version: Some("7".into()),
            managed_fields: Some(vec![ManagedFieldsEntry::default()]),
            ..ObjectMeta::default()
        };
        let object = Deployment { metadata, ..Deployment::default() };
        let (body, version) = set_fields(&object, &types("apps/v1", "Deployment")).unwrap();
        assert_eq!((body["metadata"].clone(), version.as_deref()), (json!({ "name": "a" }), Some("7")));
    }

    #[test]
    fn json_within_an_object_is_its_owners() {
        let revision = json!({ "metadata": { "name": "a" }, "data": { "x": null }, "revision": 1 });
        assert_eq!(sent(&revision, "apps/v1", "ControllerRevision")["data"], json!({ "x": null }));
    }
}
