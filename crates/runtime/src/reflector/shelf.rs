//! The map behind a store.
//!
//! In: deltas, one at a time. Out: what each of them changed, old and new. Two lists never mix: an incoming one is
//! built beside the live map and takes its place whole. An entry whose object did not change is carried over as it is,
//! with whatever was decoded of it. It is pure: no lock, no clock, no decoding.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::watcher::Event;

/// Which object: its namespace, if it lives in one, and its name.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Key {
    /// The namespace.
    pub namespace: Option<Arc<str>>,
    /// The name.
    pub name: Arc<str>,
}

impl fmt::Display for Key {
    /// As `namespace/name`, or the name alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{namespace}/{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// What can lie on a shelf.
pub trait Shelved: Clone {
    /// Whether `other` is the very same state of the same object, so that this one may stay in its place: not if this one
    /// cannot be read and `other` can.
    fn is_same_state(&self, other: &Self) -> bool;
}

/// What a delta changed: an object that came, changed or went.
#[derive(Clone, Debug, PartialEq)]
pub struct Change<E> {
    /// Which object.
    pub key: Key,
    /// What was there before.
    pub old: Option<E>,
    /// What is there now.
    pub new: Option<E>,
}

/// The live map, and the one that will take its place.
#[derive(Clone, Debug)]
pub struct Shelf<E> {
    live: BTreeMap<Key, E>,
    incoming: Option<BTreeMap<Key, E>>,
    has_synced: bool,
}

impl<E> Default for Shelf<E> {
    fn default() -> Self {
        Self { live: BTreeMap::new(), incoming: None, has_synced: false }
    }
}

impl<E: Shelved> Shelf<E> {
    /// Takes one delta, in the order the watcher told it.
    pub fn apply(&mut self, delta: Event<(Key, E)>) -> Vec<Change<E>> {
        match delta {
            Event::Init => {
                self.incoming = Some(BTreeMap::new());
                Vec::new()
            }
            Event::InitApply((key, entry)) => {
                let entry = match self.live.get(&key) {
                    Some(known) if known.is_same_state(&entry) => known.clone(),
                    _ => entry,
                };
                self.incoming.get_or_insert_default().insert(key, entry);
                Vec::new()
            }
            Event::InitDone => self.swap(),
            Event::Apply((key, entry)) => {
                let old = self.live.insert(key.clone(), entry.clone());
                vec![Change { key, old, new: Some(entry) }]
            }
            Event::Delete((key, _)) => self.remove(key).into_iter().collect(),
        }
    }

    fn remove(&mut self, key: Key) -> Option<Change<E>> {
        let old = self.live.remove(&key)?;
        Some(Change { key, old: Some(old), new: None })
    }

    /// Puts the incoming map in the place of the live one; objects in neither changed nor went are not mentioned.
    fn swap(&mut self) -> Vec<Change<E>> {
        self.has_synced = true;
        let mut gone = std::mem::replace(&mut self.live, self.incoming.take().unwrap_or_default());
        let mut changes = Vec::new();
        for (key, new) in &self.live {
            let old = gone.remove(key);
            if old.as_ref().is_none_or(|old| !old.is_same_state(new)) {
                changes.push(Change { key: key.clone(), old, new: Some(new.clone()) });
            }
        }
        changes.extend(gone.into_iter().map(|(key, old)| Change { key, old: Some(old), new: None }));
        changes
    }
}

impl<E> Shelf<E> {
    /// What lies under `key`.
    pub fn get(&self, key: &Key) -> Option<&E> {
        self.live.get(key)
    }

    /// Everything, in the order of the keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Key, &E)> {
        self.live.iter()
    }

    /// Everything in one namespace, in the order of the names.
    pub fn within(&self, namespace: &str) -> impl Iterator<Item = (&Key, &E)> {
        let namespace: Option<Arc<str>> = Some(namespace.into());
        let first = Key { namespace: namespace.clone(), name: "".into() };
        self.live.range(first..).take_while(move |(key, _)| key.namespace == namespace)
    }

    /// Everything that lies there or will when the list is complete.
    pub(crate) fn all(&self) -> impl Iterator<Item = &E> {
        self.live.values().chain(self.incoming.iter().flat_map(BTreeMap::values))
    }

    /// How many objects lie there.
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Whether nothing lies there.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Whether a list has been completed.
    pub fn has_synced(&self) -> bool {
        self.has_synced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An object of a small world: an identity and a version.
    #[derive(Clone, Copy, Debug, Eq, PartialEq)]
    struct Thing(u8, u8);

    impl Shelved for Thing {
        fn is_same_state(&self, other: &Self) -> bool {
            self == other
        }
    }

    type Delta = Event<(Key, Thing)>;

    fn key(name: &str) -> Key {
        Key { namespace: None, name: name.into() }
    }

    fn world() -> Vec<Delta> {
        let mut deltas = vec![Event::Init, Event::InitDone];
        for (name, identity) in [("a", 1), ("b", 2)] {
            for version in [1, 2] {
                deltas.push(Event::Apply((key(name), Thing(identity, version))));
                deltas.push(Event::InitApply((key(name), Thing(identity, version))));
            }
            deltas.push(Event::Delete((key(name), Thing(identity, 9))));
        }
        deltas
    }

    fn live(shelf: &Shelf<Thing>) -> BTreeMap<Key, Thing> {
        shelf.iter().map(|(key, thing)| (key.clone(), *thing)).collect()
    }

    /// Every sequence of five deltas: what the changes say, played back, is what lies on the shelf.
    fn walk(shelf: &Shelf<Thing>, mirror: &BTreeMap<Key, Thing>, depth: usize, deltas: &[Delta], walked: &mut usize) {
        if depth == 0 {
            return;
        }
        for delta in deltas {
            let (mut shelf, mut mirror) = (shelf.clone(), mirror.clone());
            let before = live(&shelf);
            let changes = shelf.apply(delta.clone());
            *walked += 1;
            if matches!(delta, Event::Init | Event::InitApply(_)) {
                assert!(changes.is_empty() && live(&shelf) == before, "a list shows before it is complete");
            }
            for change in changes {
                assert_eq!(mirror.get(&change.key), change.old.as_ref(), "old is what was there");
                if matches!(delta, Event::InitDone) {
                    assert_ne!(change.old, change.new, "a relist tells of what did not change");
                }
                match change.new {
                    Some(new) => mirror.insert(change.key, new),
                    None => mirror.remove(&change.key),
                };
            }
            assert_eq!(mirror, live(&shelf), "after {delta:?}");
            walk(&shelf, &mirror, depth - 1, deltas, walked);
        }
    }

    #[test]
    fn changes_played_back_are_the_shelf_in_every_sequence_of_five_deltas() {
        let mut walked = 0;
        walk(&Shelf::default(), &BTreeMap::new(), 5, &world(), &mut walked);
        assert!(walked > 200_000, "only {walked} deltas were tried");
    }

    #[test]
    fn a_delete_hidden_by_a_relist_is_told() {
        let mut shelf = Shelf::default();
        shelf.apply(Event::Apply((key("a"), Thing(1, 1))));
        shelf.apply(Event::Apply((key("b"), Thing(2, 1))));
        shelf.apply(Event::Init);
        shelf.apply(Event::InitApply((key("b"), Thing(2, 1))));
        let changes = shelf.apply(Event::InitDone);
        assert_eq!(changes, [Change { key: key("a"), old: Some(Thing(1, 1)), new: None }]);
    }

    #[test]
    fn a_list_that_begins_again_forgets_the_broken_one() {
        let mut shelf = Shelf::default();
        shelf.apply(Event::Init);
        shelf.apply(Event::InitApply((key("a"), Thing(1, 1))));
        shelf.apply(Event::Init);
        shelf.apply(Event::InitDone);
        assert!(shelf.is_empty());
    }
}
