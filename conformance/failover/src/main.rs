//! One replica of an operator that writes all the time, and with each write its term and its name.
//!
//! `replica NAME NAMESPACE` works on the cluster of `KUBECONFIG`. Every ConfigMap with the label `failover=object` gets what
//! its `data.want` says as `data.have`, again and again. Its writes ask for no version, so nothing but the lease keeps two
//! replicas from writing over each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, Patch, PatchParams};
use pintle::manager::Manager;
use pintle::runtime::controller::{Action, Config};
use pintle::runtime::lease::{Candidate, Role, Standing, Terms};
use pintle::runtime::watcher;
use pintle::{Client, ResourceExt};

/// How long the pause between two writes of an object is.
const PAUSE: Duration = Duration::from_millis(25);

struct Context {
    maps: Api<ConfigMap>,
    name: String,
    standing: Standing,
    turns: AtomicU64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(namespace)) = (arguments.next(), arguments.next()) else {
        return Err("usage: replica NAME NAMESPACE".into());
    };
    let client = Client::try_default().await?;
    let terms = Terms::new(Duration::from_secs(3), Duration::from_secs(2), Duration::from_millis(500))?;
    let candidate = Candidate::new(client.clone(), &namespace, "failover").called(&name).with_terms(terms);
    let standing = candidate.standing();
    let manager = Manager::builder(client.clone()).candidate(candidate).build();
    let maps = Api::<ConfigMap>::namespaced(client, &namespace);
    let context = Context { maps: maps.clone(), name, standing, turns: AtomicU64::new(0) };
    let controller = manager
        .controller(maps, watcher::Config::default().labels("failover=object"))
        // To write all the time is what it is for.
        .with_config(Config::default().loop_guard(0))
        .run(reconcile, |_, _, _| Action::requeue(PAUSE), Arc::new(context));
    manager.add_controller(controller);
    Ok(manager.run().await?)
}

async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, pintle::Error> {
    let Role::Leading { term, .. } = context.standing.role() else { return Ok(Action::requeue(PAUSE)) };
    let want = map.data.as_ref().and_then(|data| data.get("want")).cloned().unwrap_or_default();
    let turn = context.turns.fetch_add(1, Ordering::Relaxed);
    let data = serde_json::json!({
        "data": {"have": want, "term": term.to_string(), "by": context.name, "turn": turn.to_string()}
    });
    context.maps.patch(&map.name_any(), &PatchParams::default(), &Patch::Merge(data)).await?;
    Ok(Action::requeue(PAUSE))
}
