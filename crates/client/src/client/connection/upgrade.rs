//! From an HTTP call to a WebSocket: what exec, attach and port-forward speak over.
//!
//! ```text
//!   GET …/exec, Upgrade: websocket ─► 101 ─► Connection: a WebSocket and the channel protocol that was agreed on
//! ```
//! Two channel protocols are offered: version 5 can close one channel alone (the end of standard input), version 4
//! cannot. A server that answers with a refusal instead is [`Error::Api`], like everywhere. The upgrade belongs to one
//! HTTP/1.1 connection, which nothing else then uses.

use http::header::{CONNECTION, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY};
use http::header::{SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE};
use http::{Request, Response, StatusCode};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::client::body::Body;
use crate::client::{Client, RequestInfo};
use crate::error::{Error, Result};
use crate::error_chain::error_chain;

/// The largest message that is taken. Kubelets send what one read gave, 32 KiB; a thousand times that is never needed.
const MESSAGE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// What may wait to be sent when the server does not read, beyond the message being sent.
const UNSENT_BYTES_MAX: usize = MESSAGE_BYTES_MAX;

/// A WebSocket to a pod.
#[derive(Debug)]
pub struct Connection {
    stream: WebSocketStream<TokioIo<Upgraded>>,
    protocol: ChannelProtocol,
}

impl Connection {
    /// Whether one channel can be closed alone, as version 5 of the protocol allows.
    pub fn supports_stream_close(&self) -> bool {
        self.protocol == ChannelProtocol::V5
    }

    /// The WebSocket.
    pub fn into_stream(self) -> WebSocketStream<TokioIo<Upgraded>> {
        self.stream
    }
}

impl Client {
    /// Sends a request for a connection to a pod and returns the connection.
    ///
    /// # Errors
    /// [`Error::Api`] when the server refuses, [`Error::UpgradeConnection`] when it answers with something else than a
    /// WebSocket of Kubernetes.
    pub async fn connect(&self, request: Request<Vec<u8>>) -> Result<Connection> {
        let (mut parts, body) = request.into_parts();
        let key = generate_key();
        ask(&mut parts.headers, &key)?;
        let mut request = Request::from_parts(parts, Body::from(body));
        RequestInfo::note_upgrade(&mut request);
        let response = self.send_and_refuse(request).await?;
        let protocol = agreed(&response, &key).map_err(Error::UpgradeConnection)?;
        let upgraded = hyper::upgrade::on(response).await;
        let upgraded =
            upgraded.map_err(|error| Error::UpgradeConnection(UpgradeConnectionError::GetPendingUpgrade(error)))?;
        let limits = WebSocketConfig::default()
            .max_message_size(Some(MESSAGE_BYTES_MAX))
            .max_frame_size(Some(MESSAGE_BYTES_MAX))
            .max_write_buffer_size(UNSENT_BYTES_MAX);
        let stream = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Client, Some(limits)).await;
        Ok(Connection { stream, protocol })
    }
}

/// What the messages of a connection look like.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum ChannelProtocol {
    V4,
    V5,
}

impl ChannelProtocol {
    /// Both, the better one first.
    const OFFER: HeaderValue = HeaderValue::from_static("v5.channel.k8s.io, v4.channel.k8s.io");

    fn parse(name: &[u8]) -> Option<Self> {
        match name {
            b"v5.channel.k8s.io" => Some(Self::V5),
            b"v4.channel.k8s.io" => Some(Self::V4),
            _ => None,
        }
    }
}

/// Asks for a WebSocket.
fn ask(headers: &mut HeaderMap, key: &str) -> Result<()> {
    let key = HeaderValue::from_str(key).map_err(|error| Error::HttpError(error.into()))?;
    let asked: [(HeaderName, HeaderValue); 5] = [
        (CONNECTION, HeaderValue::from_static("Upgrade")),
        (UPGRADE, HeaderValue::from_static("websocket")),
        (SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13")),
        (SEC_WEBSOCKET_KEY, key),
        (SEC_WEBSOCKET_PROTOCOL, ChannelProtocol::OFFER),
    ];
    headers.extend(asked);
    Ok(())
}

/// What the server agreed to.
fn agreed(response: &Response<Body>, key: &str) -> Result<ChannelProtocol, UpgradeConnectionError> {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Err(UpgradeConnectionError::ProtocolSwitch(response.status()));
    }
    let header = |name: HeaderName| response.headers().get(name).map(HeaderValue::as_bytes).unwrap_or_default();
    if !header(UPGRADE).eq_ignore_ascii_case(b"websocket") {
        return Err(UpgradeConnectionError::MissingUpgradeWebSocketHeader);
    }
    // A proxy may say more in this header.
    let mut words = header(CONNECTION).split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    if !words.any(|word| word.eq_ignore_ascii_case(b"upgrade")) {
        return Err(UpgradeConnectionError::MissingConnectionUpgradeHeader);
    }
    if header(SEC_WEBSOCKET_ACCEPT) != derive_accept_key(key.as_bytes()).as_bytes() {
        return Err(UpgradeConnectionError::SecWebSocketAcceptKeyMismatch);
    }
    ChannelProtocol::parse(header(SEC_WEBSOCKET_PROTOCOL)).ok_or(UpgradeConnectionError::SecWebSocketProtocolMismatch)
}

/// Why a call did not become a WebSocket.
#[derive(Debug, thiserror::Error)]
pub enum UpgradeConnectionError {
    /// The server answered something else than to switch protocols.
    #[error("the server answered {0} instead of switching to a WebSocket")]
    ProtocolSwitch(StatusCode),
    /// It switched to something that is not a WebSocket.
    #[error("the server switched to something that is not a WebSocket")]
    MissingUpgradeWebSocketHeader,
    /// It, or a proxy, did not say that this connection is switched.
    #[error("the server did not say that this connection is upgraded; a proxy may stand in between")]
    MissingConnectionUpgradeHeader,
    /// The answer is not to this request.
    #[error("the server accepted another key than was sent")]
    SecWebSocketAcceptKeyMismatch,
    /// It speaks no channel protocol that was offered.
    #[error("the server speaks neither v5.channel.k8s.io nor v4.channel.k8s.io")]
    SecWebSocketProtocolMismatch,
    /// The connection broke while it was switched.
    #[error("the connection broke while it was switched: {}", error_chain(.0))]
    GetPendingUpgrade(#[source] hyper::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

    fn answer(headers: &[(HeaderName, &str)]) -> Result<ChannelProtocol, String> {
        let mut response = Response::builder().status(101);
        for (name, value) in headers {
            response = response.header(name, *value);
        }
        agreed(&response.body(Body::empty()).unwrap(), KEY).map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn an_upgrade_is_checked_word_by_word() {
        let accept = derive_accept_key(KEY.as_bytes());
        let good: [(HeaderName, &str); 4] = [
            (UPGRADE, "WebSocket"),
            (CONNECTION, "keep-alive, Upgrade"),
            (SEC_WEBSOCKET_ACCEPT, &accept),
            (SEC_WEBSOCKET_PROTOCOL, "v4.channel.k8s.io"),
        ];
        assert_eq!(answer(&good), Ok(ChannelProtocol::V4));
        let wrong = [
            "MissingUpgradeWebSocketHeader",
            "MissingConnectionUpgradeHeader",
            "SecWebSocketAcceptKeyMismatch",
            "SecWebSocketProtocolMismatch",
        ];
        for (at, expected) in wrong.into_iter().enumerate() {
            let mut headers = good.clone();
            headers[at].1 = "other";
            assert_eq!(answer(&headers), Err(expected.to_owned()));
        }
    }
}
