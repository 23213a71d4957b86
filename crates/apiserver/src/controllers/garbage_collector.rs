//! GarbageCollection collection by owner references: what a gone owner leaves behind goes as well.
//!
//! In: objects that were stored or removed. Out: deletes and edits, as any client could make them. An object stays
//! while one owner is there; references to absent owners are taken out then. An owner is there if its uid is, in the
//! object's namespace or cluster-wide; an owner of an unknown kind cannot be checked and counts as there.
//! Foreground deletion waits for the dependents that block it; orphaning takes the references off first.

use std::borrow::Cow;
use std::sync::Arc;

use pintle_wire::Owner;
use serde_json::Value;

use crate::cluster::{Cluster, GarbageCollection};
use crate::codec::object::Object;
use crate::controllers::intents::{Action, Intent};
use crate::registry::delete::{FOREGROUND, ORPHAN, Propagation};
use crate::response::status::Answer;
use crate::storage::entry::Entry;
use crate::storage::store::{StorageKey, key};

#[derive(PartialEq, Eq)]
enum OwnerState {
    Solid,
    /// It waits, in foreground deletion, for its dependents to go.
    WaitingForDependents,
    Dangling,
}

impl Cluster {
    /// Acts on a stored object: orphans, waits for dependents, or deletes it with its last owner.
    pub(crate) fn garbage_collect(&mut self, place: &StorageKey) {
        let Some(entry) = self.collectable(place) else { return };
        let has = |name: &str| entry.head.is_deleting() && entry.head.finalizers().iter().any(|it| **it == *name);
        if has(ORPHAN) {
            self.orphan(place, &entry);
        } else if has(FOREGROUND) {
            self.wait_for_dependents(place, &entry);
        } else {
            self.attempt_to_delete(place);
        }
    }

    /// Checks the dependents of an object that was just removed.
    pub(crate) fn garbage_collect_dependents(&mut self, entry: &Entry, place: &StorageKey) {
        if self.garbage == GarbageCollection::Off {
            return;
        }
        for dependent in self.store.dependents(&entry.head.uid().unwrap_or_default()) {
            self.attempt_to_delete(&dependent);
        }
        for owner in entry.head.owners() {
            if let Some((owner, OwnerState::WaitingForDependents)) = self.owner_state(owner, place_namespace(place)) {
                self.requeue(owner);
            }
        }
    }

    fn collectable(&self, place: &StorageKey) -> Option<Arc<Entry>> {
        if self.garbage == GarbageCollection::Off {
            return None;
        }
        self.store.get(&place.resource, &place.key)
    }

    /// Deletes an object that has owners but none that is there; one that is going already is left alone.
    fn attempt_to_delete(&mut self, place: &StorageKey) {
        let Some(entry) = self.collectable(place).filter(|entry| !entry.head.is_deleting()) else {
            return;
        };
        let mut solid = 0;
        let mut waiting = 0;
        let mut gone = Vec::new();
        for owner in entry.head.owners() {
            match self
                .owner_state(owner, place_namespace(place))
                .map_or(OwnerState::Solid, |(_, owner_state)| owner_state)
            {
                OwnerState::Solid => solid += 1,
                OwnerState::WaitingForDependents => waiting += 1,
                OwnerState::Dangling => gone.extend(owner.uid().map(Cow::into_owned)),
            }
        }
        if solid > 0 && !gone.is_empty() {
            self.store_quietly(CONTROLLER, place, &entry, without_owners(entry.object(), &gone));
        } else if solid == 0 && waiting + gone.len() > 0 {
            let dependents = self.store.dependents(&entry.head.uid().unwrap_or_default());
            if waiting == 0 || dependents.is_empty() {
                self.collect(place, &entry, Propagation::Unsaid);
            } else {
                self.break_circle(place, &entry, &dependents);
                self.collect_waiting(place);
            }
        }
    }

    /// Two objects that own each other would wait for each other for ever. So if a dependent of an object already
    /// waits, the object stops blocking its own owners.
    fn break_circle(&mut self, place: &StorageKey, entry: &Arc<Entry>, dependents: &[StorageKey]) {
        let mut found = dependents.iter().filter_map(|it| self.store.get(&it.resource, &it.key));
        if entry.head.owners().iter().any(Owner::blocks_deletion) && found.any(|dependent| is_waiting(&dependent)) {
            self.store_quietly(CONTROLLER, place, entry, without_blocking(entry.object()));
        }
    }

    fn collect_waiting(&mut self, place: &StorageKey) {
        if let Some(entry) = self.store.get(&place.resource, &place.key) {
            self.collect(place, &entry, Propagation::Foreground);
        }
    }

    fn collect(&mut self, place: &StorageKey, entry: &Arc<Entry>, propagation: Propagation) {
        if self.catalog.kind_of(&place.resource, entry).is_none() {
            return;
        }
        tracing::debug!(resource = %place.resource.plural, key = %place.key, "deleting what has no owner left");
        report(place, self.delete_at(CONTROLLER, place, propagation, None));
    }

    /// Where an owner is and how it stands; `None` when its kind is unknown or it cannot be an owner here.
    fn owner_state(&self, owner: &Owner, namespace: Option<&str>) -> Option<(StorageKey, OwnerState)> {
        let group = owner.api_version().split_once('/').map_or("", |(group, _)| group);
        let kind = self.catalog.kind_named(group, owner.kind())?;
        let namespace = if kind.namespaced { Some(namespace?) } else { None };
        let place = StorageKey { resource: kind.resource(), key: key(namespace, owner.name()) };
        let found = self.store.get(&place.resource, &place.key).filter(|entry| entry.head.uid() == owner.uid());
        let owner_state = match found {
            None => OwnerState::Dangling,
            Some(entry) if is_waiting(&entry) => OwnerState::WaitingForDependents,
            Some(_) => OwnerState::Solid,
        };
        Some((place, owner_state))
    }

    fn wait_for_dependents(&mut self, place: &StorageKey, entry: &Entry) {
        let uid = entry.head.uid().unwrap_or_default().into_owned();
        for dependent in self.store.dependents(&uid) {
            self.attempt_to_delete(&dependent);
        }
        let blocked = self.store.dependents(&uid).iter().any(|dependent| {
            let found = self.store.get(&dependent.resource, &dependent.key);
            found.is_some_and(|found| {
                found.head.owners().iter().any(|owner| owner.uid().as_deref() == Some(&uid) && owner.blocks_deletion())
            })
        });
        if !blocked {
            self.drop_finalizer(CONTROLLER, place, FOREGROUND);
        }
    }

    fn orphan(&mut self, place: &StorageKey, entry: &Entry) {
        let uid = entry.head.uid().unwrap_or_default().into_owned();
        for dependent in self.store.dependents(&uid) {
            if let Some(found) = self.store.get(&dependent.resource, &dependent.key) {
                let released = without_owners(found.object(), std::slice::from_ref(&uid));
                self.store_quietly(CONTROLLER, &dependent, &found, released);
            }
        }
        self.drop_finalizer(CONTROLLER, place, ORPHAN);
    }

    /// Takes a finalizer off, which may be the end of the object.
    pub(crate) fn drop_finalizer(&mut self, controller: &'static str, place: &StorageKey, finalizer: &str) {
        let Some(entry) = self.store.get(&place.resource, &place.key) else {
            return;
        };
        let mut object = entry.object();
        let mut finalizers = object.finalizers();
        finalizers.retain(|it| it != finalizer);
        object.set_finalizers(&finalizers);
        self.store_quietly(controller, place, &entry, object);
    }

    /// Stores what a controller of a cluster would; a refusal is for the log.
    pub(crate) fn store_quietly(
        &mut self,
        controller: &'static str,
        place: &StorageKey,
        replaces: &Arc<Entry>,
        object: Object,
    ) {
        let action = Action::Store { place: place.clone(), replaces: Arc::clone(replaces), object };
        report(place, self.submit(Intent::new(controller, place, action)));
    }

    /// Deletes an object as a controller of a cluster would.
    pub(crate) fn delete_at(
        &mut self,
        controller: &'static str,
        place: &StorageKey,
        propagation: Propagation,
        grace_period: Option<i64>,
    ) -> Answer<()> {
        let action = Action::Delete { place: place.clone(), propagation, grace_period };
        self.submit(Intent::new(controller, place, action))
    }
}

pub(crate) fn place_namespace(place: &StorageKey) -> Option<&str> {
    place.key.split_once('/').map(|(namespace, _)| namespace)
}

/// Whether an object waits, in foreground deletion, for its dependents to go.
fn is_waiting(entry: &Entry) -> bool {
    entry.head.is_deleting() && entry.head.finalizers().iter().any(|it| **it == *FOREGROUND)
}

fn without_blocking(mut object: Object) -> Object {
    let owners = object.metadata_mut().get_mut("ownerReferences").and_then(Value::as_array_mut);
    for owner in owners.into_iter().flatten().filter_map(Value::as_object_mut) {
        owner.insert("blockOwnerDeletion".to_owned(), false.into());
    }
    object
}

fn without_owners(mut object: Object, uids: &[String]) -> Object {
    let kept: Vec<Value> = object
        .metadata()
        .get("ownerReferences")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|owner| {
            !owner.get("uid").and_then(Value::as_str).is_some_and(|uid| uids.iter().any(|gone| gone == uid))
        })
        .cloned()
        .collect();
    object.put_meta("ownerReferences", (!kept.is_empty()).then(|| kept.into()));
    object
}

fn report(place: &StorageKey, done: Answer<()>) {
    if let Err(refusal) = done {
        let (resource, message) = (&place.resource.plural, &refusal.message);
        tracing::warn!(%resource, key = %place.key, "garbage collection could not go on: {message}");
    }
}

/// The controller's service account.
const CONTROLLER: &str = "generic-garbage-collector";
