//! Metadata alone under the name it had in its first version, for clients that still ask for `v1beta1`.

use bytes::Bytes;
use futures::StreamExt;
use http::header::{ACCEPT, CONTENT_LENGTH};
use http::{HeaderMap, Response};
use pintle_core::call::by_preference;

use crate::response::body::Body;

/// Whether the best form that a client takes is metadata in its first version.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let best = by_preference(accept).into_iter().next().unwrap_or_default();
    best.contains("as=PartialObjectMetadata") && best.split(';').any(|parameter| parameter.trim() == "v=v1beta1")
}

/// The answer with the older name.
pub(crate) fn renamed(response: Response<Body>) -> Response<Body> {
    if !response.status().is_success() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.remove(CONTENT_LENGTH);
    let pieces = body.into_pieces().map(|piece| piece.map(|piece| rename(&piece)));
    Response::from_parts(parts, Body::fallible(pieces))
}

/// Inside of texts quotes are escaped, so this stands nowhere else; and a piece holds whole objects.
fn rename(piece: &Bytes) -> Bytes {
    match std::str::from_utf8(piece) {
        Ok(text) => text.replace(VERSION, VERSION_BEFORE).into(),
        Err(_) => piece.clone(),
    }
}

const VERSION: &str = "\"apiVersion\":\"meta.k8s.io/v1\"";
const VERSION_BEFORE: &str = "\"apiVersion\":\"meta.k8s.io/v1beta1\"";
