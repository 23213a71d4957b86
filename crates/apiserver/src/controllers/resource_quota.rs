//! Quotas kept true: what is used is counted anew when something is gone, has ended or shrunk, or a quota changed.
//!
//! In: objects that were stored or removed in a namespace with quotas. Out: their status. What is created is charged by its
//! own commit (the admission plugin ResourceQuota); here is what kube-controller-manager does about the rest, once for
//! everything that happened since the last time.

use serde_json::{Map, Value, json};

use crate::admission::plugins::resource_quota::{self, QUOTAS, scopes, usage};
use crate::catalog::kinds;
use crate::cluster::{Cluster, GarbageCollection, ResolvedTarget};
use crate::codec::object::Object;
use crate::codec::typed::quantity::Quantity;
use crate::controllers::intents::{Action, Intent};
use crate::storage::entry::Entry;
use crate::storage::store::{Resource, StorageKey, scan};

impl Cluster {
    /// Notes that what is used in a namespace may be less than its quotas say.
    pub(crate) fn note_quota_use(&mut self, place: &StorageKey, is_gone: bool) {
        let Some((namespace, _)) = place.key.split_once('/') else { return };
        // Asked first, because few namespaces have any, and looking through a pod takes longer.
        if self.garbage != GarbageCollection::On || !self.has_quotas(namespace) {
            return;
        }
        let frees = is_gone
            || match (&*place.resource.group, &*place.resource.plural) {
                ("", "resourcequotas" | "services" | "persistentvolumeclaims") => true,
                ("", "pods") => self.store.get(&place.resource, &place.key).is_some_and(|pod| has_ended(&pod)),
                _ => false,
            };
        if frees {
            self.stale_quotas.insert(namespace.to_owned());
        }
    }

    fn has_quotas(&self, namespace: &str) -> bool {
        scan(&self.store.snapshot(&QUOTAS), Some(namespace), "").next().is_some()
    }

    /// Counts again what the quotas of these namespaces are about; says whether there was anything to do.
    pub(crate) fn sync_stale_quotas(&mut self) -> bool {
        let stale = std::mem::take(&mut self.stale_quotas);
        for namespace in &stale {
            let quotas = self.store.snapshot(&QUOTAS);
            for (key, entry) in scan(&quotas, Some(namespace), "") {
                let place = StorageKey { resource: QUOTAS.clone(), key: key.clone() };
                self.sync_quota(&place, &entry.object());
            }
        }
        !stale.is_empty()
    }

    fn sync_quota(&mut self, place: &StorageKey, quota: &Object) {
        let hard = quota.at("/spec/hard").filter(|hard| hard.is_object()).cloned().unwrap_or_else(|| json!({}));
        let mut status = Map::new();
        status.insert("used".to_owned(), self.used(quota, &hard));
        status.insert("hard".to_owned(), hard);
        let is_same = ["hard", "used"].iter().all(|field| quota.at(&format!("/status/{field}")) == status.get(*field));
        if is_same {
            return;
        }
        let target = ResolvedTarget {
            kind: kinds::built_in("", "v1", "resourcequotas").expect("the table of kinds has quotas"),
            namespace: Some(quota.meta("namespace").to_owned()),
            name: Some(quota.name().to_owned()),
            subresource: Some("status".to_owned()),
            manager: "kube-controller-manager".to_owned(),
        };
        let mut body = quota.clone();
        body.set("status", status.into());
        let intent = Intent::new(CONTROLLER, place, Action::Update { target, body: body.into_value() });
        if let Err(refusal) = self.submit(intent) {
            tracing::warn!(key = %place.key, "the status of a quota was not written: {}", refusal.message);
        }
    }

    /// What is used of everything that a quota limits and that there is.
    fn used(&self, quota: &Object, hard: &Value) -> Value {
        let namespace = quota.meta("namespace");
        let names = hard.as_object().into_iter().flat_map(Map::keys);
        let mut used = std::collections::BTreeMap::new();
        for name in names {
            let Some((group, plural)) = usage::kind_of(name) else { continue };
            if self.catalog.has_plural(group, plural) {
                used.insert(name.clone(), self.used_of(quota, namespace, &Resource::new(group, plural), name));
            }
        }
        resource_quota::printed(&used)
    }

    fn used_of(&self, quota: &Object, namespace: &str, resource: &Resource, name: &str) -> Quantity {
        let objects = self.store.snapshot(resource);
        let now = self.clock.timestamp();
        let is_scoped = quota.items_at("/spec/scopes").next().is_some()
            || quota.items_at("/spec/scopeSelector/matchExpressions").next().is_some();
        if !is_scoped && name.starts_with("count/") {
            let count = scan(&objects, Some(namespace), "").count();
            return Quantity::count(i64::try_from(count).unwrap_or(i64::MAX));
        }
        let all = scan(&objects, Some(namespace), "").map(|(_, entry)| entry.object());
        let counted = all.filter(|object| scopes::hold(quota, &resource.plural, object));
        let amounts = counted
            .filter_map(|object| usage::of_object(&resource.group, &resource.plural, &object, &now).get(name).copied());
        amounts.fold(Quantity::ZERO, |sum, amount| sum + amount)
    }
}

/// Whether a pod is over, or on its way out; its bytes need not be parsed for it.
fn has_ended(pod: &Entry) -> bool {
    let body = pod.body();
    let holds = |text: &[u8]| body.windows(text.len()).any(|bytes| bytes == text);
    pod.head.is_deleting() || holds(b"\"phase\":\"Succeeded\"") || holds(b"\"phase\":\"Failed\"")
}

/// The controller's service account.
const CONTROLLER: &str = "resourcequota-controller";
