//! The cache of a source that is not the controller's store: what its watch has shown last.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::watch_progress::{See, WatchProgress};
use crate::reflector::shelf::{Change, Incoming, Key, Shelf, Shelved};
use crate::watcher::Event;

/// A shelf that a [`WatchProgress`] looks at, too, and the list on its way to it, which is not visible elsewhere.
pub(super) struct SharedShelf<E> {
    shelf: Arc<Mutex<Shelf<E>>>,
    incoming: Incoming<E>,
}

impl<E: Shelved> SharedShelf<E> {
    pub(super) fn apply(&mut self, event: Event<(Key, E)>) -> Vec<Change<E>> {
        let event = match event {
            Event::InitApply((key, entry)) => Event::InitApply(self.carried_over(key, entry)),
            other => other,
        };
        locked(&self.shelf).apply(&mut self.incoming, event)
    }

    /// What lies there already, if it is the same state; compared outside the lock, as it may have to be decoded.
    fn carried_over(&self, key: Key, entry: E) -> (Key, E) {
        let known = locked(&self.shelf).get(&key).cloned();
        let carried = known.filter(|known| known.is_same_state(&entry)).unwrap_or(entry);
        (key, carried)
    }

    pub(super) fn shown_to(&self, progress: &WatchProgress, show: fn(&E, See<'_>))
    where
        E: Send + 'static,
    {
        let shelf = Arc::clone(&self.shelf);
        progress.look_by(move |key, see| {
            let entry = locked(&shelf).get(key).cloned();
            if let Some(entry) = entry {
                show(&entry, see);
            }
        });
    }
}

// Nothing panics while it is locked.
fn locked<E>(shelf: &Mutex<Shelf<E>>) -> MutexGuard<'_, Shelf<E>> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<E> Default for SharedShelf<E> {
    fn default() -> Self {
        Self { shelf: Arc::default(), incoming: Incoming::default() }
    }
}
