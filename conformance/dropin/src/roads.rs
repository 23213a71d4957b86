//! The road to a cluster: kubeconfigs, configurations, layers, clients put together by hand, and what each sends.

use std::time::Duration;

use bytes::Bytes;
use either::Either;
use futures::{AsyncReadExt, StreamExt};
use http::{HeaderMap, Request, Response};
use http_body_util::Full;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::middleware::{AuthLayer, BaseUriLayer, ExtraHeadersLayer};
use kube::client::retry::RetryPolicy;
use kube::client::{Body, ClientBuilder, ConfigExt};
use kube::config::{
    AuthInfo, Cluster, Config, Context, ExecConfig, ExecInteractiveMode, KubeConfigOptions, Kubeconfig, KubeconfigError,
    NamedAuthInfo, NamedCluster, NamedContext,
};
use kube::core::{Status, WatchEvent};
use kube::{Client, Error};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use tower::{BoxError, Layer, ServiceBuilder, ServiceExt};

pub async fn print() {
    defaults();
    files().await;
    mistakes().await;
    by_hand().await;
    layers().await;
    requests().await;
    retries().await;
}

const FILE: &str = "
apiVersion: v1
kind: Config
current-context: one
clusters:
- name: c
  cluster: {server: 'https://host:6443/base', tls-server-name: other, proxy-url: 'http://me:pw@proxy:3128', disable-compression: true}
- name: d
  cluster: {server: 'http://d', insecure-skip-tls-verify: true, x-unknown: 5}
users:
- name: t
  user: {token: abc, as: jane, as-groups: [a, b]}
- name: b
  user: {username: me, password: pw}
- name: e
  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, args: [x], env: [{name: A, value: B}], interactiveMode: Never}}
contexts:
- name: one
  context: {cluster: c, user: t, namespace: apps}
- name: two
  context: {cluster: d, user: b}
- name: lost
  context: {cluster: nowhere, user: t}
";

/// What is used where nothing is said.
fn defaults() {
    let config = Config::new("https://host".parse().unwrap());
    println!("{} {}", config.cluster_url, config.default_namespace);
    println!("{:?} {:?} {:?}", config.connect_timeout, config.read_timeout, config.write_timeout);
    println!("{} {} {}", config.accept_invalid_certs, config.disable_compression, config.default_retry);
    println!("{} {:?}", config.reset_reader_on_write, config.headers);
    println!("{:?} {:?} {:?}", config.root_cert, config.root_cert_file, config.tls_server_name);
    println!("{:?} {:?}", config.proxy_url, config.auth_info.token.is_some());
}

async fn files() {
    let file = Kubeconfig::from_yaml(FILE).unwrap();
    println!("{:?} {:?} {:?}", file.current_context, file.api_version, file.kind);
    for (context, user) in [(None, None), (Some("two"), None), (Some("two"), Some("t"))] {
        let options = KubeConfigOptions { context: context.map(Into::into), user: user.map(Into::into), cluster: None };
        let config = Config::from_custom_kubeconfig(file.clone(), &options).await.unwrap();
        println!("{} {} {:?}", config.cluster_url, config.default_namespace, config.proxy_url.map(|url| url.to_string()));
        println!("{:?} {} {}", config.tls_server_name, config.accept_invalid_certs, config.disable_compression);
        let user: AuthInfo = config.auth_info;
        println!("{:?} {:?} {:?}", user.impersonate, user.impersonate_groups, user.username);
        println!("{:?} {:?}", secret(user.token.as_ref()), secret(user.password.as_ref()));
    }
    let other = "current-context: two\nclusters: [{name: c, cluster: {server: 'http://other'}}, {name: n, cluster: {server: 'http://n'}}]\n";
    let merged = file.clone().merge(Kubeconfig::from_yaml(other).unwrap()).unwrap();
    let servers = merged.clusters.iter().map(|it| (it.name.as_str(), it.cluster.as_ref().and_then(|it| it.server.as_deref())));
    println!("{:?} {:?}", merged.current_context, servers.collect::<Vec<_>>());
    let exec = file.auth_infos[2].auth_info.clone().unwrap().exec.unwrap();
    let ExecConfig { api_version, command, args, interactive_mode, provide_cluster_info, .. } = exec;
    let never = matches!(interactive_mode, Some(ExecInteractiveMode::Never));
    println!("{api_version:?} {command:?} {args:?} {never} {provide_cluster_info}");
}

fn secret(secret: Option<&SecretString>) -> Option<&str> {
    secret.map(ExposeSecret::expose_secret)
}

/// Which variant each mistake is; the words are each library's own.
async fn mistakes() {
    let chosen = |context: &str| KubeConfigOptions { context: Some(context.into()), ..KubeConfigOptions::default() };
    let file = Kubeconfig::from_yaml(FILE).unwrap();
    for options in [chosen("none"), chosen("lost")] {
        println!("{}", name(&Config::from_custom_kubeconfig(file.clone(), &options).await.unwrap_err()));
    }
    for text in [
        "contexts: []",
        "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {}}]\nusers: [{name: u, user: {}}]",
        "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: 'http://h', certificate-authority-data: '!'}}]\nusers: [{name: u, user: {}}]",
    ] {
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(Kubeconfig::from_yaml(text).unwrap(), &options).await;
        println!("{}", config.map_or_else(|error| name(&error), |_| "fine"));
    }
    let [one, two] = ["kind: Config", "kind: Other"].map(|text| Kubeconfig::from_yaml(text).unwrap());
    println!("{}", name(&one.merge(two).unwrap_err()));
    println!("{}", name(&Kubeconfig::from_yaml("clusters: 5").unwrap_err()));
    println!("{}", name(&Kubeconfig::read_from("/no/such/file").unwrap_err()));
    println!("{}", matches!(Client::try_from(Kubeconfig::default()), Err(Error::InferKubeconfig(_))));
}

fn name(error: &KubeconfigError) -> &'static str {
    match error {
        KubeconfigError::CurrentContextNotSet => "CurrentContextNotSet",
        KubeconfigError::KindMismatch => "KindMismatch",
        KubeconfigError::ApiVersionMismatch => "ApiVersionMismatch",
        KubeconfigError::LoadContext(_) => "LoadContext",
        KubeconfigError::LoadClusterOfContext(_) => "LoadClusterOfContext",
        KubeconfigError::FindPath => "FindPath",
        KubeconfigError::ReadConfig(_, _) => "ReadConfig",
        KubeconfigError::Parse(_) => "Parse",
        KubeconfigError::MissingClusterUrl => "MissingClusterUrl",
        KubeconfigError::ParseClusterUrl(_) => "ParseClusterUrl",
        KubeconfigError::ParseProxyUrl(_) => "ParseProxyUrl",
        KubeconfigError::LoadCertificateAuthority(_) => "LoadCertificateAuthority",
        KubeconfigError::LoadClientCertificate(_) => "LoadClientCertificate",
        KubeconfigError::LoadClientKey(_) => "LoadClientKey",
        KubeconfigError::ParseCertificates(_) => "ParseCertificates",
        KubeconfigError::ParseNoProxy(_) => "ParseNoProxy",
    }
}

/// A kubeconfig put together in the program.
async fn by_hand() {
    let cluster = Cluster { server: Some("http://by-hand".into()), ..Cluster::default() };
    let user = AuthInfo { token: Some(SecretString::from("t")), ..AuthInfo::default() };
    let context = Context { cluster: "c".into(), user: Some("u".into()), namespace: Some("n".into()), ..Context::default() };
    let file = Kubeconfig {
        clusters: vec![NamedCluster { name: "c".into(), cluster: Some(cluster), ..Default::default() }],
        auth_infos: vec![NamedAuthInfo { name: "u".into(), auth_info: Some(user), ..Default::default() }],
        contexts: vec![NamedContext { name: "a".into(), context: Some(context), ..Default::default() }],
        current_context: Some("a".into()),
        ..Kubeconfig::default()
    };
    let config = Config::try_from(file.clone()).unwrap();
    println!("{} {}", config.cluster_url, config.default_namespace);
    println!("{}", Client::try_from(file).unwrap().default_namespace());
}

/// What the layers of a configuration do to a request.
async fn layers() {
    let mut config = Config::new("https://host:6443/base/".parse().unwrap());
    config.auth_info = AuthInfo {
        token: Some(SecretString::from("abc")),
        impersonate: Some("jane".into()),
        impersonate_groups: Some(vec!["a".into(), "b".into()]),
        ..AuthInfo::default()
    };
    config.headers.push(("x-extra".parse().unwrap(), "yes".parse().unwrap()));
    let base: BaseUriLayer = config.base_uri_layer();
    let auth: Option<AuthLayer> = config.auth_layer().unwrap();
    let extra: ExtraHeadersLayer = config.extra_headers_layer().unwrap();
    let service = ServiceBuilder::new()
        .layer(base)
        .option_layer(auth)
        .layer(extra)
        .map_err(BoxError::from)
        .service(tower::service_fn(|request: Request<Body>| async move {
            println!("{} {} {}", request.method(), request.uri(), sent(request.headers()));
            Ok::<_, BoxError>(Response::new(Full::new(Bytes::from("text"))))
        }));
    let client = ClientBuilder::new(service, "ns").with_valid_until(None).build();
    println!("{}", client.request_text(Request::get("/api/v1/pods?limit=1").body(Vec::new()).unwrap()).await.unwrap());
    println!("{:?} {}", client.valid_until(), client.default_namespace());
    config.auth_info = AuthInfo { username: Some("me".into()), password: Some("pw".into()), ..AuthInfo::default() };
    let service = ServiceBuilder::new().option_layer(config.auth_layer().unwrap()).map_err(BoxError::from).service(
        tower::service_fn(|request: Request<Body>| async move {
            println!("{}", sent(request.headers()));
            Ok::<_, BoxError>(Response::new(Full::new(Bytes::new())))
        }),
    );
    service.oneshot(Request::new(Body::empty())).await.map(|_| ()).unwrap();
    println!("{}", Config::new("http://h".parse().unwrap()).auth_layer().unwrap().is_none());
    // That they are there, and what they are made of.
    let _ = (config.rustls_client_config().is_ok(), config.rustls_https_connector().is_ok());
}

fn sent(headers: &HeaderMap) -> String {
    let wanted = ["authorization", "impersonate-user", "impersonate-group", "x-extra"];
    let values = wanted.iter().flat_map(|name| headers.get_all(*name)).map(|value| value.to_str().unwrap());
    values.collect::<Vec<_>>().join("|")
}

/// A service that answers by path.
fn server() -> Client {
    Client::new(
        tower::service_fn(|request: Request<Body>| async move {
            let (head, body) = request.into_parts();
            let body = body.collect_bytes().await?;
            println!("{} {} {:?}", head.method, head.uri, String::from_utf8_lossy(&body));
            let map = json!({"metadata": {"name": "a"}});
            let (code, answer) = match head.uri.path() {
                "/status" => (200, json!({"kind": "Status", "status": "Success", "code": 200}).to_string()),
                "/map" => (200, map.to_string()),
                "/events" => (200, format!("{}\n{}\n", json!({"type": "ADDED", "object": map}), bookmark())),
                "/refused" => (409, json!({"kind": "Status", "status": "Failure", "message": "m", "reason": "Conflict", "code": 409}).to_string()),
                "/garbage" => (502, "<html>".to_owned()),
                "/version" => (200, version().to_string()),
                _ => (200, "some text\nand more".to_owned()),
            };
            Ok::<_, BoxError>(Response::builder().status(code).body(Full::new(Bytes::from(answer)))?)
        }),
        "here",
    )
}

fn bookmark() -> Value {
    json!({"type": "BOOKMARK", "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"resourceVersion": "7"}}})
}

fn version() -> Value {
    json!({"major": "1", "minor": "37", "gitVersion": "v1.37.0", "gitCommit": "", "gitTreeState": "", "buildDate": "",
        "goVersion": "", "compiler": "", "platform": ""})
}

fn get(path: &str) -> Request<Vec<u8>> {
    Request::get(path).body(Vec::new()).unwrap()
}

async fn requests() {
    let client = server();
    let answer = client.send(Request::post("/text").body(Body::from(b"said".to_vec())).unwrap()).await.unwrap();
    println!("{} {:?}", answer.status(), answer.into_body().collect_bytes().await.unwrap());
    println!("{:?}", client.request::<ConfigMap>(get("/map")).await.unwrap().metadata.name);
    println!("{:?}", client.request_text(get("/text")).await.unwrap());
    let mut text = String::new();
    let mut stream = std::pin::pin!(client.request_stream(get("/text")).await.unwrap());
    stream.read_to_string(&mut text).await.unwrap();
    println!("{text:?}");
    for path in ["/map", "/status"] {
        match client.request_status::<ConfigMap>(get(path)).await.unwrap() {
            Either::Left(map) => println!("an object {:?}", map.metadata.name),
            Either::Right(status) => println!("a status {}", status.is_success()),
        }
    }
    let events = client.request_events::<ConfigMap>(get("/events")).await.unwrap();
    let events: Vec<WatchEvent<ConfigMap>> = events.map(Result::unwrap).collect().await;
    println!("{}", events.iter().map(|event| match event {
        WatchEvent::Added(_) => "added",
        WatchEvent::Bookmark(_) => "bookmark",
        _ => "other",
    }).collect::<Vec<_>>().join(" "));
    for path in ["/refused", "/garbage"] {
        let Err(Error::Api(status)) = client.request_text(get(path)).await else { panic!("{path}") };
        let Status { code, reason, .. } = *status;
        println!("{code} {reason}");
    }
    println!("{}", client.apiserver_version().await.unwrap().git_version);
    println!("{} {}", Body::empty().try_clone().is_some(), matches!(client.request::<ConfigMap>(get("/text")).await, Err(Error::SerdeError(_))));
}

/// A policy around a service that answers in the third try.
async fn retries() {
    println!("{}", RetryPolicy::new(Duration::from_secs(2), Duration::from_secs(1), 3, true).is_err());
    let _ = (RetryPolicy::default(), RetryPolicy::server_retry());
    let policy = RetryPolicy::new(Duration::from_millis(1), Duration::from_millis(2), 5, false).unwrap();
    let tries = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = tries.clone();
    let service = tower::retry::RetryLayer::new(policy).layer(tower::service_fn(move |_: Request<Body>| {
        let number = counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        async move {
            let code = if number < 2 { 429 } else { 200 };
            Ok::<_, BoxError>(Response::builder().status(code).body(Full::new(Bytes::from("done")))?)
        }
    }));
    let client = Client::new(service, "here").with_valid_until(None);
    println!("{} {:?}", client.request_text(get("/x")).await.unwrap(), tries);
}
