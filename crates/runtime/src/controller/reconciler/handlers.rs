//! How a reconcile is begun, for each way a program can ask for it.
//!
//! ```text
//!   run        reconcile, policy (sync)                              a task each
//!   run_with   Handlers: reconcile, on_delete, on_error, on_failure  a task each, the policy inside it
//!   applier    reconcile, policy (sync)                              polled in place: neither Send nor 'static
//! ```
//!
//! The engine knows only [`Reconciles`]: an object goes in, a future comes out that ends as [`Ended`]. Panics are
//! caught where it is polled: here for futures, in the engine for what runs before there is one.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::{IntoFuture, TryFuture, TryFutureExt};
use pin_project_lite::pin_project;
use pintle_client::client::writes::Writes;
use tokio::task::JoinHandle;
use tracing::instrument::Instrumented;
use tracing::{Instrument, Span};

use crate::controller::reconciler::action::Action;
use crate::controller::reconciler::panics::{Caught, Panic};
use crate::controller::reconciler::policy::{AsyncPolicy, Failure, FailureCause, OnFailure, WithBackoff, aborted};

/// How a reconcile ended.
pub(in crate::controller) enum Ended<E> {
    /// Well.
    Done(Action),
    /// With an error, and with what its policy said if that was asked already.
    Failed(E, Option<Action>),
    /// By a panic, likewise.
    Panicked(Panic, Option<Action>),
    /// By its deadline, likewise.
    TimedOut(Option<Action>),
}

/// How a reconcile is begun.
pub(in crate::controller) struct Attempt<'a> {
    /// How often it was tried in a row, this time included.
    pub(in crate::controller) number: u32,
    pub(in crate::controller) span: Span,
    /// Where its writes are noted.
    pub(in crate::controller) writes: &'a Writes,
}

/// What begins reconciles.
pub(in crate::controller) trait Reconciles<K, E> {
    /// A reconcile on its way.
    type Future: Future<Output = Ended<E>>;

    /// Begins to reconcile `object`.
    fn reconcile(&mut self, object: Arc<K>, call: Attempt<'_>) -> Self::Future;

    /// Begins to handle that `object` is gone; `None` if there is no handler.
    fn deleted(&mut self, object: Arc<K>, call: Attempt<'_>) -> Option<Self::Future>;

    /// Whether deletes are handled.
    fn wants_deletes(&self) -> bool;

    /// Begins to handle that `object` was not done within `deadline`; `None` if there is no handler. It ends as
    /// [`Ended::TimedOut`].
    fn timed_out(&mut self, object: &Arc<K>, deadline: Duration, call: Attempt<'_>) -> Option<Self::Future> {
        let _ = (object, deadline, call);
        None
    }

    /// When to try again after `error`, where the future did not say.
    fn decide(&self, object: Arc<K>, error: &E) -> Action;
}

/// Kube's way: a reconciler and a policy, each reconcile a task of its own.
pub(in crate::controller) struct Plain<F, P, C> {
    pub(in crate::controller) reconciler: F,
    pub(in crate::controller) policy: P,
    pub(in crate::controller) context: Arc<C>,
}

impl<K, F, Fut, P, C, E> Reconciles<K, E> for Plain<F, P, C>
where
    F: FnMut(Arc<K>, Arc<C>) -> Fut,
    Fut: TryFuture<Ok = Action, Error = E> + Send + 'static,
    P: Fn(Arc<K>, &E, Arc<C>) -> Action,
    E: Send + 'static,
{
    type Future = Spawned<E>;

    fn reconcile(&mut self, object: Arc<K>, call: Attempt<'_>) -> Spawned<E> {
        let future = call.span.in_scope(|| (self.reconciler)(object, Arc::clone(&self.context)));
        Spawned::new(call.writes.scope(ended(TryFutureExt::into_future(future))).instrument(call.span))
    }

    fn deleted(&mut self, _: Arc<K>, _: Attempt<'_>) -> Option<Spawned<E>> {
        None
    }

    fn wants_deletes(&self) -> bool {
        false
    }

    fn decide(&self, object: Arc<K>, error: &E) -> Action {
        (self.policy)(object, error, Arc::clone(&self.context))
    }
}

async fn ended<E>(reconcile: impl Future<Output = Result<Action, E>>) -> Ended<E> {
    match Caught::new(reconcile).await {
        Ok(Ok(action)) => Ended::Done(action),
        Ok(Err(error)) => Ended::Failed(error, None),
        Err(panic) => Ended::Panicked(panic, None),
    }
}

/// A task that ends when it is not waited for any more.
pub(in crate::controller) struct Spawned<E> {
    task: JoinHandle<Ended<E>>,
}

impl<E: Send + 'static> Spawned<E> {
    pub(in crate::controller) fn new(future: impl Future<Output = Ended<E>> + Send + 'static) -> Self {
        // The one place where tasks of a controller are spawned.
        Self { task: tokio::spawn(future) }
    }
}

impl<E> Future for Spawned<E> {
    type Output = Ended<E>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Ended<E>> {
        // A task that was cancelled was so by a runtime that goes away, and nothing is polled after that; one that
        // panicked did so while it was dropped.
        Pin::new(&mut self.task).poll(cx).map(|ended| ended.unwrap_or_else(|_| Ended::Panicked(Panic::unknown(), None)))
    }
}

impl<E> Drop for Spawned<E> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The applier's way: futures are polled where the stream is polled.
pub(in crate::controller) struct InPlace<F, P, C>(pub(in crate::controller) Plain<F, P, C>);

impl<K, F, Fut, P, C, E> Reconciles<K, E> for InPlace<F, P, C>
where
    F: FnMut(Arc<K>, Arc<C>) -> Fut,
    Fut: TryFuture<Ok = Action, Error = E>,
    P: Fn(Arc<K>, &E, Arc<C>) -> Action,
{
    type Future = Polled<Fut>;

    // Whose watches are not known cannot be waited for, so what is written is not noted.
    fn reconcile(&mut self, object: Arc<K>, call: Attempt<'_>) -> Polled<Fut> {
        let future = call.span.in_scope(|| (self.0.reconciler)(object, Arc::clone(&self.0.context)));
        Polled { future: Caught::new(TryFutureExt::into_future(future)).instrument(call.span) }
    }

    fn deleted(&mut self, _: Arc<K>, _: Attempt<'_>) -> Option<Polled<Fut>> {
        None
    }

    fn wants_deletes(&self) -> bool {
        false
    }

    fn decide(&self, object: Arc<K>, error: &E) -> Action {
        (self.0.policy)(object, error, Arc::clone(&self.0.context))
    }
}

pin_project! {
    /// A reconcile polled in place, whose panic ends nothing else.
    pub(in crate::controller) struct Polled<Fut> {
        #[pin]
        future: Instrumented<Caught<IntoFuture<Fut>>>,
    }
}

impl<Fut: TryFuture<Ok = Action>> Future for Polled<Fut> {
    type Output = Ended<Fut::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().future.poll(cx).map(|ended| match ended {
            Ok(Ok(action)) => Ended::Done(action),
            Ok(Err(error)) => Ended::Failed(error, None),
            Err(panic) => Ended::Panicked(panic, None),
        })
    }
}

/// Deletes are not handled.
#[derive(Clone, Copy, Debug, Default)]
pub struct WithoutDeletes;

/// What handles deletes: any `async fn(Arc<K>, Arc<C>) -> Result<Action, E>`.
pub trait DeleteHandler<K, C, E> {
    /// Begins to handle that `object` is gone; `None` if there is no handler.
    fn deleted(&mut self, object: Arc<K>, context: Arc<C>) -> Option<Handling<E>>;
    /// Whether there is a handler.
    fn wants_deletes(&self) -> bool;
}

/// A delete being handled.
pub type Handling<E> = Pin<Box<dyn Future<Output = Result<Action, E>> + Send>>;

impl<K, C, E> DeleteHandler<K, C, E> for WithoutDeletes {
    fn deleted(&mut self, _: Arc<K>, _: Arc<C>) -> Option<Handling<E>> {
        None
    }
    fn wants_deletes(&self) -> bool {
        false
    }
}

/// The handler given to [`Handlers::on_delete`].
#[derive(Clone, Copy, Debug)]
pub struct OnDelete<F>(F);

impl<K, C, E, F, Fut> DeleteHandler<K, C, E> for OnDelete<F>
where
    F: FnMut(Arc<K>, Arc<C>) -> Fut,
    Fut: Future<Output = Result<Action, E>> + Send + 'static,
{
    fn deleted(&mut self, object: Arc<K>, context: Arc<C>) -> Option<Handling<E>> {
        Some(Box::pin((self.0)(object, context)))
    }
    fn wants_deletes(&self) -> bool {
        true
    }
}

/// What a controller calls, for [`Controller::run_with`](crate::controller::Controller::run_with).
///
/// ```
/// # use std::sync::Arc;
/// # use pintle_runtime::controller::{Action, Failure, Handlers};
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # #[derive(Debug, thiserror::Error)] #[error("failed")] struct Failed;
/// async fn reconcile(map: Arc<ConfigMap>, context: Arc<()>) -> Result<Action, Failed> {
///     Ok(Action::await_change())
/// }
/// async fn deleted(map: Arc<ConfigMap>, context: Arc<()>) -> Result<Action, Failed> {
///     Ok(Action::await_change())
/// }
/// async fn failed(failure: Failure<'_, ConfigMap, Failed>, context: Arc<()>) -> Action {
///     if failure.attempt > 5 { Action::await_change() } else { Action::backoff() }
/// }
/// let handlers = Handlers::new(reconcile).on_delete(deleted).on_error(failed);
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Handlers<F, D = WithoutDeletes, P = WithBackoff> {
    reconciler: F,
    deletes: D,
    policy: P,
}

impl<F> Handlers<F> {
    /// A reconciler whose failures are retried after a delay per object that doubles.
    pub fn new(reconciler: F) -> Self {
        Self { reconciler, deletes: WithoutDeletes, policy: WithBackoff }
    }
}

impl<F, D, P> Handlers<F, D, P> {
    /// Calls `handler` with the last known object when one is gone, also when only a relist showed it. It never runs
    /// at the same time as a reconcile of the same name, and is retried as a reconcile is; another object under that name
    /// does not wait for it. What may not be missed even while the controller is down needs a
    /// [`finalizer`](crate::finalizer()).
    pub fn on_delete<D2>(self, handler: D2) -> Handlers<F, OnDelete<D2>, P> {
        Handlers { reconciler: self.reconciler, deletes: OnDelete(handler), policy: self.policy }
    }

    /// Asks `policy` after each failure; it may await, and sees how often the object has failed in a row.
    pub fn on_error<P2>(self, policy: P2) -> Handlers<F, D, P2> {
        Handlers { reconciler: self.reconciler, deletes: self.deletes, policy }
    }

    /// Asks `handler` after each reconcile that did not end well, whether by an error, a panic or its deadline: the place
    /// to write a status. It takes the place of [`on_error`](Self::on_error), which sees errors alone.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use pintle_runtime::controller::{Action, Failed, Handlers};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # #[derive(Debug, thiserror::Error)] #[error("failed")] struct Broken;
    /// # async fn reconcile(map: Arc<ConfigMap>, context: Arc<()>) -> Result<Action, Broken> { Err(Broken) }
    /// async fn failed(failed: Failed<'_, ConfigMap, Broken>, context: Arc<()>) -> Action {
    ///     let message = failed.cause.to_string();
    ///     // Write `message` into the status of `failed.object`.
    ///     Action::backoff()
    /// }
    /// let handlers = Handlers::new(reconcile).on_failure(failed);
    /// ```
    pub fn on_failure<H>(self, handler: H) -> Handlers<F, D, OnFailure<H>> {
        Handlers { reconciler: self.reconciler, deletes: self.deletes, policy: OnFailure(handler) }
    }
}

/// [`Handlers`] with their context, each call a task of its own.
pub(in crate::controller) struct Handled<F, D, P, C, E> {
    reconciler: F,
    deletes: D,
    policy: Arc<P>,
    context: Arc<C>,
    error: PhantomData<fn() -> E>,
}

impl<F, D, P, C, E> Handled<F, D, P, C, E> {
    pub(in crate::controller) fn new(handlers: Handlers<F, D, P>, context: Arc<C>) -> Self {
        let Handlers { reconciler, deletes, policy } = handlers;
        Self { reconciler, deletes, policy: Arc::new(policy), context, error: PhantomData }
    }
}

impl<K, F, Fut, D, P, C, E> Reconciles<K, E> for Handled<F, D, P, C, E>
where
    K: Send + Sync + 'static,
    F: FnMut(Arc<K>, Arc<C>) -> Fut,
    Fut: TryFuture<Ok = Action, Error = E> + Send + 'static,
    D: DeleteHandler<K, C, E>,
    P: for<'a> AsyncPolicy<'a, K, E, C>,
    C: Send + Sync + 'static,
    E: Send + Sync + 'static,
{
    type Future = Spawned<E>;

    fn reconcile(&mut self, object: Arc<K>, call: Attempt<'_>) -> Spawned<E> {
        let future = call.span.in_scope(|| (self.reconciler)(Arc::clone(&object), Arc::clone(&self.context)));
        let (policy, context) = (Arc::clone(&self.policy), Arc::clone(&self.context));
        let decided = decided(TryFutureExt::into_future(future), object, call.number, policy, context);
        Spawned::new(call.writes.scope(decided).instrument(call.span))
    }

    fn deleted(&mut self, object: Arc<K>, call: Attempt<'_>) -> Option<Spawned<E>> {
        let future = call.span.in_scope(|| self.deletes.deleted(Arc::clone(&object), Arc::clone(&self.context)))?;
        let (policy, context) = (Arc::clone(&self.policy), Arc::clone(&self.context));
        let decided = decided(future, object, call.number, policy, context);
        Some(Spawned::new(call.writes.scope(decided).instrument(call.span)))
    }

    fn wants_deletes(&self) -> bool {
        self.deletes.wants_deletes()
    }

    fn timed_out(&mut self, object: &Arc<K>, deadline: Duration, call: Attempt<'_>) -> Option<Spawned<E>> {
        let (policy, context, object) = (Arc::clone(&self.policy), Arc::clone(&self.context), Arc::clone(object));
        let (attempt, cause) = (call.number, FailureCause::TimedOut(deadline));
        let decide = async move { Ended::TimedOut(aborted(&object, cause, attempt, &*policy, context).await) };
        Some(Spawned::new(call.writes.scope(decide).instrument(call.span)))
    }

    fn decide(&self, _: Arc<K>, _: &E) -> Action {
        Action::backoff()
    }
}

/// Runs a reconcile, and the policy after it where it failed.
async fn decided<K, P, C, E>(
    reconcile: impl Future<Output = Result<Action, E>>,
    object: Arc<K>,
    attempt: u32,
    policy: Arc<P>,
    context: Arc<C>,
) -> Ended<E>
where
    P: for<'a> AsyncPolicy<'a, K, E, C>,
{
    match Caught::new(reconcile).await {
        Ok(Ok(action)) => Ended::Done(action),
        Ok(Err(error)) => {
            let decide = async { policy.decide(Failure { object: &object, error: &error, attempt }, context).await };
            // A policy that panics has not decided; the error is reported nevertheless.
            let action = Caught::new(decide).await.ok();
            Ended::Failed(error, action)
        }
        Err(panic) => {
            let action = aborted(&object, FailureCause::Panicked(&panic), attempt, &*policy, context).await;
            Ended::Panicked(panic, action)
        }
    }
}
