//! Subresources that are connections: exec, attach, port forwarding and proxies. Whatever the method, bytes go through.

use pintle_wire::facts;
use serde_json::{Map, Value, json};

use super::{capitalized, group_word, parameters};
use crate::catalog::kinds::{Kind, Subresource};

/// Whether a subresource is one.
pub(super) fn is_connection(kind: &Kind, subresource: &Subresource) -> bool {
    !kind.is_custom() && matches!(subresource.name.as_str(), "attach" | "exec" | "portforward" | "proxy")
}

/// Adds the paths of a connection to an object.
pub(super) fn add_paths(paths: &mut Map<String, Value>, object: &str, kind: &Kind, subresource: &Subresource) {
    let path = format!("{object}/{}", subresource.name);
    if subresource.name == "proxy" {
        paths.insert(format!("{path}/{{path}}"), path_item(kind, subresource, &["name", "path"], "WithPath"));
    }
    paths.insert(path, path_item(kind, subresource, &["name"], ""));
}

fn path_item(kind: &Kind, subresource: &Subresource, names: &[&str], ending: &str) -> Value {
    let by_verb = subresource.verbs.iter().map(|verb| match verb.as_str() {
        "create" => "post",
        "update" => "put",
        other => other,
    });
    let more: &[&str] = if subresource.name == "proxy" { &["head", "options"] } else { &[] };
    let methods = by_verb.chain(more.iter().copied());
    let mut item: Map<String, Value> =
        methods.map(|method| (method.to_owned(), operation(kind, subresource, method, ending))).collect();
    let options = facts::kind(&kind.group, &kind.version, &subresource.kind).map(parameters::of_type);
    let taken = parameters::of_path(kind, names).into_iter().chain(options.unwrap_or_default());
    parameters::hoist(&mut item, taken.collect());
    item.into()
}

fn operation(kind: &Kind, subresource: &Subresource, method: &str, ending: &str) -> Value {
    let (group, namespaced) = (group_word(&kind.group), if kind.namespaced { "Namespaced" } else { "" });
    let id = format!(
        "connect{}{}{}{namespaced}{}{}{ending}",
        capitalized(&group),
        capitalized(&kind.version),
        capitalized(method),
        kind.kind,
        capitalized(&subresource.name)
    );
    json!({
        "description": format!("connects to the {} of a {}", subresource.name, kind.kind),
        "operationId": id,
        "responses": {
            "200": {"description": "OK", "content": {"*/*": {"schema": {"type": "string"}}}},
            "401": {"description": "Unauthorized"},
        },
        "tags": [format!("{group}_{}", kind.version)],
        "x-kubernetes-action": "connect",
        "x-kubernetes-group-version-kind": {"group": kind.group, "version": kind.version, "kind": subresource.kind},
    })
}
