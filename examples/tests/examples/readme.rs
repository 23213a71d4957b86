//! The lines of `examples/deploy/README.md`, run as they stand there.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DynamicObject, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, Config};
use serde_json::json;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::deploy::{GREETER, deploy, stop, until};

/// `cargo xtask kube test operator` runs it. Cargo itself is left out: it would build everything once more.
#[tokio::test]
#[ignore = "needs the program `pintle`, in PINTLE_CLI"]
async fn the_lines_of_the_readme_run_the_operator_on_pintle_dev() {
    let cli = std::env::var("PINTLE_CLI").expect("PINTLE_CLI names the program `pintle`");
    let readme = fs::read_to_string(deploy().join("README.md")).unwrap();
    let server = readme.split('`').find(|text| text.starts_with("cargo run -- dev ")).expect("it starts the server");
    let operator =
        readme.lines().find_map(|line| line.strip_prefix("$ ").filter(|line| line.contains("--bin greeter")));
    let operator = operator.expect("it starts the operator");
    let folder = Folder::new();

    let mut server = folder.run(&server.replacen("cargo run --", &cli, 1));
    let kubeconfig = folder.0.join("dev.yaml");
    let worked = async {
        until(async || kubeconfig.exists()).await;
        let mut operator = folder.run(&operator.replacen("cargo run -p examples --bin greeter --", GREETER, 1));
        greet(&kubeconfig).await;
        stop(&mut operator).await;
    };
    timeout(Duration::from_secs(60), worked).await.expect("it greets within a minute");
    stop(&mut server).await;
}

/// Waits until somebody is greeted.
async fn greet(kubeconfig: &std::path::Path) {
    let read = Kubeconfig::read_from(kubeconfig).unwrap();
    let config = Config::from_custom_kubeconfig(read, &KubeConfigOptions::default()).await.unwrap();
    let client = Client::try_from(config).unwrap();
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Greeting"));
    let greetings: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource);
    let greeting = DynamicObject::new("a", &resource).data(json!({"spec": {"name": "world"}}));
    // Until the operator has installed its definition, there is nothing to create.
    until(async || greetings.create(&PostParams::default(), &greeting).await.is_ok()).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    until(async || {
        let map = maps.get_opt("a-greeting").await.unwrap();
        map.and_then(|map| map.data).is_some_and(|data| data["greeting"] == "Hello, world!")
    })
    .await;
}

/// A folder of this test, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("pintle-readme-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Runs a line of a shell here, with free ports for the operator. The shell becomes the program.
    fn run(&self, line: &str) -> Child {
        let (variables, program) = match line.split_once(' ') {
            Some((variable, rest)) if variable.contains('=') => (format!("export {variable}; "), rest),
            _ => (String::new(), line),
        };
        Command::new("sh")
            .args(["-c", &format!("{variables}exec {program}")])
            .current_dir(&self.0)
            .envs(["HEALTH", "METRICS", "WEBHOOKS"].map(|name| (format!("GREETER_{name}"), "127.0.0.1:0")))
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap_or_default();
    }
}
