//! How much CPU time an idle controller takes: `cargo run -p pintle --example idle [SECONDS]`. It fails if that is more than
//! 20 ms per minute.
//!
//! 1,000 config maps with a secret each, on an embedded server in the same thread, so the work of the server (mostly
//! bookmarks) is included. Linux only: `/proc` has the CPU time of a thread.
#![expect(clippy::print_stdout, reason = "a program may speak")]

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, ObjectMeta, PostParams};
use pintle::runtime::{Controller, controller::Action, watcher};
use pintle::testing::{Server, ServerExt};
use pintle::{Client, Resource};

const OBJECTS: u64 = 1000;
/// The allowed CPU time per minute.
const ALLOWED: Duration = Duration::from_millis(20);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let seconds: u32 = std::env::args().nth(1).map_or(Ok(60), |it| it.parse())?;
    let server = Server::builder().namespace_defaults(false).build();
    fill(server.client()).await?;
    let (maps, secrets) = (Api::<ConfigMap>::all(server.client()), Api::<Secret>::all(server.client()));
    let controller = Controller::new(maps, watcher::Config::default()).owns(secrets, watcher::Config::default());
    let (store, metrics) = (controller.store(), controller.metrics());
    let reconcile = async |_: Arc<ConfigMap>, _| Ok::<_, Infallible>(Action::await_change());
    let running = controller.run(reconcile, |_, _, _| Action::backoff(), Arc::new(()));
    tokio::spawn(running.for_each(async |_| ()));
    store.wait_until_ready().await?;
    while metrics.counts().succeeded < OBJECTS || metrics.counts().waiting > 0 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let (reconciled, before) = (metrics.counts().succeeded, cpu_time()?);
    tokio::time::sleep(Duration::from_secs(seconds.into())).await;
    let used = cpu_time()? - before;
    assert_eq!(metrics.counts().succeeded, reconciled, "nothing was to be done");
    println!("{} objects and their children: {:.1} ms of CPU in {seconds} s", store.len(), used.as_secs_f64() * 1e3);
    let allowed = ALLOWED.mul_f64(f64::from(seconds) / 60.0);
    if used > allowed { Err(format!("that is more than {allowed:?}").into()) } else { Ok(()) }
}

async fn fill(client: Client) -> Result<(), pintle::Error> {
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let secrets: Api<Secret> = Api::default_namespaced(client);
    for number in 0..OBJECTS {
        let named = ObjectMeta { name: Some(format!("m{number}")), ..ObjectMeta::default() };
        let map = ConfigMap { metadata: named.clone(), ..ConfigMap::default() };
        let owner = maps.create(&PostParams::default(), &map).await?.controller_owner_ref(&());
        let metadata = ObjectMeta { owner_references: Some(owner.into_iter().collect()), ..named };
        secrets.create(&PostParams::default(), &Secret { metadata, ..Secret::default() }).await?;
    }
    Ok(())
}

/// The CPU time of this thread so far.
fn cpu_time() -> Result<Duration, Box<dyn Error>> {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds =
        schedstat.split_whitespace().next().ok_or("this system does not report the CPU time of a thread")?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}
