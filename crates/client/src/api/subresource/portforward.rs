//! Ports of a pod, as streams here.
//!
//! ```text
//!   take_stream(80) ◄─► pump ◄─► channels 0 (data) and 1 (error) ┐
//!   take_stream(443) ◄─► pump ◄─► channels 2 and 3 ──────────────┴◄─► WebSocket
//! ```
//! Each port is one TCP connection inside the pod. One task carries all of them; it lives as long as a stream is in use,
//! with or without this handle, and ends when the pod ends the connection, when all streams are dropped, or by
//! [`abort`](Portforwarder::abort). All ports share one connection without flow control of their own: a stream that is
//! not read holds up the others.

mod pump;

use futures::channel::oneshot;
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite as ws;

use crate::client::Connection;
use crate::error_chain::error_chain;

/// What waits in each direction of one port: some reads of a kubelet.
const BUFFER_BYTES: usize = 64 * 1024;

/// Why forwarding ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A message for a port that was not asked for.
    #[error("a message came for channel {0}, which was not opened")]
    InvalidChannel(usize),
    /// A channel did not begin with its port.
    #[error("a channel did not begin with the number of its port")]
    InvalidInitialFrameSize,
    /// A channel began with another port.
    #[error("a channel is of port {actual} where {expected} was asked for")]
    InvalidPortMapping {
        /// What came.
        actual: u16,
        /// What was asked for.
        expected: u16,
    },
    /// What came from the pod could not be handed on.
    #[error("handing on what came from the pod failed: {}", error_chain(.0))]
    ForwardFromPod(#[source] futures::channel::mpsc::SendError),
    /// What is meant for the pod could not be handed on.
    #[error("handing on what is meant for the pod failed: {}", error_chain(.0))]
    ForwardToPod(#[source] futures::channel::mpsc::SendError),
    /// What came from the pod could not be written.
    #[error("writing what came from the pod failed: {}", error_chain(.0))]
    WriteBytesFromPod(#[source] std::io::Error),
    /// What is meant for the pod could not be read.
    #[error("reading what is meant for the pod failed: {}", error_chain(.0))]
    ReadBytesToSend(#[source] std::io::Error),
    /// The pod's error is not text.
    #[error("an error came from the pod that is not text: {}", error_chain(.0))]
    InvalidErrorMessage(#[source] std::string::FromUtf8Error),
    /// The pod's error could not be handed on.
    #[error("handing on the pod's error failed: {0}")]
    ForwardErrorMessage(String),
    /// A message could not be sent.
    #[error("sending to the pod failed: {}", error_chain(.0))]
    SendWebSocketMessage(#[source] ws::Error),
    /// The connection broke or fell silent.
    #[error("the connection to the pod broke: {}", error_chain(.0))]
    ReceiveWebSocketMessage(#[source] ws::Error),
    /// The task that forwards was aborted.
    #[error("forwarding was aborted: {}", error_chain(.0))]
    Spawn(#[source] tokio::task::JoinError),
    /// The end of a stream could not be handed on.
    #[error("handing on the end of a stream failed: {}", error_chain(.0))]
    Shutdown(#[source] std::io::Error),
}

/// Ports of a pod.
#[derive(Debug)]
pub struct Portforwarder {
    ports: Vec<Port>,
    task: JoinHandle<Result<(), Error>>,
}

/// The user's end of a port.
#[derive(Debug)]
struct Port {
    number: u16,
    stream: Option<DuplexStream>,
    error: Option<oneshot::Receiver<String>>,
}

impl Portforwarder {
    pub(crate) fn new(connection: Connection, ports: &[u16]) -> Self {
        let (ports, ends): (Vec<_>, Vec<_>) = ports.iter().map(|number| open(*number)).unzip();
        Self { ports, task: tokio::spawn(pump::run(connection, ends)) }
    }

    /// The connection to `port`; once.
    pub fn take_stream(&mut self, port: u16) -> Option<DuplexStream> {
        self.port(port)?.stream.take()
    }

    /// What went wrong with `port`, such as that no process listens there; once. `None` where nothing did.
    pub fn take_error(&mut self, port: u16) -> Option<impl Future<Output = Option<String>> + use<>> {
        let error = self.port(port)?.error.take()?;
        Some(async move { error.await.ok() })
    }

    /// Ends the connection now.
    pub fn abort(&self) {
        self.task.abort();
    }

    /// Waits for the end. Streams that were not taken are dropped.
    ///
    /// # Errors
    /// When the connection broke before the end.
    pub async fn join(self) -> Result<(), Error> {
        let Self { ports, task } = self;
        drop(ports);
        task.await.map_err(Error::Spawn)?
    }

    fn port(&mut self, number: u16) -> Option<&mut Port> {
        self.ports.iter_mut().find(|port| port.number == number)
    }
}

fn open(number: u16) -> (Port, pump::End) {
    let (theirs, ours) = tokio::io::duplex(BUFFER_BYTES);
    let (error_sender, error) = oneshot::channel();
    let port = Port { number, stream: Some(theirs), error: Some(error) };
    (port, pump::End::new(number, ours, error_sender))
}
