//! `examples/deploy`: the manifests are enough for the operator, and its roles are no more than it needs.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Service, ServiceAccount};
use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::{ApiResource, GroupVersionKind};
use kube::testing::{Server, ServerExt, Serving};
use kube::{Client, Config};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

pub(crate) const GREETER: &str = env!("CARGO_BIN_EXE_greeter");
const ACCOUNT: &str = "system:serviceaccount:greeter-system:greeter";
/// The manifests beside the roles, in the order in which they are applied.
const MANIFESTS: [&str; 4] = ["namespace.yaml", "crd.yaml", "webhook.yaml", "deployment.yaml"];

#[tokio::test]
async fn the_roles_are_what_the_operator_does_and_enough_for_it() {
    let free = Embedded::new(Server::builder()).await;
    apply_all(&free.cluster.client, &MANIFESTS).await;
    operate(&free.cluster, 1).await;
    let seen = free.server.role_for("greeter").to_yaml();
    let path = deploy().join("rbac.yaml");
    if std::env::var_os("UPDATE_DEPLOY").is_some() {
        fs::write(&path, format!("{HEAD}{seen}")).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(written, format!("{HEAD}{seen}"), "run with UPDATE_DEPLOY=1 to write examples/deploy/rbac.yaml anew");

    let guarded = Embedded::new(Server::builder().rbac()).await;
    apply_all(&guarded.cluster.client, &MANIFESTS).await;
    apply_all(&guarded.cluster.client, &["rbac.yaml"]).await;
    operate(&guarded.cluster, 2).await;
}

/// `cargo xtask kube test operator` runs it on the real kube-apiserver.
#[tokio::test]
#[ignore = "needs a cluster of its own, whose kubeconfig PINTLE_EXAMPLES_KUBECONFIG names"]
async fn the_manifests_are_enough_on_a_real_server() {
    let path = std::env::var_os("PINTLE_EXAMPLES_KUBECONFIG").expect("PINTLE_EXAMPLES_KUBECONFIG names a kubeconfig");
    let mut kubeconfig = Kubeconfig::read_from(path).unwrap();
    let config = Config::from_custom_kubeconfig(kubeconfig.clone(), &KubeConfigOptions::default()).await.unwrap();
    let (client, webhooks) = (Client::try_from(config).unwrap(), free_address());
    apply_all(&client, &MANIFESTS).await;
    apply_all(&client, &["rbac.yaml"]).await;
    lead_to(&client, webhooks.port()).await;
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), "greeter-system");
    let token = accounts.create_token_request("greeter", &PostParams::default(), &TokenRequest::default()).await;
    let token = token.unwrap().status.unwrap().token.expect("a token request is answered with a token");
    let user = json!({"name": "greeter", "user": {"token": token}});
    kubeconfig.auth_infos = vec![serde_json::from_value(user).unwrap()];
    for context in kubeconfig.contexts.iter_mut().filter_map(|named| named.context.as_mut()) {
        context.user = Some("greeter".to_owned());
    }
    let yaml = serde_json::to_string(&kubeconfig).unwrap();
    operate(&Cluster { client, webhooks, kubeconfig: write_kubeconfig(&yaml) }, 2).await;
}

/// Lets the webhook's Service lead to this machine: the server is no part of a cluster's network.
async fn lead_to(client: &Client, port: u16) {
    let services: Api<Service> = Api::namespaced(client.clone(), "greeter-system");
    let here =
        json!({"spec": {"type": "ExternalName", "externalName": "localhost", "clusterIP": null, "clusterIPs": null}});
    services.patch("greeter-webhook", &PatchParams::default(), &Patch::Merge(here)).await.unwrap();
    let configurations: Api<ValidatingWebhookConfiguration> = Api::all(client.clone());
    let port = json!([{"op": "add", "path": "/webhooks/0/clientConfig/service/port", "value": port}]);
    let port = Patch::Json::<()>(serde_json::from_value(port).unwrap());
    configurations.patch("greeter", &PatchParams::default(), &port).await.unwrap();
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

/// Where the operator works: with a Service that leads to its port, and a kubeconfig of its ServiceAccount.
struct Cluster {
    client: Client,
    webhooks: SocketAddr,
    kubeconfig: PathBuf,
}

/// One in this process.
struct Embedded {
    server: Server,
    cluster: Cluster,
    _serving: Serving,
}

impl Embedded {
    async fn new(builder: kube::testing::Builder) -> Self {
        let webhooks = free_address();
        let server = builder.service_address("greeter-system/greeter-webhook", webhooks.to_string()).build();
        let serving = server.serve("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let kubeconfig = write_kubeconfig(&serving.kubeconfig_with(&serving.token_for(ACCOUNT, &[])));
        let cluster = Cluster { client: server.client(), webhooks, kubeconfig };
        Self { server, cluster, _serving: serving }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // It holds a token.
        fs::remove_file(&self.kubeconfig).unwrap_or_default();
    }
}

fn write_kubeconfig(text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("greeter-{}-{}", std::process::id(), free_address().port()));
    fs::write(&path, text).unwrap();
    path
}

/// Runs the operator's replicas, has them do everything they do, and stops them. Nothing that they ask for may be refused.
async fn operate(cluster: &Cluster, replicas: usize) {
    let mut operators: Vec<Operator> = (0..replicas).map(|number| Operator::start(cluster, number)).collect();
    let first = operators[0].health;
    let worked = timeout(Duration::from_secs(60), work(&cluster.client, first)).await;
    worked.expect("the operator does its work within a minute");
    for operator in &operators {
        until(async || is_ready(operator.health).await).await;
        let metrics = get(operator.metrics, "/metrics").await;
        assert!(metrics.contains("rest_client_requests_total{code=\"200\""), "{metrics}");
        assert!(!metrics.contains("code=\"403\""), "the roles are not enough:\n{metrics}");
    }
    for operator in &mut operators {
        stop(&mut operator.process).await;
    }
}

/// A replica of the operator.
struct Operator {
    process: Child,
    health: SocketAddr,
    metrics: SocketAddr,
}

impl Operator {
    /// The webhook's Service leads to the first one.
    fn start(cluster: &Cluster, number: usize) -> Self {
        let (health, metrics) = (free_address(), free_address());
        let webhooks = if number == 0 { cluster.webhooks } else { free_address() };
        let process = Command::new(GREETER)
            .env("KUBECONFIG", &cluster.kubeconfig)
            .env("POD_NAMESPACE", "greeter-system")
            .env("GREETER_HEALTH", health.to_string())
            .env("GREETER_METRICS", metrics.to_string())
            .env("GREETER_WEBHOOKS", webhooks.to_string())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self { process, health, metrics }
    }
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
pub(crate) async fn stop(operator: &mut Child) {
    let pid = operator.id().expect("it runs").to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().await.unwrap().success());
    let ended = timeout(Duration::from_secs(35), operator.wait()).await.expect("it stops in time").unwrap();
    assert!(ended.success(), "it ends with {ended}");
}

async fn is_ready(address: SocketAddr) -> bool {
    get(address, "/readyz").await.starts_with("HTTP/1.1 200 ")
}

/// What an HTTP server answers; nothing if there is none.
async fn get(address: SocketAddr, path: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(address).await else { return String::new() };
    let request = format!("GET {path} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap_or_default();
    answer
}

pub(crate) async fn until<F: Future<Output = bool>>(mut condition: impl FnMut() -> F) {
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

pub(crate) fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy")
}

/// An address that nobody listens on just now.
fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}
