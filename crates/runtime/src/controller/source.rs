//! The watches of a controller, each turned into a stream of the keys it wakes.
//!
//! ```text
//!   watch of K             ──► Writer's shelf       ──► itself  ─┐
//!   watch of owned heads   ──► shelf of heads       ──► Owners  ─┼──► Woken
//!   watch of others        ──► shelf, packed        ──► mapper  ─┘
//! ```
//!
//! Each has its own watch, its own backoff and its own shelf, so a delete that a relist hid wakes as well.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use futures::stream::{BoxStream, Stream, StreamExt};
use pintle_client::Api;
use pintle_core::{Lookup, ObjectRef, PartialObjectMeta, Resource};
use pintle_wire::Packed;
use serde::de::DeserializeOwned;

use super::trigger::{Owned, Owners, itself};
use crate::reflector::Writer;
use crate::reflector::entry::packed_key;
use crate::reflector::shelf::{Change, Key, Shelf, Shelved};
use crate::watcher::{self, Event, PackedWatcher, undecodable};

/// What one event of a watch brought.
pub(super) struct Woken {
    /// Who should be reconciled.
    pub(super) keys: Vec<Key>,
    /// What could not be read, so that nobody could be woken for it.
    pub(super) troubles: Vec<watcher::Error>,
    /// Whether a list is complete with it.
    pub(super) completes: bool,
}

/// The keys one watch wakes.
pub(super) type Source = BoxStream<'static, watcher::Result<Woken>>;

/// The controller's own objects: fills the store, wakes what changed.
pub(super) fn main<K>(watch: PackedWatcher<K>, mut writer: Writer<K>) -> Source
where
    K: Resource + DeserializeOwned + Send + Sync + 'static,
    K::DynamicType: Clone,
{
    woken(watch, move |event, keys, _| {
        keys.extend(writer.apply_packed(event).iter().filter_map(itself))
    })
}

/// Objects that belong to the controller's: remembers heads, wakes owners.
pub(super) fn owned<C>(api: Api<C>, config: watcher::Config, owners: Owners) -> Source
where
    C: Resource + DeserializeOwned + Send + 'static,
{
    let mut shelf = Shelf::default();
    let watch = PackedWatcher::<PartialObjectMeta<C>>::new(api.into_metadata(), config);
    woken(watch, move |event, keys, _| {
        let remember = |packed: Packed<_>| {
            let key = packed_key(&packed);
            Ok::<_, Infallible>((key, Owned(Arc::new(packed.into_head()))))
        };
        let Ok(event) = event.try_map(remember);
        keys.extend(shelf.apply(event).iter().flat_map(|change| owners.wake(change)));
    })
}

/// Objects that concern the controller's: remembers them packed, wakes whom `mapper` names.
pub(super) fn watched<O, K, I>(
    api: Api<O>,
    config: watcher::Config,
    mapper: impl Fn(O) -> I + Send + Sync + 'static,
) -> Source
where
    O: Resource + DeserializeOwned + fmt::Debug + Send + 'static,
    K: Lookup,
    I: IntoIterator<Item = ObjectRef<K>>,
{
    let mut shelf = Shelf::default();
    woken(
        PackedWatcher::new(api, config),
        move |event: Event<Packed<O>>, keys, troubles| {
            let Ok(event) = event.try_map(|packed| Ok::<_, Infallible>((packed_key(&packed), packed)));
            for Change { old, new, .. } in shelf.apply(event) {
                match new.or(old).map(|packed| packed.decode()) {
                    Some(Ok(object)) => keys.extend(mapper(object).into_iter().map(key)),
                    Some(Err(error)) => troubles.push(undecodable(&error)),
                    None => {}
                }
            }
        },
    )
}

fn key<K: Lookup>(reference: ObjectRef<K>) -> Key {
    Key {
        namespace: reference.namespace.as_deref().map(Arc::from),
        name: reference.name.as_str().into(),
    }
}

fn woken<T: 'static>(
    watch: impl Stream<Item = watcher::Result<Event<T>>> + Send + 'static,
    mut wake: impl FnMut(Event<T>, &mut Vec<Key>, &mut Vec<watcher::Error>) + Send + 'static,
) -> Source {
    watch
        .map(move |event| {
            let event = event?;
            let completes = matches!(event, Event::InitDone);
            let mut woken = Woken {
                keys: Vec::new(),
                troubles: Vec::new(),
                completes,
            };
            wake(event, &mut woken.keys, &mut woken.troubles);
            Ok(woken)
        })
        .boxed()
}

impl<K> Shelved for Packed<K> {
    fn is_same_state(&self, other: &Self) -> bool {
        self.head().is_same_state(other.head())
    }
}
