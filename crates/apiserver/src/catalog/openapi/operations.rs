//! What can be done to a kind, as OpenAPI describes it: the paths of its collection, of one object and of its subresources, with
//! the options that each takes and what comes back.

mod connections;
mod parameters;

use pintle_wire::facts;
use serde_json::{Map, Value, json};

use super::schemas;
use crate::catalog::kinds::{Kind, Subresource};

/// Adds the paths of a kind, below the path of its group and version.
pub(super) fn add_paths(paths: &mut Map<String, Value>, prefix: &str, kind: &Kind) {
    let namespace = if kind.namespaced { "namespaces/{namespace}/" } else { "" };
    let (plural, object) = (&kind.plural, format!("/{prefix}/{namespace}{}/{{name}}", kind.plural));
    let all: &[Action] = &[Action::List, Action::Create, Action::DeleteCollection];
    let one: &[Action] = &[Action::Read, Action::Replace, Action::Patch, Action::Delete];
    let mut add = |path: String, subresource: Option<&Subresource>, actions: &[Action], names: &[&str]| {
        let taken = parameters::of_path(kind, names);
        paths.extend(path_item(kind, subresource, actions, taken).map(|item| (path, item)));
    };
    add(format!("/{prefix}/{namespace}{plural}"), None, all, &[]);
    add(object.clone(), None, one, &["name"]);
    if !kind.is_custom() {
        add(format!("/{prefix}/watch/{namespace}{plural}"), None, &[Action::WatchList], &[]);
        add(format!("/{prefix}/watch/{namespace}{plural}/{{name}}"), None, &[Action::Watch], &["name"]);
    }
    for subresource in kind.subresources.iter().filter(|subresource| !connections::is_connection(kind, subresource)) {
        let actions = [Action::Create, Action::Read, Action::Replace, Action::Patch];
        add(format!("{object}/{}", subresource.name), Some(subresource), &actions, &["name"]);
    }
    for subresource in kind.subresources.iter().filter(|subresource| connections::is_connection(kind, subresource)) {
        connections::add_paths(paths, &object, kind, subresource);
    }
    if kind.namespaced {
        let everywhere = [(Action::ListEverywhere, "", true), (Action::WatchEverywhere, "watch/", !kind.is_custom())];
        for (action, watch, _) in everywhere.into_iter().filter(|(.., is_told)| *is_told) {
            let item = path_item(kind, None, &[action], Vec::new());
            paths.extend(item.map(|item| (format!("/{prefix}/{watch}{plural}"), item)));
        }
    }
}

/// Adds the path at which the resources of a group and version are listed.
pub(super) fn add_discovery(paths: &mut Map<String, Value>, prefix: &str, kind: &Kind) {
    let group = group_word(&kind.group);
    let operation = json!({
        "description": "the resources of this version",
        "operationId": format!("get{}{}APIResources", capitalized(&group), capitalized(&kind.version)),
        "responses": {
            "200": response("200", &reference(RESOURCES), &media_types(kind, None, Action::Read)),
            "401": {"description": "Unauthorized"},
        },
        "tags": [format!("{group}_{}", kind.version)],
    });
    paths.insert(format!("/{prefix}/"), json!({"get": operation}));
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
    Watch,
    WatchList,
    WatchEverywhere,
}

impl Action {
    fn method(self) -> &'static str {
        match self {
            Action::List | Action::ListEverywhere | Action::Read => "get",
            Action::Watch | Action::WatchList | Action::WatchEverywhere => "get",
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
            Action::Watch | Action::WatchList | Action::WatchEverywhere => "watch",
        }
    }

    /// What Kubernetes calls it in `x-kubernetes-action`.
    fn name(self) -> &'static str {
        match self {
            Action::Create => "post",
            Action::Replace => "put",
            Action::WatchList | Action::WatchEverywhere => "watchlist",
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
            Action::List | Action::ListEverywhere => parameters::LIST_OPTIONS,
            Action::Watch | Action::WatchList | Action::WatchEverywhere => parameters::LIST_OPTIONS,
            Action::DeleteCollection => parameters::DELETE_COLLECTION_OPTIONS,
            Action::Delete => &[
                "dryRun",
                "gracePeriodSeconds",
                "ignoreStoreReadErrorWithClusterBreakingPotential",
                "orphanDependents",
                "propagationPolicy",
            ],
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

/// The operations of a path; none where the kind allows none of them.
fn path_item(
    kind: &Kind,
    subresource: Option<&Subresource>,
    actions: &[Action],
    mut taken: Vec<Value>,
) -> Option<Value> {
    let verbs = subresource.map_or(&kind.verbs, |subresource| &subresource.verbs);
    let allowed = actions.iter().filter(|action| verbs.iter().any(|verb| verb == action.verb()));
    let mut item: Map<String, Value> =
        allowed.map(|action| (action.method().to_owned(), operation(kind, subresource, *action))).collect();
    if item.is_empty() {
        return None;
    }
    taken.push(parameters::query("pretty"));
    if is_log(subresource) {
        taken.extend(facts::kind("", "v1", "PodLogOptions").map(parameters::of_type).unwrap_or_default());
    }
    parameters::hoist(&mut item, taken);
    Some(item.into())
}

/// Whether a subresource is text.
fn is_log(subresource: Option<&Subresource>) -> bool {
    subresource.is_some_and(|subresource| subresource.name == "log" && subresource.kind == "Pod")
}

fn operation(kind: &Kind, subresource: Option<&Subresource>, action: Action) -> Value {
    let own = schema_name(kind, subresource);
    let answer = match action {
        Action::List | Action::ListEverywhere => reference(&schemas::name_of(kind, &kind.list_kind)),
        Action::Watch | Action::WatchList | Action::WatchEverywhere => reference(WATCH_EVENT),
        Action::DeleteCollection => reference(STATUS),
        // A delete answers with the namespace, too, but Kubernetes' document says Status.
        Action::Delete if !kind.storage.returns_deleted || kind.is("", "namespaces") => reference(STATUS),
        _ if is_log(subresource) => json!({"type": "string"}),
        _ => reference(&own),
    };
    let types = media_types(kind, subresource, action);
    let responses = action.codes().iter().map(|code| ((*code).to_owned(), response(code, &answer, &types)));
    let mut responses: Map<String, Value> = responses.collect();
    responses.insert("401".to_owned(), json!({"description": "Unauthorized"}));
    let options: Vec<Value> = action.options().iter().map(|name| parameters::query(name)).collect();
    let (group, version, name) = type_of(kind, subresource);
    let mut operation = json!({
        "description": description(kind, subresource, action),
        "operationId": operation_id(kind, subresource, action),
        "parameters": options,
        "responses": responses,
        "tags": [format!("{}_{}", group_word(&kind.group), kind.version)],
        "x-kubernetes-action": action.name(),
        "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": name},
    });
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

/// What an operation answers in.
fn media_types(kind: &Kind, subresource: Option<&Subresource>, action: Action) -> Vec<&'static str> {
    let mut types = vec!["application/json", "application/yaml"];
    if !kind.is_custom() {
        types.push("application/vnd.kubernetes.protobuf");
        if matches!(action.verb(), "list" | "watch") {
            types.extend(["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"]);
        }
    }
    types.extend(is_log(subresource).then_some("text/plain"));
    types
}

fn response(code: &str, schema: &Value, types: &[&str]) -> Value {
    let content: Map<String, Value> =
        types.iter().map(|name| ((*name).to_owned(), json!({"schema": schema}))).collect();
    let description = match code {
        "201" => "Created",
        "202" => "Accepted",
        _ => "OK",
    };
    json!({"description": description, "content": content})
}

fn description(kind: &Kind, subresource: Option<&Subresource>, action: Action) -> String {
    let of = subresource.map(|subresource| format!("the {} of ", subresource.name)).unwrap_or_default();
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
        Action::Watch => format!("changes of one {name}; a list with `watch` and a field selector says it better"),
        Action::WatchList => format!("changes of objects of kind {name}; a list with `watch` says it better"),
        Action::WatchEverywhere => format!("changes of objects of kind {name}, of all namespaces; as above"),
    }
}

/// `patchAppsV1NamespacedDeploymentStatus`.
fn operation_id(kind: &Kind, subresource: Option<&Subresource>, action: Action) -> String {
    let group = capitalized(&group_word(&kind.group));
    let collection = if action == Action::DeleteCollection { "Collection" } else { "" };
    let is_everywhere = matches!(action, Action::ListEverywhere | Action::WatchEverywhere);
    let namespaced = if kind.namespaced && !is_everywhere { "Namespaced" } else { "" };
    let subresource = subresource.map(|subresource| capitalized(&subresource.name)).unwrap_or_default();
    let list = if matches!(action, Action::WatchList | Action::WatchEverywhere) { "List" } else { "" };
    let everywhere = if is_everywhere { "ForAllNamespaces" } else { "" };
    let version = capitalized(&kind.version);
    format!("{}{group}{version}{collection}{namespaced}{}{subresource}{list}{everywhere}", action.word(), kind.kind)
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
pub(super) fn type_of<'a>(kind: &'a Kind, subresource: Option<&'a Subresource>) -> (&'a str, &'a str, &'a str) {
    match subresource {
        Some(subresource) => match subresource.group_version.split_once('/') {
            Some((group, version)) => (group, version, &subresource.kind),
            None if subresource.group_version.is_empty() => (&kind.group, &kind.version, &subresource.kind),
            None => ("", &subresource.group_version, &subresource.kind),
        },
        None => (&kind.group, &kind.version, &kind.kind),
    }
}

fn schema_name(kind: &Kind, subresource: Option<&Subresource>) -> String {
    let (group, version, name) = type_of(kind, subresource);
    match facts::kind(group, version, name) {
        Some(known) => known.name().to_owned(),
        None => schemas::name_of(kind, name),
    }
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Types that operations refer to beside the kinds.
pub(super) const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

const WATCH_EVENT: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent";
const RESOURCES: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::kinds::built_in;

    #[test]
    fn operations_have_kubernetes_names() {
        let id = |group, version, plural, subresource: Option<&str>, action| {
            let kind = built_in(group, version, plural).unwrap();
            operation_id(&kind, subresource.and_then(|subresource| kind.subresource(subresource)), action)
        };
        assert_eq!(id("apps", "v1", "deployments", None, Action::Patch), "patchAppsV1NamespacedDeployment");
        assert_eq!(id("", "v1", "nodes", None, Action::Read), "readCoreV1Node");
        assert_eq!(id("", "v1", "pods", None, Action::ListEverywhere), "listCoreV1PodForAllNamespaces");
        assert_eq!(id("", "v1", "pods", None, Action::WatchEverywhere), "watchCoreV1PodListForAllNamespaces");
        assert_eq!(id("", "v1", "nodes", None, Action::WatchList), "watchCoreV1NodeList");
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
