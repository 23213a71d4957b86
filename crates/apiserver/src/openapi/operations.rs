//! What can be done to a kind, as OpenAPI tells it: the paths of its collection, of one object and of its subresources, with
//! the options that each takes and what comes back.

use serde_json::{Map, Value, json};

use super::schemas;
use crate::kinds::{Kind, Part};

/// Adds the paths of a kind, below the path of its group and version.
pub(super) fn add_paths(paths: &mut Map<String, Value>, prefix: &str, kind: &Kind) {
    let namespace = if kind.namespaced { "namespaces/{namespace}/" } else { "" };
    let collection = format!("/{prefix}/{namespace}{}", kind.plural);
    let object = format!("{collection}/{{name}}");
    let all: &[Action] = &[Action::List, Action::Create, Action::DeleteCollection];
    let one: &[Action] = &[Action::Read, Action::Replace, Action::Patch, Action::Delete];
    paths.insert(collection.clone(), path_item(kind, None, all, &parameters_of(kind, false)));
    paths.insert(object.clone(), path_item(kind, None, one, &parameters_of(kind, true)));
    if kind.namespaced && kind.allows("list") {
        let everywhere = path_item(kind, None, &[Action::ListEverywhere], &[]);
        paths.insert(format!("/{prefix}/{}", kind.plural), everywhere);
    }
    for part in &kind.subresources {
        let item = path_item(
            kind,
            Some(part),
            &[Action::Create, Action::Read, Action::Replace, Action::Patch],
            &parameters_of(kind, true),
        );
        paths.insert(format!("{object}/{}", part.name), item);
    }
}

/// What a path lets one do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    List,
    ListEverywhere,
    Create,
    DeleteCollection,
    Read,
    Replace,
    Patch,
    Delete,
}

impl Action {
    fn method(self) -> &'static str {
        match self {
            Action::List | Action::ListEverywhere | Action::Read => "get",
            Action::Create => "post",
            Action::Replace => "put",
            Action::Patch => "patch",
            Action::Delete | Action::DeleteCollection => "delete",
        }
    }

    /// The verb as a kind allows it.
    fn verb(self) -> &'static str {
        match self {
            Action::List | Action::ListEverywhere => "list",
            Action::Create => "create",
            Action::DeleteCollection => "deletecollection",
            Action::Read => "get",
            Action::Replace => "update",
            Action::Patch => "patch",
            Action::Delete => "delete",
        }
    }

    /// What Kubernetes calls it in `x-kubernetes-action`.
    fn name(self) -> &'static str {
        match self {
            Action::Create => "post",
            Action::Replace => "put",
            other => other.verb(),
        }
    }

    /// How the name of the operation begins.
    fn word(self) -> &'static str {
        match self {
            Action::Read => "read",
            Action::Replace => "replace",
            Action::DeleteCollection => "delete",
            other => other.verb(),
        }
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Action::List | Action::ListEverywhere => LIST_OPTIONS,
            Action::DeleteCollection => &["continue", "dryRun", "fieldSelector", "labelSelector", "limit"],
            Action::Delete => &["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"],
            Action::Create | Action::Replace => &["dryRun", "fieldManager", "fieldValidation"],
            Action::Patch => &["dryRun", "fieldManager", "fieldValidation", "force"],
            Action::Read => &[],
        }
    }

    fn codes(self) -> &'static [&'static str] {
        match self {
            Action::Create => &["200", "201", "202"],
            Action::Replace | Action::Patch => &["200", "201"],
            Action::Delete => &["200", "202"],
            _ => &["200"],
        }
    }
}

fn path_item(kind: &Kind, part: Option<&Part>, actions: &[Action], parameters: &[Value]) -> Value {
    let verbs = part.map_or(&kind.verbs, |part| &part.verbs);
    let mut item = Map::new();
    for action in actions.iter().filter(|action| verbs.iter().any(|verb| verb == action.verb())) {
        item.insert(action.method().to_owned(), operation(kind, part, *action));
    }
    if !parameters.is_empty() {
        item.insert("parameters".to_owned(), parameters.into());
    }
    item.into()
}

fn operation(kind: &Kind, part: Option<&Part>, action: Action) -> Value {
    let own = schema_name(kind, part);
    let answer = match action {
        Action::List | Action::ListEverywhere => schemas::name_of(kind, &kind.list_kind),
        Action::DeleteCollection | Action::Delete => STATUS.to_owned(),
        _ => own.clone(),
    };
    let responses = action.codes().iter().map(|code| ((*code).to_owned(), response(kind, code, &answer)));
    let mut responses: Map<String, Value> = responses.collect();
    responses.insert("401".to_owned(), json!({"description": "Unauthorized"}));
    let options: Vec<Value> = action.options().iter().map(|name| query_parameter(name)).collect();
    let (group, version, name) = type_of(kind, part);
    let mut operation = json!({
        "description": description(kind, part, action),
        "operationId": operation_id(kind, part, action),
        "responses": responses,
        "tags": [format!("{}_{}", group_word(&kind.group), kind.version)],
        "x-kubernetes-action": action.name(),
        "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": name},
    });
    if !options.is_empty() {
        operation["parameters"] = options.into();
    }
    match action {
        Action::Patch => operation["requestBody"] = patch_body(kind),
        Action::Create | Action::Replace => {
            operation["requestBody"] = json!({"content": {"*/*": {"schema": reference(&own)}}, "required": true});
        }
        Action::Delete | Action::DeleteCollection => {
            operation["requestBody"] = json!({"content": {"*/*": {"schema": reference(DELETE_OPTIONS)}}});
        }
        _ => {}
    }
    operation
}

fn patch_body(kind: &Kind) -> Value {
    let mut types = vec!["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];
    if !kind.is_custom() {
        types.push("application/strategic-merge-patch+json");
    }
    let content: Map<String, Value> =
        types.into_iter().map(|name| (name.to_owned(), json!({"schema": reference(PATCH)}))).collect();
    json!({"content": content, "required": true})
}

fn response(kind: &Kind, code: &str, schema: &str) -> Value {
    let mut types = vec!["application/json", "application/yaml"];
    if !kind.is_custom() {
        types.push("application/vnd.kubernetes.protobuf");
    }
    let content: Map<String, Value> =
        types.into_iter().map(|name| (name.to_owned(), json!({"schema": reference(schema)}))).collect();
    let description = match code {
        "201" => "Created",
        "202" => "Accepted",
        _ => "OK",
    };
    json!({"description": description, "content": content})
}

fn description(kind: &Kind, part: Option<&Part>, action: Action) -> String {
    let of = part.map(|part| format!("the {} of ", part.name)).unwrap_or_default();
    let name = &kind.kind;
    match action {
        Action::List => format!("objects of kind {name}"),
        Action::ListEverywhere => format!("objects of kind {name}, of all namespaces"),
        Action::Create => format!("makes {of}a {name}"),
        Action::DeleteCollection => format!("deletes objects of kind {name}"),
        Action::Read => format!("{of}one {name}"),
        Action::Replace => format!("replaces {of}a {name}"),
        Action::Patch => format!("changes parts of {of}a {name}"),
        Action::Delete => format!("deletes a {name}"),
    }
}

/// `patchAppsV1NamespacedDeploymentStatus`.
fn operation_id(kind: &Kind, part: Option<&Part>, action: Action) -> String {
    let group = capitalized(&group_word(&kind.group));
    let collection = if action == Action::DeleteCollection { "Collection" } else { "" };
    let namespaced = if kind.namespaced && action != Action::ListEverywhere { "Namespaced" } else { "" };
    let part = part.map(|part| capitalized(&part.name)).unwrap_or_default();
    let everywhere = if action == Action::ListEverywhere { "ForAllNamespaces" } else { "" };
    let version = capitalized(&kind.version);
    format!("{}{group}{version}{collection}{namespaced}{}{part}{everywhere}", action.word(), kind.kind)
}

/// `apps`, `rbacAuthorization`, `core`: a group as a word; of custom ones everything counts.
fn group_word(group: &str) -> String {
    let group = group.strip_suffix(".k8s.io").unwrap_or(group);
    let mut words = group.split('.').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or("core").to_owned();
    words.fold(first, |name, word| name + &capitalized(word))
}

fn capitalized(word: &str) -> String {
    let mut signs = word.chars();
    signs.next().map(|first| first.to_uppercase().collect::<String>() + signs.as_str()).unwrap_or_default()
}

/// The group, version and kind of what is sent to a path.
fn type_of<'a>(kind: &'a Kind, part: Option<&'a Part>) -> (&'a str, &'a str, &'a str) {
    match part {
        Some(part) => match part.group_version.split_once('/') {
            Some((group, version)) => (group, version, &part.kind),
            None if part.group_version.is_empty() => (&kind.group, &kind.version, &part.kind),
            None => ("", &part.group_version, &part.kind),
        },
        None => (&kind.group, &kind.version, &kind.kind),
    }
}

fn schema_name(kind: &Kind, part: Option<&Part>) -> String {
    let (group, version, name) = type_of(kind, part);
    match pintle_wire::facts::kind(group, version, name) {
        Some(known) => known.name().to_owned(),
        None => schemas::name_of(kind, name),
    }
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// What every operation of a path takes.
fn parameters_of(kind: &Kind, named: bool) -> Vec<Value> {
    let in_path = |name: &str, description: &str| {
        json!({
            "name": name, "in": "path", "required": true, "description": description,
            "schema": {"type": "string", "uniqueItems": true},
        })
    };
    let mut parameters = Vec::new();
    if named {
        parameters.push(in_path("name", "the name of the object"));
    }
    if kind.namespaced {
        parameters.push(in_path("namespace", "the namespace of the object"));
    }
    parameters.push(query_parameter("pretty"));
    parameters
}

fn query_parameter(name: &str) -> Value {
    let (kind, description) = match name {
        "allowWatchBookmarks" => ("boolean", "whether a watch also tells how far it is"),
        "continue" => ("string", "where the page before ended"),
        "dryRun" => ("string", "All: everything is done but storing"),
        "fieldManager" => ("string", "who is written down as having set what is set"),
        "fieldSelector" => ("string", "which objects, by their fields"),
        "fieldValidation" => ("string", "what becomes of unknown fields: Ignore, Warn or Strict"),
        "force" => ("boolean", "whether fields are taken from those who manage them"),
        "gracePeriodSeconds" => ("integer", "how long the object may take to end"),
        "labelSelector" => ("string", "which objects, by their labels"),
        "limit" => ("integer", "how many objects a page has at most"),
        "orphanDependents" => ("boolean", "whether what the object owns stays; propagationPolicy says it better"),
        "pretty" => ("string", "whether the answer is indented"),
        "propagationPolicy" => ("string", "what becomes of what the object owns: Orphan, Background or Foreground"),
        "resourceVersion" => ("string", "how new the answer has to be"),
        "resourceVersionMatch" => ("string", "whether it may be newer"),
        "sendInitialEvents" => ("boolean", "whether a watch begins with what is there"),
        "timeoutSeconds" => ("integer", "how long a watch goes on at most"),
        _ => ("boolean", "whether changes are told as they happen"),
    };
    json!({"name": name, "in": "query", "description": description, "schema": {"type": kind, "uniqueItems": true}})
}

const LIST_OPTIONS: &[&str] = &[
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
];

/// Types that operations refer to beside the kinds.
const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

/// Those types, so that a document that refers to them has them.
pub(super) const REFERRED: &[&str] = &[PATCH, STATUS, DELETE_OPTIONS];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::built_in;

    #[test]
    fn operations_have_kubernetes_names() {
        let id = |group, version, plural, part: Option<&str>, action| {
            let kind = built_in(group, version, plural).unwrap();
            operation_id(&kind, part.and_then(|part| kind.part(part)), action)
        };
        assert_eq!(id("apps", "v1", "deployments", None, Action::Patch), "patchAppsV1NamespacedDeployment");
        assert_eq!(id("", "v1", "nodes", None, Action::Read), "readCoreV1Node");
        assert_eq!(id("", "v1", "pods", None, Action::ListEverywhere), "listCoreV1PodForAllNamespaces");
        assert_eq!(
            id("apps", "v1", "deployments", Some("status"), Action::Replace),
            "replaceAppsV1NamespacedDeploymentStatus"
        );
        let rbac = "rbac.authorization.k8s.io";
        assert_eq!(
            id(rbac, "v1", "roles", None, Action::DeleteCollection),
            "deleteRbacAuthorizationV1CollectionNamespacedRole"
        );
    }
}
