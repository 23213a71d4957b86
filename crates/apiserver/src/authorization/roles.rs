//! The roles and bindings of a server, indexed for authorization.
//!
//! ```text
//!  stored, removed ─► Roles ─► rules of a user in a namespace ─► allowed, and by which binding
//! ```
//! In: each Role, ClusterRole, RoleBinding and ClusterRoleBinding as it is stored. Out: the rules that apply to a user.
//! Bindings are looked at in the order of their names, those of the cluster first. A copy shares everything with its
//! original, so a request keeps one while it is authorized. Invariant: the index is what the store holds.

use std::sync::Arc;

use imbl::OrdMap;
use serde::Deserialize;
use serde_json::Value;

use super::GROUP;
use super::policy_rule::PolicyRule;
use crate::codec::object::Object;
use crate::request::user::User;
use crate::storage::store::{Resource, StorageKey, Store};

/// Every role and binding, by the key under which it is stored.
#[derive(Clone, Default)]
pub(crate) struct Roles {
    cluster_roles: OrdMap<Arc<str>, Arc<[PolicyRule]>>,
    roles: OrdMap<Arc<str>, Arc<[PolicyRule]>>,
    cluster_role_bindings: OrdMap<Arc<str>, Arc<Binding>>,
    role_bindings: OrdMap<Arc<str>, Arc<Binding>>,
}

/// Who has which role.
#[derive(Debug)]
pub(crate) struct Binding {
    name: String,
    /// Empty where it binds in the whole cluster.
    namespace: String,
    role: RoleRef,
    subjects: Vec<Subject>,
}

/// The role that a binding gives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct RoleRef {
    pub(crate) kind: String,
    pub(crate) name: String,
}

/// Who is given a role.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Subject {
    kind: String,
    name: String,
    namespace: String,
}

/// The rules that one binding gives a user.
pub(crate) struct Grant<'a> {
    binding: &'a Binding,
    subject: &'a Subject,
    pub(crate) rules: Result<Arc<[PolicyRule]>, RoleNotFound>,
}

/// A binding gives a role that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RoleNotFound(RoleRef);

impl std::fmt::Display for RoleNotFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{GROUP} {:?} not found", self.0.kind.to_lowercase(), self.0.name)
    }
}

impl Roles {
    /// The roles and bindings of a store.
    pub(crate) fn of(store: &Store) -> Roles {
        let mut roles = Roles::default();
        for plural in PLURALS {
            let resource = Resource::new(GROUP, plural);
            for (key, entry) in &store.snapshot(&resource) {
                roles.insert(plural, key, &entry.object());
            }
        }
        roles
    }

    /// Whether what is stored at a place is part of the index.
    pub(crate) fn includes(place: &StorageKey) -> bool {
        &*place.resource.group == GROUP
    }

    /// Takes in what is stored at a key.
    pub(crate) fn insert(&mut self, plural: &str, key: &Arc<str>, object: &Object) {
        let rules = || PolicyRule::list(object.get("rules")).into();
        match plural {
            "clusterroles" => drop(self.cluster_roles.insert(Arc::clone(key), rules())),
            "roles" => drop(self.roles.insert(Arc::clone(key), rules())),
            "clusterrolebindings" => {
                self.cluster_role_bindings.insert(Arc::clone(key), Arc::new(Binding::of(object)));
            }
            "rolebindings" => drop(self.role_bindings.insert(Arc::clone(key), Arc::new(Binding::of(object)))),
            _ => {}
        }
    }

    /// Forgets what was stored at a key.
    pub(crate) fn remove(&mut self, plural: &str, key: &str) {
        match plural {
            "clusterroles" => drop(self.cluster_roles.remove(key)),
            "roles" => drop(self.roles.remove(key)),
            "clusterrolebindings" => drop(self.cluster_role_bindings.remove(key)),
            "rolebindings" => drop(self.role_bindings.remove(key)),
            _ => {}
        }
    }

    /// What bindings give a user, in the cluster and in a namespace if one is named.
    pub(crate) fn grants<'a>(&'a self, user: &'a User, namespace: &str) -> impl Iterator<Item = Grant<'a>> {
        let prefix = format!("{namespace}/");
        let start: Arc<str> = prefix.as_str().into();
        let has_namespace = !namespace.is_empty();
        let of_namespace = self.role_bindings.range(start..).take_while(move |(key, _)| key.starts_with(&prefix));
        let bindings = self.cluster_role_bindings.iter().chain(of_namespace.filter(move |_| has_namespace));
        bindings.filter_map(move |(_, binding)| {
            let subject = binding.subject_of(user)?;
            Some(Grant { binding, subject, rules: self.rules(&binding.role, &binding.namespace) })
        })
    }

    /// The rules of a role that is referred to from a namespace, or from none.
    pub(crate) fn rules(&self, role: &RoleRef, namespace: &str) -> Result<Arc<[PolicyRule]>, RoleNotFound> {
        let found = match role.kind.as_str() {
            "ClusterRole" => self.cluster_roles.get(role.name.as_str()),
            _ => self.roles.get(format!("{namespace}/{}", role.name).as_str()),
        };
        found.cloned().ok_or_else(|| RoleNotFound(role.clone()))
    }
}

impl RoleRef {
    /// The role that a binding refers to.
    pub(crate) fn of(binding: &Object) -> RoleRef {
        binding.get("roleRef").and_then(|role| RoleRef::deserialize(role).ok()).unwrap_or_default()
    }
}

impl Binding {
    fn of(object: &Object) -> Binding {
        let subjects = object.get("subjects").and_then(Value::as_array).into_iter().flatten();
        Binding {
            name: object.name().to_owned(),
            namespace: object.meta("namespace").to_owned(),
            role: RoleRef::of(object),
            subjects: subjects.filter_map(|subject| Subject::deserialize(subject).ok()).collect(),
        }
    }

    /// The first subject that is this user.
    fn subject_of(&self, user: &User) -> Option<&Subject> {
        self.subjects.iter().find(|subject| subject.is(user, &self.namespace))
    }
}

impl Subject {
    fn is(&self, user: &User, namespace: &str) -> bool {
        match self.kind.as_str() {
            "User" => user.name == self.name,
            "Group" => user.is_in(&self.name),
            "ServiceAccount" => {
                let namespace = self.namespace(namespace);
                !namespace.is_empty() && User::service_account_of(&user.name) == Some((namespace, &self.name))
            }
            _ => false,
        }
    }

    /// Its own namespace; a service account that names none is of the binding's.
    fn namespace<'a>(&'a self, of_binding: &'a str) -> &'a str {
        if self.namespace.is_empty() { of_binding } else { &self.namespace }
    }
}

/// As the reason of a decision names it.
impl std::fmt::Display for Grant<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Grant { binding, subject, .. } = self;
        match binding.namespace.as_str() {
            "" => write!(f, "ClusterRoleBinding {:?}", binding.name)?,
            namespace => write!(f, "RoleBinding {:?}", format!("{}/{namespace}", binding.name))?,
        }
        write!(f, " of {} {:?} to ", binding.role.kind, binding.role.name)?;
        match subject.kind.as_str() {
            "ServiceAccount" => {
                let namespace = subject.namespace(&binding.namespace);
                write!(f, "ServiceAccount {:?}", format!("{}/{namespace}", subject.name))
            }
            kind => write!(f, "{kind} {:?}", subject.name),
        }
    }
}

/// What is indexed.
const PLURALS: [&str; 4] = ["clusterroles", "roles", "clusterrolebindings", "rolebindings"];
