//! Which keys wait for a watch, and for what: until it reaches a version, or until it shows an object.
//!
//! In: who waits, and how far the watch has come. Out: the keys whose time to look again has come. Each step costs O(log n)
//! and as much as it returns: no key is looked at whose version is not reached. It is pure. A version that cannot be
//! compared is never waited for: it is not known when it is reached.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pintle_core::resource_version::ResourceVersion;

use crate::reflector::Key;

/// What is waited for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::controller) enum Awaited {
    /// That the watch reaches this version.
    Version(ResourceVersion),
    /// That the watch shows this object.
    Object(Key),
}

/// The keys that wait for one watch, each for one thing.
#[derive(Debug, Default)]
pub(in crate::controller) struct VersionWaiters {
    versions: BTreeSet<(u64, Key)>,
    objects: BTreeMap<Key, BTreeSet<Key>>,
    /// What each of them waits for.
    keys: HashMap<Key, Awaited>,
}

impl VersionWaiters {
    /// `key` waits for this, and for nothing that it waited for before.
    pub(in crate::controller) fn add(&mut self, key: &Key, awaited: Awaited) {
        self.remove(key);
        match &awaited {
            Awaited::Version(version) => {
                let Some(version) = version.number() else { return };
                self.versions.insert((version, key.clone()));
            }
            Awaited::Object(object) => {
                self.objects.entry(object.clone()).or_default().insert(key.clone());
            }
        }
        self.keys.insert(key.clone(), awaited);
    }

    /// `key` does not wait any more.
    pub(in crate::controller) fn remove(&mut self, key: &Key) {
        match self.keys.remove(key) {
            Some(Awaited::Version(version)) => {
                version.number().map(|version| self.versions.remove(&(version, key.clone())));
            }
            Some(Awaited::Object(object)) => {
                if let Some(waiting) = self.objects.get_mut(&object) {
                    waiting.remove(key);
                    if waiting.is_empty() {
                        self.objects.remove(&object);
                    }
                }
            }
            None => {}
        }
    }

    /// How many keys wait.
    pub(in crate::controller) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The watch has come to `version`: moves the keys that waited for that or less to `shown`.
    pub(in crate::controller) fn reached(&mut self, version: &ResourceVersion, shown: &mut Vec<Key>) {
        let Some(version) = version.number() else { return };
        while self.versions.first().is_some_and(|(awaited, _)| *awaited <= version) {
            let Some((_, key)) = self.versions.pop_first() else { return };
            self.keys.remove(&key);
            shown.push(key);
        }
    }

    /// The watch has shown an object: moves the keys that waited for that to `shown`.
    pub(in crate::controller) fn shown(&mut self, object: impl FnOnce() -> Key, shown: &mut Vec<Key>) {
        // Mostly no key waits for an object, and then its name need not be known.
        if self.objects.is_empty() {
            return;
        }
        for key in self.objects.remove(&object()).into_iter().flatten() {
            self.keys.remove(&key);
            shown.push(key);
        }
    }

    /// The watch may have shown any object: moves every key that waits for one to `shown`.
    pub(in crate::controller) fn shown_any(&mut self, shown: &mut Vec<Key>) {
        for key in std::mem::take(&mut self.objects).into_values().flatten() {
            self.keys.remove(&key);
            shown.push(key);
        }
    }

    /// The watch is gone or looks elsewhere: moves every key to `shown`.
    pub(in crate::controller) fn end(&mut self, shown: &mut Vec<Key>) {
        let all = std::mem::take(self);
        shown.extend(all.versions.into_iter().map(|(_, key)| key));
        shown.extend(all.objects.into_values().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key { namespace: None, name: name.into() }
    }

    fn taken(take: impl FnOnce(&mut Vec<Key>)) -> Vec<String> {
        let mut shown = Vec::new();
        take(&mut shown);
        shown.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_key_is_returned_once_when_its_time_has_come() {
        let mut waiting = VersionWaiters::default();
        waiting.add(&key("a"), Awaited::Version(3.into()));
        waiting.add(&key("b"), Awaited::Version(5.into()));
        waiting.add(&key("c"), Awaited::Object(key("child")));
        waiting.add(&key("d"), Awaited::Object(key("child")));
        waiting.add(&key("e"), Awaited::Object(key("other")));
        assert_eq!(waiting.len(), 5);
        assert!(taken(|shown| waiting.reached(&2.into(), shown)).is_empty());
        assert_eq!(taken(|shown| waiting.reached(&4.into(), shown)), ["a"]);
        assert!(taken(|shown| waiting.reached(&4.into(), shown)).is_empty());
        assert_eq!(taken(|shown| waiting.shown(|| key("child"), shown)), ["c", "d"]);
        assert_eq!(taken(|shown| waiting.shown_any(shown)), ["e"]);
        assert_eq!(taken(|shown| waiting.end(shown)), ["b"]);
        assert!(taken(|shown| waiting.end(shown)).is_empty());
        assert_eq!(waiting.len(), 0);
    }

    #[test]
    fn a_key_waits_for_one_thing_at_a_time() {
        let mut waiting = VersionWaiters::default();
        waiting.add(&key("a"), Awaited::Version(3.into()));
        waiting.add(&key("a"), Awaited::Object(key("child")));
        assert!(taken(|shown| waiting.reached(&9.into(), shown)).is_empty());
        waiting.add(&key("a"), Awaited::Version(10.into()));
        assert!(taken(|shown| waiting.shown(|| key("child"), shown)).is_empty());
        waiting.remove(&key("a"));
        assert!(taken(|shown| waiting.end(shown)).is_empty());
    }

    #[test]
    fn the_name_of_an_object_is_not_asked_for_where_no_key_waits_for_one() {
        let mut waiting = VersionWaiters::default();
        waiting.add(&key("a"), Awaited::Version(3.into()));
        assert!(taken(|shown| waiting.shown(|| panic!("no key waits for it"), shown)).is_empty());
    }
}
