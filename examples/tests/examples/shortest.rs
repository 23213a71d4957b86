//! `shortest`: the shortest complete operator, run against the embedded server.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{Api, PostParams};
use kube::testing::{Server, ServerExt};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::time::timeout;

const SOURCE: &str = include_str!("../../src/bin/shortest.rs");
const PAGE: &str = include_str!("../../../docs/production.md");

#[test]
fn it_is_under_forty_lines_and_in_the_documents_as_it_is() {
    assert!(SOURCE.lines().count() < 40, "{} lines", SOURCE.lines().count());
    assert!(PAGE.contains(SOURCE), "docs/production.md shows another program than examples/src/bin/shortest.rs");
}

#[tokio::test]
async fn it_reconciles_answers_probes_counts_and_stops_cleanly() {
    let server = Server::new();
    let serving = server.serve(([127, 0, 0, 1], 0).into()).await.unwrap();
    let kubeconfig = std::env::temp_dir().join(format!("pintle-shortest-{}", std::process::id()));
    serving.write_kubeconfig(&kubeconfig).unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let mut map = ConfigMap::default();
    map.metadata.name = Some("a".to_owned());
    maps.create(&PostParams::default(), &map).await.unwrap();

    let mut operator = Command::new(env!("CARGO_BIN_EXE_shortest"))
        .env("KUBECONFIG", &kubeconfig)
        .env("LISTEN", "127.0.0.1:0")
        .env("NO_COLOR", "1")
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut log = BufReader::new(operator.stderr.take().unwrap()).lines();
    let (mut probes, mut metrics, mut webhooks) = (None, None, None);
    while probes.is_none() || metrics.is_none() || webhooks.is_none() {
        let line = timeout(Duration::from_secs(60), log.next_line()).await.unwrap().unwrap().unwrap();
        probes = probes.or(address(&line, "probes are answered at http://"));
        metrics = metrics.or(address(&line, "metrics are at http://"));
        webhooks = webhooks.or(address(&line, "webhooks are at https://"));
    }
    tokio::spawn(async move { while let Ok(Some(_)) = log.next_line().await {} });

    let is_seen = async || maps.get("a").await.unwrap().labels().get("seen").is_some_and(|seen| seen == "yes");
    until("it has labelled the map", is_seen).await;
    until("it is ready", async || get(probes.unwrap(), "/readyz").await.starts_with("HTTP/1.1 200")).await;
    let counted = get(metrics.unwrap(), "/metrics").await;
    for controller in ["configmap", "secret"] {
        let line = format!("controller_runtime_active_workers{{controller=\"{controller}\"}}");
        assert!(counted.contains(&line), "{counted}");
    }
    let leases: Api<Lease> = Api::default_namespaced(server.client());
    assert!(leases.get("shortest").await.unwrap().spec.unwrap().holder_identity.is_some());

    let pid = operator.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().await.unwrap().success());
    let status = timeout(Duration::from_secs(30), operator.wait()).await.unwrap().unwrap();
    assert!(status.success(), "{status}");
    assert_eq!(leases.get("shortest").await.unwrap().spec.unwrap().holder_identity, None, "the lease is released");
    std::fs::remove_file(kubeconfig).unwrap();
}

fn address(line: &str, after: &str) -> Option<SocketAddr> {
    line.split_once(after)?.1.trim().parse().ok()
}

async fn get(address: SocketAddr, path: &str) -> String {
    let mut socket = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    answer
}

async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    assert!(timeout(Duration::from_secs(60), waiting).await.is_ok(), "never came true: {what}");
}
