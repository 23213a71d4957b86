//! What can be done to a kind, as OpenAPI describes it: the paths of its collection, of one object and of its subresources, with
//! the options that each takes and what comes back.

mod connections;
mod described;
mod names;
mod parameters;
mod template;

use std::collections::{BTreeMap, BTreeSet};

use pintle_wire::facts;

use super::pieces::Printer;
use super::schemas;
use crate::catalog::kinds::{Kind, Subresource};
use described::{Body, Content, GroupVersionKind, Operation, PathItem, Schema};
use names::{Name, Names, capitalized};
use parameters::Parameter;
use template::Template;

/// Prints all paths of some kinds, below the path of their group and version; returns the schemas that they refer to.
pub(super) fn print(printer: &mut Printer, prefix: &str, kinds: &[std::sync::Arc<Kind>]) -> BTreeSet<String> {
    let mut referred = BTreeSet::new();
    printer.object(|printed| {
        let mut add = |paths: &Paths<'_>| {
            for (path, item) in paths {
                item.add_references(&mut referred);
                printed.field(path).value(item);
            }
        };
        if prefix == super::VERSION_PATH {
            add(&version_path(prefix));
        }
        if let Some(kind) = kinds.first().filter(|kind| !kind.is_custom()) {
            add(&discovery_path(&Names::of(prefix, kind), kind));
        }
        for kind in kinds.iter().filter(|kind| !kind.is_custom()) {
            add(&described_paths(&Names::of(prefix, kind), kind));
        }
        for kind in kinds.iter().filter(|kind| kind.is_custom()) {
            let names = Names::of(prefix, kind);
            printed.fields(|fields| Template::of(kind).print(&names, fields, &mut referred));
        }
    });
    referred
}

/// What can be done, by path.
type Paths<'a> = BTreeMap<String, PathItem<'a>>;

/// The paths of a kind.
fn described_paths<'a>(names: &'a Names<'_>, kind: &'a Kind) -> Paths<'a> {
    let mut paths = Paths::new();
    let namespace = if kind.namespaced { "namespaces/{namespace}/" } else { "" };
    let (prefix, plural) = (names.get(Name::Prefix), names.get(Name::Plural));
    let object = format!("/{prefix}/{namespace}{plural}/{{name}}");
    let all: &[Action] = &[Action::List, Action::Create, Action::DeleteCollection];
    let one: &[Action] = &[Action::Read, Action::Replace, Action::Patch, Action::Delete];
    let mut add =
        |path: String, subresource: Option<&'a Subresource>, actions: &[Action], path_names: &[&'static str]| {
            let taken = parameters::of_path(kind, path_names);
            paths.extend(path_item(names, kind, subresource, actions, taken).map(|item| (path, item)));
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
        connections::add_paths(&mut paths, &object, names, kind, subresource);
    }
    if kind.namespaced {
        let everywhere = [(Action::ListEverywhere, "", true), (Action::WatchEverywhere, "watch/", !kind.is_custom())];
        for (action, watch, _) in everywhere.into_iter().filter(|(.., is_told)| *is_told) {
            let item = path_item(names, kind, None, &[action], Vec::new());
            paths.extend(item.map(|item| (format!("/{prefix}/{watch}{plural}"), item)));
        }
    }
    paths
}

/// The path at which the resources of a group and version are listed.
fn discovery_path<'a>(names: &'a Names<'_>, kind: &'a Kind) -> Paths<'a> {
    let operation = Operation {
        id: Some(format!("get{}{}APIResources", names.get(Name::GroupTitle), names.get(Name::VersionTitle))),
        tags: vec![tag(names)],
        ..Operation::answering(
            "the resources of this version".to_owned(),
            &["200", "401"],
            Content { schema: Schema::Type(RESOURCES.into()), types: media_types(kind, None, Action::Read) },
        )
    };
    Paths::from([(format!("/{}/", names.get(Name::Prefix)), PathItem::of("get", operation))])
}

/// The path of the server's own version.
fn version_path(prefix: &str) -> Paths<'static> {
    let content = Content { schema: Schema::Object, types: vec!["application/json"] };
    let operation = Operation::answering("the version of this server".to_owned(), &["200"], content);
    Paths::from([(format!("/{prefix}/"), PathItem::of("get", operation))])
}

fn tag(names: &Names<'_>) -> String {
    format!("{}_{}", names.get(Name::GroupWord), names.get(Name::Version))
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
            Action::Create => &["200", "201", "202", "401"],
            Action::Replace | Action::Patch => &["200", "201", "401"],
            Action::Delete => &["200", "202", "401"],
            _ => &["200", "401"],
        }
    }
}

/// The operations of a path; none where the kind allows none of them.
fn path_item<'a>(
    names: &'a Names<'_>,
    kind: &'a Kind,
    subresource: Option<&'a Subresource>,
    actions: &[Action],
    mut taken: Vec<Parameter>,
) -> Option<PathItem<'a>> {
    let verbs = subresource.map_or(&kind.verbs, |subresource| &subresource.verbs);
    let allowed = actions.iter().filter(|action| verbs.iter().any(|verb| verb == action.verb()));
    let operations: BTreeMap<&str, Operation<'_>> =
        allowed.map(|action| (action.method(), operation(names, kind, subresource, *action))).collect();
    if operations.is_empty() {
        return None;
    }
    taken.push(parameters::query("pretty"));
    if is_log(subresource) {
        taken.extend(facts::kind("", "v1", "PodLogOptions").map(parameters::of_type).unwrap_or_default());
    }
    Some(PathItem::new(operations, taken))
}

/// Whether a subresource is text.
fn is_log(subresource: Option<&Subresource>) -> bool {
    subresource.is_some_and(|subresource| subresource.name == "log" && subresource.kind == "Pod")
}

fn operation<'a>(
    names: &'a Names<'_>,
    kind: &'a Kind,
    subresource: Option<&'a Subresource>,
    action: Action,
) -> Operation<'a> {
    let of = type_written(names, kind, subresource);
    let own = || Schema::Type(schema_name(names, kind, &of).into());
    let answer = match action {
        Action::List | Action::ListEverywhere => Schema::Type(names.get(Name::ListSchema).into()),
        Action::Watch | Action::WatchList | Action::WatchEverywhere => Schema::Type(WATCH_EVENT.into()),
        Action::DeleteCollection => Schema::Type(STATUS.into()),
        // A delete answers with the namespace, too, but Kubernetes' document says Status.
        Action::Delete if !kind.storage.returns_deleted || kind.is("", "namespaces") => Schema::Type(STATUS.into()),
        _ if is_log(subresource) => Schema::Text,
        _ => own(),
    };
    let any = |schema| Content { schema, types: vec!["*/*"] };
    let body = match action {
        Action::Patch => Some(Body { content: patches(kind), is_required: true }),
        Action::Create | Action::Replace => Some(Body { content: any(own()), is_required: true }),
        Action::Delete | Action::DeleteCollection => {
            Some(Body { content: any(Schema::Type(DELETE_OPTIONS.into())), is_required: false })
        }
        _ => None,
    };
    let content = Content { schema: answer, types: media_types(kind, subresource, action) };
    Operation {
        id: Some(operation_id(names, kind, subresource, action)),
        parameters: action.options().iter().map(|name| parameters::query(name)).collect(),
        body,
        tags: vec![tag(names)],
        of: Some(of),
        action: Some(action.name()),
        ..Operation::answering(description(names, subresource, action), action.codes(), content)
    }
}

/// The forms of a patch that a kind takes.
fn patches(kind: &Kind) -> Content<'static> {
    let mut types = vec!["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
    types.extend((!kind.is_custom()).then_some("application/strategic-merge-patch+json"));
    Content { schema: Schema::Type(PATCH.into()), types }
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

fn description(names: &Names<'_>, subresource: Option<&Subresource>, action: Action) -> String {
    let of = subresource.map(|subresource| format!("the {} of ", subresource.name)).unwrap_or_default();
    let name = names.get(Name::Kind);
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
fn operation_id(names: &Names<'_>, kind: &Kind, subresource: Option<&Subresource>, action: Action) -> String {
    let [group, version, name] = [Name::GroupTitle, Name::VersionTitle, Name::Kind].map(|name| names.get(name));
    let collection = if action == Action::DeleteCollection { "Collection" } else { "" };
    let is_everywhere = matches!(action, Action::ListEverywhere | Action::WatchEverywhere);
    let namespaced = if kind.namespaced && !is_everywhere { "Namespaced" } else { "" };
    let subresource = subresource.map(|subresource| capitalized(&subresource.name)).unwrap_or_default();
    let list = if matches!(action, Action::WatchList | Action::WatchEverywhere) { "List" } else { "" };
    let everywhere = if is_everywhere { "ForAllNamespaces" } else { "" };
    format!("{}{group}{version}{collection}{namespaced}{name}{subresource}{list}{everywhere}", action.word())
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

/// The same as documents write it.
fn type_written<'a>(
    names: &'a Names<'_>,
    kind: &'a Kind,
    subresource: Option<&'a Subresource>,
) -> GroupVersionKind<'a> {
    let own = (kind.group.as_str(), kind.version.as_str(), kind.kind.as_str());
    let (group, version, kind) = match type_of(kind, subresource) {
        found if found == own => (names.get(Name::Group), names.get(Name::Version), names.get(Name::Kind)),
        other => other,
    };
    GroupVersionKind { group, kind, version }
}

/// What the schema of a type is called.
fn schema_name(names: &Names<'_>, kind: &Kind, of: &GroupVersionKind<'_>) -> String {
    match facts::kind(of.group, of.version, of.kind) {
        Some(known) => known.name().to_owned(),
        None if of.kind == names.get(Name::Kind) => names.get(Name::Schema).to_owned(),
        None => schemas::name_of(kind, of.kind),
    }
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
            operation_id(
                &Names::of("", &kind),
                &kind,
                subresource.and_then(|subresource| kind.subresource(subresource)),
                action,
            )
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
