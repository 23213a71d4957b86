//! SPDY/3.1 as kubectl speaks it to forward ports: streams with headers, and bytes both ways.
//!
//! ```text
//!   bytes ─► Frames: cut, headers unpacked ─► Frame ─► who answers ─► Frame ─► written ─► bytes
//! ```
//! Only what these clients use: a server that opens no streams of its own, and no windows (their SPDY, like kubelets', keeps
//! none). A frame that breaks the protocol ends the connection.

mod headers;

use std::fmt;
use std::io;

use bytes::{Buf, BytesMut};
use headers::{HeaderReader, HeaderWriter};

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// A stream begins; its headers, names in small letters.
    Open {
        stream: u32,
        headers: Vec<(String, String)>,
        is_last: bool,
    },
    Data {
        stream: u32,
        bytes: Vec<u8>,
        is_last: bool,
    },
    /// A stream was given up.
    Reset {
        stream: u32,
    },
    /// Something to send back as it is.
    Ping {
        id: u32,
    },
    /// Nothing more will be opened.
    GoAway,
    /// Settings, windows, and what a client has no reason to send.
    Meaningless,
}

/// Why a connection cannot go on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken(&'static str);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is not SPDY/3.1: {}", self.0)
    }
}

impl From<Broken> for io::Error {
    fn from(broken: Broken) -> io::Error {
        io::Error::other(broken.to_string())
    }
}

/// Cuts bytes into frames.
#[derive(Default)]
pub(super) struct Frames {
    /// Bytes are taken off its front without moving those behind them.
    pending: BytesMut,
    headers: HeaderReader,
}

impl Frames {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// The next frame that has come whole.
    pub(super) fn next(&mut self) -> Result<Option<Frame>, Broken> {
        let Some((head, rest)) = self.pending.split_first_chunk::<HEAD_BYTES>() else { return Ok(None) };
        let [first, second, third, fourth, flags, length @ ..] = *head;
        let word = u32::from_be_bytes([first, second, third, fourth]);
        let length = u32::from_be_bytes([0, length[0], length[1], length[2]]) as usize;
        if length > FRAME_BYTES_MAX {
            return Err(Broken("a frame is too long"));
        }
        let Some(payload) = rest.get(..length) else { return Ok(None) };
        let payload = payload.to_vec();
        self.pending.advance(HEAD_BYTES + length);
        let is_last = flags & FLAG_LAST != 0;
        Ok(Some(match word & CONTROL {
            0 => Frame::Data { stream: word, bytes: payload, is_last },
            _ => self.control(word & !CONTROL, &payload, is_last)?,
        }))
    }

    /// What somebody says to the next frames; nothing where none is left. So little at a time that a client which does not read what it is
    /// told makes nothing pile up, and that one which sends much delays no other for long.
    pub(super) fn answer(&mut self, mut by: impl FnMut(Frame, &mut Vec<u8>)) -> Result<Option<Vec<u8>>, Broken> {
        let mut out = Vec::new();
        for count in 0..FRAMES_AT_ONCE {
            let Some(frame) = self.next()? else { return Ok((count > 0).then_some(out)) };
            by(frame, &mut out);
            if out.len() >= ANSWER_BYTES {
                break;
            }
        }
        Ok(Some(out))
    }

    fn control(&mut self, word: u32, payload: &[u8], is_last: bool) -> Result<Frame, Broken> {
        let (version, kind) = (word >> 16, word & 0xffff);
        if version != VERSION {
            return Err(Broken("another version"));
        }
        let number = |at: usize| {
            let bytes = payload.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u32::from_be_bytes).ok_or(Broken("a frame is too short"))
        };
        Ok(match kind {
            SYN_STREAM => {
                let (stream, block) = (number(0)? & !CONTROL, payload.get(10..).ok_or(Broken("a frame is too short"))?);
                Frame::Open { stream, headers: self.headers.read(block)?, is_last }
            }
            HEADERS => {
                // Nothing is done with them, but those that follow are packed as a continuation of them.
                self.headers.read(payload.get(4..).ok_or(Broken("a frame is too short"))?)?;
                Frame::Meaningless
            }
            RST_STREAM => Frame::Reset { stream: number(0)? & !CONTROL },
            PING => Frame::Ping { id: number(0)? },
            GOAWAY => Frame::GoAway,
            _ => Frame::Meaningless,
        })
    }
}

/// Writes frames.
#[derive(Default)]
pub(super) struct FrameWriter {
    headers: HeaderWriter,
}

impl FrameWriter {
    /// A stream is accepted.
    pub(super) fn accept(&mut self, stream: u32, out: &mut Vec<u8>) {
        let block = self.headers.write_none();
        control(SYN_REPLY, &[&stream.to_be_bytes()[..], &block].concat(), out);
    }

    /// Bytes of a stream; without any, only its end if that is it.
    pub(super) fn data(stream: u32, bytes: &[u8], is_last: bool, out: &mut Vec<u8>) {
        let mut pieces = bytes.chunks(PIECE_BYTES).peekable();
        while let Some(piece) = pieces.next() {
            data(stream, piece, is_last && pieces.peek().is_none(), out);
        }
        if bytes.is_empty() && is_last {
            data(stream, &[], true, out);
        }
    }

    pub(super) fn ping(id: u32, out: &mut Vec<u8>) {
        control(PING, &id.to_be_bytes(), out);
    }
}

fn control(kind: u32, payload: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(CONTROL | VERSION << 16 | kind).to_be_bytes());
    lengths(0, payload, out);
}

fn data(stream: u32, bytes: &[u8], is_last: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(&stream.to_be_bytes());
    lengths(if is_last { FLAG_LAST } else { 0 }, bytes, out);
}

/// Flags and length in one word, and what they are about.
fn lengths(flags: u8, payload: &[u8], out: &mut Vec<u8>) {
    let length = u32::try_from(payload.len()).expect("frames are written in pieces");
    out.extend_from_slice(&(u32::from(flags) << 24 | length).to_be_bytes());
    out.extend_from_slice(payload);
}

const HEAD_BYTES: usize = 8;
const VERSION: u32 = 3;

/// The first bit of a frame that is not data.
const CONTROL: u32 = 1 << 31;
const FLAG_LAST: u8 = 1;

const SYN_STREAM: u32 = 1;
const SYN_REPLY: u32 = 2;
const RST_STREAM: u32 = 3;
const PING: u32 = 6;
const GOAWAY: u32 = 7;
const HEADERS: u32 = 8;

/// Clients send what one read gave them, 32 KiB at most; the format itself allows 16 MiB.
const FRAME_BYTES_MAX: usize = 1024 * 1024;

/// Past this an answer is sent before the next frame is looked at: two pieces.
pub(super) const ANSWER_BYTES: usize = 64 * 1024;

/// So many frames are looked at in one go, even if nothing is said to them: unpacking the headers of one takes 0.1 ms at most.
pub(super) const FRAMES_AT_ONCE: usize = 256;

/// What kubelets send at a time.
const PIECE_BYTES: usize = 32 * 1024;

#[cfg(test)]
pub(super) mod tests {
    use flate2::{Compress, Compression, FlushCompress};

    use super::*;

    /// What a client of Go's spdystream sent to open a stream of errors for port 80, and one of data, recorded.
    const OPENED: &str = "\
        800300010000003d0000000100000000000078f9e3c6a7c202253a703a2b294a4dcc851625aca9a0808614cb45a024cc6461\
        c0c0c0c0590489c44c50e2663400000000ffff0000000101000000800300010000001c00000003000000000000826ac51445\
        350c542e25a29a05000000ffff";

    pub(in crate::serve) fn opened() -> Vec<u8> {
        let digits = OPENED.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
        digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
    }

    /// A client that opens streams.
    pub(in crate::serve) struct Opener(Compress);

    impl Opener {
        pub(in crate::serve) fn new() -> Opener {
            Opener(Compress::new(Compression::fast(), true))
        }

        pub(in crate::serve) fn open(&mut self, stream: u32, headers: &[(&str, &str)]) -> Vec<u8> {
            let length = |text: &str| u32::try_from(text.len()).unwrap().to_be_bytes();
            let mut text = u32::try_from(headers.len()).unwrap().to_be_bytes().to_vec();
            for word in headers.iter().flat_map(|(name, value)| [name, value]) {
                text.extend(length(word));
                text.extend(word.bytes());
            }
            let mut block = Vec::with_capacity(text.len() + 100);
            self.0.compress_vec(&text, &mut block, FlushCompress::Sync).unwrap();
            let mut out = Vec::new();
            control(SYN_STREAM, &[&stream.to_be_bytes()[..], &[0; 6], &block].concat(), &mut out);
            out
        }
    }

    #[test]
    fn many_small_frames_are_cut_without_moving_those_behind_them() {
        let mut frames = Frames::default();
        // Half a million; when each moved the rest, this took minutes.
        frames.push(&[0; 4 * 1024 * 1024]);
        let nothing = Frame::Data { stream: 0, bytes: Vec::new(), is_last: false };
        let count = std::iter::from_fn(|| frames.next().unwrap()).inspect(|frame| assert_eq!(*frame, nothing)).count();
        assert_eq!(count, 4 * 1024 * 1024 / HEAD_BYTES);
    }

    #[test]
    fn the_headers_of_streams_are_unpacked_one_after_the_other() {
        let mut frames = Frames::default();
        let mut found = Vec::new();
        // However it is cut on its way.
        for byte in opened() {
            frames.push(&[byte]);
            found.extend(std::iter::from_fn(|| frames.next().unwrap()));
        }
        let beginning = |frame: &Frame| match frame {
            Frame::Open { stream, headers, .. } => {
                let value = |name: &str| headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
                Some((*stream, value("streamtype")?, value("port")?, value("requestid")?))
            }
            _ => None,
        };
        let expected =
            [("error", 1), ("data", 3)].map(|(kind, id)| (id, kind.to_owned(), "80".to_owned(), "0".to_owned()));
        assert_eq!(found.iter().filter_map(beginning).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut out = Vec::new();
        FrameWriter::data(3, &[7; PIECE_BYTES + 1], true, &mut out);
        FrameWriter::data(5, &[], false, &mut out);
        FrameWriter::data(5, &[], true, &mut out);
        FrameWriter::ping(9, &mut out);
        let mut frames = Frames::default();
        frames.push(&out);
        let found: Vec<_> = std::iter::from_fn(|| frames.next().unwrap()).collect();
        assert_eq!(
            found,
            [
                Frame::Data { stream: 3, bytes: vec![7; PIECE_BYTES], is_last: false },
                Frame::Data { stream: 3, bytes: vec![7], is_last: true },
                Frame::Data { stream: 5, bytes: Vec::new(), is_last: true },
                Frame::Ping { id: 9 },
            ]
        );
    }

    #[test]
    fn what_is_not_spdy_ends_the_connection() {
        let broken = |bytes: &[u8]| {
            let mut frames = Frames::default();
            frames.push(bytes);
            frames.next().unwrap_err().to_string()
        };
        assert_eq!(broken(b"GET / HTTP/1.1\r\n"), "it is not SPDY/3.1: a frame is too long");
        assert_eq!(broken(&[0x80, 2, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1]), "it is not SPDY/3.1: another version");
        assert_eq!(broken(&[0x80, 3, 0, 6, 0, 0, 0, 2, 0, 0]), "it is not SPDY/3.1: a frame is too short");
        let block = [0x80, 3, 0, 1, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 2];
        assert_eq!(broken(&block), "it is not SPDY/3.1: headers cannot be unpacked");
    }
}
