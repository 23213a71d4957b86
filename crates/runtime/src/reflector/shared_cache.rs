//! What one writer and its readers share: the shelf, its indexes, and who listens to it.
//!
//! In: an object that came or went, or a whole list. Out: what that changed. Each passes under one lock: it changes the
//! shelf and the indexes and is filed with each listener in the same step, so a listener gets every change exactly once,
//! whenever it began to listen. What takes time or is the user's (to compare a list, to decode, to index) is done before
//! the lock is taken; a list that changed nothing holds it for a moment, whatever its length.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use pintle_core::resource_version::ResourceVersion;

use super::by_name::ByName;
use super::early_reads::are_allowed;
use super::entry::{Entry, WeakEntry};
use super::index::{IndexExists, Indexes, Rule};
use super::memory::hot_objects::HotObjects;
use super::shelf::{Change, Key, Named, Shelf, Shelved};
use super::subscribers::mailbox::{Inbox, Mailbox};
use crate::watcher::Health;

pub(crate) struct SharedCache<K> {
    contents: RwLock<Contents<K>>,
    pub(super) hot: HotObjects<WeakEntry<K>>,
    was_read_too_early: AtomicBool,
    was_decoded_whole: AtomicBool,
}

/// How many objects are kept in another way at once.
const AT_ONCE: usize = 64;

/// A complete list.
type List<K> = BTreeMap<Key, Entry<K>>;

pub(crate) struct Contents<K> {
    pub(crate) shelf: Shelf<Entry<K>>,
    /// The same entries.
    by_name: ByName<Entry<K>>,
    pub(crate) indexes: Indexes<K>,
    pub(crate) seen: Seen,
    listeners: Vec<Weak<Mailbox<Entry<K>>>>,
    is_abandoned: bool,
}

/// Up to where the store has seen the world.
#[derive(Default)]
pub(crate) struct Seen {
    /// The watch that fills the store, if it is one of ours.
    health: Option<Health>,
    /// The latest version of an object; all that is known of a stream that is not a watch of ours.
    object: Option<ResourceVersion>,
}

impl Seen {
    pub(crate) fn health(&self) -> Option<&Health> {
        self.health.as_ref()
    }

    pub(crate) fn version(&self) -> Option<String> {
        match &self.health {
            Some(health) => health.report().resource_version.as_ref().map(ToString::to_string),
            None => self.object.as_ref().map(ToString::to_string),
        }
    }
}

impl<K> Default for SharedCache<K> {
    fn default() -> Self {
        let contents = Contents {
            shelf: Shelf::default(),
            by_name: ByName::default(),
            indexes: Indexes::default(),
            seen: Seen::default(),
            listeners: Vec::new(),
            is_abandoned: false,
        };
        Self {
            contents: RwLock::new(contents),
            hot: HotObjects::default(),
            was_read_too_early: AtomicBool::new(false),
            was_decoded_whole: AtomicBool::new(false),
        }
    }
}

impl<K> SharedCache<K> {
    /// What lies under `key`.
    pub(crate) fn entry(&self, key: &Key) -> Option<Entry<K>> {
        self.read().get(key).cloned()
    }

    /// The functions of its indexes.
    pub(crate) fn rules(&self) -> Vec<Arc<Rule<K>>> {
        self.read().indexes.rules()
    }

    /// An object is there or has changed; `latest` is the latest version that was seen of any.
    pub(crate) fn insert(&self, key: Key, entry: Entry<K>, latest: Option<&ResourceVersion>) -> Change<Entry<K>> {
        let mut contents = self.prepared_for(&entry);
        contents.by_name.insert(entry.clone());
        let change = contents.shelf.insert(key, entry);
        contents.publish(std::slice::from_ref(&change), latest);
        change
    }

    /// An object is gone.
    pub(crate) fn remove(&self, key: Key, latest: Option<&ResourceVersion>) -> Option<Change<Entry<K>>> {
        let mut contents = self.write();
        contents.by_name.remove(&key);
        let change = contents.shelf.remove(key);
        contents.publish(change.as_slice(), latest);
        change
    }

    /// A list is complete and takes the place of what was there. Readers wait only while what changed is published.
    pub(crate) fn replace(&self, list: List<K>, latest: Option<&ResourceVersion>) -> Vec<Change<Entry<K>>> {
        let mut by_name = ByName::of(list.values().cloned());
        loop {
            // Only the writer changes the shelf, so what is found here still holds below.
            let (changes, rules) = {
                let contents = self.read();
                (contents.shelf.changes_to(&list), contents.indexes.rules())
            };
            let new = changes.iter().filter_map(|change| change.new.as_ref());
            new.for_each(|entry| rules.iter().for_each(|rule| rule.prepare(entry)));
            let mut contents = self.write();
            // An index may have been added since.
            if !contents.indexes.are(&rules) {
                continue;
            }
            let are_initial = !contents.shelf.has_synced();
            let replaced = contents.shelf.replace(list);
            std::mem::swap(&mut contents.by_name, &mut by_name);
            contents.publish_all(&changes, latest, are_initial);
            drop(contents);
            // Outside the lock: this may drop everything that was there.
            drop((replaced, by_name));
            return changes;
        }
    }

    /// Keeps nothing decoded that came while there was room for it. A few at a time, because each is there twice meanwhile.
    pub(crate) fn let_go_of_decoded(&self) {
        let mut within_budget: Vec<(Key, Entry<K>)> = {
            let contents = self.read();
            let entries = contents.shelf.iter().filter(|(_, entry)| entry.is_within_budget());
            entries.map(|(key, entry)| (key.clone(), entry.clone())).collect()
        };
        while !within_budget.is_empty() {
            let few = within_budget.split_off(within_budget.len().saturating_sub(AT_ONCE));
            let lean: Vec<_> = few.iter().map(|(_, entry)| entry.without_decoded()).collect();
            let mut contents = self.write();
            for ((key, old), new) in few.iter().zip(lean) {
                let is_there = contents.get(key).is_some_and(|known| known.is_carried_over(old));
                if let Some(new) = new.filter(|_| is_there) {
                    // Here, where no index can be added meanwhile.
                    new.take_over_values(old);
                    // Whoever holds it still has it decoded, but the store has not.
                    old.supersede();
                    contents.by_name.insert(new.clone());
                    contents.shelf.insert(key.clone(), new);
                }
            }
        }
    }

    /// The contents, to change them, once every index knows the values of `entry`.
    fn prepared_for(&self, entry: &Entry<K>) -> RwLockWriteGuard<'_, Contents<K>> {
        loop {
            let contents = self.write();
            // An index may have been added since the values were found.
            if contents.indexes.are_prepared_for(entry) {
                return contents;
            }
            let rules = contents.indexes.rules();
            drop(contents);
            rules.iter().for_each(|rule| rule.prepare(entry));
        }
    }
}

impl<K> SharedCache<K> {
    /// Adds an index of what is there and of what comes.
    pub(crate) fn add_index(&self, name: &str, rule: &Arc<Rule<K>>) -> Result<(), IndexExists> {
        loop {
            let unprepared: Vec<_> = {
                let mut contents = self.write();
                if contents.indexes.has(name) {
                    return Err(IndexExists { name: name.to_owned() });
                }
                let unprepared =
                    contents.shelf.iter().map(|(_, entry)| entry).filter(|entry| entry.values(rule.id).is_none());
                let unprepared: Vec<_> = unprepared.cloned().collect();
                if unprepared.is_empty() {
                    let Contents { shelf, indexes, .. } = &mut *contents;
                    indexes.add(Arc::clone(rule), shelf.iter());
                    return Ok(());
                }
                unprepared
            };
            unprepared.iter().for_each(|entry| rule.prepare(entry));
        }
    }

    pub(crate) fn remove_index(&self, name: &str) -> bool {
        self.write().indexes.remove(name)
    }

    /// Names the watch that fills the store.
    pub(crate) fn fed_by(&self, health: Health) {
        self.write().seen.health = Some(health);
    }

    /// A new listener, which gets first what is there.
    pub(crate) fn listen(&self) -> Inbox<Entry<K>> {
        let mut contents = self.write();
        let mailbox = Mailbox::new(contents.is_abandoned);
        let present = contents.shelf.iter();
        mailbox.deliver(present.map(|(key, new)| Change { key: key.clone(), old: None, new: Some(new.clone()) }), true);
        if !contents.is_abandoned {
            contents.listeners.push(Arc::downgrade(&mailbox));
        }
        Inbox(mailbox)
    }

    /// The writer is gone: listeners get what there is and nothing else.
    pub(crate) fn abandon(&self) {
        let mut contents = self.write();
        contents.is_abandoned = true;
        for mailbox in std::mem::take(&mut contents.listeners).iter().filter_map(Weak::upgrade) {
            mailbox.close();
        }
    }

    /// The contents, to look at. Looking before the first list is complete is a mistake that shows as an empty store,
    /// so it is logged once.
    pub(crate) fn look(&self) -> RwLockReadGuard<'_, Contents<K>> {
        let contents = self.read();
        if !contents.shelf.has_synced() && !are_allowed() && !self.was_read_too_early.swap(true, Ordering::Relaxed) {
            let kind = std::any::type_name::<K>();
            tracing::warn!(
                kind,
                "a store was read before it was ready, so it looks empty: await Store::wait_until_ready() first, and \
                 see that the stream which fills it is polled"
            );
        }
        contents
    }

    /// Logs once that decoding all objects of a large store is expensive.
    pub(crate) fn mention_size(&self, objects: usize) {
        if !self.was_decoded_whole.swap(true, Ordering::Relaxed) {
            let kind = std::any::type_name::<K>();
            tracing::warn!(
                kind,
                objects,
                "every object of a store that is too large to stay decoded was decoded: Store::scan, select and indexes \
                 decode nothing, for_each one at a time, and reflector::set_decoded_budget gives it more room"
            );
        }
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Contents<K>> {
        self.contents.read().unwrap_or_else(PoisonError::into_inner)
    }

    // What changes the contents cannot panic halfway, so a poisoned lock still guards a whole state.
    fn write(&self) -> RwLockWriteGuard<'_, Contents<K>> {
        self.contents.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K> Contents<K> {
    /// What is there under a name.
    pub(crate) fn get(&self, name: &dyn Named) -> Option<&Entry<K>> {
        self.by_name.get(name)
    }

    fn publish(&mut self, changes: &[Change<Entry<K>>], latest: Option<&ResourceVersion>) {
        self.publish_all(changes, latest, !self.shelf.has_synced());
    }

    /// Files what changed in the indexes and with each listener.
    fn publish_all(&mut self, changes: &[Change<Entry<K>>], latest: Option<&ResourceVersion>, are_initial: bool) {
        if self.seen.health.is_none() {
            self.seen.object = latest.cloned();
        }
        if changes.is_empty() {
            return;
        }
        self.indexes.follow(changes);
        self.listeners.retain(|listener| {
            let Some(mailbox) = listener.upgrade() else { return false };
            mailbox.deliver(changes.iter().cloned(), are_initial);
            true
        });
    }
}
