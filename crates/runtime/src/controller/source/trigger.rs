//! From a change to the keys that should be reconciled because of it.
//!
//! | trigger | a change of | wakes |
//! |---|---|---|
//! | [`Itself`] | one of the controller's own objects | that object, if it is there |
//! | [`Owners`] | an object that others own | its owners before and after the change |
//! | [`Mapper`] | any other object | the keys that the program's function names for what was there before and is there now |
//!
//! A change knows what was there before, so an object that lost its owner wakes the owner it had, and a delete that only a
//! relist shows wakes like any other. A trigger is pure but for the program's function, whose panic is an error here.

pub(in crate::controller) mod streams;

use std::collections::HashSet;
use std::marker::PhantomData;
use std::sync::Arc;

use pintle_core::Resource;
use pintle_core::discovery::ApiResource;
use pintle_core::reference::{Lookup, ObjectRef};
use pintle_wire::{Body, DecodeError, Head, Packed};

use super::SourceError;
use super::subscription::WholeEntry;
use super::watch_progress::See;
use super::watched_kind::WatchedKind;
use super::watched_object::WatchedObject;
use crate::controller::reconciler::panics::{Panic, catch};
use crate::controller::reconciler::request::ReconcileReason;
use crate::reflector::Entry;
use crate::reflector::early_reads::allowing_early_reads;
use crate::reflector::entry::packed_key;
use crate::reflector::shelf::{Change, Key, Shelved};
use crate::watcher::{self, undecodable};

/// What turns changes of `T`s into keys.
pub(in crate::controller) trait Trigger<T> {
    /// Adds the keys to reconcile because of `change`, each once, and what went wrong on the way.
    fn keys(&mut self, kind: &WatchedKind, change: &Change<T>, keys: &mut Keys);

    /// Whether it was not known before whom this object concerns, so that any change of it is news.
    fn is_news(&self, change: &Change<T>) -> bool {
        let _ = change;
        false
    }
}

/// What a trigger found.
#[derive(Default)]
pub(in crate::controller) struct Keys {
    pub(super) keys: Vec<Key>,
    pub(super) errors: Vec<SourceError<watcher::Error>>,
}

impl Keys {
    fn add(&mut self, key: Key) {
        if !self.keys.contains(&key) {
            self.keys.push(key);
        }
    }
}

/// Why a key is woken, cheap to make for every event; spelled out only where it is read.
#[derive(Clone, Debug)]
pub(in crate::controller) enum Cause {
    Itself,
    Related(Box<Related>),
    Again,
    Failed,
    All,
    Said(Box<ReconcileReason>),
}

/// An object of another kind. It lies apart, because every key that a controller remembers has room for a cause.
#[derive(Clone, Debug)]
pub(in crate::controller) struct Related {
    pub(super) kind: Arc<ApiResource>,
    pub(super) key: Key,
}

impl Cause {
    /// The same in kube's words.
    pub(in crate::controller) fn reason(&self) -> ReconcileReason {
        match self {
            Self::Itself => ReconcileReason::ObjectUpdated,
            Self::Related(related) => {
                let Related { kind, key } = &**related;
                let mut object = ObjectRef::new_with(&key.name, ApiResource::clone(kind));
                object.namespace = key.namespace.as_deref().map(str::to_owned);
                ReconcileReason::RelatedObjectUpdated { obj_ref: Box::new(object) }
            }
            Self::Again => ReconcileReason::ReconcilerRequestedRetry,
            Self::Failed => ReconcileReason::ErrorPolicyRequestedRetry,
            Self::All => ReconcileReason::BulkReconcile,
            Self::Said(reason) => ReconcileReason::clone(reason),
        }
    }
}

/// Wakes the object that changed.
pub(in crate::controller) struct Itself;

impl<K> Trigger<Entry<K>> for Itself {
    fn keys(&mut self, _: &WatchedKind, change: &Change<Entry<K>>, keys: &mut Keys) {
        if change.new.is_some() {
            keys.add(change.key.clone());
        }
    }

    /// Nothing was reconciled by what could not be read, so whatever follows it is news.
    fn is_news(&self, change: &Change<Entry<K>>) -> bool {
        change.old.as_ref().is_some_and(Entry::is_found_unreadable)
    }
}

/// An owned object as it is remembered: its head, and nothing else unless it is suspect.
#[derive(Clone, Debug)]
pub(crate) struct Owned {
    pub(in crate::controller) head: Arc<Head>,
    /// Its metadata as they came, if it is suspected of a loop.
    pub(in crate::controller) body: Option<Arc<[u8]>>,
}

impl Owned {
    /// What is remembered of an object; `is_suspect` says whether with its metadata as they came.
    pub(crate) fn of<C>(packed: Packed<C>, is_suspect: impl FnOnce(&Key) -> bool) -> (Key, Self) {
        let key = packed_key(&packed);
        let body = is_suspect(&key).then(|| packed.body().bytes().into());
        (key, Self { head: Arc::new(packed.into_head()), body })
    }

    /// Shows its head, and its metadata where they are kept.
    pub(crate) fn show(&self, see: See<'_>) {
        see(&self.head, self.body.as_deref().map(Body::json));
    }

    #[expect(clippy::unnecessary_wraps, reason = "entries of other caches may have come without one")]
    pub(in crate::controller) fn head(&self) -> Option<&Head> {
        Some(&self.head)
    }
}

impl Shelved for Owned {
    fn is_same_state(&self, other: &Self) -> bool {
        self.head.is_same_state(&other.head)
    }
}

/// Wakes the owners of what changed, if they are of one kind.
#[derive(Clone, Debug)]
pub(in crate::controller) struct Owners {
    pub(in crate::controller) group: String,
    pub(in crate::controller) kind: String,
}

impl Owners {
    /// Owners of kind `K`.
    pub(in crate::controller) fn of<K: Lookup>(dyntype: &K::DynamicType) -> Self {
        Self { group: K::group(dyntype).into(), kind: K::kind(dyntype).into() }
    }

    /// The owners of a decoded object, each once.
    pub(in crate::controller) fn of_object(&self, object: &impl Resource) -> Vec<Key> {
        let meta = object.meta();
        let namespace: Option<Arc<str>> = meta.namespace.as_deref().map(Arc::from);
        let mut keys = Vec::new();
        for owner in meta.owner_references.iter().flatten() {
            let key = Key { namespace: namespace.clone(), name: owner.name.as_str().into() };
            if self.is_ours(&owner.api_version, &owner.kind) && !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// An owner is known by group and kind, whatever version it was written with.
    fn is_ours(&self, api_version: &str, kind: &str) -> bool {
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
        group == self.group && kind == self.kind
    }
}

impl Trigger<Owned> for Owners {
    fn keys(&mut self, _: &WatchedKind, change: &Change<Owned>, keys: &mut Keys) {
        for head in [&change.old, &change.new].into_iter().flatten().map(|owned| &owned.head) {
            for owner in head.owners().iter().filter(|owner| self.is_ours(owner.api_version(), owner.kind())) {
                keys.add(Key { namespace: head.namespace_shared().cloned(), name: Arc::clone(owner.name_shared()) });
            }
        }
    }
}

/// Wakes whom a function of the program names.
pub(in crate::controller) struct Mapper<F, K> {
    mapper: F,
    /// Objects that could not be read.
    unread: HashSet<Key>,
    owner: PhantomData<fn() -> K>,
}

impl<F, K> Mapper<F, K> {
    pub(in crate::controller) fn new(mapper: F) -> Self {
        Self { mapper, unread: HashSet::new(), owner: PhantomData }
    }

    fn of_object<O, I>(&self, kind: &WatchedKind, key: &Key, object: Result<O, DecodeError>, keys: &mut Keys) -> bool
    where
        F: Fn(O) -> I,
        K: Lookup,
        I: IntoIterator<Item = ObjectRef<K>>,
    {
        let error = match object {
            Ok(object) => match map(&self.mapper, object) {
                Ok(named) => {
                    // A mapper may name thousands: those that are named twice are sorted out where they are taken.
                    keys.keys.extend(named);
                    return true;
                }
                Err(panic) => SourceError::Panicked(Box::new(kind.name(key)), panic),
            },
            Err(error) => SourceError::Watch(undecodable(&error)),
        };
        let is_read = matches!(error, SourceError::Panicked(..));
        keys.errors.push(error);
        is_read
    }
}

/// What is decoded for a mapper, each time anew: the mapper takes it.
pub(crate) trait Decodes<O> {
    /// `None` if it did not come packed.
    fn decoded(&self) -> Option<Result<O, DecodeError>>;
}

impl<O> Decodes<O> for WatchedObject<O> {
    fn decoded(&self) -> Option<Result<O, DecodeError>> {
        Some(self.packed().decode())
    }
}

impl<F, K, O, I> Trigger<WatchedObject<O>> for Mapper<F, K>
where
    F: Fn(O) -> I,
    K: Lookup,
    I: IntoIterator<Item = ObjectRef<K>>,
{
    fn keys(&mut self, kind: &WatchedKind, change: &Change<WatchedObject<O>>, keys: &mut Keys) {
        self.named(kind, change, keys);
    }

    fn is_news(&self, change: &Change<WatchedObject<O>>) -> bool {
        self.unread.contains(&change.key)
    }
}

impl<F, K, O, I> Trigger<WholeEntry<O>> for Mapper<F, K>
where
    F: Fn(O) -> I,
    K: Lookup,
    I: IntoIterator<Item = ObjectRef<K>>,
{
    fn keys(&mut self, kind: &WatchedKind, change: &Change<WholeEntry<O>>, keys: &mut Keys) {
        self.named(kind, change, keys);
    }

    fn is_news(&self, change: &Change<WholeEntry<O>>) -> bool {
        self.unread.contains(&change.key)
    }
}

impl<F, K> Mapper<F, K> {
    /// Adds whom the function names for what was there before and for what is there now.
    fn named<T, O, I>(&mut self, kind: &WatchedKind, change: &Change<T>, keys: &mut Keys)
    where
        T: Decodes<O>,
        F: Fn(O) -> I,
        K: Lookup,
        I: IntoIterator<Item = ObjectRef<K>>,
    {
        // That the old one could not be read was reported when it came.
        let was_unread = self.unread.remove(&change.key);
        if let Some(old) = change.old.as_ref().filter(|_| !was_unread).and_then(T::decoded) {
            self.of_object(kind, &change.key, old, keys);
        }
        if let Some(new) = change.new.as_ref().and_then(T::decoded)
            && !self.of_object(kind, &change.key, new, keys)
        {
            self.unread.insert(change.key.clone());
        }
    }
}

/// Whom `mapper` names; unknown if it panics. It may look into stores that are not ready yet: whatever is in them is
/// reconciled once they are.
pub(super) fn map<O, K: Lookup, I: IntoIterator<Item = ObjectRef<K>>>(
    mapper: impl Fn(O) -> I,
    object: O,
) -> Result<Vec<Key>, Panic> {
    let map = || mapper(object).into_iter().map(|reference| key_named(&reference)).collect();
    catch(|| allowing_early_reads(map))
}

/// The key of an object.
pub(in crate::controller) fn key_of<K: Lookup>(object: &K) -> Key {
    Key {
        namespace: object.namespace().map(|namespace| namespace.as_ref().into()),
        name: object.name().unwrap_or_default().as_ref().into(),
    }
}

/// The key a reference names.
pub(in crate::controller) fn key_named<K: Lookup>(reference: &ObjectRef<K>) -> Key {
    Key { namespace: reference.namespace.as_deref().map(Arc::from), name: reference.name.as_str().into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_wire::HeadReader;

    fn owned(owners: &[(&str, &str, &str)]) -> Owned {
        let owners: Vec<_> = owners
            .iter()
            .map(|(api_version, kind, name)| {
                serde_json::json!({"apiVersion": api_version, "kind": kind, "name": name, "uid": "u"})
            })
            .collect();
        let json = serde_json::json!({"metadata": {"name": "c", "namespace": "ns", "ownerReferences": owners}});
        Owned { head: Arc::new(HeadReader::new().read(json.to_string().as_bytes()).unwrap()), body: None }
    }

    fn kind() -> WatchedKind {
        let resource = ApiResource::erase::<k8s_openapi::api::core::v1::ConfigMap>(&());
        WatchedKind { kind: Arc::new(resource), changed: None, has_warned: false, progress: None }
    }

    fn check(old: Option<Owned>, new: Option<Owned>, expected: &[&str]) {
        let mut owners = Owners { group: "example.com".into(), kind: "Document".into() };
        let key = Key { namespace: Some("ns".into()), name: "c".into() };
        let mut keys = Keys::default();
        owners.keys(&kind(), &Change { key, old, new }, &mut keys);
        let woken = keys.keys;
        assert!(woken.iter().all(|key| key.namespace.as_deref() == Some("ns")));
        assert_eq!(woken.iter().map(|key| key.name.as_ref()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn owners_before_and_after_are_woken_once() {
        let a = || owned(&[("example.com/v1", "Document", "a")]);
        let b = || owned(&[("example.com/v1beta1", "Document", "b"), ("apps/v1", "Document", "x")]);
        check(None, Some(a()), &["a"]);
        check(Some(a()), Some(a()), &["a"]);
        check(Some(a()), Some(b()), &["a", "b"]);
        check(Some(b()), None, &["b"]);
        check(None, Some(owned(&[("example.com/v1", "Other", "y")])), &[]);
    }
}
