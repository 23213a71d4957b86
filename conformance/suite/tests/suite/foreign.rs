//! Programs that are not ours live on the embedded server: a client-go informer, and a controller of kube 5.
//!
//! They are built by `cargo xtask kube test`, which names them in `PINTLE_FOREIGN`, separated by colons. Each prints what it
//! sees on its standard output (see `conformance/kube/cmd/informer` and `conformance/dropin/mirror`). The webhooks of
//! controller-runtime (`conformance/controller-runtime`), in `PINTLE_WEBHOOKS`, check by themselves what becomes of them.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use pintle::ResourceExt;
use pintle::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use pintle::testing::{Requests, Server, ServerExt};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs programs that `cargo xtask kube test` builds"]
async fn they_sync_see_every_change_and_survive_cut_watches_and_lost_history() {
    let programs = std::env::var("PINTLE_FOREIGN").expect("PINTLE_FOREIGN names the programs, separated by colons");
    for program in programs.split(':') {
        lives(Path::new(program)).await;
        println!("{program} lives on the embedded server");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a program that `cargo xtask kube test` builds"]
async fn webhooks_of_controller_runtime_are_asked() {
    let program = std::env::var("PINTLE_WEBHOOKS").expect("PINTLE_WEBHOOKS names the program");
    let server = Server::new();
    let serving = server.serve(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.expect("a port is free");
    let kubeconfig = std::env::temp_dir().join(format!("pintle-webhooks-{}", std::process::id()));
    std::fs::write(&kubeconfig, serving.kubeconfig()).expect("the kubeconfig can be written");
    let ended = Command::new(&program).env("KUBECONFIG", &kubeconfig).status().await.expect("the program runs");
    assert!(ended.success(), "{program} ended with {ended}; its own words are above");
    std::fs::remove_file(&kubeconfig).expect("it was written");
    serving.shutdown().await;
}

async fn lives(program: &Path) {
    let server = Server::new();
    let serving = server.serve(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.expect("a port is free");
    let kubeconfig = std::env::temp_dir().join(format!("pintle-foreign-{}", std::process::id()));
    std::fs::write(&kubeconfig, serving.kubeconfig()).expect("the kubeconfig can be written");
    let config_maps: Api<ConfigMap> = Api::namespaced(server.client(), "default");
    for n in 0..20 {
        create(&config_maps, n).await;
    }
    let seen = Seen::of(program, &kubeconfig);
    seen.equals(&config_maps, "the first list").await;
    change(&config_maps, 0..10, "1").await;
    seen.equals(&config_maps, "changes and deletes").await;
    assert!(server.cut_watches(&Requests::watches().of("configmaps")) > 0, "it watches");
    change(&config_maps, 10..16, "2").await;
    seen.equals(&config_maps, "what happened while a watch was cut").await;
    server.break_watches(&Requests::watches().of("configmaps"));
    change(&config_maps, 16..18, "3").await;
    server.expire_history();
    create(&config_maps, 100).await;
    seen.equals(&config_maps, "what happened while history was lost").await;
    drop(seen);
    std::fs::remove_file(&kubeconfig).expect("it was written");
    serving.shutdown().await;
}

async fn create(config_maps: &Api<ConfigMap>, n: u32) {
    let object = json!({"metadata": {"name": format!("m{n:03}")}, "data": {"k": "0"}});
    let object = serde_json::from_value(object).expect("it is a config map");
    config_maps.create(&PostParams::default(), &object).await.expect("it is new");
}

/// Writes `value` to those with even numbers and deletes the others.
async fn change(config_maps: &Api<ConfigMap>, numbers: std::ops::Range<u32>, value: &str) {
    for n in numbers {
        let name = format!("m{n:03}");
        if n % 2 == 0 {
            let patch = Patch::Merge(json!({"data": {"k": value}}));
            config_maps.patch(&name, &PatchParams::default(), &patch).await.expect("it is there");
        } else {
            config_maps.delete(&name, &DeleteParams::default()).await.expect("it is there");
        }
    }
}

/// What a running program has printed so far: the value of each name.
struct Seen {
    program: PathBuf,
    values: Arc<Mutex<BTreeMap<String, String>>>,
    _child: Child,
}

impl Seen {
    fn of(program: &Path, kubeconfig: &Path) -> Self {
        let mut child = Command::new(program)
            .arg("default")
            .env("KUBECONFIG", kubeconfig)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("cannot run {}: {error}", program.display()));
        let values = Arc::new(Mutex::new(BTreeMap::new()));
        let mut lines = BufReader::new(child.stdout.take().expect("its output is a pipe")).lines();
        let printed = values.clone();
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                let mut words = line.split(' ').map(str::to_owned);
                let mut printed = printed.lock().expect("nothing panics while holding it");
                match (words.next().as_deref(), words.next(), words.next()) {
                    (Some("set"), Some(name), value) => drop(printed.insert(name, value.unwrap_or_default())),
                    (Some("gone"), Some(name), _) => drop(printed.remove(&name)),
                    _ => {}
                }
            }
        });
        Self { program: program.to_owned(), values, _child: child }
    }

    /// Waits until what was printed is what the server has; a controller has written it back as well.
    async fn equals(&self, config_maps: &Api<ConfigMap>, what: &str) {
        let controls = self.program.to_string_lossy().contains("mirror");
        for _ in 0..600 {
            let list = config_maps.list(&ListParams::default()).await.expect("the server lists");
            let data = |object: &ConfigMap, key| object.data.as_ref().and_then(|data| data.get(key)).cloned();
            let there: BTreeMap<String, String> =
                list.iter().map(|object| (object.name_any(), data(object, "k").unwrap_or_default())).collect();
            let written = list.iter().all(|object| data(object, "k") == data(object, "seen"));
            if *self.values.lock().expect("nothing panics while holding it") == there && (written || !controls) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{} never saw {what}: {:?}", self.program.display(), self.values.lock());
    }
}
