//! Where objects are looked for: entries, kinds of either scope, scopes and references, connections to pods.

use bytes::Bytes;
use futures::{AsyncBufReadExt, SinkExt, TryStreamExt};
use http::{Request, Response};
use http_body_util::Full;
use k8s_openapi::api::core::v1::{ConfigMap, LocalObjectReference, Node, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::entry::{CommitError, CommitValidationError, Entry};
use kube::api::{
    Api, ApiResource, AttachParams, AttachedProcess, DynamicObject, ListParams, LogParams, Portforwarder, PostParams, TerminalSize,
};
use kube::client::scope::{Cluster, Namespace, NamespacedRef};
use kube::client::{Body, UpgradeConnectionError};
use kube::core::Request as Builder;
use kube::core::kubelet_debug::KubeletDebugParams;
use kube::discovery::Scope;
use kube::{Client, Error, Resource, ResourceExt};

/// Prints each request; `missing` does not exist, and nothing can be connected to.
fn client() -> Client {
    Client::new(tower::service_fn(|request: Request<Body>| async move {
        let (head, body) = request.into_parts();
        let body = body.collect_bytes().await?;
        println!("{} {} {}", head.method, head.uri, String::from_utf8_lossy(&body));
        for name in ["connection", "upgrade", "sec-websocket-version", "sec-websocket-protocol"] {
            if let Some(value) = head.headers.get(name) {
                println!("    {name}: {}", value.to_str()?);
            }
        }
        let path = head.uri.path();
        let (code, answer) = if path.ends_with("/missing") || path.ends_with("/portforward") {
            (404, r#"{"kind":"Status","status":"Failure","message":"none","reason":"NotFound","code":404}"#)
        } else if path.ends_with("/log") || path.starts_with("/containerLogs") {
            (200, "one\ntwo\n")
        } else {
            (200, r#"{"metadata":{"name":"a","namespace":"there"},"items":[]}"#)
        };
        Ok::<_, tower::BoxError>(Response::builder().status(code).body(Full::new(Bytes::from(answer)))?)
    }), "here")
}

pub async fn print() {
    let client = client();
    scopes(&client);
    entries(&Api::namespaced(client.clone(), "there")).await;
    references(&client).await;
    connections(&client).await;
}

fn scopes(client: &Client) {
    let show = |api: Api<DynamicObject>| println!("{} {:?}", api.resource_url(), api.namespace());
    let pods = ApiResource::erase::<Pod>(&());
    for scope in [Scope::Cluster, Scope::Namespaced] {
        let api = || Api::<DynamicObject>::dynamic(client.clone(), &pods, &scope);
        show(api());
        show(api().constrain("x"));
        show(api().constrain("x").unconstrain());
        show(api().constrain("x").constrain(""));
        show(api().constrain_default());
    }
    show(Api::all_with(client.clone(), &pods).constrain("x"));
    println!("{}", Api::<Pod>::namespaced(client.clone(), "x").unconstrain().resource_url());
}

async fn entries(maps: &Api<ConfigMap>) {
    let params = PostParams::default();
    let change = |map: &mut ConfigMap| drop(map.labels_mut().insert("k".into(), "v".into()));
    let mut entry = maps.entry("a").await.unwrap().and_modify(change).or_insert(ConfigMap::default);
    println!("{:?} {:?}", entry.commit(&params).await.is_ok(), entry.commit(&params).await.is_ok());
    let vacant = maps.entry("missing").await.unwrap();
    println!("{} {}", matches!(vacant, Entry::Vacant(_)), vacant.get().is_none());
    let mut entry = vacant.or_insert(ConfigMap::default);
    println!("{:?}", entry.get().metadata);
    println!("{:?}", entry.commit(&PostParams { dry_run: true, ..params.clone() }).await.is_ok());
    for (name, namespace, prefix) in [(Some("b"), None, None), (None, Some("x"), None), (None, None, Some("g-"))] {
        let mut entry = maps.entry("missing").await.unwrap().or_insert(ConfigMap::default);
        let meta = entry.get_mut().meta_mut();
        (meta.name, meta.namespace, meta.generate_name) = (name.map(Into::into), namespace.map(Into::into), prefix.map(Into::into));
        println!("{:?}", match entry.commit(&params).await {
            Err(CommitError::Validate(CommitValidationError::NameMismatch { object_name, expected })) => (Some(object_name), Some(expected)),
            Err(CommitError::Validate(CommitValidationError::NamespaceMismatch { object_namespace, expected })) => (object_namespace, expected),
            Err(CommitError::Validate(CommitValidationError::GenerateName { object_generate_name })) => (Some(object_generate_name), None),
            Err(CommitError::Save(_)) | Ok(()) => (None, None),
        });
        entry.into_object();
    }
}

async fn references(client: &Client) {
    client.get::<Pod>("a", &Namespace::from("x")).await.unwrap();
    client.get::<Node>("a", &Cluster).await.unwrap();
    client.list::<Pod>(&ListParams::default().limit(2), &Cluster).await.unwrap();
    client.list::<Pod>(&ListParams::default(), &Namespace::from("x".to_string())).await.unwrap();
    let mut pod = Pod::default();
    (pod.metadata.name, pod.metadata.namespace) = (Some("p".into()), Some("x".into()));
    client.fetch::<Pod>(&pod.object_ref(&())).await.unwrap();
    pod.metadata.name = None;
    println!("{}", matches!(client.fetch::<Pod>(&pod.object_ref(&())).await, Err(Error::RefResolve(_))));
    let local = LocalObjectReference { name: "l".into() };
    client.fetch::<ConfigMap>(&NamespacedRef::<ConfigMap>::within(&local, "x".to_string())).await.unwrap();
    let owner = OwnerReference { api_version: "v1".into(), kind: "Node".into(), name: "o".into(), ..Default::default() };
    client.fetch::<Node>(&owner).await.unwrap();
}

async fn connections(client: &Client) {
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let lines: Vec<String> = pods.log_stream("a", &LogParams::default()).await.unwrap().lines().try_collect().await.unwrap();
    println!("{lines:?}");
    let params = AttachParams::default();
    for refused in [
        pods.exec("a", ["sh", "-c", "echo a&b"], &params).await.map(|_| ()),
        pods.attach("a", &AttachParams::interactive_tty()).await.map(|_| ()),
        pods.portforward("a", &[80, 443]).await.map(|_| ()),
        client.connect(Builder::new("/api/v1/namespaces/x/pods").attach("a", &params).unwrap()).await.map(|_| ()),
    ] {
        println!("{}", match refused {
            Err(Error::UpgradeConnection(UpgradeConnectionError::ProtocolSwitch(code))) => format!("no switch but {code}"),
            Err(Error::Api(status)) => format!("{} {}", status.code, status.reason),
            _ => "something else".into(),
        });
    }
    let pod = KubeletDebugParams { name: "p", namespace: "x", pod_uid: Some("u") };
    for request in [
        Builder::kubelet_node_attach(&pod, "c", &params),
        Builder::kubelet_node_exec(&pod, "c", ["ls", "a b"], &AttachParams::interactive_tty()),
        Builder::kubelet_node_portforward(&pod, &[1, 2]),
        Builder::kubelet_node_logs(&pod, "c", &LogParams { tail_lines: Some(3), ..Default::default() }),
    ] {
        println!("{}", request.unwrap().uri());
    }
    println!("{}", client.kubelet_node_exec(&pod, "c", ["ls"], &params).await.is_err());
    let logs = client.kubelet_node_logs(&pod, "c", &LogParams::default()).await.unwrap();
    println!("{:?}", logs.lines().try_collect::<Vec<_>>().await.unwrap());
    println!("{}", serde_json::to_string(&TerminalSize { width: 80, height: 24 }).unwrap());
}

/// Needs only compile: there is nothing here to connect to.
pub async fn terminal(mut process: AttachedProcess, mut forwarder: Portforwarder) -> Result<(), Box<dyn std::error::Error>> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stdin = process.stdin().ok_or("none")?;
    stdin.write_all(b"ls\n").await?;
    stdin.shutdown().await?;
    let mut text = String::new();
    process.stdout().ok_or("none")?.read_to_string(&mut text).await?;
    process.stderr().ok_or("none")?.read_to_string(&mut text).await?;
    process.terminal_size().ok_or("none")?.send(TerminalSize { width: 80, height: 24 }).await?;
    let status = process.take_status().ok_or("none")?.await;
    println!("{:?}", status.and_then(|status| status.status));
    process.abort();
    process.join().await?;
    let mut stream = forwarder.take_stream(80).ok_or("none")?;
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").await?;
    println!("{:?}", forwarder.take_error(80).ok_or("none")?.await);
    forwarder.abort();
    Ok(forwarder.join().await?)
}
