//! Three replicas as processes; the one that leads is killed, asked to stop, or stopped past its lease and continued.
//!
//! Each write carries its term and its writer, and one watch sees them all in the order of their versions: a term never
//! follows a higher one, and has one writer. The server is embedded, or the one of `PINTLE_FAILOVER_KUBECONFIG`.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "in a test a failure is a panic, wherever it happens")]
#![expect(clippy::print_stdout, reason = "the times of each failover are what a run is made for")]

#[path = "failover/replicas.rs"]
mod replicas;
#[path = "failover/writes.rs"]
mod writes;

use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use pintle::api::{Api, Patch, PatchParams, PostParams};
use pintle::config::{KubeConfigOptions, Kubeconfig};
use pintle::testing::Server;
use pintle::{Client, Config, ResourceExt};

use replicas::Replicas;
use writes::Writes;

/// How many objects the replicas work on.
const OBJECTS: usize = 5;
/// The lease is good for 3 s after it was seen renewed; it is looked at every 0.5 to 1.1 s, before and after that. The rest is
/// for a busy machine.
const TAKEOVER_MAX: Duration = Duration::from_millis(3000 + 2 * 1100 + 2500);
/// It is looked at every 0.5 to 1.1 s. The rest is for a busy machine.
const HANDOVER_MAX: Duration = Duration::from_millis(1100 + 2500);
/// Longer than the lease, and than anybody takes to notice.
const STOPPED: Duration = Duration::from_millis(4500);

/// What happens to the leader.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Blow {
    /// SIGKILL.
    Killed,
    /// SIGTERM.
    Terminated,
    /// SIGSTOP, and SIGCONT long after its lease has run out.
    Stopped,
}

#[tokio::test(flavor = "multi_thread")]
async fn never_two_write_at_once_whatever_happens_to_the_leader() {
    use Blow::{Killed, Stopped, Terminated};
    suffer(&[Killed, Terminated, Stopped], 7).await;
}

/// The long form: fifty times killed at random moments.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes six minutes"]
async fn never_two_write_at_once_in_fifty_killings() {
    let blows: Vec<_> = (0..70)
        .map(|round| match round % 7 {
            2 => Blow::Terminated,
            5 => Blow::Stopped,
            _ => Blow::Killed,
        })
        .collect();
    assert_eq!(blows.iter().filter(|blow| **blow == Blow::Killed).count(), 50);
    suffer(&blows, fastrand::u64(..)).await;
}

async fn suffer(blows: &[Blow], seed: u64) {
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let cluster = Cluster::new().await;
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client.clone(), &cluster.namespace);
    create_objects(&maps).await;
    let writes = Writes::watch(maps.clone());
    let mut replicas = Replicas::start(3, &cluster.kubeconfig, &cluster.namespace);
    let mut term = writes.until(Duration::from_secs(30), |_| true).await.term;
    for blow in blows {
        tokio::time::sleep(Duration::from_millis(random.u64(100..1100))).await;
        let leader = writes.last();
        assert_eq!(leader.term, term, "nobody else began to lead by itself");
        let begun = Instant::now();
        let limit = match blow {
            Blow::Killed => {
                replicas.kill(&leader.by);
                TAKEOVER_MAX
            }
            Blow::Terminated => {
                replicas.terminate(&leader.by);
                HANDOVER_MAX
            }
            Blow::Stopped => {
                replicas.signal(&leader.by, "STOP");
                TAKEOVER_MAX
            }
        };
        let next = writes.until(limit, |write| write.term > term).await;
        println!("{blow:?}: {} leads after {:?}", next.by, begun.elapsed());
        assert_ne!(next.by, leader.by);
        if *blow == Blow::Stopped {
            tokio::time::sleep(STOPPED.saturating_sub(begun.elapsed())).await;
            replicas.signal(&leader.by, "CONT");
            // Whatever it was about to write it would write now.
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        term = next.term;
    }
    for number in 0..OBJECTS {
        let want = Patch::Merge(serde_json::json!({"data": {"want": "the end"}}));
        maps.patch(&object(number), &PatchParams::default(), &want).await.unwrap();
    }
    let all_have = async || {
        let list = maps.list(&Default::default()).await.unwrap();
        let have = list.items.iter().filter(|map| value(map, "have") == Some("the end")).count();
        have == OBJECTS
    };
    let begun = Instant::now();
    while !all_have().await {
        assert!(begun.elapsed() < Duration::from_secs(20), "an object did not converge");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    println!("{} writes in {} terms, none by two at once", writes.count(), term + 1);
    replicas.stop();
}

/// The server, and a kubeconfig of it.
struct Cluster {
    client: Client,
    kubeconfig: std::path::PathBuf,
    namespace: String,
    /// Of an embedded one.
    _serving: Option<Box<dyn std::any::Any>>,
}

impl Cluster {
    async fn new() -> Self {
        let (kubeconfig, serving): (_, Option<Box<dyn std::any::Any>>) =
            match std::env::var_os("PINTLE_FAILOVER_KUBECONFIG") {
                Some(path) => (path.into(), None),
                None => {
                    let serving = Server::new().serve(([127, 0, 0, 1], 0).into()).await.unwrap();
                    let name = format!("pintle-failover-{}-{}", std::process::id(), serving.local_addr().port());
                    let path = std::env::temp_dir().join(name);
                    serving.write_kubeconfig(&path).unwrap();
                    (path, Some(Box::new(serving)))
                }
            };
        let config = Kubeconfig::read_from(&kubeconfig).unwrap();
        let config = Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await.unwrap();
        let client = Client::try_from(config).unwrap();
        let mut namespace = Namespace::default();
        namespace.metadata.generate_name = Some("failover-".to_owned());
        let namespace = Api::all(client.clone()).create(&PostParams::default(), &namespace).await.unwrap().name_any();
        Self { client, kubeconfig, namespace, _serving: serving }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self._serving.is_some() {
            let _ = std::fs::remove_file(&self.kubeconfig);
        }
    }
}

fn object(number: usize) -> String {
    format!("object-{number}")
}

async fn create_objects(maps: &Api<ConfigMap>) {
    for number in 0..OBJECTS {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(object(number));
        map.metadata.labels = Some([("failover".to_owned(), "object".to_owned())].into());
        map.data = Some([("want".to_owned(), "the beginning".to_owned())].into());
        maps.create(&PostParams::default(), &map).await.unwrap();
    }
}

fn value<'a>(map: &'a ConfigMap, key: &str) -> Option<&'a str> {
    map.data.as_ref()?.get(key).map(String::as_str)
}
