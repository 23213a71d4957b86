//! What one writer and its readers share: the shelf, and who listens to it.
//!
//! Every delta passes here, under one lock: it changes the shelf and is filed with each listener in the same step, so
//! a listener hears every change exactly once, whenever it came.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use super::entry::Entry;
use super::mailbox::{Letters, Mailbox};
use super::shelf::{Change, Key, Shelf};
use crate::watcher::Event;

pub(crate) struct Stock<K> {
    contents: RwLock<Contents<K>>,
    was_read_too_early: AtomicBool,
}

pub(crate) struct Contents<K> {
    pub(crate) shelf: Shelf<Entry<K>>,
    listeners: Vec<Weak<Mailbox<Entry<K>>>>,
    is_abandoned: bool,
}

impl<K> Default for Stock<K> {
    fn default() -> Self {
        let contents = Contents { shelf: Shelf::default(), listeners: Vec::new(), is_abandoned: false };
        Self { contents: RwLock::new(contents), was_read_too_early: AtomicBool::new(false) }
    }
}

impl<K: pintle_core::Lookup> Stock<K> {
    /// Takes one delta and tells everybody what it changed.
    pub(crate) fn apply(&self, delta: Event<(Key, Entry<K>)>) -> Vec<Change<Entry<K>>> {
        let mut contents = self.write();
        let was_synced = contents.shelf.has_synced();
        let changes = contents.shelf.apply(delta);
        if !changes.is_empty() {
            contents.tell(&changes, !was_synced);
        }
        changes
    }
}

impl<K> Stock<K> {
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
        if !contents.shelf.has_synced() && !self.was_read_too_early.swap(true, Ordering::Relaxed) {
            let kind = std::any::type_name::<K>();
            tracing::warn!(
                kind,
                "a store was read before it was ready, so it looks empty: await Store::wait_until_ready() first, and \
                 see that the stream which fills it is polled"
            );
        }
        contents
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
