//! The task behind a [`Portforwarder`](super::Portforwarder): messages to streams and back.
//!
//! The first byte of each message is its channel: twice the place of the port for data, one more for its error. Each
//! channel begins with the port's number. Listening and speaking do not wait for each other. Kubelets forward ports in
//! version 4 of the protocol, which has no message for the end of one stream.

use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures::channel::oneshot;
use futures::stream::{self, SelectAll, Stream};
use futures::{StreamExt, TryStreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::Notify;
use tokio_tungstenite::tungstenite::Message;

use super::{BUFFER_BYTES, Error};
use crate::client::{Connection, Heard, Hearing, Speaking, is_over, split};

/// How long the pod may be silent once all streams have said their last: answers to that are still on their way, but a
/// stream that was dropped looks the same, and must not keep the connection for ever.
const LINGER: Duration = Duration::from_secs(30);

/// Our end of a port.
pub(super) struct End {
    inbox: Inbox,
    outbox: ReadHalf<DuplexStream>,
}

impl End {
    pub(super) fn new(port: u16, stream: DuplexStream, error: oneshot::Sender<String>) -> Self {
        let (outbox, inbox) = tokio::io::split(stream);
        Self { inbox: Inbox { port, is_begun: [false; 2], stream: Some(inbox), error: Some(error) }, outbox }
    }
}

/// What comes for a port.
struct Inbox {
    port: u16,
    // Whether the number of the port has come, on the channel for data and on the one for its error.
    is_begun: [bool; 2],
    // Gone when either side has ended it.
    stream: Option<WriteHalf<DuplexStream>>,
    error: Option<oneshot::Sender<String>>,
}

/// Carries messages until the pod ends the connection, it breaks, or no stream is left here.
pub(super) async fn run(connection: Connection, ends: Vec<End>) -> Result<(), Error> {
    let (hearing, mut speaking) = split(connection);
    let (inboxes, outboxes): (Vec<_>, Vec<_>) = ends.into_iter().map(|end| (end.inbox, end.outbox)).unzip();
    let activity = Notify::new();
    let mut listening = pin!(listen(hearing, inboxes, &activity));
    // Listening comes first: when the pod has ended the connection, nothing can be sent.
    tokio::select! {
        biased;
        heard = &mut listening => return heard,
        said = speak(&mut speaking, outboxes) => said?,
    }
    tokio::select! {
        biased;
        heard = &mut listening => heard,
        end = linger(&mut speaking, &activity) => end,
    }
}

/// Waits until the pod has been silent for a while, then says goodbye.
async fn linger(speaking: &mut Speaking, activity: &Notify) -> Result<(), Error> {
    let mut ping = Speaking::pings();
    let mut silence = pin!(tokio::time::sleep(LINGER));
    loop {
        tokio::select! {
            biased;
            () = activity.notified() => silence.as_mut().reset(tokio::time::Instant::now() + LINGER),
            () = &mut silence => return send(speaking, Message::Close(None)).await,
            _ = ping.tick() => send(speaking, Message::Ping(Bytes::new())).await?,
        }
    }
}

async fn send(speaking: &mut Speaking, message: Message) -> Result<(), Error> {
    speaking.send(message).await.map_err(Error::SendWebSocketMessage)
}

async fn listen(mut hearing: Hearing, mut inboxes: Vec<Inbox>, activity: &Notify) -> Result<(), Error> {
    while inboxes.iter().any(|inbox| inbox.stream.is_some()) {
        match hearing.next().await {
            Ok(Heard::Message(message)) => take(&mut inboxes, &message).await?,
            Ok(Heard::End) => return Ok(()),
            // A kubelet drops the connection when all ports are done.
            Err(error) if is_over(&error) && inboxes.iter().all(Inbox::is_begun) => return Ok(()),
            Err(error) => return Err(Error::ReceiveWebSocketMessage(error)),
        }
        activity.notify_one();
    }
    Ok(())
}

async fn take(inboxes: &mut [Inbox], message: &[u8]) -> Result<(), Error> {
    let Some((channel, data)) = message.split_first() else { return Ok(()) };
    let (place, kind) = (usize::from(channel / 2), usize::from(channel % 2));
    let inbox = inboxes.get_mut(place).ok_or(Error::InvalidChannel(usize::from(*channel)))?;
    match kind {
        kind if !inbox.is_begun[kind] => inbox.begin(kind, data),
        0 => inbox.write(data).await,
        _ => inbox.fail(data).await,
    }
}

impl Inbox {
    fn is_begun(&self) -> bool {
        self.is_begun == [true; 2]
    }

    fn begin(&mut self, kind: usize, data: &[u8]) -> Result<(), Error> {
        let number: [u8; 2] = data.try_into().map_err(|_| Error::InvalidInitialFrameSize)?;
        let (actual, expected) = (u16::from_le_bytes(number), self.port);
        if actual != expected {
            return Err(Error::InvalidPortMapping { actual, expected });
        }
        self.is_begun[kind] = true;
        Ok(())
    }

    async fn write(&mut self, data: &[u8]) -> Result<(), Error> {
        let Some(stream) = &mut self.stream else { return Ok(()) };
        match stream.write_all(data).await {
            Ok(()) => Ok(()),
            // Its reader is gone; the other ports go on.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                self.stream = None;
                Ok(())
            }
            Err(error) => Err(Error::WriteBytesFromPod(error)),
        }
    }

    /// The pod's error ends the port.
    async fn fail(&mut self, data: &[u8]) -> Result<(), Error> {
        let text = String::from_utf8(data.to_vec()).map_err(Error::InvalidErrorMessage)?;
        if let Some(error) = self.error.take() {
            // The receiver may be gone.
            error.send(text).unwrap_or_default();
        }
        self.end().await
    }

    async fn end(&mut self) -> Result<(), Error> {
        match self.stream.take() {
            Some(mut stream) => stream.shutdown().await.map_err(Error::Shutdown),
            None => Ok(()),
        }
    }
}

/// Sends what the streams say until all have said their last.
async fn speak(speaking: &mut Speaking, outboxes: Vec<ReadHalf<DuplexStream>>) -> Result<(), Error> {
    let mut said: SelectAll<_> =
        outboxes.into_iter().zip(0..).map(|(outbox, place)| messages(outbox, place * 2).boxed()).collect();
    let mut ping = Speaking::pings();
    loop {
        tokio::select! {
            biased;
            _ = ping.tick() => send(speaking, Message::Ping(Bytes::new())).await?,
            message = said.try_next() => match message? {
                Some(message) => send(speaking, message).await?,
                None => return Ok(()),
            },
        }
    }
}

/// What one stream says, as messages of `channel`.
fn messages(outbox: ReadHalf<DuplexStream>, channel: u8) -> impl Stream<Item = Result<Message, Error>> {
    stream::try_unfold(outbox, move |mut outbox| async move {
        let mut message = vec![0; 1 + BUFFER_BYTES];
        message[0] = channel;
        let length = outbox.read(&mut message[1..]).await.map_err(Error::ReadBytesToSend)?;
        message.truncate(1 + length);
        Ok((length > 0).then(|| (Message::Binary(message.into()), outbox)))
    })
}
