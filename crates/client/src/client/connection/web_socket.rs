//! Both directions of a WebSocket, and whether it is still alive.
//!
//! In: a [`Connection`]. Out: messages of channels on one side, a place to send them on the other. Each direction goes
//! on while the other waits. Pings are sent, and a connection on which nothing is heard for a while, no answer to a
//! ping either, is an error: no wait is endless.

use std::time::Duration;

use bytes::Bytes;
use futures::stream::{SplitSink, SplitStream};
use futures::{Sink, SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::time::{Interval, MissedTickBehavior};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::client::connection::upgrade::Connection;

/// How often a sign of life is asked for: three times within what follows, and often enough for proxies that close
/// connections on which nothing happens.
const PING_EVERY: Duration = Duration::from_secs(15);

/// How long a connection may be silent: a dead peer is noticed as on all other connections.
const SILENCE_MAX: Duration = Duration::from_secs(45);

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// The two directions of a connection.
pub(crate) fn split(connection: Connection) -> (Hearing, Speaking) {
    let (speaking, hearing) = connection.into_stream().split();
    (Hearing(hearing), Speaking(speaking))
}

/// What comes.
pub(crate) struct Hearing(SplitStream<Socket>);

/// What was heard.
pub(crate) enum Heard {
    /// A message; its first byte is the channel.
    Message(Bytes),
    /// The other side is done.
    End,
}

impl Hearing {
    pub(crate) async fn next(&mut self) -> Result<Heard, Error> {
        loop {
            let Ok(message) = tokio::time::timeout(SILENCE_MAX, self.0.next()).await else {
                let silence = format!("nothing was heard for {SILENCE_MAX:?}");
                return Err(Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, silence)));
            };
            match message {
                None | Some(Ok(Message::Close(_)) | Err(Error::ConnectionClosed | Error::AlreadyClosed)) => {
                    return Ok(Heard::End);
                }
                Some(Ok(Message::Binary(data))) => return Ok(Heard::Message(data)),
                Some(Ok(Message::Text(text))) => return Ok(Heard::Message(text.into())),
                // Signs of life; the answer to a ping is sent below us.
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                Some(Err(error)) => return Err(error),
            }
        }
    }
}

/// Whether the connection is simply gone, as it is after a process that ended.
pub(crate) fn is_over(error: &Error) -> bool {
    matches!(error, Error::Io(_) | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake))
}

/// Where to send.
pub(crate) struct Speaking(SplitSink<Socket, Message>);

impl Speaking {
    /// When to send a ping.
    pub(crate) fn pings() -> Interval {
        let mut pings = tokio::time::interval_at(tokio::time::Instant::now() + PING_EVERY, PING_EVERY);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pings
    }

    pub(crate) async fn send(&mut self, message: Message) -> Result<(), Error>
    where
        SplitSink<Socket, Message>: Sink<Message, Error = Error>,
    {
        self.0.send(message).await
    }
}
