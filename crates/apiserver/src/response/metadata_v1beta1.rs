//! Metadata alone under the name it had in its first version, for clients that still ask for `v1beta1`.

use bytes::Bytes;
use futures::StreamExt;
use http::Response;
use http::header::CONTENT_LENGTH;

use crate::response::body::Body;

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
