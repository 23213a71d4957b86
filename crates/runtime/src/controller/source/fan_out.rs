//! What a shared watch remembers where no store is needed: heads of owned objects, or objects as they came.
//!
//! In: the events of one watch. Out: the same changes for each listener, exactly once, whenever it began to listen.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::subscription::SharedCache;
use super::watch_progress::{See, WatchProgress};
use crate::reflector::mailbox::{Inbox, Mailbox};
use crate::reflector::shelf::{Change, Incoming, Key, Shelf, Shelved};
use crate::watcher::Event;

/// A cache without readers but its listeners; clones are the same.
pub(crate) struct FanOut<T>(Arc<Mutex<Contents<T>>>);

struct Contents<T> {
    shelf: Shelf<T>,
    listeners: Vec<Weak<Mailbox<T>>>,
    followers: Vec<Weak<WatchProgress>>,
    show: fn(&T, See<'_>),
    is_closed: bool,
}

/// The end of a [`FanOut`] where events come in. Nothing more comes once it is dropped.
pub(crate) struct FanIn<T> {
    cache: FanOut<T>,
    incoming: Incoming<T>,
}

impl<T: Shelved> FanOut<T> {
    /// An empty one; `show` shows one of its entries.
    pub(crate) fn new(show: fn(&T, See<'_>)) -> Self {
        let (shelf, listeners, followers) = (Shelf::default(), Vec::new(), Vec::new());
        Self(Arc::new(Mutex::new(Contents { shelf, listeners, followers, show, is_closed: false })))
    }

    pub(crate) fn fill(&self) -> FanIn<T> {
        FanIn { cache: self.clone(), incoming: Incoming::default() }
    }

    /// Whether a controller wants to have the body of `key` kept.
    pub(crate) fn is_suspect(&self, key: &Key) -> bool {
        let followers: Vec<_> = self.contents().followers.iter().filter_map(Weak::upgrade).collect();
        followers.iter().any(|follower| follower.is_suspect(key))
    }
}

impl<T: Shelved> FanIn<T> {
    pub(crate) fn apply(&mut self, event: Event<(Key, T)>) {
        let event = match event {
            Event::InitApply((key, entry)) => Event::InitApply(self.carried_over(key, entry)),
            other => other,
        };
        let mut contents = self.cache.contents();
        let are_initial = !contents.shelf.has_synced();
        let changes = contents.shelf.apply(&mut self.incoming, event);
        if !changes.is_empty() {
            contents.listeners.retain(|listener| {
                let Some(mailbox) = listener.upgrade() else { return false };
                mailbox.deliver(changes.iter().cloned(), are_initial);
                true
            });
        }
    }

    /// What lies there already, if it is the same state; compared outside the lock, as it may have to be decoded.
    fn carried_over(&self, key: Key, entry: T) -> (Key, T) {
        let known = self.cache.contents().shelf.get(&key).cloned();
        let carried = known.filter(|known| known.is_same_state(&entry)).unwrap_or(entry);
        (key, carried)
    }
}

impl<T> Drop for FanIn<T> {
    fn drop(&mut self) {
        let mut contents = self.cache.contents();
        contents.is_closed = true;
        std::mem::take(&mut contents.listeners).iter().filter_map(Weak::upgrade).for_each(|mailbox| mailbox.close());
    }
}

impl<T> FanOut<T> {
    // Nothing panics while it is locked.
    fn contents(&self) -> MutexGuard<'_, Contents<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for FanOut<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Shelved + Send + 'static> SharedCache for FanOut<T> {
    type Entry = T;

    fn listen(&self) -> Inbox<T> {
        let mut contents = self.contents();
        let mailbox = Mailbox::new(contents.is_closed);
        let present = contents.shelf.iter();
        mailbox.deliver(present.map(|(key, new)| Change { key: key.clone(), old: None, new: Some(new.clone()) }), true);
        contents.listeners.push(Arc::downgrade(&mailbox));
        Inbox(mailbox)
    }

    fn look(&self, key: &Key, see: See<'_>) {
        let (found, show) = {
            let contents = self.contents();
            (contents.shelf.get(key).cloned(), contents.show)
        };
        if let Some(entry) = found {
            show(&entry, see);
        }
    }

    fn follow(&self, progress: &Arc<WatchProgress>) {
        let mut contents = self.contents();
        contents.followers.retain(|follower| follower.strong_count() > 0);
        contents.followers.push(Arc::downgrade(progress));
    }
}
