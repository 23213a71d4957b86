//! One replica of an operator that writes all the time, and with each write its name and when it was about to send it.
//!
//! `replica NAME NAMESPACE leader` works on the cluster of `KUBECONFIG` while it leads; `replica NAME NAMESPACE shards` works
//! on its share. Every ConfigMap with the label `failover=object` gets what its `data.want` says as `data.have`, again and again. Its
//! writes ask for no version, so nothing but the lease keeps two replicas from writing over each other.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, Patch, PatchParams};
use pintle::manager::Manager;
use pintle::runtime::controller::{Action, Config};
use pintle::runtime::lease::{Candidate, Role, Standing, Terms};
use pintle::runtime::sharding::Shards;
use pintle::runtime::watcher;
use pintle::{Client, ResourceExt};

/// How long the pause between two writes of an object is: three replicas, a server and a test share a few processors, and how
/// long a takeover takes should not be how long they wait for those.
const PAUSE: Duration = Duration::from_millis(250);

struct Context {
    maps: Api<ConfigMap>,
    name: String,
    /// Where one leads; shards have none.
    standing: Option<Standing>,
    turns: AtomicU64,
    /// When each object was last written.
    written: Mutex<BTreeMap<String, Instant>>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, namespace, how] = &arguments[..] else { return Err(USAGE.into()) };
    let client = Client::try_default().await?;
    let terms = Terms::new(Duration::from_secs(3), Duration::from_secs(2), Duration::from_millis(500))?;
    let builder = Manager::builder(client.clone());
    let (builder, standing) = match how.as_str() {
        "leader" => {
            let candidate = Candidate::new(client.clone(), namespace, "failover").called(name).with_terms(terms);
            let standing = candidate.standing();
            (builder.candidate(candidate), Some(standing))
        }
        "shards" => {
            let shards = Shards::new(client.clone(), namespace, "failover").called(name).with_terms(terms);
            (builder.sharded_by(shards), None)
        }
        _ => return Err(USAGE.into()),
    };
    let manager = builder.build();
    let maps = Api::<ConfigMap>::namespaced(client, namespace);
    let context = Context {
        maps: maps.clone(),
        name: name.clone(),
        standing,
        turns: AtomicU64::new(0),
        written: Mutex::default(),
    };
    let controller = manager
        .controller(maps, watcher::Config::default().labels("failover=object"))
        // To write all the time is what it is for.
        .with_config(Config::default().loop_guard(0))
        .run(reconcile, |_, _, _| Action::requeue(PAUSE), Arc::new(context));
    manager.add_controller(controller);
    Ok(manager.run().await?)
}

const USAGE: &str = "usage: replica NAME NAMESPACE leader|shards";

async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, pintle::Error> {
    let term = match context.standing.as_ref().map(Standing::role) {
        None => None,
        Some(Role::Leading { term, .. }) => Some(term.to_string()),
        Some(_) => return Ok(Action::requeue(PAUSE)),
    };
    let name = map.name_any();
    // One's own write has woken it.
    let rests = {
        let mut written = context.written.lock().unwrap_or_else(PoisonError::into_inner);
        let rests = written.get(&name).and_then(|at| PAUSE.checked_sub(at.elapsed()));
        if rests.is_none() {
            written.insert(name.clone(), Instant::now());
        }
        rests
    };
    if let Some(rests) = rests {
        return Ok(Action::requeue(rests));
    }
    let want = map.data.as_ref().and_then(|data| data.get("want")).cloned().unwrap_or_default();
    let turn = context.turns.fetch_add(1, Ordering::Relaxed);
    let sent = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    let data = serde_json::json!({
        "data": {"have": want, "term": term, "by": context.name, "turn": turn.to_string(), "sent": sent.to_string()}
    });
    context.maps.patch(&name, &PatchParams::default(), &Patch::Merge(data)).await?;
    Ok(Action::requeue(PAUSE))
}
