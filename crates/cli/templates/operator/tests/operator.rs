//! The operator on an API server in this process: no cluster, no port. Time is paused, so waiting
//! takes no time.
//!
//! Every test starts with what `deploy/` installs, and the operator has only the permissions in
//! `deploy/rbac.yaml`.

use std::sync::LazyLock;
use std::time::Duration;

use database_operator::{Database, DatabaseSpec, add_to};
use k8s_openapi::api::apps::v1::Deployment;
use pintle::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use pintle::manager::Manager;
use pintle::runtime::status::find_condition;
use pintle::testing::{Builder, Fault, Requests, Server, ServerExt};
use pintle::{Client, CustomResourceExt, Error, ResourceExt};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const NAMESPACE: &str = "database-operator-system";
const ACCOUNT: &str = "system:serviceaccount:database-operator-system:database-operator";
const OPERATOR: &str = include_str!("../deploy/operator.yaml");
const CRD: &str = include_str!("../deploy/crd.yaml");
const RBAC: &str = include_str!("../deploy/rbac.yaml");

#[tokio::test(start_paused = true)]
async fn it_is_ready_once_its_replicas_are() {
    let world = World::new();
    let _operator = world.start_operator();
    world.create("a", 2).await;
    world.until_ready("a").await;
    let deployment = world.deployments().get("a").await.unwrap().spec;
    assert_eq!(deployment.replicas, Some(2));
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_spec_is_rolled_out() {
    let world = World::new();
    let _operator = world.start_operator();
    world.create("a", 1).await;
    world.until_ready("a").await;
    let patch = Patch::Merge(json!({"spec": {"replicas": 3}}));
    world.objects().patch("a", &PatchParams::default(), &patch).await.unwrap();
    world.until_ready("a").await;
    let status = world.deployments().get("a").await.unwrap().status.unwrap();
    assert_eq!(status.available_replicas, Some(3));
}

#[tokio::test(start_paused = true)]
async fn what_others_break_is_mended() {
    let world = World::new();
    let _operator = world.start_operator();
    world.create("a", 1).await;
    world.until_ready("a").await;
    let first = world.deployments().get("a").await.unwrap().uid();
    world.deployments().delete("a", &DeleteParams::default()).await.unwrap();
    world
        .until("there is another Deployment", async || {
            let found = world.deployments().get_opt("a").await.unwrap();
            found.is_some_and(|found| found.uid() != first)
        })
        .await;
}

/// Faults that happen in every cluster, sooner or later. They do not change the outcome.
#[tokio::test(start_paused = true)]
async fn faults_on_the_way_change_nothing_in_the_end() {
    for fault in [
        Fault::conflict(),
        Fault::internal_error(),
        Fault::too_many_requests(Some(Duration::from_secs(1))),
        Fault::LostRequest,
        // The write took effect, but its response was lost.
        Fault::LostResponse,
    ] {
        let world = World::new();
        world.create("a", 2).await;
        let rule = world.server.fault(Requests::writes().times(4), fault.clone());
        let _operator = world.start_operator();
        world.until_ready("a").await;
        assert!(rule.fired() > 0, "{fault:?} did not happen");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_was_cut_or_has_expired_misses_nothing() {
    let world = World::new();
    let _operator = world.start_operator();
    world.create("a", 1).await;
    world.until_ready("a").await;

    assert!(world.server.break_watches(&Requests::watches()) > 0);
    world.create("b", 1).await;
    world.until_ready("b").await;

    // Changes that happen while no watch is open, and that the server has forgotten when one is.
    let down = world.server.fault(Requests::watches(), Fault::unavailable(None));
    assert!(world.server.cut_watches(&Requests::watches()) > 0);
    world.create("c", 1).await;
    world.server.expire_history();
    down.lift();
    world.until_ready("c").await;
}

#[tokio::test(start_paused = true)]
async fn a_deleted_object_goes_after_its_clean_up_with_all_it_owns() {
    let world = World::new();
    let operator = world.start_operator();
    world.create("a", 1).await;
    world.until_ready("a").await;

    operator.stop().await;
    world.objects().delete("a", &DeleteParams::default()).await.unwrap();
    sleep(Duration::from_secs(60)).await;
    assert!(world.objects().get("a").await.is_ok(), "nobody has cleaned up yet");

    let _operator = world.start_operator();
    let is_gone = async || world.objects().get_opt("a").await.unwrap().is_none();
    world.until("a is gone", is_gone).await;
    let is_gone = async || world.deployments().get_opt("a").await.unwrap().is_none();
    world.until("its Deployment is gone", is_gone).await;
}

#[tokio::test(start_paused = true)]
async fn a_spec_that_makes_no_sense_is_refused_by_the_schema() {
    let world = World::new();
    for (image, replicas) in [("", 1), ("web:1", -1), ("web:1", 101)] {
        let object = object("a", image, replicas);
        let refused = world.objects().create(&PostParams::default(), &object).await.unwrap_err();
        assert!(matches!(&refused, Error::Api(status) if status.code == 422), "{refused}");
    }
}

#[test]
fn deploy_has_the_definition_of_the_code() {
    let definition = serde_saphyr::to_string(&Database::crd()).unwrap();
    is_in_file("deploy/crd.yaml", CRD, "# Generated from `Database::crd()`", &definition);
}

/// Runs the operator with all permissions. `role_for` returns those that it used, and every other
/// test runs with only these.
#[tokio::test(start_paused = true)]
async fn deploy_has_the_rights_that_the_operator_uses() {
    let world = World::on(installed(Server::builder()));
    let operator = world.start_operator();
    world.create("a", 2).await;
    world.until_ready("a").await;
    world.objects().delete("a", &DeleteParams::default()).await.unwrap();
    let is_gone = async || world.objects().get_opt("a").await.unwrap().is_none();
    world.until("a is gone", is_gone).await;
    operator.stop().await;
    let roles = world.server.role_for(ACCOUNT).to_yaml();
    is_in_file("deploy/rbac.yaml", RBAC, "# Generated from what the operator did", &roles);
}

/// Fails if a file in `deploy/` differs from what the code says; `UPDATE_DEPLOY=1` updates it.
fn is_in_file(path: &str, written: &str, what: &str, yaml: &str) {
    let how = "update it with UPDATE_DEPLOY=1 cargo test deploy";
    let expected = format!("{what}; {how}.\n{}\n", yaml.trim_end());
    if std::env::var_os("UPDATE_DEPLOY").is_some() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        std::fs::write(path, expected).unwrap();
    } else {
        assert_eq!(written, expected, "{path} is stale: {how}");
    }
}

fn object(name: &str, image: &str, replicas: i32) -> Database {
    Database::new(name, DatabaseSpec { image: image.to_owned(), replicas })
}

/// A cluster in which pods are ready at once, and an administrator's client.
struct World {
    server: Server,
    client: Client,
}

/// Prepared once; each test gets a copy, which takes microseconds.
static INSTALLED: LazyLock<Server> = LazyLock::new(|| installed(Server::builder().rbac()));

/// A server with everything in `deploy/`, and a namespace `team` for the tests.
fn installed(builder: Builder) -> Server {
    let server = builder.simulated_workloads(true).build();
    let definition = serde_saphyr::to_string(&Database::crd()).unwrap();
    let team = "{apiVersion: v1, kind: Namespace, metadata: {name: team}}";
    for manifest in [&definition, OPERATOR, RBAC, team] {
        server.load(manifest).unwrap_or_else(|error| panic!("{error}:\n{manifest}"));
    }
    server
}

impl World {
    fn new() -> Self {
        Self::on(INSTALLED.fork())
    }

    fn on(server: Server) -> Self {
        let client = server.client();
        Self { server, client }
    }

    /// Like `main`, with the permissions of the operator's service account.
    fn start_operator(&self) -> Running {
        let client = self.server.client_as(ACCOUNT);
        let manager = Manager::builder(client).lease(NAMESPACE, "database-operator").build();
        add_to(&manager);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            manager.run_until(async { drop(stopped.await) }).await.expect("the operator runs");
        });
        Running { task, stop }
    }

    fn objects(&self) -> Api<Database> {
        Api::namespaced(self.client.clone(), "team")
    }

    fn deployments(&self) -> Api<Deployment> {
        Api::namespaced(self.client.clone(), "team")
    }

    async fn create(&self, name: &str, replicas: i32) {
        let object = object(name, "web:1", replicas);
        self.objects().create(&PostParams::default(), &object).await.unwrap();
    }

    /// Whether `Ready` holds for the newest generation.
    async fn is_ready(&self, name: &str) -> bool {
        let object = self.objects().get(name).await.unwrap();
        let conditions = object.status.unwrap_or_default().conditions;
        find_condition(&conditions, "Ready").is_some_and(|ready| {
            ready.status == "True" && ready.observed_generation == object.metadata.generation
        })
    }

    async fn until_ready(&self, name: &str) {
        self.until(&format!("{name} is ready"), async || self.is_ready(name).await).await;
    }

    /// Waits, in paused time, until `condition` holds.
    async fn until(&self, what: &str, mut condition: impl AsyncFnMut() -> bool) {
        let waiting = async {
            while !condition().await {
                sleep(Duration::from_millis(100)).await;
            }
        };
        if timeout(Duration::from_secs(600), waiting).await.is_err() {
            let trace: Vec<_> = self.server.trace().iter().map(ToString::to_string).collect();
            panic!("timed out: {what}. The requests were:\n{}", trace.join("\n"));
        }
    }
}

/// An operator that runs until it is stopped or dropped.
struct Running {
    task: JoinHandle<()>,
    stop: tokio::sync::oneshot::Sender<()>,
}

impl Running {
    async fn stop(self) {
        drop(self.stop);
        self.task.await.expect("it stops without a panic");
    }
}
