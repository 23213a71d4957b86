//! Controllers that a crate between Pintle and the program runs, generic over the kind and over what handles it.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::runtime::Controller;
use pintle::runtime::controller::Action;
use pintle::{Api, Resource, ResourceExt};
use serde::de::DeserializeOwned;

use crate::world::World;

/// What a program says. Macros for async functions in traits write the lifetime so.
trait Handler<K, C>: Send + Sync + 'static {
    fn handle<'a>(object: Arc<K>, context: Arc<C>) -> BoxFuture<'a, Result<Action, pintle::Error>>
    where
        Self: 'a;

    fn failed(_: Arc<K>, _: &pintle::Error, _: Arc<C>) -> Action {
        Action::backoff()
    }
}

/// What the crate does with it.
fn run<'a, K, C, H>(api: Api<K>, context: Arc<C>) -> BoxFuture<'a, ()>
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + Sync + 'static,
    K::DynamicType: Clone + Debug + Default + Eq + Hash + Send + Sync + Unpin,
    C: Send + Sync + 'static,
    H: Handler<K, C>,
{
    Box::pin(async move {
        let controller = Controller::new(api, World::watching());
        controller.run(H::handle, H::failed, context).for_each(|_| async {}).await;
    })
}

struct Noting;

impl Handler<ConfigMap, Mutex<Vec<String>>> for Noting {
    fn handle<'a>(map: Arc<ConfigMap>, seen: Arc<Mutex<Vec<String>>>) -> BoxFuture<'a, Result<Action, pintle::Error>>
    where
        Self: 'a,
    {
        Box::pin(async move {
            seen.lock().unwrap().push(map.name_any());
            Ok(Action::await_change())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_controller_can_be_spawned_from_a_function_for_any_kind_and_any_handler() {
    let world = World::new();
    world.create_config_map("a").await;
    let seen = Arc::default();
    tokio::spawn(run::<_, _, Noting>(world.config_maps(), Arc::clone(&seen)));
    world.until("a is seen", async || *seen.lock().unwrap() == ["a"]).await;
}
