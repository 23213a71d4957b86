//! Subresources that are connections: exec, attach, port forwarding and proxies. Whatever the method, bytes go through.

use pintle_wire::facts;

use super::described::{Content, GroupVersionKind, Operation, PathItem, Schema};
use super::names::{Name, Names, capitalized};
use super::{Paths, parameters, tag};
use crate::catalog::kinds::{Kind, Subresource};

/// Whether a subresource is one.
pub(super) fn is_connection(kind: &Kind, subresource: &Subresource) -> bool {
    !kind.is_custom() && matches!(subresource.name.as_str(), "attach" | "exec" | "portforward" | "proxy")
}

/// Adds the paths of a connection to an object.
pub(super) fn add_paths<'a>(
    paths: &mut Paths<'a>,
    object: &str,
    names: &Names<'_>,
    kind: &'a Kind,
    subresource: &'a Subresource,
) {
    let path = format!("{object}/{}", subresource.name);
    if subresource.name == "proxy" {
        paths.insert(format!("{path}/{{path}}"), path_item(names, kind, subresource, &["name", "path"], "WithPath"));
    }
    paths.insert(path, path_item(names, kind, subresource, &["name"], ""));
}

fn path_item<'a>(
    names: &Names<'_>,
    kind: &'a Kind,
    subresource: &'a Subresource,
    path_names: &[&'static str],
    ending: &str,
) -> PathItem<'a> {
    let by_verb = subresource.verbs.iter().filter_map(|verb| match verb.as_str() {
        "create" => Some("post"),
        "update" => Some("put"),
        other => METHODS.iter().copied().find(|method| *method == other),
    });
    let more: &[&str] = if subresource.name == "proxy" { &["head", "options"] } else { &[] };
    let methods = by_verb.chain(more.iter().copied());
    let operations = methods.map(|method| (method, operation(names, kind, subresource, method, ending))).collect();
    let options = facts::kind(&kind.group, &kind.version, &subresource.kind).map(parameters::of_type);
    let taken = parameters::of_path(kind, path_names).into_iter().chain(options.unwrap_or_default());
    PathItem::new(operations, taken.collect())
}

fn operation<'a>(
    names: &Names<'_>,
    kind: &'a Kind,
    subresource: &'a Subresource,
    method: &str,
    ending: &str,
) -> Operation<'a> {
    let namespaced = if kind.namespaced { "Namespaced" } else { "" };
    let id = format!(
        "connect{}{}{}{namespaced}{}{}{ending}",
        names.get(Name::GroupTitle),
        names.get(Name::VersionTitle),
        capitalized(method),
        kind.kind,
        capitalized(&subresource.name)
    );
    let description = format!("connects to the {} of a {}", subresource.name, kind.kind);
    let content = Content { schema: Schema::Text, types: vec!["*/*"] };
    Operation {
        id: Some(id),
        tags: vec![tag(names)],
        action: Some("connect"),
        of: Some(GroupVersionKind { group: &kind.group, kind: &subresource.kind, version: &kind.version }),
        ..Operation::answering(description, &["200", "401"], content)
    }
}

/// Verbs of a connection that are methods.
const METHODS: &[&str] = &["get", "delete", "patch"];
