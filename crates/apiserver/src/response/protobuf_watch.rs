//! A watch in protobuf, for clients that accept nothing else: each event of the JSON stream in a frame of its own.
//!
//! In: the pieces of a watch as JSON, whatever a fault made of them. Out: the same events, each with its length in front.
//! An object that a fault corrupted is corrupt in protobuf, too, and what is no longer an event is sent as it is. A client that
//! takes JSON as well gets JSON, whose bytes all watchers share.

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use http::Response;
use http::header::{CONTENT_TYPE, HeaderValue};
use pintle_wire::framer::protobuf_frame;
use pintle_wire::protobuf;
use serde::Deserialize;
use serde_json::Value;

use crate::faults;
use crate::response::body::Body;

/// The watch in protobuf; a refusal stays what it is.
pub(crate) fn in_protobuf(response: Response<Body>) -> Response<Body> {
    if !response.status().is_success() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    let mut begun = BytesMut::new();
    let frames = body.into_pieces().map(move |piece| piece.map(|piece| frames(&mut begun, &piece)));
    Response::from_parts(parts, Body::fallible(frames))
}

/// The frames of the events that a piece ends; the beginning of another one is kept.
fn frames(begun: &mut BytesMut, piece: &[u8]) -> Bytes {
    begun.extend_from_slice(piece);
    let Some(end) = begun.iter().rposition(|byte| *byte == b'\n') else { return Bytes::new() };
    let whole = begun.split_to(end + 1).freeze();
    let lines = whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.flat_map(|line| frame(line).unwrap_or_else(|| line.to_vec())).collect()
}

fn frame(line: &[u8]) -> Option<Vec<u8>> {
    let Event { kind, object } = serde_json::from_slice(line).ok()?;
    let message = protobuf::from_json(object.to_string().as_bytes()).map(Bytes::from);
    let message = message.or_else(|error| {
        if !faults::is_spoilt(&object) {
            let (kind, name) = (&object["kind"], &object["metadata"]["name"]);
            tracing::warn!(%kind, %name, "an object that is stored cannot be said in protobuf: {error}");
        }
        faults::in_protobuf(&object).ok_or(())
    });
    Some(protobuf_frame(&kind, &message.ok()?))
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    object: Value,
}

const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf;stream=watch";
