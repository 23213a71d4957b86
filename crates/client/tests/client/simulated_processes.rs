//! Commands in the simulated pods of the embedded server and their ports, reached by the client over TLS.

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
        "metadata": {"name": "web", "annotations": {
            "pintle.dev/exec": exec,
            "pintle.dev/logs": "started",
            "pintle.dev/port-forward": "[{port: 80, http: hello}, {port: 6379, send: \"+PONG\\r\\n\"}, {port: 7, echo: true}]",
        }},
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

#[tokio::test]
async fn the_ports_of_a_simulated_pod_answer_as_they_are_told() {
    let (_serving, pods) = pods().await;
    let mut ports = pods.portforward("web", &[80, 6379, 7]).await.unwrap();
    let mut http = ports.take_stream(80).unwrap();
    http.write_all(b"GET / HTTP/1.1\r\nHost: web\r\n\r\n").await.unwrap();
    let mut answer = vec![0; "HTTP/1.1 200 OK".len()];
    http.read_exact(&mut answer).await.unwrap();
    assert_eq!(answer, b"HTTP/1.1 200 OK");
    let mut pong = [0; 7];
    ports.take_stream(6379).unwrap().read_exact(&mut pong).await.unwrap();
    assert_eq!(&pong, b"+PONG\r\n");
    let mut echo = ports.take_stream(7).unwrap();
    let much = "0123456789".repeat(20_000);
    let mut back = vec![0; much.len()];
    let (mut reader, mut writer) = tokio::io::split(&mut echo);
    let (wrote, read) = tokio::join!(writer.write_all(much.as_bytes()), reader.read_exact(&mut back));
    wrote.unwrap();
    read.unwrap();
    assert!(back == much.as_bytes());

    let mut ports = pods.portforward("web", &[9]).await.unwrap();
    let why = ports.take_error(9).unwrap().await.unwrap();
    assert!(why.contains("kubectl annotate pod web pintle.dev/port-forward='[{port: 9, http: ...}]'"), "{why}");
}

/// As kubectl does it: a connection in SPDY through the messages of a WebSocket, or on the socket itself; the scripts of
/// `conformance/simulated` ask kubectl itself.
#[tokio::test]
async fn who_offers_nothing_that_ports_are_forwarded_over_is_told_what_to_offer() {
    let (_serving, pods) = pods().await;
    let request =
        http::Request::get("/api/v1/namespaces/default/pods/web/portforward?ports=80").body(Vec::new()).unwrap();
    let error = pods.clone().into_client().request_text(request).await.unwrap_err();
    assert!(matches!(&error, Error::Api(status) if status.message == "Upgrade request required"), "{error}");
}
