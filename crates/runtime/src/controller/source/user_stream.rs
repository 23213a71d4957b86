//! Streams that the user brings: of objects, of references, of wishes to reconcile everything.
//!
//! Nothing is known of them but their items. After an error a stream is waited for, each by itself; one
//! that panics is logged and not polled again; the others go on.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures::stream::{Stream, StreamExt};
use pintle_core::Resource;
use pintle_core::reference::{Lookup, ObjectRef};
use tokio::time::Instant;

use crate::controller::reconciler::request::{ReconcileReason, ReconcileRequest};
use crate::controller::source::shared_backoff::SharedBackoff;
use crate::controller::source::trigger::{Cause, Owners, key_named, key_of, map};
use crate::controller::source::watched_kind::WatchedKind;
use crate::controller::source::{Source, SourceError, Triggered, Wake};
use crate::failure_log::FailureLog;
use crate::queue::PRIORITY_LOW;
use crate::utils::{Backoff, StreamBackoff};
use crate::watcher::{self, DefaultBackoff};

/// The controller's own objects, whose store the program fills.
pub(in crate::controller) fn objects<K, T>(
    stream: impl Stream<Item = watcher::Result<T>> + Send + 'static,
    backoff: Option<SharedBackoff>,
) -> Source<K>
where
    K: Resource + Send + Sync + 'static,
    T: std::borrow::Borrow<K> + 'static,
{
    woken(stream, backoff, |object: T, woken| {
        let key = key_of(object.borrow());
        woken.wakes.push(Wake { insists: true, ..Wake::new(key, Cause::Itself) });
    })
}

/// Objects that belong to the controller's.
pub(in crate::controller) fn owned<C, T, K>(
    stream: impl Stream<Item = watcher::Result<T>> + Send + 'static,
    owners: Owners,
    watched: WatchedKind,
    backoff: Option<SharedBackoff>,
) -> Source<K>
where
    C: Resource + 'static,
    T: std::borrow::Borrow<C> + 'static,
    K: Send + Sync + 'static,
{
    woken(stream, backoff, move |child: T, woken| {
        let child = child.borrow();
        let cause = watched.related(&key_of(child));
        woken.wakes.extend(owners.of_object(child).into_iter().map(|key| Wake::new(key, cause.clone())));
    })
}

/// Objects that concern the controller's; `key` returns the key of one.
pub(in crate::controller) fn watched<T, K, I>(
    stream: impl Stream<Item = watcher::Result<T>> + Send + 'static,
    key: impl Fn(&T) -> crate::reflector::Key + Send + 'static,
    mapper: impl Fn(T) -> I + Send + Sync + 'static,
    watched: WatchedKind,
    backoff: Option<SharedBackoff>,
) -> Source<K>
where
    T: 'static,
    K: Lookup + Send + Sync + 'static,
    I: IntoIterator<Item = ObjectRef<K>>,
{
    woken(stream, backoff, move |object: T, woken| {
        let key = key(&object);
        match map(&mapper, object) {
            Ok(targets) => {
                let mut named = HashSet::new();
                let each = targets.into_iter().filter(|target| named.insert(target.clone()));
                woken.wakes.extend(each.map(|target| Wake::new(target, watched.related(&key))));
            }
            Err(panic) => woken.errors.push(SourceError::Panicked(Box::new(watched.name(&key)), panic)),
        }
    })
}

/// References to the controller's own objects.
pub(in crate::controller) fn references<K>(stream: impl Stream<Item = ObjectRef<K>> + Send + 'static) -> Source<K>
where
    K: Lookup + Send + Sync + 'static,
    ObjectRef<K>: Send,
{
    woken(stream.map(Ok), None, |reference: ObjectRef<K>, woken| {
        woken.wakes.push(Wake::new(key_named(&reference), Cause::Said(Box::new(ReconcileReason::Unknown))));
    })
}

/// Wishes to reconcile everything; not urgent.
pub(in crate::controller) fn everything<K: Send + Sync + 'static>(
    stream: impl Stream<Item = ()> + Send + 'static,
) -> Source<K> {
    woken(stream.map(Ok), None, |(), woken| woken.wakes_all = true)
}

/// What the queue of an [`applier`](crate::controller::applier) asks for.
pub(in crate::controller) fn requested<K: Resource, Q>(request: ReconcileRequest<K>) -> Triggered<K, Q> {
    let key = key_named(&request.obj_ref);
    let priority = match request.reason {
        ReconcileReason::BulkReconcile => PRIORITY_LOW,
        _ => 0,
    };
    let wake = Wake { insists: true, priority, ..Wake::new(key, Cause::Said(Box::new(request.reason))) };
    Triggered { wakes: vec![wake], ..Triggered::default() }
}

fn woken<T: 'static, K: Send + Sync + 'static>(
    stream: impl Stream<Item = watcher::Result<T>> + Send + 'static,
    backoff: Option<SharedBackoff>,
    mut wake: impl FnMut(T, &mut Triggered<K, watcher::Error>) + Send + 'static,
) -> Source<K> {
    // A watch of ours within the stream waits by itself.
    let backoff: Box<dyn Backoff> = match backoff {
        Some(backoff) => Box::new(backoff),
        None => Box::new(DefaultBackoff::default()),
    };
    let caught = AssertUnwindSafe(StreamBackoff::new(stream, backoff).unless_waited_for()).catch_unwind();
    let mut log = FailureLog::default();
    let look = move |item: std::thread::Result<watcher::Result<T>>| {
        let Ok(item) = item else {
            tracing::error!("a trigger stream panicked and is not polled again");
            return None;
        };
        match &item {
            Ok(_) => drop(log.worked(Instant::now())),
            Err(error) if log.failed(&error.to_string(), Instant::now()) => {
                tracing::warn!("a stream that was given to the controller failed, and is waited for: {error}");
            }
            Err(_) => {}
        }
        Some(item.map(|item| {
            let mut woken = Triggered::default();
            if catch_unwind(AssertUnwindSafe(|| wake(item, &mut woken))).is_err() {
                tracing::error!("looking at an object of a trigger stream panicked: no key is woken");
            }
            woken
        }))
    };
    caught.map(look).filter_map(std::future::ready).boxed()
}

/// The key of a shared object.
pub(in crate::controller) fn shared_key<K: Lookup>(object: &Arc<K>) -> crate::reflector::Key {
    key_of(object.as_ref())
}
