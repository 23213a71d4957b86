//! A body as something to read from, for logs and other answers that are text.
//!
//! In: pieces of a body. Out: bytes, without a copy where the reader takes them in place. Holds one piece at a time, so
//! a reader that is slow slows the server down. Dropping it ends the call.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use futures::{AsyncBufRead, AsyncRead};
use http_body::Body as _;

use crate::client::body::Body;

/// Reads a body.
pub(in crate::client) struct BodyReader {
    body: Body,
    // What of the last piece has not been read yet.
    piece: Bytes,
}

impl BodyReader {
    pub(in crate::client) fn new(body: Body) -> Self {
        Self { body, piece: Bytes::new() }
    }
}

impl AsyncBufRead for BodyReader {
    fn poll_fill_buf(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let reader = self.get_mut();
        while reader.piece.is_empty() {
            match ready!(Pin::new(&mut reader.body).poll_frame(context)) {
                None => break,
                Some(Err(error)) => return Poll::Ready(Err(io::Error::other(error))),
                Some(Ok(frame)) => reader.piece = frame.into_data().unwrap_or_default(),
            }
        }
        Poll::Ready(Ok(&reader.piece))
    }

    fn consume(mut self: Pin<&mut Self>, amount: usize) {
        self.piece.advance(amount);
    }
}

impl AsyncRead for BodyReader {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
        let piece = ready!(self.as_mut().poll_fill_buf(context))?;
        let amount = piece.len().min(buffer.len());
        buffer[..amount].copy_from_slice(&piece[..amount]);
        self.consume(amount);
        Poll::Ready(Ok(amount))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures::{AsyncBufReadExt, AsyncReadExt, FutureExt, StreamExt, stream};
    use http_body::Frame;
    use http_body_util::StreamBody;

    use super::*;

    fn reader(pieces: &[&'static str]) -> BodyReader {
        let frames: Vec<_> = pieces.iter().map(|piece| Ok::<_, Infallible>(Frame::data(Bytes::from(*piece)))).collect();
        BodyReader::new(Body::wrap_body(StreamBody::new(stream::iter(frames))))
    }

    #[test]
    fn lines_are_found_wherever_the_body_is_cut() {
        let text = "one\n\ntwo and\nthree";
        for size in 1..text.len() {
            let pieces: Vec<_> = (0..text.len()).step_by(size).map(|at| &text[at..text.len().min(at + size)]).collect();
            let lines: Vec<_> = reader(&pieces).lines().map(Result::unwrap).collect().now_or_never().unwrap();
            assert_eq!(lines, ["one", "", "two and", "three"], "pieces of {size}");
        }
    }

    #[test]
    fn what_is_read_in_small_bites_is_the_whole() {
        let mut text = Vec::new();
        reader(&["ab", "", "cde"]).read_to_end(&mut text).now_or_never().unwrap().unwrap();
        assert_eq!(text, b"abcde");
    }
}
