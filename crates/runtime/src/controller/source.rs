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
use std::panic::{AssertUnwindSafe, catch_unwind};
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
#[derive(Default)]
pub(super) struct Woken {
    /// Who should be reconciled.
    pub(super) keys: Vec<Key>,
    /// Which of the controller's own objects are gone.
    pub(super) gone: Vec<Key>,
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
    woken(watch, move |event, woken| {
        for change in writer.apply_packed(event) {
            match itself(&change) {
                Some(key) => woken.keys.push(key),
                None => woken.gone.push(change.key),
            }
        }
    })
}

/// Objects that belong to the controller's: remembers heads, wakes owners.
pub(super) fn owned<C>(api: Api<C>, config: watcher::Config, owners: Owners) -> Source
where
    C: Resource + DeserializeOwned + Send + 'static,
{
    let mut shelf = Shelf::default();
    let watch = PackedWatcher::<PartialObjectMeta<C>>::new(api.into_metadata(), config);
    woken(watch, move |event, woken| {
        let remember = |packed: Packed<_>| {
            let key = packed_key(&packed);
            Ok::<_, Infallible>((key, Owned(Arc::new(packed.into_head()))))
        };
        let Ok(event) = event.try_map(remember);
        woken.keys.extend(shelf.apply(event).iter().flat_map(|change| owners.wake(change)));
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
    woken(PackedWatcher::new(api, config), move |event: Event<Packed<O>>, woken| {
        let Ok(event) = event.try_map(|packed| Ok::<_, Infallible>((packed_key(&packed), packed)));
        for Change { old, new, .. } in shelf.apply(event) {
            match new.or(old).map(|packed| packed.decode()) {
                Some(Ok(object)) => woken.keys.extend(mapped(&mapper, object)),
                Some(Err(error)) => woken.troubles.push(undecodable(&error)),
                None => {}
            }
        }
    })
}

/// Whom `mapper` names; nobody if it panics, which must not end the controller.
fn mapped<O, K: Lookup, I: IntoIterator<Item = ObjectRef<K>>>(mapper: impl Fn(O) -> I, object: O) -> Vec<Key> {
    let map = || mapper(object).into_iter().map(key).collect();
    catch_unwind(AssertUnwindSafe(map)).unwrap_or_else(|_| {
        tracing::error!(kind = std::any::type_name::<O>(), "the mapper of a watched kind panicked: nobody is woken");
        Vec::new()
    })
}

fn key<K: Lookup>(reference: ObjectRef<K>) -> Key {
    Key { namespace: reference.namespace.map(Arc::from), name: reference.name.into() }
}

fn woken<T: 'static>(
    watch: impl Stream<Item = watcher::Result<Event<T>>> + Send + 'static,
    mut wake: impl FnMut(Event<T>, &mut Woken) + Send + 'static,
) -> Source {
    watch
        .map(move |event| {
            let event = event?;
            let completes = matches!(event, Event::InitDone);
            let mut woken = Woken { completes, ..Woken::default() };
            wake(event, &mut woken);
            Ok(woken)
        })
        .boxed()
}

impl<K> Shelved for Packed<K> {
    fn is_same_state(&self, other: &Self) -> bool {
        self.head().is_same_state(other.head())
    }
}
