//! Protection of what is in use: volumes, claims and their classes are created with a finalizer (the admission plugin
//! StorageObjectInUseProtection), and lose it when they are deleted and no longer in use.
//!
//! In: objects that were stored or removed. Out: the end of their finalizer, which is the work of controllers in
//! kube-controller-manager. Without those (see
//! [`Builder::garbage_collection`](crate::Builder::garbage_collection)) the client that deletes one has to remove it.

use std::sync::Arc;

use serde_json::Value;

use crate::cluster::{Cluster, GarbageCollection};
use crate::codec::object::Object;
use crate::controllers::garbage_collector::place_namespace;
use crate::storage::entry::Entry;
use crate::storage::store::{Resource, StorageKey, scan};

/// The finalizer that keeps deleted objects of a kind until they are no longer in use.
pub(crate) fn finalizer(group: &str, plural: &str) -> Option<&'static str> {
    match (group, plural) {
        ("", CLAIMS) => Some("kubernetes.io/pvc-protection"),
        ("", VOLUMES) => Some("kubernetes.io/pv-protection"),
        (STORAGE, CLASSES) => Some("kubernetes.io/vac-protection"),
        _ => None,
    }
}

impl Cluster {
    /// Releases what is no longer in use because an object was stored or removed.
    pub(crate) fn release_unused(&mut self, place: &StorageKey) {
        if self.garbage == GarbageCollection::Off {
            return;
        }
        let namespace = place_namespace(place);
        match (&*place.resource.group, &*place.resource.plural) {
            // What a pod mounts never changes, so only one that goes or is gone lets go of anything.
            ("", "pods") if self.store.get(&place.resource, &place.key).is_none_or(|pod| pod.head.is_deleting()) => {
                self.release_all(&Resource::new("", CLAIMS), namespace);
            }
            ("", CLAIMS | VOLUMES) => {
                self.release(place);
                self.release_all(&Resource::new(STORAGE, CLASSES), None);
            }
            (STORAGE, CLASSES) => self.release(place),
            _ => {}
        }
    }

    fn release_all(&mut self, resource: &Resource, namespace: Option<&str>) {
        let snapshot = self.store.snapshot(resource);
        for (key, _) in scan(&snapshot, namespace, "").filter(|(_, entry)| entry.head.is_deleting()) {
            self.release(&StorageKey { resource: resource.clone(), key: Arc::clone(key) });
        }
    }

    /// Takes the finalizer off an object that is deleted and not in use.
    fn release(&mut self, place: &StorageKey) {
        let Some(finalizer) = finalizer(&place.resource.group, &place.resource.plural) else { return };
        let Some(entry) = self.store.get(&place.resource, &place.key) else { return };
        let is_waiting = entry.head.is_deleting() && entry.head.finalizers().iter().any(|it| **it == *finalizer);
        if is_waiting && !self.is_in_use(place, &entry) {
            self.drop_finalizer("pvc-protection-controller", place, finalizer);
        }
    }

    fn is_in_use(&self, place: &StorageKey, entry: &Entry) -> bool {
        match &*place.resource.plural {
            CLAIMS => {
                let pods = self.store.snapshot(&Resource::new("", "pods"));
                let claim = entry.object();
                let mut pods = scan(&pods, entry.head.namespace(), "").filter(|(_, pod)| may_mount_claims(pod));
                pods.any(|(_, pod)| uses(&pod.object(), &claim))
            }
            VOLUMES => text(entry.object().get("status"), "/phase") == "Bound",
            _ => [VOLUMES, CLAIMS].iter().any(|plural| {
                let users = self.store.snapshot(&Resource::new("", plural));
                users.values().any(|user| names_class(&user.object(), entry.head.name()))
            }),
        }
    }
}

/// Whether a pod's bytes, which need not be parsed for it, name any way to mount a claim.
fn may_mount_claims(pod: &Entry) -> bool {
    let body = pod.body();
    let holds = |name: &[u8]| body.windows(name.len()).any(|bytes| bytes == name);
    holds(b"\"persistentVolumeClaim\"") || holds(b"\"ephemeral\"")
}

/// Whether a pod that is on a node mounts a claim, or had it made and is not over.
fn uses(pod: &Object, claim: &Object) -> bool {
    let spec = pod.get("spec");
    let is_shut_down = pod.is_deleting() && pod.metadata().get("deletionGracePeriodSeconds") == Some(&0.into());
    let volumes = spec.and_then(|spec| spec.get("volumes")).and_then(Value::as_array);
    !text(spec, "/nodeName").is_empty()
        && volumes.into_iter().flatten().any(|volume| {
            let is_named = text(Some(volume), "/persistentVolumeClaim/claimName") == claim.name();
            let made = format!("{}-{}", pod.name(), text(Some(volume), "/name"));
            let is_made = volume.get("ephemeral").is_some() && made == claim.name() && controls(pod, claim);
            is_named || (is_made && !is_shut_down)
        })
}

fn controls(owner: &Object, object: &Object) -> bool {
    let owners = object.metadata().get("ownerReferences").and_then(Value::as_array);
    let is_owner = |it: &Value| it["controller"] == true && text(Some(it), "/uid") == owner.meta("uid");
    owners.is_some_and(|owners| owners.iter().any(is_owner))
}

/// Whether a volume or claim has a class, had it until now or is to get it.
fn names_class(object: &Object, class: &str) -> bool {
    text(object.get("spec"), "/volumeAttributesClassName") == class
        || ["/currentVolumeAttributesClassName", "/modifyVolumeStatus/targetVolumeAttributesClassName"]
            .iter()
            .any(|pointer| text(object.get("status"), pointer) == class)
}

fn text<'a>(value: Option<&'a Value>, pointer: &str) -> &'a str {
    value.and_then(|value| value.pointer(pointer)).and_then(Value::as_str).unwrap_or_default()
}

const CLAIMS: &str = "persistentvolumeclaims";
const VOLUMES: &str = "persistentvolumes";
const CLASSES: &str = "volumeattributesclasses";
const STORAGE: &str = "storage.k8s.io";
