//! Processes of simulated pods, spoken for over WebSockets: exec and attach, in Kubernetes' channel protocols.
//!
//! In: a process, and a WebSocket. Out: what the process does: a message for each channel, the status, the end. The first byte of
//! a message is its channel. Version 5 of the protocol can close one channel alone, which is how input ends.

use std::pin::pin;

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::sleep;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::upgrade;
use crate::controllers::simulated::commands::Process;

/// Does what a process does, as the client sees it.
pub(super) async fn run<S: AsyncRead + AsyncWrite + Unpin>(
    process: &Process,
    socket: &mut WebSocketStream<S>,
) -> Result<(), Error> {
    let streams = &process.streams;
    let has_errors = streams.stderr && !streams.tty;
    // As a kubelet does, each channel that is there begins with an empty message.
    for (channel, is_there) in [(STDOUT, streams.stdout), (STDERR, has_errors), (STATUS, true)] {
        if is_there {
            say(socket, channel, b"").await?;
        }
    }
    let Some(early) = wait(process, socket).await? else { return Ok(()) };
    if streams.stdout {
        print(socket, STDOUT, &process.stdout).await?;
    }
    match (has_errors, streams.tty && streams.stdout) {
        (true, _) => print(socket, STDERR, &process.stderr).await?,
        // A terminal shows both.
        (false, true) => print(socket, STDOUT, &process.stderr).await?,
        (false, false) => {}
    }
    if repeats(process) && !repeat(process, socket, early).await? {
        return Ok(());
    }
    say(socket, STATUS, status(process.exit_code).to_string().as_bytes()).await?;
    upgrade::say_goodbye(socket).await
}

fn repeats(process: &Process) -> bool {
    process.is_echo && process.streams.stdin
}

/// What was typed before the process began, and whether the input ended.
#[derive(Default)]
struct Early {
    typed: Vec<u8>,
    has_ended: bool,
}

/// Waits until the process says something, and keeps what it will repeat; nothing where the client went.
async fn wait<S: AsyncRead + AsyncWrite + Unpin>(
    process: &Process,
    socket: &mut WebSocketStream<S>,
) -> Result<Option<Early>, Error> {
    let mut due = pin!(sleep(process.after));
    let mut early = Early::default();
    loop {
        let message = tokio::select! {
            biased;
            // First, because a client that goes on sending does not delay the process.
            () = &mut due => return Ok(Some(early)),
            // What a process will repeat waits at the client once this is much.
            message = socket.next(), if early.typed.len() < EARLY_BYTES_MAX => message,
        };
        match message.transpose()? {
            Some(Message::Binary(message)) if repeats(process) && !early.has_ended => match &message[..] {
                [STDIN, typed @ ..] => early.typed.extend_from_slice(typed),
                [CLOSE, STDIN] => early.has_ended = true,
                _ => {}
            },
            Some(Message::Close(_)) | None => return Ok(None),
            Some(_) => {}
        }
    }
}

/// Says what was typed and what is, until the input ends; `false` where the client went.
async fn repeat<S: AsyncRead + AsyncWrite + Unpin>(
    process: &Process,
    socket: &mut WebSocketStream<S>,
    early: Early,
) -> Result<bool, Error> {
    for typed in early.typed.chunks(PIECE_BYTES) {
        if say_again(process, socket, typed).await? {
            return Ok(true);
        }
    }
    if early.has_ended {
        return Ok(true);
    }
    while let Some(message) = socket.next().await {
        let message = match message? {
            Message::Binary(message) => message,
            Message::Close(_) => return Ok(false),
            _ => continue,
        };
        match &message[..] {
            [STDIN, typed @ ..] if say_again(process, socket, typed).await? => return Ok(true),
            [CLOSE, STDIN] => return Ok(true),
            _ => {}
        }
    }
    Ok(false)
}

/// Says what was typed; `true` where the input ends in it.
async fn say_again<S: AsyncRead + AsyncWrite + Unpin>(
    process: &Process,
    socket: &mut WebSocketStream<S>,
    typed: &[u8],
) -> Result<bool, Error> {
    let end = typed.iter().position(|byte| *byte == END_OF_TRANSMISSION).filter(|_| process.streams.tty);
    if process.streams.stdout {
        say(socket, STDOUT, &typed[..end.unwrap_or(typed.len())]).await?;
    }
    Ok(end.is_some())
}

async fn print<S: AsyncRead + AsyncWrite + Unpin>(
    socket: &mut WebSocketStream<S>,
    channel: u8,
    text: &str,
) -> Result<(), Error> {
    for piece in text.as_bytes().chunks(PIECE_BYTES) {
        say(socket, channel, piece).await?;
    }
    Ok(())
}

async fn say<S: AsyncRead + AsyncWrite + Unpin>(
    socket: &mut WebSocketStream<S>,
    channel: u8,
    data: &[u8],
) -> Result<(), Error> {
    socket.send(Message::Binary([&[channel], data].concat().into())).await
}

/// How a process ended, as kubelets say it.
pub(super) fn status(exit_code: i32) -> Value {
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

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const STATUS: u8 = 3;
/// Says that another channel is closed; in version 5.
const CLOSE: u8 = 255;

/// What Control-D sends.
pub(super) const END_OF_TRANSMISSION: u8 = 4;

/// What kubelets read and send at a time.
const PIECE_BYTES: usize = 32 * 1024;

/// So much input is kept for a process that has not begun: more than anybody types, and what a test pipes into it mostly.
pub(super) const EARLY_BYTES_MAX: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use pintle_core::call::Connect;
    use tokio::io::DuplexStream;
    use tokio::task::JoinHandle;
    use tokio::time::timeout;
    use tokio_tungstenite::tungstenite::protocol::Role;

    use super::*;

    type Client = WebSocketStream<DuplexStream>;

    /// A client of a process that repeats its input after this time; all channels are there.
    async fn echo(after: Duration) -> (Client, JoinHandle<Result<(), Error>>) {
        let streams = Connect { stdin: true, stdout: true, ..Connect::default() };
        let process = Process { is_echo: true, after, streams, ..Process::default() };
        let (near, far) = tokio::io::duplex(PIECE_BYTES);
        let running = tokio::spawn(async move {
            let mut socket = WebSocketStream::from_raw_socket(near, Role::Server, None).await;
            run(&process, &mut socket).await
        });
        let mut client = WebSocketStream::from_raw_socket(far, Role::Client, None).await;
        for channel in [STDOUT, STATUS] {
            assert_eq!(client.next().await.unwrap().unwrap(), Message::Binary(vec![channel].into()));
        }
        (client, running)
    }

    #[tokio::test(start_paused = true)]
    async fn while_a_slow_command_runs_pings_are_answered_and_a_client_that_leaves_is_noticed() {
        for says_goodbye in [true, false] {
            let (mut client, running) = echo(Duration::from_secs(3600)).await;
            client.send(Message::Ping(b"there?"[..].into())).await.unwrap();
            let answer = timeout(Duration::from_secs(1), client.next()).await;
            let answer = answer.expect("it does not wait for the command");
            assert_eq!(answer.unwrap().unwrap(), Message::Pong(b"there?"[..].into()));
            if says_goodbye {
                client.close(None).await.unwrap();
            } else {
                drop(client);
            }
            timeout(upgrade::GOODBYE_MAX, running).await.expect("it does not run on").unwrap().unwrap_or_default();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_typed_while_a_slow_command_runs_waits_for_it() {
        let (client, _running) = echo(Duration::from_secs(60)).await;
        let (mut writing, mut reading) = client.split();
        let typed = Message::Binary(vec![STDIN; PIECE_BYTES].into());
        let count = 3 * EARLY_BYTES_MAX / PIECE_BYTES;
        let write = async {
            for _ in 0..count {
                writing.send(typed.clone()).await.unwrap();
            }
            writing.send(Message::Binary(vec![CLOSE, STDIN].into())).await.unwrap();
        };
        let read = async {
            let mut repeated = 0;
            while let Some(Ok(Message::Binary(message))) = reading.next().await {
                repeated += if message[0] == STDOUT { message.len() - 1 } else { 0 };
            }
            repeated
        };
        assert_eq!(tokio::join!(write, read).1, count * (PIECE_BYTES - 1));
    }
}
