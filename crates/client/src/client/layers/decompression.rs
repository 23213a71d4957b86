//! Adds gzip: asks for it and unpacks it, with a limit that keeps a small answer from filling the memory.
//!
//! Outside of the time limits, which then count the bytes that arrive.
//!
//! Plain calls ask for gzip. Watches ask for none: since 1.37 a server would compress each event apart, which costs
//! more than it saves. An answer that unpacks to more than [`RATIO_MAX`] times its size is refused, not read on.

use std::io::Write;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use futures::future::FutureExt;
use http::Request;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HeaderValue};
use http_body::{Body as HttpBody, Frame};
use thiserror::Error;
use tower::BoxError;

use crate::client::body::Body;
use crate::client::layers::wrapped::{Answer, Inner, WrapsCalls};
use crate::client::request::class::RequestClass;
use crate::client::request::info::RequestInfo;
use crate::error_chain::error_chain;

/// How many times its size an answer may unpack to. Lists of equal objects reach 100; a bomb of zeros 1000.
const RATIO_MAX: u64 = 300;

/// Below this the ratio does not count: a small answer of blanks is not an attack.
const UNPACKED_FREE: u64 = 8 * 1024 * 1024;

/// How much is unpacked before the ratio is looked at: this, a thousand times, is all that a bomb can take.
const STEP_BYTES: usize = 4 * 1024;

/// An answer that cannot be unpacked.
#[derive(Debug, Error)]
pub(crate) enum NotUnpacked {
    #[error("the compressed answer would unpack to more than {RATIO_MAX} times its size")]
    Bomb,
    #[error("the compressed answer is not gzip: {}", error_chain(.0))]
    Malformed(#[source] std::io::Error),
}

/// Unpacks answers.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) struct DecompressionLayer;

impl WrapsCalls for DecompressionLayer {
    fn call<S: Inner>(&self, inner: &mut S, mut request: Request<Body>) -> Answer {
        let wish = if RequestInfo::of(&request).class() == RequestClass::Plain { "gzip" } else { "identity" };
        request.headers_mut().entry(ACCEPT_ENCODING).or_insert(HeaderValue::from_static(wish));
        let answer = inner.call(request);
        async move {
            let mut response = answer.await?;
            let encoding = response.headers().get(CONTENT_ENCODING);
            if !encoding.is_some_and(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"gzip")) {
                return Ok(response);
            }
            response.headers_mut().remove(CONTENT_ENCODING);
            response.headers_mut().remove(CONTENT_LENGTH);
            Ok(response.map(|body| Body::wrap_body(UnpackedBody::new(body))))
        }
        .boxed()
    }
}

/// A body that is unpacked as it is read.
struct UnpackedBody {
    packed: Option<Body>,
    decoder: MultiGzDecoder<Vec<u8>>,
    /// What has come and is not unpacked yet.
    waiting: Bytes,
    taken: u64,
    given: u64,
}

impl UnpackedBody {
    fn new(packed: Body) -> Self {
        let decoder = MultiGzDecoder::new(Vec::new());
        Self { packed: Some(packed), decoder, waiting: Bytes::new(), taken: 0, given: 0 }
    }

    /// Unpacks a little of what has come.
    fn step(&mut self) -> Result<Bytes, NotUnpacked> {
        let piece = self.waiting.split_to(self.waiting.len().min(STEP_BYTES));
        self.taken += piece.len() as u64;
        self.decoder.write_all(&piece).and_then(|()| self.decoder.flush()).map_err(NotUnpacked::Malformed)?;
        self.give()
    }

    fn finish(&mut self) -> Result<Bytes, NotUnpacked> {
        self.packed = None;
        self.decoder.try_finish().map_err(NotUnpacked::Malformed)?;
        self.give()
    }

    fn give(&mut self) -> Result<Bytes, NotUnpacked> {
        let unpacked = std::mem::take(self.decoder.get_mut());
        self.given += unpacked.len() as u64;
        if self.given > UNPACKED_FREE && self.given / RATIO_MAX > self.taken {
            return Err(NotUnpacked::Bomb);
        }
        Ok(unpacked.into())
    }
}

impl HttpBody for UnpackedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        loop {
            let unpacked = if !self.waiting.is_empty() {
                self.step()
            } else if let Some(packed) = &mut self.packed {
                match std::task::ready!(Pin::new(packed).poll_frame(context)) {
                    None => self.finish(),
                    Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
                    Some(Ok(frame)) => {
                        // Trailers hold nothing that is read.
                        self.waiting = frame.into_data().unwrap_or_default();
                        continue;
                    }
                }
            } else {
                return Poll::Ready(None);
            };
            match unpacked {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
                Err(error) => {
                    // Nothing more is read of it.
                    (self.packed, self.waiting) = (None, Bytes::new());
                    return Poll::Ready(Some(Err(error.into())));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use futures::FutureExt;
    use http_body_util::BodyExt;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn unpack(packed: Vec<u8>) -> Result<Vec<u8>, crate::Error> {
        let body = Body::wrap_body(UnpackedBody::new(Body::from(packed)));
        let collected = body.collect().now_or_never().expect("the body is all there");
        collected.map(|body| body.to_bytes().to_vec())
    }

    #[test]
    fn what_was_packed_comes_out_also_in_several_members() {
        let text: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(unpack(packed(&text)).unwrap(), text);
        assert_eq!(unpack([packed(b"one"), packed(b"two")].concat()).unwrap(), b"onetwo");
        assert_eq!(unpack(packed(b"")).unwrap(), b"");
    }

    #[test]
    fn a_bomb_is_refused_long_before_it_is_unpacked_and_a_small_answer_of_blanks_is_not() {
        assert_eq!(unpack(packed(&vec![b' '; 4 << 20])).unwrap().len(), 4 << 20);
        let error = unpack(packed(&vec![0; 64 << 20])).unwrap_err();
        assert!(format!("{error:?}").contains("Bomb"), "{error:?}");
    }

    #[test]
    fn what_is_cut_off_or_not_gzip_is_an_error() {
        let whole = packed(&(0..10_000_u32).flat_map(u32::to_le_bytes).collect::<Vec<_>>());
        assert!(unpack(whole[..whole.len() / 2].to_vec()).is_err());
        assert!(unpack(b"plain text".to_vec()).is_err());
    }
}
