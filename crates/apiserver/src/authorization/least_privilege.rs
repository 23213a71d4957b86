//! The smallest roles for what somebody asked for. Pure.
//!
//! In: verbs on resources, as they were seen. Out: roles and their bindings. What was seen is closed over what the library
//! may do instead or next, so that a program does not fail the first time its watch breaks or its status exists already:
//! see [`CLOSURE`]. What every authenticated user may do (discovery, questions about oneself) is left out.
//!
//! Requests for all namespaces and for cluster-wide resources need a ClusterRole. A program that lists or watches some
//! namespaced resource in all namespaces works in all of them: then the ClusterRole has its other verbs too. What it touched
//! nowhere but in the namespace of its own service account, such as its lease and its Secrets, stays in a Role there; so
//! let a test work in another namespace. Names of objects are not part of it: they differ from run to run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::access_log::Access;
use crate::codec::yaml;
use crate::request::user::User;

/// Roles and bindings that allow a user what it did, and no more.
#[derive(Clone, Debug, PartialEq)]
pub struct LeastPrivilege {
    objects: Vec<Value>,
}

impl LeastPrivilege {
    /// ClusterRole and ClusterRoleBinding, if they are needed; then Role and RoleBinding for each namespace.
    pub fn objects(&self) -> &[Value] {
        &self.objects
    }

    /// The same as a manifest for `kubectl apply -f`.
    pub fn to_yaml(&self) -> String {
        self.objects.iter().map(yaml::print).collect::<Vec<_>>().join("---\n")
    }
}

/// What belongs together: who was seen with the verb on the left may need those on the right on the same resource. A resource that
/// is empty stands for all, `*/` for every subresource of that name.
const CLOSURE: &[(&str, &str, &[&str])] = &[
    // A watcher lists or streams, watches, and looks at single objects.
    ("", "list", &["get", "list", "watch"]),
    ("", "watch", &["get", "list", "watch"]),
    // A status is replaced or patched, whichever is smaller.
    ("*/status", "update", &["patch"]),
    ("*/status", "patch", &["update"]),
    // A series of events is one that is patched.
    ("events", "create", &["patch"]),
    // Whoever leads or waits reads; the first one creates, each renewal updates, and whoever waits watches.
    ("leases", "get", &["watch", "create", "update"]),
    ("leases", "create", &["get", "watch", "update"]),
    ("leases", "update", &["get", "watch", "create"]),
];

/// Verbs by `(group, resource)`.
type Verbs = BTreeMap<(String, String), BTreeSet<String>>;

/// The roles for a user. `is_namespaced` knows resources by group and name.
pub(crate) fn roles(user: &str, seen: &BTreeSet<Access>, is_namespaced: impl Fn(&str, &str) -> bool) -> LeastPrivilege {
    let mut by_namespace: BTreeMap<String, Verbs> = BTreeMap::new();
    let mut paths: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let own = User::service_account_of(user).map(|(namespace, _)| namespace);
    let is_everywhere = seen.iter().any(|access| {
        matches!(access, Access::Resource { group, resource, namespace, verb }
            if namespace.is_empty() && ["list", "watch"].contains(&verb.as_str()) && is_namespaced(group, resource))
    });
    for access in seen.iter().filter(|access| !is_for_everybody(access)) {
        match access {
            Access::Resource { group, resource, namespace, verb } => {
                let is_own = own.is_some_and(|own| is_only_in(seen, own, group, resource));
                let namespace = if is_everywhere && !is_own { String::new() } else { namespace.clone() };
                let verbs = by_namespace.entry(namespace).or_default();
                let verbs = verbs.entry((group.clone(), resource.clone())).or_default();
                verbs.extend(closed(resource, verb));
            }
            Access::Path { path, verb } => {
                paths.entry(verb.clone()).or_default().insert(path.clone());
            }
        }
    }
    let everywhere = by_namespace.remove("").unwrap_or_default();
    let mut objects = Vec::new();
    let path_rules = paths.iter().map(|(verb, paths)| json!({"nonResourceURLs": paths, "verbs": [verb]}));
    let rules: Vec<_> = rules(&everywhere).into_iter().chain(path_rules).collect();
    if !rules.is_empty() {
        objects.extend(role_and_binding(user, None, &rules));
    }
    for (namespace, verbs) in by_namespace {
        let rules = self::rules(&without(verbs, &everywhere));
        if !rules.is_empty() {
            objects.extend(role_and_binding(user, Some(&namespace), &rules));
        }
    }
    LeastPrivilege { objects }
}

/// Whether a resource was asked for in this namespace and in no other.
fn is_only_in(seen: &BTreeSet<Access>, own: &str, group: &str, resource: &str) -> bool {
    seen.iter().all(|access| match access {
        Access::Resource { group: other, resource: same, namespace, .. } => {
            other != group || same != resource || namespace == own
        }
        Access::Path { .. } => true,
    })
}

/// A verb with those that may follow it.
fn closed(resource: &str, verb: &str) -> BTreeSet<String> {
    let applies = |pattern: &str| match pattern.strip_prefix("*/") {
        Some(subresource) => resource.split_once('/').is_some_and(|(_, part)| part == subresource),
        None => pattern.is_empty() || pattern == resource,
    };
    let more = CLOSURE.iter().filter(|(pattern, seen, _)| *seen == verb && applies(pattern));
    more.flat_map(|(.., verbs)| verbs.iter().copied()).chain([verb]).map(str::to_owned).collect()
}

/// What `system:discovery`, `system:public-info-viewer` and `system:basic-user` allow to all authenticated users.
fn is_for_everybody(access: &Access) -> bool {
    match access {
        Access::Path { path, verb } => {
            let begins =
                |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            verb == "get"
                && ["/api", "/apis", "/openapi", "/version", "/healthz", "/livez", "/readyz"].into_iter().any(begins)
        }
        Access::Resource { group, resource, verb, .. } => {
            verb == "create"
                && ["authorization.k8s.io", "authentication.k8s.io"].contains(&group.as_str())
                && resource.starts_with("selfsubject")
        }
    }
}

/// Verbs that a role for all namespaces does not have.
fn without(verbs: Verbs, everywhere: &Verbs) -> Verbs {
    let left = |(resource, verbs): ((String, String), BTreeSet<String>)| {
        let allowed = everywhere.get(&resource).cloned().unwrap_or_default();
        let verbs: BTreeSet<_> = verbs.difference(&allowed).cloned().collect();
        (!verbs.is_empty()).then_some((resource, verbs))
    };
    verbs.into_iter().filter_map(left).collect()
}

/// One rule for all resources of a group with the same verbs.
fn rules(verbs: &Verbs) -> Vec<Value> {
    let mut together: BTreeMap<(&String, Vec<&String>), Vec<&String>> = BTreeMap::new();
    for ((group, resource), verbs) in verbs {
        let mut verbs: Vec<_> = verbs.iter().collect();
        verbs.sort_by_key(|verb| (VERBS.iter().position(|known| known == verb).unwrap_or(VERBS.len()), *verb));
        together.entry((group, verbs)).or_default().push(resource);
    }
    let rule = |((group, verbs), resources)| json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
    together.into_iter().map(rule).collect()
}

/// The order in which roles are usually written.
const VERBS: [&str; 8] = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

fn role_and_binding(user: &str, namespace: Option<&str>, rules: &[Value]) -> [Value; 2] {
    let account = User::service_account_of(user);
    let name = account.map_or(user, |(_, account)| account);
    let metadata =
        namespace.map_or_else(|| json!({"name": name}), |namespace| json!({"name": name, "namespace": namespace}));
    let (role, binding) =
        if namespace.is_some() { ("Role", "RoleBinding") } else { ("ClusterRole", "ClusterRoleBinding") };
    let subject = match account {
        Some((namespace, account)) => json!({"kind": "ServiceAccount", "name": account, "namespace": namespace}),
        None => json!({"kind": "User", "name": user, "apiGroup": GROUP}),
    };
    let api_version = format!("{GROUP}/v1");
    [
        json!({"apiVersion": api_version, "kind": role, "metadata": metadata, "rules": rules}),
        json!({"apiVersion": api_version, "kind": binding, "metadata": metadata,
            "roleRef": {"apiGroup": GROUP, "kind": role, "name": name}, "subjects": [subject]}),
    ]
}

const GROUP: &str = "rbac.authorization.k8s.io";

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNT: &str = "system:serviceaccount:system:operator";

    fn seen(all: &[(&str, &str, &str, &str)]) -> BTreeSet<Access> {
        let access = |(group, resource, namespace, verb): &(&str, &str, &str, &str)| Access::Resource {
            group: (*group).to_owned(),
            resource: (*resource).to_owned(),
            namespace: (*namespace).to_owned(),
            verb: (*verb).to_owned(),
        };
        all.iter().map(access).collect()
    }

    /// Kind, namespace and rules of the roles.
    fn check(all: &[(&str, &str, &str, &str)], expected: &Value) {
        let roles = roles(ACCOUNT, &seen(all), |_, resource| resource != "nodes");
        let of_role = |role: &Value| {
            let rules = role["rules"].as_array().into_iter().flatten();
            let text = |list: &Value| {
                list.as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect::<Vec<_>>().join(" ")
            };
            let rules: Vec<_> =
                rules.map(|rule| format!("{}: {}", text(&rule["resources"]), text(&rule["verbs"]))).collect();
            json!([role["kind"], role["metadata"]["namespace"], rules])
        };
        let found: Vec<_> = roles.objects().iter().step_by(2).map(of_role).collect();
        assert_eq!(json!(found), *expected);
    }

    #[test]
    fn what_was_seen_is_closed_over_what_the_library_may_do_beside_it() {
        check(
            &[
                ("", "configmaps", "a", "watch"),
                ("", "secrets", "a", "create"),
                ("example.com", "widgets/status", "a", "patch"),
                ("events.k8s.io", "events", "a", "create"),
                ("coordination.k8s.io", "leases", "a", "get"),
            ],
            &json!([[
                "Role",
                "a",
                [
                    "secrets: create",
                    "configmaps: get list watch",
                    "leases: get watch create update",
                    "events: create patch",
                    "widgets/status: update patch"
                ]
            ]]),
        );
    }

    #[test]
    fn a_watch_of_all_namespaces_makes_everything_cluster_wide_but_what_is_its_own() {
        let lease = ("coordination.k8s.io", "leases", "system", "update");
        check(
            &[("", "configmaps", "", "list"), ("", "configmaps", "a", "patch"), ("", "secrets", "a", "create"), lease],
            &json!([
                ["ClusterRole", null, ["secrets: create", "configmaps: get list watch patch"]],
                ["Role", "system", ["leases: get watch create update"]]
            ]),
        );
        check(
            &[("", "nodes", "", "watch"), ("", "secrets", "a", "create")],
            &json!([["ClusterRole", null, ["nodes: get list watch"]], ["Role", "a", ["secrets: create"]]]),
        );
    }

    #[test]
    fn what_everybody_may_do_is_left_out_and_other_paths_are_not() {
        let mut all = seen(&[("authorization.k8s.io", "selfsubjectaccessreviews", "", "create")]);
        for path in ["/apis", "/apis/apps/v1", "/version", "/readyz", "/metrics", "/apissomething"] {
            all.insert(Access::Path { path: path.to_owned(), verb: "get".to_owned() });
        }
        let roles = roles("jane", &all, |_, _| true);
        assert_eq!(
            roles.objects()[0]["rules"],
            json!([{"nonResourceURLs": ["/apissomething", "/metrics"], "verbs": ["get"]}])
        );
        let subject = json!([{"kind": "User", "name": "jane", "apiGroup": GROUP}]);
        assert_eq!(roles.objects()[1]["subjects"], subject);
    }

    #[test]
    fn roles_print_as_a_manifest() {
        let manifest = roles(ACCOUNT, &seen(&[("", "secrets", "a", "create")]), |_, _| true).to_yaml();
        let documents = yaml::documents(&manifest).unwrap();
        assert_eq!(documents.len(), 2, "{manifest}");
        assert_eq!(
            documents[1]["subjects"][0],
            json!({"kind": "ServiceAccount", "name": "operator", "namespace": "system"})
        );
        assert!(roles(ACCOUNT, &BTreeSet::new(), |_, _| true).objects().is_empty());
    }
}
