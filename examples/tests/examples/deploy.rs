//! `examples/deploy`: the manifests are enough for the operator, and its roles are no more than it needs.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::Client;
use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::testing::{Server, ServerExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

const GREETER: &str = env!("CARGO_BIN_EXE_greeter");
const ACCOUNT: &str = "system:serviceaccount:greeter-system:greeter";
/// The manifests beside the roles, in the order in which they are applied.
const MANIFESTS: [&str; 4] = ["namespace.yaml", "crd.yaml", "webhook.yaml", "deployment.yaml"];

#[tokio::test]
async fn the_roles_are_what_the_operator_does_and_enough_for_it() {
    let free = cluster(Server::builder());
    apply_all(&free.client, &MANIFESTS).await;
    operate(&free).await;
    let seen = free.server.role_for("greeter").to_yaml();
    let path = deploy().join("rbac.yaml");
    if std::env::var_os("UPDATE_DEPLOY").is_some() {
        fs::write(&path, format!("{HEAD}{seen}")).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(written, format!("{HEAD}{seen}"), "run with UPDATE_DEPLOY=1 to write examples/deploy/rbac.yaml anew");

    let guarded = cluster(Server::builder().rbac());
    apply_all(&guarded.client, &MANIFESTS).await;
    apply_all(&guarded.client, &["rbac.yaml"]).await;
    operate(&guarded).await;
}

#[tokio::test]
async fn the_definition_is_the_one_that_the_operator_prints() {
    let printed = Command::new(GREETER).arg("--crd").output().await.unwrap();
    let printed: Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(documents("crd.yaml"), [printed]);
}

/// What the roles' file begins with.
const HEAD: &str = "# Made by the test in examples/tests/examples/deploy.rs of what the operator was seen to do; UPDATE_DEPLOY=1 \
                    writes it anew.\n";

/// A server with a Service that leads to the operator's port.
struct Cluster {
    server: Server,
    client: Client,
    webhooks: SocketAddr,
}

fn cluster(builder: kube::testing::Builder) -> Cluster {
    let webhooks = free_address();
    let server = builder.service_address("greeter-system/greeter-webhook", webhooks.to_string()).build();
    let client = server.client();
    Cluster { server, client, webhooks }
}

/// Runs the operator, has it do everything it does, and stops it.
async fn operate(cluster: &Cluster) {
    let serving = cluster.server.serve("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let kubeconfig =
        std::env::temp_dir().join(format!("greeter-{}-{}", std::process::id(), serving.local_addr().port()));
    fs::write(&kubeconfig, serving.kubeconfig_with(&serving.token_for(ACCOUNT, &[]))).unwrap();
    let health = free_address();
    let mut operator = Command::new(GREETER)
        .env("KUBECONFIG", &kubeconfig)
        .env("POD_NAMESPACE", "greeter-system")
        .env("GREETER_HEALTH", health.to_string())
        .env("GREETER_METRICS", "127.0.0.1:0")
        .env("GREETER_WEBHOOKS", cluster.webhooks.to_string())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let worked = timeout(Duration::from_secs(60), work(&cluster.client, health)).await;
    worked.expect("the operator does its work within a minute");
    stop(&mut operator).await;
    fs::remove_file(kubeconfig).unwrap();
    serving.shutdown().await;
}

/// Greets somebody in a team's namespace.
async fn work(client: &Client, health: SocketAddr) {
    let team = json!({"metadata": {"name": "team"}});
    let team: Namespace = serde_json::from_value(team).unwrap();
    Api::all(client.clone()).create(&PostParams::default(), &team).await.unwrap();
    until(async || is_ready(health).await).await;
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Greeting"));
    let greetings: Api<DynamicObject> = Api::namespaced_with(client.clone(), "team", &resource);
    let greeting = |name: &str| {
        let object = json!({"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": "a"}, "spec": {"name": name}});
        serde_json::from_value::<DynamicObject>(object).unwrap()
    };
    // Until the certificate is trusted, the webhook cannot be called, and nothing is created without it.
    until(async || {
        let refused = greetings.create(&PostParams::default(), &greeting(" ")).await.unwrap_err().to_string();
        refused.contains("spec.name is empty: whom to greet?")
    })
    .await;
    greetings.create(&PostParams::default(), &greeting("world")).await.unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "team");
    until(async || {
        let map = maps.get_opt("a-greeting").await.unwrap().and_then(|map| map.data);
        let status = greetings.get("a").await.unwrap().data["status"]["observedGeneration"].clone();
        map.is_some_and(|data| data["greeting"] == "Hello, world!") && status == 1
    })
    .await;
}

/// Asks the operator to stop, which it does by itself.
async fn stop(operator: &mut Child) {
    let pid = operator.id().expect("it runs").to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().await.unwrap().success());
    let ended = timeout(Duration::from_secs(35), operator.wait()).await.expect("it stops in time").unwrap();
    assert!(ended.success(), "it ends with {ended}");
}

async fn is_ready(address: SocketAddr) -> bool {
    let Ok(mut stream) = TcpStream::connect(address).await else { return false };
    stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap_or_default();
    answer.starts_with("HTTP/1.1 200 ")
}

async fn until<F: Future<Output = bool>>(mut condition: impl FnMut() -> F) {
    while !condition().await {
        sleep(Duration::from_millis(50)).await;
    }
}

async fn apply_all(client: &Client, files: &[&str]) {
    for object in files.iter().flat_map(|file| documents(file)) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let api_version = text(&object["apiVersion"]);
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", &api_version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, &text(&object["kind"])));
        let api: Api<DynamicObject> = match object["metadata"]["namespace"].as_str() {
            Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
            None => Api::all_with(client.clone(), &resource),
        };
        let (name, params) = (text(&object["metadata"]["name"]), PatchParams::apply("test").force());
        api.patch(&name, &params, &Patch::Apply(&object)).await.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// The documents of a manifest.
fn documents(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(deploy().join(file)).unwrap();
    serde_saphyr::from_multiple(&text).unwrap()
}

fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy")
}

/// An address that nobody listens on just now.
fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}
