//! `pintle watch`, against a server of this process over a socket.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use pintle_apiserver::{Fault, Requests, Server, Serving};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::time::timeout;

use crate::process::{Folder, Process, client};

/// A server, and the kubeconfig that leads to it.
struct World {
    server: Server,
    serving: Serving,
    folder: Folder,
}

impl World {
    async fn new(server: Server) -> Self {
        let serving = server.serve(([127, 0, 0, 1], 0).into()).await.expect("a free port");
        let folder = Folder::new();
        serving.write_kubeconfig(folder.kubeconfig()).expect("the folder is new");
        Self { server, serving, folder }
    }

    fn watch(&self, args: &[&str]) -> Process {
        let kubeconfig = self.folder.kubeconfig();
        let kubeconfig = kubeconfig.to_str().expect("a plain path");
        Process::start(["watch", "--kubeconfig", kubeconfig].into_iter().chain(args.iter().copied()))
    }

    async fn maps(&self) -> Api<ConfigMap> {
        Api::default_namespaced(client(&self.folder.kubeconfig()).await)
    }
}

async fn create(maps: &Api<ConfigMap>, name: &str, label: &str) {
    let labels = BTreeMap::from([("app".to_owned(), label.to_owned())]);
    let metadata = ObjectMeta { name: Some(name.to_owned()), labels: Some(labels), ..ObjectMeta::default() };
    let data = Some(BTreeMap::from([("key".to_owned(), "not-to-be-shown".to_owned())]));
    let map = ConfigMap { metadata, data, ..ConfigMap::default() };
    maps.create(&PostParams::default(), &map).await.expect("it is new");
}

#[tokio::test]
async fn a_cut_watch_is_resumed_and_an_expired_one_listed_anew_and_both_are_shown() {
    let world = World::new(Server::new()).await;
    let maps = world.maps().await;
    create(&maps, "a", "web").await;
    let mut watch = world.watch(&["cm", "--field-selector", "metadata.name!=kube-root-ca.crt"]);
    let line = watch.line_with("EXISTS").await;
    assert!(line.contains("default/a version ") && !line.contains("not-to-be-shown"), "{line}");
    assert!(watch.line_with("SYNCED").await.contains("1 object at version "));

    create(&maps, "b", "web").await;
    let line = watch.line_with("ADDED").await;
    assert!(line.contains("default/b") && line.ends_with(" s old"), "{line}");
    let labelled = Patch::Merge(json!({"metadata": {"labels": {"x": "y"}}}));
    maps.patch("b", &PatchParams::default(), &labelled).await.expect("it is there");
    assert!(watch.line_with("MODIFIED").await.contains("default/b"));
    maps.delete("b", &DeleteParams::default()).await.expect("it is there");
    assert!(watch.line_with("DELETED").await.contains("default/b"));

    let watches = Requests::watches().of("configmaps");
    assert_eq!(world.server.cut_watches(&watches), 1);
    let line = watch.line_with("RESUMED").await;
    assert!(line.contains("watch 2 goes on from version "), "{line}");
    create(&maps, "c", "web").await;
    assert!(watch.line_with("ADDED").await.contains("default/c"));

    // Two changes while it cannot watch, both forgotten before it can.
    let down = world.server.fault(watches.clone(), Fault::unavailable(None));
    assert_eq!(world.server.cut_watches(&watches), 1);
    assert!(watch.line_with("FAILED").await.contains("trying again"));
    create(&maps, "d", "web").await;
    maps.delete("a", &DeleteParams::default()).await.expect("it is there");
    world.server.expire_history();
    down.lift();
    assert!(watch.line_with("EXPIRED").await.contains("too old resource version"));
    assert!(watch.line_with("LISTING").await.contains("again: list 2"));
    let line = watch.line_with("ADDED").await;
    assert!(line.contains("default/d") && line.contains("missed by the watch"), "{line}");
    let line = watch.line_with("DELETED").await;
    assert!(line.contains("default/a") && line.contains("missed by the watch"), "{line}");
    assert!(watch.line_with("SYNCED").await.contains("2 objects"));

    watch.interrupt().await;
    let line = watch.line_with("SUMMARY").await;
    assert!(line.contains("2 objects") && line.contains("added 3, modified 1, deleted 2"), "{line}");
    assert!(line.contains("lists 2, expired 1") && line.contains("s old when seen"), "{line}");
    assert_eq!(watch.end().await.code, Some(0));
}

#[tokio::test]
async fn json_has_one_object_on_each_line_with_type_versions_and_times() {
    let world = World::new(Server::new()).await;
    let maps = world.maps().await;
    create(&maps, "a", "web").await;
    create(&maps, "other", "db").await;
    let mut watch = world.watch(&["configmaps", "-A", "-l", "app=web", "--metadata", "-o", "json"]);
    let mut next = async |kind: &str| -> Value {
        let line = watch.line_with(&format!("\"{kind}\"")).await;
        let value: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(value["type"] == kind && value["time"].as_str().is_some_and(|time| time.ends_with('Z')), "{line}");
        value
    };
    let exists = next("EXISTS").await;
    assert_eq!((&exists["name"], &exists["namespace"]), (&json!("a"), &json!("default")));
    assert!(exists["resourceVersion"].is_string() && exists["uid"].is_string() && exists["changedAt"].is_string());
    let synced = next("SYNCED").await;
    assert_eq!(synced["objects"], 1, "the other label is not selected");
    create(&maps, "b", "web").await;
    let added = next("ADDED").await;
    assert!(added["source"] == "watch" && added["latencySeconds"].as_f64().is_some_and(|age| age < 60.0), "{added}");
    watch.interrupt().await;
    let line = watch.line_with("SUMMARY").await;
    let summary: Value = serde_json::from_str(&line).expect("it is JSON");
    assert_eq!((&summary["objects"], &summary["added"], &summary["watches"]), (&json!(2), &json!(1), &json!(1)));
    assert_eq!(watch.end().await.code, Some(0));
}

#[tokio::test]
async fn a_kind_has_the_names_that_kubectl_takes() {
    let world = World::new(Server::new()).await;
    for kind in ["Deployment", "DEPLOY", "deployments.apps", "deployment.v1.apps", "ns", "configmaps.v1"] {
        let mut watch = world.watch(&[kind]);
        watch.line_with("SYNCED").await;
        watch.interrupt().await;
        assert_eq!(watch.end().await.code, Some(0), "{kind}");
    }
}

#[tokio::test]
async fn what_cannot_be_watched_is_said_with_its_remedy() {
    let world = World::new(Server::builder().rbac().build()).await;
    for (args, code, expected) in [
        (&["deploymnets"][..], 1, "did you mean deployments.apps?"),
        (&["certificates.cert-manager.io"], 1, "kubectl api-resources lists them"),
        (&["tokenreviews"], 1, "tokenreviews cannot be watched"),
        (&["pods", "-l", "a in ("], 1, "the watch is refused"),
        (&["pods", "--context", "nowhere"], 1, "nowhere"),
        (&["pods", "-n", "a", "-A"], 2, "cannot be used with"),
        (&["pods", "-o", "yaml"], 2, "possible values: lines, json"),
        (&[], 2, "<KIND>"),
    ] {
        let ended = world.watch(args).end().await;
        assert!(ended.code == Some(code) && ended.errors.contains(expected), "{args:?}: {ended:?}");
    }
    let jane = world.folder.kubeconfig().with_file_name("jane");
    std::fs::write(&jane, world.serving.kubeconfig_with(&world.serving.token_for("jane", &[]))).expect("it is written");
    let ended = Process::start(["watch", "pods", "--kubeconfig", jane.to_str().expect("a plain path")]).end().await;
    assert!(ended.code == Some(1) && ended.errors.contains("User \"jane\" cannot "), "{ended:?}");
}

#[tokio::test]
async fn it_ends_when_nobody_reads_any_more() {
    let world = World::new(Server::new()).await;
    let mut watch = Command::new(env!("CARGO_BIN_EXE_pintle"))
        .args(["watch", "configmaps", "--kubeconfig", world.folder.kubeconfig().to_str().expect("a plain path")])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the binary was built with this test");
    let mut lines = BufReader::new(watch.stdout.take().expect("it is piped")).lines();
    while !lines.next_line().await.expect("it can be read").expect("it goes on").contains("SYNCED") {}
    drop(lines);
    create(&world.maps().await, "a", "web").await;
    let ended = timeout(Duration::from_secs(60), watch.wait()).await.expect("it ends").expect("it can be waited for");
    assert_eq!(ended.code(), Some(0));
}

#[tokio::test]
async fn it_can_be_stopped_while_the_server_does_not_answer() {
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = silent.local_addr().expect("it listens");
    let folder = Folder::new();
    let kubeconfig = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": format!("http://{address}")}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": {}}],
    });
    std::fs::write(folder.kubeconfig(), kubeconfig.to_string()).expect("the folder is new");
    let path = folder.kubeconfig();
    let mut watch = Process::start(["watch", "pods", "--kubeconfig", path.to_str().expect("a plain path")]);
    let _connection = timeout(Duration::from_secs(60), silent.accept()).await.expect("it connects");
    watch.interrupt().await;
    assert_eq!(watch.end().await.code, Some(0));
}
