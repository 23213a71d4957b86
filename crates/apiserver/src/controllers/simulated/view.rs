//! What a controller sees: what is stored, and what time it is.
//!
//! In: the cluster. Out: objects, decoded; nothing here writes.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use pintle_wire::Owner;
use serde_json::Value;

use super::plan::Built;
use super::{Simulation, Stages};
use crate::catalog::kinds;
use crate::cluster::Cluster;
use crate::codec::object::Object;
use crate::storage::entry::Entry;
use crate::storage::store::scan;

/// What is stored at one moment.
pub(super) struct View<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) now: Timestamp,
}

impl<'a> View<'a> {
    pub(super) fn new(cluster: &'a Cluster, now: Timestamp) -> View<'a> {
        View { cluster, now }
    }

    pub(super) fn simulation(&self) -> &'a Simulation {
        self.cluster.simulation.as_deref().expect("controllers are run only where there is a simulation")
    }

    pub(super) fn stages(&self) -> &'a Arc<Stages> {
        &self.simulation().stages
    }

    /// Now, as objects have it.
    pub(super) fn timestamp(&self) -> String {
        printed(self.now)
    }

    pub(super) fn get(&self, kind: Built, namespace: Option<&str>, name: &str) -> Option<Object> {
        let place = kind.place(namespace, name);
        Some(self.cluster.store.get(&place.resource, &place.key)?.object())
    }

    /// All objects of a kind, in a namespace or everywhere, by name.
    pub(super) fn all(&self, kind: Built, namespace: Option<&str>) -> Vec<Object> {
        let snapshot = self.cluster.store.snapshot(&kind.resource());
        scan(&snapshot, namespace, "").map(|(_, entry)| entry.object()).collect()
    }

    /// The objects of a kind in a namespace that nothing controls.
    pub(super) fn orphans(&self, kind: Built, namespace: &str) -> Vec<Object> {
        let snapshot = self.cluster.store.snapshot(&kind.resource());
        let all = scan(&snapshot, Some(namespace), "").map(|(_, entry)| entry);
        let free =
            all.filter(|entry| !entry.head.is_deleting() && !entry.head.owners().iter().any(Owner::is_controller));
        free.map(|entry| entry.object()).collect()
    }

    /// How many pods that are not over are on a node; their entries know it without being decoded again.
    pub(super) fn pods_on(&self, node: &str) -> usize {
        let kind = kinds::built_in("", "v1", "pods").expect("the table of kinds has pods");
        let pods = self.cluster.store.snapshot(&kind.resource());
        let is_on = |pod: &&Arc<Entry>| {
            pod.selectable_field(&kind, "spec.nodeName") == node
                && !matches!(pod.selectable_field(&kind, "status.phase"), "Succeeded" | "Failed")
        };
        pods.values().filter(is_on).count()
    }

    /// What an object controls of a kind, oldest first; what is going counts.
    pub(super) fn controlled(&self, owner: &Object, kind: Built) -> Vec<Object> {
        let (uid, resource) = (owner.meta("uid"), kind.resource());
        let mut found = Vec::new();
        for place in self.cluster.store.dependents(uid).into_iter().filter(|place| place.resource == resource) {
            let Some(entry) = self.cluster.store.get(&place.resource, &place.key) else { continue };
            let mut owners = entry.head.owners().iter();
            if owners.any(|it| it.is_controller() && it.uid().map(Cow::into_owned).as_deref() == Some(uid)) {
                found.push(entry.object());
            }
        }
        found.sort_by(|a, b| (a.meta("creationTimestamp"), a.name()).cmp(&(b.meta("creationTimestamp"), b.name())));
        found
    }

    /// Since when a pod has been where it is; `None` where that begins now.
    pub(super) fn since(&self, uid: &str, what: &str) -> Option<Timestamp> {
        self.simulation().since.get(&(uid.to_owned(), what.to_owned())).copied()
    }

    /// Five letters for the name of something new.
    pub(super) fn suffix(&self) -> String {
        let letter = |random: &mut fastrand::Rng| char::from(LETTERS[random.usize(..LETTERS.len())]);
        self.cluster.ids.draw(|random| (0..5).map(|_| letter(random)).collect())
    }
}

/// A moment as objects have it.
pub(super) fn printed(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A time in an object.
pub(super) fn time(value: Option<&Value>) -> Option<Timestamp> {
    value?.as_str()?.parse().ok()
}

/// So many seconds, bounded.
pub(super) fn seconds(count: i64) -> SignedDuration {
    SignedDuration::from_secs(count.clamp(0, SECONDS_MAX))
}

/// The integer at a JSON pointer, where there is one.
pub(super) fn integer(object: &Object, pointer: &str) -> Option<i64> {
    object.at(pointer).and_then(Value::as_i64)
}

/// The value of an annotation, empty where there is none.
pub(super) fn annotation<'a>(object: &'a Object, name: &str) -> &'a str {
    object.metadata().get("annotations").and_then(|all| all.get(name)).and_then(Value::as_str).unwrap_or_default()
}

/// What the annotations of a pod say about a container: by its name behind a dot, else for all of them.
pub(super) fn container_annotation<'a>(pod: &'a Object, name: &str, container: &str) -> &'a str {
    let own = annotation(pod, &format!("{name}.{container}"));
    if own.is_empty() { annotation(pod, name) } else { own }
}

/// The value of a label, empty where there is none.
pub(super) fn label<'a>(object: &'a Object, name: &str) -> &'a str {
    object.metadata().get("labels").and_then(|all| all.get(name)).and_then(Value::as_str).unwrap_or_default()
}

/// Counts as JSON has them where zero means absent.
pub(super) fn counts(counts: &[(&str, i64)]) -> Value {
    counts
        .iter()
        .filter(|(_, count)| *count != 0)
        .map(|(name, count)| ((*name).to_owned(), Value::from(*count)))
        .collect()
}

/// How many there are of something.
pub(super) fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Kubernetes' letters for what it generates: they make no words.
pub(super) const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// A century: what is longer is not a time that anybody waits for.
const SECONDS_MAX: i64 = 100 * 366 * 24 * 60 * 60;
