//! Commands in the simulated pods of the embedded server, run by the client over TLS.

use k8s_openapi::api::core::v1::Pod;
use pintle_apiserver::{Controllers, Server, Serving};
use pintle_client::api::{Api, AttachParams, PostParams};
use pintle_client::config::{Config, KubeConfigOptions, Kubeconfig};
use pintle_client::{Client, Error};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A server with the pod `web`.
async fn pods() -> (Serving, Api<Pod>) {
    let server = Server::builder().controllers(Controllers::all()).build();
    let serving = server.serve("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let file = Kubeconfig::from_yaml(&serving.kubeconfig()).unwrap();
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.unwrap();
    let pods = Api::namespaced(Client::try_from(config).unwrap(), "default");
    let exec = "[{command: date, stdout: today}, {command: false, stderr: never, exit: 1}, {command: cat, echo: true}]";
    let pod = json!({
        "metadata": {"name": "web", "annotations": {"pintle.dev/exec": exec, "pintle.dev/logs": "started"}},
        "spec": {"containers": [{"name": "main", "image": "any"}]},
    });
    pods.create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
    (serving, pods)
}

async fn read(mut stream: impl tokio::io::AsyncRead + Unpin) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn a_command_in_a_simulated_pod_prints_and_ends_as_it_is_told() {
    let (_serving, pods) = pods().await;
    let mut process = pods.exec("web", ["date"], &AttachParams::default()).await.unwrap();
    let (status, stdout) = (process.take_status().unwrap(), process.stdout().unwrap());
    assert_eq!(read(stdout).await, "today\n");
    assert_eq!(status.await.unwrap().status.as_deref(), Some("Success"));
    process.join().await.unwrap();

    let mut process = pods.exec("web", ["false"], &AttachParams::default()).await.unwrap();
    let (status, stderr) = (process.take_status().unwrap(), process.stderr().unwrap());
    assert_eq!(read(stderr).await, "never\n");
    assert_eq!(status.await.unwrap().reason.as_deref(), Some("NonZeroExitCode"));

    let mut process = pods.attach("web", &AttachParams::default()).await.unwrap();
    assert_eq!(read(process.stdout().unwrap()).await, "started\n");
}

#[tokio::test]
async fn what_is_written_to_a_simulated_process_comes_back_until_it_ends() {
    let (_serving, pods) = pods().await;
    let streams = AttachParams::default().stdin(true).stderr(false);
    let mut process = pods.exec("web", ["cat"], &streams).await.unwrap();
    let (mut stdin, stdout) = (process.stdin().unwrap(), process.stdout().unwrap());
    let much = "0123456789".repeat(20_000);
    let write = async {
        stdin.write_all(much.as_bytes()).await.unwrap();
        stdin.shutdown().await.unwrap();
        drop(stdin);
    };
    let ((), text) = tokio::join!(write, read(stdout));
    assert!(text == much, "{} bytes of {} came back", text.len(), much.len());
    process.join().await.unwrap();
}

#[tokio::test]
async fn a_pod_that_is_not_there_has_no_commands() {
    let (_serving, pods) = pods().await;
    let error = pods.exec("none", ["date"], &AttachParams::default()).await.unwrap_err();
    assert!(matches!(&error, Error::Api(status) if status.code == 404), "{error}");
}
