//! What stands between a program and kube: a crate that runs controllers, generic over the kind and over what handles it.
//! It need only compile.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use kube::runtime::controller::Action;
use kube::runtime::{Controller, watcher};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;

/// What a program says. Macros for async functions in traits write the lifetime so.
pub trait Handler<K, C>: Send + Sync + 'static {
    fn handle<'a>(object: Arc<K>, context: Arc<C>) -> BoxFuture<'a, Result<Action, kube::Error>>
    where
        Self: 'a;

    fn failed(_: Arc<K>, _: &kube::Error, _: Arc<C>) -> Action {
        Action::requeue(Duration::from_secs(5))
    }
}

/// What the crate does with it: a controller that can be spawned.
pub fn run<'a, K, C, H>(api: Api<K>, context: Arc<C>) -> BoxFuture<'a, ()>
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + Sync + 'static,
    K::DynamicType: Clone + Debug + Default + Eq + Hash + Send + Sync + Unpin,
    C: Send + Sync + 'static,
    H: Handler<K, C>,
{
    Box::pin(async move {
        let controller = Controller::new(api, watcher::Config::default()).shutdown_on_signal();
        controller.run(H::handle, H::failed, context).for_each_concurrent(4, |_| async {}).await;
    })
}
