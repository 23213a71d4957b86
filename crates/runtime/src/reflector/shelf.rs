//! The map behind a store, and the list that will take its place.
//!
//! ```text
//!   Event ──► Incoming ──list──► Shelf ──► Change        both pure: no lock, no clock, no decoding
//!             one writer         shared with readers
//! ```
//!
//! In: events, one at a time. Out: what each of them changed, old and new. Two lists never mix: an incoming one is built
//! beside the live map, where no reader and no lock is, and takes its place whole. Its writer carries entries that
//! did not change over from the live map, so an unchanged entry is recognized by its identity.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
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

/// What names an object: a key, or the texts it is made of, so that looking one up makes no key.
pub(crate) trait Named {
    /// The namespace, if there is one, and the name.
    fn parts(&self) -> (Option<&str>, &str);
}

impl Named for Key {
    fn parts(&self) -> (Option<&str>, &str) {
        (self.namespace.as_deref(), &self.name)
    }
}

impl Named for (Option<&str>, &str) {
    fn parts(&self) -> (Option<&str>, &str) {
        *self
    }
}

impl<'a> Borrow<dyn Named + 'a> for Key {
    fn borrow(&self) -> &(dyn Named + 'a) {
        self
    }
}

// As the keys themselves are compared.
impl PartialEq for dyn Named + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for dyn Named + '_ {}

impl PartialOrd for dyn Named + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for dyn Named + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts().cmp(&other.parts())
    }
}

/// What can lie on a shelf.
pub(crate) trait Shelved: Clone {
    /// Whether `other` is the very same state of the same object, so that this one is carried over to the next list. It
    /// may have to look at contents: the writer asks before it takes a lock.
    fn is_same_state(&self, other: &Self) -> bool;

    /// Whether `other` is this one, carried over; cheap, as it is asked under a lock.
    fn is_carried_over(&self, other: &Self) -> bool {
        self.is_same_state(other)
    }
}

/// What an event changed: an object that came, changed or went.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change<E> {
    /// Which object.
    pub key: Key,
    /// What was there before.
    pub old: Option<E>,
    /// What is there now.
    pub new: Option<E>,
}

/// A list that is being read.
#[derive(Clone, Debug)]
pub(crate) struct Incoming<E>(BTreeMap<Key, E>);

impl<E> Default for Incoming<E> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<E> Incoming<E> {
    /// A list begins; what is left of a broken one is forgotten.
    pub(crate) fn begin(&mut self) {
        self.0.clear();
    }

    pub(crate) fn insert(&mut self, key: Key, entry: E) {
        self.0.insert(key, entry);
    }

    /// Changes how its entries are kept.
    pub(crate) fn entries_mut(&mut self) -> impl Iterator<Item = &mut E> {
        self.0.values_mut()
    }

    /// The list is complete. A map that is made at once has full nodes; one that grew in order, as lists come, has half-full ones.
    pub(crate) fn complete(&mut self) -> BTreeMap<Key, E> {
        std::mem::take(&mut self.0).into_iter().collect()
    }
}

/// The live map.
#[derive(Clone, Debug)]
pub(crate) struct Shelf<E> {
    live: BTreeMap<Key, E>,
    has_synced: bool,
}

impl<E> Default for Shelf<E> {
    fn default() -> Self {
        Self { live: BTreeMap::new(), has_synced: false }
    }
}

impl<E: Shelved> Shelf<E> {
    /// Takes one event, in the order of the watch, where a list and the shelf are kept side by side.
    pub(crate) fn apply(&mut self, incoming: &mut Incoming<E>, event: Event<(Key, E)>) -> Vec<Change<E>> {
        match event {
            Event::Init => incoming.begin(),
            Event::InitApply((key, entry)) => incoming.insert(key, entry),
            Event::InitDone => {
                let list = incoming.complete();
                let changes = self.changes_to(&list);
                self.replace(list);
                return changes;
            }
            Event::Apply((key, entry)) => return vec![self.insert(key, entry)],
            Event::Delete((key, _)) => return self.remove(key).into_iter().collect(),
        }
        Vec::new()
    }

    pub(crate) fn insert(&mut self, key: Key, entry: E) -> Change<E> {
        let old = self.live.insert(key.clone(), entry.clone());
        Change { key, old, new: Some(entry) }
    }

    pub(crate) fn remove(&mut self, key: Key) -> Option<Change<E>> {
        let old = self.live.remove(&key)?;
        Some(Change { key, old: Some(old), new: None })
    }

    /// What [`replace`](Self::replace) by `list` will change: first what comes or changes, then what goes. Each map is
    /// walked once.
    pub(crate) fn changes_to(&self, list: &BTreeMap<Key, E>) -> Vec<Change<E>> {
        let (mut changes, mut removed) = (Vec::new(), Vec::new());
        let mut live = self.live.iter().peekable();
        let remove = |(key, old): (&Key, &E)| Change { key: key.clone(), old: Some(old.clone()), new: None };
        for (key, new) in list {
            while let Some(gone) = live.next_if(|(known, _)| *known < key) {
                removed.push(remove(gone));
            }
            let old = live.next_if(|(known, _)| *known == key).map(|(_, old)| old);
            if old.is_none_or(|old| !old.is_carried_over(new)) {
                changes.push(Change { key: key.clone(), old: old.cloned(), new: Some(new.clone()) });
            }
        }
        removed.extend(live.map(remove));
        changes.extend(removed);
        changes
    }
}

impl<E> Shelf<E> {
    /// Puts `list` in the place of the live map, in constant time; returns that one, to be dropped outside of the lock.
    pub(crate) fn replace(&mut self, list: BTreeMap<Key, E>) -> BTreeMap<Key, E> {
        self.has_synced = true;
        std::mem::replace(&mut self.live, list)
    }

    /// What lies under `key`.
    pub(crate) fn get(&self, key: &dyn Named) -> Option<&E> {
        self.live.get(key)
    }

    /// Everything, in the order of the keys.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&Key, &E)> {
        self.live.iter()
    }

    /// Everything in one namespace, in the order of the names.
    pub(crate) fn within<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = (&'a Key, &'a E)> {
        let first: &dyn Named = &(Some(namespace), "");
        let from_there = self.live.range::<dyn Named, _>((Bound::Included(first), Bound::Unbounded));
        from_there.take_while(move |(key, _)| key.namespace.as_deref() == Some(namespace))
    }

    /// How many objects lie there.
    pub(crate) fn len(&self) -> usize {
        self.live.len()
    }

    /// Whether a list has been completed.
    pub(crate) fn has_synced(&self) -> bool {
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

    /// A shelf and the list on its way to it.
    #[derive(Clone, Default)]
    struct World {
        shelf: Shelf<Thing>,
        incoming: Incoming<Thing>,
    }

    impl World {
        fn apply(&mut self, event: Event<(Key, Thing)>) -> Vec<Change<Thing>> {
            self.shelf.apply(&mut self.incoming, event)
        }

        fn live(&self) -> BTreeMap<Key, Thing> {
            self.shelf.iter().map(|(key, thing)| (key.clone(), *thing)).collect()
        }
    }

    fn key(name: &str) -> Key {
        Key { namespace: None, name: name.into() }
    }

    fn alphabet() -> Vec<Event<(Key, Thing)>> {
        let mut events = vec![Event::Init, Event::InitDone];
        for (name, identity) in [("a", 1), ("b", 2)] {
            for version in [1, 2] {
                events.push(Event::Apply((key(name), Thing(identity, version))));
                events.push(Event::InitApply((key(name), Thing(identity, version))));
            }
            events.push(Event::Delete((key(name), Thing(identity, 9))));
        }
        events
    }

    /// Every sequence of five events: what the changes say, played back, is what lies on the shelf.
    fn walk(world: &World, mirror: &BTreeMap<Key, Thing>, depth: usize, walked: &mut usize) {
        if depth == 0 {
            return;
        }
        for event in alphabet() {
            let (mut world, mut mirror) = (world.clone(), mirror.clone());
            let before = world.live();
            let changes = world.apply(event.clone());
            *walked += 1;
            if matches!(event, Event::Init | Event::InitApply(_)) {
                assert!(changes.is_empty() && world.live() == before, "a list shows before it is complete");
            }
            for change in changes {
                assert_eq!(mirror.get(&change.key), change.old.as_ref(), "old is what was there");
                if matches!(event, Event::InitDone) {
                    assert_ne!(change.old, change.new, "a relist reports what did not change");
                }
                match change.new {
                    Some(new) => mirror.insert(change.key, new),
                    None => mirror.remove(&change.key),
                };
            }
            assert_eq!(mirror, world.live(), "after {event:?}");
            walk(&world, &mirror, depth - 1, walked);
        }
    }

    #[test]
    fn changes_played_back_are_the_shelf_in_every_sequence_of_five_events() {
        let mut walked = 0;
        walk(&World::default(), &BTreeMap::new(), 5, &mut walked);
        assert!(walked > 200_000, "only {walked} events were tried");
    }

    #[test]
    fn a_delete_that_only_a_relist_shows_is_a_change() {
        let mut world = World::default();
        world.apply(Event::Apply((key("a"), Thing(1, 1))));
        world.apply(Event::Apply((key("b"), Thing(2, 1))));
        world.apply(Event::Init);
        world.apply(Event::InitApply((key("b"), Thing(2, 1))));
        let changes = world.apply(Event::InitDone);
        assert_eq!(changes, [Change { key: key("a"), old: Some(Thing(1, 1)), new: None }]);
    }

    #[test]
    fn a_list_that_begins_again_forgets_the_broken_one() {
        let mut world = World::default();
        world.apply(Event::Init);
        world.apply(Event::InitApply((key("a"), Thing(1, 1))));
        world.apply(Event::Init);
        world.apply(Event::InitDone);
        assert_eq!(world.shelf.len(), 0);
    }
}
