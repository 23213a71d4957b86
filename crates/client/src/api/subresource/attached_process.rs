//! A process in a pod, with its streams.
//!
//! ```text
//!   stdin() ─► pump ─► channel 0 ┐             ┌ channel 1 ─► pump ─► stdout()
//!   terminal_size() ─► channel 4 ┼► WebSocket ─┼ channel 2 ─► pump ─► stderr()
//!                                ┘             └ channel 3 ─► pump ─► take_status()
//! ```
//! One task carries everything; it ends with the process, with [`abort`](AttachedProcess::abort), or when this is
//! dropped, and the streams end with it. Buffers are small and fixed: who asks for a stream has to read it, or the
//! process waits. [`join`](AttachedProcess::join) discards output that was not taken.

mod pump;

use futures::channel::{mpsc, oneshot};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use pintle_core::subresource::AttachParams;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncWriteExt, ReadHalf, SimplexStream, WriteHalf};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite as ws;

use crate::client::Connection;
use crate::error_chain::error_chain;

/// What waits in one direction of one stream unless said otherwise: what a kubelet reads at once.
const BUFFER_BYTES: usize = 32 * 1024;

/// Sizes of a terminal that wait to be sent: only the last one counts, so few are enough.
const SIZES_WAITING: usize = 4;

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct TerminalSize {
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

/// Why the connection to a process broke.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What was written to stdin could not be taken.
    #[error("reading what was written to stdin failed: {}", error_chain(.0))]
    ReadStdin(#[source] std::io::Error),
    /// What was written to stdin could not be sent.
    #[error("sending stdin failed: {}", error_chain(.0))]
    SendStdin(#[source] ws::Error),
    /// Output could not be handed on.
    #[error("handing stdout on failed: {}", error_chain(.0))]
    WriteStdout(#[source] std::io::Error),
    /// Errors could not be handed on.
    #[error("handing stderr on failed: {}", error_chain(.0))]
    WriteStderr(#[source] std::io::Error),
    /// The connection broke or fell silent.
    #[error("the connection to the process broke: {}", error_chain(.0))]
    ReceiveWebSocketMessage(#[source] ws::Error),
    /// The task that carries the streams was aborted.
    #[error("the connection to the process was aborted: {}", error_chain(.0))]
    Spawn(#[source] tokio::task::JoinError),
    /// The end of stdin could not be sent.
    #[error("sending the end of stdin failed: {}", error_chain(.0))]
    SendClose(#[source] ws::Error),
    /// A sign of life could not be sent.
    #[error("sending a sign of life failed: {}", error_chain(.0))]
    SendPing(#[source] ws::Error),
    /// How the process ended was not understood.
    #[error("the status of the process was not understood: {}", error_chain(.0))]
    DeserializeStatus(#[source] serde_json::Error),
    /// How the process ended could not be handed on.
    #[error("handing the status on failed")]
    SendStatus,
    /// A terminal's size could not be written.
    #[error("the terminal's size could not be written: {}", error_chain(.0))]
    SerializeTerminalSize(#[source] serde_json::Error),
    /// A terminal's size could not be sent.
    #[error("sending the terminal's size failed: {}", error_chain(.0))]
    SendTerminalSize(#[source] ws::Error),
    /// There is no terminal.
    #[error("there is no terminal to resize: ask for one with AttachParams::tty(true)")]
    TtyNeedToBeTrue,
}

/// A process in a pod.
#[derive(Debug)]
pub struct AttachedProcess {
    stdin: Option<WriteHalf<SimplexStream>>,
    stdout: Option<ReadHalf<SimplexStream>>,
    stderr: Option<ReadHalf<SimplexStream>>,
    status: Option<oneshot::Receiver<Status>>,
    sizes: Option<mpsc::Sender<TerminalSize>>,
    // Gone once joined.
    task: Option<JoinHandle<Result<(), Error>>>,
}

impl AttachedProcess {
    pub(crate) fn new(connection: Connection, params: &AttachParams) -> Self {
        let pipe = |is_wanted: bool, size: Option<usize>| {
            is_wanted.then(|| tokio::io::simplex(size.unwrap_or(BUFFER_BYTES).max(1))).unzip()
        };
        let (stdin_reader, stdin) = pipe(params.stdin, params.max_stdin_buf_size);
        let (stdout, stdout_writer) = pipe(params.stdout, params.max_stdout_buf_size);
        let (stderr, stderr_writer) = pipe(params.stderr, params.max_stderr_buf_size);
        let (status_sender, status) = oneshot::channel();
        let (sizes, sizes_receiver) = params.tty.then(|| mpsc::channel(SIZES_WAITING)).unzip();
        let ends = pump::Ends {
            stdin: stdin_reader,
            stdout: pump::Output::new(stdout_writer),
            stderr: pump::Output::new(stderr_writer),
            status: Some(status_sender),
            sizes: sizes_receiver,
        };
        let task = Some(tokio::spawn(pump::run(connection, ends)));
        Self { stdin, stdout, stderr, status: Some(status), sizes, task }
    }

    /// Where to write what the process reads; once. To end its input, shut the writer down
    /// (`AsyncWriteExt::shutdown`): dropping it says nothing.
    pub fn stdin(&mut self) -> Option<WriteHalf<SimplexStream>> {
        self.stdin.take()
    }

    /// What the process writes; once.
    pub fn stdout(&mut self) -> Option<ReadHalf<SimplexStream>> {
        self.stdout.take()
    }

    /// The errors that the process writes; once.
    pub fn stderr(&mut self) -> Option<ReadHalf<SimplexStream>> {
        self.stderr.take()
    }

    /// Ends the connection now.
    pub fn abort(&self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }

    /// Waits for the end. Input that was not taken is closed, output that was not taken is read and discarded.
    ///
    /// # Errors
    /// When the connection broke before the end.
    pub async fn join(mut self) -> Result<(), Error> {
        if let Some(mut stdin) = self.stdin.take() {
            // No writer is left; that it cannot fail in memory does not matter here.
            stdin.shutdown().await.unwrap_or_default();
        }
        let (stdout, stderr) = (self.stdout.take(), self.stderr.take());
        let Some(task) = self.task.as_mut() else { return Ok(()) };
        let (ended, (), ()) = tokio::join!(task, forget(stdout), forget(stderr));
        ended.map_err(Error::Spawn)?
    }

    /// How the process ended, once it did; once. `None` where the connection ended before.
    pub fn take_status(&mut self) -> Option<impl Future<Output = Option<Status>> + use<>> {
        let status = self.status.take()?;
        Some(async move { status.await.ok() })
    }

    /// Where to send the size of the terminal whenever it changes; once, and only with
    /// [`AttachParams::tty`].
    pub fn terminal_size(&mut self) -> Option<mpsc::Sender<TerminalSize>> {
        self.sizes.take()
    }
}

impl Drop for AttachedProcess {
    fn drop(&mut self) {
        self.abort();
    }
}

/// Reads to the end.
async fn forget(output: Option<ReadHalf<SimplexStream>>) {
    if let Some(mut output) = output {
        // Whatever ends it, it is over.
        tokio::io::copy(&mut output, &mut tokio::io::sink()).await.unwrap_or_default();
    }
}
