//! The controller's loop by itself: a store and a queue of requests that the user brings.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

use futures::future::TryFuture;
use futures::stream::{Stream, StreamExt, TryStream, TryStreamExt};
use pintle_core::Resource;
use pintle_core::reference::ObjectRef;

use crate::controller::config::Config;
use crate::controller::engine::{Engine, Parts};
use crate::controller::machine::gate::MAIN;
use crate::controller::metrics::Metrics;
use crate::controller::probes::heartbeat::Heartbeat;
use crate::controller::reconciler::action::Action;
use crate::controller::reconciler::error::Error;
use crate::controller::reconciler::handlers::{InPlace, Plain};
use crate::controller::reconciler::request::ReconcileRequest;
use crate::controller::shutdown::Shutdown;
use crate::controller::source::user_stream::requested;
use crate::controller::source::watch_progress::WatchProgresses;
use crate::reflector::Store;

/// Reconciles what `queue` asks for with what `store` holds, one at a time per object; a [`Controller`](super::Controller)
/// is this with watches. It ends when `queue` has ended and what that asked for is done.
///
/// Reconciles are polled where the stream is polled: their futures need be neither `Send` nor `'static`, and none goes
/// on while the stream is not polled.
#[expect(clippy::type_complexity, reason = "kube's signature")]
pub fn applier<K, QueueStream, ReconcilerFut, Ctx>(
    reconciler: impl FnMut(Arc<K>, Arc<Ctx>) -> ReconcilerFut,
    error_policy: impl Fn(Arc<K>, &ReconcilerFut::Error, Arc<Ctx>) -> Action,
    context: Arc<Ctx>,
    store: Store<K>,
    queue: QueueStream,
    config: Config,
) -> impl Stream<Item = Result<(ObjectRef<K>, Action), Error<ReconcilerFut::Error, QueueStream::Error>>>
where
    K: Clone + Resource + 'static,
    K::DynamicType: fmt::Debug + Eq + Hash + Clone + Unpin,
    ReconcilerFut: TryFuture<Ok = Action> + Unpin,
    ReconcilerFut::Error: std::error::Error + 'static,
    QueueStream: TryStream,
    QueueStream::Ok: Into<ReconcileRequest<K>>,
    QueueStream::Error: std::error::Error + 'static,
{
    let dyntype = Arc::new(OnceLock::new());
    let kind_of_requests = Arc::clone(&dyntype);
    let sources = queue.into_stream().map_ok(move |request| {
        let request: ReconcileRequest<K> = request.into();
        // All requests are of one kind; a second one changes nothing.
        let _ = kind_of_requests.set(request.obj_ref.dyntype.clone());
        requested(request)
    });
    let sources = sources.map(|woken| (MAIN, woken));
    let parts = Parts {
        dyntype,
        store,
        sources,
        awaited: BTreeMap::from([(MAIN, String::new())]),
        awaits_store: true,
        comes_back: false,
        config,
        shutdown: Shutdown::default(),
        metrics: Metrics::default(),
        life: None,
        heartbeat: Heartbeat::default(),
        progress: WatchProgresses::default(),
        permits: None,
    };
    super::items(Engine::new(parts, |_| None, InPlace(Plain { reconciler, policy: error_policy, context })))
}
