//! Connections that become something else than HTTP: WebSockets and SPDY, which carry processes and ports of simulated pods.
//!
//! ```text
//!  GET …/exec, Upgrade: websocket ─► Offer ─► the server answers 101 with what is connected ─► handshake ─► processes
//!  GET …/portforward                                                                                  └─► port_forward
//! ```
//! In: a request that offers to become something else, and the answer to it. Out: the answer with its handshake, and a future
//! that speaks for what is connected; the task of the connection polls it once HTTP is done with the socket.

use std::time::Duration;

use futures::StreamExt;
use http::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    UPGRADE,
};
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};

use super::{port_forward, processes, spdy_processes};
use crate::request::connections::{Carrier, ChannelVersion, Connected, Destination, Offered, SpdyStreams};
use crate::response::body::Body;

/// What a connection has become, where it speaks in messages.
pub(super) type WebSocket = WebSocketStream<TokioIo<Upgraded>>;

/// A connection that can become something else.
pub(super) struct Offer {
    upgrade: OnUpgrade,
    /// The proof that the handshake of a WebSocket was understood.
    accept: Option<HeaderValue>,
}

impl Offer {
    /// What a request offers, if it offers something that is spoken here; the server finds a note of it.
    pub(super) fn take(request: &mut Request<Incoming>) -> Option<Offer> {
        let headers = request.headers();
        if !says(headers, &CONNECTION, "upgrade") {
            return None;
        }
        let key = headers.get(SEC_WEBSOCKET_KEY).filter(|_| says(headers, &UPGRADE, "websocket"));
        let is_offered = |carrier: &Carrier| match carrier {
            Carrier::Spdy(_) => says(headers, &UPGRADE, SPDY) && says(headers, &STREAM_PROTOCOL, protocol(*carrier)),
            _ => key.is_some() && says(headers, &SEC_WEBSOCKET_PROTOCOL, protocol(*carrier)),
        };
        let offered: Vec<Carrier> = CARRIERS.into_iter().filter(is_offered).collect();
        if offered.is_empty() {
            return None;
        }
        let accept = key.and_then(|key| HeaderValue::from_str(&derive_accept_key(key.as_bytes())).ok());
        request.extensions_mut().insert(Offered(offered));
        Some(Offer { upgrade: hyper::upgrade::on(request), accept })
    }

    /// Completes an answer that connects; what is returned besides speaks for what is connected.
    pub(super) fn accept(self, response: &mut Response<Body>) -> Option<impl Future<Output = ()> + Send + 'static> {
        let Connected { to, by } = response.extensions_mut().remove::<Connected>()?;
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        let protocol = HeaderValue::from_static(protocol(by));
        if let Carrier::Spdy(_) = by {
            headers.insert(UPGRADE, HeaderValue::from_static(SPDY));
            headers.insert(STREAM_PROTOCOL, protocol);
        } else {
            headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
            headers.insert(SEC_WEBSOCKET_PROTOCOL, protocol);
            headers.insert(SEC_WEBSOCKET_ACCEPT, self.accept?);
        }
        // Who observes requests counts this one as open as long as its body is there.
        let body = std::mem::replace(response.body_mut(), Body::empty());
        let upgrade = self.upgrade;
        Some(async move {
            match upgrade.await {
                Ok(upgraded) => speak(&to, by, TokioIo::new(upgraded)).await,
                Err(error) => tracing::debug!("a connection did not become what it offered: {error}"),
            }
            drop(body);
        })
    }
}

/// Whether a header lists a word.
fn says(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|said| said.trim().eq_ignore_ascii_case(word))
}

/// The name of what is spoken over a WebSocket, or in the streams of SPDY.
fn protocol(carrier: Carrier) -> &'static str {
    match carrier {
        Carrier::Channels(ChannelVersion::V5) => "v5.channel.k8s.io",
        Carrier::Channels(ChannelVersion::V4) | Carrier::Spdy(SpdyStreams::Channels) => "v4.channel.k8s.io",
        Carrier::TunnelledSpdy => "SPDY/3.1+portforward.k8s.io",
        Carrier::Spdy(SpdyStreams::Ports) => "portforward.k8s.io",
    }
}

async fn speak(to: &Destination, by: Carrier, mut stream: TokioIo<Upgraded>) {
    if let Carrier::Spdy(_) = by {
        let ended = match to {
            Destination::Process(process) => spdy_processes::run(process, &mut stream).await,
            Destination::Ports(ports) => port_forward::over_stream(ports, &mut stream).await,
        };
        if let Err(error) = ended {
            tracing::debug!("a client left what it was connected to: {error}");
        }
        return stream.shutdown().await.unwrap_or_default();
    }
    let message_max = if by == Carrier::TunnelledSpdy { TUNNEL_MESSAGE_BYTES_MAX } else { MESSAGE_BYTES_MAX };
    let limits = WebSocketConfig::default().max_message_size(Some(message_max)).max_frame_size(Some(message_max));
    let mut socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(limits)).await;
    let ended = match to {
        Destination::Process(process) => processes::run(process, &mut socket).await,
        Destination::Ports(ports) if by == Carrier::TunnelledSpdy => {
            port_forward::through_tunnel(ports, &mut socket).await
        }
        Destination::Ports(ports) => port_forward::over_channels(ports, &mut socket).await,
    };
    if let Err(error) = ended {
        tracing::debug!("a client left what it was connected to: {error}");
    }
    // The client is gone or has been told; what is left of the connection is not worth a word.
    socket.get_mut().shutdown().await.unwrap_or_default();
}

/// Closes a WebSocket from this side.
pub(super) async fn say_goodbye(
    socket: &mut WebSocketStream<impl AsyncRead + AsyncWrite + Unpin>,
) -> Result<(), Error> {
    // Go takes a connection that is closed without a code for one that broke.
    socket.close(Some(CloseFrame { code: CloseCode::Normal, reason: "".into() })).await?;
    // What was still on its way is read, so that closing does not break the connection before the last word is read.
    let rest = async { while socket.next().await.is_some_and(|message| message.is_ok()) {} };
    drop(timeout(GOODBYE_MAX, rest).await);
    Ok(())
}

const CARRIERS: [Carrier; 5] = [
    Carrier::Channels(ChannelVersion::V5),
    Carrier::Channels(ChannelVersion::V4),
    Carrier::TunnelledSpdy,
    Carrier::Spdy(SpdyStreams::Channels),
    Carrier::Spdy(SpdyStreams::Ports),
];

const SPDY: &str = "SPDY/3.1";

/// Says what SPDY's streams are about.
const STREAM_PROTOCOL: HeaderName = HeaderName::from_static("x-stream-protocol-version");

/// The Python client sends what it is given in one message.
const MESSAGE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// What is tunnelled is what a client of SPDY writes at a time, a frame of 32 KiB at most.
const TUNNEL_MESSAGE_BYTES_MAX: usize = 1024 * 1024;

/// A client that does not say goodbye is not waited for longer than this.
pub(super) const GOODBYE_MAX: Duration = Duration::from_secs(2);
