//! Commands in simulated pods, over WebSockets: what they print, how they end, and who is refused.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

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
    let annotations = json!({"pintle.dev/exec": EXEC, "pintle.dev/exec.side": "beside", "pintle.dev/logs": "one\ntwo",
        "pintle.dev/port-forward": "[{echo: true}]"});
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
async fn a_client_that_writes_until_nothing_is_taken_and_only_then_reads_gets_everything() {
    let (_world, serving) = served().await;
    let path = "web/exec?command=cat&container=main&stdin=true&stdout=true";
    let (mut writing, mut reading) = connect(&serving, path, "v5.channel.k8s.io").await.unwrap().split();
    let sent = AtomicUsize::new(0);
    let mut message = vec![b'x'; 8 * 1024];
    message[0] = 0;
    let write = async {
        for _ in 0..4_000 {
            writing.send(Message::Binary(message.clone().into())).await.unwrap();
            sent.fetch_add(1, Relaxed);
        }
        writing.send(Message::Binary(vec![255, 0].into())).await.unwrap();
    };
    let read = async {
        let mut before = None;
        while before.replace(sent.load(Relaxed)) != Some(sent.load(Relaxed)) {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        let mut received = 0;
        while let Some(Ok(message)) = reading.next().await {
            let Message::Binary(message) = message else { continue };
            received += if message[0] == 1 { message.len() - 1 } else { 0 };
        }
        received
    };
    let both = tokio::time::timeout(Duration::from_secs(60), async { tokio::join!(write, read) });
    let ((), received) = both.await.expect("it does not hang");
    assert_eq!(received, 4_000 * (message.len() - 1));
}

#[tokio::test]
async fn a_message_of_a_tunnel_is_a_megabyte_at_most() {
    let (_world, serving) = served().await;
    let mut socket = connect(&serving, "web/portforward?ports=80", "SPDY/3.1+portforward.k8s.io").await.unwrap();
    // Nothing comes back for either: what they hold are frames of a stream that nobody opened.
    let (allowed, too_large) = (vec![0; 1024 * 1024], vec![0; 1024 * 1024 + 8]);
    socket.send(Message::Binary(allowed.into())).await.unwrap();
    socket.send(Message::Ping(b"there?"[..].into())).await.unwrap();
    assert_eq!(socket.next().await.unwrap().unwrap(), Message::Pong(b"there?"[..].into()));
    socket.send(Message::Binary(too_large.into())).await.unwrap_or_default();
    let ended = async { while let Some(Ok(_)) = socket.next().await {} };
    tokio::time::timeout(Duration::from_secs(60), ended).await.expect("the connection ends");
}

#[tokio::test]
async fn what_a_client_says_on_the_channel_for_a_port_s_errors_is_not_data() {
    let (_world, serving) = served().await;
    let mut socket = connect(&serving, "web/portforward?ports=80", "v4.channel.k8s.io").await.unwrap();
    for channel in [1, 0] {
        socket.send(Message::Binary(vec![channel, b'0' + channel].into())).await.unwrap();
    }
    let mut heard = Vec::new();
    while heard.len() < 3 {
        if let Message::Binary(message) = socket.next().await.unwrap().unwrap() {
            heard.push(message);
        }
    }
    assert_eq!(heard, [&[0, 80, 0][..], &[1, 80, 0], &[0, b'0']], "two for the number of the port, and one back");
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
    assert!(message.contains("over WebSocket in v5.channel.k8s.io or v4.channel.k8s.io"), "{message}");
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
         Upgrade, close\r\nupgrade: SPDY/2\r\n\r\n",
        serving.token().expose_secret()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 400") && text.contains("or over SPDY/3.1 in v4.channel.k8s.io"), "{text}");
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
