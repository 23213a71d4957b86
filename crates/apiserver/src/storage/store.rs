//! All objects: one revision for everything, and per resource an immutable ordered map.
//!
//! In: writes, one at a time. Out: entries, snapshots (a cheap clone of the map), and changes for the watchers
//! (`publication`): a write is committed first and published afterwards, with everything that was committed with it. Invariants: every
//! write takes the next revision; a key is `namespace/name` or `name`, and maps are in the order
//! of its bytes, which is etcd's; an earlier snapshot is the current one with the later changes undone.
//! It does not know kinds, rules or HTTP.

use std::borrow::Cow;
use std::ops::Bound;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};
use pintle_wire::{HeadError, HeadReader};

use crate::data::database::Batch;
use crate::storage::entry::{ChangeKind, Encoded, Entry};
use crate::storage::publication::Publication;
use crate::storage::watch_cache::{Change, WatchCacheSizes};

/// A stored resource: a group and a plural. All versions of it share their objects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Resource {
    pub(crate) group: Arc<str>,
    pub(crate) plural: Arc<str>,
}

impl Resource {
    pub(crate) fn new(group: &str, plural: &str) -> Resource {
        Resource { group: group.into(), plural: plural.into() }
    }

    pub(crate) fn is(&self, group: &str, plural: &str) -> bool {
        &*self.group == group && &*self.plural == plural
    }
}

/// Where an object is stored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StorageKey {
    pub(crate) resource: Resource,
    pub(crate) key: Arc<str>,
}

/// The objects of one resource at one revision.
pub(crate) type Snapshot = OrdMap<Arc<str>, Arc<Entry>>;

/// All objects at one revision, by resource. A copy shares everything with its original.
pub(crate) type Objects = OrdMap<Resource, Snapshot>;

/// The objects of a server.
pub(crate) struct Store {
    objects: Objects,
    /// By the uid of an owner: the objects that name it in an owner reference.
    dependents: OrdMap<String, OrdSet<StorageKey>>,
    /// The revision of the last write.
    revision: u64,
    expired: u64,
    /// The revision that the first objects came with; before it there was nothing.
    begun: u64,
    /// What watchers see of it.
    pub(crate) publication: Publication,
    reader: HeadReader,
}

impl Store {
    pub(crate) fn new(sizes: WatchCacheSizes) -> Store {
        Store {
            objects: Objects::new(),
            dependents: OrdMap::new(),
            // Zero means "any" in requests, so the first state of the world is 1.
            revision: 1,
            expired: 0,
            begun: 0,
            publication: Publication::new(sizes, 1),
            reader: HeadReader::new(),
        }
    }

    /// The revision of the last write.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Begins with these objects, which were made elsewhere; what was before their revision is forgotten.
    pub(crate) fn begin_with(&mut self, objects: &[(Resource, Snapshot)], revision: u64) {
        debug_assert!(self.objects.is_empty(), "a store begins once");
        self.objects.extend(objects.iter().cloned());
        self.revision = revision;
        self.begun = revision;
        self.expired = revision;
        self.publication.end_watches(revision);
    }

    /// Forgets what was before a revision; watches that are already open do not notice.
    pub(crate) fn expire_history_before(&mut self, revision: u64) {
        self.expired = self.expired.max(revision.min(self.revision()));
    }

    /// Goes back to an earlier revision, and ends all watches; says whether all of it could be had again.
    pub(crate) fn rewind(&mut self, revision: u64) -> bool {
        self.publication.publish();
        if revision > self.revision() || revision < self.begun {
            return false;
        }
        let resources: Vec<Resource> = self.objects.keys().cloned().collect();
        let snapshots = resources.into_iter().map(|resource| {
            let snapshot = self.snapshot_at(&resource, revision)?;
            Some((resource, snapshot))
        });
        let Some(snapshots) = snapshots.collect::<Option<Vec<_>>>() else {
            return false;
        };
        let objects = snapshots.into_iter().collect();
        let expired = self.expired.max(revision);
        drop(self.replace(objects, revision, expired));
        true
    }

    /// Has these objects instead of what there was, without history, and ends all watches; returns where they are.
    pub(crate) fn restore(&mut self, objects: Objects, revision: u64) -> Vec<(StorageKey, u64)> {
        self.publication.publish();
        // What was before is forgotten, and not nothing.
        self.begun = 0;
        self.replace(objects, revision, revision)
    }

    fn replace(&mut self, objects: Objects, revision: u64, expired: u64) -> Vec<(StorageKey, u64)> {
        let mut places = Vec::new();
        self.dependents.clear();
        for (resource, snapshot) in &objects {
            for (key, entry) in snapshot {
                let place = StorageKey { resource: resource.clone(), key: Arc::clone(key) };
                self.index(&place, None, Some(entry));
                places.push((place, entry.revision));
            }
        }
        self.objects = objects;
        self.expired = expired;
        self.revision = revision;
        self.publication.end_watches(revision);
        places
    }

    pub(crate) fn get(&self, resource: &Resource, key: &str) -> Option<Arc<Entry>> {
        self.objects.get(resource)?.get(key).cloned()
    }

    /// Every resource that has, or had, objects.
    pub(crate) fn resources(&self) -> Vec<Resource> {
        self.objects.keys().cloned().collect()
    }

    /// All objects as they are now.
    pub(crate) fn objects(&self) -> Objects {
        self.objects.clone()
    }

    /// The objects of a resource as they are now.
    pub(crate) fn snapshot(&self, resource: &Resource) -> Snapshot {
        self.objects.get(resource).cloned().unwrap_or_default()
    }

    /// The objects as they were at a revision; `None` when that is forgotten.
    pub(crate) fn snapshot_at(&self, resource: &Resource, revision: u64) -> Option<Snapshot> {
        if revision < self.begun && self.expired == self.begun {
            return Some(Snapshot::new());
        }
        if revision < self.oldest(resource) {
            return None;
        }
        let mut objects = self.snapshot(resource);
        self.publication.newest_first(resource, revision, |change| undo(&mut objects, change))?;
        Some(objects)
    }

    /// The oldest revision that can still be read or watched from.
    pub(crate) fn oldest(&self, resource: &Resource) -> u64 {
        self.publication.forgotten(resource).max(self.expired)
    }

    /// The places of the objects that name this owner.
    pub(crate) fn dependents(&self, owner_uid: &str) -> Vec<StorageKey> {
        self.dependents.get(owner_uid).into_iter().flatten().cloned().collect()
    }

    /// Stores an object at the next revision, which is written into it.
    pub(crate) fn put(&mut self, place: &StorageKey, encoded: Encoded) -> Result<Arc<Entry>, HeadError> {
        let revision = self.revision + 1;
        let new = Arc::new(encoded.at(&mut self.reader, revision)?);
        let objects = self.objects.entry(place.resource.clone()).or_default();
        let old = objects.insert(Arc::clone(&place.key), Arc::clone(&new));
        debug_assert!(old.is_some() == (new.kind() == ChangeKind::Modified), "encoded for what is there");
        self.index(place, old.as_deref(), Some(&new));
        self.commit(place, revision, old, Arc::clone(&new));
        Ok(new)
    }

    /// Removes an object at the next revision; `last` is the state its watchers receive.
    pub(crate) fn remove(&mut self, place: &StorageKey, last: Encoded) -> Result<Arc<Entry>, HeadError> {
        let revision = self.revision + 1;
        let gone = Arc::new(last.at(&mut self.reader, revision)?);
        let old = self.objects.get_mut(&place.resource).and_then(|objects| objects.remove(&place.key));
        debug_assert!(old.is_some(), "only what exists is removed");
        self.index(place, old.as_deref(), None);
        self.commit(place, revision, old, Arc::clone(&gone));
        Ok(gone)
    }

    fn commit(&mut self, place: &StorageKey, revision: u64, old: Option<Arc<Entry>>, new: Arc<Entry>) {
        self.revision = revision;
        let change = Change::new(Arc::clone(&place.key), old, new);
        self.publication.push(place.resource.clone(), change);
    }

    /// What a journal has to store next, and up to which step.
    pub(crate) fn unjournalled(&self) -> (Batch, u64) {
        self.publication.unjournalled(self.revision)
    }

    /// Ends the watches of a resource and begins a new broadcaster, as a changed definition does.
    pub(crate) fn restart_watches(&mut self, resource: &Resource) {
        self.publication.restart(resource, self.revision);
    }

    /// A store of its own with the same objects and no history.
    pub(crate) fn fork(&self) -> Store {
        let revision = self.revision();
        Store {
            objects: self.objects.clone(),
            dependents: self.dependents.clone(),
            revision,
            expired: revision,
            begun: 0,
            publication: self.publication.fork(revision),
            reader: HeadReader::new(),
        }
    }

    fn index(&mut self, place: &StorageKey, old: Option<&Entry>, new: Option<&Entry>) {
        for uid in old.into_iter().flat_map(owner_uids) {
            if let Some(places) = self.dependents.get_mut(&uid) {
                places.remove(place);
                if places.is_empty() {
                    self.dependents.remove(&uid);
                }
            }
        }
        for uid in new.into_iter().flat_map(owner_uids) {
            self.dependents.entry(uid).or_default().insert(place.clone());
        }
    }
}

fn owner_uids(entry: &Entry) -> Vec<String> {
    entry.head.owners().iter().filter_map(|owner| owner.uid().map(Cow::into_owned)).collect()
}

/// Undoes a change in a copy of the objects.
fn undo(objects: &mut Snapshot, change: &Change) {
    match &change.old {
        Some(old) => objects.insert(Arc::clone(&change.key), Arc::clone(old)),
        None => objects.remove(&change.key),
    };
}

/// The key of an object.
pub(crate) fn key(namespace: Option<&str>, name: &str) -> Arc<str> {
    match namespace {
        Some(namespace) => format!("{namespace}/{name}").into(),
        None => name.into(),
    }
}

/// The entries of a namespace, or all, from the relative key `start` on, in order.
pub(crate) fn scan<'a>(
    snapshot: &'a Snapshot,
    namespace: Option<&str>,
    start: &str,
) -> impl Iterator<Item = (&'a Arc<str>, &'a Arc<Entry>)> + use<'a> {
    let prefix = namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let from: Arc<str> = format!("{prefix}{start}").into();
    snapshot
        .range((Bound::Included(from), Bound::Unbounded))
        .take_while(move |(key, _)| key.starts_with(prefix.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::object::Object;
    use serde_json::json;

    fn place(key: &str) -> StorageKey {
        StorageKey { resource: Resource::new("", "configmaps"), key: key.into() }
    }

    fn put(store: &mut Store, name: &str, value: u64) -> u64 {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": value});
        let kind =
            if store.get(&place(name).resource, name).is_some() { ChangeKind::Modified } else { ChangeKind::Added };
        let encoded = Encoded::new(kind, &Object::from_value(object).unwrap());
        let revision = store.put(&place(name), encoded).unwrap().revision;
        store.publication.publish();
        revision
    }

    fn remove(store: &mut Store, name: &str) -> u64 {
        let last = store.get(&place(name).resource, name).unwrap().object();
        let revision = store.remove(&place(name), Encoded::new(ChangeKind::Deleted, &last)).unwrap().revision;
        store.publication.publish();
        revision
    }

    fn names(snapshot: &Snapshot) -> Vec<String> {
        snapshot.iter().map(|(key, entry)| format!("{key}@{}", entry.revision)).collect()
    }

    #[test]
    fn every_earlier_snapshot_can_be_had_again() {
        let mut store = Store::new(WatchCacheSizes::default());
        let resource = place("").resource;
        let mut seen = vec![(store.revision(), names(&store.snapshot(&resource)))];
        for step in 0..6 {
            let revision = match step {
                3 => remove(&mut store, "a"),
                _ => put(&mut store, if step % 2 == 0 { "a" } else { "b" }, step),
            };
            seen.push((revision, names(&store.snapshot(&resource))));
        }
        for (revision, expected) in seen {
            assert_eq!(names(&store.snapshot_at(&resource, revision).unwrap()), expected, "at {revision}");
        }
    }

    #[test]
    fn expired_history_is_gone_but_the_present_is_not() {
        let mut store = Store::new(WatchCacheSizes::default());
        let first = put(&mut store, "a", 1);
        let second = put(&mut store, "a", 2);
        store.expire_history_before(second);
        assert!(store.snapshot_at(&place("").resource, first).is_none());
        assert!(store.snapshot_at(&place("").resource, second).is_some());
    }

    #[test]
    fn a_scan_keeps_to_its_namespace_and_to_etcd_order() {
        let mut store = Store::new(WatchCacheSizes::default());
        for key in ["a/z", "a-b/x", "a/b", "b/a"] {
            put(&mut store, key, 0);
        }
        let snapshot = store.snapshot(&place("").resource);
        let keys =
            |namespace, start| scan(&snapshot, namespace, start).map(|(key, _)| key.to_string()).collect::<Vec<_>>();
        assert_eq!(keys(None, ""), ["a-b/x", "a/b", "a/z", "b/a"]);
        assert_eq!(keys(Some("a"), ""), ["a/b", "a/z"]);
        assert_eq!(keys(Some("a"), "b\0"), ["a/z"]);
    }
}
