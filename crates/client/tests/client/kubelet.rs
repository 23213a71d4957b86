//! A server on a socket that answers exec, attach, port-forward and logs as a kubelet behind an API server does, for
//! a few commands and ports of its own.
//!
//! Pods: the processes of `new` are reached in version 5 of the channel protocol, those of `old` in version 4, `none`
//! does not exist. Ports are forwarded in version 4: kubelets have no other. It notes how each connection ended.
//!
//! Where `PINTLE_KUBELET` names the program of `conformance/kube/cmd/kubelet`, that takes its place, with Kubernetes' own
//! code: what tests hear from this server they hear from that one too (`cargo xtask kube test streams`).

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use futures::{SinkExt, StreamExt};
use http::{Response, StatusCode};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

const CLOSE: u8 = 255;

/// The server; it ends with its runtime.
pub(crate) struct Kubelet {
    pub(crate) address: SocketAddr,
    ended: Arc<Mutex<Vec<String>>>,
    /// Ends with its input, which is dropped with it.
    _program: Option<Child>,
}

impl Kubelet {
    pub(crate) async fn start(address: &str) -> Self {
        if let Some(program) = std::env::var_os("PINTLE_KUBELET") {
            return Self::of(&mut Command::new(program));
        }
        let listener = TcpListener::bind(address).await.unwrap();
        let kubelet = Self { address: listener.local_addr().unwrap(), ended: Arc::default(), _program: None };
        let ended = Arc::clone(&kubelet.ended);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&ended)));
            }
        });
        kubelet
    }

    /// Another server, whose first line is its address.
    fn of(program: &mut Command) -> Self {
        let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { address: line.trim().parse().unwrap(), ended: Arc::default(), _program: Some(child) }
    }

    /// How connections ended so far: `path: how`.
    pub(crate) fn ended(&self) -> Vec<String> {
        self.ended.lock().unwrap().clone()
    }
}

/// The log of every pod.
pub(crate) const LOG: [&str; 3] = ["one\n", "two\n", "three\n"];

/// Answers a request for a log, in plain HTTP; gives back any other.
async fn serve_log(mut stream: TcpStream) -> Option<TcpStream> {
    let mut head = [0; 2048];
    let head = loop {
        let length = stream.peek(&mut head).await.ok()?;
        if length == 0 {
            return None;
        }
        if head[..length].windows(4).any(|end| end == b"\r\n\r\n") || length == head.len() {
            break String::from_utf8_lossy(&head[..length]).into_owned();
        }
    };
    let line = head.lines().next().unwrap_or_default();
    if !line.contains("/log?") && !line.contains("/containerLogs/") {
        return Some(stream);
    }
    let tail = line.split_once("tailLines=").map_or(LOG.len(), |(_, rest)| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap()
    });
    let log = LOG[LOG.len().saturating_sub(tail)..].concat();
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{log}",
        log.len()
    );
    // What was only looked at has to be read, or closing would reset the connection.
    stream.read_exact(&mut vec![0; head.find("\r\n\r\n")? + 4]).await.ok()?;
    stream.write_all(answer.as_bytes()).await.unwrap_or_default();
    None
}

#[expect(clippy::result_large_err, reason = "the handshake's own type")]
async fn serve(stream: TcpStream, ended: Arc<Mutex<Vec<String>>>) {
    let Some(stream) = serve_log(stream).await else { return };
    let mut asked = None;
    let handshake = accept_hdr_async(stream, |request: &Request, mut response: Response<()>| {
        let uri = request.uri().clone();
        let offered = request.headers().get("sec-websocket-protocol").map_or("", |it| it.to_str().unwrap());
        let is_version_4 = ["/old/", "/portforward", "/portForward/"].iter().any(|word| uri.path().contains(word));
        let spoken = if is_version_4 { "v4.channel.k8s.io" } else { "v5.channel.k8s.io" };
        if uri.path().contains("/none/") {
            return Err(refusal());
        }
        let agreed = offered.split(',').map(str::trim).find(|it| *it == spoken).unwrap_or("v4.channel.k8s.io");
        response.headers_mut().insert("sec-websocket-protocol", agreed.parse().unwrap());
        asked = Some((uri, agreed.starts_with("v5")));
        Ok(response)
    });
    let Ok(socket) = handshake.await else { return };
    let (uri, closes) = asked.unwrap();
    let query: Vec<(String, String)> = uri
        .query()
        .unwrap_or_default()
        .split('&')
        .filter_map(|word| word.split_once('='))
        .map(|(word, value)| (word.to_owned(), value.replace('+', " ").replace("%2C", ",")))
        .collect();
    let said = |word: &str| query.iter().filter(|it| it.0 == word).map(|it| it.1.clone()).collect::<Vec<_>>();
    // The last word of an API server's path, the first of a kubelet's.
    let words: Vec<&str> = uri.path().split('/').collect();
    let part = ["portforward", "portForward", "attach"].into_iter().find(|part| words.contains(part)).unwrap_or("exec");
    let end = match part {
        "portforward" | "portForward" => forward(socket, &[said("ports"), said("port")].concat().concat()).await,
        "attach" => run(socket, &["cat".to_owned()], said("tty").is_empty(), closes).await,
        _ => run(socket, &said("command"), said("tty").is_empty(), closes).await,
    };
    ended.lock().unwrap().push(format!("{part}: {end}"));
}

fn refusal() -> ErrorResponse {
    let status = json!({"kind": "Status", "status": "Failure", "message": "pods \"none\" not found", "reason": "NotFound", "code": 404});
    Response::builder().status(StatusCode::NOT_FOUND).body(Some(status.to_string())).unwrap()
}

type Socket = WebSocketStream<TcpStream>;

async fn say(socket: &mut Socket, channel: u8, data: &[u8]) {
    // The client may be gone; how that looks is noted where messages are read.
    socket.send(Message::Binary([&[channel], data].concat().into())).await.unwrap_or_default();
}

/// Says goodbye as a server does that is done.
async fn close(socket: &mut Socket) {
    let frame = CloseFrame { code: CloseCode::Normal, reason: "".into() };
    socket.close(Some(frame)).await.unwrap_or_default();
}

/// The next message; `None` when the client has gone.
async fn hear(socket: &mut Socket) -> Option<Vec<u8>> {
    loop {
        match socket.next().await?.ok()? {
            Message::Binary(data) => return Some(data.to_vec()),
            Message::Close(_) => return None,
            _ => {}
        }
    }
}

/// Runs one of the commands it knows; gives back how it ended.
async fn run(mut socket: Socket, command: &[String], has_stderr: bool, closes: bool) -> String {
    // As a kubelet does, each channel begins with an empty message.
    for channel in if has_stderr { [1, 2, 3].as_slice() } else { &[1, 3] } {
        let channel = *channel;
        say(&mut socket, channel, b"").await;
    }
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let status = match words[..] {
        ["echo", ref words @ ..] => {
            say(&mut socket, 1, words.join(" ").as_bytes()).await;
            success()
        }
        ["fail", code] => {
            say(&mut socket, 2, b"it does not work").await;
            failure(code)
        }
        ["flood", pieces] => {
            for _ in 0..pieces.parse().unwrap() {
                say(&mut socket, 1, &[b'x'; 1000]).await;
            }
            success()
        }
        ["cat"] => match cat(&mut socket, closes).await {
            true => success(),
            false => return "the client left".into(),
        },
        ["size"] => loop {
            match hear(&mut socket).await {
                Some(message) if message[0] == 4 => {
                    say(&mut socket, 1, &message[1..]).await;
                    break success();
                }
                Some(_) => {}
                None => return "the client left".into(),
            }
        },
        ["mute"] => std::future::pending().await,
        ["crash"] => return "it broke off".into(),
        _ => {
            while hear(&mut socket).await.is_some() {}
            return "the client left".into();
        }
    };
    say(&mut socket, 3, status.to_string().as_bytes()).await;
    close(&mut socket).await;
    while hear(&mut socket).await.is_some() {}
    "done".into()
}

/// Says what it hears until the input ends; `false` when the connection ended instead.
async fn cat(socket: &mut Socket, closes: bool) -> bool {
    loop {
        match hear(socket).await.as_deref() {
            Some([0, data @ ..]) => {
                let data = data.to_vec();
                say(socket, 1, &data).await;
            }
            Some([CLOSE, 0]) if closes => return true,
            Some(_) => {}
            None => return false,
        }
    }
}

fn success() -> serde_json::Value {
    json!({"metadata": {}, "status": "Success"})
}

fn failure(code: &str) -> serde_json::Value {
    json!({"metadata": {}, "status": "Failure", "message": format!("command terminated with non-zero exit code: {code}"),
        "reason": "NonZeroExitCode", "details": {"causes": [{"reason": "ExitCode", "message": code}]}})
}

/// No process listens on port 1; port 2 greets and hangs up; port 3 names itself wrongly; all others answer in capitals.
async fn forward(mut socket: Socket, ports: &str) -> String {
    let ports: Vec<u16> = ports.split(',').map(|port| port.parse().unwrap()).collect();
    for (place, port) in (0_u8..).zip(&ports) {
        let named = if *port == 3 { 9 } else { *port };
        say(&mut socket, place * 2, &named.to_le_bytes()).await;
        say(&mut socket, place * 2 + 1, &port.to_le_bytes()).await;
        match port {
            1 => {
                let why = b"error forwarding port 1 to pod new, uid : no process listens on port 1";
                say(&mut socket, place * 2 + 1, why).await;
            }
            2 => {
                say(&mut socket, place * 2, b"hello").await;
                close(&mut socket).await;
            }
            _ => {}
        }
    }
    while let Some(message) = hear(&mut socket).await {
        if let [channel, ref data @ ..] = message[..] {
            say(&mut socket, channel, &data.to_ascii_uppercase()).await;
        }
    }
    "the client left".into()
}
