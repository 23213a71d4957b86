//! ClusterRoles that gather the rules of others: `aggregationRule`.
//!
//! In: a ClusterRole that was stored or removed. Out: every role that gathers roles by their labels has their rules, in
//! the order of the roles' names and each rule once. It is a controller of kube-controller-manager; without those (see
//! [`Builder::garbage_collection`](crate::Builder::garbage_collection)) such roles keep the rules they were stored with.

use serde_json::{Value, json};

use crate::authorization::GROUP;
use crate::catalog::kinds;
use crate::cluster::{Cluster, GarbageCollection, ResolvedTarget};
use crate::codec::object::Object;
use crate::controllers::intents::{Action, Intent};
use crate::registry::field_validation::FieldValidation;
use crate::registry::patch::Patch;
use crate::registry::subresources::selector;
use crate::response::status::Answer;
use crate::storage::entry::Entry;
use crate::storage::store::{Snapshot, StorageKey};

impl Cluster {
    /// Brings the roles that gather others up to date, because a role was stored or removed.
    pub(crate) fn aggregate_cluster_roles(&mut self, place: &StorageKey) {
        let is_role = &*place.resource.group == GROUP && &*place.resource.plural == PLURAL;
        if !is_role || self.garbage == GarbageCollection::Off {
            return;
        }
        let roles = self.store.snapshot(&place.resource);
        for role in roles.iter().filter(|(_, entry)| may_gather(entry)).map(|(_, entry)| entry.object()) {
            let Some(gathered) = gathered(&role, &roles) else { continue };
            let held = role.get("rules").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            if held != gathered
                && let Err(refusal) = self.apply_rules(place, &role, &gathered)
            {
                tracing::warn!("ClusterRole {} does not get its aggregated rules: {}", role.name(), refusal.message);
            }
        }
    }

    fn apply_rules(&mut self, place: &StorageKey, role: &Object, rules: &[Value]) -> Answer<()> {
        let kind = kinds::built_in(GROUP, "v1", PLURAL).expect("the table of kinds has ClusterRoles");
        let target = ResolvedTarget {
            kind,
            namespace: None,
            name: Some(role.name().to_owned()),
            subresource: None,
            manager: CONTROLLER.to_owned(),
        };
        let (api_version, kind) = target.body_type();
        let stated =
            json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": role.name()}, "rules": rules});
        let patch = Patch::applied(stated, FieldValidation::Ignore);
        let place = StorageKey { key: role.name().into(), ..place.clone() };
        self.submit(Intent::new(CONTROLLER, &place, Action::Apply { target, patch }))
    }
}

/// Whether a role may say that it gathers others; most do not, and need not be decoded.
fn may_gather(entry: &Entry) -> bool {
    std::str::from_utf8(&entry.body()).is_ok_and(|body| body.contains("\"aggregationRule\""))
}

/// The rules of all roles that this one selects; `None` where it selects none.
fn gathered(role: &Object, roles: &Snapshot) -> Option<Vec<Value>> {
    let selectors = role.get("aggregationRule")?.get("clusterRoleSelectors")?.as_array()?;
    let mut rules: Vec<Value> = Vec::new();
    for selector in selectors {
        let chosen = roles.iter().map(|(_, entry)| entry).filter(|entry| {
            let labels: Value = entry.head.labels().map(|(key, value)| (key.to_owned(), Value::from(value))).collect();
            entry.head.name() != role.name() && selector::matches(selector, Some(&labels))
        });
        for rule in chosen.flat_map(|entry| entry.object().get("rules").and_then(Value::as_array).cloned()).flatten() {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    Some(rules)
}

/// The name of the controller, under which it writes.
const CONTROLLER: &str = "clusterrole-aggregation-controller";

const PLURAL: &str = "clusterroles";
