//! Processes in pods, over a socket: output, input, status, terminals, and all the ways it can end.

use std::sync::Arc;
use std::time::Duration;

use futures::{SinkExt, TryStreamExt};
use k8s_openapi::api::core::v1::Pod;
use pintle_client::api::{Api, AttachParams, AttachedProcess, LogParams, TerminalSize};
use pintle_client::client::UpgradeConnectionError;
use pintle_client::core::kubelet_debug::KubeletDebugParams;
use pintle_client::{Client, Config, Error};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::kubelet::{Kubelet, LOG};
use crate::served::{Tls, authority};

async fn kubelet() -> (Kubelet, Client) {
    let kubelet = Kubelet::start("127.0.0.1:0").await;
    let url = format!("http://{}", kubelet.address).parse().unwrap();
    (kubelet, Client::try_from(Config::new(url)).unwrap())
}

async fn pods() -> (Kubelet, Api<Pod>) {
    let (kubelet, client) = kubelet().await;
    (kubelet, Api::namespaced(client, "ns"))
}

async fn read(mut stream: impl tokio::io::AsyncRead + Unpin) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

/// Waits until the server has noted an end.
async fn ended(kubelet: &Kubelet) -> Vec<String> {
    let noted = async {
        while kubelet.ended().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), noted).await.expect("the server never saw the end");
    kubelet.ended()
}

#[tokio::test]
async fn a_command_runs_and_reports_how_it_ended() {
    let (_kubelet, pods) = pods().await;
    for pod in ["new", "old"] {
        let mut process = pods.exec(pod, ["echo", "hello", "world"], &AttachParams::default()).await.unwrap();
        let status = process.take_status().unwrap();
        assert!(process.take_status().is_none() && process.stdin().is_none(), "once, and only what was asked for");
        assert_eq!(read(process.stdout().unwrap()).await, "hello world");
        assert_eq!(read(process.stderr().unwrap()).await, "");
        assert_eq!(status.await.unwrap().status.as_deref(), Some("Success"));
        process.join().await.unwrap();
    }
}

#[tokio::test]
async fn a_command_that_fails_reports_its_code() {
    let (_kubelet, pods) = pods().await;
    let mut process = pods.exec("new", vec!["fail", "3"], &AttachParams::default()).await.unwrap();
    let (status, errors) = (process.take_status().unwrap(), process.stderr().unwrap());
    assert_eq!(read(errors).await, "it does not work");
    let status = status.await.unwrap();
    assert_eq!(status.reason.as_deref(), Some("NonZeroExitCode"));
    assert_eq!(status.details.unwrap().causes.unwrap()[0].message.as_deref(), Some("3"));
    process.join().await.unwrap();
}

#[tokio::test]
async fn input_is_carried_and_so_is_its_end() {
    let (_kubelet, pods) = pods().await;
    let params = AttachParams::default().stdin(true).stderr(false);
    let text = "a line\n".repeat(20_000);
    for mut process in [pods.exec("new", ["cat"], &params).await.unwrap(), pods.attach("new", &params).await.unwrap()] {
        let (mut stdin, stdout) = (process.stdin().unwrap(), process.stdout().unwrap());
        let status = process.take_status().unwrap();
        let write = async {
            stdin.write_all(text.as_bytes()).await.unwrap();
            stdin.shutdown().await.unwrap();
        };
        let ((), output) = tokio::join!(write, read(stdout));
        assert!(output == text, "{} of {} bytes came back", output.len(), text.len());
        assert_eq!(status.await.unwrap().status.as_deref(), Some("Success"));
        process.join().await.unwrap();
    }
}

#[tokio::test]
async fn without_a_message_for_it_the_end_of_input_ends_the_connection() {
    let (kubelet, pods) = pods().await;
    let mut process = pods.exec("old", ["cat"], &AttachParams::default().stdin(true)).await.unwrap();
    let mut stdin = process.stdin().unwrap();
    stdin.write_all(b"a").await.unwrap();
    let mut stdout = process.stdout().unwrap();
    assert_eq!(stdout.read_u8().await.unwrap(), b'a');
    stdin.shutdown().await.unwrap();
    assert!(process.take_status().unwrap().await.is_none());
    process.join().await.unwrap();
    assert_eq!(ended(&kubelet).await, ["exec: the client left"]);
}

#[tokio::test]
async fn a_terminal_is_resized() {
    let (_kubelet, pods) = pods().await;
    let mut process = pods.exec("new", ["size"], &AttachParams::interactive_tty()).await.unwrap();
    let mut sizes = process.terminal_size().unwrap();
    sizes.send(TerminalSize { width: 120, height: 40 }).await.unwrap();
    assert_eq!(read(process.stdout().unwrap()).await, r#"{"Width":120,"Height":40}"#);
    let mut plain = pods.exec("new", ["echo"], &AttachParams::default()).await.unwrap();
    assert!(plain.terminal_size().is_none(), "no terminal, no size");
}

#[tokio::test]
async fn joining_discards_output_that_was_not_taken() {
    let (_kubelet, pods) = pods().await;
    let params = AttachParams::default().max_stdout_buf_size(64);
    let mut process = pods.exec("new", ["flood", "500"], &params).await.unwrap();
    let status = process.take_status().unwrap();
    process.join().await.unwrap();
    assert_eq!(status.await.unwrap().status.as_deref(), Some("Success"));
}

#[tokio::test]
async fn a_process_is_written_to_while_its_output_waits() {
    let (_kubelet, pods) = pods().await;
    let params = AttachParams::default().stdin(true).stderr(false).max_stdout_buf_size(1).max_stdin_buf_size(4096);
    let mut process = pods.exec("new", ["cat"], &params).await.unwrap();
    let (mut stdin, stdout) = (process.stdin().unwrap(), process.stdout().unwrap());
    // It is not read yet: one byte of output waits, and all of this still goes out.
    stdin.write_all(&[b'x'; 4000]).await.unwrap();
    stdin.write_all(&[b'y'; 4000]).await.unwrap();
    stdin.shutdown().await.unwrap();
    assert_eq!(read(stdout).await.len(), 8000);
}

#[tokio::test]
async fn dropping_or_aborting_ends_the_connection_and_the_streams() {
    for end in [drop as fn(AttachedProcess), |process| process.abort()] {
        let (kubelet, pods) = pods().await;
        let mut process = pods.exec("new", ["wait"], &AttachParams::default()).await.unwrap();
        let (stdout, status) = (process.stdout().unwrap(), process.take_status().unwrap());
        end(process);
        assert_eq!(read(stdout).await, "");
        assert!(status.await.is_none());
        assert_eq!(ended(&kubelet).await, ["exec: the client left"]);
    }
}

#[tokio::test]
async fn a_connection_that_breaks_is_an_error_and_no_status() {
    let (_kubelet, pods) = pods().await;
    let mut process = pods.exec("new", ["crash"], &AttachParams::default()).await.unwrap();
    let (stdout, status) = (process.stdout().unwrap(), process.take_status().unwrap());
    assert_eq!(read(stdout).await, "");
    assert!(status.await.is_none());
    let broken = process.join().await.unwrap_err();
    assert!(broken.to_string().contains("broke"), "{broken}");
}

#[tokio::test]
async fn a_peer_that_falls_silent_is_noticed() {
    let (_kubelet, pods) = pods().await;
    let process = pods.exec("new", ["mute"], &AttachParams::default()).await.unwrap();
    // From here on time passes as soon as nothing else happens, and nothing ever does.
    tokio::time::pause();
    let start = tokio::time::Instant::now();
    let silent = process.join().await.unwrap_err();
    let cause = std::error::Error::source(&silent).unwrap().to_string();
    assert!(cause.contains("nothing was heard for 45s"), "{cause}");
    assert!(start.elapsed() < Duration::from_secs(60), "noticed after {:?}", start.elapsed());
}

#[tokio::test]
async fn a_pod_that_does_not_exist_is_a_refusal() {
    let (_kubelet, pods) = pods().await;
    let refused = pods.exec("none", ["ls"], &AttachParams::default()).await;
    assert!(matches!(&refused, Err(Error::Api(status)) if status.is_not_found()), "{refused:?}");
    let refused = pods.portforward("none", &[80]).await;
    assert!(matches!(&refused, Err(Error::Api(status)) if status.is_not_found()), "{refused:?}");
}

#[tokio::test]
async fn an_answer_that_is_not_a_websocket_is_named() {
    let (client, asked) = crate::scripted::client(crate::scripted::Answer::json("{}"));
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    let wrong = pods.attach("n", &AttachParams::default()).await;
    assert!(
        matches!(&wrong, Err(Error::UpgradeConnection(UpgradeConnectionError::ProtocolSwitch(code))) if *code == 200),
        "{wrong:?}"
    );
    assert_eq!(asked.take(), ["GET /api/v1/namespaces/ns/pods/n/attach?&stdout=true&stderr=true [] [] "]);
    assert!(matches!(pods.attach("n", &AttachParams::default().tty(true)).await, Err(Error::BuildRequest(_))));
}

#[tokio::test]
async fn a_kubelet_is_spoken_to_past_the_api_server() {
    let (_kubelet, client) = kubelet().await;
    let pod = KubeletDebugParams { name: "new", namespace: "ns", pod_uid: None };
    let params = AttachParams::default();
    let mut process = client.kubelet_node_exec(&pod, "c", ["echo", "hi"], &params).await.unwrap();
    assert_eq!(read(process.stdout().unwrap()).await, "hi");
    let params = AttachParams::default().stdin(true).stderr(false);
    let mut process = client.kubelet_node_attach(&pod, "c", &params).await.unwrap();
    let mut stdin = process.stdin().unwrap();
    stdin.write_all(b"there and back").await.unwrap();
    stdin.shutdown().await.unwrap();
    assert_eq!(read(process.stdout().unwrap()).await, "there and back");
    let log = client.kubelet_node_logs(&pod, "c", &LogParams::default()).await.unwrap();
    let lines: Vec<String> = futures::AsyncBufReadExt::lines(log).try_collect().await.unwrap();
    assert_eq!(lines, ["one", "two", "three"]);
}

#[tokio::test]
async fn a_log_is_read_over_a_socket_whole_by_its_end_and_as_it_comes() {
    let (_kubelet, pods) = pods().await;
    assert_eq!(pods.logs("new", &LogParams::default()).await.unwrap(), LOG.concat());
    let tail = LogParams { tail_lines: Some(2), ..LogParams::default() };
    assert_eq!(pods.logs("new", &tail).await.unwrap(), "two\nthree\n");
    let stream = pods.log_stream("new", &LogParams { follow: true, ..LogParams::default() }).await.unwrap();
    let lines: Vec<String> = futures::AsyncBufReadExt::lines(stream).try_collect().await.unwrap();
    assert_eq!(lines, ["one", "two", "three"]);
}

/// TLS before a server that has none, which offers HTTP/2 as kube-apiserver does.
async fn secured(kubelet: &Kubelet) -> Config {
    let authority = authority();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(Tls::of(&authority).server_config()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = Config::new(format!("https://{}", listener.local_addr().unwrap()).parse().unwrap());
    config.root_cert = Some(vec![authority.der().to_vec()]);
    let address = kubelet.address;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut client = acceptor.accept(stream).await.unwrap();
                let mut server = TcpStream::connect(address).await.unwrap();
                tokio::io::copy_bidirectional(&mut client, &mut server).await.unwrap_or_default();
            });
        }
    });
    config
}

/// The server behind TLS speaks HTTP/1.1 alone: a client that took the HTTP/2 that is offered would not be understood.
#[tokio::test]
async fn an_upgrade_is_asked_for_in_http_1_where_http_2_is_offered() {
    let kubelet = Kubelet::start("127.0.0.1:0").await;
    let client = Client::try_from(secured(&kubelet).await).unwrap();
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    let mut process = pods.exec("new", ["echo", "hi"], &AttachParams::default()).await.unwrap();
    assert_eq!(read(process.stdout().unwrap()).await, "hi");
}

/// The server that these tests speak with is one that client-go understands: its own client says so.
#[tokio::test]
#[ignore = "needs Go: cargo xtask kube test"]
async fn the_kubelet_of_these_tests_satisfies_client_go() {
    let program =
        std::env::var_os("PINTLE_STREAMS").expect("PINTLE_STREAMS names the program of conformance/kube/cmd/streams");
    let (kubelet, _) = kubelet().await;
    let address = format!("http://{}", kubelet.address);
    let run = move || std::process::Command::new(program).arg(address).status();
    let status = tokio::task::spawn_blocking(run).await.unwrap().unwrap();
    assert!(status.success(), "its own words are above");
}
