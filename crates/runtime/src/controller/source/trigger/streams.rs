//! kube's functions that turn a stream of objects into a stream of requests to reconcile.
//!
//! They know only what is there now; the sources of a [`Controller`](crate::Controller) use a
//! [`Trigger`](super::Trigger), which knows what was there before, too.

use std::borrow::Borrow;
use std::sync::Arc;

use futures::stream::{self, Stream, StreamExt, TryStream, TryStreamExt};
use pintle_core::reference::ObjectRef;
use pintle_core::{DynamicObject, Resource};

use crate::controller::reconciler::request::{ReconcileReason, ReconcileRequest};

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
