//! Decisions over small sets of roles and bindings.

use pintle_wire::HeadReader;
use serde_json::{Value, json};

use super::attributes::ResourceAttributes;
use super::*;
use crate::codec::object::Object;
use crate::storage::entry::ChangeKind;
use crate::storage::store::Resource;

fn authorizer(objects: &[(&str, Value)]) -> Authorizer {
    let authorizer = Authorizer::new(AuthorizationMode::Rbac, GarbageCollection::Off);
    for (plural, object) in objects {
        store(&authorizer, plural, object.clone());
    }
    authorizer
}

fn place(plural: &str, object: &Object) -> StorageKey {
    let namespace = Some(object.meta("namespace")).filter(|namespace| !namespace.is_empty());
    StorageKey { resource: Resource::new(GROUP, plural), key: crate::storage::store::key(namespace, object.name()) }
}

fn store(authorizer: &Authorizer, plural: &str, object: Value) -> StorageKey {
    let object = Object::from_value(object).unwrap();
    let place = place(plural, &object);
    let entry = Entry::new(&mut HeadReader::new(), ChangeKind::Added, &object, 1).unwrap();
    authorizer.stored(&place, &Arc::new(entry));
    place
}

fn role(name: &str, verbs: &[&str]) -> Value {
    json!({"metadata": {"name": name}, "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": verbs}]})
}

fn binding(name: &str, kind: &str, role: &str, subject: &Value) -> Value {
    json!({"metadata": {"name": name}, "roleRef": {"kind": kind, "name": role}, "subjects": [subject]})
}

fn in_namespace(mut object: Value, namespace: &str) -> Value {
    object["metadata"]["namespace"] = namespace.into();
    object
}

fn pods(verb: &str, namespace: &str) -> Attributes {
    let requested = ResourceAttributes {
        resource: "pods".to_owned(),
        namespace: namespace.to_owned(),
        ..ResourceAttributes::default()
    };
    Attributes::new(verb, requested)
}

fn user(name: &str) -> User {
    User::named(name, Vec::new()).authenticated()
}

#[test]
fn a_cluster_binding_allows_everywhere_and_a_binding_in_its_namespace() {
    let jane = json!({"kind": "User", "name": "jane"});
    let authorizer = authorizer(&[
        ("clusterroles", role("reader", &["get"])),
        ("clusterroles", role("writer", &["create"])),
        ("clusterrolebindings", binding("all", "ClusterRole", "reader", &jane)),
        ("rolebindings", in_namespace(binding("some", "ClusterRole", "writer", &jane), "n")),
    ]);
    let decide = |verb, namespace| authorizer.authorize(&user("jane"), &pods(verb, namespace));
    assert_eq!(
        decide("get", "").reason,
        "RBAC: allowed by ClusterRoleBinding \"all\" of ClusterRole \"reader\" to User \"jane\""
    );
    assert_eq!(
        decide("create", "n").reason,
        "RBAC: allowed by RoleBinding \"some/n\" of ClusterRole \"writer\" to User \"jane\""
    );
    assert!(
        !decide("create", "").is_allowed && !decide("create", "n2").is_allowed && !decide("delete", "n").is_allowed
    );
    assert!(!authorizer.authorize(&user("joe"), &pods("get", "")).is_allowed);
}

#[test]
fn groups_and_service_accounts_are_subjects_too() {
    let account = json!({"kind": "ServiceAccount", "name": "robot"});
    let authorizer = authorizer(&[
        ("roles", in_namespace(role("r", &["get"]), "n")),
        ("clusterroles", role("c", &["list"])),
        ("rolebindings", in_namespace(binding("own", "Role", "r", &account), "n")),
        (
            "clusterrolebindings",
            binding("accounts", "ClusterRole", "c", &json!({"kind": "Group", "name": "system:serviceaccounts:n"})),
        ),
    ]);
    let robot = user("system:serviceaccount:n:robot");
    assert_eq!(
        authorizer.authorize(&robot, &pods("get", "n")).reason,
        "RBAC: allowed by RoleBinding \"own/n\" of Role \"r\" to ServiceAccount \"robot/n\""
    );
    assert_eq!(
        authorizer.authorize(&robot, &pods("list", "elsewhere")).reason,
        "RBAC: allowed by ClusterRoleBinding \"accounts\" of ClusterRole \"c\" to Group \"system:serviceaccounts:n\""
    );
    assert!(!authorizer.authorize(&user("system:serviceaccount:n2:robot"), &pods("list", "n")).is_allowed);
}

#[test]
fn a_role_that_does_not_exist_is_named_in_the_reason() {
    let jane = || json!({"kind": "User", "name": "jane"});
    let authorizer = authorizer(&[
        ("clusterrolebindings", binding("a", "ClusterRole", "nope", &jane())),
        ("rolebindings", in_namespace(binding("b", "Role", "none", &jane()), "n")),
    ]);
    assert_eq!(
        authorizer.authorize(&user("jane"), &pods("get", "")).reason,
        "rbac: RBAC: clusterrole.rbac.authorization.k8s.io \"nope\" not found"
    );
    assert_eq!(
        authorizer.authorize(&user("jane"), &pods("get", "n")).reason,
        "rbac: RBAC: [clusterrole.rbac.authorization.k8s.io \"nope\" not found, \
         role.rbac.authorization.k8s.io \"none\" not found]"
    );
}

#[test]
fn what_is_removed_or_changed_counts_at_once_and_a_fork_does_not_see_it() {
    let authorizer = authorizer(&[("clusterroles", role("r", &["get"]))]);
    let bound = binding("b", "ClusterRole", "r", &json!({"kind": "User", "name": "jane"}));
    let place = store(&authorizer, "clusterrolebindings", bound);
    let may = |authorizer: &Authorizer, verb| authorizer.authorize(&user("jane"), &pods(verb, "n")).is_allowed;
    let fork = authorizer.fork();
    store(&authorizer, "clusterroles", role("r", &["list"]));
    assert!(!may(&authorizer, "get") && may(&authorizer, "list"));
    authorizer.removed(&place);
    assert!(!may(&authorizer, "list"));
    assert!(may(&fork, "get") && !may(&fork, "list"));
}

#[test]
fn masters_may_everything_and_strangers_only_what_is_public() {
    for mode in [AuthorizationMode::AlwaysAllow, AuthorizationMode::Rbac] {
        let authorizer = Authorizer::new(mode, GarbageCollection::Off);
        assert!(authorizer.authorize(&User::administrator(), &pods("delete", "n")).is_allowed, "{mode:?}");
        assert!(!authorizer.authorize(&User::anonymous(), &pods("get", "n")).is_allowed, "{mode:?}");
    }
    let always = Authorizer::new(AuthorizationMode::AlwaysAllow, GarbageCollection::Off);
    let get = |path: &str| Attributes { verb: "get".to_owned(), requested: Requested::Path(path.to_owned()) };
    assert!(always.authorize(&user("jane"), &pods("delete", "n")).is_allowed);
    assert!(always.authorize(&User::anonymous(), &get("/healthz")).is_allowed);
    assert!(!always.authorize(&User::anonymous(), &get("/apis")).is_allowed);
}
