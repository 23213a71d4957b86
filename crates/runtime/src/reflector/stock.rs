//! What one writer and its readers share: the shelf, its indexes, and who listens to it.
//!
//! Every delta passes here, under one lock: it changes the shelf and the indexes and is filed with each listener in the
//! same step, so a listener hears every change exactly once, whenever it came. What takes time or is the user's (to
//! decode, to index) is done before the lock is taken.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use pintle_core::reference::Lookup;

use super::early_reads::are_allowed;
use super::entry::Entry;
use super::index::{IndexExists, Indexes, Rule};
use super::mailbox::{Letters, Mailbox};
use super::shelf::{Change, Key, Shelf, Shelved};
use crate::watcher::{Event, Health};

pub(crate) struct Stock<K> {
    contents: RwLock<Contents<K>>,
    was_read_too_early: AtomicBool,
    was_decoded_whole: AtomicBool,
}

pub(crate) struct Contents<K> {
    pub(crate) shelf: Shelf<Entry<K>>,
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
    /// The latest version of an object; what a foreign stream lets one know.
    object: Option<String>,
}

impl Seen {
    pub(crate) fn health(&self) -> Option<&Health> {
        self.health.as_ref()
    }

    pub(crate) fn version(&self) -> Option<String> {
        match &self.health {
            Some(health) => health.report().resource_version,
            None => self.object.clone(),
        }
    }

    fn note(&mut self, version: Option<String>) {
        let Some(version) = version else { return };
        if self.object.as_ref().is_none_or(|known| is_not_older(known, &version)) {
            self.object = Some(version);
        }
    }
}

/// Versions are decimal numbers of any size on every server that orders them; others are taken as they come.
fn is_not_older(known: &str, version: &str) -> bool {
    match (known.parse::<u64>(), version.parse::<u64>()) {
        (Ok(known), Ok(version)) => known <= version,
        _ => true,
    }
}

impl<K> Default for Stock<K> {
    fn default() -> Self {
        let contents = Contents {
            shelf: Shelf::default(),
            indexes: Indexes::default(),
            seen: Seen::default(),
            listeners: Vec::new(),
            is_abandoned: false,
        };
        Self {
            contents: RwLock::new(contents),
            was_read_too_early: AtomicBool::new(false),
            was_decoded_whole: AtomicBool::new(false),
        }
    }
}

impl<K: Lookup> Stock<K> {
    /// Takes one delta and tells everybody what it changed.
    pub(crate) fn apply(&self, delta: Event<(Key, Entry<K>)>) -> Vec<Change<Entry<K>>> {
        let delta = match delta {
            Event::InitApply(it) => Event::InitApply(self.joined(it)),
            Event::Apply(it) => Event::Apply(self.joined(it)),
            other => other,
        };
        let mut contents = match &delta {
            Event::InitApply((_, entry)) | Event::Apply((_, entry)) => self.prepared(entry),
            Event::Init | Event::InitDone | Event::Delete(_) => self.write(),
        };
        if let Event::InitApply((_, entry)) | Event::Apply((_, entry)) | Event::Delete((_, entry)) = &delta
            && contents.seen.health.is_none()
        {
            contents.seen.note(entry.resource_version());
        }
        let was_synced = contents.shelf.has_synced();
        let changes = contents.shelf.apply(delta);
        if !changes.is_empty() {
            contents.indexes.follow(&changes);
            contents.tell(&changes, !was_synced);
        }
        changes
    }

    /// What lies under the key already, if it is the same state of the same object; else `entry`, which then follows
    /// the state before it.
    fn joined(&self, (key, entry): (Key, Entry<K>)) -> (Key, Entry<K>) {
        let old = self.read().shelf.get(&key).cloned();
        match old {
            Some(known) if known.is_same_state(&entry) => (key, known),
            Some(old) if old.is_same_object(&entry) => {
                entry.succeed(&old);
                (key, entry)
            }
            _ => (key, entry),
        }
    }

    /// The contents, to change them, once every index knows the values of `entry`.
    fn prepared(&self, entry: &Entry<K>) -> RwLockWriteGuard<'_, Contents<K>> {
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

impl<K> Stock<K> {
    /// Adds an index of what is there and of what comes.
    pub(crate) fn add_index(&self, name: &str, rule: &Arc<Rule<K>>) -> Result<(), IndexExists> {
        loop {
            let unprepared: Vec<_> = {
                let mut contents = self.write();
                if contents.indexes.has(name) {
                    return Err(IndexExists { name: name.to_owned() });
                }
                let unprepared = contents.shelf.all().filter(|entry| entry.values(rule.id).is_none());
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

    /// Says which watch fills the store.
    pub(crate) fn fed_by(&self, health: Health) {
        self.write().seen.health = Some(health);
    }

    /// A new listener, which hears first what is there.
    pub(crate) fn listen(&self) -> Letters<Entry<K>> {
        let mut contents = self.write();
        let mailbox = Mailbox::new(contents.is_abandoned);
        let present = contents.shelf.iter();
        mailbox.deliver(present.map(|(key, new)| Change { key: key.clone(), old: None, new: Some(new.clone()) }), true);
        if !contents.is_abandoned {
            contents.listeners.push(Arc::downgrade(&mailbox));
        }
        Letters(mailbox)
    }

    /// The writer is gone: listeners hear what there is and no more.
    pub(crate) fn abandon(&self) {
        let mut contents = self.write();
        contents.is_abandoned = true;
        for mailbox in std::mem::take(&mut contents.listeners).iter().filter_map(Weak::upgrade) {
            mailbox.close();
        }
    }

    /// The contents, to look at. Looking before the first list is complete is a mistake that shows as an empty store,
    /// so it is told once.
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

    /// Says once that decoding all objects of a large store is dear.
    pub(crate) fn mention_size(&self, objects: usize) {
        if !self.was_decoded_whole.swap(true, Ordering::Relaxed) {
            let kind = std::any::type_name::<K>();
            tracing::warn!(
                kind,
                objects,
                "every object of a store was decoded that is too large to lie decoded: Store::scan, select and indexes \
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
    fn tell(&mut self, changes: &[Change<Entry<K>>], are_initial: bool) {
        self.listeners.retain(|listener| {
            let Some(mailbox) = listener.upgrade() else { return false };
            mailbox.deliver(changes.iter().cloned(), are_initial);
            true
        });
    }
}
