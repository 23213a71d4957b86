//! What follows from a reconcile that did not end well, decided by the program.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use pintle_client::error_chain::error_chain;

use crate::controller::reconciler::action::Action;
use crate::controller::reconciler::panics::{Caught, Panic};

/// A failed reconcile, as a policy sees it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failure<'a, K, E> {
    /// The object as the reconciler saw it.
    pub object: &'a Arc<K>,
    /// What went wrong.
    pub error: &'a E,
    /// How often it went wrong in a row, this time included.
    pub attempt: u32,
}

/// A reconcile that did not end well, as [`Handlers::on_failure`](crate::controller::Handlers::on_failure) sees it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failed<'a, K, E> {
    /// The object as the reconciler saw it.
    pub object: &'a Arc<K>,
    /// How it ended.
    pub cause: FailureCause<'a, E>,
    /// How often it went wrong in a row, this time included.
    pub attempt: u32,
}

/// How a reconcile ended that did not end well.
#[derive(Debug)]
#[non_exhaustive]
pub enum FailureCause<'a, E> {
    /// The reconciler returned this error.
    Error(&'a E),
    /// It panicked.
    Panicked(&'a Panic),
    /// It was ended by this [deadline](crate::controller::Config::deadline).
    TimedOut(Duration),
}

impl<E: std::error::Error + 'static> fmt::Display for FailureCause<'_, E> {
    /// What to write into a status: the error with its causes, or what else happened.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => f.write_str(&error_chain(*error)),
            Self::Panicked(panic) => write!(f, "the reconciler panicked: {panic}"),
            Self::TimedOut(deadline) => write!(f, "the reconciler did not end within {deadline:?}"),
        }
    }
}

/// A policy that may await, seen from outside: any `async fn(Failure<'_, K, E>, Arc<C>) -> Action`.
pub trait AsyncPolicy<'a, K: 'a, E: 'a, C>: Send + Sync + 'static {
    /// The decision on its way.
    type Decision: Future<Output = Action> + Send + 'a;

    /// Begins to decide.
    fn decide(&self, failure: Failure<'a, K, E>, context: Arc<C>) -> Self::Decision;

    /// Begins to decide about a reconcile that panicked or ran into its deadline; `None` to try again as
    /// [`Action::backoff`] says.
    fn decide_aborted(&self, failed: Failed<'a, K, E>, context: Arc<C>) -> Option<Self::Decision> {
        let _ = (failed, context);
        None
    }
}

impl<'a, K: 'a, E: 'a, C, F, Fut> AsyncPolicy<'a, K, E, C> for F
where
    F: Fn(Failure<'a, K, E>, Arc<C>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Action> + Send + 'a,
{
    type Decision = Fut;

    fn decide(&self, failure: Failure<'a, K, E>, context: Arc<C>) -> Fut {
        self(failure, context)
    }
}

/// No policy: [`Action::backoff`].
#[derive(Clone, Copy, Debug, Default)]
pub struct WithBackoff;

impl<'a, K: 'a, E: 'a, C> AsyncPolicy<'a, K, E, C> for WithBackoff {
    type Decision = std::future::Ready<Action>;

    fn decide(&self, _: Failure<'a, K, E>, _: Arc<C>) -> Self::Decision {
        std::future::ready(Action::backoff())
    }
}

/// The handler given to [`Handlers::on_failure`](crate::controller::Handlers::on_failure).
#[derive(Clone, Copy, Debug)]
pub struct OnFailure<F>(pub(in crate::controller) F);

impl<'a, K: 'a, E: 'a, C, F, Fut> AsyncPolicy<'a, K, E, C> for OnFailure<F>
where
    F: Fn(Failed<'a, K, E>, Arc<C>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Action> + Send + 'a,
{
    type Decision = Fut;

    fn decide(&self, failure: Failure<'a, K, E>, context: Arc<C>) -> Fut {
        let Failure { object, error, attempt } = failure;
        (self.0)(Failed { object, cause: FailureCause::Error(error), attempt }, context)
    }

    fn decide_aborted(&self, failed: Failed<'a, K, E>, context: Arc<C>) -> Option<Fut> {
        Some((self.0)(failed, context))
    }
}

/// What the policy says of a reconcile that did not end by itself, if it says anything.
pub(in crate::controller) async fn aborted<'a, K, P, C, E>(
    object: &'a Arc<K>,
    cause: FailureCause<'a, E>,
    attempt: u32,
    policy: &P,
    context: Arc<C>,
) -> Option<Action>
where
    P: AsyncPolicy<'a, K, E, C>,
    K: 'a,
    E: 'a,
{
    let decide = async {
        match policy.decide_aborted(Failed { object, cause, attempt }, context) {
            Some(decision) => Some(decision.await),
            None => None,
        }
    };
    Caught::new(decide).await.ok().flatten()
}
