//! Commands in simulated pods, over WebSockets: what they print, how they end, and who is refused.

use futures::{SinkExt, StreamExt};
use http::Request;
use pintle_apiserver::Serving;
use secrecy::ExposeSecret;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::super::serving::loopback;
use super::*;

const EXEC: &str = "[{command: cat /etc/hostname, stdout: web-0}, {command: fail, stdout: half, stderr: broken, exit: 3}, \
                    {command: cat, echo: true}]";

/// A cluster with a pod, on a socket without TLS.
async fn served() -> (World, Serving) {
    let world = cluster();
    let annotations = json!({"pintle.dev/exec": EXEC, "pintle.dev/exec.side": "beside", "pintle.dev/logs": "one\ntwo"});
    let containers = json!([{"name": "main", "image": "a"}, {"name": "side", "image": "b"}]);
    let pod = json!({"metadata": {"name": "web", "annotations": annotations}, "spec": {"containers": containers}});
    world.post(PODS, pod).await.expect(201);
    let serving = world.server.serve_http(loopback()).await.unwrap();
    (world, serving)
}

async fn connect(serving: &Serving, path: &str, protocol: &str) -> Result<WebSocketStream<TcpStream>, Error> {
    let address = serving.local_addr();
    let request = Request::get(format!("ws://{address}{PODS}/{path}"))
        .header("host", address.to_string())
        .header("authorization", format!("Bearer {}", serving.token().expose_secret()))
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", generate_key())
        .header("sec-websocket-protocol", protocol)
        .body(())
        .unwrap();
    let (socket, response) = client_async(request, TcpStream::connect(address).await.unwrap()).await?;
    assert_eq!(response.headers()["sec-websocket-protocol"], protocol.split(',').next_back().unwrap().trim());
    Ok(socket)
}

/// Everything that comes on the channels for output, errors and the status.
async fn heard(socket: &mut WebSocketStream<TcpStream>) -> [String; 3] {
    let mut channels = [const { String::new() }; 3];
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Binary(message) = message {
            channels[usize::from(message[0]) - 1].push_str(std::str::from_utf8(&message[1..]).unwrap());
        }
    }
    channels
}

#[tokio::test]
async fn commands_print_and_end_as_the_annotations_say() {
    let (_world, serving) = served().await;
    for protocol in ["v5.channel.k8s.io", "v4.channel.k8s.io", "v9.channel.k8s.io, v5.channel.k8s.io"] {
        let streams = "container=main&stdout=true&stderr=true";
        let path = format!("web/exec?command=cat&command=/etc/hostname&{streams}");
        let [stdout, stderr, status] = heard(&mut connect(&serving, &path, protocol).await.unwrap()).await;
        assert_eq!((stdout.as_str(), stderr.as_str()), ("web-0\n", ""));
        assert_eq!(serde_json::from_str::<Value>(&status).unwrap()["status"], "Success");

        let path = format!("web/exec?command=fail&command=now&{streams}");
        let [stdout, stderr, status] = heard(&mut connect(&serving, &path, protocol).await.unwrap()).await;
        assert_eq!((stdout.as_str(), stderr.as_str()), ("half\n", "broken\n"));
        let status: Value = serde_json::from_str(&status).unwrap();
        assert_eq!(
            (&status["reason"], &status["details"]["causes"][0]["message"]),
            (&json!("NonZeroExitCode"), &json!("3"))
        );
    }
    let path = "web/exec?command=anything&container=side&stdout=true";
    let [stdout, ..] = heard(&mut connect(&serving, path, "v5.channel.k8s.io").await.unwrap()).await;
    assert_eq!(stdout, "beside\n");
    let path = "web/attach?container=main&stdout=true";
    let [stdout, ..] = heard(&mut connect(&serving, path, "v5.channel.k8s.io").await.unwrap()).await;
    assert_eq!(stdout, "one\ntwo\n", "who attaches sees the log");
}

#[tokio::test]
async fn a_command_that_nobody_wrote_down_is_not_there_and_says_how_to_write_it_down() {
    let (_world, serving) = served().await;
    let path = "web/exec?command=tar&command=cf&container=main&stderr=true&tty=false";
    let [_, stderr, status] = heard(&mut connect(&serving, path, "v5.channel.k8s.io").await.unwrap()).await;
    assert!(stderr.contains("kubectl annotate pod web pintle.dev/exec='[{command: tar, stdout: ...}]'"), "{stderr}");
    assert!(status.contains("\"127\""), "{status}");
}

#[tokio::test]
async fn what_is_typed_is_repeated_until_it_ends() {
    let (_world, serving) = served().await;
    for (end, tty) in [(vec![255, 0], "false"), (vec![0, 4], "true")] {
        let path = format!("web/exec?command=cat&container=main&stdin=true&stdout=true&tty={tty}");
        let mut socket = connect(&serving, &path, "v5.channel.k8s.io").await.unwrap();
        for typed in [&b"\0hello "[..], b"\0world", &end] {
            socket.send(Message::Binary(typed.to_vec().into())).await.unwrap();
        }
        let [stdout, _, status] = heard(&mut socket).await;
        assert_eq!(stdout, "hello world");
        assert!(status.contains("Success"), "{status}");
    }
}

#[tokio::test]
async fn who_cannot_be_connected_is_told_why() {
    let (world, serving) = served().await;
    let refused = async |path: &str, protocol: &str| match connect(&serving, path, protocol).await {
        Err(Error::Http(response)) => {
            let status: Value = serde_json::from_slice(response.body().as_deref().unwrap_or_default()).unwrap();
            (response.status().as_u16(), status["message"].as_str().unwrap().to_owned())
        }
        other => panic!("{other:?}"),
    };
    let (code, message) = refused("web/exec?command=ls&container=main", "channel.k8s.io").await;
    assert_eq!(code, 400);
    assert!(message.contains("v5.channel.k8s.io or v4.channel.k8s.io"), "{message}");
    assert_eq!(refused("none/exec?command=ls", "v5.channel.k8s.io").await.0, 404);
    let (_, message) = refused("web/exec?command=ls&container=other", "v5.channel.k8s.io").await;
    assert_eq!(message, "container other is not valid for pod web");
    let (_, message) = refused("web/exec?container=main", "v5.channel.k8s.io").await;
    assert_eq!(message, "you must specify at least 1 command for the container");

    let plain = world.get(&format!("{PODS}/web/exec?command=ls&container=main")).await;
    assert_eq!((plain.code, plain.message().as_str()), (400, "Upgrade request required"));
    let mut stream = TcpStream::connect(serving.local_addr()).await.unwrap();
    let request = format!(
        "POST {PODS}/web/exec?command=ls&container=main HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nconnection: \
         Upgrade, close\r\nupgrade: SPDY/3.1\r\n\r\n",
        serving.token().expose_secret()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 400") && text.contains("use a client that speaks WebSocket"), "{text}");
}

#[tokio::test]
async fn a_server_that_stops_does_not_wait_for_who_types() {
    let (_world, serving) = served().await;
    let path = "web/exec?command=cat&container=main&stdin=true&stdout=true";
    let mut socket = connect(&serving, path, "v5.channel.k8s.io").await.unwrap();
    socket.send(Message::Binary(b"\0x".to_vec().into())).await.unwrap();
    while !matches!(socket.next().await, Some(Ok(Message::Binary(message))) if *message == b"\x01x"[..]) {}
    tokio::time::timeout(Duration::from_secs(10), serving.shutdown()).await.expect("it stops");
    while let Some(Ok(_)) = socket.next().await {}
}
