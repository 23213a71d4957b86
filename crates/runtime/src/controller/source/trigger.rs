//! From a change to the keys that should be reconciled because of it.
//!
//! Pure: what changed goes in, keys come out. A change knows what was there before, so an object that lost its owner
//! wakes the owner it had, and a deletion seen only by a relist wakes like any other. The functions at the end do the
//! same for any stream of objects, under kube's names; they know only what is there now.

use std::borrow::Borrow;
use std::sync::Arc;

use futures::stream::{self, Stream, StreamExt, TryStream, TryStreamExt};
use pintle_core::discovery::ApiResource;
use pintle_core::reference::{Lookup, ObjectRef};
use pintle_core::{DynamicObject, Resource};
use pintle_wire::Head;

use crate::controller::reconciler::request::{ReconcileReason, ReconcileRequest};
use crate::reflector::shelf::{Change, Key, Shelved};

/// Why a key is woken, cheap to make for every event; spelled out only where somebody reads it.
#[derive(Clone, Debug)]
pub(in crate::controller) enum Cause {
    Itself,
    Related { kind: Arc<ApiResource>, key: Key },
    Again,
    Failed,
    All,
    Said(ReconcileReason),
}

impl Cause {
    /// The same in kube's words.
    pub(in crate::controller) fn reason(&self) -> ReconcileReason {
        match self {
            Self::Itself => ReconcileReason::ObjectUpdated,
            Self::Related { kind, key } => {
                let mut object = ObjectRef::new_with(&key.name, ApiResource::clone(kind));
                object.namespace = key.namespace.as_deref().map(str::to_owned);
                ReconcileReason::RelatedObjectUpdated { obj_ref: Box::new(object) }
            }
            Self::Again => ReconcileReason::ReconcilerRequestedRetry,
            Self::Failed => ReconcileReason::ErrorPolicyRequestedRetry,
            Self::All => ReconcileReason::BulkReconcile,
            Self::Said(reason) => reason.clone(),
        }
    }
}

/// An owned object as it is remembered: its head, and nothing else unless it is suspect.
#[derive(Clone, Debug)]
pub(in crate::controller) struct Owned {
    pub(in crate::controller) head: Arc<Head>,
    /// Its metadata as they came, if somebody suspects it.
    pub(in crate::controller) body: Option<Arc<[u8]>>,
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

    /// The owners before and after the change, each once.
    pub(in crate::controller) fn wake(&self, change: &Change<Owned>) -> Vec<Key> {
        let mut keys = Vec::new();
        for head in [&change.old, &change.new].into_iter().flatten().map(|owned| &owned.head) {
            for owner in head.owners().iter().filter(|owner| self.is_ours(owner.api_version(), owner.kind())) {
                let key = Key { namespace: head.namespace_shared().cloned(), name: owner.name().into() };
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        keys
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

/// Asks for each object of `stream` what `mapper` says.
pub fn trigger_with<T, K, I, S>(
    stream: S,
    mapper: impl Fn(T) -> I,
) -> impl Stream<Item = Result<ReconcileRequest<K>, S::Error>>
where
    S: TryStream<Ok = T>,
    I: IntoIterator,
    I::Item: Into<ReconcileRequest<K>>,
    K: Resource,
{
    let requests = move |object| {
        let requests: Vec<_> = mapper(object).into_iter().map(Into::into).collect();
        stream::iter(requests).map(Ok)
    };
    stream.map_ok(requests).try_flatten()
}

/// Asks for each object of `stream` itself.
pub fn trigger_self<K, S>(
    stream: S,
    dyntype: K::DynamicType,
) -> impl Stream<Item = Result<ReconcileRequest<K>, S::Error>>
where
    S: TryStream,
    S::Ok: Borrow<K>,
    K: Resource,
    K::DynamicType: Clone,
{
    trigger_with(stream, move |object: S::Ok| {
        let obj_ref = ObjectRef::from_obj_with(object.borrow(), dyntype.clone());
        Some(ReconcileRequest { obj_ref, reason: ReconcileReason::ObjectUpdated })
    })
}

/// Asks for those objects that `mapper` names for each object of `stream`.
pub fn trigger_others<S, K, I>(
    stream: S,
    mapper: impl Fn(S::Ok) -> I,
    dyntype: <S::Ok as Resource>::DynamicType,
) -> impl Stream<Item = Result<ReconcileRequest<K>, S::Error>>
where
    S: TryStream,
    S::Ok: Resource,
    <S::Ok as Resource>::DynamicType: Clone,
    K: Resource,
    I: IntoIterator<Item = ObjectRef<K>>,
{
    trigger_with(stream, move |object: S::Ok| {
        let related = ObjectRef::from_obj_with(&object, dyntype.clone()).erase();
        related_requests(mapper(object), &related)
    })
}

/// As [`trigger_others`], for objects that are shared.
pub fn trigger_others_shared<O, S, K, I>(
    stream: S,
    mapper: impl Fn(Arc<O>) -> I,
    dyntype: O::DynamicType,
) -> impl Stream<Item = Result<ReconcileRequest<K>, S::Error>>
where
    S: TryStream<Ok = Arc<O>>,
    O: Resource,
    O::DynamicType: Clone,
    K: Resource,
    I: IntoIterator<Item = ObjectRef<K>>,
{
    trigger_with(stream, move |object: Arc<O>| {
        let related = ObjectRef::from_obj_with(object.as_ref(), dyntype.clone()).erase();
        related_requests(mapper(object), &related)
    })
}

/// Asks for the owners of kind `KOwner` of each object of `stream`, at any version of their group.
pub fn trigger_owners<KOwner, S>(
    stream: S,
    owner_type: KOwner::DynamicType,
    child_type: <S::Ok as Resource>::DynamicType,
) -> impl Stream<Item = Result<ReconcileRequest<KOwner>, S::Error>>
where
    S: TryStream,
    S::Ok: Resource,
    <S::Ok as Resource>::DynamicType: Clone,
    KOwner: Resource,
    KOwner::DynamicType: Clone,
{
    trigger_others(stream, move |child: S::Ok| owners_of::<KOwner>(&child, &owner_type), child_type)
}

/// As [`trigger_owners`], for objects that are shared.
pub fn trigger_owners_shared<C, KOwner, S>(
    stream: S,
    owner_type: KOwner::DynamicType,
    child_type: C::DynamicType,
) -> impl Stream<Item = Result<ReconcileRequest<KOwner>, S::Error>>
where
    S: TryStream<Ok = Arc<C>>,
    C: Resource,
    C::DynamicType: Clone,
    KOwner: Resource,
    KOwner::DynamicType: Clone,
{
    trigger_others_shared(stream, move |child: Arc<C>| owners_of::<KOwner>(child.as_ref(), &owner_type), child_type)
}

fn owners_of<K>(child: &impl Resource, owner_type: &K::DynamicType) -> Vec<ObjectRef<K>>
where
    K: Resource,
    K::DynamicType: Clone,
{
    let meta = child.meta();
    let owners = meta.owner_references.iter().flatten();
    let find = |owner| ObjectRef::from_owner_ref(meta.namespace.as_deref(), owner, owner_type.clone());
    owners.filter_map(find).collect()
}

fn related_requests<K: Resource>(
    objects: impl IntoIterator<Item = ObjectRef<K>>,
    related: &ObjectRef<DynamicObject>,
) -> Vec<ReconcileRequest<K>> {
    let request = |obj_ref| ReconcileRequest {
        obj_ref,
        reason: ReconcileReason::RelatedObjectUpdated { obj_ref: Box::new(related.clone()) },
    };
    objects.into_iter().map(request).collect()
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

    fn check(old: Option<Owned>, new: Option<Owned>, expected: &[&str]) {
        let owners = Owners { group: "example.com".into(), kind: "Document".into() };
        let key = Key { namespace: Some("ns".into()), name: "c".into() };
        let woken = owners.wake(&Change { key, old, new });
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
