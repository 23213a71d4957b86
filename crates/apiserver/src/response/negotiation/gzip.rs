//! Answers packed for clients that unpack them, piece by piece as they are made.
//!
//! In: a body. Out: the same if it is small; else a gzip stream, of which each piece is sent as soon as it is full. So a long
//! list, which Go clients always ask for packed, is never held whole.

use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::{StreamExt, stream};

use crate::response::body::{Body, Interrupted, Pieces};

/// A body, packed or not worth it.
pub(super) enum Packed {
    Plain(Body),
    Gzip(Body),
}

/// Packs a body if it is long enough.
pub(super) async fn pack(body: Body) -> Result<Packed, Interrupted> {
    let mut pieces = body.into_pieces();
    let mut begun: Vec<Bytes> = Vec::new();
    let mut length = 0;
    while length <= PACKED_BYTES_MIN {
        let Some(piece) = pieces.next().await else {
            return Ok(Packed::Plain(Body::full(begun.concat())));
        };
        begun.push(piece?);
        length += begun.last().map_or(0, Bytes::len);
    }
    let all = stream::iter(begun.into_iter().map(Ok)).chain(pieces);
    Ok(Packed::Gzip(Body::fallible(packed(Box::pin(all)))))
}

/// The pieces of a stream, packed.
fn packed(pieces: Pieces) -> impl futures::Stream<Item = Result<Bytes, Interrupted>> + Send + 'static {
    let begin = Some((pieces, GzEncoder::new(Vec::new(), Compression::fast())));
    stream::unfold(begin, |state| async move {
        let (mut pieces, mut encoder) = state?;
        loop {
            match pieces.next().await {
                Some(Ok(piece)) => {
                    encoder.write_all(&piece).expect("memory takes what is written");
                    if encoder.get_ref().len() >= PIECE_BYTES {
                        let full = std::mem::take(encoder.get_mut());
                        return Some((Ok(full.into()), Some((pieces, encoder))));
                    }
                }
                Some(Err(interrupted)) => return Some((Err(interrupted), None)),
                None => {
                    let last = encoder.finish().expect("memory takes what is written");
                    return Some((Ok(last.into()), None));
                }
            }
        }
    })
}

/// A text that lies in pieces, packed at once.
pub(crate) fn packed_whole(pieces: &[Bytes]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for piece in pieces {
        encoder.write_all(piece).expect("memory takes what is written");
    }
    let mut packed = encoder.finish().expect("memory takes what is written");
    packed.shrink_to_fit();
    packed.into()
}

/// kube-apiserver packs nothing smaller: it would cost more time than it saves.
pub(crate) const PACKED_BYTES_MIN: usize = 128 * 1024;

/// What is packed is sent in pieces of about this size.
const PIECE_BYTES: usize = 32 * 1024;

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use http_body_util::BodyExt;

    use super::*;

    async fn collected(body: Body) -> Bytes {
        body.collect().await.unwrap_or_else(|_| panic!("nothing breaks it")).to_bytes()
    }

    fn body(pieces: usize) -> Body {
        Body::stream(stream::iter((0..pieces).map(|number| Bytes::from(format!("{number:01024}")))))
    }

    #[tokio::test]
    async fn a_long_body_is_packed_in_pieces_and_unpacks_to_the_same() {
        let whole = collected(body(1000)).await;
        let Ok(Packed::Gzip(packed)) = pack(body(1000)).await else { panic!("a megabyte is worth it") };
        let packed = collected(packed).await;
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap_or_default();
        assert!(packed.len() < whole.len() / 10, "{} of {}", packed.len(), whole.len());
        assert_eq!(unpacked, whole);
    }

    #[tokio::test]
    async fn a_short_body_stays_as_it_is() {
        let Ok(Packed::Plain(plain)) = pack(body(3)).await else { panic!("three kilobytes are not worth it") };
        assert_eq!(collected(plain).await, collected(body(3)).await);
    }
}
