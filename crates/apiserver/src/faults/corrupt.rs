//! Objects that do not decode: metadata as it is, everything else of the wrong type.
//!
//! In: JSON or protobuf that the server made. Out: the same with one object spoiled. A client that reads heads still learns
//! which object it is; one that decodes the kind fails, whatever the kind.

use bytes::Bytes;
use pintle_wire::protobuf::{self, Envelope};
use serde_json::{Map, Value, json};

/// Spoils the object of a watch frame; `None` where the frame is a bookmark or an error.
pub(super) fn corrupt_frame(frame: &[u8]) -> Option<Bytes> {
    let mut event: Value = serde_json::from_slice(frame).ok()?;
    if !matches!(event["type"].as_str()?, "ADDED" | "MODIFIED" | "DELETED") {
        return None;
    }
    spoil(event.get_mut("object")?.as_object_mut()?);
    Some(format!("{event}\n").into())
}

/// Spoils the n-th object of a list, or an object that is not a list; `None` where there is none.
pub(crate) fn corrupt_answer(body: &[u8], nth: usize) -> Option<Bytes> {
    if body.starts_with(protobuf::MAGIC) {
        return corrupt_message(body, nth);
    }
    let mut answer: Value = serde_json::from_slice(body).ok()?;
    if answer["kind"] == STATUS {
        return None;
    }
    match answer.get_mut("items") {
        Some(items) => spoil(items.get_mut(nth)?.as_object_mut()?),
        None => spoil(answer.as_object_mut()?),
    }
    Some(answer.to_string().into())
}

/// Whether it was a fault that made an object one that does not decode.
pub(crate) fn is_spoilt(object: &Value) -> bool {
    object["data"] == SPOILT
}

/// The protobuf of an object that is spoilt as JSON: its metadata are what it is known by.
pub(crate) fn in_protobuf(spoilt: &Value) -> Option<Bytes> {
    let known = json!({"apiVersion": spoilt["apiVersion"], "kind": spoilt["kind"], "metadata": spoilt["metadata"]});
    corrupt_message(&protobuf::from_json(known.to_string().as_bytes()).ok()?, 0)
}

fn corrupt_message(body: &[u8], nth: usize) -> Option<Bytes> {
    let envelope = Envelope::open(body).ok()?;
    let is_list = envelope.type_of().ok()?.field("items").is_some();
    let mut is_spoilt = false;
    let spoilt = protobuf::edit_objects(body, |number, object| {
        if number == nth || !is_list {
            object.extend_from_slice(NO_FIELD);
            is_spoilt = true;
        }
    });
    spoilt.ok().filter(|_| is_spoilt && envelope.kind != STATUS).map(Into::into)
}

fn spoil(object: &mut Map<String, Value>) {
    for (field, value) in object.iter_mut() {
        if !matches!(field.as_str(), "apiVersion" | "kind" | "metadata") {
            *value = if value.is_string() { 0.into() } else { SPOILT.into() };
        }
    }
    for field in ["spec", "data", "status"] {
        object.entry(field).or_insert_with(|| SPOILT.into());
    }
}

/// No kind has a plain text in these places.
const SPOILT: &str = "undecodable";
/// What no field begins with; metadata stand before it.
const NO_FIELD: &[u8] = &[0x0f];
/// What is not an object but an answer.
const STATUS: &str = "Status";

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_wire::{Body, Cutter, HeadReader, Limits, MediaType};

    #[test]
    fn the_metadata_stays_and_the_rest_has_the_wrong_type() {
        let list = json!({"kind": "L", "items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}, "x": "t"}]});
        let spoilt: Value = serde_json::from_slice(&corrupt_answer(list.to_string().as_bytes(), 1).unwrap()).unwrap();
        assert_eq!(spoilt["items"][0], list["items"][0]);
        assert_eq!(spoilt["items"][1]["metadata"]["name"], "b");
        assert_eq!((&spoilt["items"][1]["x"], &spoilt["items"][1]["data"]), (&json!(0), &json!(SPOILT)));
        assert_eq!((is_spoilt(&spoilt["items"][0]), is_spoilt(&spoilt["items"][1])), (false, true));
        assert!(corrupt_answer(list.to_string().as_bytes(), 2).is_none());
        assert!(corrupt_frame(br#"{"type":"BOOKMARK","object":{}}"#).is_none());
    }

    fn list() -> Value {
        let map = |name: &str| json!({"metadata": {"name": name}, "data": {"k": "v"}});
        json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {}, "items": [map("a"), map("b")]})
    }

    #[test]
    fn in_protobuf_too_the_metadata_stay_and_the_rest_cannot_be_read() {
        let message = protobuf::from_json(list().to_string().as_bytes()).unwrap();
        let spoilt = corrupt_answer(&message, 1).unwrap();
        let (mut cutter, mut heads) = (Cutter::new(MediaType::Protobuf, Limits::default()), HeadReader::new());
        let mut read = Vec::new();
        let mut note = |object: Body<'_>| {
            let name = heads.read_body(object).unwrap().name().to_owned();
            read.push((name, object.decode::<Value>().is_ok()));
            Ok::<_, pintle_wire::CutError>(())
        };
        cutter.push(&spoilt, &mut note).unwrap();
        cutter.finish().unwrap();
        assert_eq!(read, [("a".to_owned(), true), ("b".to_owned(), false)]);
        assert!(corrupt_answer(&message, 2).is_none());
        let refusal = protobuf::from_json(br#"{"apiVersion":"v1","kind":"Status"}"#).unwrap();
        assert!(corrupt_answer(&refusal, 0).is_none(), "a refusal is not an object");
    }
}
