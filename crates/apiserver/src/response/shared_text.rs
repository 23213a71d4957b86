//! A text that many clients ask for: discovery and OpenAPI documents.
//!
//! In: a text, in pieces. Out: answers with it, as it is or packed by gzip. It is packed when the second client asks for that, and
//! kept: packing costs more than all the rest of such an answer, so it has to be worth it; then a client that unpacks has less to
//! decrypt.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, HeaderValue, VARY};
use http::{HeaderMap, Response};
use sha2::{Digest, Sha512};

use super::body::Body;
use super::negotiation::{gzip, takes_gzip};

/// The text, and what was made of it so far.
#[derive(Debug, Default)]
pub(crate) struct SharedText {
    pieces: Vec<Bytes>,
    /// Whether a client has asked for it packed.
    is_wanted_packed: AtomicBool,
    packed: OnceLock<Bytes>,
    digest: OnceLock<String>,
}

impl SharedText {
    pub(crate) fn new(pieces: Vec<Bytes>) -> SharedText {
        SharedText { pieces, ..SharedText::default() }
    }

    /// An answer with this text, packed if its client unpacks, it is long enough, and it was asked for before.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response<Body> {
        let is_worth_it = takes_gzip(headers) && self.length() > gzip::PACKED_BYTES_MIN;
        if !is_worth_it || !self.is_wanted_packed.swap(true, Ordering::Relaxed) {
            return super::stream(Body::pieces(self.pieces.clone()));
        }
        let packed = self.packed.get_or_init(|| gzip::packed_whole(&self.pieces));
        let mut response = super::stream(Body::full(packed.clone()));
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        response.headers_mut().append(VARY, HeaderValue::from_static("Accept-Encoding"));
        response
    }

    /// Its SHA-512 in hexadecimal digits.
    pub(crate) fn digest(&self) -> &str {
        self.digest.get_or_init(|| {
            let mut digest = Sha512::new();
            self.pieces.iter().for_each(|piece| digest.update(piece));
            hexadecimal(&digest.finalize())
        })
    }

    fn length(&self) -> usize {
        self.pieces.iter().map(Bytes::len).sum()
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> SharedText {
        SharedText::new(vec![text.into()])
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use http::header::ACCEPT_ENCODING;
    use http_body_util::BodyExt;

    use super::*;

    async fn bytes(response: Response<Body>) -> Bytes {
        response.into_body().collect().await.unwrap_or_else(|_| panic!("nothing breaks it")).to_bytes()
    }

    fn gzip() -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("gzip"))])
    }

    #[tokio::test]
    async fn a_long_text_is_packed_once_from_the_second_client_on_that_unpacks() {
        let half = Bytes::from("kind ".repeat(gzip::PACKED_BYTES_MIN / 8));
        let text = SharedText::new(vec![half.clone(), half.clone()]);
        assert_eq!(bytes(text.answer(&HeaderMap::new())).await, [&half[..], &half[..]].concat());

        assert!(!text.answer(&gzip()).headers().contains_key(CONTENT_ENCODING), "nobody else may want it");
        let response = text.answer(&gzip());
        assert_eq!(response.headers()[CONTENT_ENCODING], "gzip");
        assert_eq!(response.headers()[VARY], "Accept-Encoding");
        let packed = bytes(response).await;
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap_or_default();
        assert_eq!(unpacked, [&half[..], &half[..]].concat());
        assert_eq!(
            bytes(text.answer(&gzip())).await.as_ptr(),
            packed.as_ptr(),
            "the third client gets the same memory"
        );
    }

    #[tokio::test]
    async fn a_short_text_is_never_packed() {
        let response = SharedText::from("short".to_owned()).answer(&gzip());
        assert!(!response.headers().contains_key(CONTENT_ENCODING));
        assert_eq!(bytes(response).await, "short");
    }

    #[test]
    fn the_digest_is_that_of_all_pieces() {
        let whole = SharedText::from("ab".to_owned());
        let pieces = SharedText::new(vec!["a".into(), "b".into()]);
        assert_eq!(whole.digest(), pieces.digest());
        assert_ne!(whole.digest(), SharedText::default().digest());
    }
}
