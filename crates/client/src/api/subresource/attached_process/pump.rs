//! The task behind an [`AttachedProcess`](super::AttachedProcess): messages to streams and back.
//!
//! The first byte of each message is its channel. Listening and speaking do not wait for each other, so a process whose
//! output is not read can still be written to. A connection on which nothing comes for a while, not even the answer to
//! a ping, is dead.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Context;

use bytes::Bytes;
use futures::StreamExt;
use futures::channel::{mpsc, oneshot};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, SimplexStream, WriteHalf};
use tokio_tungstenite::tungstenite::Message;

use super::{BUFFER_BYTES, Error, TerminalSize};
use crate::client::{Connection, Heard, Hearing, Speaking, is_over, split};

/// The channels of a process.
const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const STATUS: u8 = 3;
const RESIZE: u8 = 4;
/// Signals to the server that another channel is closed; version 5 only, and never the other way.
const CLOSE: u8 = 255;

/// Our ends of the streams.
pub(super) struct Ends {
    pub(super) stdin: Option<ReadHalf<SimplexStream>>,
    pub(super) stdout: Output,
    pub(super) stderr: Output,
    pub(super) status: Option<oneshot::Sender<Status>>,
    pub(super) sizes: Option<mpsc::Receiver<TerminalSize>>,
}

/// A stream to the user that ends when this is dropped, also when the task is aborted: halves of a pipe do not do
/// that by themselves, and a reader would wait for ever.
pub(super) struct Output(Option<WriteHalf<SimplexStream>>);

impl Output {
    pub(super) fn new(pipe: Option<WriteHalf<SimplexStream>>) -> Self {
        Self(pipe)
    }

    async fn write(&mut self, data: &[u8]) -> io::Result<()> {
        match &mut self.0 {
            Some(pipe) => pipe.write_all(data).await,
            // It was not asked for.
            None => Ok(()),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.0.take() {
            // In memory this is done at once.
            let mut context = Context::from_waker(std::task::Waker::noop());
            let _ended = Pin::new(&mut pipe).poll_shutdown(&mut context);
        }
    }
}

/// Carries messages until the process ends or the connection breaks.
pub(super) async fn run(connection: Connection, ends: Ends) -> Result<(), Error> {
    let input_end = if connection.supports_stream_close() { InputEnd::Channel } else { InputEnd::Connection };
    let (hearing, speaking) = split(connection);
    let Ends { stdin, stdout, stderr, status, sizes } = ends;
    let is_done = AtomicBool::new(false);
    let listener = Listener { stdout, stderr, status, is_done: &is_done };
    // Listening comes first: once the process has ended, what was still to be said does not matter.
    tokio::select! {
        biased;
        heard = listener.listen(hearing) => heard,
        said = speak(speaking, stdin, sizes, input_end, &is_done) => said,
    }
}

struct Listener<'a> {
    stdout: Output,
    stderr: Output,
    status: Option<oneshot::Sender<Status>>,
    // Whether the process has reported how it ended, or we said goodbye: then a connection that breaks is not an error.
    is_done: &'a AtomicBool,
}

impl Listener<'_> {
    async fn listen(mut self, mut hearing: Hearing) -> Result<(), Error> {
        loop {
            match hearing.next().await {
                Ok(Heard::Message(message)) => self.take(&message).await?,
                Ok(Heard::End) => return Ok(()),
                Err(error) if self.is_done.load(Ordering::Relaxed) && is_over(&error) => return Ok(()),
                Err(error) => return Err(Error::ReceiveWebSocketMessage(error)),
            }
        }
    }

    async fn take(&mut self, message: &[u8]) -> Result<(), Error> {
        match *message {
            [STDOUT, ref data @ ..] => self.stdout.write(data).await.map_err(Error::WriteStdout),
            [STDERR, ref data @ ..] => self.stderr.write(data).await.map_err(Error::WriteStderr),
            // Each channel may begin with an empty message.
            [STATUS, ref data @ ..] if !data.is_empty() => self.report_status(data),
            // A channel that this version does not know.
            _ => Ok(()),
        }
    }

    fn report_status(&mut self, data: &[u8]) -> Result<(), Error> {
        let status: Status = serde_json::from_slice(data).map_err(Error::DeserializeStatus)?;
        self.is_done.store(true, Ordering::Relaxed);
        if let Some(sender) = self.status.take() {
            // The receiver may be gone.
            sender.send(status).unwrap_or_default();
        }
        Ok(())
    }
}

/// How the process learns that its input ends.
#[derive(Clone, Copy)]
enum InputEnd {
    /// By a message.
    Channel,
    /// There is no message for it: only by ending the connection.
    Connection,
}

async fn speak(
    mut speaking: Speaking,
    mut stdin: Option<ReadHalf<SimplexStream>>,
    mut sizes: Option<mpsc::Receiver<TerminalSize>>,
    input_end: InputEnd,
    is_done: &AtomicBool,
) -> Result<(), Error> {
    let mut ping = Speaking::pings();
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        // Sizes are few and small, input may be much.
        tokio::select! {
            biased;
            size = next_size(&mut sizes) => {
                let mut message = vec![RESIZE];
                serde_json::to_writer(&mut message, &size).map_err(Error::SerializeTerminalSize)?;
                speaking.send(Message::Binary(message.into())).await.map_err(Error::SendTerminalSize)?;
            }
            _ = ping.tick() => {
                speaking.send(Message::Ping(Bytes::new())).await.map_err(Error::SendPing)?;
            }
            read = next_input(&mut stdin, &mut buffer) => {
                let length = read.map_err(Error::ReadStdin)?;
                if length > 0 {
                    let message = [&[STDIN], &buffer[..length]].concat();
                    speaking.send(Message::Binary(message.into())).await.map_err(Error::SendStdin)?;
                } else {
                    stdin = None;
                    let end = match input_end {
                        InputEnd::Channel => Message::Binary(Bytes::from_static(&[CLOSE, STDIN])),
                        InputEnd::Connection => Message::Close(None),
                    };
                    is_done.store(matches!(input_end, InputEnd::Connection), Ordering::Relaxed);
                    speaking.send(end).await.map_err(Error::SendClose)?;
                }
            }
        }
    }
}

/// The next size; never, where there is no terminal or its size cannot change.
async fn next_size(sizes: &mut Option<mpsc::Receiver<TerminalSize>>) -> TerminalSize {
    loop {
        match sizes {
            None => return std::future::pending().await,
            Some(receiver) => match receiver.next().await {
                Some(size) => return size,
                None => *sizes = None,
            },
        }
    }
}

/// The next input; never, where there is none or it has ended.
async fn next_input(stdin: &mut Option<ReadHalf<SimplexStream>>, buffer: &mut [u8]) -> io::Result<usize> {
    match stdin {
        Some(stdin) => stdin.read(buffer).await,
        None => std::future::pending().await,
    }
}
