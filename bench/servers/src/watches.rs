//! Watches of one client: one connection, HTTP/2 over TLS, and as little work for each event as there can be.
//!
//! In: an address and a path that is watched several times. Out: for each event the watch it came on and when. Frames are
//! read as they come and their lines counted; nothing is decoded, and there is no task and no wake-up per watch, because
//! what the client spends is spent on the cores that the server needs too.

use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::BoxError;
use crate::connection::{Address, Stream};

/// The watches of one client.
pub(crate) struct Watches {
    stream: Stream,
    /// What was read and is not a whole frame yet.
    read: Vec<u8>,
}

impl Watches {
    /// Opens a connection and begins to watch a path so many times.
    pub(crate) async fn open(address: &Address, path: &str, count: usize) -> Result<Self, BoxError> {
        let mut stream = address.connect(&[b"h2"]).await?;
        let mut opening = PREFACE.to_vec();
        let window = [&INITIAL_WINDOW_SIZE.to_be_bytes()[..], &INITIAL_WINDOW.to_be_bytes()].concat();
        opening.extend(frame(SETTINGS, 0, 0, &window));
        opening.extend(frame(WINDOW_UPDATE, 0, 0, &CONNECTION_WINDOW.to_be_bytes()));
        for watch in 0..count {
            let number = u32::try_from(2 * watch + 1)?;
            opening.extend(frame(HEADERS, END_HEADERS | END_STREAM, number, &headers(address, path)));
        }
        stream.write_all(&opening).await?;
        Ok(Self { stream, read: Vec::with_capacity(2 * READ_BYTES) })
    }

    /// Waits for events, and reports the watch of each; an event is one line.
    pub(crate) async fn next(&mut self, mut report: impl FnMut(usize, Instant)) -> Result<(), BoxError> {
        self.read.reserve(READ_BYTES);
        if self.stream.read_buf(&mut self.read).await? == 0 {
            return Err("a connection ended".into());
        }
        let now = Instant::now();
        let (mut begin, mut answers) = (0, Vec::new());
        while let Some(head) = self.read.get(begin..begin + HEAD_BYTES) {
            let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
            let (kind, flags) = (head[3], head[4]);
            let number = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
            let Some(payload) = self.read.get(begin + HEAD_BYTES..begin + HEAD_BYTES + length) else { break };
            begin += HEAD_BYTES + length;
            match kind {
                DATA if flags == 0 => {
                    let watch = usize::try_from(number)? / 2;
                    memchr::memchr_iter(b'\n', payload).for_each(|_| report(watch, now));
                }
                HEADERS if payload.first() == Some(&STATUS_200) && flags & END_STREAM == 0 => {}
                SETTINGS if flags & ACKNOWLEDGED == 0 => answers.extend(frame(SETTINGS, ACKNOWLEDGED, 0, &[])),
                PING if flags & ACKNOWLEDGED == 0 => answers.extend(frame(PING, ACKNOWLEDGED, 0, payload)),
                SETTINGS | PING | WINDOW_UPDATE => {}
                _ => return Err(format!("a watch got a frame of type {kind} with flags {flags}").into()),
            }
        }
        self.read.drain(..begin);
        if !answers.is_empty() {
            self.stream.write_all(&answers).await?;
        }
        Ok(())
    }
}

fn frame(kind: u8, flags: u8, number: u32, payload: &[u8]) -> Vec<u8> {
    let length = payload.len().to_be_bytes();
    let mut bytes = length[length.len() - 3..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(number.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// The headers of a watch, each written out: HPACK's literals without indexing.
fn headers(address: &Address, path: &str) -> Vec<u8> {
    let mut block = Vec::new();
    let fields = [
        (":method", "GET"),
        (":scheme", "https"),
        (":authority", &address.host()),
        (":path", path),
        ("authorization", address.authorization()),
        ("accept", "application/json"),
    ];
    for (name, value) in fields {
        block.push(0);
        text(&mut block, name);
        text(&mut block, value);
    }
    block
}

/// A text of HPACK: its length in seven bits and more, then itself.
fn text(block: &mut Vec<u8>, text: &str) {
    match text.len().checked_sub(127) {
        None => block.push(text.len() as u8),
        Some(mut rest) => {
            block.push(127);
            while rest >= 128 {
                block.push((rest % 128) as u8 | 128);
                rest /= 128;
            }
            block.push(rest as u8);
        }
    }
    block.extend(text.as_bytes());
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEAD_BYTES: usize = 9;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;

/// The setting of each stream's window.
const INITIAL_WINDOW_SIZE: u16 = 4;

const END_STREAM: u8 = 1;
const ACKNOWLEDGED: u8 = 1;
const END_HEADERS: u8 = 4;

/// HPACK's one byte for `:status: 200`, which comes first.
const STATUS_200: u8 = 0x88;

/// What Go's client, and with it every client of Kubernetes in Go, lets a server send: more than is sent here.
const INITIAL_WINDOW: u32 = 4 << 20;
const CONNECTION_WINDOW: u32 = 1 << 30;

/// As much as a connection may have for us at a time.
const READ_BYTES: usize = 64 * 1024;
