//! Listening to a store: one watch, any number of listeners, each at its own speed.
//!
//! ```text
//!   watch ──► Writer ──► shelf ──Change──┬──► mailbox ──► ReflectHandle   what is there, as kube has it
//!                                        └──► mailbox ──► Changes         old and new, deletes included
//! ```
//!
//! A late subscriber first receives what is there. A listener that is not polled keeps one entry per object and stalls
//! no other. The streams end once the [`Writer`](super::Writer) is gone and everything is received.

use std::fmt;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::stream::{Stream, StreamExt};
use pintle_core::reference::Lookup;

use super::mailbox::Inbox;
use crate::reflector::entry::Entry;
use crate::reflector::shelf::Key;
use crate::reflector::store::Store;

/// The objects of a shared store as they come and change. Cloning it subscribes anew, beginning with what is there.
///
/// It does not yield deletes, as in kube; [`Store::changes`] does.
#[must_use = "streams do nothing unless polled"]
pub struct ReflectHandle<K: Lookup + Clone + 'static>
where
    K::DynamicType: Eq + Hash + Clone,
{
    store: Store<K>,
    inbox: Inbox<Entry<K>>,
}

impl<K: Lookup + Clone + 'static> ReflectHandle<K>
where
    K::DynamicType: Eq + Hash + Clone,
{
    pub(crate) fn new(store: Store<K>) -> Self {
        let inbox = store.listen();
        Self { store, inbox }
    }

    /// A reader of the store.
    #[must_use]
    pub fn reader(&self) -> Store<K> {
        self.store.clone()
    }
}

impl<K: Lookup + Clone + 'static> Clone for ReflectHandle<K>
where
    K::DynamicType: Eq + Hash + Clone,
{
    fn clone(&self) -> Self {
        Self::new(self.store.clone())
    }
}

impl<K: Lookup + Clone + 'static> Stream for ReflectHandle<K>
where
    K::DynamicType: Eq + Hash + Clone,
{
    type Item = Arc<K>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Arc<K>>> {
        loop {
            let Some((_, pending)) = ready!(self.inbox.poll_next_unpin(cx)) else {
                return Poll::Ready(None);
            };
            if let Some(object) = pending.new.and_then(|entry| entry.last_readable()) {
                return Poll::Ready(Some(object));
            }
        }
    }
}

impl<K: Lookup + Clone + 'static> fmt::Debug for ReflectHandle<K>
where
    K::DynamicType: Eq + Hash + Clone,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReflectHandle").field("store", &self.store).finish_non_exhaustive()
    }
}

/// What happened to an object: it came, changed or went.
pub struct Notice<K> {
    /// Which object.
    pub key: Key,
    /// What was there before, as far as the listener had received it. A different uid means that the object was deleted and
    /// another one made under its name.
    pub old: Option<Entry<K>>,
    /// What is there now; `None` if it is gone.
    pub new: Option<Entry<K>>,
    /// Whether it was there when the store became ready, or when the listener came.
    pub is_initial: bool,
}

impl<K> fmt::Debug for Notice<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match (&self.old, &self.new) {
            (None, _) => "Added",
            (Some(_), Some(_)) => "Updated",
            (Some(_), None) => "Deleted",
        };
        write!(f, "{word}({})", self.key)
    }
}

/// Every change of a store, old and new, deletes included: those too that only a relist showed.
#[must_use = "streams do nothing unless polled"]
pub struct Changes<K> {
    inbox: Inbox<Entry<K>>,
}

impl<K> Changes<K> {
    pub(crate) fn new(inbox: Inbox<Entry<K>>) -> Self {
        Self { inbox }
    }
}

impl<K> Stream for Changes<K> {
    type Item = Notice<K>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Notice<K>>> {
        let next = ready!(self.inbox.poll_next_unpin(cx));
        Poll::Ready(next.map(|(key, it)| Notice { key, old: it.old, new: it.new, is_initial: it.is_initial }))
    }
}

impl<K> fmt::Debug for Changes<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}
