//! Who waits for a watch, and for what: until it reaches a version, or until it tells of an object.
//!
//! In: who waits, and how far the watch has come. Out: those whose time to look again has come. Each step costs O(log n)
//! and as much as it gives out: nobody is looked at whose version is not reached. It is pure.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::reflector::Key;

/// What is waited for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Awaited {
    /// Any word of this version or a later one.
    Version(u64),
    /// Any word of this object.
    Object(Key),
}

/// Those who wait for one watch, each for one thing.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    versions: BTreeSet<(u64, Key)>,
    objects: BTreeMap<Key, BTreeSet<Key>>,
    /// What each of them waits for.
    who: HashMap<Key, Awaited>,
}

impl Waiting {
    /// `key` waits for this, and for nothing that it waited for before.
    pub(super) fn add(&mut self, key: &Key, awaited: Awaited) {
        self.remove(key);
        match &awaited {
            Awaited::Version(version) => drop(self.versions.insert((*version, key.clone()))),
            Awaited::Object(object) => {
                self.objects.entry(object.clone()).or_default().insert(key.clone());
            }
        }
        self.who.insert(key.clone(), awaited);
    }

    /// `key` waits no more.
    pub(super) fn remove(&mut self, key: &Key) {
        match self.who.remove(key) {
            Some(Awaited::Version(version)) => drop(self.versions.remove(&(version, key.clone()))),
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

    /// The watch has come to `version`: gives out who waited for that or less.
    pub(super) fn reached(&mut self, version: u64, ripe: &mut Vec<Key>) {
        while let Some((awaited, key)) = self.versions.pop_first() {
            if awaited > version {
                self.versions.insert((awaited, key));
                return;
            }
            self.who.remove(&key);
            ripe.push(key);
        }
    }

    /// The watch has told of an object: gives out who waited for that.
    pub(super) fn told(&mut self, object: impl FnOnce() -> Key, ripe: &mut Vec<Key>) {
        // Mostly nobody waits for an object, and then its name need not be known.
        if self.objects.is_empty() {
            return;
        }
        for key in self.objects.remove(&object()).into_iter().flatten() {
            self.who.remove(&key);
            ripe.push(key);
        }
    }

    /// The watch has told of who knows what: gives out everybody who waits for an object.
    pub(super) fn told_of_any(&mut self, ripe: &mut Vec<Key>) {
        for key in std::mem::take(&mut self.objects).into_values().flatten() {
            self.who.remove(&key);
            ripe.push(key);
        }
    }

    /// The watch is gone or looks elsewhere: gives out everybody.
    pub(super) fn end(&mut self, ripe: &mut Vec<Key>) {
        let all = std::mem::take(self);
        ripe.extend(all.versions.into_iter().map(|(_, key)| key));
        ripe.extend(all.objects.into_values().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key { namespace: None, name: name.into() }
    }

    fn given_out(give: impl FnOnce(&mut Vec<Key>)) -> Vec<String> {
        let mut ripe = Vec::new();
        give(&mut ripe);
        ripe.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn who_waits_is_given_out_once_when_its_time_has_come() {
        let mut waiting = Waiting::default();
        waiting.add(&key("a"), Awaited::Version(3));
        waiting.add(&key("b"), Awaited::Version(5));
        waiting.add(&key("c"), Awaited::Object(key("child")));
        waiting.add(&key("d"), Awaited::Object(key("child")));
        waiting.add(&key("e"), Awaited::Object(key("other")));
        assert!(given_out(|ripe| waiting.reached(2, ripe)).is_empty());
        assert_eq!(given_out(|ripe| waiting.reached(4, ripe)), ["a"]);
        assert!(given_out(|ripe| waiting.reached(4, ripe)).is_empty());
        assert_eq!(given_out(|ripe| waiting.told(|| key("child"), ripe)), ["c", "d"]);
        assert_eq!(given_out(|ripe| waiting.told_of_any(ripe)), ["e"]);
        assert_eq!(given_out(|ripe| waiting.end(ripe)), ["b"]);
        assert!(given_out(|ripe| waiting.end(ripe)).is_empty());
    }

    #[test]
    fn who_waits_for_something_else_now_does_not_wait_for_what_was_before() {
        let mut waiting = Waiting::default();
        waiting.add(&key("a"), Awaited::Version(3));
        waiting.add(&key("a"), Awaited::Object(key("child")));
        assert!(given_out(|ripe| waiting.reached(9, ripe)).is_empty());
        waiting.add(&key("a"), Awaited::Version(10));
        assert!(given_out(|ripe| waiting.told(|| key("child"), ripe)).is_empty());
        waiting.remove(&key("a"));
        assert!(given_out(|ripe| waiting.end(ripe)).is_empty());
    }

    #[test]
    fn the_name_of_an_object_is_not_asked_for_where_nobody_waits_for_one() {
        let mut waiting = Waiting::default();
        waiting.add(&key("a"), Awaited::Version(3));
        assert!(given_out(|ripe| waiting.told(|| panic!("nobody asked"), ripe)).is_empty());
    }
}
