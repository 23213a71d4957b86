//! Processes of simulated pods, spoken for over WebSockets: exec and attach, in Kubernetes' channel protocols.
//!
//! ```text
//!  GET …/exec, Upgrade: websocket ─► Offer ─► the server answers 101 with a Process ─► handshake ─► speak: a message for each
//!                                                                                       channel, the status, the end
//! ```
//! In: a request that offers to become a WebSocket, and the answer to it. Out: the answer with its handshake, and a future
//! that does what the process does; the task of the connection polls it once HTTP is done with the socket. The first byte of
//! a message is its channel. Version 5 of the protocol can close one channel alone, which is how input ends.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use http::header::{
    CONNECTION, HeaderMap, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, UPGRADE,
};
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::controllers::simulated::commands::Process;
use crate::request::connections::Upgrade;
use crate::response::body::Body;

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// A connection that can become a WebSocket for a process.
pub(super) struct Offer {
    upgrade: OnUpgrade,
    accept: String,
    protocol: &'static str,
}

impl Offer {
    /// What a request offers, if it is that; the server finds a note of it.
    pub(super) fn take(request: &mut Request<Incoming>) -> Option<Offer> {
        let headers = request.headers();
        let is_asked = says(headers, &UPGRADE, "websocket") && says(headers, &CONNECTION, "upgrade");
        let protocol = PROTOCOLS.into_iter().find(|known| says(headers, &SEC_WEBSOCKET_PROTOCOL, known));
        let (protocol, key) = protocol.zip(headers.get(SEC_WEBSOCKET_KEY)).filter(|_| is_asked)?;
        let accept = derive_accept_key(key.as_bytes());
        request.extensions_mut().insert(Upgrade::WebSocket);
        Some(Offer { upgrade: hyper::upgrade::on(request), accept, protocol })
    }

    /// Completes an answer that has a process; what is returned besides does what the process does.
    pub(super) fn accept(self, response: &mut Response<Body>) -> Option<impl Future<Output = ()> + Send + 'static> {
        let process = response.extensions_mut().remove::<Process>()?;
        let headers = response.headers_mut();
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(self.protocol));
        headers.insert(SEC_WEBSOCKET_ACCEPT, HeaderValue::from_str(&self.accept).ok()?);
        // Who observes requests counts this one as open as long as its body is there.
        let body = std::mem::replace(response.body_mut(), Body::empty());
        let upgrade = self.upgrade;
        Some(async move {
            match upgrade.await {
                Ok(upgraded) => speak(process, upgraded).await,
                Err(error) => tracing::debug!("a connection did not become a WebSocket: {error}"),
            }
            drop(body);
        })
    }
}

/// Whether a header lists a word.
fn says(headers: &HeaderMap, name: &http::HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|said| said.trim().eq_ignore_ascii_case(word))
}

async fn speak(process: Process, upgraded: Upgraded) {
    let limits =
        WebSocketConfig::default().max_message_size(Some(MESSAGE_BYTES_MAX)).max_frame_size(Some(MESSAGE_BYTES_MAX));
    let mut socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(limits)).await;
    if let Err(error) = run(&process, &mut socket).await {
        tracing::debug!("a client left the process it was connected to: {error}");
    }
    // The client is gone or has been told; what is left of the connection is not worth a word.
    socket.get_mut().shutdown().await.unwrap_or_default();
}

async fn run(process: &Process, socket: &mut Socket) -> Result<(), Error> {
    let streams = &process.streams;
    let has_errors = streams.stderr && !streams.tty;
    // As a kubelet does, each channel that is there begins with an empty message.
    for (channel, is_there) in [(STDOUT, streams.stdout), (STDERR, has_errors), (STATUS, true)] {
        if is_there {
            say(socket, channel, b"").await?;
        }
    }
    sleep(process.after).await;
    if streams.stdout {
        print(socket, STDOUT, &process.stdout).await?;
    }
    match (has_errors, streams.tty && streams.stdout) {
        (true, _) => print(socket, STDERR, &process.stderr).await?,
        // A terminal shows both.
        (false, true) => print(socket, STDOUT, &process.stderr).await?,
        (false, false) => {}
    }
    if process.is_echo && streams.stdin && !repeat(process, socket).await? {
        return Ok(());
    }
    say(socket, STATUS, status(process.exit_code).to_string().as_bytes()).await?;
    // Go takes a connection that is closed without a code for one that broke.
    socket.close(Some(CloseFrame { code: CloseCode::Normal, reason: "".into() })).await?;
    // Input that was still on its way is read, so that closing does not break the connection before the status is.
    let rest = async { while socket.next().await.is_some_and(|message| message.is_ok()) {} };
    drop(timeout(GOODBYE_MAX, rest).await);
    Ok(())
}

/// Says what it hears until the input ends; `false` where the client went.
async fn repeat(process: &Process, socket: &mut Socket) -> Result<bool, Error> {
    while let Some(message) = socket.next().await {
        let message = match message? {
            Message::Binary(message) => message,
            Message::Close(_) => return Ok(false),
            _ => continue,
        };
        match &message[..] {
            [STDIN, typed @ ..] => {
                let end = typed.iter().position(|byte| *byte == END_OF_TRANSMISSION).filter(|_| process.streams.tty);
                if process.streams.stdout {
                    say(socket, STDOUT, &typed[..end.unwrap_or(typed.len())]).await?;
                }
                if end.is_some() {
                    return Ok(true);
                }
            }
            [CLOSE, STDIN] => return Ok(true),
            _ => {}
        }
    }
    Ok(false)
}

async fn print(socket: &mut Socket, channel: u8, text: &str) -> Result<(), Error> {
    for piece in text.as_bytes().chunks(PIECE_BYTES) {
        say(socket, channel, piece).await?;
    }
    Ok(())
}

async fn say(socket: &mut Socket, channel: u8, data: &[u8]) -> Result<(), Error> {
    socket.send(Message::Binary([&[channel], data].concat().into())).await
}

/// How a process ended, as kubelets say it.
fn status(exit_code: i32) -> Value {
    if exit_code == 0 {
        return json!({"metadata": {}, "status": "Success"});
    }
    json!({
        "metadata": {},
        "status": "Failure",
        "message": format!("command terminated with non-zero exit code: exit status {exit_code}"),
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": exit_code.to_string()}]},
    })
}

/// The protocols that are spoken, the best first.
const PROTOCOLS: [&str; 2] = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const STATUS: u8 = 3;
/// Says that another channel is closed; in version 5.
const CLOSE: u8 = 255;

/// What Control-D sends.
const END_OF_TRANSMISSION: u8 = 4;

/// What kubelets read and send at a time.
const PIECE_BYTES: usize = 32 * 1024;

/// Clients send what one read gave them; this is a thousand times that.
const MESSAGE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// A client that does not say goodbye is not waited for longer than this.
const GOODBYE_MAX: Duration = Duration::from_secs(2);
